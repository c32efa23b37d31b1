"""What is asked for on the command line and in Python, word by word, is the same model."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gaussbayes import GaussBayesError, GaussianClassifier
from gaussbayes.cli.command_options import in_options
from tests.cli.calling import Call
from tests.models import automatic_classifier

N = 60
LDA: dict[str, Any] = {"shared": True, "features": "auto", "categorical_features": "auto"}


def table() -> pd.DataFrame:
    """Row numbers, marks of missing values, a constant, counts, and rows without label."""
    generator = np.random.default_rng(3)
    kind = generator.choice(["bird", "cat"], N)
    some = np.where(generator.random(N) < 0.7, kind, "dog")
    return pd.DataFrame(
        {
            "rownames": range(1, N + 1),
            "size": np.where(np.arange(N) % 9, generator.normal(size=N).round(2), -999),
            "weight": (generator.normal(size=N) + 2 * (kind == "cat")).round(2),
            "sound": np.where(np.arange(N) % 13, some, "NA"),
            "visits": generator.poisson(2, N),
            "year": 2024,
            "kind": np.where(np.arange(N) % 11, kind, ""),
        }
    )


def written(path: Path) -> dict[str, Any]:
    """A model file without what only one of the two can know.

    A column of strings in a frame has no width, labels in Python have no name, and of a file the
    columns that are not asked for are no part.
    """
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    for name in ("checksum", "target"):
        del document[name]
    document["classes"] = document["classes"]["labels"]
    if document["columns"] is not None:
        document["columns"] = [
            each for each in document["columns"] if each["reason"] != "not among the features"
        ]
    return document


@pytest.mark.filterwarnings("ignore:.*without label")
@pytest.mark.parametrize(
    ("words", "settings"),
    [
        ("--model qda", {"shared": False}),
        ("--model lda", {}),
        ("--model naive-bayes", {"covariance": "diagonal", "shared": False}),
        ("--model rda", {"shared": "auto", "shrinkage": "auto"}),
        ("--features size,sound", {"features": ["size", "sound"]}),
        ("--features s*,v*", {"features": ["s*", "v*"]}),
        ("--exclude wei* --exclude sound", {"exclude": ["wei*", "sound"]}),
        ("--categorical visits", {"categorical_features": ["visits"]}),
        ("--numeric rownames", {"numeric": ["rownames"]}),
        ("--keep-identifiers", {"keep_identifiers": True}),
        ("--na-values -999", {"na_values": -999}),
        ("--na-values size=-999,7", {"na_values": {"size": ["-999", 7]}}),
        ("--no-default-na", {"keep_default_na": False}),
        ("--family visits=poisson", {"families": {"visits": "poisson"}}),
        ("--unlabelled-weight 0.5", {"unlabelled_weight": 0.5}),
    ],
)
def test_words(words: str, settings: dict[str, Any], call: Call, tmp_path: Path) -> None:
    text = table().to_csv(index=False)
    Path("t.csv").write_text(text, encoding="utf-8")
    named = [] if "--model" in words else ["--model", "lda"]
    fit = call("fit", "t.csv", "-y", "kind", "--smoothing", "1", *named, *words.split())
    assert fit.exit_code == 0, fit.stderr
    kept = settings.get("keep_default_na", True)
    frame = pd.read_csv(StringIO(text), keep_default_na=kept, na_values=None if kept else [""])
    model = GaussianClassifier(**{**LDA, "smoothing": 1.0, **settings})
    model.fit(frame.drop(columns="kind"), frame["kind"]).save(tmp_path / "python.json")
    assert written(tmp_path / "python.json") == written(tmp_path / "model.json")


@pytest.mark.filterwarnings("ignore:.*without label")
def test_a_constant_that_is_asked_for_is_the_same_error(call: Call) -> None:
    frame = table()
    frame.to_csv("t.csv", index=False)
    given = ["fit", "t.csv", "-y", "kind", "--model", "lda", "--smoothing", "1"]
    given += ["--numeric", "year", "--shrinkage", "0.5"]
    stopped = call(*given)
    settings = {"smoothing": 1.0, "numeric": ["year"], "shrinkage": 0.5}
    with pytest.raises(GaussBayesError, match="does not vary in 'year'") as error:
        GaussianClassifier(**LDA, **settings).fit(frame.drop(columns="kind"), frame["kind"])
    assert (stopped.exit_code, stopped.stderr) == (3, f"Error: {in_options(str(error.value))}\n")


def test_rows_without_label_that_are_left_out(call: Call, tmp_path: Path) -> None:
    frame = table()
    frame.to_csv("t.csv", index=False)
    fit = call("fit", "t.csv", "-y", "kind", "--model", "lda", "--unlabelled", "drop")
    assert fit.exit_code == 0, fit.stderr
    X, y = frame.drop(columns="kind"), frame["kind"]
    known = (y != "").to_numpy()
    same = GaussianClassifier(**LDA).fit(X[known], y[known])
    same.save(tmp_path / "python.json")
    assert written(tmp_path / "python.json") == written(tmp_path / "model.json")
    weightless = GaussianClassifier(**LDA, unlabelled_weight=0).fit(X, y)
    np.testing.assert_array_equal(weightless.predict_log_proba(X), same.predict_log_proba(X))


@pytest.mark.parametrize(
    ("words", "settings"), [("auto", {}), ("average", {"average": True})], ids=["auto", "average"]
)
def test_automatic_models(words: str, settings: Any, call: Call, tmp_path: Path) -> None:
    frame = table().query("kind != ''").drop(columns="size")
    frame.to_csv("t.csv", index=False)
    fit = call("fit", "t.csv", "-y", "kind", "--model", words)
    assert fit.exit_code == 0, fit.stderr
    model = automatic_classifier(**settings).fit(frame.drop(columns="kind"), frame["kind"])
    model.save(tmp_path / "python.json")
    assert written(tmp_path / "python.json") == written(tmp_path / "model.json")


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        ("--cv 3", {"held_out": 3}),
        ("--loo", {"held_out": "loo"}),
        ("--held-out 0.3 --seed 1", {"held_out": 0.3, "random_state": 1}),
        ("--cv 3 --costs bird:cat=5,cat:bird=1", {"held_out": 3, "costs": [[0, 5], [1, 0]]}),
    ],
)
def test_figures_of_rows_held_out(words: str, settings: dict[str, Any], call: Call) -> None:
    frame = table().query("kind != ''")
    frame.to_csv("t.csv", index=False)
    told = call("evaluate", "t.csv", "-y", "kind", "--model", "lda", *words.split())
    assert told.exit_code == 0, told.stderr
    X, y = frame.drop(columns="kind"), frame["kind"]
    assert told.stdout.split() == str(GaussianClassifier(**LDA).evaluate(X, y, **settings)).split()


def test_figures_of_a_fitted_model(call: Call) -> None:
    frame = table()
    frame.to_csv("t.csv", index=False)
    assert call("fit", "t.csv", "-y", "kind", "--model", "lda").exit_code == 0
    told = json.loads(call("evaluate", "model.json", "t.csv", "--json").stdout)
    model = GaussianClassifier.load("model.json")
    record = model.evaluate(frame.drop(columns="kind"), frame["kind"]).record()
    assert {name: told[name] for name in record} == record
