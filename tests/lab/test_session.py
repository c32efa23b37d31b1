"""Conversations: the latest request wins, errors are answered, a page that goes is no error."""

import asyncio
import json
import logging
from contextlib import suppress
from socket import SHUT_RDWR
from threading import Event
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from gaussbayes.apps.lab import session
from gaussbayes.apps.lab.messages import LONGEST_MESSAGE, schema_text
from gaussbayes.apps.lab.session import converse
from gaussbayes.apps.lab.worker_process import ProcessEndedError
from tests.lab.server_double import Answered, Asked, Process, answer, backend, decode, running


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


class Channel(Spoken):
    """A socket through which more is said meanwhile."""

    def __init__(self) -> None:
        super().__init__(until=-1)
        self._sent: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._came = asyncio.Condition()

    def say(self, message: str) -> None:
        self._sent.put_nowait(received(message))

    def leave(self) -> None:
        self._sent.put_nowait({"type": "websocket.disconnect"})

    async def receive(self) -> dict[str, Any]:
        return await self._sent.get()

    async def send(self, message: dict[str, Any]) -> None:
        await super().send(message)
        async with self._came:
            self._came.notify_all()

    async def hears(self, n: int) -> None:
        """Wait until so many messages have come."""
        async with self._came:
            await asyncio.wait_for(self._came.wait_for(lambda: len(self.heard) >= n), 10)


def heard(*messages: str | bytes, functions: Any = None, until: int) -> list[Any]:
    """What a page hears that sends these messages one right after the other."""

    async def talk() -> list[Any]:
        channel: Any = Spoken(*messages, until=until)
        await asyncio.wait_for(converse(channel, (functions or backend()).process), 10)
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
    assert {head["number"] for head in heard(*messages, until=2)} == {3, 1}


def test_what_waits_while_something_is_calculated() -> None:
    """The first is being calculated; of those that come meanwhile the last of each kind counts."""
    begun, more = Event(), Event()

    def slow(request: Asked) -> Answered:
        if request.number == 0:
            begun.set()
            assert more.wait(10)
        return answer(request)

    async def talk() -> list[int]:
        channel: Any = Channel()
        talking = asyncio.create_task(converse(channel, lambda: Process(slow)))
        channel.say(asking(0, "point"))
        assert await asyncio.to_thread(begun.wait, 10)
        for number, kind in enumerate(["point", "scene", "point", "scene", "scene"], 1):
            channel.say(asking(number, kind))
        channel.say(asking(6, "lesson"))
        await channel.hears(1)  # by the other process: the others have been taken before it
        more.set()
        await channel.hears(4)
        channel.leave()
        await asyncio.wait_for(talking, 10)
        return [head["number"] for head in channel.heard]

    assert asyncio.run(talk()) == [6, 0, 5, 3]


@pytest.mark.parametrize("nonsense", ["", "{", "[]", "NaN", '"scene"', '{"kind": "scene"}', b"\0"])
def test_nonsense_is_answered_and_the_talk_goes_on(nonsense: str | bytes) -> None:
    error, head = heard(nonsense, asking(1, "scene"), until=2)
    assert error["kind"] == "error"
    assert error["text"]
    assert head["number"] == 1


def test_what_is_wrong_with_a_request_is_told() -> None:
    error, head = heard(asking(1, "scene", wrong=True), asking(2, "point"), until=2)
    text = "the matrix is not positive definite"
    assert error == {"kind": "error", "of": "scene", "number": 1, "text": text}
    assert head["number"] == 2


def test_a_newer_request_ends_what_is_vain(monkeypatch: pytest.MonkeyPatch) -> None:
    """That of other data does; that of the same data and model takes what is worked out."""
    monkeypatch.setattr(session, "PATIENCE", 0.02)
    for model, stopped in (("same", 0), ("other", 1)):
        begun, more, processes = Event(), Event(), []

        def slow(request: Asked, begun: Event = begun, more: Event = more) -> Answered:
            if request.number == 0:
                begun.set()
                more.wait(10)
            return answer(request)

        def start(slow: Any = slow, processes: list[Process] = processes) -> Process:
            processes.append(Process(slow))
            return processes[-1]

        async def talk(
            model: str = model, begun: Event = begun, more: Event = more, start: Any = start
        ) -> list[int]:
            channel: Any = Channel()
            talking = asyncio.create_task(converse(channel, start))
            channel.say(asking(0, "scene", data="d", model="same"))
            assert await asyncio.to_thread(begun.wait, 10)
            channel.say(asking(1, "scene", data="d", model=model))
            if model == "same":
                channel.say(asking(2, "numbers"))
                await channel.hears(1)  # it has been taken
                more.set()
            await channel.hears(3 if model == "same" else 1)
            more.set()
            channel.leave()
            await asyncio.wait_for(talking, 10)
            return [head["number"] for head in channel.heard]

        assert asyncio.run(talk()) == ([2, 0, 1] if model == "same" else [1])
        assert processes[0].n_stopped == stopped + 1  # at the end, too


