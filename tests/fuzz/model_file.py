"""Change good model files at random, many times, and load each: no answer but a model or a refusal.

Most of the files get a new checksum, so that the parser and the checks behind it are what is tried.
Whatever is neither loaded nor refused with a `FileError` is a failure, and so is a warning, a
call that would run something or open a file, and a model that does not come back as it was. A file
that takes longer than a second of processor time counts as slow; the time on the clock is told too,
which on a busy machine says more about the machine.

Run it with: python -m tests.fuzz.model_file [FILES] [--seed SEED] [--seconds SECONDS]
It says how far it is after every 10,000 files, and keeps a file that fails with its traceback.
"""

import argparse
import random
import re
import sys
import time
import traceback
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gaussbayes import FileError
from gaussbayes.model.file import dumps, loads
from tests.model.file.models import file_of, models, seal_again

SLOW = 1.0
LARGEST = 20_000  # bytes of a file, so that many are tried
OFTEN = 10_000
MOST_KEPT = 20
FORBIDDEN = ("exec", "compile", "import", "open", "os.", "subprocess.", "socket.", "ctypes.")
"""The beginnings of events that loading must not cause; see Python's table of audit events."""

TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|-?[0-9][-+0-9.eE]*|[A-Za-z]+|[][{},:]')
VALUES = [
    *b"0 -0.0 1 -1 0.5 1e308 1.7e308 5e-324 1e999 -1e999 NaN Infinity 0x10 01 +1 .5 1e5000".split(),
    *(b"9223372036854775808", b"1" * 400, b"1" * 5000, b"0." + b"1" * 2000),
    *b'null true None "" "a" "uniform" "oas" "full" "pooled" "diagonal" "gaussian"'.split(),
    *b'"poisson" "str" "object" "int8" "float16" "bool" "101" "000" "__import__"'.split(),
    *(b"[]", b"{}", b"[[]]", b"[0]", b'[""]', b"[null]", b"[" * 50 + b"]" * 50, b'{"a":' * 20),
    *(b'"\\ud800"', b'"\\u0000"', b'"\\x"', b'"\xff"', b'"\xc3\xa4"', b'"\\\\"', b'"', b"\\", b","),
    *(b'{"labels": ["ash"], "values": [1]}', b'{"$ref": "file:///etc/passwd"}'),
]


@dataclass(slots=True)
class Outcome:
    """What came of the files."""

    files: int = 0
    loaded: int = 0
    slow: int = 0
    worst: float = 0.0  # seconds of processor time
    longest: float = 0.0  # seconds on the clock
    failures: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        """In one line."""
        return (
            f"{self.files:,} files: {self.loaded:,} still models, "
            f"{self.files - self.loaded - len(self.failures):,} refused, "
            f"{len(self.failures):,} failures; the slowest took {self.worst * 1e3:.1f} ms "
            f"({self.longest * 1e3:.1f} ms on the clock), {self.slow} longer than {SLOW:g} s"
        )


def changed(data: bytes, rng: random.Random) -> bytes:
    """The file with one change."""
    return rng.choice([_bytes_changed, _token_changed, _token_changed, _value_put, _value_put])(
        data, rng
    )


def _bytes_changed(data: bytes, rng: random.Random) -> bytes:
    at, length = rng.randrange(len(data)), rng.randrange(1, 60)
    to = rng.randrange(len(data))
    some = data[at : at + length]
    lines = data.splitlines(keepends=True)
    number = rng.randrange(len(lines))
    return rng.choice(
        [
            data[:at] + rng.randbytes(1) + data[at + 1 :],
            data[:at] + data[at + length :],  # a part left out
            data[:to] + some + data[to:],  # a part twice
            data[:to] + some + data[to + length :],  # a part over another
            b"".join([*lines[:number], *lines[number + 1 :]]),
            b"".join([*lines[:number], lines[number], *lines[number:]]),
        ]
    )


def _token_changed(data: bytes, rng: random.Random) -> bytes:
    tokens = list(TOKEN.finditer(data))
    if len(tokens) < 2:
        return data
    first, second = sorted(rng.sample(tokens, 2), key=lambda found: found.start())
    between = data[first.end() : second.start()]
    repeated = first[0] * rng.randrange(2, 200)
    middle = rng.choice(
        [
            second[0] + between + first[0],
            repeated + between + second[0],
            second[0] + between + second[0],
        ]
    )
    return data[: first.start()] + middle + data[second.end() :]


def _value_put(data: bytes, rng: random.Random) -> bytes:
    tokens = [found for found in TOKEN.finditer(data) if found[0] not in b"[]{},:"]
    if not tokens:
        return data
    place = rng.choice(tokens)
    return data[: place.start()] + rng.choice(VALUES) + data[place.end() :]


def draw(files: list[bytes], rng: random.Random) -> bytes:
    """A good file with one to four changes, most often sealed again."""
    data = rng.choice(files)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        data = changed(data, rng) or b" "
    if rng.random() < 0.03:
        return data[: rng.randrange(len(data))]
    if rng.random() < 0.05 or b'"checksum"' not in data:
        return data
    return seal_again(data)


def run(files: int, seed: int, seconds: float) -> Outcome:
    """Load as many changed files as asked, or as fit into the time."""
    rng = random.Random(seed)
    good = [data for data in map(file_of, models()) if len(data) < LARGEST]
    for data in good:  # whatever is imported late is there now
        dumps(loads(data))
    watching = [False]

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if watching[0] and event.startswith(FORBIDDEN):
            watching[0] = False
            msg = f"loading caused {event} {arguments!r:.200}"
            raise RuntimeError(msg)

    sys.addaudithook(hook)
    outcome = Outcome()
    end = time.monotonic() + seconds
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        while outcome.files < files and time.monotonic() < end:
            data = draw(good, rng)
            watching[0] = True
            start, start_clock = time.process_time(), time.perf_counter()
            problem = _try(data, outcome)
            taken = time.process_time() - start
            outcome.longest = max(outcome.longest, time.perf_counter() - start_clock)
            watching[0] = False
            outcome.files += 1
            outcome.worst = max(outcome.worst, taken)
            outcome.slow += taken > SLOW
            if problem is not None:
                said = "".join(traceback.format_exception(problem))
                outcome.failures.append(said)
                _keep(said, data, f"failure-{seed}-{len(outcome.failures)}")
            if outcome.files % OFTEN == 0:
                _say(str(outcome))
    return outcome


def _try(data: bytes, outcome: Outcome) -> Exception | None:
    """What is wrong, as an error: it is written out when nobody watches, for that opens files."""
    try:
        model = loads(data)
        again = dumps(model)
        if dumps(loads(again)) != again:
            return ValueError("what was loaded does not come back")
    except FileError as error:
        return None if str(error) else ValueError("a refusal without a message")
    except Exception as error:  # noqa: BLE001 (that is what is looked for)
        return error
    outcome.loaded += 1
    return None


def _keep(problem: str, data: bytes, name: str) -> None:
    path = Path(f"{name}.json")
    if int(name.rpartition("-")[2]) <= MOST_KEPT:
        path.write_bytes(data)
    _say(f"{path}: {problem}")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    """Say what came of it; 1 if anything failed, and the files are kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=3600.0)
    asked = parser.parse_args()
    outcome = run(asked.files, asked.seed, asked.seconds)
    _say(str(outcome))
    return 1 if outcome.failures else 0


if __name__ == "__main__":
    sys.exit(main())
