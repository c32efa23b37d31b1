"""Putting a file in the place of another in one step: readers see the old one or the new one.

The new content goes into a temporary file in the same directory, is forced to the disk, and is then
renamed. Whatever fails before that leaves the old file as it was. A process that is killed leaves
its temporary file behind; the next one that writes in the directory sweeps it away.
"""

import os
import re
import secrets
import socket
import stat
import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

_TEMPORARY = re.compile(r"\.gaussbayes-([0-9a-f]{8})-([0-9]{1,10})-[0-9a-f]{16}\.tmp")
"""The name of a temporary file: which machine, which process, a random part."""

_OLD = 24 * 60 * 60
"""Seconds after which a temporary file is swept even if its process cannot be asked about."""


def replace_file(path: Path, data: bytes, what: str = "the file") -> None:
    """Write a file, whole or not at all; an `OSError` names the path and leaves the old file.

    A link stays a link: the file it leads to is replaced. The permissions of a file that is there
    are kept.
    """
    check_writable(path, what)
    target = path.resolve()  # of a link, the file it leads to
    temporary = temporary_beside(target)
    try:
        _write(temporary, data, target)
        take_place(temporary, target)
    except OSError as error:
        msg = f"cannot write {what} to {str(path)!r}: {error.strerror or error}"
        named = type(error)(msg)
        named.errno = error.errno
        raise named from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def temporary_beside(target: Path) -> Path:
    """A name for what will take a file's place, in the same directory.

    A file is replaced in one step only on the same disk. `sweep` knows such names again.
    """
    return target.with_name(f".gaussbayes-{_machine()}-{os.getpid()}-{secrets.token_hex(8)}.tmp")


def take_place(temporary: Path, target: Path) -> None:
    """Put a finished file, which is on the disk, in the place of another in one step."""
    temporary.replace(target)
    if os.name == "posix":
        with suppress(OSError):  # the file is in its place, and some file systems cannot do this
            settle(target.parent)
    sweep(target.parent)


def settle(path: Path) -> None:
    """Force a file, or a directory's new entry, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def check_writable(path: Path, what: str = "the file") -> None:
    """Raise an `OSError` that names the path if no file can be written there."""
    folder, named = path.resolve().parent, str(path.parent)
    for wrong, error, problem in (
        (path.is_dir(), IsADirectoryError, "it is a directory; name a file in it"),
        (path.exists() and not path.is_file(), OSError, "it is not an ordinary file"),
        (not folder.exists(), FileNotFoundError, f"there is no directory {named!r}"),
        (not folder.is_dir(), NotADirectoryError, f"{named!r} is not a directory"),
        (
            not os.access(folder, os.W_OK | os.X_OK),
            PermissionError,
            f"no permission to write in {named!r}",
        ),
        (
            path.exists() and not os.access(path, os.W_OK),
            PermissionError,
            "the file that is there may not be written",
        ),
    ):
        if wrong:
            msg = f"cannot write {what} to {str(path)!r}: {problem}"
            raise error(msg)


def sweep(folder: Path) -> None:
    """Remove temporary files in a directory that killed processes have left there.

    Only files of ours: those of processes of this machine that are no more, and those older than a
    day. What cannot be removed stays.
    """
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            named = _TEMPORARY.fullmatch(entry.name)
            if named is None:
                continue
            with suppress(OSError):
                age = time.time() - entry.stat(follow_symlinks=False).st_mtime
                dead = named[1] == _machine() and not _alive(int(named[2]))
                if dead or age > _OLD:
                    Path(entry.path).unlink()


def _write(temporary: Path, data: bytes, target: Path) -> None:
    """A new file with this content, on the disk, with the permissions of the one it replaces."""
    old = target.stat() if target.exists() else None
    # Nobody but the owner may look into it before it has its final permissions.
    mode = 0o666 if old is None else 0o600
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with open(os.open(temporary, flags, mode), "wb") as file:  # noqa: PTH123 (a descriptor)
        file.write(data)
        if old is not None:
            with suppress(OSError, AttributeError):  # only the administrator may give files away
                os.chown(temporary, old.st_uid, old.st_gid)
            temporary.chmod(stat.S_IMODE(old.st_mode))
        file.flush()
        os.fsync(file.fileno())


def _machine() -> str:
    """A short name of this machine: a process number means nothing on another."""
    return sha256(socket.gethostname().encode("utf-8", "replace")).hexdigest()[:8]


def _alive(process: int) -> bool:
    if os.name != "posix":  # there, signal 0 is not a question
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OverflowError, OSError):
        pass
    return True
