"""Families given to features on the command line: counts, bits, and Gaussian blocks."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy.stats import bernoulli, multivariate_normal, poisson

from gaussbayes import GaussianClassifier
from tests.cli.calling import Call

FEATURES = ["height", "weight", "age", "visits", "ok"]
BLOCK = ["--family", "height,weight=gaussian"]
OPTIONS = ["-y", "y", "--family", "visits=poisson", "--family", "ok=bernoulli", *BLOCK]
OPTIONS += ["--estimate", "plug-in"]


@pytest.fixture
def patients(tmp_path: Path) -> pd.DataFrame:
    generator = np.random.default_rng(8)
    y = np.arange(120) % 2
    table = pd.DataFrame(
        {
            "height": generator.normal(y),
            "weight": generator.normal(y, 2.0),
            "age": generator.normal(40 + 5 * y, 9.0),
            "visits": generator.poisson(2 + 3 * y),
            "ok": generator.random(120) < 0.3 + 0.4 * y,
        }
    )
    table["ok"] = table["ok"].astype(int)
    table["y"] = np.array(["ill", "well"])[y]
    table.to_csv(tmp_path / "rows.csv", index=False)
    table.to_json(tmp_path / "rows.jsonl", orient="records", lines=True)
    parquet.write_table(pa.Table.from_pandas(table), tmp_path / "rows.parquet")
    return table


@pytest.mark.parametrize("source", ["rows.csv", "rows.jsonl", "rows.parquet"])
def test_posteriors_are_those_of_bayes_rule(
    call: Call, patients: pd.DataFrame, source: str
) -> None:
    result = call("fit", source, *OPTIONS, "-o", "m.json")
    assert result.exit_code == 0, result.stderr
    out = call("predict", "m.json", source, "--log-joint", "--keep", "none", "--no-label")
    found = np.array([line.split(",") for line in out.stdout.split()[1:]], dtype=float)
    expected = []
    for label in ("ill", "well"):
        rows = patients[patients["y"] == label]
        density = np.log(len(rows) / len(patients))
        for block in (["height", "weight"], ["age"]):
            mean, covariance = rows[block].mean(), np.cov(rows[block].T, bias=True)
            density = density + multivariate_normal(mean, covariance).logpdf(patients[block])
        density = density + poisson(rows["visits"].mean()).logpmf(patients["visits"])
        density = density + bernoulli(rows["ok"].mean()).logpmf(patients["ok"])
        expected.append(density)
    np.testing.assert_allclose(found, np.transpose(expected), rtol=1e-10)


def test_they_are_shown_drawn_explained_and_kept(call: Call, patients: pd.DataFrame) -> None:
    call("fit", "rows.csv", *OPTIONS, "-o", "m.json")
    record = json.loads(call("show", "m.json", "--json").stdout)
    assert record["settings"]["families"] == [
        {"family": "gaussian", "features": ["age"]},
        {"family": "poisson", "features": ["visits"]},
        {"family": "bernoulli", "features": ["ok"]},
        {"family": "gaussian", "features": ["height", "weight"]},
    ]
    # Two Gaussians of one feature, two of two; two rates; two probabilities; a prior.
    assert record["n_parameters"] == {
        "priors": 1,
        "gaussian": 4 + 10,
        "poisson": 2,
        "bernoulli": 2,
        "total": 19,
    }
    means = patients.groupby("y")[FEATURES].mean()
    np.testing.assert_allclose(record["means"], means, rtol=1e-12)
    text = call("show", "m.json").stdout
    assert "poisson (visits)" in text
    assert "rate" in text
    drawn = call("sample", "m.json", "-n", "500", "-o", "drawn.csv")
    assert drawn.exit_code == 0
    sample = pd.read_csv("drawn.csv")
    assert (sample["visits"] >= 0).all()
    assert set(sample["ok"]) == {0, 1}
    told = json.loads(call("explain", "m.json", "rows.csv", "--row", "3", "--json").stdout)
    model = GaussianClassifier.load("m.json")
    expected = model.explain(patients[FEATURES][2:3]).as_record()
    for mine, theirs in zip(
        told["log_odds"]["contributions"], expected["log_odds"]["contributions"], strict=True
    ):
        assert mine["amount"] == pytest.approx(theirs["amount"], rel=1e-12)
    assert call("explain", "m.json", "rows.csv").exit_code == 0
    assert "Bayes error" in call("show", "m.json", "--bayes-error").stdout
    for command in (["evaluate", "--cv", "3"], ["compare", "--held-out", "3"]):
        done = call(command[0], "rows.csv", *OPTIONS, *command[1:], "--json")
        assert done.exit_code == 0, done.stderr


def test_update_merge_and_forget(call: Call, patients: pd.DataFrame) -> None:
    patients[:60].to_csv("a.csv", index=False)
    patients[60:].to_csv("b.csv", index=False)
    for part in "ab":
        call("fit", f"{part}.csv", *OPTIONS, "-o", f"{part}.json")
    call("fit", "rows.csv", *OPTIONS, "-o", "all.json")
    assert call("update", "a.json", "b.csv", "-o", "both.json").exit_code == 0
    assert call("merge", "a.json", "b.json", "-o", "merged.json").exit_code == 0
    assert call("forget", "all.json", "b.csv", "-o", "less.json").exit_code == 0
    for name, other in (("both", "all"), ("merged", "all"), ("less", "a")):
        model, expected = (GaussianClassifier.load(f"{each}.json") for each in (name, other))
        posterior = expected.predict_proba(patients[FEATURES])
        np.testing.assert_allclose(model.predict_proba(patients[FEATURES]), posterior, rtol=1e-9)
    call("fit", "b.csv", "-y", "y", "--model", "qda", "-o", "plain.json")
    unlike = call("merge", "a.json", "plain.json", "-o", "c.json", "--settings-of", "first")
    assert unlike.exit_code == 3
    assert "families" in unlike.stderr


@pytest.mark.parametrize(
    ("row", "column", "value", "problem"),
    [
        (40, "visits", -3, "'-3.0' is not a count"),
        (77, "visits", 2.5, "'2.5' is not a count"),
        (5, "ok", 2, "'2.0' is neither 0 nor 1"),
    ],
)
def test_values_that_a_family_cannot_have(
    call: Call, patients: pd.DataFrame, row: int, column: str, value: Any, problem: str
) -> None:
    call("fit", "rows.csv", *OPTIONS, "-o", "m.json")
    bad = patients.astype({column: float})
    bad.loc[row, column] = value
    bad.to_csv("bad.csv", index=False)
    message = f"bad.csv, row {row + 1}, column '{column}': {problem}"
    for arguments in (
        ["fit", "bad.csv", *OPTIONS],
        ["update", "m.json", "bad.csv", "-o", "new.json"],
        ["predict", "m.json", "bad.csv", "-o", "out.csv"],
        ["evaluate", "m.json", "bad.csv"],
        ["evaluate", "bad.csv", *OPTIONS, "--cv", "3"],
        ["explain", "m.json", "bad.csv", "--row", str(row + 1)],
    ):
        result = call(*arguments)
        assert (result.exit_code, result.stdout) == (3, "")
        assert message in result.stderr
        if arguments[0] != "explain":
            skipped = call(*arguments, "--bad-rows", "skip")
            assert skipped.exit_code == 0, skipped.stderr
            assert "1 row was left out" in skipped.stderr


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--family", "visits=possion"], 2, "got 'possion' (did you mean 'poisson'?)"),
        (["--family", "visits"], 2, "such as visits=poisson, got 'visits'"),
        (["--family", "=poisson"], 2, "such as visits=poisson"),
        (
            ["--family", "visits=poisson", "--family", "age,visits=gaussian"],
            2,
            "'visits' must have one family, but is given two: 'poisson' and 'gaussian'",
        ),
        (
            ["--family", "visits=poisson", "--categorical", "visits"],
            2,
            "'visits' is named by --categorical and by --family",
        ),
        (["--family", "vists=poisson"], 3, "given a family: 'vists' (is it 'visits'?)"),
        (["--family", "y=poisson"], 3, "--family names 'y', but the columns are"),
        (["--family", "note=poisson"], 3, "not numbers: column 'note' (string"),
        (["--family", "age=categorical"], 3, "column 'age' holds numbers such as"),
    ],
)
def test_wrong_families(
    call: Call, patients: pd.DataFrame, options: list[str], code: int, message: str
) -> None:
    patients.assign(note="good").to_csv("rows.csv", index=False)
    features = [] if "note" in options[1] else ["--features", ",".join(FEATURES)]
    result = call("fit", "rows.csv", "-y", "y", *features, *options)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in " ".join(result.stderr.split())
    assert not Path("model.json").exists()


def test_a_category_by_its_family(call: Call) -> None:
    rows = pd.DataFrame({"wind": ["S", "M", "S", "S", "M", "M"], "y": list("aaabbb")})
    rows.to_csv("rows.csv", index=False)
    assert (
        call(
            "fit", "rows.csv", "-y", "y", "--family", "wind=categorical", "--smoothing", "0"
        ).exit_code
        == 0
    )
    model = GaussianClassifier.load("model.json")
    np.testing.assert_allclose(
        model.category_probabilities_["wind"], [[1 / 3, 2 / 3], [2 / 3, 1 / 3]]
    )


# Files that are not what they seem.


def test_model_files_of_version_1(call: Call, patients: pd.DataFrame) -> None:
    assert len(patients)
    Path("old.json").write_text(
        '{"format": "gaussbayes model", "version": 1, "classes": {"kind": "string"}}'
    )
    for arguments in (["show", "old.json"], ["predict", "old.json", "rows.csv"]):
        result = call(*arguments)
        assert (result.exit_code, result.stdout) == (3, "")
        assert "it was written by version 0.1 of gaussbayes" in result.stderr
        assert "Traceback" not in result.stderr


@pytest.mark.parametrize("name", ["rows.parquet", "rows.arrow", "rows.csv.gz", "rows.jsonl.zst"])
def test_truncated_files(call: Call, patients: pd.DataFrame, name: str) -> None:
    assert len(patients)
    call("fit", "rows.csv", *OPTIONS, "-o", "m.json")
    assert call("convert", "rows.csv", name).exit_code == 0
    whole = Path(name).read_bytes()
    for length in range(0, len(whole), max(1, len(whole) // 17)):
        Path(name).write_bytes(whole[:length])
        for arguments in (["fit", name, *OPTIONS], ["predict", "m.json", name]):
            result = call(*arguments)
            assert result.exit_code == 3, (length, result.stderr)
            assert result.stderr.startswith("Error: ")
            assert "Traceback" not in result.stderr


def test_a_gzip_file_that_never_ends(call: Call) -> None:
    """A cell of 100 MB of quoted text in a file of 100 kB."""
    content = b'a,y\n1,u\n"' + b"x\n" * (50 << 20)
    Path("bomb.csv.gz").write_bytes(gzip.compress(content, 1))
    for arguments in (["fit", "bomb.csv.gz", "-y", "y"], ["schema", "bomb.csv.gz"]):
        result = call(*arguments)
        assert result.exit_code == 3
        assert result.stderr.startswith("Error: ")
