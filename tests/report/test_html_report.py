"""The file is written whole or not at all, and messages name the path."""

import sys
from pathlib import Path
from typing import Any

import pytest

from gaussbayes import GaussianClassifier
from gaussbayes.base.errors import OptionError
from gaussbayes.datasets import load_iris
from gaussbayes.report import svg_figures, write_report

MODEL = GaussianClassifier().fit([[1.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1])
ROWS: tuple[Any, Any] = ([[1.0], [6.0]], [0, 1])


def files_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures take most of the time of a report."""
    monkeypatch.setattr(svg_figures, "inline_figures", lambda _: {})


@pytest.mark.usefixtures("undrawn")
def test_replaces_the_old_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")
    path.chmod(0o640)
    write_report(MODEL, *ROWS, path, title="new ä \ud800")
    assert "<title>new ä ?</title>" in path.read_text(encoding="utf-8")
    assert path.stat().st_mode & 0o777 == 0o640
    assert files_in(tmp_path) == ["report.html"]


@pytest.mark.usefixtures("undrawn")
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text("old")
    link = tmp_path / "link.html"
    link.symlink_to("report.html")
    write_report(MODEL, *ROWS, link)
    assert link.is_symlink()
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.usefixtures("undrawn")
def test_the_old_file_stays_if_writing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")

    def full(self: Path, target: Path) -> None:  # noqa: ARG001
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match=r"cannot write the report to .*report\.html.*No space left"):
        write_report(MODEL, *ROWS, path)
    assert path.read_text() == "old"
    assert files_in(tmp_path) == ["report.html"]


def test_a_directory(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="it is a directory; name a file in it"):
        write_report(MODEL, *ROWS, tmp_path)


def test_no_such_directory(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no directory .*nowhere"):
        write_report(MODEL, *ROWS, tmp_path / "nowhere" / "report.html")


def test_a_file_where_a_directory_should_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError, match="is not a directory"):
        write_report(MODEL, *ROWS, tmp_path / "file" / "report.html")


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Asked of the system, for the administrator may write anywhere.
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(PermissionError, match="no permission to write in"):
        write_report(MODEL, *ROWS, tmp_path / "report.html")
    assert files_in(tmp_path) == []


def test_not_an_ordinary_file() -> None:
    with pytest.raises(OSError, match="'/dev/null': it is not an ordinary file"):
        write_report(MODEL, *ROWS, "/dev/null")


@pytest.mark.parametrize("library", ["jinja2", "matplotlib.pyplot"])
def test_without_a_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    name = library.partition(".")[0]
    with pytest.raises(ImportError, match=rf"needs {name}, .*pip install 'gaussbayes\[report\]'"):
        write_report(MODEL, *ROWS, tmp_path / "report.html")
    assert files_in(tmp_path) == []


def test_the_path_is_looked_at_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        write_report("not a model", None, None, tmp_path)


def test_what_was_fitted_is_judged_by_rows_left_out(tmp_path: Path) -> None:
    """Rows that a model was fitted to are predicted by models of the others."""
    data = load_iris()
    model = GaussianClassifier().fit(data.rows, data.labels)
    left_out = model.leave_one_out(data.rows, data.labels).evaluation
    options: dict[str, Any] = {"held_out": 3, "random_state": 1}
    pages = [
        write_report(
            model, data.rows, data.labels, tmp_path / "r.html", fitted=fitted, **options
        ).read_text(encoding="utf-8")
        for fitted in (True, False)
    ]
    wrong = f"err in {left_out.n_errors} of 150"
    assert f"models of all other rows, which have not seen the row, {wrong}" in " ".join(
        pages[0].split()
    )
    assert f"{left_out.log_loss:.4f}" in pages[0]
    assert "Confusion matrix on rows left out" in pages[0]
    assert "Confusion matrix on the rows given" in pages[1]
    with pytest.raises(OptionError, match="row_names must name each of 150 rows, got 1"):
        write_report(model, data.rows, data.labels, tmp_path / "r.html", row_names=["one"])
