"""Classifiers that were saved and loaded: what comes with a model comes back."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from gaussbayes import GaussianClassifier
from tests.model.file.files import NAMES, TREES, trees

FRAME = pd.DataFrame(trees().matrix, columns=list(NAMES))
LABELS = TREES[np.arange(40) % 2]


def through_a_file(model: GaussianClassifier, folder: Path) -> GaussianClassifier:
    path = model.save(str(folder / "model.json"))
    assert isinstance(path, Path)
    before = path.read_bytes()
    loaded = GaussianClassifier.load(path)
    assert loaded.save(path).read_bytes() == before
    return loaded


def test_what_comes_with_a_model_comes_back(tmp_path: Path) -> None:
    model = GaussianClassifier(priors={"ash": 0.25, "oak": 0.75}, shrinkage="oas")
    model.fit(FRAME, pd.Series(LABELS, name="kind"))
    loaded = through_a_file(model, tmp_path)
    assert loaded.n_features_in_ == 3
    assert loaded.feature_names_in_.tolist() == list(NAMES)
    assert loaded.feature_names_in_.dtype == model.feature_names_in_.dtype
    assert loaded.get_params() == model.get_params()
    assert loaded.n_parameters_ == model.n_parameters_
    for other in (loaded, pickle.loads(pickle.dumps(loaded))):
        assert other.predict_proba(FRAME).tobytes() == model.predict_proba(FRAME).tobytes()
        assert other.predict(FRAME).tolist() == model.predict(FRAME).tolist()
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(FRAME[["girth", "age", "height"]])
    assert not hasattr(clone(loaded), "classes_")
    for mine, theirs in zip(loaded.sample(20, 3), model.sample(20, 3), strict=True):
        assert mine.tolist() == theirs.tolist()


def test_categories_and_missing_labels_come_back(tmp_path: Path) -> None:
    wind = pd.Categorical(np.array(["low", "mid", None], dtype=object)[np.arange(40) % 3])
    table = FRAME.assign(wind=wind)
    labels = pd.Series(LABELS, dtype=object)
    labels[:5] = None
    model = GaussianClassifier(smoothing=0.5).fit(table, labels)
    loaded = through_a_file(model, tmp_path)
    assert loaded.get_params()["smoothing"] == 0.5
    assert loaded.predict_proba(table).tobytes() == model.predict_proba(table).tobytes()
    assert loaded.with_priors(None).priors_.tobytes() == model.priors_.tobytes()


def test_an_unfitted_model_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not fitted"):
        GaussianClassifier().save(tmp_path / "model.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "labels",
    [
        [True, False],
        [3, -7],
        np.array([3, 7], dtype=np.uint8),
        np.array([3, 7], dtype=np.float32),
        pd.Series(["no", "yes"], dtype=object),
        pd.Series(["no", "yes"], dtype="str"),
        pd.Categorical(["no", "yes"]),
        np.array(["no", "yes"], dtype=np.dtypes.StringDType()),
        np.array(["no", "yes"], dtype="U9"),
        ["-", "ü\n\0x"],
    ],
    ids=repr,
)
def test_labels_of_every_kind(labels: Any, tmp_path: Path) -> None:
    y = np.asarray(labels)[[0, 0, 1, 1]]
    model = GaussianClassifier().fit([[1.0], [2.0], [5.0], [7.0]], y)
    loaded = through_a_file(model, tmp_path)
    assert loaded.classes_.dtype == model.classes_.dtype
    assert loaded.predict([[1.0], [6.0]]).tolist() == model.predict([[1.0], [6.0]]).tolist()
