"""Reading ahead: the same items in the same order, errors in their turn, and an end to it."""

import threading
from collections.abc import Iterator
from functools import partial
from time import monotonic, sleep

import pytest

from gaussbayes.base.threads import in_order, read_ahead


def wait_until(true: object) -> None:
    deadline = monotonic() + 300
    while not true() and monotonic() < deadline:  # type: ignore[operator]
        sleep(0.005)
    assert true()  # type: ignore[operator]


def test_items_and_exceptions_among_them() -> None:
    items = [1, None, KeyError("an item"), "a"]
    assert list(read_ahead(iter(items))) == items


def test_an_error_comes_in_its_turn() -> None:
    def fail() -> Iterator[int]:
        yield 1
        yield 2
        raise KeyError(3)

    items = read_ahead(fail())
    assert [next(items), next(items)] == [1, 2]
    with pytest.raises(KeyError):
        next(items)


def test_the_next_item_is_made_while_this_one_is_used() -> None:
    made: list[int] = []

    def make() -> Iterator[int]:
        for number in range(10):
            made.append(number)
            yield number

    items = read_ahead(make())
    assert next(items) == 0
    wait_until(lambda: len(made) >= 2)
    sleep(0.05)
    assert len(made) <= 4  # and not all of them
    items.close()  # type: ignore[attr-defined]


def test_closing_ends_the_thread_and_the_source() -> None:
    closed = threading.Event()

    def make() -> Iterator[int]:
        try:
            while True:
                yield 1
        finally:
            closed.set()

    items = read_ahead(make())
    next(items)
    items.close()  # type: ignore[attr-defined]
    assert closed.wait(10)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_answers_come_in_order(threads: int) -> None:
    def work(number: int) -> int:
        sleep(0.002 * (number % 3))
        return number

    jobs = (partial(work, number) for number in range(40))
    assert list(in_order(jobs, threads)) == list(range(40))


def test_jobs_run_side_by_side() -> None:
    together = threading.Barrier(3, timeout=300)
    assert sorted(in_order([together.wait] * 3, 3)) == [0, 1, 2]


def test_few_answers_wait() -> None:
    begun: list[int] = []

    def work(number: int) -> int:
        begun.append(number)
        return number

    answers = in_order((partial(work, number) for number in range(100)), 2)
    assert next(answers) == 0
    sleep(0.05)
    assert len(begun) <= 5
    answers.close()  # type: ignore[attr-defined]


def test_the_first_error_is_raised_after_the_answers_before_it() -> None:
    def work(number: int) -> int:
        if number in {3, 5}:
            raise KeyError(number)
        return number

    answers = in_order((partial(work, number) for number in range(10)), 4)
    assert [next(answers) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(KeyError, match="3"):
        next(answers)
