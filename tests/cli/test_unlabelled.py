"""Rows without label on the command line: learnt from, told of, left out, never judged by."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import Result

from gaussbayes import GaussianClassifier
from gaussbayes.model import statistics
from tests.cli.calling import Call, Shell

NUMBERS = ["height", "weight"]
FEATURES = [*NUMBERS, "visits", "wind", "bit"]
OPTIONS = ["-y", "kind", "--categorical", "wind", "--family", "visits=poisson"]
OPTIONS += ["--family", "bit=bernoulli", "--smoothing", "1", "--estimate", "plug-in"]
USED = "rows have no label: learnt from by EM; --unlabelled drop leaves such rows out"


@pytest.fixture
def people(tmp_path: Path) -> pd.DataFrame:
    """All families, some values and labels missing: all.csv, its halves a.csv and b.csv."""
    generator = np.random.default_rng(3)
    code = generator.integers(3, size=240)
    table = pd.DataFrame(
        {
            "height": generator.normal(2.0 * code),
            "weight": generator.normal(-code, 1.5),
            "visits": generator.poisson(1 + 2 * code).astype(float),
            "wind": np.array(["low", "mid", "high"])[(code + (generator.random(240) < 0.3)) % 3],
            "bit": (generator.random(240) < 0.2 + 0.3 * code).astype(float),
        }
    )
    table = table.mask(generator.random(table.shape) < 0.06)
    table["kind"] = np.array(["a", "b", "c"])[code]
    table.loc[generator.random(240) < 0.35, "kind"] = None
    for name, part in (("all", table), ("a", table[:120]), ("b", table[120:])):
        part.to_csv(tmp_path / f"{name}.csv", index=False)
        part.to_parquet(tmp_path / f"{name}.parquet")
    return table


def in_memory(table: pd.DataFrame, **settings: Any) -> GaussianClassifier:
    model = GaussianClassifier(
        categorical_features=["wind"],
        families={"visits": "poisson", "bit": "bernoulli"},
        smoothing=1,
        **settings,
    )
    return model.fit(table[FEATURES], table["kind"])


def assert_same(name: str, expected: GaussianClassifier, table: pd.DataFrame) -> None:
    model = GaussianClassifier.load(name)
    np.testing.assert_allclose(model.priors_, expected.priors_, rtol=1e-8)
    np.testing.assert_allclose(model.means_, expected.means_, rtol=1e-7, atol=1e-8)
    posterior = expected.predict_proba(table[FEATURES])
    np.testing.assert_allclose(model.predict_proba(table[FEATURES]), posterior, atol=1e-7)


def done(result: Result) -> Result:
    assert result.exit_code == 0, result.stderr
    return result


@pytest.mark.parametrize("source", ["all.csv", "all.parquet"])
def test_they_are_learnt_from_and_counted(call: Call, people: pd.DataFrame, source: str) -> None:
    result = done(call("fit", source, *OPTIONS, "-o", "m.json", "--json"))
    n = int(people["kind"].isna().sum())
    record = json.loads(result.stdout)
    assert (record["rows"], record["unlabelled"]) == (240, n)
    assert record["incomplete"] == people[FEATURES].isna().any(axis=1).sum()
    assert f"{n} {USED}" in result.stderr
    assert_same("m.json", in_memory(people), people)
    shown = json.loads(call("show", "m.json", "--json").stdout)
    assert shown["unlabelled"] == n
    assert sum(shown["weights"]) == 240 - n
    assert f"unlabelled  {n} rows of weight 1 each" in call("show", "m.json").stdout


def test_they_are_left_out(call: Call, people: pd.DataFrame) -> None:
    result = done(
        call("fit", "all.csv", *OPTIONS, "-o", "m.json", "--unlabelled", "drop", "--json")
    )
    n = int(people["kind"].isna().sum())
    assert json.loads(result.stdout)["rows"] == 240 - n
    assert f"{n} rows have no label: left out" in result.stderr
    labelled = people[people["kind"].notna()]
    assert_same("m.json", in_memory(labelled), people)
    labelled.to_csv("labelled.csv", index=False)
    done(call("fit", "labelled.csv", *OPTIONS, "-o", "same.json"))
    assert Path("m.json").read_bytes() == Path("same.json").read_bytes()


def test_their_weight(call: Call, people: pd.DataFrame) -> None:
    done(call("fit", "all.csv", *OPTIONS, "-o", "m.json", "--unlabelled-weight", "0.25"))
    assert_same("m.json", in_memory(people, unlabelled_weight=0.25), people)
    wrong = call("fit", "all.csv", *OPTIONS, "--unlabelled-weight", "-1")
    assert wrong.exit_code == 2


@pytest.mark.parametrize(("mark", "labels"), [("unknown", "unknown"), ("-1", "-1")])
def test_a_mark_stands_for_a_missing_label(
    call: Call, people: pd.DataFrame, mark: str, labels: str
) -> None:
    coded = people["kind"].map({"a": "1", "b": "2", "c": "3"})
    people.assign(kind=coded.fillna(labels)).to_csv("marked.csv", index=False)
    done(call("fit", "marked.csv", *OPTIONS, "--na-values", f"kind={mark}", "-o", "m.json"))
    expected = in_memory(people)
    posterior = GaussianClassifier.load("m.json").predict_proba(people[FEATURES])
    np.testing.assert_allclose(posterior, expected.predict_proba(people[FEATURES]), atol=1e-7)
    record = json.loads(call("evaluate", "m.json", "marked.csv", "--json").stdout)
    assert record["rows"] == people["kind"].notna().sum()


def test_update_merge_and_forget_need_the_rows(call: Call, people: pd.DataFrame) -> None:
    for part in "ab":
        keep = [*OPTIONS, "-o", f"{part}.json", "--keep-unlabelled"]
        done(call("fit", f"{part}.csv", *keep))
    done(call("update", "a.json", "b.csv", "-o", "both.json"))
    assert_same("both.json", in_memory(people), people)
    done(call("merge", "a.json", "b.json", "-o", "merged.json"))
    assert_same("merged.json", in_memory(people), people)
    result = done(call("forget", "both.json", "b.csv", "-o", "again.json"))
    n = int(people["kind"][120:].isna().sum())
    assert f"{n} rows have no label: forgotten, too" in result.stderr
    assert_same("again.json", in_memory(people[:120]), people)
    # Without them the file says what it can no longer do, and what to do instead.
    done(call("fit", "a.csv", *OPTIONS, "-o", "short.json"))
    for command in (
        ["update", "short.json", "b.csv"],
        ["forget", "short.json", "a.csv"],
        ["merge", "short.json", "b.json", "-o", "c.json"],
    ):
        refused = call(*command)
        assert refused.exit_code == 3
        n = int(people["kind"][:120].isna().sum())
        assert f"short.json: {command[0]} needs the {n} unlabelled rows" in refused.stderr
        assert "--keep-unlabelled" in refused.stderr
    assert done(call("predict", "short.json", "b.csv")).stdout.count("\n") == 121


def test_more_of_them_than_are_kept(
    call: Call, shell: Shell, people: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statistics, "MOST_KEPT_BYTES", 1000)
    result = done(call("fit", "all.csv", *OPTIONS, "-o", "m.json", "--keep-unlabelled"))
    assert "too many to be kept" in result.stderr
    assert "neither be updated nor merged, nor forget rows" in result.stderr
    assert_same("m.json", in_memory(people), people)
    assert "--keep-unlabelled" in call("update", "m.json", "b.csv").stderr
    code = (
        "import sys; from gaussbayes.model import statistics; statistics.MOST_KEPT_BYTES = 1000; "
        "from gaussbayes.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    piped = shell(f'cat all.csv | python -c "{code}" fit - {" ".join(OPTIONS)} -o piped.json')
    assert piped.returncode == 3
    assert "come through a pipe cannot be read again: write them to a file" in piped.stderr


def test_estimated_priors_are_those_of_all_rows(call: Call, people: pd.DataFrame) -> None:
    done(call("fit", "all.csv", *OPTIONS, "-o", "m.json", "--priors", "uniform"))
    estimated = ["--priors", "estimated", "--proba", "--no-label", "--keep", "none"]
    text = done(call("predict", "m.json", "all.csv", *estimated)).stdout
    posterior = np.array([line.split(",") for line in text.split()[1:]], dtype=float)
    expected = in_memory(people, priors="uniform").with_priors(None)
    assert np.ptp(expected.priors_) > 0.01
    np.testing.assert_allclose(posterior, expected.predict_proba(people[FEATURES]), atol=1e-7)
    model = GaussianClassifier.load("m.json").marginal(NUMBERS)
    model.save("part.json")
    text = done(call("predict", "part.json", "all.csv", *estimated)).stdout
    posterior = np.array([line.split(",") for line in text.split()[1:]], dtype=float)
    marginal = model.with_priors(None).predict_proba(people[NUMBERS])
    assert np.ptp(model.with_priors(None).priors_) > 0.01
    np.testing.assert_allclose(posterior, marginal, rtol=1e-9)


def test_they_are_never_judged_by(call: Call, people: pd.DataFrame) -> None:
    done(call("fit", "a.csv", *OPTIONS, "-o", "m.json"))
    result = done(call("evaluate", "m.json", "b.csv", "--json"))
    labelled = people[120:][people["kind"][120:].notna()]
    wrong = in_memory(people[:120]).predict(labelled[FEATURES]) != labelled["kind"]
    record = json.loads(result.stdout)
    assert (record["rows"], record["errors"]) == (len(labelled), wrong.sum())
    assert record["unlabelled"] == 120 - len(labelled)
    assert f"{120 - len(labelled)} rows have no label: no predictions are judged" in result.stderr
    other = done(call("evaluate", "a.csv", *OPTIONS, "--test", "b.csv", "--json"))
    assert json.loads(other.stdout)["errors"] == record["errors"]
    n = int(people["kind"].notna().sum())
    for command in (["evaluate", "--cv", "3"], ["compare", "--held-out", "3", "--no-auto"]):
        result = done(call(command[0], "all.csv", *OPTIONS, *command[1:], "--json"))
        record = json.loads(result.stdout)
        assert (record["rows"], record["unlabelled"]) == (n, 240 - n)
        assert f"{240 - n} rows without label in every training part" in record["how"]
        assert USED in result.stderr
        alone = done(call(command[0], "all.csv", *OPTIONS, *command[1:], "--unlabelled", "drop"))
        assert "rows without label in" not in alone.stdout
    people[120:].assign(kind=None).to_csv("none.csv", index=False)
    nothing = call("evaluate", "m.json", "none.csv")
    assert nothing.exit_code == 3
    assert "none.csv has no labelled rows" in nothing.stderr


def test_the_automatic_choice_weighs_them(call: Call, people: pd.DataFrame) -> None:
    assert len(people)
    auto = ["--covariance", "auto", "-o", "m.json", "--json"]
    result = done(call("fit", "all.csv", *OPTIONS, *auto))
    selection = json.loads(result.stdout)["selection"]
    assert {each["unlabelled_weight"] for each in selection["unlabelled_weights"]} == {
        0.0,
        0.1,
        1.0,
    }
    best = in_memory(people, covariance="auto").selection_.best
    assert selection["chosen"]["unlabelled_weight"] == best.unlabelled_weight
    assert selection["chosen"]["log_loss"] == pytest.approx(best.log_loss, rel=1e-6)


def test_no_label_at_all(call: Call, people: pd.DataFrame) -> None:
    people.assign(kind=None).to_csv("none.csv", index=False)
    for more in ([], ["--unlabelled", "drop"], ["--covariance", "auto"]):
        result = call("fit", "none.csv", *OPTIONS, *more)
        assert result.exit_code == 3
        assert "Traceback" not in result.stderr
        assert "at least two classes" in result.stderr


def test_the_weight_of_unlabelled_rows_is_chosen_for_categories_too(
    call: Call, people: pd.DataFrame
) -> None:
    options = ["-y", "kind", "--features", "wind", "--categorical", "wind", "--smoothing", "1"]
    result = done(call("fit", "all.csv", *options, "--covariance", "auto", "-o", "auto.json"))
    assert "chosen: categorical, unlabelled rows of weight 0; best of 4 cand" in result.stderr
    compared = json.loads(
        done(call("compare", "all.csv", *options, "--held-out", "2", "--json")).stdout
    )
    assert compared["selection"]["chosen"]["covariance"] is None
    shown = done(call("compare", "all.csv", *options, "--held-out", "2", "--candidates")).stdout
    assert "automatic choice: categorical" in shown
    assert "unlabelled" in shown.partition("candidates, best first")[2]
    model = GaussianClassifier("auto", categorical_features=["wind"], smoothing=1)
    model.fit(people[["wind"]], people["kind"])
    chosen = GaussianClassifier.load("auto.json")
    assert chosen.model_.settings.unlabelled_weight == model.selection_.best.unlabelled_weight
    np.testing.assert_allclose(chosen.priors_, model.priors_, rtol=1e-8)
    again = model.fit_source("all.csv", "kind", features=["wind"])
    np.testing.assert_allclose(chosen.priors_, again.priors_, rtol=1e-8)
