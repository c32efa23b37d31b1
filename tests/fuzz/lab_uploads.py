"""Mutated files sent to the lab make a table, or a sentence says why not; the lab goes on.

Run it with: python -m tests.fuzz.lab_uploads [FILES [SEED]]
"""

import asyncio
import gzip
import random
import sys
from collections import Counter
from collections.abc import AsyncIterator

from gaussbayes.apps.lab.backend import Backend
from gaussbayes.apps.lab.work import Work
from gaussbayes.base.errors import DataError
from tests.lab.test_crafted_uploads import FILES

ROWS = b'x,"a ""name""",kind\n1.5,"u,\nv",a\n2,,b\n-1e3,"w",a\n' + b"2,u,b\n3,v,a\n" * 20
ALL = FILES | {
    "a.csv": ROWS,
    "b.csv": ROWS.replace(b",", b";"),
    "a.tsv": ROWS.replace(b",", b"\t"),
    "a.jsonl": b'{"x": 1, "s": "u", "kind": "a"}\n{"x": 2.5, "s": null, "kind": "b"}\n' * 20,
    "b.csv.gz": gzip.compress(ROWS, mtime=0),
    "no ending": ROWS,
}
PIECES = (b"", b"\0", b'"', b'""', b"\n", b",", b"\xff\xfe", b"1e999", b"nan", b"{", b"[" * 500)


def mutated(generator: random.Random) -> tuple[str, bytes]:
    """The name and content of a file that was changed, cut off, or given another name."""
    name, content = generator.choice(sorted(ALL.items()))
    body = bytearray(content)
    for _ in range(generator.choice((1, 1, 2, 8))):
        place = generator.randrange(len(body)) if body else 0
        action = generator.choice(("change", "insert", "integer", "cut", "repeat"))
        if action == "change" and body:
            body[place] = generator.randrange(256)
        elif action == "insert":
            body[place:place] = generator.choice(PIECES)
        elif action == "integer":
            number = generator.choice((-1, 2**31 - 1, 10**6, 0))
            body[place : place + 4] = number.to_bytes(4, "little", signed=True)
        elif action == "cut":
            del body[place:]
        elif action == "repeat":
            body[place:place] = body[place : place + 40] * generator.choice((1, 50))
    if generator.random() < 0.1:
        name = generator.choice([*sorted(ALL), "a.parquet.gz", "a.json", "../a.csv"])
    return name, bytes(body)


async def _parts(content: bytes) -> AsyncIterator[bytes]:
    yield content


async def _outcomes(lab: Backend, n: int, seed: int) -> Counter[str]:
    generator, outcomes = random.Random(seed), Counter[str]()
    work = Work(lab.folder)
    for _ in range(n):
        name, content = mutated(generator)
        try:
            kept = await lab.keep(name, _parts(content))
        except DataError as error:
            text = str(error)
            assert 0 < len(text) < 2_000, text
            assert "the lab has an error" not in text, (name, content, text)
            assert str(lab.folder) not in text
            outcomes["crashed" if "has ended" in text else "refused"] += 1
            continue
        source = f'{{"from": "upload", "upload": "{kept["upload"]}"}}'
        answer = work.answer(f'{{"number": 1, "kind": "data", "source": {source}}}')
        assert isinstance(answer, bytes) or "the lab has an error" not in str(answer), answer
        outcomes["shown" if isinstance(answer, bytes) else "read, but not shown"] += 1
    assert not list(lab.folder.glob("sent-*"))
    return outcomes


def fuzz(n: int, seed: int = 0) -> Counter[str]:
    """So many mutated files, and what became of them."""
    with Backend() as lab:
        return asyncio.run(_outcomes(lab, n, seed))


if __name__ == "__main__":
    sys.stdout.write(f"{dict(fuzz(*map(int, sys.argv[1:] or ['1000'])))}\n")
