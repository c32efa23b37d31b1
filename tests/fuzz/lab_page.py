"""Random actions on the lab's page: no complaint, no hang, and numbers as Python has them.

Run it with: python -m tests.fuzz.lab_page [SEQUENCES [SEED]]

A sequence is a few actions of a hand: drag, zoom, type, undo, switch, upload. None may hang the
page for `LONGEST` seconds: that is a single task that works so long, so that a busy machine is no
hang. And after each sequence the errors under the plot and the numbers of the card are those that
the library, SciPy or scikit-learn calculates from the rows and settings of the page, to the digits
that are shown.
"""

import json
import os
import random
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Browser, sync_playwright
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.neighbors import KNeighborsClassifier

from gaussbayes import GaussBayesError, GaussianClassifier
from tests.browser import chromium
from tests.browser.lab import Lab, new_lab
from tests.browser.serving import complaints, serving

LONGEST = 2.0
"""Seconds of work that an action may take of the page."""
MOST_WORK = 20.0
"""Seconds of work that it may take of a process of the server: comparing models takes some."""
REFUSED = "the server responded with a status of 422 (Unprocessable Entity)"
"""What the browser writes into the console about a file that was refused in words."""
MOST_ACTIONS = 6
MOST_ROWS = 600
"""More are not calculated again."""
FEW = 0.1
"""How often an automatic model is chosen again here, which takes long."""

NO_CODE = 255
NOT_OPTIONS = {"from", "first"}
PANELS = [
    "data",
    "model",
    "layers",
    "point",
    "numbers",
    "multiples",
    "stream",
    "lessons",
    "take_away",
]
KEYS = ["ArrowLeft", "ArrowUp", "Shift+ArrowRight", "Enter", "Delete", "g", "+", "-", "0", "Escape"]
KEYS += ["v", "p", "e", "h", "1", "2", "Tab", "Control+z", "Control+y"]
TYPED = ["0", "1", "-3.5", "1e9", "1e-12", "", "0.25", "40", "abc", "1e400", "-0", "7"]

READ = """() => {
    const text = (node) => node?.textContent ?? null;
    const { data, state, flat } = lab;
    const kind = flat || state.view === "line" ? "line" : "scene";
    const card = document.getElementById("card");
    const rows = card.hidden ? [] : [...card.querySelectorAll(".bayes-class")];
    const few = data.n <= MOST_ROWS;
    const told = lab.answers[kind]?.head;
    return {
        state, flat, kind,
        asked: lab.answers[kind]?.request ?? null,
        head: told && { problem: told.problem, waiting: told.waiting },
        classes: data.classes, pair: data.pair, id: data.id, n: data.n,
        features: data.features, categories: data.categories, columns: data.columns,
        points: few ? [...data.points] : null, codes: [...data.codes], test: [...data.test],
        categoryCodes: few ? [...data.categoryCodes] : null,
        gauges: [...document.querySelectorAll("#errors .gauge")].map((gauge) => [
            text(gauge.querySelector(".term")), text(gauge.querySelector("b"))]),
        at: lab.answers.point?.head.at ?? null,
        card: rows.map((row) => [text(row.querySelector(".class-name > span")),
            ...["prior", "likelihood", "posterior"].map(
                (name) => text(row.querySelector(`td.${name}`)))]),
        evidence: card.hidden ? null : text(card.querySelector(".evidence")),
    };
}""".replace("MOST_ROWS", str(MOST_ROWS))

LONGEST_TASK = """window.longestTask = 0;
new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longestTask = Math.max(longestTask, duration);
}).observe({ type: "longtask" });"""

VISIBLE = """(selector) => [...document.querySelectorAll(selector)].flatMap((one) => {
    const box = one.getBoundingClientRect();
    const { left, right, top, bottom } = box;
    const [across, up] = [left >= 0 && right <= innerWidth, top >= 0 && bottom <= innerHeight];
    const usable = box.width && across && up && !one.disabled;
    return usable ? [[one.id, (left + right) / 2, (top + bottom) / 2]] : [];
})"""

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_NUMBER = re.compile(r"−?(\d+)(?:\.(\d+))?(?:·10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?")


class MismatchError(AssertionError):
    """A number on the page is not the one that Python has."""


