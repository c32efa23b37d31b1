"""Families that are given to features: counts, blocks of Gaussians."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from gaussbayes import GaussianClassifier
from gaussbayes.base.errors import DataError, OptionError

FAMILIES: dict[Any, str] = {"visits": "poisson", "smokes": "poisson"}


def patients(n: int = 120) -> tuple[pd.DataFrame, np.ndarray]:
    """Counts between numbers."""
    rng = np.random.default_rng(6)
    y = np.arange(n) % 3
    frame = pd.DataFrame(
        {
            "height": rng.normal(170, 8, n) + 2 * y,
            "visits": rng.poisson(2 + 2 * y),
            "weight": rng.normal(70, 10, n) - 3 * y,
            "smokes": (rng.random(n) < 0.2 + 0.25 * y).astype(int),
            "age": rng.normal(50, 15, n),
        }
    )
    return frame, np.array(["a", "b", "c"])[y]


def test_a_block_of_its_own_is_independent_of_the_rest() -> None:
    X, y = patients()
    block: Any = ("weight", "height")
    model = GaussianClassifier(families={block: "gaussian", **FAMILIES}).fit(X, y)
    first = GaussianClassifier().fit(X[["height", "weight"]], y)
    second = GaussianClassifier().fit(X[["age"]], y)
    for pair, part in (([0, 2], first), ([4], second)):
        np.testing.assert_array_equal(model.means_[:, pair], part.means_)
        np.testing.assert_array_equal(model.covariances_[:, pair][:, :, pair], part.covariances_)
    assert not model.covariances_[:, [0, 2], 4].any()
    assert GaussianClassifier(shared=True, families={block: "gaussian"}).fit(
        X[["height", "weight", "age"]], y
    ).covariances_.shape == (3, 3)
    rest = GaussianClassifier(families=FAMILIES).fit(X[["visits", "smokes"]], y)
    expected = (
        first.scores(X[["height", "weight"]]).log_likelihood
        + second.scores(X[["age"]]).log_likelihood
        + rest.scores(X[["visits", "smokes"]]).log_likelihood
    )
    np.testing.assert_allclose(model.scores(X).log_likelihood, expected, rtol=1e-11)


@pytest.mark.parametrize(
    ("families", "error", "message"),
    [
        ({"visits": "poison"}, OptionError, "a family must be one of .*did you mean 'poisson'"),
        (
            {"visit": "poisson"},
            DataError,
            r"no column 'visit' \(did you mean 'visits'\?\), named by families",
        ),
        (
            {7: "poisson"},
            DataError,
            "there is no column 7, named by families, .*; the columns are 0 to 4",
        ),
        (
            {"age": "gaussian", ("age", "weight"): "gaussian"},
            OptionError,
            "'age' must have one family, but families gives it two",
        ),
        ("poisson", OptionError, "families must be None or a mapping such as"),
        ({"height": "poisson"}, DataError, "row 0 has .* in 'height', which must be an integer"),
    ],
)
def test_families_that_cannot_be(families: Any, error: type[Exception], message: str) -> None:
    X, y = patients()
    with pytest.raises(error, match=message):
        GaussianClassifier(families=families).fit(X, y)
