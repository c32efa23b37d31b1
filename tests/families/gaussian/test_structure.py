"""The six structures have names, and all of them are there; those between them say how far."""

import numpy as np
import pytest

from gaussbayes.base.errors import OptionError
from gaussbayes.families.gaussian.structure import (
    MIXTURES,
    STRUCTURES,
    Structure,
    structure_of,
    structure_of_values,
)
from tests import strategies


def test_every_structure_has_one_name() -> None:
    assert set(STRUCTURES.values()) == set(strategies.STRUCTURES)
    assert [structure.name for structure in STRUCTURES.values()] == list(STRUCTURES)
    assert [structure.name for structure in MIXTURES[:2]] == [
        "full, 25 % shared",
        "full, 50 % shared",
    ]


def test_what_is_said_by_shared_comes_back() -> None:
    for shared in (False, True, 0.25):
        assert structure_of("full", shared).shared_setting == shared
    assert structure_of("diagonal", 0) == structure_of("diagonal", np.False_)
    assert structure_of("diagonal", 1) == Structure("diagonal", 1.0)
    for structure in (*STRUCTURES.values(), *MIXTURES):
        assert eval(repr(structure), {"Structure": Structure}) == structure


def test_a_structure_is_own_and_full_unless_said_otherwise() -> None:
    assert Structure() == Structure("full", 0.0)
    assert Structure().n_covariances(3) == Structure("full", 0.5).n_covariances(3) == 3
    assert Structure("full", 1.0).n_covariances(3) == 1


@pytest.mark.parametrize("shared", [-0.1, 1.1, np.nan, "yes", None, [0.5]])
def test_other_sharings(shared: object) -> None:
    with pytest.raises(OptionError, match=r"shared must be True, False or a number in \[0, 1\]"):
        structure_of("full", shared)


@pytest.mark.parametrize("covariance", ["Full", "tied", None, 3])
def test_other_shapes(covariance: object) -> None:
    with pytest.raises(OptionError, match="covariance must be one of 'full', 'diagonal'"):
        structure_of(covariance, False)


def test_the_structure_of_what_was_written_down() -> None:
    assert structure_of_values(np.ones((3, 2, 2)), 3, 2) == Structure()
    assert structure_of_values(np.ones((2, 2)), 3, 2) == Structure("full", 1.0)
    assert structure_of_values(np.ones((3, 2)), 3, 2, "diagonal") == Structure("diagonal")
    assert structure_of_values(np.ones(2), 3, 2, "diagonal") == Structure("diagonal", 1.0)
    assert structure_of_values(np.ones(3), 3, 2, "spherical") == Structure("spherical")
    assert structure_of_values(np.array(1.0), 3, 2, "spherical") == Structure("spherical", 1.0)
    with pytest.raises(OptionError, match="say covariance='full' or 'diagonal'"):
        structure_of_values(np.ones((2, 2)), 2, 2)
    with pytest.raises(OptionError, match=r"own diagonal covariances.*\(3, 2\), got \(2,\)"):
        structure_of_values(np.ones(2), 3, 2, "diagonal", False)
