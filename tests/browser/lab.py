"""A page of the lab in the browser, and what a user does there."""

import base64
import json
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Browser, Locator, Page, ViewportSize

State = dict[str, Any]

VIEWPORT: ViewportSize = {"width": 900, "height": 560}
"""As small as a page with its panel beside the plot can be: painting takes most of the time."""

PATIENCE = 120_000
"""Milliseconds that a condition is waited for; a busy machine may need some of them."""

_SETTLED = """window.lab && lab.data && !lab.loading && !lab.dragging &&
lab.connection.underWay.size === 0 && (lab.answers.scene || lab.answers.line)"""

_WAIT = f"""const wait = async (holds) => {{
    const begun = performance.now();
    while (!holds()) {{
        const waited = performance.now() - begun;
        if (waited > {PATIENCE}) return false;
        await new Promise((go) => setTimeout(go, Math.max(8, waited / 20)));
    }}
    return true;
}};"""
"""The page allows no ``eval``, so that what is waited for comes with the loop that waits."""

_SETTLE = f"""const settle = async () => {{
    const held = await wait(() => {_SETTLED});
    await new Promise((go) => requestAnimationFrame(go));
    return held;
}};"""

_GO = f"""async (hash) => {{
    {_WAIT} {_SETTLE}
    lab.openPanel("data");
    document.getElementById("side").dataset.open = String(innerWidth > 820);
    if (location.hash.slice(1) !== hash) {{
        const heard = new Promise((go) => addEventListener("hashchange", go, {{ once: true }}));
        location.hash = hash;
        await heard;
    }}
    const held = await settle();
    lab.history = new lab.history.constructor(lab.state);
    lab.setTool("select", 0);
    document.activeElement.blur();
    scrollTo(0, 0);
    return held;
}}"""

_PICTURE = """(id) => {
    const canvas = document.getElementById(id);
    const { width, height } = canvas;
    const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
    let [one, other] = [0x811c9dc5, width];
    for (const pixel of new Uint32Array(data.buffer)) {
        one = Math.imul(one ^ pixel, 0x01000193);
        other = (Math.imul(other, 31) + pixel) | 0;
    }
    return `${width} × ${height}: ${one} ${other}`;
}"""

_TYPES = {
    "Float64Array": "f8",
    "Float32Array": "f4",
    "Uint8Array": "u1",
    "Uint16Array": "u2",
    "Int32Array": "i4",
}


