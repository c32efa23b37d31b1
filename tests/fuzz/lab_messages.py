"""Mutated messages to the lab are answered, or refused with a sentence; nothing else happens.

Run it with: python -m tests.fuzz.lab_messages [MESSAGES [SEED]]
"""

import json
import random
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

from gaussbayes.apps.lab.session import peek
from gaussbayes.apps.lab.wire_format import MessageError
from gaussbayes.apps.lab.work import Work
from tests.lab.server_double import decode
from tests.lab.test_mutated_messages import PAGE, REQUESTS, places

SCALARS: list[Any] = [
    None,
    True,
    False,
    -1,
    0,
    1,
    2,
    7,
    49,
    50,
    0.5,
    -0.0,
    1e-320,
    1e-12,
    1e9,
    1e99,
]
SCALARS += [
    1e100,
    1e101,
    1e308,
    10**30,
    "",
    "full",
    "auto",
    "x" * 500,
    "a`b",
    "\ud800",
    "\0",
    "data",
]
OTHERS: list[Any] = [[], {}, [0], [0, 1], [1, 1], [0, 1, 2], [None, None], {"a": 1}]
OTHERS += [{"from": each} for each in ("data", "auto", "hand", "neighbours", "points", "given")]
LONGEST = 20.0
"""Seconds that an answer may take on a busy machine."""


def mutated(generator: random.Random) -> str:
    """A request of which one to three values were changed, removed, added or cut off."""
    request = json.loads(json.dumps(generator.choice(REQUESTS) | {"number": 1}))
    for _ in range(generator.choice((1, 1, 2, 3))):
        ways = places(request)
        if not ways:
            break
        *start, last = generator.choice(ways)
        inner = request
        for key in start:
            inner = inner[key]
        action = generator.choice(
            ("change", "change", "change", "scale", "remove", "add", "double")
        )
        value = inner[last]
        if action == "remove":
            del inner[last]
        elif action == "add" and isinstance(inner, dict):
            inner[generator.choice(["surprise", "data", "model", "kind"])] = generator.choice(
                SCALARS
            )
        elif action == "double" and isinstance(value, list):
            inner[last] = value + value
        elif action == "scale" and isinstance(value, int | float):
            inner[last] = value * generator.choice((-1, 1e-9, 1e6, 1e12))
        else:
            inner[last] = deepcopy(generator.choice(generator.choice((SCALARS, OTHERS))))
    text = json.dumps(request)
    if generator.random() < 0.05:
        cut = generator.randrange(len(text))
        text = text[:cut] + generator.choice(("", "}", "\x7f", "[" * 2_000)) + text[cut + 1 :]
    return text


def outcome(work: Work, text: str) -> str:
    """How a message is dealt with: in words, if it is refused."""
    with suppress(MessageError):  # what it says is said by the same function as below
        peek(text)
    begun = time.process_time()  # a busy machine is no hang
    message = work.answer(text, "")
    assert time.process_time() - begun < LONGEST, text
    if isinstance(message, bytes):
        head, _ = decode(message)
        return "answered, with a problem" if head.get("problem") else "answered"
    assert isinstance(message, str), text
    answer = json.loads(message)
    assert answer["kind"] == "error"
    assert answer["text"].strip()
    assert len(answer["text"]) < 1_000, answer
    assert "the lab has an error" not in answer["text"], (text, answer)
    return "refused"


def fuzz(n: int, seed: int = 0) -> Counter[str]:
    """So many mutated messages, and how they were dealt with."""
    generator, outcomes = random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        work = Work(Path(folder))
        work.__dict__["_store"] = PAGE.store  # it has the data that the requests are about
        for _ in range(n):
            outcomes[outcome(work, mutated(generator))] += 1
    return outcomes


if __name__ == "__main__":
    sys.stdout.write(f"{dict(fuzz(*map(int, sys.argv[1:] or ['100000'])))}\n")
