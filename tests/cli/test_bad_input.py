"""Files as people have them: read as they are meant, or refused in one clear sentence."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from click.testing import Result
from pyarrow import parquet

from tests.cli.calling import Call, Shell

SUBCOMMANDS = ("fit", "evaluate", "report")

GOOD = "a,b,y\n1,2,x\n2,4,x\n3,3,x\n7,9,z\n8,7,z\n9,9,z\n"


def refused(result: Result, message: str, code: int = 3) -> None:
    """The command ended with a code, and said one thing on standard error."""
    assert result.exit_code == code
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr
    assert message in result.stderr


@pytest.mark.parametrize("subcommand", SUBCOMMANDS)
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "rows.csv is empty: the first line must name the columns"),
        (b"\n\r\n", "rows.csv is empty: the first line must name the columns"),
        (b"a,b,y\n", "no rows"),
        (b"1,2,x\n3,4,z\n", "'1', '2', 'x'. Does its first line name the columns?"),
        (b"5.1,2,x\n3,4,z\n", "must name the columns"),
        (b"a,a,y\n1,2,x\n", "more than one column called 'a'"),
        (b"a,b,Y\n1,2,x\n", "lacks the target: 'y' (is it 'Y'?); its columns are 'a', 'b', 'Y'"),
        (b"a,b,y\n1,2,x\n2,3,x\n3,5,x\n", "at least two classes"),
        (b"y\nx\nz\n", "no column to learn from besides 'y'"),
        (b"a,b,y\n1,2,x\n1,2\n3,4,z\n", "rows.csv, row 2: has 2 values, but there are 3 columns"),
        (b"a,b,y\n1,2,x\n1,2,x,9\n", "rows.csv, row 2: has 4 values, but there are 3 columns"),
        (b"a,b,y\n1,2,x\n2,2,x\nmany,2,x\n", "row 3, column 'a': 'many' is not a number"),
        (b"a,y\n1,0.5\n2,0.25\n", "the target 'y' is continuous"),
        (b"a,b,y\n1,2,\xff\n", "row 1, column 'y': '\\\\xff' is not UTF-8 text"),
        (b"\xff,y\n1,x\n", "the first line of rows.csv is not UTF-8 text"),
        (GOOD.encode("utf-16"), "rows.csv is UTF-16 text"),
        (b",y\n0,x\n1,z\n2,x\n", "all are left out, '' (identifies rows)"),
        (b"a;b;y\n1,5;2.5;x\n2,5;3;z\n", "has numbers with a comma, and others with a point"),
        (b"PAR1" + bytes(20), "is not text but a parquet file"),
    ],
)
def test_text_that_cannot_be_used(
    call: Call, subcommand: str, content: bytes, message: str
) -> None:
    Path("rows.csv").write_bytes(content)
    refused(call(subcommand, "rows.csv", "-y", "y"), message)
    assert os.listdir() == ["rows.csv"]  # noqa: PTH208 (hidden files too)


@pytest.mark.parametrize(
    ("n", "advice"),
    [
        (5, "add labelled rows of another class, or take another column as the target (-y)"),
        (30, "least two classes. Choose a column of classes, or add rows of another class"),
    ],
)
def test_what_is_advised_of_a_target_works(call: Call, n: int, advice: str) -> None:
    lines = [f"{i},{i * i % 7},{'uv'[i % 2]},x\n" for i in range(n)]
    rows = "a,b,kind,y\n" + "".join(lines)
    Path("rows.csv").write_text(rows, encoding="utf-8")
    refused(call("fit", "rows.csv", "-y", "y"), advice)
    assert call("fit", "rows.csv", "-y", "kind").exit_code == 0
    Path("rows.csv").write_text(rows + "6,1,v,z\n7,3,u,z\n", encoding="utf-8")
    assert call("fit", "rows.csv", "-y", "y").exit_code == 0
    excluded = call("fit", "rows.csv", "-y", "y", "--exclude", "[by]")
    refused(excluded, "named by --exclude. Give names or patterns that do not match it")
    assert call("fit", "rows.csv", "-y", "y", "--exclude", "[b]").exit_code == 0


@pytest.mark.parametrize("subcommand", SUBCOMMANDS)
@pytest.mark.parametrize("value", ["inf", "-inf"])
def test_infinity_in_a_column_that_was_asked_for(call: Call, subcommand: str, value: str) -> None:
    """Where columns are chosen it is a missing value: see `tests/cli/test_columns.py`."""
    Path("rows.csv").write_text(f"a,b,y\n1,2,x\n{value},3,x\n4,5,z\n", encoding="utf-8")
    result = call(subcommand, "rows.csv", "-y", "y", "--features", "a,b")
    refused(result, f"row 2, column 'a': '{value}' is not finite")


@pytest.mark.parametrize("subcommand", SUBCOMMANDS)
@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("rows.parquet", b"a" * 100, "rows.parquet"),
        ("rows.parquet", b"", "rows.parquet"),
        ("rows.arrow", b"nothing like it" * 10, "rows.arrow"),
        ("rows.csv.gz", b"a,y\n1,x\n", "rows.csv.gz is not a gzip file"),
        ("rows.jsonl", b'{"a": 1, "y": "x"}\n{"a": \n', "rows.jsonl"),
        ("rows.jsonl", b"a,y\n1,x\n", "rows.jsonl"),
        ("folder/notes.txt", b"nothing", "no data files in the folder 'folder', only 'notes.txt'"),
    ],
)
def test_other_files_that_are_none(
    call: Call, subcommand: str, name: str, content: bytes, message: str
) -> None:
    path = Path(name)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    refused(call(subcommand, path.parts[0], "-y", "y"), message)


@pytest.mark.parametrize(
    "content",
    [
        GOOD,
        "\ufeff" + GOOD,
        GOOD.replace("\n", "\r\n"),
        GOOD.rstrip("\n"),
        GOOD.replace(",", ";"),
        GOOD.replace("\n", "\n\n"),
        GOOD.replace("x", '"x"').replace("a,b,y", '"a","b","y"'),
        GOOD.replace(",", ";").replace("1;2;", "1,0;2,0;"),
        GOOD.replace("x", '"two\nlines"'),
        GOOD.replace("x", "1").replace("z", "2"),
        GOOD.replace("x", "true").replace("z", "false"),
    ],
)
def test_text_that_only_looks_odd(call: Call, content: str) -> None:
    Path("rows.csv").write_bytes(content.encode())
    result = call("evaluate", "rows.csv", "-y", "y", "--cv", "3", "--shared", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout)["rows"] == 6
    assert call("fit", "rows.csv", "-y", "y", "--model", "qda").exit_code == 0
    expected = np.mean([[1, 2], [2, 4], [3, 3]], axis=0)
    shown = json.loads(call("show", "model.json", "--json").stdout)
    assert expected.tolist() in shown["means"]


@pytest.mark.parametrize("subcommand", SUBCOMMANDS)
def test_strings_are_no_numbers(call: Call, subcommand: str) -> None:
    Path("rows.csv").write_text("a,b,y\n1,red,x\n2,blue,z\n")
    result = call(subcommand, "rows.csv", "-y", "y", "--model", "lda", "--numeric", "b")
    refused(result, "not numbers: column 'b' (string")


def test_ten_thousand_columns(call: Call) -> None:
    names = ",".join(f"c{i}" for i in range(9999))
    generator = np.random.default_rng(0)
    lines = [
        ",".join(map(str, generator.integers(0, 9, 9999))) + f",{'xz'[row % 2]}" for row in range(6)
    ]
    Path("wide.csv").write_text("\n".join([f"{names},y", *lines]))
    result = call("fit", "wide.csv", "-y", "Y")
    refused(result, "lacks the target: 'Y'")
    assert len(result.stderr) < 2000  # not ten thousand names
    chosen = ["-y", "y", "--features", "c3,c9998", "--covariance", "spherical", "--shared"]
    assert call("evaluate", "wide.csv", *chosen, "--cv", "2").exit_code == 0
    result = call("fit", "wide.csv", "-y", "y", "--covariance", "spherical")
    assert result.exit_code == 0
    assert "9,999 features" in result.stderr


def test_files_of_a_folder_that_differ(call: Call) -> None:
    Path("parts").mkdir()
    Path("parts/1.csv").write_text(GOOD)
    Path("parts/2.csv").write_text("a,c,y\n1,2,x\n")
    refused(call("fit", "parts", "-y", "y"), "2.csv has no column 'b', unlike the files before it")
    Path("parts/2.csv").write_text("b,y,a\n1,z,x\n")
    refused(call("evaluate", "parts", "-y", "y"), "2.csv, row 1, column 'a': 'x' is not a")


def test_columns_of_parquet_that_are_no_numbers(call: Call) -> None:
    dates = pa.array([0, 1], pa.date32())
    nested = pa.array([[1, 2], [3]])
    table = pa.table({"a": [1.0, 2.0], "day": dates, "list": nested, "y": ["x", "z"]})
    parquet.write_table(table, "rows.parquet")
    message = "not numbers: column 'list' (list<element: int64>)"
    refused(call("fit", "rows.parquet", "-y", "y", "--features", "a,day,list"), message)
    message = "the target 'day' holds date32[day] values, but classes are strings"
    refused(call("report", "rows.parquet", "-y", "day", "--features", "a"), message)


def test_every_truncation_of_a_file(call: Call) -> None:
    """A file that breaks off is refused, or its rows up to there are those of the whole."""
    whole = "a,b,y\n1.25,2,x\n2,4.5,x\n3,3,x\n71,9,z\n8,-7,z\n9,9,z\n"
    lines = whole.splitlines()[1:]
    for length in range(len(whole)):
        Path("part.csv").write_text(whole[:length])
        result = call("evaluate", "part.csv", "-y", "y", "--cv", "2", "--shared", "--json")
        assert result.exit_code in {0, 3}
        assert "Traceback" not in result.stderr
        if result.exit_code == 0:
            whole_lines = [line for line in lines if line in whole[:length].splitlines()]
            assert json.loads(result.stdout)["rows"] - len(whole_lines) in {0, 1}


def test_every_truncation_of_a_model(call: Call) -> None:
    Path("rows.csv").write_text(GOOD)
    assert call("fit", "rows.csv", "-y", "y", "--shared").exit_code == 0
    content = Path("model.json").read_bytes()
    for length in range(0, len(content.rstrip()), 7):
        Path("part.json").write_bytes(content[:length])
        result = call("evaluate", "part.json", "rows.csv")
        assert result.exit_code == 3
        assert result.stderr.startswith("Error: ")
        assert result.stdout == ""


def test_no_permission(
    call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, iris: Path
) -> None:
    if os.geteuid() == 0:  # whom no permission stops
        real = Path.open

        def refuse(path: Path, *args: object, **kwargs: object) -> object:
            if path.name == "iris.csv":
                raise PermissionError(13, "Permission denied", str(path))
            return real(path, *args, **kwargs)

        monkeypatch.setattr(Path, "open", refuse)
        code, message = 3, "iris.csv: no permission"
    else:
        iris.chmod(0)
        code, message = 2, "iris.csv' is not readable"
    for subcommand in SUBCOMMANDS:
        result = call(subcommand, "iris.csv", "-y", "species")
        assert result.exit_code == code
        assert message in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["iris.csv"]


@pytest.mark.usefixtures("fitted", "iris")
def test_a_reader_that_has_enough(shell: Shell) -> None:
    subcommand = "evaluate iris.json iris.csv -y species"
    done = shell(f"gaussbayes {subcommand} | head -1; echo ${{PIPESTATUS[0]}}")
    assert done.stdout.splitlines()[1] == "0"
    assert done.stderr == ""
    assert shell(f"gaussbayes {subcommand} | true").stderr == ""


@pytest.mark.usefixtures("fitted", "iris")
def test_a_full_disk(shell: Shell) -> None:
    done = shell("gaussbayes evaluate iris.json iris.csv -y species > /dev/full")
    assert (done.returncode, done.stderr) == (1, "Error: No space left on device\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "-", "-y", "species"],
        ["report", "-", "-y", "species", "-o", "page.html"],
        ["plot", "-", "-y", "species", "--kind", "pairs", "-o", "figure.png"],
    ],
)
def test_interrupted_in_the_middle(tmp_path: Path, iris: Path, arguments: list[str]) -> None:
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "gaussbayes", *arguments],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        lines = iris.read_bytes().split(b"\n", 1)[1]
        process.stdin.write(
            iris.read_bytes() + lines * 600
        )  # more than a pipe holds, so it is read
        process.stdin.flush()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=300) == 130  # although the pipe is still open
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"\n")
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
