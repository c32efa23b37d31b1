"""What errors of the command advise is read out of what they print and pasted behind it."""

import re
import shlex

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from gaussbayes.apps.cli.command_options import in_options, pasted
from gaussbayes.base.remedy import Remedy
from tests.cli.calling import Call
from tests.model.test_remedies import TABLES


def failed(call: Call, line: str) -> str:
    """What a command says if it fails; nothing if it succeeds."""
    result = call(*shlex.split(line))
    return "" if result.exit_code == 0 else " ".join(result.stderr.split())


def printed(said: str) -> list[str]:
    """The options that remedies are written in."""
    remedies = said.partition("Remedies: ")[2].split("; ")
    return [found[1] for remedy in remedies if (found := re.search(r" \((--.*)\)$", remedy))]


# With few labels the automatic choice takes long, and says nothing that others do not.
PRINTED = [name for name in TABLES if name != "few labels"]


@pytest.mark.parametrize("name", [*PRINTED, "text", "dates and text"])
def test_every_remedy_works_on_the_command_line(name: str, call: Call) -> None:
    X, y = TABLES.get(name, TABLES["a class of one row"])
    columns = {f"x{j}": pa.array(column, from_pandas=True) for j, column in enumerate(X.T)}
    # Columns that are named are not left out, and hold what they are said to hold.
    asked, told = ["--covariance full", "--covariance diagonal"], f"--features {pasted([*columns])}"
    if "text" in name:
        columns["the home, sweet"] = pa.array(["red", "blue"] * 12)
        columns["it's"] = pa.array(["a", "b", "c"] * 8)
        asked, told = ["--covariance full"], f"--numeric {pasted([*columns][-2:])}"
    if "dates" in name:
        columns["day"] = pa.array(range(24), pa.date32())
        file = "rows.parquet"
        y = np.array(["u", "v"] * 12)
        parquet.write_table(pa.table(columns | {"y": pa.array(y)}), file)
    else:
        file = "rows.csv"
        y = y if name in TABLES else np.array(["u", "v"] * 12)
        csv.write_csv(pa.table(columns | {"y": pa.array(y, from_pandas=True)}), file)
    advised, done = 0, set()
    for options in asked:
        said = failed(call, f"fit {file} -y y -o m.json {options} {told}")
        for remedy in printed(said):
            kept = "" if remedy.startswith(("--auto", "--model", "--covariance")) else options
            kept = f"{kept} {told}" if "text" not in name and "--features" not in remedy else kept
            if (kept, remedy) in done:  # what several errors advise
                continue
            done.add((kept, remedy))
            assert failed(call, f"fit {file} -y y -o m.json {kept} {remedy}") == "", (said, remedy)
        assert "Remedies" not in said or printed(said)
        advised += len(printed(said))
    assert advised or name == "one row a class"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"shrinkage": 0.1}, "--shrinkage 0.1"),
        ({"shared": True}, "--shared"),
        ({"shared": 0.5}, "--sharing 0.5"),
        ({"smoothing": 1.0}, "--smoothing 1.0"),
        ({"divisor": "mle"}, "--divisor mle"),
        ({"unlabelled_weight": 0}, "--unlabelled drop"),
        (
            {"features": ["a", "it's"], "categorical_features": ["b, c"]},
            """--features 'a,it'"'"'s' --categorical '"b, c"'""",
        ),
    ],
)
def test_words_of_options(options: dict[str, object], words: str) -> None:
    assert in_options(str(Remedy("do", tuple(options.items())))) == f"do ({words})"