def test_work_can_be_cancelled() -> None:
    begun, more = Event(), Event()

    def slow(request: Asked) -> Answered:
        if request.number == 0:
            begun.set()
            more.wait(10)
        return answer(request)

    async def talk() -> list[Any]:
        channel: Any = Channel()
        talking = asyncio.create_task(converse(channel, lambda: Process(slow)))
        channel.say(asking(0, "multiples"))
        assert await asyncio.to_thread(begun.wait, 10)
        channel.say(asking(1, "cancel", of="multiples"))
        channel.say(asking(2, "cancel", of="scene"))  # there is none
        channel.say(asking(3, "numbers"))
        await channel.hears(2)
        more.set()
        channel.leave()
        await asyncio.wait_for(talking, 10)
        return channel.heard

    stopped, head = asyncio.run(talk())
    assert (stopped["kind"], stopped["of"], stopped["number"]) == ("error", "multiples", 0)
    assert head["number"] == 3


def test_what_takes_too_long_is_stopped_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "MOST_SECONDS", 0.02)
    more = Event()

    def slow(request: Asked) -> Answered:
        if request.number == 1:
            more.wait(10)
        return answer(request)

    async def talk() -> Any:
        channel: Any = Channel()
        talking = asyncio.create_task(converse(channel, lambda: Process(slow)))
        channel.say(asking(1, "numbers"))
        await channel.hears(1)
        more.set()
        channel.leave()
        await asyncio.wait_for(talking, 10)
        return channel.heard[0]

    error = asyncio.run(talk())
    assert "took longer than" in error["text"]
    assert (error["of"], error["number"]) == ("numbers", 1)


class Failing(Process):
    """A process that crashes at a request, and one that has to be given the data."""

    def __init__(self) -> None:
        super().__init__()
        self.data: list[str] = []

    async def call(self, method: str, text: str, *data: str) -> Any:
        if '"crash"' in text:
            msg = "the process that did this has ended (signal SIGSEGV, a crash)"
            raise ProcessEndedError(msg)
        if '"numbers"' in text and not data:
            return None
        self.data += data
        return await super().call(method, text)


def test_a_process_that_crashes_is_a_sentence() -> None:
    functions = backend(process=Failing)
    error, head = heard(
        asking(1, "scene", crash=1), asking(2, "point"), functions=functions, until=2
    )
    assert "has ended (signal SIGSEGV, a crash): nothing else is lost" in error["text"]
    assert (error["of"], error["number"], head["number"]) == ("scene", 1, 2)


def test_a_new_process_is_given_the_data() -> None:
    processes: list[Failing] = []

    def start() -> Failing:
        processes.append(Failing())
        return processes[-1]

    async def talk() -> None:
        channel: Any = Channel()
        talking = asyncio.create_task(converse(channel, start))
        channel.say(asking(1, "data", note="these"))
        await channel.hears(1)
        channel.say(asking(2, "numbers", data="data"))
        channel.say(asking(3, "scene", data="data"))
        await channel.hears(3)
        channel.leave()
        await asyncio.wait_for(talking, 10)

    asyncio.run(talk())
    assert processes[1].data == [asking(1, "data", note="these")]


def test_a_page_that_goes_ends_its_processes() -> None:
    processes: list[Process] = []
    begun, more = Event(), Event()

    def slow(request: Asked) -> Answered:
        begun.set()
        more.wait(10)
        return answer(request)

    def start() -> Process:
        processes.append(Process(slow))
        return processes[-1]

    async def talk() -> None:
        channel: Any = Channel()
        talking = asyncio.create_task(converse(channel, start))
        channel.say(asking(1, "multiples"))
        assert await asyncio.to_thread(begun.wait, 10)
        channel.leave()
        await asyncio.wait_for(talking, 10)
        more.set()

    asyncio.run(talk())
    assert [process.n_stopped for process in processes] == [1, 1]


def test_the_kinds_are_those_of_the_schema() -> None:
    schema = json.loads(schema_text())
    assert set(schema["discriminator"]["mapping"]) == session.KINDS
    assert session.LONGEST_TEXT == LONGEST_MESSAGE


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
