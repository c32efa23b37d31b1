"""The six structures, tables to try them on, and when two models are the same."""

from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris

from gaussbayes import AutoClassifier, Columns, GaussianClassifier
from gaussbayes.model import fit
from gaussbayes.model.options import Options, internal_options
from gaussbayes.model.select import Trial, tried

STRUCTURES = [
    (covariance, shared)
    for covariance in ("full", "diagonal", "spherical")
    for shared in (False, True)
]

SCORES = ("predict_proba", "predict_log_proba", "decision_function", "score_samples")
"""The methods that give floats for rows."""

NAMES = np.array(["setosa", "versicolor", "virginica"])


class Candidates(AutoClassifier):
    """An `AutoClassifier` with other internal settings, which are not arguments."""

    families = priors = columns = None

    def __init__(self, settings: Any = None) -> None:
        self.settings = settings

    @property
    def n_jobs(self) -> Any:  # type: ignore[override]
        return self.settings.get("n_jobs")

    def _options(self) -> Options:
        return internal_options(**({"columns": Columns()} | self.settings))


def trials_of(model: AutoClassifier, *rows: Any) -> list[Trial]:
    """Fit a classifier that selects; every candidate with its settings, the best first."""
    found: list[Trial] = []

    def select(views: Any, n_jobs: Any) -> Any:
        found.extend(tried(views, n_jobs))
        return selected(views, n_jobs)

    selected = fit.select
    with mock.patch.object(fit, "select", select):
        model.fit(*rows)
    return found


def six_models() -> list[GaussianClassifier]:
    """One unfitted model of each structure."""
    return [GaussianClassifier(covariance, shared=shared) for covariance, shared in STRUCTURES]


def iris() -> tuple[Any, Any]:
    """Fisher's irises in a random order, with the species' names."""
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(3).permutation(len(y))
    return X[order], NAMES[y[order]]


def assert_same_model(a: GaussianClassifier, b: GaussianClassifier, X: Any) -> None:
    """Parameters equal to 1e-13 of their size, labels identical."""
    assert a.classes_.tolist() == b.classes_.tolist()
    for name in ("priors_", "means_", "covariances_"):
        one, other = getattr(a, name), getattr(b, name)
        assert np.abs(one - other).max() <= 1e-13 * np.abs(other).max(), name
    assert a.predict(X).tolist() == b.predict(X).tolist()


def trees(seed: int = 0, n: int = 40, d: int = 3) -> tuple[Any, Any]:
    """Two kinds of trees in turn, ash and oak, a standard deviation apart in each feature."""
    rng = np.random.default_rng(seed)
    y = np.array(["ash", "oak"])[np.arange(n) % 2]
    return rng.normal(size=(n, d)) + (y == "oak")[:, None], y


def tree_frame(X: Any) -> pd.DataFrame:
    """The same with names."""
    return pd.DataFrame(X, columns=["age", "girth", "height"][: X.shape[1]])


def weather(n: int = 200, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Two numbers and two categories, one of them with gaps."""
    random = np.random.default_rng(seed)
    y = np.array(["dry", "mild", "wet"])[random.integers(0, 3, n)]
    shift = (y == "wet").astype(int)
    wind = np.array(["low", "mid", "strong", None], dtype=object)
    frame = pd.DataFrame(
        {
            "pressure": random.normal(1000, 10, n) - 8 * shift,
            "wind": pd.Categorical(wind[(random.integers(0, 3, n) + shift) % 4]),
            "warmth": random.normal(15, 5, n),
            "month": pd.Categorical(random.integers(1, 4, n)),
        }
    )
    return frame, y
