"""The page in the browser, and what its reader does there."""

import base64
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, Page, ViewportSize

WIDE: ViewportSize = {"width": 1440, "height": 900}
NARROW: ViewportSize = {"width": 390, "height": 844}

PATIENCE = 20_000
"""Milliseconds that a condition is waited for; a busy machine may need some of them."""

FIGURE = "gaussbayes.app.figure"

_SETTLED = f"""globalThis.gaussbayes?.app && {FIGURE}.settled && !{FIGURE}.frame && !{FIGURE}.tween
&& !document.querySelector(".gb-old") && !document.querySelector("#lab-message").textContent
    .startsWith("Reading ")"""

# The page's policy allows no `eval`, which Playwright's own waiting needs.
_WAIT = f"""const wait = async (holds) => {{
    const begun = performance.now();
    while (!holds()) {{
        if (performance.now() - begun > {PATIENCE}) return false;
        await new Promise((go) => requestAnimationFrame(go));
    }}
    await new Promise((go) => requestAnimationFrame(go));
    return true;
}};"""

_DROP = """([name, pieces, repeats]) => {
    const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    // Many references to one blob: a large file that takes no memory.
    const part = new Blob(pieces.map(bytes));
    const file = new File(new Array(repeats).fill(part), name);
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(file);
    const how = { dataTransfer, bubbles: true, cancelable: true };
    const stage = document.querySelector("#lab-figure");
    for (const kind of ["dragover", "drop"]) stage.dispatchEvent(new DragEvent(kind, how));
}"""

_CONTROLS = """([selector]) => [...document.querySelectorAll(selector)].filter((element) => {
    const { left, right, top, bottom, width, height } = element.getBoundingClientRect();
    if (!width || !height || element.disabled || !element.checkVisibility()) return false;
    if (right <= 0 || bottom <= 0 || left >= innerWidth || top >= innerHeight) return false;
    // A panel that scrolls shows only a part of what it holds.
    const scrolled = element.closest(".lab-panel")?.getBoundingClientRect();
    return !scrolled || (top < scrolled.bottom && bottom > scrolled.top);
}).map((element) => element.getAttribute("aria-label") || element.textContent || element.type)"""

CONTROLS = "button, input, select, textarea, a[href], summary"
HANDLES = "[role=slider]"


class Lab:
    """A page, what it complained of, and which addresses it asked."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address = page, address
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.set_default_timeout(PATIENCE)
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self._asked(request.url))
        page.on("websocket", lambda socket: self._asked(socket.url))

    def _heard(self, message: Any) -> None:
        if message.type == "error":
            self.complaints.append(message.text)

    def _asked(self, url: str) -> None:
        if not url.startswith((self.address, "data:", "blob:", "about:")):
            self.requests.append(url)

    def open(self, after: str = "") -> "Lab":
        """Load the page with what stands `after` the ``#``."""
        self.page.goto("about:blank")  # otherwise only the part after # would change
        self.page.goto(f"{self.address}#{after}" if after else self.address)
        self.settle()
        return self

    def get(self, expression: str, argument: Any = None) -> Any:
        """A value of the page; `it` is the argument, `app` the application, `figure` its figure."""
        return self.page.evaluate(
            f"(it) => {{ const {{ app }} = gaussbayes, {{ figure }} = app; return {expression}; }}",
            argument,
        )

    def until(self, condition: str) -> None:
        """Wait for a condition in JavaScript."""
        held = self.page.evaluate(f"() => {{ {_WAIT} return wait(() => {condition}); }}")
        assert held, (condition, self.message, self.complaints)

    def settle(self) -> None:
        """Wait until everything is computed and painted."""
        self.until(_SETTLED)

    @property
    def state(self) -> dict[str, Any]:
        """The members of the figure's spec that an address may hold."""
        found: dict[str, Any] = self.get("app.records[app.index].spec")
        return found

    @property
    def message(self) -> str:
        """The sentence above the figure; empty if there is none."""
        shown = self.page.locator("#lab-message")
        return (shown.text_content() or "") if shown.is_visible() else ""

    def find(self, name: str, role: Any = "button") -> Locator:
        """A control by what it is called."""
        return self.page.get_by_role(role, name=name, exact=True)

    def tab(self, mode: str) -> None:
        """Go to one of the three parts of the page: play, learn or data."""
        self.page.locator(f"#lab-tabs [data-mode={mode}]").click()
        self.settle()

    def press(self, name: str) -> None:
        """Click on a button and wait for what follows."""
        self.find(name).click()
        self.settle()

    def choose(self, name: str, option: str) -> None:
        """Choose an option of a list."""
        self.find(name, "combobox").select_option(label=option)
        self.settle()

    def slide(self, name: str, value: float) -> None:
        """Move a slider to a value; some sliders are folded."""
        slider = self.page.get_by_role("slider", name=name)
        if not slider.is_visible():
            self.page.locator("summary", has_text="More settings").click()
        slider.fill(str(value))
        self.settle()

    def export(self, item: str) -> None:
        """Choose an item of the menu of exports."""
        self.page.locator("summary", has_text="Export").click()
        self.find(item).click()

    def download(self, item: str) -> str:
        """The text of a file that is exported."""
        with self.page.expect_download() as coming:
            self.export(item)
        return Path(coming.value.path()).read_text(encoding="utf-8")

    def python_code(self) -> str:
        """The exported Python code."""
        self.export("Python code")
        shown = self.page.locator("#lab-code")
        code = shown.text_content() or ""
        self.page.keyboard.press("Escape")
        shown.wait_for(state="detached")
        return code

    def drop(self, name: str, content: str | bytes, repeats: int = 1) -> None:
        """Drop a file on the figure, its content repeated some times, and wait for what it does."""
        body = content.encode() if isinstance(content, str) else content
        pieces = [base64.b64encode(body[i : i + 300_000]).decode() for i in _steps(body, 300_000)]
        self.page.evaluate(_DROP, [name, pieces, repeats])
        self.settle()

    def middle(self, handle: str) -> tuple[float, float]:
        """Where a handle is on the screen."""
        left, top = self.page.evaluate(
            """(name) => {
                const shown = document.querySelector(`[data-handle="${name}"] .gb-reach`);
                const box = shown.getBoundingClientRect();
                return [box.left + box.width / 2, box.top + box.height / 2];
            }""",
            handle,
        )
        return left, top

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Where a place of the plane is on the screen."""
        left, top = self.get(
            """(() => {
                const inner = figure.stage.querySelector(".gb-inner");
                const { left, top } = inner.getBoundingClientRect();
                const { frame } = figure.view;
                return [left + frame.left(it[0]), top + frame.top(it[1])];
            })()""",
            [x, y],
        )
        return left, top

    def drag(self, start: tuple[float, float], by: tuple[float, float], steps: int = 4) -> None:
        """Press at a pixel, move by some and release."""
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        for step in range(1, steps + 1):
            mouse.move(start[0] + by[0] * step / steps, start[1] + by[1] * step / steps)
        mouse.up()
        self.settle()

    def controls(self, selector: str = CONTROLS) -> list[str]:
        """What the enabled controls in view are called."""
        found: list[str] = self.page.evaluate(_CONTROLS, [selector])
        return found

    def picture(self) -> str:
        """The pixels of the plot, as a text to compare."""
        shown: str = self.get("figure.stage.querySelector('canvas').toDataURL()")
        return shown

    def card(self) -> dict[str, dict[str, str]]:
        """The terms of Bayes' rule for each class, as they are printed."""
        rows: dict[str, dict[str, str]] = self.page.evaluate(
            """() => Object.fromEntries([...document.querySelectorAll(".gb-card tbody tr")].map(
                (row) => [row.querySelector("th").textContent, Object.fromEntries(
                    [...row.querySelectorAll("td")].map((cell) =>
                        [cell.className.replace("gb-", ""), cell.textContent]))]))"""
        )
        return rows

    def table(self, caption: str) -> list[list[str]]:
        """The cells of a table among the numbers of the panel."""
        rows: list[list[str]] = self.page.evaluate(
            """(caption) => [...document.querySelectorAll("table")]
                .filter((table) => table.caption?.textContent === caption)
                .flatMap(({ rows }) => [...rows])
                .map((row) => [...row.cells].map((cell) => cell.textContent))""",
            caption,
        )
        return rows


