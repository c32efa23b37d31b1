"""One thread that does all the work of the lab, so that what it holds needs no locks."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Worker:
    """Runs functions one after the other in a thread of its own, in the order they came.

    The thread is a daemon: at Ctrl-C nobody waits for a long calculation that nobody reads.

    Examples
    --------
    >>> asyncio.run(Worker().run(pow, 2, 10))
    1024
    """

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        Thread(target=self._work, name="lab", daemon=True).start()

    async def run(
        self,
        function: Callable[Arguments, Result],
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Result:
        """What the function returns or raises; if its turn comes too late, it is not called."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()

        def job() -> None:
            if future.cancelled():
                return
            try:
                result = function(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001 (raised where it is awaited)
                settle: Callable[[Any], None] = future.set_exception
                value: Any = error
            else:
                settle, value = future.set_result, result
            with suppress(RuntimeError):  # the loop has ended meanwhile
                loop.call_soon_threadsafe(_unless_done, future, settle, value)

        self._jobs.put(job)
        return await future

    def begin(self, function: Callable[[], object]) -> None:
        """Run a function in its turn; nobody waits for it, nor is told if it fails."""

        def job() -> None:
            with suppress(Exception):
                function()

        self._jobs.put(job)

    def _work(self) -> None:
        while True:
            self._jobs.get()()


def _unless_done(future: "asyncio.Future[Any]", settle: Callable[[Any], None], value: Any) -> None:
    if not future.done():
        settle(value)
