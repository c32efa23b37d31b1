"""The six structures have names, and all of them are there."""

from gaussbayes.structures import STRUCTURES, name_of
from tests import strategies


def test_every_structure_has_one_name() -> None:
    assert set(STRUCTURES.values()) == set(strategies.STRUCTURES)
    assert [name_of(structure) for structure in STRUCTURES.values()] == list(STRUCTURES)
