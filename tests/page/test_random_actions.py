"""Random actions: whatever a reader does, the page computes on and shows numbers."""

import random
import re
from collections import Counter

from playwright.sync_api import Browser

from tests.page.driving import CONTROLS, HANDLES, NARROW, WIDE, Lab, encoded, opened
from tests.page.test_addresses import GOOD as ADDRESSES
from tests.page.test_addresses import HOSTILE
from tests.page.test_bad_files import BAD, GOOD

N_ACTIONS, SEED = 150, 1
TOGETHER = 10
"""Actions between two looks at what the page shows."""

KEYS = (
    *("ArrowLeft", "ArrowRight", "ArrowUp", "Shift+ArrowDown", "Tab", "Shift+Tab", "Enter"),
    *("Space", "Escape", "PageDown", "PageUp", "Delete", "Home", "End", "1", "2", "e", "v", "f"),
    *("Control+z", "Control+y", "?"),
)

_PLACES = """(selector) => [...document.querySelectorAll(selector)].flatMap((element, i) => {
    const box = element.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    const inside = x > 0 && y > 0 && x < innerWidth && y < innerHeight;
    if (!inside || element.disabled || !element.checkVisibility()) return [];
    return [[i, element.localName, element.type ?? "", x, y]];
})"""

_SET = """([selector, i, share]) => {
    const element = document.querySelectorAll(selector)[i];
    if (element.localName === "select") {
        const options = [...element.options].filter(({ disabled }) => !disabled);
        element.value = options[Math.floor(share * options.length)].value;
    } else {
        const [low, high] = [Number(element.min), Number(element.max)];
        element.value = String(low + share * (high - low));
        element.dispatchEvent(new Event("input", { bubbles: true }));
    }
    element.dispatchEvent(new Event("change", { bubbles: true }));
}"""

_INDEFINITE = """() => (gaussbayes.app.figure.scene.model?.covariances ?? []).filter((given) => {
    // Elimination in units of the standard deviations: all pivots must be positive.
    const unit = given.map((row, i) => Math.sqrt(row[i]));
    const rest = given.map((row, i) => row.map((value, j) => value / unit[i] / unit[j]));
    return !rest.every((pivot, i) => {
        for (let j = i + 1; j < rest.length; j++) {
            const factor = rest[j][i] / pivot[i];
            rest[j] = rest[j].map((value, l) => value - factor * pivot[l]);
        }
        return pivot[i] > 0 && pivot[i] < Infinity;
    });
})"""

_POSTERIOR = """() => {
    const { model, row } = gaussbayes.app.figure.scene;
    if (!model?.factors || !row) return 1;
    return model.posterior(row).reduce((sum, value) => sum + value, 0);
}"""


