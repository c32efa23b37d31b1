"""Processes are started, asked, ended and replaced; what they cannot do is said."""

import asyncio
import json
import logging
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from gaussbayes.apps.lab import backend, lab_tables, work
from gaussbayes.apps.lab.backend import Backend
from gaussbayes.apps.lab.work import Work
from gaussbayes.apps.lab.worker_process import (
    ProcessEndedError,
    StoppedError,
    WorkerProcess,
    WorkerThread,
    _how_ended,
)
from gaussbayes.base.errors import DataError
from tests.lab.server_double import decode

DATA = json.dumps({"number": 1, "kind": "data", "source": {"from": "preset", "preset": "three"}})
CSV = b"x,y,kind\n1,2.5,a\n2,,b\n3,4,a\n"


def scene(data: str) -> str:
    model = {"from": "data"}
    return json.dumps({"number": 2, "kind": "scene", "data": data, "pair": [0, 1], "model": model})


async def parts(*content: bytes) -> AsyncIterator[bytes]:
    for part in content:
        yield part


def test_a_process_from_start_to_end(tmp_path: Path) -> None:
    """It is ended while it works, it crashes, and each time another one is there."""

    async def use() -> None:
        process = WorkerProcess(tmp_path)
        try:
            head, _ = decode(await process.call("answer", DATA))
            number = process._child[0].pid  # type: ignore[index]
            assert decode(await process.call("answer", scene(head["id"])))[0]["kind"] == "scene"
            asking = asyncio.ensure_future(process.call("answer", DATA))
            await asyncio.sleep(0)
            process.stop()
            with pytest.raises(StoppedError):
                await asking
            assert (
                await process.call("answer", scene(head["id"])) is None
            )  # a new one knows nothing
            assert process._child[0].pid != number  # type: ignore[index]
            again = await process.call("answer", scene(head["id"]), DATA)
            assert decode(again)[0]["kind"] == "scene"
            os.kill(process._child[0].pid, signal.SIGSEGV)  # type: ignore[index,arg-type]
            with pytest.raises(ProcessEndedError, match="has ended .signal SIGSEGV, a crash"):
                await process.call("answer", DATA)
            assert (await process.call("about"))["version"]
        finally:
            process.close()

    asyncio.run(use())


def test_files_are_read_by_a_process_that_may_be_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    async def use(lab: Backend) -> None:
        kept = await lab.keep("a.csv", parts(CSV[:9], CSV[9:]))
        assert (kept["rows"], kept["columns"]) == (3, ["x", "y", "kind"])
        assert [path.suffix for path in lab.folder.iterdir()] == [".arrow"]
        with pytest.raises(DataError, match="a.csv is empty"):
            await lab.keep("a.csv", parts())
        monkeypatch.setattr(backend, "_READING_SECONDS", 0.0)
        with pytest.raises(DataError, match="took longer than 0 s to read, and was given up"):
            await lab.keep("a.csv", parts(CSV))
        monkeypatch.setattr(backend, "_READING_SECONDS", 60.0)
        monkeypatch.setattr(backend, "_READING_BYTES", 32 << 20)
        many = b"x,kind\n" + b"1.25,a\n2.5,b\n" * 400_000
        with pytest.raises(DataError, match=r"a.csv (takes more memory|cannot be read|has more)"):
            await lab.keep("a.csv", parts(many))
        assert [path.suffix for path in lab.folder.iterdir()] == [".arrow"]

    with Backend() as lab:
        asyncio.run(use(lab))
        folder = lab.folder
        assert folder.stat().st_mode & 0o777 == 0o700
    assert not folder.exists()


@pytest.mark.parametrize(
    ("code", "words"),
    [(-9, "SIGKILL, for lack of memory perhaps"), (-11, "a crash"), (3, "code 3"), (-99, "99")],
)
def test_how_a_process_has_ended(code: int, words: str) -> None:
    assert words in _how_ended(code)


def test_work_that_nobody_waits_for_is_not_begun() -> None:
    begun: list[int] = []

    async def use() -> int:
        thread = WorkerThread()
        started = asyncio.get_running_loop().create_future()
        release = asyncio.Event()

        def first() -> None:
            loop.call_soon_threadsafe(started.set_result, None)
            asyncio.run_coroutine_threadsafe(release.wait(), loop).result(10)

        loop = asyncio.get_running_loop()
        one = asyncio.create_task(thread.run(first))
        await started
        late = asyncio.create_task(thread.run(begun.append, 2))
        await asyncio.sleep(0)
        late.cancel()
        release.set()
        await one
        with pytest.raises(ZeroDivisionError):
            await thread.run(divmod, 1, 0)
        found = await thread.run(pow, 2, 3)
        thread.end()
        return found

    assert asyncio.run(use()) == 8
    assert begun == []


def failing(error: BaseException) -> Any:
    def fail(*_: object) -> None:
        raise error

    return fail


def test_an_error_of_ours_is_told_and_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    does, sent = Work(tmp_path), tmp_path / "sent"
    sent.write_bytes(CSV)
    with caplog.at_level(logging.ERROR):
        for error, words in ((TypeError("ours"), "TypeError"), (MemoryError(), "memory")):
            monkeypatch.setattr(work, "answer", failing(error))
            monkeypatch.setattr(lab_tables, "read_file", failing(error))
            answered = json.loads(does.answer(DATA) or "")
            assert (answered["kind"], answered["of"], answered["number"]) == ("error", "data", 1)
            assert words in answered["text"]
            told = does.keep("a.csv", sent)
            assert isinstance(told, str)
            assert words in told
    assert len(caplog.records) == 2
    assert json.loads(does.answer("{") or "")["kind"] == "error"


def test_data_that_nobody_knows(tmp_path: Path) -> None:
    does = Work(tmp_path)
    assert does.answer(scene("abc")) is None
    assert "not here any more" in str(does.answer(scene("abc"), ""))
    assert "not here any more" in str(does.answer(scene("abc"), DATA))
