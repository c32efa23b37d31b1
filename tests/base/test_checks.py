"""Numbers and names of users: what passes, and what the messages say of the rest."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gaussbayes.base import checks
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.finite import check_finite, overflow_error
from gaussbayes.base.schema import Schema, check_names
from gaussbayes.families.gaussian.patterns import group, patterns_of

NAMED = Schema(np.array([0, 1]), 3, ("age", "girth", "height"))
WORDS = {
    "probability": "a probability from 0 to 1",
    "integer": "an integer, at least 1",
    "finite_number": "a finite number",
    "positive_number": "a finite number above 0",
    "not_negative": "0 or a finite number above it",
}
GOOD = {
    "probability": [0, 1, 0.5, np.float32(0.5), np.int64(1)],
    "integer": [1, np.int32(7), 10**30],
    "finite_number": [-2, np.float32(0.25)],
    "positive_number": [np.float32(0.25), 7],
    "not_negative": [0, 3.5],
}
BAD = {
    "probability": [-1e-300, 1.0000001],
    "integer": [0, -3, 2.0],
    "positive_number": [0, -2, 0.0],
    "not_negative": [-1e-300],
}


@pytest.mark.parametrize("name", WORDS)
def test_numbers(name: str) -> None:
    least = (1,) if name == "integer" else ()
    for value in GOOD[name]:
        number = getattr(checks, name)("level", value, *least)
        assert (number, type(number)) == (value, int if name == "integer" else float)
    for value in (*BAD.get(name, ()), np.nan, np.inf, -np.inf, "0.5", None, True, [0.5]):
        with pytest.raises(OptionError) as caught:
            getattr(checks, name)("level", value, *least)
        assert str(caught.value) == f"level must be {WORDS[name]}, got {value!r}"


def test_values_that_are_not_finite_are_named_by_row_and_column() -> None:
    for dtype in (np.float32, np.float64):
        largest = np.finfo(dtype).max
        check_finite(np.array([[largest, -largest], [0.0, 1.0]], dtype=dtype))
        check_finite(np.zeros((0, 3), dtype=dtype))
    for value, word in ((np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")):
        X = np.zeros((4, 3))
        X[2, 1] = value
        with pytest.raises(DataError, match=rf"{word} in row 2, column 1 \(1 such value\)"):
            check_finite(X)
        with pytest.raises(DataError, match=f"{word} in row 102, column 'b'"):
            check_finite(X, start=100, names=("a", "b", "c"))
    with pytest.raises(DataError, match=r"infinity in row 0, column 1 \(3 such values\)"):
        check_finite(np.array([[0.0, np.inf], [np.nan, np.nan]]))
    with pytest.raises(DataError, match=r"up to 1e\+200 are too large.*larger units"):
        raise overflow_error(np.array([[1.0, -1e200]]))


SIZES = st.sampled_from([1, 2, 7, 8, 9, 57, 58, 59, 60, 63, 64, 65, 130])


@given(hnp.arrays(bool, st.tuples(st.integers(0, 30), SIZES)))
def test_rows_of_a_pattern_are_those_alike(observed: np.ndarray) -> None:
    found = group(observed)
    different = {row.tobytes() for row in observed}
    assert found.n_patterns == len(different)
    assert {row.tobytes() for row in found.observed} == different
    np.testing.assert_array_equal(found.observed[found.number], observed)
    assert sorted(found.order.tolist()) == list(range(observed.shape[0]))
    for pattern in range(found.n_patterns):
        assert found.rows(pattern).tolist() == np.flatnonzero(found.number == pattern).tolist()
    assert found.size.tolist() == np.bincount(found.number).tolist()


def test_nan_is_missing_and_nothing_else_is() -> None:
    for dtype in (np.float32, np.float64):
        found = patterns_of(np.array([[0.0, np.inf], [np.nan, -0.0]], dtype=dtype))
        assert found.observed[found.number].tolist() == [[True, True], [False, True]]


# Names of classes and features


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
