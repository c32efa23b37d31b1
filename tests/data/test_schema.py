"""Names of classes and features, as messages and results write them."""

import numpy as np
import pytest

from gaussbayes.base.errors import DataError
from gaussbayes.data.schema import Schema, check_names

NAMED = Schema(np.array([0, 1]), 3, ("age", "girth", "height"))


def test_classes_are_written_as_the_user_wrote_them() -> None:
    for classes, written in (
        (np.array(["no", "yes"]), "'yes'"),
        (np.array([0, 7]), "7"),
        (np.array([False, True]), "True"),
        (np.array([0.5, 1.5]), "1.5"),
        (np.array([None, ("a", 1)], dtype=object), "('a', 1)"),
    ):
        assert Schema(classes, 1).class_name(1) == written
    numbers, texts = Schema(np.array([3, 5]), 1), Schema(np.array(["no", "yes"]), 1)
    assert [numbers.position(label) for label in (3, np.int64(5), "5")] == [0, 1, -1]
    assert [texts.position(label) for label in ("yes", "maybe")] == [1, -1]


def test_features_have_names_or_numbers() -> None:
    schema = Schema(np.array([0]), 9)
    assert NAMED.feature_name(1) == "'girth'"
    assert schema.feature_list([0, 3]) == "feature 0, feature 3"
    assert schema.feature_list(range(6)).endswith("feature 4, feature 5")
    assert schema.feature_list(range(9), most=1) == "feature 0 and 8 more"
    assert NAMED.find_columns(["girth", 0]) == (1, 0)
    assert NAMED.find_columns("height") == (2,)
    assert NAMED.find_columns(np.array([2, 1])) == (2, 1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (["grith"], r"no feature 'grith' \(did you mean 'girth'\?\); the features are"),
        ([3], "no feature 3; they are numbered from 0 to 2"),
        ([-1], "no feature -1; they are numbered from 0 to 2"),
        ([1.5], "by its name or its number, got 1.5"),
        ([None], "by its name or its number, got None"),
        ([], r"different ones, and at least one, got \[\]"),
        ([0, "age"], r"different ones, and at least one, got \[0, 'age'\]"),
    ],
)
def test_features_that_are_not_there(features: list, message: str) -> None:
    with pytest.raises(DataError, match=message):
        NAMED.find_columns(features)
    with pytest.raises(DataError, match="no feature 'age'; features have no names"):
        Schema(np.array([0, 1]), 2).find_columns(["age"])


@pytest.mark.parametrize("names", [None, ("age", "wind", "girth", "soil")])
def test_parts_name_features_as_the_whole_does(names: tuple[str, ...] | None) -> None:
    """Whatever a feature's number within a part or a kind, a message calls it the same."""
    whole = Schema(np.array([0, 1]), 4, names, (1, 3))
    for part, columns in (
        (whole.of_numbers, (0, 2)),
        (whole.of_categories, (1, 3)),
        (whole.part((3, 0)), (3, 0)),
    ):
        assert part.n_features == 2
        for place, column in enumerate(columns):
            assert part.feature_name(place) == whole.feature_name(column)
            assert part.titles[place] == whole.titles[column]
    marginal = whole.marginal((3, 0, 1))
    assert marginal.categorical == (0, 2)
    assert names is not None or marginal.titles == ("feature 0", "feature 1", "feature 2")


def test_the_same_features() -> None:
    classes = np.array([0, 1])
    assert NAMED.same_features(Schema(np.array(["a"]), 3))
    assert not NAMED.same_features(Schema(classes, 3, ("age", "girth", "weight")))
    assert not NAMED.same_features(Schema(classes, 2))
    assert not NAMED.same_features(Schema(classes, 3, NAMED.features, (1,)))
    with pytest.raises(DataError, match=r"3 features need as many names, got \['age'\]"):
        check_names(["age"], 3)
    assert check_names(None, 3) is None
