"""Lessons as pages and notebooks: every cell runs, and every page has what a class needs."""

import ast
import json
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest
from click.testing import CliRunner

from gaussbayes import lessons
from gaussbayes.apps.cli.lesson_command import lesson_command
from gaussbayes.lessons.notebook import cells, notebook, page

PAGES = sorted(file.stem for file in Path(lessons.__file__).with_name("pages").glob("*.md"))


def test_every_lesson_has_a_page() -> None:
    assert sorted(lessons.names()) == PAGES


@pytest.mark.parametrize("name", PAGES)
def test_a_page_runs(name: str) -> None:
    parts = list(cells(page(name)))
    text = "\n".join(cell.text for cell in parts if not cell.is_code)
    for needed in (f"# {lessons.get(name).title}\n", "**The question.**", "\n## Exercises\n", "$"):
        assert needed in text
    solutions = [cell for cell in parts if "hide-cell" in cell.tags]
    assert len(solutions) >= 2
    names: dict[str, Any] = {}
    said = StringIO()
    with redirect_stdout(said):
        for cell in parts:
            if cell.is_code:
                exec(compile(ast.parse(cell.text), name, "exec"), names)  # noqa: S102
    assert said.getvalue()
    assert plt.get_fignums()  # a page without a figure teaches less
    plt.close("all")


def test_a_notebook_is_the_page(tmp_path: Path) -> None:
    file = tmp_path / "petals.ipynb"
    answer = CliRunner().invoke(lesson_command, ["petals", "--notebook", str(file)])
    assert answer.exit_code == 0, answer.output
    document = json.loads(file.read_text(encoding="utf-8"))
    assert document == notebook("petals")
    code = ["".join(cell["source"]) for cell in document["cells"] if cell["cell_type"] == "code"]
    assert code == [cell.text for cell in cells(page("petals")) if cell.is_code]
    hidden = [cell for cell in document["cells"] if cell["metadata"].get("tags") == ["hide-cell"]]
    assert len(hidden) == 3
    assert "> **Erratum**" in "".join("".join(cell["source"]) for cell in document["cells"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["petals", "rain", "--notebook", "x.ipynb"], "one lesson, got 2"),
        (["petal", "--notebook", "x.ipynb"], "petals"),
        (["petals", "--notebook", "missing/x.ipynb"], "missing"),
    ],
)
def test_notebooks_that_cannot_be(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = CliRunner().invoke(lesson_command, arguments)
    assert answer.exit_code != 0
    assert message in f"{answer.output}{answer.exception}"
