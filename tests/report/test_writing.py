"""The file is written whole or not at all, and messages name the path."""

import sys
from pathlib import Path
from typing import Any

import pytest

from gaussbayes import GaussianClassifier
from gaussbayes.apps.report import write, write_report

MODEL = GaussianClassifier().fit([[1.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1])
ROWS: tuple[Any, Any] = ([[1.0], [6.0]], [0, 1])


def files_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_replaces_the_old_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("old")
    path.chmod(0o640)
    write.replace_text(path, "new ä")
    assert path.read_bytes() == "new ä".encode()
    assert path.stat().st_mode & 0o777 == 0o640
    assert files_in(tmp_path) == ["page.html"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("old")
    link = tmp_path / "link.html"
    link.symlink_to("page.html")
    write.replace_text(link, "new")
    assert link.is_symlink()
    assert (tmp_path / "page.html").read_text() == "new"


def test_the_old_file_stays_if_writing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "page.html"
    path.write_text("old")

    def full(self: Path, target: Path) -> None:  # noqa: ARG001
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match=r"cannot write the report to .*page\.html.*No space left"):
        write.replace_text(path, "new")
    assert path.read_text() == "old"
    assert files_in(tmp_path) == ["page.html"]


def test_a_directory(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="it is a directory; name a file in it"):
        write_report(MODEL, *ROWS, tmp_path)


def test_no_such_directory(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no directory .*nowhere"):
        write_report(MODEL, *ROWS, tmp_path / "nowhere" / "page.html")


def test_a_file_where_a_directory_should_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError, match="is not a directory"):
        write_report(MODEL, *ROWS, tmp_path / "file" / "page.html")


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Asked of the system, for the administrator may write anywhere.
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(PermissionError, match="no permission to write in"):
        write_report(MODEL, *ROWS, tmp_path / "page.html")
    assert files_in(tmp_path) == []


def test_not_an_ordinary_file() -> None:
    with pytest.raises(OSError, match="'/dev/null': it is not an ordinary file"):
        write_report(MODEL, *ROWS, "/dev/null")


def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install 'gaussbayes\[plot\]'"):
        write_report(MODEL, *ROWS, tmp_path / "page.html")
    assert files_in(tmp_path) == []


def test_the_path_is_looked_at_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        write_report("not a model", None, None, tmp_path)
