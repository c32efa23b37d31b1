"""Which name was meant."""

import pytest

from gaussbayes.base.spelling import closest, meant


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("heigth", ["age", "height", "weight"], "height"),
        ("SPECIES", ["genus", "species"], "species"),  # by its letters alone, whatever their case
        ("species", ["specie", "Species"], "Species"),
        ("x", [], None),
        ("", ["x"], None),
        ("zzz", ["age", "height"], None),
    ],
)
def test_closest(name: str, known: list[str], expected: str | None) -> None:
    assert closest(name, known) == closest(name, dict.fromkeys(known)) == expected


def test_the_words_of_a_message() -> None:
    assert meant("lessn", ["lesson", "fit"]) == " (did you mean 'lesson'?)"
    assert meant("a", ["it's"]) == ""
    assert meant("its", ["it's"]) == """ (did you mean "it's"?)"""