def interval(text: str) -> tuple[float, float]:
    """The numbers that a text of the page may stand for, as their decimal logarithms.

    Examples
    --------
    >>> [round(10**end, 4) for end in interval("0.25")]
    [0.245, 0.255]
    >>> [round(10**end, 4) for end in interval("5.5 %")]
    [0.0545, 0.0555]
    """
    percent = 2 if "%" in text else 0
    found = _NUMBER.search(text)
    assert found is not None, text
    whole, decimals, power = found[1], found[2] or "", found[3] or "0"
    exponent = int(power.translate(_SUPERSCRIPTS)) - percent
    value, half = float(f"{whole}.{decimals or 0}"), 0.5000001 * 10.0 ** -len(decimals)
    if not decimals and len(whole) > 3:  # three digits count, the others may be zeros
        half *= 10.0 ** (len(whole) - 3)
    with np.errstate(divide="ignore"):
        low, high = np.log10([max(value - half, 0.0), value + half]) + exponent
    if text.startswith("<"):
        low = -np.inf
    if text.startswith(">"):
        low, high = high - np.log10(1 + 2 * half / max(value, half)) - 1e-3, np.inf
    return float(low), float(high)


def must_show(what: str, text: str | None, low: float, high: float, seen: dict[str, Any]) -> None:
    """A text must stand for a number whose decimal logarithm lies within bounds."""
    if text is None or not _NUMBER.search(text):
        return
    least, most = interval(text)
    if not (least <= high + 1e-9 and most >= low - 1e-9):
        small = {name: seen[name] for name in ("state", "gauges", "card", "at")}
        msg = f"{what}: the page shows {text}, Python has 10^{low}"
        raise MismatchError(msg, json.dumps(small)[:3_000])


