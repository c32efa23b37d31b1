"""Conversations: the latest request wins, errors are answered, a page that goes is no error."""

import asyncio
import json
import logging
from contextlib import suppress
from socket import SHUT_RDWR
from threading import Event, current_thread
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from gaussbayes.apps.lab.session import Worker, converse
from tests.lab.server_double import Answered, Asked, answer, backend, decode, running


def received(message: str | bytes) -> dict[str, Any]:
    """A message as it comes through a socket."""
    kind = "text" if isinstance(message, str) else "bytes"
    return {"type": "websocket.receive", kind: message}


class Spoken:
    """A socket that says what it is told to, and notes what it hears."""

    def __init__(self, *messages: str | bytes, until: int) -> None:
        self.heard: list[Any] = []
        self._messages = list(messages)
        self._until = until
        self._done = asyncio.Event()

    async def receive(self) -> dict[str, Any]:
        if self._messages:
            return received(self._messages.pop(0))
        await self._done.wait()
        return {"type": "websocket.disconnect"}

    async def send(self, message: dict[str, Any]) -> None:
        assert message.pop("type") == "websocket.send"
        is_text = "text" in message
        (content,) = message.values()
        self.heard.append(json.loads(content) if is_text else decode(content)[0])
        if len(self.heard) == self._until:
            self._done.set()


def heard(*messages: str | bytes, functions: Any = None, until: int) -> list[Any]:
    """What a page hears that sends these messages one right after the other."""

    async def talk() -> list[Any]:
        channel: Any = Spoken(*messages, until=until)
        await asyncio.wait_for(converse(channel, functions or backend(), Worker()), 10)
        return channel.heard

    return asyncio.run(talk())


def asking(number: int, kind: str, **body: Any) -> str:
    return json.dumps({"number": number, "kind": kind, **body})


def test_an_answer_names_its_request() -> None:
    (head,) = heard(asking(7, "scene", size=2), until=1)
    assert (head["kind"], head["number"], head["size"]) == ("scene", 7, 2)
    assert head["arrays"][0]["shape"] == [2]


def test_the_latest_of_a_kind_wins() -> None:
    messages = [asking(i, kind) for i, kind in enumerate(["scene", "numbers", "scene", "scene"])]
    assert [head["number"] for head in heard(*messages, until=2)] == [3, 1]


def test_what_waits_while_something_is_calculated() -> None:
    """The first is being calculated; of those that come meanwhile the last of each kind counts."""
    more = Event()

    def slow(request: Asked) -> Answered:
        if request.number == 0:
            assert more.wait(10)
        return answer(request)

    async def talk() -> list[int]:
        channel: Any = Spoken(until=3)
        sent: asyncio.Queue[str] = asyncio.Queue()

        async def receive() -> dict[str, Any]:
            if not channel._done.is_set() or not sent.empty():
                getting = asyncio.ensure_future(sent.get())
                ending = asyncio.ensure_future(channel._done.wait())
                await asyncio.wait([getting, ending], return_when=asyncio.FIRST_COMPLETED)
                ending.cancel()
                if getting.done():
                    return received(getting.result())
                getting.cancel()
            return {"type": "websocket.disconnect"}

        channel.receive = receive
        talking = asyncio.create_task(converse(channel, backend(answer=slow), Worker()))
        sent.put_nowait(asking(0, "numbers"))
        await asyncio.sleep(0.05)
        for number, kind in enumerate(["numbers", "scene", "numbers", "scene", "scene"], 1):
            sent.put_nowait(asking(number, kind))
        await asyncio.sleep(0.05)
        more.set()
        await asyncio.wait_for(talking, 10)
        return [head["number"] for head in channel.heard]

    assert asyncio.run(talk()) == [0, 5, 3]


@pytest.mark.parametrize("nonsense", ["", "{", "[]", "NaN", '"scene"', '{"kind": "scene"}', b"\0"])
def test_nonsense_is_answered_and_the_talk_goes_on(nonsense: str | bytes) -> None:
    error, head = heard(nonsense, asking(1, "scene"), until=2)
    assert error["kind"] == "error"
    assert error["text"]
    assert head["number"] == 1


