"""Automatic selection on tables of very few rows: a model, or an error that says why."""

import numpy as np
import pytest

from gaussbayes import AutoClassifier, GaussBayesError


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n", [2, 3, 4, 6, 9])
@pytest.mark.parametrize("missing", ["none", "values", "labels", "a column", "variation"])
def test_a_few_rows(n: int, missing: str) -> None:
    for seed in range(4):
        rng = np.random.default_rng([n, seed])
        X = rng.normal(size=(n, 1 + seed)).round(seed % 2)
        y = np.array(["a", "b", "c"], dtype=object)[np.arange(n) % (2 + seed % 2)]
        if missing == "values":
            X[rng.random(X.shape) < 0.3] = np.nan
        if missing == "a column":
            X[:, 0] = np.nan
        if missing == "variation":
            X[:, -1] = X[0, -1]
        if missing == "labels":
            y[rng.random(n) < 0.3] = None
        try:
            model = AutoClassifier().fit(X, y)
        except GaussBayesError as error:
            assert len(str(error)) > 20  # noqa: PT017 (either is right)
        else:
            posterior = model.predict_proba(X)
            np.testing.assert_allclose(posterior.sum(axis=1), 1.0, rtol=1e-12)
