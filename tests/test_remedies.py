"""Whatever errors advise is done, in Python and on the command line, and succeeds.

Bad tables are fitted under settings that fail for them. The arguments of each remedy take the place
of those given; on the command line the flags that were printed are appended to the line.
"""

import shlex
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from gaussbayes import (
    AutoClassifier,
    Columns,
    GaussBayesError,
    GaussianClassifier,
    OptionError,
    read,
)
from gaussbayes.cli import gaussbayes
from gaussbayes.model.options import COLUMN_OPTIONS, OPTIONS, READ_OPTIONS

Options = dict[str, Any]


@dataclass(frozen=True)
class Bad:
    """A table, and options of the classifier under which some models of it fail."""

    frame: pd.DataFrame  # the classes are in y, weights in w if there is such a column
    options: tuple[Options, ...] = ({},)
    columns: Options | None = None  # None are all of them, whatever they hold
    read: Options = field(default_factory=dict)
    header: bool = True
    slow: bool = False  # whether the automatic model takes long

    @property
    def features(self) -> list[str]:
        return [name for name in self.frame if name not in {"y", "w"}]

    @property
    def chosen(self) -> Options:
        return {"features": self.features} if self.columns is None else self.columns


def numbers(n: int = 24, d: int = 3, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    y = np.array(["u", "v"], dtype=object)[np.arange(n) % 2]
    X = rng.normal(size=(n, d)) + (y == "v")[:, None]
    return pd.DataFrame(X).rename(columns=lambda j: f"x{j}").assign(y=y)


def unlabelled(frame: pd.DataFrame, labelled: Any) -> pd.DataFrame:
    return frame.assign(y=frame["y"].where(labelled, None))


def bad_tables() -> Iterator[tuple[str, Bad]]:
    """Tables of which many models have no estimate, and those whose columns cannot be used."""
    structures: tuple[Options, ...] = (
        {},
        {"shared": True},
        {"covariance": "diagonal", "divisor": "unbiased"},
        {"covariance": "spherical"},
        {"covariance": "diagonal", "shared": 0.5, "shrinkage": "oas"},
    )
    rows, some = np.arange(24), numbers()
    line = some.assign(x1=2 * some["x0"])
    yield "collinear", Bad(line, structures)
    yield "collinear, missing values", Bad(line.assign(x0=line["x0"].mask(rows % 3 == 0)))
    yield "collinear, few labels", Bad(unlabelled(line, rows < 5))
    flat = some.assign(x1=some["x1"].mask(some["y"] == "u", 3.0))
    yield "constant in a class", Bad(flat, structures)
    yield "weighted", Bad(flat.assign(w=1.0 + rows % 3))
    yield "light", Bad(some.assign(w=0.04), ({"divisor": "unbiased"},))
    both = (some["y"] == "u").astype(float)
    yield "constant in classes", Bad(some.assign(x0=both, x1=2 * both, x2=3 - both), structures)
    lacking = some.assign(x0=some["x0"].mask(some["y"] == "u"))
    yield "missing in a class", Bad(lacking)
    yield "missing in a class, some without label", Bad(unlabelled(lacking, rows % 6 > 0))
    yield "a class of one row", Bad(some.assign(y=some["y"].mask(rows == 0, "w")), structures)
    yield "more features than rows", Bad(numbers(6, 20), structures)
    yield "one row a class", Bad(numbers(2))
    positive = some[["x0", "x1", "x2"]].abs().assign(y=some["y"])
    positive.loc[3, "x1"] = 0.0
    yield "logarithms of what has none", Bad(positive, ({"transforms": "log"},))
    towns = np.array(["Bari", "Oslo", "Rome"])
    text = some.assign(town=np.where(some["y"] == "u", towns[rows % 2], towns[rows % 3]))
    nowhere = text.assign(town=text["town"].mask(text["y"] == "u"))
    yield "a category missing in a class", Bad(nowhere, ({"shared": True},))
    far = unlabelled(some, rows < 16)
    far.loc[16:, ["x0", "x1"]] = np.outer(1e9 * (np.arange(8) - 3.5), [1.0, 1.0])
    yield "outliers without label", Bad(far, slow=True)
    said = {"numeric": ["town", "it's, so"]}
    yield "strings", Bad(text.assign(**{"it's, so": towns[rows // 8]}), ({"shared": True},), said)
    measured = numbers(120, 2)
    stray = measured.astype(object)
    stray.loc[40, "x1"], stray.loc[[50, 60], "x0"] = "heavy", "-"
    stray = stray.assign(town=towns[np.arange(120) % 3])
    smooth: Options = {"shared": True, "smoothing": 1.0}
    yield "stray strings", Bad(stray.astype(str), (smooth,), {})
    yield "stray strings among numbers", Bad(stray, (smooth,), {})
    infinite = measured.assign(
        **{x: measured[x].mask(measured[x] > 1.5, np.inf) for x in ("x0", "x1")}
    )
    yield "infinity", Bad(infinite, (smooth,))
    above = measured.assign(x0=measured["x0"].abs(), x1=measured["x1"].clip(lower=0.0))
    yield "few logarithms", Bad(above, ({"transforms": "log"},), {})
    lost = above.assign(x1=above["x1"].mask(above["y"] == "u", 0.0))
    yield "no logarithms in a class", Bad(lost, ({"transforms": "log", "shared": True},), {})
    yield "no counts", Bad(measured, ({"families": {"x0": "poisson"}},), {})
    yield "row numbers", Bad(pd.DataFrame({"a": range(30), "y": ["u", "v"] * 15}), (smooth,), {})
    yield "no header", Bad(measured, (smooth,), {}, header=False)


TABLES = dict(bad_tables())
GROUPS = {
    "options": {option.name for option in OPTIONS},
    "columns": {option.name for option in COLUMN_OPTIONS},
    "read": {option.name for option in READ_OPTIONS},
}
"""Whose argument each is; no name is in two of them, so that flags need not say whose they are."""
AUTOMATIC = "select the model automatically"
EFFECTS = {
    AUTOMATIC,
    "shrink the covariances",
    "share one covariance among the classes",
    "divide by the number of rows",
    "assume no correlations",
    "use one variance for all features",
    "smooth the estimates",
    "use a transform of any number",
    "treat strings as categories",
    "treat infinity as missing",
    "use it all the same",
}
"""What must be advised somewhere; whatever else is advised is done, too."""


class Python:
    """A frame in memory, or a file."""

    def __init__(self, bad: Bad, path: Path | None) -> None:
        self.bad, self.path = bad, path

    def start(self, options: Options) -> Options:
        return {"options": options, "columns": self.bad.chosen, "read": self.bad.read}

    def failure(self, given: Options) -> GaussBayesError | None:
        """The error of a fit; nothing if it succeeds."""
        columns = Columns(**given["columns"]) if given["columns"] else None
        kind = AutoClassifier if given.get("automatic") else GaussianClassifier
        model = kind(**given["options"], columns=columns)
        frame, path = self.bad.frame, self.path
        X = (
            frame.drop(columns=["y", "w"], errors="ignore")
            if path is None
            else read(path, **given["read"])
        )
        y = frame["y"].to_numpy() if path is None else "y" if self.bad.header else "x3"
        weights = None if "w" not in frame else frame["w"] if path is None else "w"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model.fit(X, y, weights)
            except GaussBayesError as error:
                return error
        return None

    def advised(self, given: Options) -> Iterator[tuple[str, Options]]:
        """What the error of a fit advises, and the arguments after it is done."""
        failure = self.failure(given)
        for remedy in () if failure is None else failure.remedies:
            assert str(remedy) in str(failure)
            for group, known in GROUPS.items():
                assert {name for name, _ in getattr(remedy, group)} <= known
            changed = {
                name: given[name] | dict(getattr(remedy, name))
                for name in ("options", "columns", "read")
            }
            if changed["columns"].keys() & {"categorical", "exclude"}:  # they are numbers no more
                changed["columns"].pop("numeric", None)
            automatic = given | {"options": {}, "automatic": True}
            yield remedy.effect, changed if remedy.arguments else automatic

    def succeeds(self, given: Options) -> bool:
        return self.failure(given) is None


class Command:
    """A line of the command."""

    def __init__(self, bad: Bad, path: Path) -> None:
        target = "y" if bad.header else "x3"
        self.bad = bad
        self.line = (
            f"fit {shlex.quote(str(path))} -y {target} -o {shlex.quote(str(path) + '.json')}"
        )
        self.line += " --weights w" if "w" in bad.frame else ""

    def start(self, options: Options) -> str:
        """Options as flags: those of names are written as the command prints them."""
        flags = ["" if options else "--covariance full"]
        for name, value in (options | self.bad.chosen).items():
            flag = f"--{name.replace('_', '-')}"
            if isinstance(value, list):
                flags += [f"{flag} {shlex.quote(_quoted(each))}" for each in value]
            else:
                flags.append(flag if value is True else f"{flag} {value}")
        return " ".join(flags)

    def run(self, flags: str) -> tuple[int, str]:
        result = CliRunner().invoke(gaussbayes, shlex.split(f"{self.line} {flags}"))
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.stderr

    def advised(self, flags: str) -> Iterator[tuple[str, str]]:
        code, message = self.run(flags)
        if code == 0:
            return
        assert code == 3, message
        for line in message.splitlines():
            effect, _, options = line.strip().partition(": --")
            if line.startswith("  ") and options:
                yield effect, f"{_without(flags, options)} --{options}"

    def succeeds(self, flags: str) -> bool:
        return self.run(flags)[0] == 0


def _quoted(name: str) -> str:
    return f'"{name}"' if "," in name else name


MODEL = {"covariance", "shared", "divisor", "shrinkage", "smoothing", "transforms"}


def _without(flags: str, options: str) -> str:
    """A line without the options that others take the place of."""
    new = {word.lstrip("-") for word in f"--{options}".split() if word.startswith("--")}
    new |= MODEL if "model" in new else set()
    new |= {"numeric"} if new & {"categorical", "exclude"} else set()
    parts, kept = shlex.split(flags), list[str]()
    for place, word in enumerate(parts):
        name = word if word.startswith("--") else parts[place - 1]
        if name.lstrip("-") not in new:
            kept.append(shlex.quote(word))
    return " ".join(kept)


def all_done(bad: Bad, interface: Any, tried: set[str]) -> Iterator[str]:
    """What is advised for each of the options, all of which succeeds."""
    for options in bad.options:
        given = interface.start(options)
        advised = list(interface.advised(given))
        effects = [effect for effect, _ in advised]
        assert AUTOMATIC not in effects or effects[0] == AUTOMATIC
        for effect, changed in advised:
            if repr(changed) not in tried and not (bad.slow and effect == AUTOMATIC):
                tried.add(repr(changed))
                assert interface.succeeds(changed), (given, effect, changed)
            yield effect


def written(bad: Bad, folder: Path) -> Path:
    path = folder / "bad.csv"
    bad.frame.to_csv(path, index=False, header=bad.header)
    return path


def test_every_argument_has_one_owner() -> None:
    assert len(set[str]().union(*GROUPS.values())) == sum(map(len, GROUPS.values()))


def test_every_remedy_works_in_python(tmp_path: Path) -> None:
    seen, without = set[str](), set[str]()
    for name, bad in TABLES.items():
        done = set(all_done(bad, Python(bad, None), set())) if bad.header else set()
        if name == "collinear" or "x2" not in bad.frame or "town" in bad.frame:
            done |= set(all_done(bad, Python(bad, written(bad, tmp_path)), set()))
        seen |= done
        if not done:
            without.add(name)
    assert seen >= EFFECTS | {"read a file without a header"}
    # Nothing helps if nothing varies within classes and there are more features than rows.
    # Counts that are none need another family, of which nobody but the user knows.
    assert without <= {"one row a class", "constant in classes", "no counts"}


def test_every_remedy_works_on_the_command_line(tmp_path: Path) -> None:
    seen = set[str]()
    for name, bad in TABLES.items():
        # The first takes long; the options of the other are no flags.
        if name not in {"collinear, few labels", "no counts"}:
            seen |= set(all_done(bad, Command(bad, written(bad, tmp_path)), set()))
    # Files are checked row by row, so that such rows may be skipped.
    expected = EFFECTS - {"use a transform of any number"}
    assert seen >= expected | {"read a file without a header", "skip such rows"}


def test_covariances_are_read_as_advised() -> None:
    """Of two readings of a table those that are possible are advised."""
    for values, expected in (
        ([[2.0, 1.0], [1.0, 2.0]], ["full", "diagonal"]),
        ([[2.0, 0.0], [0.0, 2.0]], ["full"]),
        ([[1.0, 2.0], [2.0, 1.0]], ["diagonal"]),
        ([[1.0, -2.0], [3.0, 1.0]], []),
    ):
        given: Any = (None, [[0.0, 0.0], [1.0, 1.0]], values)
        with pytest.raises(OptionError, match="say which") as caught:
            GaussianClassifier.from_parameters(*given)
        advised = [dict(remedy.options) for remedy in caught.value.remedies]
        assert [options["covariance"] for options in advised] == expected
        for options in advised:
            GaussianClassifier.from_parameters(*given, **options)
