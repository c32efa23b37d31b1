"""The six structures have names, and all of them are there; those between them say how far."""

from gaussbayes.families.gaussian.parameters import Structure
from gaussbayes.families.gaussian.structures import MIXTURES, STRUCTURES, name_of
from gaussbayes.model.settings import structure_of
from tests import strategies


def test_every_structure_has_one_name() -> None:
    assert set(STRUCTURES.values()) == set(strategies.STRUCTURES)
    assert [name_of(structure) for structure in STRUCTURES.values()] == list(STRUCTURES)


def test_between_own_and_shared() -> None:
    assert [name_of(structure) for structure in MIXTURES[:2]] == [
        "full, 25 % shared",
        "full, 50 % shared",
    ]
    assert all(structure.layout != "pooled" for structure in MIXTURES)


def test_what_is_said_by_shared_comes_back() -> None:
    for shared in (False, True, 0.25):
        assert structure_of("full", shared).sharing == shared
    assert structure_of("diagonal", 0) == structure_of("diagonal", 0.0) == Structure("diagonal")
    assert structure_of("diagonal", 1) == Structure("diagonal", shared=True)
    for structure in (*STRUCTURES.values(), *MIXTURES):
        assert eval(repr(structure), {"Structure": Structure}) == structure
