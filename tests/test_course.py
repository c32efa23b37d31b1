"""`docs/course.md` keeps its word: 91 items, with lessons, public names and tests that exist."""

import re
from pathlib import Path
from typing import Any

import pytest

import gaussbayes
from gaussbayes import Gaussian, GaussianClassifier, lessons, plots
from gaussbayes.lessons.notebook import page

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGE = (DOCS / "course.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[list[str]]:
    """The cells of the table under a heading, without its head."""
    part = PAGE.split(f"## {heading}", maxsplit=1)[1].split("\n## ", maxsplit=1)[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    # A bar that belongs to the text is written \\| in a table.
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines[2:]]
    return [[cell.strip() for cell in line] for line in cells]


def coded(cell: str) -> list[str]:
    """What a cell has in `code`."""
    return re.findall(r"`([^`]+)`", cell)


def linked(cell: str) -> list[str]:
    """Where the links of a cell lead."""
    return re.findall(r"\[[^]]+\]\(([^)]+)\)", cell)


DOCUMENTS = {"000": 17, "001": 20, "002": 23, "003": 8, "004": 23}
ITEMS = [row for document in DOCUMENTS for row in rows(f"{document}: ")]
ERRORS = rows("Where the documents err\n")


def test_all_91_items_are_there() -> None:
    assert [int(row[0]) for row in ITEMS] == list(range(1, 92))
    assert {document: len(rows(f"{document}: ")) for document in DOCUMENTS} == DOCUMENTS
    kinds = {"formula", "figure", "exercise", "claim", "code", "table"}
    assert all(len(row) == 6 and all(row) and row[1] in kinds for row in ITEMS)


@pytest.fixture(scope="module")
def places() -> tuple[Any, ...]:
    X, y = [[1.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1]
    # Only a model of rows with missing values has a record of how EM proceeded.
    incomplete = GaussianClassifier().fit([*X, [None]], [*y, 1])
    return GaussianClassifier(shared=True).fit(X, y), incomplete, gaussbayes


@pytest.mark.parametrize("row", ITEMS, ids=[row[0] for row in ITEMS])
def test_an_item_names_lessons_names_and_tests_that_exist(
    row: list[str], places: tuple[Any, ...]
) -> None:
    shown_by, done_by, checked_by = row[3:]
    pages = linked(shown_by)
    assert pages
    assert {Path(each).stem for each in pages} <= set(lessons.names())
    assert coded(done_by)
    for name in coded(done_by):
        owner, _, member = name.rpartition(".")
        owners = {"plots": (plots,), "Gaussian": (Gaussian,), "": places}[owner]
        assert any(hasattr(each, member) for each in owners), name
    assert linked(checked_by)
    for link in linked(checked_by):
        test = (DOCS / link).resolve()
        assert test.is_relative_to(ROOT / "tests")
        assert re.search(r"^def test_", test.read_text(encoding="utf-8"), flags=re.MULTILINE), link


def test_every_lesson_shows_something() -> None:
    shown = {Path(link).stem for row in ITEMS for link in linked(row[3])}
    assert shown == set(lessons.names())


def test_every_erratum_of_the_lessons_is_listed_and_on_its_page() -> None:
    assert all(len(row) == 4 and all(row) for row in ERRORS)
    named = [name for row in ERRORS for name in coded(row[3])]
    for lesson in lessons.all_lessons():
        assert named.count(lesson.name) == len(lesson.errata), lesson.name
        if lesson.errata:
            assert "{admonition} Errat" in page(lesson.name), lesson.name
