"""Names of classes and features in messages."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from gaussbayes.base.schema import Schema


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
