"""What a worker process does: it answers requests, reads files, and says what the page may know.

All of it follows from its arguments and from the lab's private folder, where uploads and the table
of the command line lie as Arrow files: a process that was ended is replaced by a new one.
"""

import importlib
import logging
import signal
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from gaussbayes import __version__
from gaussbayes.apps.lab import examples, lab_tables, messages
from gaussbayes.apps.lab.answers import answer, lessons
from gaussbayes.apps.lab.backend import ABOUT, ENDINGS
from gaussbayes.apps.lab.store import Store
from gaussbayes.apps.lab.wire_format import MessageError, encode, error_text
from gaussbayes.base.errors import GaussBayesError
from gaussbayes.data.file_names import name_endings

_log = logging.getLogger(__name__)
_GLOSSARY = Path(__file__).with_name("glossary.toml")  # what the words of the page mean


class Work:
    """The methods that may be called from outside; each answers with what can be sent back."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def _store(self) -> Store:
        return Store(lab_tables.kept_table(self._folder, lab_tables.GIVEN), self._folder)

    def answer(self, text: str, data: str | None = None) -> str | bytes | None:
        """The message that answers a request: a binary one, or a text that says what is wrong.

        None if the data that it is about are not here, nor is `data`, the request for them.
        """
        try:
            request = messages.read(text)
        except MessageError as error:
            return error_text(str(error), error.kind, error.number)
        try:
            key = getattr(request, "data", None)
            if key is not None and not self._store.has(key):
                if data is None:
                    return None
                again = messages.read(data) if data else None
                if isinstance(again, messages.DataRequest):
                    self._store.dataset_of(again)
            reply = answer(request, self._store)
            head = {**reply.head, "kind": request.kind, "number": request.number}
            return encode(head, reply.arrays)
        except GaussBayesError as error:
            wrong = str(error)
        except MemoryError:
            wrong = "there is not enough memory for this; take fewer points or a coarser grid"
        except Exception as error:  # noqa: BLE001 (the page is told, the terminal too)
            _log.exception("the lab could not answer a request of the kind %r", request.kind)
            wrong = (
                f"the lab has an error and could not answer this: {type(error).__name__}: {error}; "
                "the terminal shows where"
            )
        return error_text(wrong, request.kind, request.number)

    def keep(self, name: str, path: Path) -> dict[str, Any] | str:
        """Read a file that was sent and keep its table: what the page is told, or an error."""
        try:
            return lab_tables.keep_table(self._folder, lab_tables.read_file(name, path))
        except GaussBayesError as error:
            return str(error)
        except MemoryError:
            return f"{name} takes more memory than the lab gives to a file; take fewer rows"
        except Exception as error:  # noqa: BLE001 (the page is told, the terminal too)
            _log.exception("the lab could not read a file")
            return f"the lab has an error and could not read {name}: {type(error).__name__}"

    def about(self) -> Mapping[str, Any]:
        """What the page needs to know from the start."""
        given = self._store.given
        return ABOUT | {
            "version": __version__,
            "presets": [
                {"name": name, "thumbnail": examples.thumbnail(name)} | each.record
                for name, each in examples.EXAMPLES.items()
            ],
            "lessons": [
                {"name": each["name"], "title": each["title"], "steps": len(each["steps"])}
                for each in lessons()
            ],
            "glossary": tomllib.loads(_GLOSSARY.read_text("utf-8")),
            "given": None if given is None else given.record,
            "limits": ABOUT["limits"]
            | {"classes_by_hand": messages.MOST_CLASSES_BY_HAND, "rows": messages.MOST_ROWS},
            "endings": (*name_endings(), *ENDINGS),
        }


def work(connection: Any, folder: Path, most_bytes: int | None) -> None:
    """Do what comes through the connection, one thing after another, until it is closed.

    With `most_bytes` so much memory more than now may be taken.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's
    if most_bytes is not None:
        _limit_memory(most_bytes)
    does = Work(folder)
    try:
        while True:
            method, *args = connection.recv()
            connection.send(getattr(does, method)(*args))
    except (EOFError, OSError):
        pass  # the server has gone


def _limit_memory(most_bytes: int) -> None:
    try:
        import resource
    except ImportError:  # not everywhere
        return
    with suppress(ImportError):  # libraries are loaded first: the limit is for what a file holds
        importlib.import_module("gaussbayes.data.readers.text")
    status = Path("/proc/self/statm")
    pages = int(status.read_text("ascii").split()[0]) if status.exists() else 0
    now = pages * resource.getpagesize() if pages else most_bytes
    resource.setrlimit(resource.RLIMIT_AS, (now + most_bytes, now + most_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
