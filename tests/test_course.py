"""`docs/course.md` keeps its word: all rows, lessons that exist, tests that are there."""

import re
from pathlib import Path

import pytest

import gaussbayes
from gaussbayes import GaussianClassifier, lessons, plots
from gaussbayes.analysis import boundary
from gaussbayes.model import evaluation

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGE = (DOCS / "course.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[list[str]]:
    """The cells of the table under a heading, without its head."""
    part = PAGE.split(f"## {heading}\n", maxsplit=1)[1].split("\n## ", maxsplit=1)[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    # A bar that belongs to the text is written \| in a table.
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines[2:]]
    return [[cell.strip() for cell in line] for line in cells]


def coded(cell: str) -> list[str]:
    """What a cell has in `code`."""
    return re.findall(r"`([^`]+)`", cell)


CAPABILITIES = rows("What the course describes, and where it is")
ERRORS = rows("Where the documents err")


def test_all_22_rows_are_there() -> None:
    assert [int(row[0]) for row in CAPABILITIES] == list(range(1, 23))
    for row in CAPABILITIES:
        assert len(row) == 6
        assert all(row)


@pytest.mark.parametrize("row", CAPABILITIES, ids=[row[0] for row in CAPABILITIES])
def test_a_row_names_lessons_and_tests_that_exist(row: list[str]) -> None:
    shown_by, checked_by = row[4:]
    named = coded(shown_by)
    assert named
    assert set(named) <= set(lessons.names())
    links = re.findall(r"\[[^]]+\]\(([^)]+)\)", checked_by)
    assert links
    for link in links:
        test = (DOCS / link).resolve()
        assert test.is_relative_to(ROOT / "tests")
        assert re.search(r"^def test_", test.read_text(encoding="utf-8"), flags=re.MULTILINE), link


@pytest.mark.parametrize("row", CAPABILITIES, ids=[row[0] for row in CAPABILITIES])
def test_what_a_row_says_is_there_is_there(row: list[str]) -> None:
    model = GaussianClassifier().fit([[1.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1])
    # Only a model of rows with missing values has a record of how EM proceeded.
    incomplete = GaussianClassifier().fit([[1.0], [2.0], [None], [5.0], [7.0]], [0, 0, 0, 1, 1])
    arguments = {"y", "reject"}
    places = {
        "GaussianClassifier": model,
        "boundary": boundary,
        "evaluation": evaluation,
        "plots": plots,
    }
    for name in coded(row[3]):
        if "." in name:
            place, _, member = name.partition(".")
            assert hasattr(places[place], member), name
        else:
            word = name.partition("=")[0]
            there = any(hasattr(place, word) for place in (model, incomplete, gaussbayes))
            assert word in arguments or there, name


def test_every_lesson_shows_something() -> None:
    assert {name for row in CAPABILITIES for name in coded(row[4])} == set(lessons.names())


def test_every_erratum_of_the_lessons_is_listed() -> None:
    assert all(len(row) == 4 and all(row) for row in ERRORS)
    named = [name for row in ERRORS for name in coded(row[3])]
    for lesson in lessons.all_lessons():
        assert named.count(lesson.name) == len(lesson.errata), lesson.name