class Reference:
    """Posteriors and densities of the page's model, calculated without the page."""

    def __init__(self, seen: dict[str, Any]) -> None:
        self.seen, self.model = seen, seen["asked"]["model"]
        shape = (seen["n"], -1)
        missing = [np.nan if each is None else each for each in seen["points"]]
        self.numbers = np.array(missing, float).reshape(seen["n"], seen["columns"])
        codes = np.array(seen["categoryCodes"], int).reshape(shape) if seen["categories"] else None
        values = [each["values"] for each in seen["categories"]]
        self.values = values
        self.strings = np.empty((seen["n"], len(values)), object)
        for j, named in enumerate(values):
            assert codes is not None
            self.strings[:, j] = [None if c == NO_CODE else named[c] for c in codes[:, j]]
        self.codes = np.array(seen["codes"])
        train = np.flatnonzero(np.array(seen["test"]) == 0)
        self.train = train[: self.model.get("first")]
        self.test = np.flatnonzero(np.array(seen["test"]) == 1)
        pair = list(dict.fromkeys(seen["pair"])) if seen["features"] else []
        self.shown = pair[:1] if seen["kind"] == "line" else pair
        hide = seen["state"]["hide"]
        if seen["kind"] == "scene" and hide is not None and len(pair) == 2:
            self.shown = [pair[1 - hide]]
        self.every = pair if self.model["from"] == "hand" else list(range(len(seen["features"])))

    def table(self, numbers: NDArray[Any], strings: NDArray[Any]) -> NDArray[Any]:
        if not strings.shape[1]:
            return numbers
        return np.concatenate([numbers.astype(object), strings], axis=1)

    def fitted(self) -> GaussianClassifier:
        settings = {
            name: value for name, value in self.model.items() if name not in {"from", "first"}
        }
        labels = np.array([None if c == NO_CODE else c for c in self.codes.tolist()], object)
        labels = labels if (self.codes == NO_CODE).any() else self.codes
        X = self.table(self.numbers, self.strings)
        categorical = list(range(self.numbers.shape[1], X.shape[1])) or None
        if self.model["from"] == "auto":
            model = GaussianClassifier.auto(categorical_features=categorical)
            settings = {}
        else:
            model = GaussianClassifier(categorical_features=categorical, **settings)
        model.fit(X[self.train], labels[self.train])
        if self.model["from"] == "auto" and self.model["priors"] is not None:
            model = model.with_priors(self.model["priors"])
        return model

    def log_joint(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of Gaussians by hand at places (n, 2) of the pair, what is missing integrated out."""
        joint = np.empty((len(places), len(self.model["priors"])))
        for c, (prior, mean, covariance) in enumerate(
            zip(*(self.model[name] for name in ("priors", "means", "covariances")), strict=True)
        ):
            for pattern in {tuple(row) for row in ~np.isnan(places)}:
                rows = (~np.isnan(places) == pattern).all(axis=1)
                known = np.flatnonzero(pattern)
                log = np.zeros(rows.sum())
                if known.size:
                    # In standard deviations: SciPy takes unequal units for a singular matrix.
                    part = np.array(covariance)[np.ix_(known, known)]
                    deviation = np.sqrt(np.diag(part))
                    part = part / np.multiply.outer(deviation, deviation)
                    whitened = (places[rows][:, known] - np.array(mean)[known]) / deviation
                    log = multivariate_normal(cov=part).logpdf(whitened) - np.log(deviation).sum()
                with np.errstate(divide="ignore"):
                    joint[rows, c] = np.log(prior) + log
        return joint

    def posteriors(self, columns: list[int], everything: bool) -> tuple[NDArray[Any], NDArray[Any]]:
        """Posteriors of the rows that can be judged (m, k), and their numbers."""
        rows = np.flatnonzero(self.codes != NO_CODE)
        numbers = np.full_like(self.numbers, np.nan)
        numbers[:, columns] = self.numbers[:, columns]
        if self.model["from"] == "hand":
            pair = self.seen["pair"]
            places = (
                numbers[:, pair] if len(set(pair)) == 2 else numbers[:, pair[:1]] * [1.0, np.nan]
            )
            log = self.log_joint(places[rows])
            return np.exp(log - logsumexp(log, axis=1, keepdims=True)), rows
        if self.model["from"] == "neighbours":
            rows = rows[~np.isnan(self.numbers[rows][:, columns]).any(axis=1)]
            train = np.intersect1d(rows, self.train)
            voters = KNeighborsClassifier(self.model["k"])
            voters.fit(self.numbers[train][:, columns], self.codes[train])
            spread = np.zeros((rows.size, len(self.seen["classes"])))
            spread[:, voters.classes_] = voters.predict_proba(self.numbers[rows][:, columns])
            return spread, rows
        strings = self.strings if everything else np.full_like(self.strings, None)
        model = self.fitted()
        if self.model["from"] == "auto" and not everything:
            # What is missing may tell something: here it is not missing, but not looked at.
            part = model.marginal(columns)
            spread = np.zeros((rows.size, len(self.seen["classes"])))
            spread[:, list(map(int, part.classes_))] = part.predict_proba(
                self.numbers[rows][:, columns]
            )
            return spread, rows
        spread = np.zeros((rows.size, len(self.seen["classes"])))
        spread[:, list(map(int, model.classes_))] = model.predict_proba(
            self.table(numbers, strings)[rows]
        )
        return spread, rows

    def errors(
        self, columns: list[int], everything: bool, part: NDArray[Any]
    ) -> tuple[float, float]:
        """The least and the most errors that there may be: of equal posteriors either may win."""
        posterior, rows = self.posteriors(columns, everything)
        among = np.isin(rows, part)
        if not among.any():
            return np.nan, np.nan
        more = len(self.seen["classes"]) - posterior.shape[1]  # classes that a model by hand lacks
        posterior = np.pad(posterior[among], [(0, 0), (0, max(0, more))])
        own = posterior[np.arange(among.sum()), self.codes[rows[among]]]
        rest = posterior.copy()
        rest[np.arange(among.sum()), self.codes[rows[among]]] = -1
        best = rest.max(axis=1)
        return float((best > own + 1e-9).mean()), float((best >= own - 1e-9).mean())


def check_numbers(lab: Lab, generator: random.Random, outcomes: Counter[str]) -> None:
    """The numbers on the page must be Python's."""
    seen = lab.page.evaluate(READ)
    asked, head = seen["asked"], seen["head"]
    if seen["n"] > MOST_ROWS or asked is None or asked["data"] != seen["id"]:
        outcomes["not compared: many rows, or no figure"] += 1
        return
    if (
        head["problem"]
        or head["waiting"]
        or (
            asked.get("known_categories")
            and any(each is not None for each in asked["known_categories"])
        )
    ):
        outcomes["not compared: a problem is told, or a filter"] += 1
        return
    source = asked["model"]["from"]
    if source == "categories" or (source == "auto" and generator.random() > FEW):
        outcomes[f"not compared: {source}"] += 1
        return
    reference = Reference(seen)
    try:
        compare_gauges(seen, reference)
        compare_card(seen, reference)
    except GaussBayesError as error:
        msg = f"Python cannot calculate what the page shows: {error}"
        raise MismatchError(msg, json.dumps(seen["state"])[:3_000]) from error
    outcomes[f"compared: {source}{', with a card' if seen['card'] else ''}"] += 1


def compare_gauges(seen: dict[str, Any], reference: Reference) -> None:
    part, columns, everything = reference.train, reference.shown, False
    for words, text in seen["gauges"]:
        if words.startswith("Bayes"):
            continue
        if words.startswith(("Training", "Test")):
            part = reference.train if words.startswith("Training") else reference.test
            columns, everything = reference.shown, False
        else:
            columns, everything = reference.every, reference.model["from"] != "neighbours"
        low, high = reference.errors(columns, everything, part)
        if np.isnan(low):
            continue
        with np.errstate(divide="ignore"):
            bounds = np.log10([low, high])
        if text == "0 %":
            assert low == 0, (words, text, low, seen["state"])
            continue
        must_show(words, text, bounds[0], bounds[1], seen)


def compare_card(seen: dict[str, Any], reference: Reference) -> None:
    if not seen["card"] or seen["at"] is None or reference.model["from"] == "neighbours":
        return
    at = np.array([np.nan if each is None else each for each in seen["at"]])
    by_hand = reference.model["from"] == "hand"
    classes, logarithms = (terms_by_hand if by_hand else terms_fitted)(seen, reference, at)
    k = len(seen["classes"])
    labels = [str(seen["classes"][c] if c < k else f"class {c + 1}") for c in classes]
    for name, *texts in seen["card"]:
        for what, text in zip(("prior", "likelihood", "posterior"), texts, strict=True):
            if name not in labels or what not in logarithms:
                continue
            log = logarithms[what][labels.index(name)]
            if text in {"0", "0.000"}:
                assert log < np.log(1e-12), (what, name, log, seen["state"])
            elif np.isfinite(log):
                must_show(f"{what} of {name}", text, log / np.log(10), log / np.log(10), seen)


Terms = tuple[list[int], dict[str, NDArray[Any]]]


def terms_by_hand(seen: dict[str, Any], reference: Reference, at: NDArray[Any]) -> Terms:
    """The class codes of Gaussians by hand, and the logarithms of Bayes' rule at a place."""
    place = at * (1.0 if len(set(seen["pair"])) == 2 else [1.0, np.nan])
    joint = reference.log_joint(place[None])[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        prior = np.log(np.array(reference.model["priors"]))
        terms = {"prior": prior, "likelihood": joint - prior, "posterior": joint - logsumexp(joint)}
    return list(range(prior.size)), terms


def terms_fitted(seen: dict[str, Any], reference: Reference, at: NDArray[Any]) -> Terms:
    """The same of a fitted model; of an automatic one, whose densities are not those of x, less."""
    model = reference.fitted()
    numbers = np.full((1, reference.numbers.shape[1]), np.nan)
    pair = seen["pair"] if seen["features"] else ()
    for column, value in [*zip(pair, at, strict=False)][::-1]:  # of one feature twice the first
        if not np.isnan(value):
            numbers[0, column] = value
    strings = np.full((1, len(reference.values)), None, object)
    for j, code in enumerate(seen["state"]["categories"][: len(reference.values)]):
        if code is not None and code < len(reference.values[j]):
            strings[0, j] = reference.values[j][code]
    row = reference.table(numbers, strings)
    terms = {"prior": np.log(np.asarray(model.priors_))}
    if reference.model["from"] == "data":
        terms["posterior"] = model.predict_log_proba(row)[0]
        terms["likelihood"] = model.log_likelihood(row)[0]
    elif not strings.shape[1] and not np.isnan(at).any():
        part = model.marginal(sorted(set(seen["pair"])))
        terms["posterior"] = part.predict_log_proba(numbers[:, sorted(set(seen["pair"]))])[0]
    return list(map(int, model.classes_)), terms


def descendants(pid: int) -> list[int]:
    """The processes that a process has started, and theirs."""
    found = []
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                found += [child, *descendants(child)]
    except OSError:
        pass  # it has ended
    return found


def work_of(pids: list[int]) -> dict[int, float]:
    """Seconds of the processor that each process has taken."""
    ticks, found = os.sysconf("SC_CLK_TCK"), {}
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found[pid] = (int(fields[11]) + int(fields[12])) / ticks
    return found


class Hand:
    """What does random things to a page."""

    def __init__(self, lab: Lab, generator: random.Random) -> None:
        self.lab, self.generator = lab, generator
        self.log: list[str] = []
        lab.page.on("dialog", lambda dialog: dialog.dismiss())

    def visible(self, selector: str) -> list[tuple[str, float, float]]:
        found: list[tuple[str, float, float]] = self.lab.page.evaluate(VISIBLE, selector)
        return found

    def act(self) -> str:
        """One action; what it was."""
        actions = [
            (self.drag_handle, 6), (self.drag_plot, 6), (self.zoom, 4), (self.type_number, 5),
            (self.undo, 4), (self.click, 8), (self.slide, 5), (self.press_key, 5), (self.panel, 6),
            (self.view, 3), (self.example, 3), (self.tool, 3), (self.upload, 1), (self.resize, 1),
        ]  # fmt: skip
        (action,) = self.generator.choices(*zip(*actions, strict=True))
        what = f"{action.__name__} {action() or ''}"
        self.log.append(what)
        return action.__name__

    def _pull(self, left: float, top: float) -> None:
        mouse, spread = self.lab.page.mouse, self.generator.choice((4, 60, 400))
        mouse.move(left, top)
        mouse.down()
        for _ in range(self.generator.randint(1, 3)):
            mouse.move(
                left + self.generator.uniform(-spread, spread),
                top + self.generator.uniform(-spread, spread),
            )
        mouse.up()

    def drag_handle(self) -> str | None:
        handles = self.visible(".handle")
        if not handles:
            return None
        name, left, top = self.generator.choice(handles)
        self._pull(left, top)
        return name

    def _in_plot(self) -> tuple[float, float] | None:
        places = self.visible("#inner") or self.visible("#line")
        if not places:
            return None
        _, left, top = places[0]
        return left + self.generator.uniform(-150, 150), top + self.generator.uniform(-100, 100)

    def drag_plot(self) -> None:
        place = self._in_plot()
        if place and self.generator.random() < 0.5:
            self.lab.page.mouse.click(*place)
        elif place:
            self._pull(*place)

    def zoom(self) -> None:
        place = self._in_plot()
        if place:
            self.lab.page.mouse.move(*place)
            for _ in range(self.generator.randint(1, 4)):
                self.lab.page.mouse.wheel(0, self.generator.choice((-3000, -120, 120, 3000)))

    def type_number(self) -> str | None:
        fields = self.visible(".panel input[type=number]")
        if not fields:
            return None
        name, *_ = self.generator.choice(fields)
        value = self.generator.choice(TYPED)
        field = self.lab.find(name)
        field.focus()
        self.lab.page.keyboard.press("Control+a")
        self.lab.page.keyboard.type(value)
        self.lab.page.keyboard.press(self.generator.choice(("Enter", "Tab", "Escape")))
        return f"{name} {value}"

    def undo(self) -> str:
        key = self.generator.choice(("Control+z", "Control+Shift+z"))
        for _ in range(self.generator.randint(1, 4)):
            self.lab.page.keyboard.press(key)
        return key

    def click(self) -> str | None:
        """Some control of the panel, the toolbar or the card; downloads are left alone."""
        controls = self.visible(
            ".panel:not(#panel-take_away) :is(button, .toggle, .segments label, summary), "
            "#classes button, #card button, #problem button, #status button, #toolbar button, "
            "#theme, .term"
        )
        if not controls:
            return None
        name, left, top = self.generator.choice(controls)
        self.lab.page.mouse.click(left, top)
        return name or f"{left:.0f} {top:.0f}"

    def slide(self) -> str | None:
        sliders = self.visible(".panel input[type=range]")
        if not sliders:
            return None
        name, left, top = self.generator.choice(sliders)
        if self.generator.random() < 0.5:
            self._pull(left, top)
        else:
            self.lab.page.mouse.click(left + self.generator.uniform(-60, 60), top)
        return name

    def press_key(self) -> str:
        if self.generator.random() < 0.7 and self.visible("#inner"):
            self.lab.page.evaluate("() => document.getElementById('inner').focus()")
        key = self.generator.choice(KEYS)
        self.lab.page.keyboard.press(key)
        return key

    def panel(self) -> str:
        name = self.generator.choice(PANELS)
        self.lab.page.evaluate("(name) => document.getElementById(`tab-${name}`).click()", name)
        return name

    def view(self) -> str:
        name = self.generator.choice(("plane", "plane", "plane", "line", "surface"))
        self.lab.page.evaluate("(name) => document.getElementById(`view-${name}`).click()", name)
        return name

    def example(self) -> str:
        lists = self.visible(".panel select, #filters select")
        if lists and self.generator.random() < 0.6:
            name, *_ = self.generator.choice(lists)
            self.lab.page.evaluate(
                """([name, which]) => {
                    const list = document.getElementById(name);
                    list.selectedIndex = Math.floor(which * list.options.length);
                    list.dispatchEvent(new Event("change"));
                }""",
                [name, self.generator.random()],
            )
            return name
        names = self.lab.get("lab.about.presets.map(({ name }) => name)")
        name = self.generator.choice(names)
        self.lab.page.evaluate("(n) => document.getElementById(`data-preset-${n}`).click()", name)
        return str(name)

    def tool(self) -> str:
        name = self.generator.choice(("select", "select", "paint", "erase", "pan"))
        self.lab.page.evaluate("(name) => document.getElementById(`tool-${name}`).click()", name)
        return name

    def upload(self) -> str:
        name, content = self.generator.choice((numbers_file, mixed_file, odd_file))(self.generator)
        file: Any = {"name": name, "mimeType": "text/csv", "buffer": content.encode()}
        self.lab.find("data-file").set_input_files(file)
        self.lab.until("document.querySelector('#panel-data progress').hidden")
        return name

    def resize(self) -> str:
        width, height = self.generator.choice(((900, 560), (1280, 800), (390, 844), (820, 500)))
        self.lab.page.set_viewport_size({"width": width, "height": height})
        return f"{width}"


def numbers_file(generator: random.Random) -> tuple[str, str]:
    """Two or three classes of numbers, in any units."""
    k, d = generator.randint(2, 3), generator.randint(1, 4)
    scales = [10.0 ** generator.choice((-12, -3, 0, 0, 3, 9)) for _ in range(d)]
    starts = [generator.choice((0, 0, 1e9)) * scale for scale in scales]
    lines = [",".join([*(f"x{j}" for j in range(d)), "kind"])]
    for i in range(generator.randint(12, 60)):
        shift = i % k
        values = [
            start + scale * (generator.gauss(0, 1) + shift)
            for start, scale in zip(starts, scales, strict=True)
        ]
        lines.append(",".join([*map(repr, values), "abc"[i % k]]))
    return "numbers.csv", "\n".join(lines)


def mixed_file(generator: random.Random) -> tuple[str, str]:
    """Numbers and categories with missing values, and rows without label."""
    lines = ["size,colour,weight,kind"]
    for i in range(generator.randint(20, 80)):
        c = i % 2
        size = "" if generator.random() < 0.1 else f"{generator.gauss(c, 1):.4f}"
        colour = "" if generator.random() < 0.1 else generator.choice(("red", "blue", "green"))
        kind = "" if generator.random() < 0.15 else "ab"[c]
        lines.append(f"{size},{colour},{generator.gauss(-c, 2):.4f},{kind}")
    return "mixed.csv", "\n".join(lines)


def odd_file(generator: random.Random) -> tuple[str, str]:
    """What makes no model, or no table."""
    return generator.choice(
        (
            ("empty.csv", ""),
            ("one.csv", "x,y\n1,a\n2,a\n3,a\n"),
            ("constant.csv", "x,z,y\n1,5,a\n1,5,a\n1,5,b\n1,5,b\n"),
            ("ragged.csv", "x,y\n1\n2,3,4\n"),
            ("text.csv", "x,y\nhello,a\nworld,b\n"),
            ("state.json", '{"format": "gaussbayes-lab", "version": 9}'),
            ("wide.csv", "x,z,y\n1e308,1,a\n-1e308,2,b\n3,1,a\n1,4,b\n5,2,a\n"),
        )
    )


def fuzz(
    browser: Browser,
    address: str,
    n: int,
    seed: int = 0,
    outcomes: Counter[str] | None = None,
    terminal: IO[str] | None = None,
) -> Counter[str]:
    """So many sequences, and what was done and compared; `terminal`: the server's."""
    generator, outcomes = random.Random(seed), Counter[str]() if outcomes is None else outcomes
    lab = new_lab(browser, address)
    hand = Hand(lab, generator)
    lab.page.add_init_script(LONGEST_TASK)
    lab.open()
    session = lab.page.context.new_cdp_session(lab.page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    for number in range(n):
        hand.log.clear()
        try:
            if number % 25 == 24:
                lab.page.set_viewport_size({"width": 900, "height": 560})
                lab.open({})
            for _ in range(generator.randint(1, MOST_ACTIONS)):
                begun, before = time.monotonic(), _work(session)
                lab.page.evaluate("() => { window.longestTask = 0; }")
                outcomes[hand.act()] += 1
                if generator.random() < 0.5:
                    lab.settle()
                page, server = (
                    now - then for now, then in zip(_work(session), before, strict=True)
                )
                taken = {"page": page, "server": server}
                # A task waits for the processor as long as the page does while the action lasts.
                busy = page / (time.monotonic() - begun)
                assert busy * lab.get("longestTask") < 1e3 * LONGEST, taken
                assert server < MOST_WORK, taken
                for name, each in taken.items():
                    key = f"slowest, {name}, ms"
                    outcomes[key] = max(outcomes[key], round(1e3 * each))
            lab.settle()
            told = [each for each in lab.complaints if REFUSED not in each]
            assert not told, told
            lab.complaints.clear()
            written = complaints(terminal) if terminal else ""
            assert not written, written[-3_000:]
            check_numbers(lab, generator, outcomes)
        except Exception as error:
            msg = f"sequence {number} of seed {seed}: {hand.log}: {error!r}"
            raise AssertionError(msg) from error
        outcomes["sequences"] += 1
    lab.page.context.close()
    return outcomes


_SERVER: list[int] = []


def _work(session: Any) -> tuple[float, float]:
    """Seconds that the page and the processes of the server have worked until now."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    page = next(each["value"] for each in metrics if each["name"] == "TaskDuration")
    return page, max(work_of(_SERVER and descendants(_SERVER[0])).values(), default=0.0)


def _forget(terminal: IO[str]) -> None:
    """Keep the first line only, so that the next complaint is one of the next sequences."""
    terminal.seek(0)
    terminal.readline()
    terminal.truncate(terminal.tell())


def main(n: str = "10000", seed: str = "0") -> None:
    """Go on after a failure with another seed, and say all of it at the end."""
    total, failures, left, number = Counter[str](), [], int(n), int(seed)
    with (
        sync_playwright() as driver,
        tempfile.TemporaryFile("a+") as terminal,
        serving(terminal=terminal) as address,
    ):
        _SERVER[:] = [
            pid for pid in descendants(os.getpid())
            if "lab" in Path(f"/proc/{pid}/cmdline").read_text().split("\0")
        ][:1]  # fmt: skip
        while left > 0:
            browser = driver.chromium.launch(
                executable_path=chromium.find(), args=list(chromium.OPTIONS)
            )
            done = Counter[str]()
            try:
                fuzz(browser, address, min(left, 100), number, done, terminal)
            except AssertionError as error:
                _forget(terminal)
                failures.append(str(error))
                sys.stdout.write(f"FAILED {error}\n")
                left -= 1
            finally:
                browser.close()
            left -= done["sequences"]
            for name, count in done.items():
                slowest = name.startswith("slowest")
                total[name] = max(total[name], count) if slowest else total[name] + count
            number += 1
            done_now = f"{int(n) - left} sequences, {len(failures)} failures, {dict(total)}\n"
            sys.stdout.write(done_now)
            sys.stdout.flush()
    sys.exit(bool(failures))


if __name__ == "__main__":
    main(*sys.argv[1:])
