"""Fit on a cluster of Spark's executors again and again, each time killing one in the middle.

The cluster is one of processes on this machine: a master, and two executors that are Java processes
of their own. A kill is SIGKILL to an executor when some of the partitions, and not all, have been
begun. What is learnt must come out the same, bit by bit, as that of rows that one process sums,
every time. A run takes a second or two for what is read, and for the rest waits until Spark has
started another executor; one that has not ended after `PATIENCE` seconds is a failure.

Run it with: python -m tests.fuzz.kill_executor [RUNS]
"""

import os
import random
import signal
import sys
import tempfile
import time
from functools import reduce
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np

from gaussbayes.data.reduction import RowSource, open_rows
from gaussbayes.data.roles import Request
from gaussbayes.data.spark import _whatever_pandas
from gaussbayes.model.options import internal_options
from gaussbayes.model.sources import Observation
from tests.data.mortal import MortalFold
from tests.data.tables import bits_of
from tests.fuzz.kill_worker import N_BLOCKS, block, marks, say

PATIENCE = 300.0
"""Seconds after which a run is said to hang: many times what one takes, also on a busy machine."""


def session() -> Any:
    """Two executors with a core each."""
    os.environ |= {
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder
    settings = {
        "spark.ui.enabled": False,
        "spark.ui.showConsoleProgress": False,
        "spark.log.level": "OFF",
        "spark.executor.memory": "512m",
        "spark.sql.shuffle.partitions": 2,
        # An executor that lives for seconds is started sooner if it does not compile much.
        "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.shuffle.io.maxRetries": 1,  # what a dead executor has kept is computed again soon
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    with _whatever_pandas():
        return builder.master("local-cluster[2,1,600]").getOrCreate()


def executors() -> list[int]:
    """The processes of executors that this process has started, by way of others."""
    parents, names = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text().rpartition(")")[2].split()
            names[int(folder.name)] = (folder / "cmdline").read_text()
        except OSError:
            continue
        parents[int(folder.name)] = int(stat[1])

    def is_ours(process: int) -> bool:
        while process in parents and process != os.getpid():
            process = parents[process]
        return process == os.getpid()

    return [each for each, name in names.items() if "CoarseGrained" in name and is_ours(each)]


def with_a_kill(rows: RowSource, fold: Any, begun: Path, after: int) -> tuple[list[bytes], int]:
    """What is learnt when an executor dies after so many blocks, and how many there had been.

    Nothing if it does not end in time.
    """
    done: list[Any] = []
    slow = MortalFold(fold, begun, dies_at=-1, seconds=0.1)
    work = Thread(target=lambda: done.append(rows.reduce(slow)), daemon=True)
    end = time.monotonic() + PATIENCE
    work.start()
    while work.is_alive() and marks(str(begun)) < after and time.monotonic() < end:
        time.sleep(0.01)
    for process in executors()[:1]:
        os.kill(process, signal.SIGKILL)
    before = marks(str(begun))
    work.join(max(0.0, end - time.monotonic()))
    return [bits_of(part) for result in done for part in result.total.parts], before


def main(runs: int) -> None:
    """Kill so many executors, and say what came of it."""
    seed, spark = random.Random(5), session()
    same = in_all = 0
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"part-{number:02}.parquet") for number in range(N_BLOCKS)]
        for number, path in enumerate(paths):
            block(number).to_parquet(path, index=False)
        request = Request("kind")
        alone = open_rows(paths, request)
        schema = alone.encoder.schema(np.empty(0))
        fold = Observation(internal_options().settings(schema), schema)
        truth = [bits_of(part) for part in alone.reduce(fold).total.parts]
        frames = [spark.read.parquet(str(path)) for path in paths]
        rows = open_rows(reduce(lambda a, b: a.union(b), frames), request)
        for run in range(runs):
            begun = Path(folder, f"run-{run}")
            begun.mkdir()
            start = time.monotonic()
            found, before = with_a_kill(rows, fold, begun, seed.randint(1, N_BLOCKS - 8))
            same += found == truth
            in_all += marks(str(begun))
            outcome = "same bits" if found == truth else "OTHER BITS"
            if not found:
                say(f"run {run + 1}: no end within {PATIENCE:.0f} seconds; what follows is not run")
                spark.sparkContext.cancelAllJobs()
                sys.exit(1)
            took = f"{time.monotonic() - start:.0f} s"
            read = f"{before} blocks of {marks(str(begun))}"
            say(f"run {run + 1}: killed after {read}: {outcome}, {took}")
    spark.stop()
    again = in_all - runs * sum(len(block(number)) > 0 for number in range(N_BLOCKS))
    say(f"{same} of {runs} runs gave the same bits; {again} blocks were read again")
    sys.exit(0 if same == runs else 1)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
