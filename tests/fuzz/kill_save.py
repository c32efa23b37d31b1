"""Kill a process that saves models, at random moments: the old or the new file must load, always.

A child saves two models in turn to the same path until it is killed. After each kill the file must
be one of the two, byte by byte, and load. Other children may write only so many bytes, as on a disk
that is full: their save must fail and leave the file as it was. In the end one more save sweeps
away the temporary files that were left behind.

Run it with: python -m tests.fuzz.kill_save [KILLS] [--seed SEED]
"""

import argparse
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gaussbayes import GaussianClassifier, load

LONGEST = 0.02
"""Seconds until a kill; a save takes about a tenth of it."""


@dataclass(slots=True)
class Outcome:
    """What was found after the kills."""

    kills: int = 0
    full_disks: int = 0
    first: int = 0  # the file was the first model's
    second: int = 0
    left_behind: int = 0  # temporary files seen after a kill
    most_at_once: int = 0


def run(kills: int, seed: int) -> Outcome:
    """Kill so many processes, and fill the disk of a quarter as many."""
    rng = random.Random(seed)
    X, y = np.random.default_rng(seed).normal(size=(60, 20)), np.arange(60) % 3
    models = [GaussianClassifier(name, shared=0.5).fit(X, y) for name in ("full", "diagonal")]
    outcome = Outcome()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        files = [model.save(path).read_bytes() for model in reversed(models)][::-1]

        def save_in_turn() -> None:
            while True:
                for model in reversed(models):
                    model.save(path)

        def save_too_much() -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            room = rng.randrange(len(files[0]))
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
            try:
                models[0].save(path)
            except OSError:
                os._exit(0)

        for number in range(kills):
            child = _started(save_in_turn)
            time.sleep(rng.uniform(0, LONGEST))
            os.kill(child, signal.SIGKILL)
            assert os.WIFSIGNALED(os.waitpid(child, 0)[1]), "a save failed"
            outcome.kills += 1
            found = path.read_bytes()
            outcome.first += found == files[0]
            outcome.second += found == files[1]
            assert found in files, "the file is neither the old nor the new one"
            assert load(path).classes_.tolist() == [0, 1, 2]
            left = len(list(path.parent.iterdir())) - 1
            outcome.left_behind += left > 0
            outcome.most_at_once = max(outcome.most_at_once, left)
            if number % 4 == 0:
                rng.random()  # another size each time: the child draws it
                status = os.waitpid(_started(save_too_much), 0)[1]
                assert status == 0, "a save to a full disk did not fail as it should"
                assert path.read_bytes() == found
                outcome.full_disks += 1
        models[0].save(path)
        assert os.listdir(folder) == ["model.json"], "temporary files were not swept"  # noqa: PTH208
    return outcome


def _started(work: Callable[[], None]) -> int:
    """The number of a child that does this and then ends, with 1 if it comes to an end."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(1)
    return child


def main() -> int:
    """Say what was found; an `AssertionError` if a file was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kills", nargs="?", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    outcome = run(asked.kills, asked.seed)
    sys.stdout.write(
        f"{outcome.kills:,} kills: the file was the first model {outcome.first:,} times and the "
        f"second {outcome.second:,} times; {outcome.left_behind:,} left a temporary file "
        f"(at most {outcome.most_at_once} at once), all swept; "
        f"{outcome.full_disks:,} full disks: the old file stayed\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
