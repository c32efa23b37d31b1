"""Names of classes and features: in messages, and by which users mean columns."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from gaussbayes.base.errors import DataError
from gaussbayes.base.schema import Schema

NAMED = Schema(np.array([0, 1]), 3, ("age", "girth", "height"))


@pytest.mark.parametrize(
    ("classes", "written"),
    [
        (np.array(["no", "yes"]), "'yes'"),
        (np.array([0, 7]), "7"),
        (np.array([False, True]), "True"),
        (np.array([0.5, 1.5]), "1.5"),
        (np.array(["no", "yes"], dtype=object), "'yes'"),
        (np.array([None, ("a", 1)], dtype=object), "('a', 1)"),
    ],
)
def test_classes_are_written_as_the_user_wrote_them(classes: np.ndarray, written: str) -> None:
    assert Schema(classes, 1).class_name(1) == written


def test_features_have_names_or_numbers() -> None:
    assert Schema(np.array([0]), 2, ("age", "weight")).feature_name(1) == "'weight'"
    assert Schema(np.array([0]), 2).feature_name(1) == "feature 1"


def test_long_lists_are_shortened() -> None:
    schema = Schema(np.array([0]), 9)
    assert schema.feature_list([0, 3]) == "feature 0, feature 3"
    assert schema.feature_list(range(6)).endswith("feature 4, feature 5")
    assert schema.feature_list(range(9)).endswith("feature 5 and 3 more")
    assert schema.feature_list(range(9), most=1) == "feature 0 and 8 more"


@pytest.mark.parametrize(
    ("classes", "label", "position"),
    [
        (np.array(["no", "yes"]), "yes", 1),
        (np.array(["no", "yes"]), "maybe", -1),
        (np.array([3, 5]), 3, 0),
        (np.array([3, 5]), np.int64(5), 1),
        (np.array([3, 5]), "5", -1),
        (np.array([False, True]), True, 1),
    ],
)
def test_positions_of_labels(classes: np.ndarray, label: object, position: int) -> None:
    assert Schema(classes, 1).position(label) == position


def test_a_schema_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Schema(np.array([0]), 1).n_features = 2  # type: ignore[misc]


def test_columns_by_name_and_number() -> None:
    assert NAMED.find_columns(["girth", 0]) == (1, 0)
    assert NAMED.find_columns("height") == (2,)
    assert NAMED.find_columns(np.array([2, 1])) == (2, 1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (["grith"], r"no feature 'grith' \(did you mean 'girth'\?\); the features are"),
        (["weight?"], r"no feature 'weight\?'"),
        ([3], "no feature 3; they are numbered from 0 to 2"),
        ([-1], "no feature -1; they are numbered from 0 to 2"),
        ([1.5], "by its name or its number, got 1.5"),
        ([None], "by its name or its number, got None"),
        ([], r"different ones, and at least one, got \[\]"),
        ([0, "age"], r"different ones, and at least one, got \[0, 'age'\]"),
    ],
)
def test_columns_that_are_not_there(features: list, message: str) -> None:
    with pytest.raises(DataError, match=message):
        NAMED.find_columns(features)


def test_names_where_there_are_none() -> None:
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


def test_a_marginal_numbers_its_features_anew() -> None:
    marginal = Schema(np.array([0, 1]), 4, None, (1, 3)).marginal((3, 0, 1))
    assert marginal.categorical == (0, 2)
    assert marginal.titles == ("feature 0", "feature 1", "feature 2")


def test_the_same_features() -> None:
    classes = np.array([0, 1])
    other_names = Schema(classes, 3, ("age", "girth", "weight"))
    assert NAMED.same_features(Schema(np.array(["a"]), 3))
    assert not NAMED.same_features(other_names)
    assert not NAMED.same_features(Schema(classes, 2))
    assert not NAMED.same_features(Schema(classes, 3, NAMED.features, (1,)))
    with pytest.raises(DataError, match=r"3 features need as many names, got \['age'\]"):
        NAMED.with_names(["age"])
    assert NAMED.with_names(None).features is None