def hash_of(state: State) -> str:
    """The part of an address after ``#`` that stands for a state, as the page writes it."""
    text = json.dumps(state, ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


class Lab:
    """One page. What its console complains of, and where it asked, is written down."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.complaints: list[str] = []
        self.hosts: set[str | None] = set()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda said: said.type == "error" and self.complaints.append(said.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self._asked(request.url))
        page.on("websocket", lambda socket: self._asked(socket.url))

    def _asked(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"blob", "data"}:  # they are in the page itself
            self.hosts.add(parts.hostname)

    def open(
        self, state: State | None = None, *, after: str | None = None, fresh: bool = False
    ) -> "Lab":
        """Go to the page in a state, or to what stands `after` the ``#``.

        A page that is there already only goes to another state and forgets its history, unless it
        is to be `fresh`.
        """
        after = hash_of(state or {}) if after is None else after
        if self.page.url.startswith(self.address) and not fresh:
            self._must_hold(_SETTLED, self.page.evaluate(_GO, after))
            return self
        self.load(after)
        self.settle()
        return self

    def load(self, after: str) -> None:
        """Load the page with what stands `after` the ``#``, without waiting for its pictures."""
        if self.page.url.startswith(self.address):  # the same process goes on, which is quicker
            self.page.evaluate("(after) => history.replaceState(null, '', `#${after}`)", after)
            self.page.reload()
        else:
            self.page.goto(f"{self.address}#{after}")

    def _must_hold(self, condition: str, held: bool) -> None:
        assert held, (condition, self.page.locator("#problem").text_content())

    def until(self, condition: str) -> None:
        """Wait for a condition in JavaScript."""
        script = f"() => {{ {_WAIT} return wait(() => {condition}); }}"
        self._must_hold(condition, self.page.evaluate(script))

    def settle(self) -> None:
        """Wait until everything that was asked for is there and painted."""
        self._must_hold(
            _SETTLED, self.page.evaluate(f"() => {{ {_WAIT} {_SETTLE} return settle(); }}")
        )

    def get(self, expression: str) -> Any:
        """A value of the page."""
        return self.page.evaluate(f"() => {expression}")

    def fit_plainly(self) -> None:
        """Fit the plain Gaussians: models of files are chosen automatically otherwise."""
        self.page.evaluate("() => lab.change({ model: { from: 'data' } }, { record: false })")
        self.settle()

    def by_hand(self) -> None:
        """Make the fitted Gaussians a model by hand, as a drag does that ends where it began."""
        self.page.evaluate("() => lab.change({ model: lab.gaussians })")
        self.settle()

    @property
    def state(self) -> State:
        """The state that the page is in."""
        found: State = self.get("lab.state")
        return found

    def head(self, kind: str) -> dict[str, Any]:
        """The head of the latest answer of a kind."""
        found: dict[str, Any] = self.get(f"lab.answers.{kind}.head")
        return found

    def array(self, kind: str, name: str) -> NDArray[Any]:
        """An array of the latest answer of a kind."""
        own = f"lab.answers.{kind}.arrays.{name}"
        which, shape, text = self.page.evaluate(
            f"""() => {{
                const {{ data, shape }} = {own};
                const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
                let text = "";
                for (const byte of bytes) text += String.fromCharCode(byte);
                return [data.constructor.name, shape, btoa(text)];
            }}"""
        )
        return np.frombuffer(base64.b64decode(text), f"<{_TYPES[which]}").reshape(shape)

    def picture(self, name: str = "regions") -> str:
        """What a canvas of the plot shows, as a short text to compare: a hash of its pixels."""
        shown: str = self.page.evaluate(_PICTURE, f"canvas-{name}")
        return shown

    def pixel(self, x: float, y: float) -> tuple[float, float]:
        """Where a place of the plane is on the screen."""
        left, top = self.page.evaluate(
            """(at) => {
                const box = document.getElementById("inner").getBoundingClientRect();
                const [left, top] = lab.view().toPixel(...at);
                return [box.left + left, box.top + top];
            }""",
            [x, y],
        )
        return left, top

    def corner(self) -> tuple[float, float]:
        """Where the plot begins on the screen."""
        box = self.find("inner").bounding_box()
        assert box is not None
        return box["x"], box["y"]

    def units(self) -> tuple[float, float]:
        """What a pixel to the right and a pixel upwards are in the data's units."""
        x, y, width, height = self.get(
            "(({x, y, width, height}) => [x, y, width, height])(lab.view())"
        )
        return (x[1] - x[0]) / width, (y[1] - y[0]) / height

    def panel(self, name: str) -> Locator:
        """Open a panel."""
        self.page.locator(f"#tab-{name}").click()
        return self.page.locator(f"#panel-{name}")

    def await_answer(self, kind: str) -> None:
        """Wait for an answer of the present data and fitted model: there may be an older one."""
        self.until(
            f"""lab.answers.{kind}?.request.data === lab.data.id &&
            Object.entries(lab.answers.{kind}.request.model).every(
                ([name, value]) => !["from", "covariance", "shared", "divisor"].includes(name)
                    || value === lab.state.model[name])"""
        )
        self.settle()

    def find(self, name: str) -> Locator:
        """The control of an id."""
        return self.page.locator(f"#{name}")

    def press(self, name: str) -> None:
        """Click on a control and wait for what follows from it."""
        self.find(name).click()
        self.settle()

    def choose(self, name: str, value: str) -> None:
        """Choose one of several options side by side."""
        self.page.locator(f"label:has(#{name}-is-{value})").click()
        self.settle()

    def slide(self, name: str, value: float) -> None:
        """Move a slider to a value, as the page hears of it."""
        self.find(name).fill(str(value))
        self.settle()

    def middle(self, name: str) -> tuple[float, float]:
        """The middle of an element on the screen."""
        left, top = self.page.evaluate(
            """(name) => {
                const box = document.getElementById(name).getBoundingClientRect();
                return [box.left + box.width / 2, box.top + box.height / 2];
            }""",
            name,
        )
        return left, top

    def drag(self, start: tuple[float, float], by: tuple[float, float], steps: int = 8) -> None:
        """Press at a pixel, move by some, and let go."""
        self.hold(start, by, steps)
        self.page.mouse.up()
        self.settle()

    def hold(self, start: tuple[float, float], by: tuple[float, float], steps: int = 8) -> None:
        """Press at a pixel and move by some, without letting go."""
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        for step in range(1, steps + 1):
            mouse.move(start[0] + by[0] * step / steps, start[1] + by[1] * step / steps)


def new_lab(browser: Browser, address: str, **options: Any) -> Lab:
    """A page in a profile of its own; options are those of Playwright's ``new_context``."""
    own = {"viewport": VIEWPORT, "reduced_motion": "reduce", "accept_downloads": True, **options}
    return Lab(browser.new_context(**own).new_page(), address)


def must_be_content(lab: Lab) -> None:
    """Whatever a test does, its page may ask no other machine, and must not complain."""
    complaints = lab.complaints[:]
    lab.complaints.clear()
    assert lab.hosts <= {"127.0.0.1"}
    assert complaints == []
