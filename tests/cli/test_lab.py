"""``gaussbayes lab``: rows are read once, and what is wrong is told before anything is served."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gaussbayes.apps.lab import backend, lab_tables, server
from gaussbayes.apps.lab.lab_tables import NamedTable
from tests.cli.calling import Call, Shell


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What would have been served."""
    found: dict[str, Any] = {}

    def serve(backend: Any, **options: Any) -> None:
        found.update(options, given=backend._given and backend._given.record)
        options["tell"]("http://127.0.0.1:1/token/")

    monkeypatch.setattr(server, "serve", serve)
    return found


def test_without_data(call: Call, served: dict[str, Any]) -> None:
    result = call("lab")
    assert (result.exit_code, result.stdout) == (0, "http://127.0.0.1:1/token/\n")
    assert "Ctrl-C" in result.stderr
    assert (served["port"], served["open_browser"], served["given"]) == (None, True, None)


def test_with_data(call: Call, served: dict[str, Any], iris: Path) -> None:
    result = call("lab", "iris.csv", "-y", "species", "--no-browser", "--port", 8123)
    assert result.exit_code == 0
    assert (served["port"], served["open_browser"]) == (8123, False)
    assert served["given"]["name"] == iris.name
    assert served["given"]["target"] == "species"
    assert len(served["given"]["columns"]) == 5


def test_rows_from_a_pipe(cold_shell: Shell, iris: Path) -> None:
    done = cold_shell(f"gaussbayes lab - -y specis --no-browser < {iris.name}")
    assert done.returncode == 3
    assert "standard input lacks the target: 'specis' (is it 'species'?)" in done.stderr


def test_many_rows_are_a_sample(
    call: Call, monkeypatch: pytest.MonkeyPatch, served: dict[str, Any], tmp_path: Path
) -> None:
    kept: list[NamedTable] = []
    sampled_table = lab_tables.sampled_table

    def noting(*arguments: Any, **options: Any) -> NamedTable | None:
        kept.append(sampled_table(*arguments, **options, most=100))  # type: ignore[arg-type]
        return kept[0]

    monkeypatch.setattr(lab_tables, "sampled_table", noting)
    rows = np.arange(1000)
    pd.DataFrame({"x": rows, "kind": rows % 2}).to_parquet(tmp_path / "rows.parquet")
    assert call("lab", "rows.parquet", "--seed", 5).exit_code == 0
    assert served["given"]["name"] == "rows.parquet (100 of its 1,000 rows, drawn with seed 5)"
    assert kept[0].table.num_rows == 100


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["-y", "species"], 2, "no DATA were given"),
        (["nothing.csv"], 2, "does not exist"),
        (["--port", "70000"], 2, "0<=x<=65535"),
        (["iris.csv", "-y", "kind"], 3, "iris.csv lacks the target: 'kind'"),
        (["empty.csv"], 3, "empty.csv has no rows"),
    ],
)
def test_what_is_wrong(call: Call, iris: Path, arguments: list[str], code: int, told: str) -> None:
    (iris.parent / "empty.csv").write_text("x,kind\n")
    result = call("lab", *arguments)
    assert result.exit_code == code
    assert told in result.stderr


def test_a_port_in_use(call: Call) -> None:
    with server.listen(0) as taken:
        port = taken.getsockname()[1]
        result = call("lab", "--port", port, "--no-browser")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: port {port} is in use by another program")


def test_without_the_extra(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "find_spec", lambda _: None)
    result = call("lab")
    assert result.exit_code == 1
    assert "pip install 'gaussbayes[lab]'" in result.stderr
