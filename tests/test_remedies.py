"""Whatever errors advise is read out of their messages and done, in Python and on the command line.

Bad tables are fitted under settings that fail for them. What is printed is taken at its word: the
options that a remedy names, in the words of whoever is told, take the place of those given.
"""

import re
import shlex
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from gaussbayes import AutoClassifier, GaussBayesError, GaussianClassifier
from gaussbayes.base.remedy import AUTOMATIC_CHOICE, Remedy
from gaussbayes.cli import gaussbayes
from gaussbayes.cli.command_options import in_options

Options = dict[str, Any]
PLAIN: Options = {"features": None, "categorical_features": "from_dtype"}
AUTO = "AutoClassifier()"

LONG = "collinear, a third missing, few labels"
"""What takes a second; it is the same to all who ask."""


@dataclass(frozen=True)
class Bad:
    """A table, and options of the classifier under which some models of it fail."""

    frame: pd.DataFrame  # the classes are in y, weights in w if there is such a column
    options: tuple[Options, ...] = (PLAIN,)
    header: bool = True
    chosen: bool = True  # whether the automatic choice is done, which may take long

    @property
    def X(self) -> pd.DataFrame:  # noqa: N802
        return self.frame.drop(columns=["y", "w"], errors="ignore")

    @property
    def weights(self) -> str | None:
        return "w" if "w" in self.frame else None


