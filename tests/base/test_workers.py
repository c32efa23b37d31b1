"""Workers: threads that are kept, run beside the caller and hold on to nothing."""

import gc
import os
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from gaussbayes.base import workers
from gaussbayes.base.workers import Worker, call_worker


def answer_of(function: Callable[[], Any]) -> Any:
    """What the function answers in a worker, which waits again when this returns."""
    answers: list[Any] = []
    done = threading.Event()

    def work() -> None:
        answers.append(function())
        done.set()

    before = len(Worker.waiting)
    call_worker(work)
    assert done.wait(300)
    while len(Worker.waiting) < max(1, before):  # the worker is about to say that it waits
        time.sleep(0)
    return answers[0]


def test_a_thread_is_kept_for_the_next_work() -> None:
    first = answer_of(threading.get_native_id)
    assert answer_of(threading.get_native_id) == first != threading.get_native_id()


def test_several_pieces_of_work_are_done_at_a_time() -> None:
    # Each waits until the others are there.
    meeting = threading.Barrier(4, timeout=300)
    for _ in range(3):
        call_worker(lambda: meeting.wait() and None)
    meeting.wait()


@pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity") or len(os.sched_getaffinity(0)) < 2,
    reason="threads cannot be kept from a core, or there is one core",
)
def test_a_worker_keeps_away_from_the_core_of_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    cores = os.sched_getaffinity(0)
    answer_of(int)  # so that a thread waits
    for core in sorted(cores)[:2]:
        monkeypatch.setattr(workers, "_current_core", lambda core=core: core)
        assert answer_of(lambda: os.sched_getaffinity(0)) == cores - {core}
    assert os.sched_getaffinity(0) == cores


def test_where_cores_cannot_be_chosen_work_is_done_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    answer_of(int)
    monkeypatch.setattr(os, "sched_setaffinity", refuse, raising=False)
    assert answer_of(lambda: 1) == 1
    monkeypatch.setattr(workers, "_current_core", None)
    assert answer_of(lambda: 2) == 2


def test_what_the_work_is_about_is_let_go() -> None:
    class Rows:
        def sum(self) -> int:
            return 3

    rows = Rows()
    gone = weakref.ref(rows)
    assert answer_of(rows.sum) == 3
    del rows
    gc.collect()
    assert gone() is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_forked_process_has_workers_of_its_own() -> None:
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