def test_what_is_wrong_with_a_request_is_told() -> None:
    error, head = heard(asking(1, "wrong"), asking(2, "slower"), until=2)
    text = "the matrix is not positive definite"
    assert error == {"kind": "error", "of": "wrong", "number": 1, "text": text}
    assert head["number"] == 2


def test_an_error_of_ours_is_told_and_noted(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        error, head = heard(asking(1, "bug"), asking(2, "slower"), until=2)
    assert "TypeError" in error["text"]
    assert head["number"] == 2
    (record,) = caplog.records
    assert record.exc_info is not None


def test_too_little_memory() -> None:
    def greedy(_: Asked) -> Answered:
        raise MemoryError

    (error,) = heard(asking(1, "scene"), functions=backend(answer=greedy), until=1)
    assert "memory" in error["text"]


def test_long_requests_are_read_beside_others() -> None:
    names = []

    def reading(text: str) -> Asked:
        names.append(current_thread().name)
        return backend().read(text)

    heard(
        asking(1, "scene", note="x" * 100_000),
        asking(2, "data"),
        functions=backend(read=reading),
        until=2,
    )
    assert names[0] != names[1] == "MainThread"


def test_all_work_is_done_by_one_thread() -> None:
    async def work() -> set[str]:
        worker = Worker()
        names = await asyncio.gather(*(worker.run(lambda: current_thread().name) for _ in range(9)))
        return set(names)

    assert asyncio.run(work()) == {"lab"}


def test_work_that_nobody_waits_for_is_not_begun() -> None:
    begun, more = [], Event()

    async def work() -> None:
        worker = Worker()
        first = asyncio.create_task(worker.run(more.wait, 10))
        second = asyncio.create_task(worker.run(begun.append, 2))
        await asyncio.sleep(0.02)
        first.cancel()
        second.cancel()
        more.set()
        await worker.run(begun.append, 3)

    asyncio.run(work())
    assert begun == [3]


def test_the_worker_outlives_what_it_ran_for() -> None:
    more = Event()
    worker = Worker()

    async def leave() -> None:
        asyncio.create_task(worker.run(more.wait, 10)).add_done_callback(lambda _: None)
        await asyncio.sleep(0.02)

    asyncio.run(leave())
    more.set()
    assert asyncio.run(worker.run(pow, 2, 3)) == 8


def test_work_that_fails_does_not_end_the_thread() -> None:
    worker, done = Worker(), []
    worker.begin(lambda: done.append(1 // 0))
    worker.begin(lambda: done.append(1))
    assert asyncio.run(worker.run(pow, 2, 3)) == 8
    assert done == [1]


def test_errors_of_work_are_raised_where_it_is_awaited() -> None:
    with pytest.raises(ZeroDivisionError):
        asyncio.run(Worker().run(divmod, 1, 0))


def test_a_page_that_goes_while_it_is_answered(caplog: pytest.LogCaptureFixture) -> None:
    """Whether it closes or just dies, nothing is said about it, and others are served."""
    begun, more = Event(), Event()

    def slow(request: Asked) -> Answered:
        if request.kind == "numbers":
            begun.set()
            assert more.wait(10)
        return answer(request)

    with caplog.at_level(logging.WARNING), running(backend(answer=slow)) as server:
        for end in ("close", "die"):
            begun.clear()
            more.clear()
            with server.open_socket() as page:
                page.send(asking(1, "numbers", size=1_000_000))
                assert begun.wait(10)
                if end == "die":
                    page.socket.shutdown(SHUT_RDWR)
            more.set()
            with server.open_socket() as other:
                other.send(asking(2, "scene"))
                assert decode(other.recv(10))[0]["number"] == 2
    assert caplog.records == []


def test_a_message_that_is_far_too_long_ends_the_talk_only() -> None:
    with running() as server:
        with server.open_socket() as page:
            with suppress(ConnectionClosed):  # it may be closed before all is sent
                page.send("x" * 34_000_000)
            with pytest.raises(ConnectionClosed):
                page.recv(10)
        with server.open_socket() as page:
            page.send(asking(2, "scene"))
            assert decode(page.recv(10))[0]["number"] == 2