def numbers(n: int = 24, d: int = 3, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    y = np.array(["u", "v"], dtype=object)[np.arange(n) % 2]
    X = rng.normal(size=(n, d)) + (y == "v")[:, None]
    return pd.DataFrame(X).rename(columns=lambda j: f"x{j}").assign(y=y)


def with_missing(frame: pd.DataFrame, proportion: float, seed: int) -> pd.DataFrame:
    """Without some of the numbers."""
    holes = np.random.default_rng(seed).random((len(frame), frame.shape[1] - 1)) < proportion
    X = frame.drop(columns="y")
    return X.mask(holes).assign(y=frame["y"])


def unlabelled(frame: pd.DataFrame, labelled: Any) -> pd.DataFrame:
    return frame.assign(y=frame["y"].where(labelled, None))


def bad_tables() -> Iterator[tuple[str, Bad]]:
    """Tables of which many models have no estimate, and those whose columns cannot be used."""
    structures = tuple(
        PLAIN | each
        for each in (
            {},
            {"shared": True},
            {"covariance": "diagonal", "divisor": "unbiased"},
            {"covariance": "spherical"},
            {"estimate": "predictive"},
            {"covariance": "diagonal", "shared": 0.5, "shrinkage": "oas"},
        )
    )
    line = numbers().assign(x1=lambda frame: 2 * frame["x0"])
    rows, few = np.arange(24), structures[:1]
    yield "collinear", Bad(line, structures)
    yield "collinear, missing values", Bad(line.assign(x0=line["x0"].mask(rows % 3 == 0)), few)
    yield "collinear, few labels", Bad(unlabelled(line, rows < 5), few)
    # EM takes long to find that a shared covariance has no maximum.
    other = numbers(seed=6).assign(x1=lambda frame: 2 * frame["x0"])
    holes = unlabelled(with_missing(other, 1 / 3, 6), rows < 5)
    yield LONG, Bad(holes, few)
    some = numbers()
    flat = some.assign(x1=some["x1"].mask(some["y"] == "u", 3.0))
    yield "constant in a class", Bad(flat, structures)
    yield "weighted", Bad(flat.assign(w=1.0 + rows % 3), few)
    yield "light", Bad(some.assign(w=0.04), (PLAIN | {"divisor": "unbiased"},))
    both = (some["y"] == "u").astype(float)
    yield "constant in classes", Bad(some.assign(x0=both, x1=2 * both, x2=3 - both), structures)
    lacking = some.assign(x0=some["x0"].mask(some["y"] == "u"))
    yield "missing in a class", Bad(lacking, few)
    yield "missing in a class, some without label", Bad(unlabelled(lacking, rows % 6 > 0), few)
    yield "a class of one row", Bad(some.assign(y=some["y"].mask(rows == 0, "w")), structures)
    yield "more features than rows", Bad(numbers(6, 20), structures)
    yield "one row a class", Bad(numbers(2), few)
    towns = np.array(["Bari", "Oslo", "Rome"])
    text = some.assign(town=np.where(some["y"] == "u", towns[rows % 2], towns[rows % 3]))
    alone = {"shared": True, "smoothing": 0.0, "categorical_features": ["town"], "features": None}
    nowhere = text.assign(town=text["town"].mask(text["y"] == "u"))
    yield "a category missing in a class", Bad(nowhere, (alone,))
    far = unlabelled(some, rows < 16)
    far.loc[16:, ["x0", "x1"]] = np.outer(1e9 * (np.arange(8) - 3.5), [1.0, 1.0])
    yield "outliers without label", Bad(far, few, chosen=False)
    yield "strings", Bad(text.assign(**{"it's, so": towns[rows // 8]}), (PLAIN | {"shared": True},))
    days = pd.Timestamp("2024-01-31") + pd.to_timedelta(rows % 7, "D")
    yield "strings and dates", Bad(text.assign(day=days.strftime("%Y-%m-%d")), (PLAIN,))
    measured = numbers(120, 2)
    stray = measured.astype({"x1": object})
    stray.loc[40, "x1"] = "heavy"
    given = {"features": "auto", "categorical_features": "auto", "shared": True, "smoothing": 1.0}
    stray = stray.assign(town=towns[np.arange(120) % 3])
    yield "a stray string", Bad(stray.astype({"x1": str}), (given,))
    yield "a stray string among numbers", Bad(stray, (given,))
    infinite = measured.assign(x1=measured["x1"].mask(measured["x1"] > 2, np.inf))
    yield "infinity", Bad(infinite, (given | {"features": ["x0", "x1"]},))
    yield "row numbers", Bad(pd.DataFrame({"a": range(30), "y": ["u", "v"] * 15}), (given,))
    yield "no header", Bad(measured, (given,), header=False)


TABLES = dict(bad_tables())

EFFECTS = {
    AUTOMATIC_CHOICE.effect,
    "shrink covariances",
    "share one covariance among the classes",
    "shrink covariances towards the pooled one",
    "divide by the number of rows",
    "leave out correlations",
    "give all features one variance",
    "smooth the estimates",
    "leave the unlabelled rows out",
    "learn from it all the same",
    "take strings for categories",
    "learn from the others",
    "take infinite numbers for missing values",
    "make the column a category",
    "leave the column out",
}
"""What there is to be done about errors; whatever else is written in a `Remedy` is tested, too."""

OF_FILES = {"leave such rows out", "give no header"}


def remedies_of(message: str) -> dict[str, str]:
    """What a message advises: each effect, and how it is written."""
    written = {}
    for remedy in filter(None, message.partition("Remedies: ")[2].split("; ")):
        parts = re.fullmatch(r"([a-z ]+) \((.*)\)", remedy)
        assert parts, remedy
        written[parts[1]] = parts[2]
    return written


class Python:
    """A frame in memory."""

    def __init__(self, bad: Bad, _folder: Path) -> None:
        self.bad = bad

    def fitted(self, model: GaussianClassifier, _of_source: Options) -> GaussianClassifier:
        weights = self.bad.frame.get("w")
        return model.fit(self.bad.X, self.bad.frame["y"].to_numpy(), weights)

    def problem(self, options: Options) -> str:
        """What is said of a fit; nothing if it succeeds."""
        options = dict(options)
        of_source = {name: options.pop(name) for name in ("bad_rows", "header") if name in options}
        kind: Any = AutoClassifier if options.pop("auto", False) else GaussianClassifier
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that rows have no label
            try:
                self.fitted(kind(**options), of_source)
            except GaussBayesError as error:
                failure = error
            else:
                return ""
        assert [*remedies_of(str(failure))] == [each.effect for each in failure.remedies]
        return str(failure)

    def changed(self, options: Options, message: str) -> Iterator[tuple[str, Options]]:
        """What a message advises, and the options after it is done."""
        for effect, words in remedies_of(message).items():
            said = {"auto": True} if words == AUTO else eval(f"dict({words})")
            yield effect, said if words == AUTO else options | said


class Source(Python):
    """A file."""

    def __init__(self, bad: Bad, folder: Path) -> None:
        super().__init__(bad, folder)
        self.file, self.target = written(bad, folder)

    def fitted(self, model: GaussianClassifier, of_source: Options) -> GaussianClassifier:
        return model.fit_source(self.file, self.target, weights=self.bad.weights, **of_source)

    def changed(self, options: Options, message: str) -> Iterator[tuple[str, Options]]:
        yield from super().changed(options, message)
        if 'bad_rows="skip"' in message:
            yield "leave such rows out", options | {"bad_rows": "skip"}
        if "header=False" in message:
            yield "give no header", options | {"header": False}


class Command:
    """A line of the command."""

    effects = EFFECTS | OF_FILES

    def __init__(self, bad: Bad, folder: Path) -> None:
        file, target = written(bad, folder)
        self.line = f"fit {shlex.quote(str(file))} -y {target} -o {shlex.quote(str(folder / 'm'))}"
        self.line += "" if bad.weights is None else f" --weights {bad.weights}"
        self.names = [name for name in bad.X if not isinstance(bad.X[name].iloc[0], str)]
        self.features = list(bad.X)

    def words(self, options: Options) -> str:
        """Options of the classifier in the command's words: columns hold what they are said to."""
        given, said = dict(options), []
        if given.pop("features", None) is None:  # what is named is not left out
            said.append(("features", self.features))
        if given.pop("categorical_features", None) == "from_dtype":
            strings = [name for name in self.features if name not in self.names]
            said += [("numeric", strings)] if strings else []
        if "features" in options and isinstance(options["features"], list):
            said.append(("features", options["features"]))
        if isinstance(options.get("categorical_features"), list):
            said.append(("categorical_features", options["categorical_features"]))
        given.setdefault("covariance", "full")
        said += given.items()
        words = (in_options(str(Remedy("do", ((name, value),))))[4:-1] for name, value in said)
        return " ".join(re.sub(r"^numeric=(.*)", _numeric, each) for each in words)

    def problem(self, said: str) -> str:
        result = CliRunner().invoke(gaussbayes, shlex.split(f"{self.line} {said}"))
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return "" if result.exit_code == 0 else " ".join(result.stderr.split())

    def changed(self, said: str, message: str) -> Iterator[tuple[str, str]]:
        remedies = remedies_of(message)
        if "--bad-rows skip" in message:
            remedies["leave such rows out"] = "--bad-rows skip"
        if "--no-header" in message:
            remedies["give no header"] = "--no-header"
        for effect, words in remedies.items():
            assert words.startswith("--"), words
            yield effect, f"{_without(said, words)} {words}"


def _numeric(found: "re.Match[str]") -> str:
    return f"--numeric {shlex.quote(','.join(_quoted(name) for name in eval(found[1])))}"


def _quoted(name: str) -> str:
    return f'"{name}"' if "," in name else name


MODEL = ("covariance", "shared", "sharing", "divisor", "estimate", "shrinkage", "smoothing")


def _without(said: str, words: str) -> str:
    """A line without the options that others take the place of."""
    new = set(re.findall(r"--([\w-]+)", words))
    new |= set(MODEL) if "model" in new else set()
    new |= {"shared", "sharing"} if new & {"shared", "sharing"} else set()
    # Columns that are told to be categories, or left out, or chosen, are not told to be numbers.
    new |= {"numeric"} if new & {"categorical", "features", "model"} else set()
    parts = re.findall(r"--([\w-]+)((?: (?:'[^']*'|\"[^\"]*\"|[^-\s'\"]\S*)+)?)", said)
    return " ".join(f"--{name}{value}" for name, value in parts if name not in new)


def written(bad: Bad, folder: Path) -> tuple[Path, str]:
    """A table in a file, and the name of its target."""
    path = folder / "bad.csv"
    bad.frame.to_csv(path, index=False, header=bad.header)
    return path, "y" if bad.header else f"x{bad.frame.shape[1]}"


def all_done(bad: Bad, interface: Any, said: Any, tried: set[str]) -> Iterator[str]:
    """What is advised of a fit, each of which succeeds."""
    message = interface.problem(said)
    if not message:
        return
    advised = list(interface.changed(said, message))
    if "Remedies" in message:
        effects = [effect for effect, _ in advised]
        chosen = AUTOMATIC_CHOICE.effect
        assert chosen not in effects or effects[0] == chosen, message
    for effect, changed in advised:
        if repr(changed) not in tried and (bad.chosen or effect != AUTOMATIC_CHOICE.effect):
            tried.add(repr(changed))
            assert interface.problem(changed) == "", (said, changed, message)
        yield effect


def test_every_remedy_works_in_python(tmp_path: Path) -> None:
    seen, without = set(), set()
    for name, bad in TABLES.items():
        kinds: list[Any] = [Python] if bad.header else []
        of_columns = name == "collinear" or "x2" not in bad.X or "town" in bad.X
        kinds += [Source] if of_columns else []  # whether there is an estimate is one question
        for kind in kinds:
            interface, tried = kind(bad, tmp_path), set[str]()
            for options in bad.options:
                done = set(all_done(bad, interface, options, tried))
                seen |= done
                if options == bad.options[0] and not done:
                    without.add((name, kind))
    assert seen == EFFECTS | OF_FILES
    # Nothing helps if nothing varies within classes and there are more features than rows, or if
    # all columns are copies of the target.
    nothing = ("one row a class", "constant in classes", "infinity")
    assert without == {(name, Python) for name in nothing}


def test_every_remedy_works_on_the_command_line(tmp_path: Path) -> None:
    seen = set()
    for name, bad in TABLES.items():
        if name in {LONG, "collinear, few labels"}:
            continue
        interface, tried = Command(bad, tmp_path), set[str]()
        for options in bad.options:
            seen |= set(all_done(bad, interface, interface.words(options), tried))
    assert seen == Command.effects


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"shrinkage": 0.1}, "--shrinkage 0.1"),
        ({"shared": True}, "--shared"),
        ({"shared": 0.5}, "--sharing 0.5"),
        ({"smoothing": 1.0}, "--smoothing 1.0"),
        ({"divisor": "mle"}, "--divisor mle"),
        ({"unlabelled_weight": 0}, "--unlabelled drop"),
        (
            {"features": ["a", "it's"], "categorical_features": ["b, c"]},
            """--features 'a,it'"'"'s' --categorical '"b, c"'""",
        ),
    ],
)
def test_words_of_options(options: Options, words: str) -> None:
    assert in_options(str(Remedy("do", tuple(options.items())))) == f"do ({words})"
