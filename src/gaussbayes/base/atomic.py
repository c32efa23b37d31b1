"""Replace a file in one step: readers see the old file or the new one.

The new content goes into a temporary file in the same directory, is forced to the disk, and is then
renamed. A failure before that leaves the old file unchanged. A process that is killed leaves its
temporary file behind; the next process that writes in the directory removes it.
"""

import os
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EACCES, EIO, EISDIR, ENOENT, ENOTDIR
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Yield a stream; at the end its content replaces the file completely, or not at all.

    A link stays a link: its target is replaced. The permissions of an existing file are kept.
    """
    target = path.resolve()  # the target of a link
    ours = f".gaussbayes-{socket.gethostname()}-"  # process numbers are local to a machine
    temporary = target.with_name(f"{ours}{os.getpid()}-{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as stream:
            if target.exists():
                temporary.chmod(target.stat().st_mode & 0o7777)
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(target)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    _remove_abandoned(target.parent, ours)


def replace_file(path: Path, data: bytes, what: str = "the file") -> None:
    """Write a file, whole or not at all; an `OSError` names the path and leaves the old file."""
    check_writable(path, what)
    try:
        with replacing(path) as stream:
            stream.write(data)
    except OSError as error:
        raise _named(error.errno or EIO, path, what) from None


def check_writable(path: Path, what: str = "the file") -> None:
    """Raise an `OSError` that names the path if no file can be written there."""
    folder = path.resolve().parent
    allowed = os.access(folder, os.W_OK | os.X_OK) and (
        not path.exists() or (path.is_file() and os.access(path, os.W_OK))
    )
    for problem, code in (
        (path.is_dir(), EISDIR),
        (not folder.exists(), ENOENT),
        (not folder.is_dir(), ENOTDIR),
        (not allowed, EACCES),
    ):
        if problem:
            raise _named(code, path, what)


def _named(code: int, path: Path, what: str) -> OSError:
    """The error of the system with this code, with a message that names the file."""
    error = type(OSError(code, ""))(f"cannot write {what} to {str(path)!r}: {os.strerror(code)}")
    error.errno = code
    return error


def _remove_abandoned(folder: Path, ours: str) -> None:
    """Remove temporary files of processes of this machine that have ended."""
    for temporary in folder.glob(f"{ours}*-*.tmp"):
        process = temporary.name.removeprefix(ours).partition("-")[0]
        with suppress(OSError, ValueError):
            if not _alive(int(process)):
                temporary.unlink()


def _alive(process: int) -> bool:
    if os.name == "posix":  # only POSIX has signal 0 as a test
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
    return True
