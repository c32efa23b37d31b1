"""Sources block by block: rows in order, types that are held, pipes, and threads that end."""

import signal
import subprocess
import sys
import threading
from pathlib import Path
from time import monotonic, sleep

import pyarrow as pa
import pytest
from pyarrow import parquet

from gaussbayes.base.errors import DataError
from gaussbayes.data.files import open_source
from gaussbayes.data.readers import batches, text
from tests.data.tables import FORMATS, TARGET, TEXT, make_table


def readers() -> list[str]:
    """The threads of ours that are still there."""
    return [each.name for each in threading.enumerate() if each.name.startswith("gaussbayes")]


def assert_no_readers() -> None:
    deadline = monotonic() + 300
    while readers() and monotonic() < deadline:
        sleep(0.01)
    assert readers() == []


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small files have many blocks."""
    monkeypatch.setattr(text, "BLOCK_BYTES", 1000)
    monkeypatch.setattr(batches, "FEWEST_ROWS", 32)
    monkeypatch.setattr(batches, "BATCH_BYTES", 1)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("ending", FORMATS)
def test_blocks_are_the_rows_in_order(ending: str, tmp_path: Path) -> None:
    table = make_table(400)
    for number in range(2):
        FORMATS[ending](table.slice(number * 200, 200), tmp_path / f"{number}{ending}")
    source = open_source(tmp_path)
    assert source.schema.names == table.column_names
    assert source.schema.field("age").type == pa.int64()
    assert source.files == tuple(str(tmp_path / f"{number}{ending}") for number in range(2))
    assert source.n_rows in {None, 400}
    blocks = list(source.blocks())
    assert source.proportion_read() == (1.0 if source.is_text else pytest.approx(0.5, abs=0.1))
    assert len(blocks) > 2 or ending == ".parquet.gz"
    for file in source.files:
        own = [block for block in blocks if block.file == file]
        rows = 1
        for block in own:
            assert block.first_row == rows
            rows += block.table.num_rows
    read = pa.concat_tables([block.table for block in blocks])
    assert read.schema == source.schema
    assert read.equals(table)
    some = pa.concat_tables([block.table for block in source.blocks(["kind", "age"])])
    assert some.equals(table.select(["kind", "age"]))
    assert_no_readers()


def test_the_number_of_rows_of_parquet_is_known(tmp_path: Path) -> None:
    parquet.write_table(make_table(123), tmp_path / "a.parquet")
    assert open_source(tmp_path / "a.parquet").n_rows == 123


def test_strings_are_passed_on_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "id,when,flag,empty,note,number\n007,2020-01-01,true,,NA,1\n008,2020-02-30,false,,x,2\n"
    )
    (block,) = open_source(tmp_path / "a.csv").blocks()
    assert block.table.to_pydict() == {
        "id": ["007", "008"],
        "when": ["2020-01-01", "2020-02-30"],
        "flag": [True, False],
        "empty": ["", ""],
        "note": ["NA", "x"],
        "number": [1, 2],
    }


def test_columns_that_must_hold_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,x,y\n1,5,u\n2,inf,\n3,,u\n")
    source = open_source(tmp_path / "a.csv", bad_rows="skip")
    (block,) = source.blocks(["id", "x", "y"], numbers=["x"])
    assert block.table.to_pydict() == {"id": [1, 3], "x": [5.0, None], "y": ["u", "u"]}
    assert [(bad.row, bad.column) for bad in source.bad_rows.first] == [(2, "x")]
    (block,) = source.blocks()
    assert block.table.num_rows == 3
    assert source.bad_rows.count == 0
    with pytest.raises(DataError, match="row 2, column 'x': 'inf' is not finite"):
        list(open_source(tmp_path / "a.csv").blocks(["x"], numbers=["x"]))


def test_a_column_that_is_not_there(tmp_path: Path) -> None:
    TEXT[".csv"](make_table(5), tmp_path / "a.csv")
    with pytest.raises(DataError, match="no column 'hight' .did you mean 'height'"):
        list(open_source(tmp_path / "a.csv").blocks(["hight"]))


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet", ".arrow"])
def test_the_number_of_columns_is_looked_at_first(ending: str, tmp_path: Path) -> None:
    names = [f"c{number}" for number in range(200_000)]
    path = tmp_path / f"wide{ending}"
    if ending == ".csv":
        path.write_text(",".join(names) + "\n" + ",".join(["1.5"] * len(names)) + "\n")
    else:
        FORMATS[ending](make_table(5), path)
    most = 100_000 if ending == ".csv" else 3
    with pytest.raises(DataError, match=r"wide\..* has .* columns, and .* are the most: leave out"):
        open_source(path, most_columns=most)


def test_files_without_rows_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "0.csv").write_text("height,width,age,kind\n")
    table = make_table(20)
    TEXT[".csv"](table, tmp_path / "1.csv")
    (tmp_path / "2.csv").write_text("height,width,age,kind\n")
    (block,) = open_source(tmp_path).blocks()
    assert block.table.equals(table)
    assert list(open_source(tmp_path / "0.csv").blocks()) == []


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_breaking_off_ends_the_threads(ending: str, tmp_path: Path) -> None:
    FORMATS[ending](make_table(3000), tmp_path / f"a{ending}")
    next(open_source(tmp_path / f"a{ending}").blocks())
    assert_no_readers()


PROGRAM = """
import sys
from gaussbayes.data.reduction import open_rows
from gaussbayes.data.readers import text
from gaussbayes.data.roles import Request
text.BLOCK_BYTES = 1000
kinds = lambda block, threads: block.classes[block.targets.codes].tolist()
found = open_rows("-", Request("kind")).reduce(kinds)
print(found.n_rows, sorted(set(found.total)), found.total)
"""


@pytest.mark.parametrize(
    "ending", [".csv", ".tsv", ".jsonl", ".csv.gz", ".csv.zst", ".parquet", ".arrows"]
)
def test_standard_input(ending: str, tmp_path: Path) -> None:
    table = make_table(200)
    path = tmp_path / f"rows{ending}"
    FORMATS[ending](table, path)
    with path.open("rb") as rows:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], stdin=rows, capture_output=True, check=False, cwd="/"
        )
    assert done.stderr == b""
    assert done.stdout.startswith(b"200 ['ash', 'beech', 'oak']")


def test_a_pipe_is_read_as_it_comes_and_only_once() -> None:
    program = """
