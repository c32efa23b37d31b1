"""Threads: how many, how the rows are cut, and that errors come out."""

import os
import threading

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
    read_ahead,
)


@pytest.fixture
def four_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3}, raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)


@pytest.mark.usefixtures("four_cores")
@pytest.mark.parametrize(
    ("n_jobs", "threads"), [(None, 4), (1, 1), (3, 3), (9, 9), (-1, 4), (-2, 3), (-4, 1), (-9, 1)]
)
def test_how_many_threads(n_jobs: int | None, threads: int) -> None:
    assert n_threads(n_jobs) == threads


@pytest.mark.usefixtures("four_cores")
@pytest.mark.parametrize(
    ("limit", "threads"), [("2", 2), ("8", 4), ("0", 4), ("", 4), ("many", 4), ("1", 1)]
)
def test_the_environment_limits_the_default(
    monkeypatch: pytest.MonkeyPatch, limit: str, threads: int
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", limit)
    assert n_threads(None) == threads
    assert n_threads(3) == 3
    assert n_threads(-1) == 4


def test_without_affinity_every_core_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 5)
    assert n_threads(-1) == 5
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert n_threads(-1) == 1


@pytest.mark.parametrize("n_jobs", [0, True, False])
def test_no_threads_are_refused(n_jobs: int) -> None:
    with pytest.raises(OptionError, match=f"n_jobs must be a number of threads.*got {n_jobs}"):
        n_threads(n_jobs)


@pytest.mark.parametrize(("n_rows", "step"), [(0, 3), (1, 3), (3, 3), (10, 3), (10, 100)])
def test_ranges_cover_every_row_once(n_rows: int, step: int) -> None:
    cut = ranges(n_rows, step)
    assert [row for part in cut for row in range(part.start, part.stop)] == list(range(n_rows))
    assert all(0 < part.stop - part.start <= step for part in cut)


@pytest.mark.parametrize(("n_rows", "most"), [(0, 3), (1, 3), (3, 3), (10, 3), (10, 100), (9, 1)])
def test_even_ranges_cover_every_row_once(n_rows: int, most: int) -> None:
    cut = even_ranges(n_rows, most)
    assert [row for part in cut for row in range(part.start, part.stop)] == list(range(n_rows))
    assert all(part.stop - part.start == cut[0].stop for part in cut[:-1])
    assert max((part.stop - part.start for part in cut), default=0) <= most


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("count", [0, 1, 50])
def test_every_item_is_worked_on_once(threads: int, count: int) -> None:
    done: list[int] = []
    for_each(done.append, iter(range(count)), threads)
    assert sorted(done) == list(range(count))


def test_threads_work_at_the_same_time() -> None:
    # Each waits until the other is there: one thread alone would wait for ever.
    meeting = threading.Barrier(2, timeout=300)
    for_each(lambda _: meeting.wait() and None, range(2), 2)


def test_one_thread_is_the_caller() -> None:
    names: list[str] = []
    for_each(lambda _: names.append(threading.current_thread().name), range(3), 1)
    assert names == [threading.current_thread().name] * 3


@pytest.mark.parametrize("threads", [1, 3])
def test_errors_come_out(threads: int) -> None:
    def work(item: int) -> None:
        if item == 5:
            msg = "item 5 is bad"
            raise KeyError(msg)

    with pytest.raises(KeyError, match="item 5 is bad"):
        for_each(work, range(9), threads)


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


def test_threads_use_the_kernels_of_the_caller() -> None:
    names: list[str] = []
    meeting = threading.Barrier(2, timeout=300)

    def work(_: int) -> None:
        meeting.wait()
        names.append(kernels.active().NAME)

    with kernels.using("reference"):
        for_each(work, range(2), 2)
    assert names == ["reference"] * 2


def test_blas_has_one_thread_until_the_last_has_finished() -> None:
    from threadpoolctl import ThreadpoolController, threadpool_limits

    def blas() -> set[int]:
        return {
            each["num_threads"] for each in ThreadpoolController().select(user_api="blas").info()
        }

    with threadpool_limits(2, user_api="blas"):
        first, second = one_blas_thread(), one_blas_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)  # in another order than they came
        assert blas() == {1}
        second.__exit__(None, None, None)
        assert blas() == {2}


def test_a_thread_that_cannot_be_started_is_a_lack_of_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_: threading.Thread) -> None:
        msg = "can't start new thread"
        raise RuntimeError(msg)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(MemoryError, match="no thread can be started"):
        next(read_ahead([1]))
    with pytest.raises(MemoryError, match="no thread can be started"):
        next(in_order([lambda: 1], 1))
