"""What users should know about a fit is data on the model, and stays with it."""

import re
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import gaussbayes
from gaussbayes import AutoClassifier, DroppedColumnsWarning, GaussianClassifier
from gaussbayes.model.summary import model_notices

N = 80
GENERATOR = np.random.default_rng(3)
Y = np.where(np.arange(N) % 2, "yes", "no")
PLAIN = pd.DataFrame(
    GENERATOR.normal(size=(N, 2)) + 2.0 * (Y == "yes")[:, None], columns=["a", "b"]
)


def kinds(model: Any) -> list[str]:
    return [notice.kind for notice in model.notices_]


def quiet(model: Any, *data: Any, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(*data, **options)


def test_a_plain_fit_has_nothing_to_report() -> None:
    assert GaussianClassifier().fit(PLAIN, Y).notices_ == ()
    assert AutoClassifier().fit(PLAIN.to_numpy(), Y).notices_ == ()


@pytest.mark.parametrize("kind", [GaussianClassifier, AutoClassifier])
def test_columns(kind: Any, tmp_path: Path) -> None:
    table = PLAIN.assign(
        id=np.arange(N), same=1.0, leak=(Y == "yes") + 1e-3 * GENERATOR.normal(size=N)
    )
    table.loc[5, "b"] = np.inf
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = kind().fit(table, Y)
    assert [each.category for each in told].count(DroppedColumnsWarning) == 1
    assert kinds(model) == ["dropped columns", "suspicious columns", "infinite values"]
    dropped, suspicious, infinite = model.notices_
    assert "id (identifies rows)" in dropped.message
    assert "same (constant)" in dropped.message
    assert dict(dropped.remedies[0].columns) == {"keep_identifiers": True}
    assert suspicious.message.startswith("suspicious leak (alone determines")
    assert infinite.message == "infinite values are treated as missing in b"
    again = gaussbayes.load(model.save(tmp_path / "model.json"))
    assert again.notices_ == model.notices_
    # What is advised is done, and is said no more.
    (exclude,) = suspicious.remedies
    followed = kind().set_params(columns__exclude=dict(exclude.columns)["exclude"])
    assert "suspicious columns" not in kinds(quiet(followed, table, Y))
    kept = quiet(kind().set_params(columns__keep_identifiers=True), table, Y)
    assert kept.columns_["id"].kind == "number"


def test_rows_of_files(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    table = PLAIN.assign(town=np.where(np.arange(N) % 3, "Köln", "Rom"), y=Y).astype({"a": object})
    table.loc[7, "a"] = "heavy"
    table.to_csv(path, index=False, encoding="cp1252")
    source = gaussbayes.read(path, bad_rows="skip")
    model = quiet(GaussianClassifier(smoothing=1.0), source, "y")
    assert {"skipped rows", "encoding"} <= set(kinds(model))
    (skipped,) = [each for each in model.notices_ if each.kind == "skipped rows"]
    assert skipped.message.startswith("1 row skipped: ")
    assert all(text in skipped.message for text in ("row 8", "'a'", "'heavy'"))
    again = gaussbayes.load(model.save(tmp_path / "model.json"))
    assert kinds(again) == kinds(model)
    # Both parts of a merged model are known.
    other = quiet(GaussianClassifier(smoothing=1.0), source, "y", like=model)
    assert kinds(model.merge(other)).count("skipped rows") == 1


def test_labels_and_classes() -> None:
    labels = Y.astype(object)
    labels[:30] = None
    model = GaussianClassifier().fit(PLAIN, labels)
    assert [each.message for each in model.notices_] == ["30 unlabelled rows used by EM"]


def test_features_without_information() -> None:
    noise = np.random.default_rng(0).normal(size=(200, 2))
    model = AutoClassifier().fit(noise, np.arange(200) % 2)
    (notice,) = model.notices_
    assert notice.kind == "no information"
    assert re.search("carry (no|little) information about the class beyond", notice.message)
    np.testing.assert_allclose(model.predict_proba(noise), 0.5, atol=0.1)


def test_models_that_are_not_finished() -> None:
    """EM that was cut off, and classes that were announced and have no rows."""
    labels = Y.astype(object)
    labels[10:] = None
    model = GaussianClassifier().fit(PLAIN, labels).model_
    record = replace(model.convergence, converged=False, remaining=0.25)
    cut_off = replace(model, solution=replace(model.solution, convergence=record))
    notices = model_notices(cut_off.announcing(np.array(["maybe", "no", "yes"])))
    assert [notice.kind for notice in notices] == [
        "empty classes",
        "unlabelled rows",
        "not converged",
    ]
    assert notices[0].message == "no rows of class 'maybe' so far"
    assert notices[2].message == (
        f"EM did not converge within {record.n_iterations} iterations; the estimated error of a "
        "parameter is 0.2 standard deviations"
    )