from gaussbayes.data.readers import text
from gaussbayes.data.files import open_source
text.BLOCK_BYTES = 16
source = open_source("-")
print(source.schema.names, flush=True)
print(sum(block.table.num_rows for block in source.blocks()), flush=True)
try:
    list(source.blocks())
except ValueError as error:
    print(error)
"""
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"a,b\n" + b"1,x\n" * 100)
        process.stdin.flush()
        assert process.stdout.readline() == b"['a', 'b']\n"
        process.stdin.write(b"2,y\n" * 50)
        process.stdin.close()
        assert process.stdout.read() == (
            b"150\nstandard input comes through a pipe and can be read only once: write it to a "
            b"file first\n"
        )


def test_ctrl_c_while_a_pipe_says_nothing() -> None:
    program = """
from gaussbayes.data.files import open_source
try:
    print("waiting", flush=True)
    open_source("-")
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"waiting\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == b"interrupted\n"


def test_the_format_may_be_given(tmp_path: Path) -> None:
    TEXT[".tsv"](make_table(5), tmp_path / "rows.data")
    source = open_source(tmp_path / "rows.data", format="tsv")
    assert source.schema.names[-1] == TARGET


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("ending", TEXT)
def test_the_proportion_of_bytes_that_was_read(ending: str, tmp_path: Path) -> None:
    for number in range(2):
        TEXT[ending](make_table(400, seed=number), tmp_path / f"{number}{ending}")
    source = open_source(tmp_path)
    shares = [source.proportion_read() or 0.0 for _ in source.blocks()]
    assert shares == sorted(shares)
    assert 0.0 < shares[0] < 0.6  # the first of two files is about half of them
    assert shares[-1] == 1.0


def test_nothing_is_known_of_what_a_pipe_will_bring() -> None:
    program = """
from gaussbayes.data.files import open_source
source = open_source("-")
list(source.blocks())
print(source.proportion_read())
"""
    done = subprocess.run(
        [sys.executable, "-c", program], input=b"a\n1\n", capture_output=True, check=True
    )
    assert done.stdout == b"None\n"
