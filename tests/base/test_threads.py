"""Threads: how many, what they do in which order, and that errors come out."""

import gc
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from functools import partial

import pytest

from gaussbayes import kernels
from gaussbayes.base.errors import OptionError
from gaussbayes.base.threads import (
    even_ranges,
    for_each,
    in_order,
    n_threads,
    one_blas_thread,
    ranges,
)


def test_how_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3}, raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    given = {None: 4, 1: 1, 3: 3, 9: 9, -1: 4, -2: 3, -4: 1, -9: 1}
    assert {n_jobs: n_threads(n_jobs) for n_jobs in given} == given
    for limit, threads in {"2": 2, "8": 4, "0": 4, "": 4, "many": 4, "1": 1}.items():
        monkeypatch.setenv("OMP_NUM_THREADS", limit)
        assert [n_threads(n_jobs) for n_jobs in (None, 3, -1)] == [threads, 3, 4]
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    for cores in (5, None):
        monkeypatch.setattr(os, "cpu_count", lambda cores=cores: cores)
        assert n_threads(-1) == cores or 1
    for n_jobs in (0, True, False):
        with pytest.raises(OptionError, match=f"n_jobs must be a number of threads.*got {n_jobs}"):
            n_threads(n_jobs)


@pytest.mark.parametrize(("n_rows", "step"), [(0, 3), (1, 3), (3, 3), (10, 3), (10, 100), (9, 1)])
def test_ranges_cover_every_row_once(n_rows: int, step: int) -> None:
    for cut in (ranges(n_rows, step), even_ranges(n_rows, step)):
        assert [row for part in cut for row in range(part.start, part.stop)] == list(range(n_rows))
        assert all(0 < part.stop - part.start <= step for part in cut)
        assert all(part.stop - part.start == cut[0].stop for part in cut[:-1])


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("count", [0, 1, 50])
def test_every_item_is_worked_on_once(threads: int, count: int) -> None:
    done: list[tuple[int, str]] = []
    for_each(lambda i: done.append((i, threading.current_thread().name)), range(count), threads)
    assert sorted(item for item, _ in done) == list(range(count))
    if threads == 1:
        assert {name for _, name in done} <= {threading.current_thread().name}


def test_threads_work_at_the_same_time_with_the_kernels_of_the_caller() -> None:
    # Each waits until the other is there: one thread alone would wait for ever.
    names, meeting = list[str](), threading.Barrier(2, timeout=300)

    def work(_: int) -> None:
        meeting.wait()
        names.append(kernels.active().NAME)

    with kernels.using("reference"):
        for_each(work, range(2), 2)
    assert names == ["reference"] * 2


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_the_error_is_that_of_the_first_item_that_has_one(threads: int) -> None:
    begun: list[int] = []
    later = threading.Event()

    def work(item: int) -> None:
        begun.append(item)
        if item == 0 and threads > 1:
            assert later.wait(300)  # an error of a later item comes first
        if item > 0:
            later.set()
        raise KeyError(item)

    with pytest.raises(KeyError, match="0"):
        for_each(work, range(50), threads)
    assert len(begun) <= threads


def test_blas_has_one_thread_until_the_last_has_finished() -> None:
    from threadpoolctl import ThreadpoolController, threadpool_limits

    def blas() -> set[int]:
        pools = ThreadpoolController().select(user_api="blas").info()
        return {each["num_threads"] for each in pools}

    with threadpool_limits(2, user_api="blas"):
        first, second = one_blas_thread(), one_blas_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)  # in another order than they came
        assert blas() == {1}
        second.__exit__(None, None, None)
        assert blas() == {2}


def test_a_thread_that_cannot_be_started_is_a_lack_of_memory() -> None:
    code = """
import threading
from gaussbayes.base.threads import in_order
def refuse(_):
    raise RuntimeError("can't start new thread")
threading.Thread.start = refuse
try:
    next(in_order([lambda: 1], 1))
except MemoryError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.startswith("no thread can be started")


# Answers in the order of their jobs


def test_errors_of_making_a_job_come_in_their_turn_and_close_what_makes_them() -> None:
    closed = list[bool]()

    def make() -> Iterator[partial[int]]:
        try:
            for number in range(10):
                yield partial(abs, number)
            raise KeyError(3)
        finally:
            closed.append(True)

    answers = in_order(make(), 2)
    assert [next(answers) for _ in range(8)] == list(range(8))
    with pytest.raises(KeyError, match="3"):
        list(answers)
    answers = in_order(make(), 2)
    next(answers)
    answers.close()
    assert closed == [True, True]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_answers_come_in_order(threads: int) -> None:
    begun, second = list[int](), threading.Event()

    def work(number: int) -> int:
        begun.append(number)
        if number == 1:
            second.set()
        if number == 0 and threads > 1:
            assert second.wait(300)  # a later job is done first
        if number in {30, 33}:
            raise KeyError(number)
        return number

    answers = in_order((partial(work, number) for number in range(100)), threads)
    assert next(answers) == 0
    assert len(begun) <= 2 * threads + 1  # few answers wait
    assert [next(answers) for _ in range(29)] == list(range(1, 30))
    with pytest.raises(KeyError, match="30"):
        next(answers)
    meeting = threading.Barrier(threads, timeout=300)
    assert sorted(in_order([meeting.wait] * threads, threads)) == list(range(threads))


# Threads that are kept


def test_threads_are_kept_and_hold_on_to_nothing() -> None:
    class Rows:
        pass

    def work(rows: list[Rows]) -> None:
        assert isinstance(rows[0], Rows)
        meeting.wait()

    meeting = threading.Barrier(3, timeout=300)
    rows = [Rows()]
    gone = weakref.ref(rows[0])
    for _ in range(20):
        for_each(work, [rows] * 3, 3)
    rows.clear()
    gc.collect()
    assert gone() is None


def test_threads_within_threads_wait_for_no_one_that_has_not_begun() -> None:
    done: list[int] = []

    def nested(number: int) -> None:
        for_each(lambda _: for_each(done.append, [number] * 5, 4), range(10), 30)

    for_each(nested, range(40), 40)
    assert sorted(done) == sorted(list(range(40)) * 50)


def test_work_at_exit_is_done_by_the_caller() -> None:
    code = """
import atexit
from gaussbayes.base.threads import for_each
done = []
atexit.register(lambda: print(len(done)))
atexit.register(for_each, done.append, range(9), 3)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["9"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_forked_process_has_threads_of_its_own() -> None:
    code = """
import os
from gaussbayes.base.threads import for_each
for_each(lambda _: None, range(2), 2)
child = os.fork()
done = []
for_each(done.append, range(9), 3)
if child == 0:
    os._exit(len(done))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), len(done))
"""
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["9", "9"]
