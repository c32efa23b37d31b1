"""What a newcomer wants to do is at most two actions away from the page as it opens.

An action is a click, a drag, a file that is let go, or one change of a field that can be seen.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.lab import Lab

MOST_ACTIONS = 2


class Newcomer:
    """Somebody who opens the page, and acts only on what can be seen there."""

    def __init__(self, lab: Lab) -> None:
        self.lab, self.n_actions = lab, 0

    def click(self, name: str) -> None:
        """Click on a control that is in sight."""
        self.n_actions += 1
        found = self.lab.find(name)
        expect(found).to_be_visible()
        found.click()
        self.lab.settle()

    def drag(self, name: str, by: tuple[float, float]) -> None:
        self.n_actions += 1
        self.lab.drag(self.lab.middle(name), by)

    def click_in_plane(self, x: float, y: float) -> None:
        self.n_actions += 1
        self.lab.page.mouse.click(*self.lab.pixel(x, y))
        self.lab.settle()

    def slide(self, name: str, value: float) -> None:
        self.n_actions += 1
        expect(self.lab.find(name)).to_be_visible()
        self.lab.slide(name, value)

    def drop(self, name: str, content: str) -> None:
        """Let a file go over the plot."""
        self.n_actions += 1
        self.lab.page.evaluate(
            """([name, content]) => {
                const dataTransfer = new DataTransfer();
                dataTransfer.items.add(new File([content], name));
                const how = { dataTransfer, bubbles: true, cancelable: true };
                for (const kind of ["dragover", "drop"])
                    document.getElementById("stage").dispatchEvent(new DragEvent(kind, how));
            }""",
            [name, content],
        )

    def download(self, name: str) -> Path:
        with self.lab.page.expect_download() as coming:
            self.click(name)
        return Path(coming.value.path())


@pytest.fixture
def newcomer(lab: Lab) -> Iterator[Newcomer]:
    found = Newcomer(lab.open())
    yield found
    assert 1 <= found.n_actions <= MOST_ACTIONS


def drag_a_mean(newcomer: Newcomer) -> None:
    before = newcomer.lab.get("lab.gaussians.means")
    newcomer.drag("handle-mean-0", (40, 25))
    after = newcomer.lab.state["model"]["means"]
    assert after[0] != before[0]
    assert after[1] == pytest.approx(before[1])


def see_bayes_rule(newcomer: Newcomer) -> None:
    newcomer.click_in_plane(0.5, 0.5)
    card = newcomer.lab.find("card")
    for term in ("prior", "likelihood", "posterior"):
        expect(card).to_contain_text(term)


def load_a_file(newcomer: Newcomer) -> None:
    rows = "".join(f"{i % 7},{i % 5},{'oak' if i % 3 else 'elm'}\n" for i in range(30))
    newcomer.drop("trees.csv", f"height,width,kind\n{rows}")
    newcomer.lab.until("lab.data.name.startsWith('trees.csv')")
    newcomer.lab.settle()


def compare_models(newcomer: Newcomer) -> None:
    newcomer.click("tab-multiples")
    newcomer.lab.until("lab.answers.multiples?.request.data === lab.data.id")
    newcomer.lab.settle()
    expect(newcomer.lab.page.locator("#multiples-list button")).to_have_count(7)


def change_a_prior(newcomer: Newcomer) -> None:
    newcomer.click("tab-model")
    newcomer.slide("model-prior-0", 0.9)
    assert newcomer.lab.state["model"]["priors"] == pytest.approx([0.9, 0.1])


def hide_a_feature(newcomer: Newcomer) -> None:
    newcomer.click_in_plane(0.5, 0.5)
    newcomer.click("card-hide-1")
    assert newcomer.lab.state["hide"] == 1


def start_a_lesson(newcomer: Newcomer) -> None:
    newcomer.click("tab-lessons")
    newcomer.click("lessons-start-0")
    newcomer.lab.until("lab.state.lesson !== null")
    newcomer.lab.settle()
    expect(newcomer.lab.find("lessons-text")).to_be_visible()


def undo(newcomer: Newcomer) -> None:
    before = newcomer.lab.state
    newcomer.drag("handle-mean-1", (-30, 10))
    assert newcomer.lab.state["model"] != before["model"]
    newcomer.click("undo")
    assert newcomer.lab.state["model"] == before["model"]


def share(newcomer: Newcomer) -> None:
    page = newcomer.lab.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    newcomer.click("share")
    copied = newcomer.lab.get("navigator.clipboard.readText()")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/#\S*", copied)
    assert newcomer.lab.address.split("/")[-2] not in copied  # the key


def export(newcomer: Newcomer) -> None:
    newcomer.click("tab-take_away")
    assert newcomer.download("take-csv").read_text("utf-8").startswith("x1,x2,")


TASKS: tuple[Callable[[Newcomer], Any], ...] = (
    drag_a_mean,
    see_bayes_rule,
    load_a_file,
    compare_models,
    change_a_prior,
    hide_a_feature,
    start_a_lesson,
    undo,
    share,
    export,
)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.__name__)
def test_at_most_two_actions(task: Callable[[Newcomer], Any], newcomer: Newcomer) -> None:
    task(newcomer)
