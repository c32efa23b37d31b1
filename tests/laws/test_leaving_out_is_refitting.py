"""What is said of a row that is left out is what a model fitted without it says."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from gaussbayes import GaussBayesError, GaussianClassifier
from tests.strategies import MIXTURES, STRUCTURES, Rows, name_of, well_spread_rows

SHRINKAGES = st.one_of(st.none(), st.just("oas"), st.floats(0.0, 1.0))
each_structure = pytest.mark.parametrize("structure", [*STRUCTURES, *MIXTURES], ids=name_of)


def refitted(model: GaussianClassifier, data: Rows) -> Any:
    """Log posteriors by as many models as there are rows."""
    classes = np.unique(data.codes)
    expected = np.full((data.codes.size, classes.size), -np.inf)
    for row in range(data.codes.size):
        others = data.taken(np.arange(data.codes.size) != row)
        present = np.isin(classes, others.codes)
        expected[row, present] = 0.0  # if there is nothing else to choose
        if present.sum() > 1:
            fitted = clone(model).fit(others.X, others.codes, others.weights)
            expected[row, present] = fitted.predict_log_proba(data.X[[row]])[0]
    return expected


def check(data: Rows, **options: Any) -> None:
    """Equal to 1e-10 in every log posterior, or refused both ways."""
    model = GaussianClassifier(**options)
    try:
        found = model.leave_one_out(data.X, data.codes, data.weights).log_posterior
    except GaussBayesError as error:
        with pytest.raises(type(error)):
            refitted(model, data)
        return
    np.testing.assert_allclose(found, refitted(model, data), rtol=1e-10, atol=1e-10)


@each_structure
@given(data=well_spread_rows(), shrinkage=SHRINKAGES, unbiased=st.booleans())
def test_rows_that_count_once(structure: Any, data: Rows, shrinkage: Any, unbiased: bool) -> None:
    check(
        data,
        covariance=structure.covariance,
        shared=structure.sharing,
        divisor="unbiased" if unbiased else "mle",
        shrinkage=shrinkage,
    )


@each_structure
@given(data=well_spread_rows(), draw=st.data(), shrinkage=SHRINKAGES)
def test_rows_with_weights(structure: Any, data: Rows, draw: st.DataObject, shrinkage: Any) -> None:
    n = data.codes.size
    weights = np.asarray(draw.draw(st.lists(st.floats(0.1, 10.0), min_size=n, max_size=n)))
    check(
        Rows(data.X, data.codes, weights, data.n_classes),
        covariance=structure.covariance,
        shared=structure.sharing,
        shrinkage=shrinkage,
        priors="uniform",
    )


@pytest.mark.parametrize("shared", [False, True])
@given(data=well_spread_rows(), draw=st.data())
def test_classes_of_few_rows(shared: bool, data: Rows, draw: st.DataObject) -> None:
    """Classes may be down to one row, which takes its class along."""
    some = draw.draw(st.sets(st.integers(0, data.codes.size - 1), min_size=3))
    first = [int(np.argmax(data.codes == code)) for code in range(data.n_classes)]
    check(data.taken(np.unique([*some, *first])), covariance="spherical", shared=shared)
