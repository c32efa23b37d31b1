"""Fit on a cluster of processes and kill a worker in the middle.

A kill is SIGKILL to a worker's process when some of the blocks, and not all, have been read. What
is estimated must come out the same, bit by bit, as that of rows that one process sums, every time.
"""

import os
import signal
import tempfile
import time
from pathlib import Path
from threading import Thread
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client, LocalCluster

from gaussbayes import GaussianClassifier
from tests.data.tables import bits, fitted

N_BLOCKS = 24
HOW: dict[str, Any] = {"features": ["a", "b", "c"], "covariance": "diagonal"}


def block(number: int, slowly: str | None = None) -> pd.DataFrame:
    """The rows of a block: unequal lengths, now and then none, a class that is in few of them.

    With a folder, take some time over it and leave a mark there when it is done.
    """
    rng = np.random.default_rng(number)
    n = 0 if number % 7 == 3 else 200 + 30 * number
    X = 1e8 * (number % 3) + rng.normal(size=(n, 3))
    kinds = ["oak", "elm", "ash"] if number == 5 else ["oak", "elm"]
    if slowly is not None:
        time.sleep(0.05)
        Path(slowly, f"{number}-{os.getpid()}-{time.monotonic_ns()}").touch()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    return frame.assign(kind=pd.Series(rng.choice(kinds, n), dtype="str"))


def lazy_blocks(folder: str | None = None) -> Any:
    """All blocks as a Dask DataFrame."""
    return dd.from_map(block, range(N_BLOCKS), slowly=folder, meta=block(0).iloc[:0])


def on_one_machine() -> bytes:
    """The statistics of the rows by one process."""
    with dask.config.set(scheduler="synchronous"):
        return bits(fitted(lazy_blocks(), **HOW))


def with_a_kill(after: int) -> tuple[bytes, int, int]:
    """The statistics when one of two workers dies after so many blocks.

    Also how many blocks had been read by then, and how many were read in all. Each time the cluster
    is a new one: a nanny does not always succeed in starting another worker.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        workers = sorted(client.run(os.getpid).values())
        done: list[GaussianClassifier] = []
        frame = lazy_blocks(folder)
        how: Any = HOW | {"reading": {"client": client}}
        work = Thread(target=lambda: done.append(fitted(frame, **how)))
        work.start()
        while work.is_alive() and marks(folder) < after:
            time.sleep(0.002)
        os.kill(workers[after % len(workers)], signal.SIGKILL)
        read_before = marks(folder)
        work.join()
        return bits(done[0]), read_before, marks(folder)


def marks(folder: str) -> int:
    """How many blocks have been read."""
    return sum(1 for _ in Path(folder).iterdir())
