"""What the server asks of the rest of the lab: worker processes, and a folder for what is sent.

The server imports neither NumPy nor the core: the processes do, while the page loads.
"""

import asyncio
import secrets
import tempfile
from collections.abc import AsyncIterable, Mapping
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from gaussbayes.apps.lab.worker_process import ProcessEndedError, WorkerProcess, prepare
from gaussbayes.base.errors import DataError

if TYPE_CHECKING:
    from gaussbayes.apps.lab.lab_tables import NamedTable

# The colours that `gaussbayes.plots.style` gives to twelve classes, whose import takes long. On
# dark ground those too dark to be seen there are mixed with white, no more than that their contrast
# with #15181d becomes 4.5 to 1.
LIGHT_COLOURS = (
    *("#3f90da", "#ffa90e", "#bd1f01", "#832db6", "#92dadd", "#a96b59"),
    *("#e76300", "#b9ac70", "#717581", "#94a4a2", "#234f78", "#8c5d08"),
)
DARK_COLOURS = (
    *("#3f90da", "#ffa90e", "#cf5e48", "#a668ca", "#92dadd", "#ae7463"),
    *("#e76300", "#b9ac70", "#7c808b", "#94a4a2", "#6584a0", "#a17a34"),
)
SHAPES = ("circle", "square", "triangle", "diamond", "cross", "plus", "star")
LARGEST_UPLOAD = 64 << 20  # bytes of a file
ABOUT: dict[str, Any] = {
    "colours": {"light": LIGHT_COLOURS, "dark": DARK_COLOURS},
    "shapes": SHAPES,
    "limits": {"upload": LARGEST_UPLOAD},
}
ENDINGS = (".txt", ".dat", ".data", ".json")  # tell no format: the first bytes of the file do
_NEEDED = ("msgspec", "starlette", "uvicorn", "websockets", "plotly")
_READING_SECONDS = 60.0  # that a file may take to be read
_READING_BYTES = 3 << 30  # of addresses that may be taken for it; far less is memory


def check_extra() -> None:
    """Raise, saying how to install it, if something that the lab needs is not there."""
    missing = " and ".join(name for name in _NEEDED if find_spec(name) is None)
    if missing:
        msg = f"the lab needs {missing}, which is not installed: pip install 'gaussbayes[lab]'"
        raise ImportError(msg)


class Backend:
    """What is behind the server. As a context manager, it takes its folder away at the end."""

    def __init__(self, given: "NamedTable | None" = None) -> None:
        self._given = given  # the rows that the command line names, if it does
        self._about: asyncio.Task[Mapping[str, Any]] | None = None
        self._reading = asyncio.Lock()  # one file at a time

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if "_temporary" in self.__dict__:
            self._temporary.cleanup()

    @cached_property
    def _temporary(self) -> "tempfile.TemporaryDirectory[str]":
        """A folder that only this user can look into."""
        return tempfile.TemporaryDirectory(prefix="gaussbayes-lab-", ignore_cleanup_errors=True)

    @cached_property
    def folder(self) -> Path:
        """Where the command's table and files that were sent lie."""
        folder = Path(self._temporary.name)
        if self._given is not None:
            from gaussbayes.apps.lab.lab_tables import GIVEN, keep_table

            keep_table(folder, self._given, GIVEN)
        return folder

    def prepare(self) -> None:
        """Let imports begin, so that the first answer does not wait for them."""
        prepare(has_table=self._given is not None)

    def process(self) -> WorkerProcess:
        """A process that answers requests."""
        return WorkerProcess(self.folder)

    async def about(self) -> Mapping[str, Any]:
        """What the page needs to know from the start; it is worked out once."""
        if self._about is None or (self._about.done() and self._about.exception()):
            self._about = asyncio.create_task(self._asked_about())
        return await asyncio.shield(self._about)

    async def _asked_about(self) -> Mapping[str, Any]:
        process = self.process()
        try:
            about: Mapping[str, Any] = await process.call("about")
        finally:
            process.close()
        return about

    async def keep(self, name: str, content: AsyncIterable[bytes]) -> Mapping[str, Any]:
        """A file's name, for show only, and its bytes → what the page is told of its table.

        It is read by a process of its own, in bounded time and memory: whatever the file does to
        it, the lab goes on. Raises `DataError` for what cannot be used.
        """
        path = self.folder / f"sent-{secrets.token_hex(8)}"
        try:
            with path.open("xb") as file:
                async for part in content:
                    file.write(part)
            async with self._reading:
                return await self._read(name, path)
        finally:
            path.unlink(missing_ok=True)

    async def _read(self, name: str, path: Path) -> Mapping[str, Any]:
        process = WorkerProcess(self.folder, _READING_BYTES)
        try:
            reading = process.call("keep", name, path)
            record: Any = await asyncio.wait_for(reading, _READING_SECONDS)
        except TimeoutError:
            record = f"{name} took longer than {_READING_SECONDS:.0f} s to read, and was given up"
        except ProcessEndedError as error:
            record = f"{name} cannot be read: {error}"
        finally:
            process.close()
        if isinstance(record, str):
            raise DataError(record)
        kept: Mapping[str, Any] = record
        return kept
