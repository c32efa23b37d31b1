"""How quick the lab is in a browser: ``python -m benchmarks.lab`` in the project's folder.

The server is the command, the browser Chromium without a window, and the pointer's events are real
ones. ``--rounds N`` repeats of each (default 5), ``--seconds N`` of a drag (default 3).
"""

import argparse
import math
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from socket import create_connection
from urllib.parse import urlsplit
from urllib.request import urlopen

import numpy as np
from playwright.sync_api import Browser, sync_playwright

from tests.browser import chromium
from tests.browser.lab import Lab
from tests.browser.serving import serving

THREE = {"data": {"preset": "three", "seed": 0, "n": 300}}
MANY = {"data": {"preset": "three", "seed": 0, "n": 100_000}}
SCALE = 1e6
"""How much wider one feature is than the other in the tables of unequal units."""
STEP = 3.0
"""Pixels between two events of the pointer, which come as quickly as the browser takes them."""
AT_ONCE = 10
"""Events that are sent without coming back here."""
SHARE = 0.95
N_ROWS, N_FEATURES = 100_000, 10
HALF_OPEN, DESCRIPTORS = 2_000, 1_024

_FIRST_SCENE = """() => {
    const look = () => {
        if (window.lab?.answers.scene) window.firstScene = performance.now();
        else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}"""


_COUNT = """() => {
    labFrames.splice(0);
    if (window.moves === undefined) addEventListener("pointermove", () => (moves += 1), true);
    window.moves = 0;
}"""


@dataclass(frozen=True, slots=True)
class Drag:
    """The frames that were drawn while something was dragged."""

    milliseconds: list[float]  # from the pointer's event to the painted regions
    seconds: float
    events: int  # of the pointer, which may be fewer than the frames that could be drawn

    @property
    def moves(self) -> float:
        return self.events / self.seconds

    @property
    def median(self) -> float:
        return statistics.median(self.milliseconds)

    @property
    def late(self) -> float:
        """The time that 95 % of the frames keep to."""
        ordered = sorted(self.milliseconds)
        return ordered[math.ceil(SHARE * len(ordered)) - 1]

    @property
    def rate(self) -> float:
        return len(self.milliseconds) / self.seconds


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3.0)
    arguments = parser.parse_args()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=chromium.find(), args=list(chromium.OPTIONS)
        )
        starts = [started(browser) for _ in range(arguments.rounds)]
        pages, scenes = (statistics.median(own) for own in zip(*starts, strict=True))
        print(f"{browser.browser_type.name} {browser.version}, load {os.getloadavg()[0]:.1f}")
        print("| what | measured | goal |\n|---|---|---|")
        print(f"| server's start to the first page | {pages:.0f} ms | 1000 ms |")
        print(f"| server's start to the first regions | {scenes:.0f} ms | |")
        n_open, slowest = half_open()
        print(f"| page with {n_open:,} half-open connections, slowest of 20 | {slowest:.0f} ms | |")
        for what, ready, compared in second_tab(browser):
            print(f"| second tab, {what}, while models are compared | {ready:.1f} s | 2 s |")
            print(
                f"| that comparison, {N_ROWS:,} x {N_FEATURES} | {compared:.1f} s | |", flush=True
            )
        with serving() as address:
            lab = Lab(browser.new_page(viewport={"width": 1280, "height": 800}), address)
            for what, state, kind, least in (
                ("a mean of three classes", THREE, "mean", 30),
                ("a mean, 100,000 points", MANY, "mean", 30),
                ("a mean, scales 1 : 10⁶", unequal(300), "mean", 30),
                ("a mean, scales 1 : 10⁶, 100,000 points", unequal(100_000), "mean", 30),
                ("the window, 100,000 points", MANY, "window", 10),
            ):
                if isinstance(state, bytes):
                    opened(lab, state)
                else:
                    lab.open(state)
                drags = [dragged(lab, kind, arguments.seconds) for _ in range(arguments.rounds)]
                print("\n".join(lines(what, drags, least)), flush=True)
        browser.close()


def started(browser: Browser) -> tuple[float, float]:
    """Milliseconds from the start of the command to the page in sight, and to its regions."""
    page = browser.new_page()
    page.add_init_script(f"({_FIRST_SCENE})()")
    begun = time.time() * 1e3
    with serving() as address:
        lab = Lab(page, address).open()
        lab.until("window.firstScene && performance.getEntriesByType('paint').length")
        origin = lab.get("performance.timeOrigin")
        seen = lab.get("performance.getEntriesByType('paint').at(-1).startTime")
        regions = lab.get("firstScene")
        page.close()
    return origin + seen - begun, origin + regions - begun