def _steps(body: bytes, size: int) -> range:
    return range(0, max(len(body), 1), size)


@contextmanager
def opened(browser: Browser, address: str, after: str = "", **options: Any) -> Iterator[Lab]:
    """A page in a profile of its own, offline; `options` are those of ``Browser.new_context``.

    At the end it must not have complained or asked any address.
    """
    settings = {"viewport": WIDE, "reduced_motion": "reduce", "offline": True, **options}
    context = browser.new_context(**settings)
    lab = Lab(context.new_page(), address)
    lab.page.route(re.compile("^(?!file:|data:|blob:|about:)"), lambda route: route.abort())
    try:
        yield lab.open(after)
        assert lab.complaints == []
        assert lab.requests == []
        assert lab.get("window.hacked === undefined")
    finally:
        context.close()


def encoded(place: str, spec: Any) -> str:
    """What stands after ``#`` in an address with this place and these members of a spec."""
    text = spec if isinstance(spec, str) else json.dumps(spec, ensure_ascii=False)
    return f"{place}:{base64.urlsafe_b64encode(text.encode()).decode().rstrip('=')}"


_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--")


def number(text: str) -> Decimal:
    """The number that a text of the page prints.

    Examples
    --------
    >>> number("1.50·10⁻⁷"), number("−0.25")
    (Decimal('1.50E-7'), Decimal('-0.25'))
    """
    return Decimal(text.translate(_SUPERSCRIPTS).replace("·10", "e").replace("\u202f", ""))


def is_rounded(text: str, value: float) -> bool:
    """Whether a text prints a value, rounded to its last digit.

    Examples
    --------
    >>> is_rounded("0.333", 1 / 3), is_rounded("0.334", 1 / 3)
    (True, False)
    """
    percent = text.endswith("%")
    shown = number(text.removesuffix("%").strip())
    unit = Decimal(1).scaleb(int(shown.as_tuple().exponent))
    exact = Decimal(value) * (100 if percent else 1)
    return abs(exact - shown) <= unit * Decimal("0.5000001")


def multiplies_out(terms: dict[str, str]) -> bool:
    """Whether prior × likelihood ÷ evidence, as printed, is the posterior as printed.

    Examples
    --------
    >>> multiplies_out(
    ...     {"prior": "0.5", "likelihood": "0.3", "evidence": "0.2", "posterior": "0.750"}
    ... )
    True
    """
    prior, likelihood, evidence, posterior = (
        number(terms[name]) for name in ("prior", "likelihood", "evidence", "posterior")
    )
    unit = Decimal(1).scaleb(int(posterior.as_tuple().exponent))
    return (prior * likelihood / evidence).quantize(unit, ROUND_HALF_UP) == posterior
