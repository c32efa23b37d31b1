"""The page checks what readers type or choose, by keyboard alone, and answers in words."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS / "_extensions"))

from answers import form  # noqa: E402 - an extension of the site

PAGE = f"""<div class="exercise"><template class="exercise-hint">Count <b>all</b>.</template>
<template class="exercise-why">Three of eight.</template>{form("share", {"answer": "0.375"})}</div>
<div class="exercise">{form("percent", {"answer": "8.33 %"})}</div>
<div class="exercise"><label><input type="radio" form="form-which" name="c" value="a">a</label>
<label><input type="radio" form="form-which" name="c" value="b">b</label>
{form("which", {"choice": "b"})}</div>"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    page = context.new_page()
    page.set_content(PAGE)
    page.add_script_tag(path=DOCS / "_static" / "exercise.js")
    yield page
    context.close()


def says(page: Page, name: str, text: str) -> None:
    expect(page.locator(f"#form-{name} [role=status]")).to_have_text(text)


@pytest.mark.parametrize(
    "typed", ["0.375", "3/8", "0,375", "37.5 %", ".3752", "3.75e-1", " 0.375 "]
)
def test_a_number_may_be_written_in_many_ways(page: Page, typed: str) -> None:
    page.fill("#answer-share", typed)
    page.press("#answer-share", "Enter")
    says(page, "share", "✓ Right. Three of eight.")


@pytest.mark.parametrize("typed", ["0.376", "-0.375", "3", "5/8"])
def test_a_wrong_number_gets_the_hint(page: Page, typed: str) -> None:
    page.fill("#answer-share", typed)
    page.press("#answer-share", "Enter")
    says(page, "share", "Not yet. Count all.")
    page.type("#answer-share", "1")
    says(page, "share", "")  # as soon as another answer is begun


@pytest.mark.parametrize("typed", ["", "three", "1/0", "1e999", "1.2.3"])
def test_what_is_not_a_number_is_not_wrong(page: Page, typed: str) -> None:
    page.fill("#answer-share", typed)
    page.press("#answer-share", "Enter")
    says(page, "share", "Type a number, such as 0.25, 1/4 or 25 %.")


@pytest.mark.parametrize("typed", ["8.33", "8.33 %", "0.0833", "1/12", "8,33%"])
def test_a_percentage_may_do_without_its_sign(page: Page, typed: str) -> None:
    page.fill("#answer-percent", typed)
    page.press("#answer-percent", "Enter")
    says(page, "percent", "✓ Right.")


def test_a_choice_by_keyboard(page: Page) -> None:
    page.focus("input[value=a]")
    page.press("#form-which button", "Enter")
    says(page, "which", "Choose one.")
    page.press("input[value=a]", "Space")
    page.press("#form-which button", "Enter")
    says(page, "which", "Not yet.")
    page.press("input[value=a]", "ArrowDown")
    says(page, "which", "")
    page.press("#form-which button", "Enter")
    says(page, "which", "✓ Right.")
