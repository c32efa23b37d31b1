"""A file is written whole or not at all, whatever happens on the way."""

import errno
import os
import signal
import socket
import stat
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from tests.model.file.models import file_of, models

OLD, NEW = models()["full False"], models()["diagonal False"]
OLD_FILE, NEW_FILE = file_of("full False"), file_of("diagonal False")


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def temporary_name(process: int | str, machine: str | None = None) -> str:
    return f".gaussbayes-{machine or socket.gethostname()}-{process}-{'0' * 16}.tmp"


def test_save_returns_the_path_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "model with ü.json"
    assert OLD.save(path) == path
    assert NEW.save(path) == path
    assert path.read_bytes() == NEW_FILE
    assert names_in(tmp_path) == [path.name]


def test_permissions_are_kept_and_new_files_have_the_usual_ones(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    before = os.umask(0o027)
    try:
        OLD.save(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o604)
        NEW.save(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o604
    finally:
        os.umask(before)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "link.json"
    link.symlink_to("there/model.json")
    OLD.save(link)  # the file it leads to is not there yet
    NEW.save(link)
    assert link.is_symlink()
    assert (tmp_path / "there" / "model.json").read_bytes() == NEW_FILE
    assert names_in(tmp_path / "there") == ["model.json"]


def full(*_: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(
    "step", ["os.fsync", "pathlib.Path.open", "pathlib.Path.replace", "pathlib.Path.chmod"]
)
def test_the_old_file_stays_if_a_step_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "model.json"
    OLD.save(path)
    with monkeypatch.context() as patched:
        patched.setattr(step, full)
        with pytest.raises(
            OSError, match=r"cannot write the model to '.*model\.json': No space"
        ) as told:
            NEW.save(path)
    assert told.value.errno == errno.ENOSPC
    assert path.read_bytes() == OLD_FILE
    assert names_in(tmp_path) == ["model.json"]


def test_the_old_file_stays_if_the_disk_is_full(tmp_path: Path) -> None:
    """A process that may write no file longer than 100 bytes."""
    path = tmp_path / "model.json"
    OLD.save(path)
    script = textwrap.dedent(
        f"""
        import resource, signal
        from pathlib import Path
        from gaussbayes import load
        model = load(Path({str(path)!r}))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        try:
            model.save(Path({str(path)!r}))
        except OSError as error:
            print(error)
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert f"cannot write the model to {str(path)!r}: File too large" in done.stdout
    assert path.read_bytes() == OLD_FILE
    assert names_in(tmp_path) == ["model.json"]


def test_ctrl_c_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.json"
    OLD.save(path)

    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        NEW.save(path)
    assert path.read_bytes() == OLD_FILE
    assert names_in(tmp_path) == ["model.json"]


def test_places_where_no_file_can_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(IsADirectoryError, match="the model to .*Is a directory"):
        OLD.save(tmp_path)
    with pytest.raises(FileNotFoundError, match="nowhere.*No such file or directory"):
        OLD.save(tmp_path / "nowhere" / "model.json")
    with pytest.raises(NotADirectoryError, match="Not a directory"):
        OLD.save(tmp_path / "file" / "model.json")
    with pytest.raises(OSError, match="'/dev/null': Permission denied"):
        OLD.save(Path("/dev/null"))
    # Asked of the system, for the administrator may write anywhere.
    access = os.access
    monkeypatch.setattr("os.access", lambda path, _: Path(path) != tmp_path and access(path, _))
    with pytest.raises(PermissionError, match="model.json': Permission denied"):
        OLD.save(tmp_path / "model.json")
    monkeypatch.setattr("os.access", lambda path, _: Path(path) == tmp_path)
    with pytest.raises(PermissionError, match="file': Permission denied"):
        OLD.save(tmp_path / "file")
    assert names_in(tmp_path) == ["file"]


def test_what_killed_processes_left_is_swept(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    kept = {
        "another machine's": temporary_name(ended.pid, "elsewhere"),
        "of a living process": temporary_name(os.getppid()),
        "of somebody else": f".other-{ended.pid}.tmp",
        "no process": ".gaussbayes-notes.tmp",
        "no number": temporary_name("notes"),
    }
    for name in (*kept.values(), temporary_name(ended.pid)):
        (tmp_path / name).write_text("half a model")
    OLD.save(tmp_path / "model.json")
    assert names_in(tmp_path) == sorted([*kept.values(), "model.json"])


def test_a_killed_process_leaves_the_old_file(tmp_path: Path) -> None:
    """Killed when the temporary file is complete and not yet renamed; the next save sweeps it."""
    path = tmp_path / "model.json"
    OLD.save(path)
    script = textwrap.dedent(
        f"""
        import os, signal
        from pathlib import Path
        from gaussbayes import load
        model = load(Path({str(path)!r}))
        os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
        model.save(Path({str(path)!r}))
        """
    )
    done = subprocess.run([sys.executable, "-c", script], check=False, cwd=tmp_path)
    assert done.returncode == -signal.SIGKILL
    assert path.read_bytes() == OLD_FILE
    assert len(names_in(tmp_path)) == 2
    NEW.save(path)
    assert path.read_bytes() == NEW_FILE
    assert names_in(tmp_path) == ["model.json"]


def test_saving_closes_what_it_opens(tmp_path: Path) -> None:
    OLD.save(tmp_path / "model.json")
    before = len(os.listdir("/dev/fd"))  # noqa: PTH208 (links that may be gone)
    for _ in range(5):
        OLD.save(tmp_path / "model.json")
    assert len(os.listdir("/dev/fd")) == before  # noqa: PTH208