class Reader:
    """Somebody who does anything, the same for the same seed."""

    def __init__(self, lab: Lab, seed: int) -> None:
        self.lab, self.choose = lab, random.Random(seed)
        self.done: list[str] = []

    def act(self) -> None:
        """Do one thing."""
        actions = {
            self.control: 6,
            self.drag: 4,
            self.press_key: 3,
            self.click_in_plot: 3,
            self.brush: 1,
            self.wheel: 1,
            self.drop: 1,
            self.address: 1,
            self.history: 2,
            self.resize: 0.3,
        }
        action = self.choose.choices(list(actions), list(actions.values()))[0]
        self.done.append(action.__name__)
        action()

    def _one_of(self, selector: str) -> list[object] | None:
        found = self.lab.page.evaluate(_PLACES, selector)
        return self.choose.choice(found) if found else None

    def control(self) -> None:
        selector = "dialog button" if self.lab.page.locator("dialog").count() else CONTROLS
        found = self._one_of(selector)
        if found is None:
            return
        i, kind, form, x, y = found
        self.done[-1] = f"control {kind} {form} {i}"
        if kind == "select" or form == "range":
            self.lab.page.evaluate(_SET, [selector, i, self.choose.random() * 0.999])
        elif form != "file":
            self.lab.page.mouse.click(x, y)

    def drag(self) -> None:
        found = self._one_of(HANDLES)
        if found is None:
            return
        *_, x, y = found
        mouse = self.lab.page.mouse
        mouse.move(x, y)
        mouse.down()
        for _ in range(self.choose.randint(1, 4)):
            mouse.move(x + self.choose.gauss(0, 150), y + self.choose.gauss(0, 100))
        mouse.up()

    def press_key(self) -> None:
        key = self.choose.choice(KEYS)
        self.done[-1] = f"key {key}"
        self.lab.page.keyboard.press(key)

    def _in_plot(self) -> tuple[float, float] | None:
        box = self.lab.page.locator(".gb-stage").bounding_box()
        if box is None:
            return None
        share = self.choose.random
        return box["x"] + share() * box["width"], box["y"] + share() * box["height"]

    def click_in_plot(self) -> None:
        if place := self._in_plot():
            self.lab.page.mouse.click(*place, click_count=self.choose.choice((1, 1, 1, 2)))

    def brush(self) -> None:
        self.lab.page.keyboard.press(self.choose.choice(("1", "2", "3", "e")))
        start, end = self._in_plot(), self._in_plot()
        if start and end:
            self.lab.page.mouse.move(*start)
            self.lab.page.mouse.down()
            self.lab.page.mouse.move(*end, steps=5)
            self.lab.page.mouse.up()
        self.lab.page.keyboard.press("Escape")

    def wheel(self) -> None:
        if place := self._in_plot():
            self.lab.page.mouse.move(*place)
            for _ in range(self.choose.randint(1, 12)):
                self.lab.page.mouse.wheel(0, self.choose.choice((-400, 100, 400)))

    def drop(self) -> None:
        if self.choose.random() < 0.5:
            name, content, *_ = BAD[self.choose.choice([*BAD])]
        else:
            name = self.choose.choice([*GOOD])
            content = GOOD[name][0]
        self.done[-1] = f"drop {name}"
        self.lab.drop(f"{name}.csv", content)

    def address(self) -> None:
        places = [encoded(*each) if each[1] else each[0] for each in ADDRESSES.values()]
        after = self.choose.choice([*places, *HOSTILE.values()])
        self.done[-1] = f"address {after[:40]}"
        self.lab.page.evaluate("(after) => { location.hash = after; }", after)

    def history(self) -> None:
        # Only within the page: before its first state there is an empty tab.
        by = self.choose.choice((-1, -1, 1))
        if by > 0 or self.lab.get("app.index") > 0:
            self.lab.page.evaluate("(by) => { history.go(by); }", by)

    def resize(self) -> None:
        narrow = self.choose.random() < 0.4
        self.lab.page.set_viewport_size(NARROW if narrow else WIDE)

    def look(self) -> None:
        """The page must show numbers, and its covariances must be positive definite."""
        lab = self.lab
        lab.settle()
        assert lab.complaints == [], (lab.complaints, self.done[-20:])
        text = lab.page.locator("#lab").inner_text()
        assert not re.search(r"NaN|Infinity|undefined|\[object", text), (text, self.done[-20:])
        assert lab.page.evaluate(_INDEFINITE) == [], self.done[-20:]
        assert abs(lab.page.evaluate(_POSTERIOR) - 1) < 1e-9, self.done[-20:]


def try_actions(browser: Browser, address: str, n_actions: int, seed: int) -> Counter[str]:
    """Do so many things; returns how often each kind of them was done."""
    with opened(browser, address, accept_downloads=True) as lab:
        reader = Reader(lab, seed)
        for i in range(n_actions):
            reader.act()
            if i % TOGETHER == TOGETHER - 1:
                reader.look()
        reader.look()
    return Counter(each.split(" ")[0] for each in reader.done)


def test_random_actions(browser: Browser, address: str) -> None:
    try_actions(browser, address, N_ACTIONS, SEED)