def unequal(n: int) -> bytes:
    """A table of three classes whose first feature is `SCALE` times as wide, as CSV."""
    rng = np.random.default_rng(0)
    codes = np.arange(n) % 3
    rows = rng.normal(size=(n, 2)) + 2 * np.stack([codes == 1, codes == 2], axis=1)
    lines = [f"{SCALE * x:.6g},{y:.6g},{code}" for (x, y), code in zip(rows, codes, strict=True)]
    return "\n".join(["wide,narrow,class", *lines]).encode()


def opened(lab: Lab, table: bytes) -> None:
    """Send a table to the page and fit plain Gaussians."""
    lab.open({"model": {"from": "data"}})
    lab.panel("data")
    file = {"name": "unequal.csv", "mimeType": "text/csv", "buffer": table}
    before = lab.get("lab.data.id")
    lab.find("data-file").set_input_files(file)  # type: ignore[arg-type]
    lab.until(f"lab.data.id !== '{before}'")
    lab.fit_plainly()


def half_open() -> tuple[int, float]:
    """Connections that say nothing, and the longest time of the page meanwhile in milliseconds."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    with ExitStack() as stack:
        resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, before[1]))  # the server's
        address = stack.enter_context(serving())
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(4_096, before[0]), before[1]))
        urlopen(address).close()
        host, times = (urlsplit(address).hostname, urlsplit(address).port), []
        for number in range(HALF_OPEN):
            stack.enter_context(create_connection(host, 60))
            if number % (HALF_OPEN // 20) == 0:
                begun = time.perf_counter()
                urlopen(address, timeout=60).close()
                times.append(1e3 * (time.perf_counter() - begun))
    resource.setrlimit(resource.RLIMIT_NOFILE, before)
    return HALF_OPEN, max(times)


def second_tab(browser: Browser) -> Iterator[tuple[str, float, float]]:
    """Of an example and of the same table: seconds to the first regions, and of the comparison."""
    generator = np.random.default_rng(0)
    codes = generator.integers(3, size=N_ROWS)
    rows = generator.normal(size=(N_ROWS, N_FEATURES)) + 1.5 * np.eye(3, N_FEATURES)[codes]
    header = ",".join([*(f"x{j}" for j in range(N_FEATURES)), "kind"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.csv")
        table, formats = np.column_stack([rows, codes]), ["%.6g"] * N_FEATURES + ["%d"]
        np.savetxt(path, table, fmt=formats, delimiter=",", header=header, comments="")
        given = {"data": {"given": True}}
        for what, state in (("an example", THREE), ("the same table", given)):
            with serving(str(path), "-y", "kind") as address:
                context = browser.new_context(viewport={"width": 1280, "height": 800})
                first = Lab(context.new_page(), address).open(given)
                second = Lab(context.new_page(), address)
                begun = time.perf_counter()
                first.panel("multiples")
                second.open(state)
                ready = time.perf_counter() - begun
                first.until("document.querySelectorAll('#multiples-list button').length")
                yield what, ready, time.perf_counter() - begun
                context.close()


def dragged(lab: Lab, kind: str, seconds: float) -> Drag:
    """Drag a mean or the window to and fro for some seconds."""
    if kind == "window":
        lab.press("tool-pan")
    x, y = lab.middle("handle-mean-0" if kind == "mean" else "inner")
    mouse = lab.page.mouse
    mouse.move(x, y)
    mouse.down()
    lab.page.evaluate(_COUNT)
    begun = time.perf_counter()
    for left, top in circle(x, y):
        mouse.move(left, top, steps=AT_ONCE)
        if time.perf_counter() - begun > seconds:
            break
    taken = time.perf_counter() - begun
    found = Drag(lab.get("labFrames.slice()"), taken, lab.get("moves"))
    mouse.up()
    lab.settle()
    lab.press("undo" if kind == "mean" else "fit")  # back to where it began
    return found


def circle(x: float, y: float, radius: float = 90.0) -> Iterator[tuple[float, float]]:
    """Pixels around a circle that begins and ends at a place, again and again."""
    angle = 0.0
    while True:
        angle += AT_ONCE * STEP / radius
        yield x + radius * (math.cos(angle) - 1), y + radius * math.sin(angle)


def lines(what: str, drags: list[Drag], least: float) -> list[str]:
    """The rows of the table about some drags; of each figure the median round."""
    median, late, rate, moves = (
        statistics.median(getattr(drag, name) for drag in drags)
        for name in ("median", "late", "rate", "moves")
    )
    wanted = "60 ms" if least == 30 else ""
    return [
        f"| {what}: event to frame, median | {median:.1f} ms | |",
        f"| {what}: the same, 95th percentile | {late:.1f} ms | {wanted} |",
        f"| {what}: frames a second, of {moves:.0f} events | {rate:.0f} | {least} |",
    ]


if __name__ == "__main__":
    main()
