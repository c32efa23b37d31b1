"""Ten things that a newcomer wants to do, from the page as it opens.

An action is a click, a drag, a file that is dropped, or one change of a field that is in view.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator

from tests.page.driving import Lab, multiplies_out

MOST_ACTIONS = 2


class Newcomer:
    """Somebody who opens the page and acts only on what is in view there."""

    def __init__(self, lab: Lab) -> None:
        self.lab, self.n_actions = lab, 0

    def _act(self, control: Locator) -> Locator:
        self.n_actions += 1
        box, size = control.bounding_box(), self.lab.page.viewport_size
        assert box is not None, f"{control} is not in view"
        assert size is not None
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= size["height"], f"{control} is below the window"
        return control

    def click(self, name: str) -> None:
        """Click on a button."""
        self._act(self.lab.page.get_by_role("button", name=name)).click()
        self.lab.settle()

    def unfold(self, name: str) -> None:
        """Open a menu."""
        self._act(self.lab.page.locator("summary", has_text=name)).click()

    def choose(self, label: str, option: str) -> None:
        """Choose from a list."""
        self._act(self.lab.find(label, "combobox")).select_option(label=option)
        self.lab.settle()

    def slide(self, label: str, value: float) -> None:
        """Move a slider."""
        self._act(self.lab.page.get_by_role("slider", name=label)).fill(str(value))
        self.lab.settle()

    def drag(self, handle: str, by: tuple[float, float]) -> None:
        """Drag a handle."""
        self.n_actions += 1
        self.lab.drag(self.lab.middle(handle), by)

    def click_at(self, x: float, y: float) -> None:
        """Click on a place of the plane."""
        self.n_actions += 1
        self.lab.page.mouse.click(*self.lab.place(x, y))
        self.lab.settle()

    def drop(self, name: str, content: str) -> None:
        """Drop a file."""
        self.n_actions += 1
        self.lab.drop(name, content)


def drag_a_mean(newcomer: Newcomer) -> None:
    lab = newcomer.lab
    before, picture = lab.state["model"]["parameters"]["means"], lab.picture()
    newcomer.drag("mean-0", (60, 40))
    after = lab.state["model"]["parameters"]["means"]
    assert after[0][0] > before[0][0]
    assert after[0][1] < before[0][1]
    assert after[1] == before[1]
    assert lab.picture() != picture


def see_bayes_rule(newcomer: Newcomer) -> None:
    newcomer.click_at(1.0, 2.0)
    card = newcomer.lab.card()
    assert list(card) == ["A", "B"]
    assert all(multiplies_out(terms) for terms in card.values()), card


def open_a_file(newcomer: Newcomer) -> None:
    rows = "".join(f"{i % 7},{i % 5},{'oak' if i % 3 else 'elm'}\n" for i in range(30))
    newcomer.drop("trees.csv", f"height,width,kind\n{rows}")
    assert newcomer.lab.get("figure.scene.classes") == ["elm", "oak"]
    assert newcomer.lab.get("figure.scene.names") == ["height", "width"]


def see_another_model(newcomer: Newcomer) -> None:
    picture = newcomer.lab.picture()
    newcomer.click("Play")
    newcomer.choose("Model", "k nearest neighbours")
    assert newcomer.lab.get("figure.scene.layers.neighbours")
    assert newcomer.lab.picture() != picture


def change_a_prior(newcomer: Newcomer) -> None:
    newcomer.click("Play")
    newcomer.slide("prior of B", 0.9)
    assert newcomer.lab.card()["A"]["prior"] == "0.1"
    assert newcomer.lab.card()["B"]["prior"] == "0.9"


def hide_a_feature(newcomer: Newcomer) -> None:
    newcomer.click("Play")
    newcomer.choose("not measured", "x₂")
    assert newcomer.lab.state["hidden"] == [1]
    assert newcomer.lab.page.locator(".gb-chip:visible").text_content() == "x₂ not measured ×"


def start_a_lesson(newcomer: Newcomer) -> None:
    newcomer.click("Learn")
    newcomer.click("One feature, two species")
    newcomer.lab.page.get_by_text("Step 1 of 5").wait_for()
    assert newcomer.lab.state["data"] == {"example": "petals"}


def undo(newcomer: Newcomer) -> None:
    before = newcomer.lab.state
    newcomer.drag("mean-1", (-30, 10))
    assert newcomer.lab.state != before
    newcomer.click("Undo")
    assert newcomer.lab.state == before


def share_a_link(newcomer: Newcomer) -> None:
    lab = newcomer.lab
    lab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    lab.drag(lab.middle("mean-0"), (50, -20))  # something to be shared
    newcomer.unfold("Export")
    newcomer.click("Copy link")
    link = lab.page.evaluate("navigator.clipboard.readText()")
    other = Lab(lab.page.context.new_page(), lab.address)
    other.page.goto(link)
    other.settle()
    assert other.state == lab.state
    assert other.card() == lab.card()
    assert other.picture() == lab.picture()


def export_the_points(newcomer: Newcomer) -> None:
    newcomer.unfold("Export")
    with newcomer.lab.page.expect_download() as coming:
        newcomer.click("Points as CSV")
    header, *rows = Path(coming.value.path()).read_text(encoding="utf-8").splitlines()
    assert header == "x₁,x₂,class"
    assert len(rows) == 200


TASKS: tuple[Callable[[Newcomer], Any], ...] = (
    drag_a_mean,
    see_bayes_rule,
    open_a_file,
    see_another_model,
    change_a_prior,
    hide_a_feature,
    start_a_lesson,
    undo,
    share_a_link,
    export_the_points,
)


@contextmanager
def counting(lab: Lab) -> Iterator[Newcomer]:
    """A newcomer whose actions are counted: at most two."""
    newcomer = Newcomer(lab)
    yield newcomer
    assert 1 <= newcomer.n_actions <= MOST_ACTIONS
