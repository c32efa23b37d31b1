"""The list of lessons is whole and fits the terminal."""

import json

import pytest

from gaussbayes.lessons import all_lessons
from tests.cli.calling import Call


@pytest.mark.parametrize("columns", [80, 120])
def test_the_table_fits(call: Call, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    result = call("lessons")
    assert result.exit_code == 0
    assert "…" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= columns
    words = " ".join(result.stdout.split())
    for lesson in all_lessons():
        assert f"\n{lesson.name} " in result.stdout
        assert lesson.title.split()[0] in words


def test_as_json(call: Call) -> None:
    result = call("lessons", "--json")
    assert result.stderr == ""
    assert json.loads(result.stdout) == [
        {
            "name": lesson.name,
            "title": lesson.title,
            "source": lesson.source,
            "results": len(lesson.results),
            "figures": len(lesson.figures),
        }
        for lesson in all_lessons()
    ]
