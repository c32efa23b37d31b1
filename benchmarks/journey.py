"""How many files of the package a call passes through, and how often it comes back to one.

A file is passed if one of its functions is called. A re-entry is a call into a file that was passed
before, from another file of the package: every one is a place where a reader turns a page back.
What is loaded or made once for all (imports, caches) is done before anything is counted.

Run it with ``python benchmarks/journey.py``; ``--list`` names the files and the re-entries.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd

import gaussbayes
from gaussbayes import AutoClassifier, GaussianClassifier

ROOT = str(Path(gaussbayes.__file__).parent) + os.sep


@dataclass
class Journey:
    """The files that a call passes, in order, and its re-entries."""

    files: list[str] = field(default_factory=list)
    re_entries: list[tuple[str, str, str]] = field(default_factory=list)  # from, into, function

    def record(self, frame: FrameType, event: str, _: Any) -> None:
        """Note a call; this is a profile function."""
        name = frame.f_code.co_filename
        if event != "call" or not name.startswith(ROOT):
            return
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(ROOT):
            caller = caller.f_back
        if caller is None or caller.f_code.co_filename == name:
            if name not in self.files:
                self.files.append(name)
            return
        if name in self.files:
            start = caller.f_code.co_filename.removeprefix(ROOT)
            self.re_entries.append((start, name.removeprefix(ROOT), frame.f_code.co_name))
        else:
            self.files.append(name)


def follow(call: Callable[[], object]) -> Journey:
    """The journey of a call, made once before so that nothing is loaded on the way."""
    call()
    journey = Journey()
    sys.setprofile(journey.record)
    try:
        call()
    finally:
        sys.setprofile(None)
    return journey


def tables(n: int = 200) -> tuple[np.ndarray, pd.DataFrame, np.ndarray]:
    """Numbers, the same with two categories beside them, and labels."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    X = rng.normal(size=(n, 4)) + y[:, None]
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    frame["wind"] = pd.Categorical(
        np.array(["low", "mid", "high"])[(y + rng.integers(0, 2, n)) % 3]
    )
    frame["month"] = pd.Categorical(rng.integers(1, 5, n))
    return X, frame, y


def journeys(folder: Path) -> Iterator[tuple[str, Journey]]:
    """The journeys that are counted, by name."""
    X, frame, y = tables()
    holes = np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X)
    model = GaussianClassifier().fit(X, y)
    path = folder / "train.csv"
    frame.assign(kind=y).to_csv(path, index=False)
    steps: dict[str, Callable[[], object]] = {
        "fit, numbers": lambda: GaussianClassifier().fit(X, y),
        "fit, categories beside numbers": lambda: GaussianClassifier(smoothing=1).fit(frame, y),
        "fit, missing values": lambda: GaussianClassifier().fit(holes, y),
        "predict, numbers": lambda: model.predict(X),
        "fit, CSV": lambda: GaussianClassifier(smoothing=1).fit(path, "kind"),
        "automatic selection, CSV": lambda: AutoClassifier().fit(path, "kind"),
    }
    for name, step in steps.items():
        yield name, follow(step)
    yield "command line: predict", follow(command(folder))


def command(folder: Path) -> Callable[[], object]:
    """What ``gaussbayes predict model.json rows.csv -o predicted.csv`` does."""
    from gaussbayes.cli import main as run_command

    X, _, y = tables()
    rows = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    rows.to_csv(folder / "rows.csv", index=False)
    GaussianClassifier().fit(rows, y).save(folder / "model.json")
    files = [str(folder / name) for name in ("model.json", "rows.csv", "predicted.csv")]
    arguments = ["predict", *files[:2], "-o", files[2]]

    def run() -> None:
        with suppress(SystemExit):  # so ends every command
            run_command(arguments)

    return run


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--list", action="store_true", help="name the files and the re-entries")
    listed = parser.parse_args().list
    print(f"{'call':32}{'files':>7}{'re-entries':>12}")
    with tempfile.TemporaryDirectory() as folder:
        for name, journey in journeys(Path(folder)):
            print(f"{name:32}{len(journey.files):7}{len(journey.re_entries):12}")
            for file in journey.files if listed else ():
                print(f"  {file.removeprefix(ROOT)}")
            for start, into, function in journey.re_entries if listed else ():
                print(f"    {start} → {into}: {function}")


if __name__ == "__main__":
    main()
