"""What is said of a row that is left out is what a model fitted without it says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussbayes.base.errors import GaussBayesError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import Divisor, FloatArray
from gaussbayes.families.gaussian.leave_one_out import leave_one_out
from gaussbayes.families.gaussian.parameters import Structure
from gaussbayes.families.gaussian.scores import log_posterior
from gaussbayes.families.gaussian.shrinkage import Shrinkage
from gaussbayes.model.labelled import LabelledMoments
from gaussbayes.model.settings import Settings
from tests.strategies import MIXTURES, STRUCTURES, Rows, name_of, well_spread_rows

SHRINKAGES = st.one_of(st.none(), st.just("oas"), st.floats(0.0, 1.0))
DIVISORS = st.sampled_from(["mle", "unbiased"])


def refitted(data: Rows, settings: Settings) -> FloatArray:
    told = np.full((data.codes.size, data.n_classes), -np.inf)
    for row in range(data.codes.size):
        others = data.taken(np.arange(data.codes.size) != row).summarise()
        known = LabelledMoments(data.schema.classes, others).with_rows()
        model = settings.estimate(known.moments, Schema(known.classes, data.X.shape[1]))
        told[row, others.weight > 0] = log_posterior(model, data.X[row : row + 1])[0]
    return told


def check(data: Rows, settings: Settings) -> None:
    """Equal to 1e-10 in every log posterior, or refused both ways."""
    moments = data.summarise()
    try:
        expected = refitted(data, settings)
    except GaussBayesError as error:
        with pytest.raises(type(error)):
            leave_one_out(data.X, data.codes, data.weights, moments, data.schema, settings)
        return
    found = leave_one_out(data.X, data.codes, data.weights, moments, data.schema, settings)
    there = expected > -np.inf
    assert np.array_equal(found > -np.inf, there)
    gap = np.abs(found[there] - expected[there])
    assert (gap <= 1e-10 * np.maximum(1.0, np.abs(expected[there]))).all()


@pytest.mark.parametrize("structure", [*STRUCTURES, *MIXTURES], ids=name_of)
@given(data=well_spread_rows(), divisor=DIVISORS, shrinkage=SHRINKAGES)
def test_rows_that_count_once(
    structure: Structure, data: Rows, divisor: Divisor, shrinkage: Shrinkage
) -> None:
    check(data, Settings(structure, None, divisor, shrinkage))


@pytest.mark.parametrize("structure", [*STRUCTURES, *MIXTURES], ids=name_of)
@given(data=well_spread_rows(), draw=st.data(), shrinkage=SHRINKAGES)
def test_rows_with_weights(
    structure: Structure, data: Rows, draw: st.DataObject, shrinkage: Shrinkage
) -> None:
    n = data.codes.size
    some = st.lists(st.floats(0.1, 10.0), min_size=n, max_size=n)
    weighted = Rows(data.X, data.codes, np.asarray(draw.draw(some)), data.n_classes)
    check(weighted, Settings(structure, "uniform", "mle", shrinkage))


@pytest.mark.parametrize("shared", [False, True])
@given(data=well_spread_rows(), draw=st.data())
def test_classes_of_few_rows(shared: bool, data: Rows, draw: st.DataObject) -> None:
    """Classes may be down to one row, which takes its class along."""
    some = draw.draw(st.sets(st.integers(0, data.codes.size - 1), min_size=3))
    first = [int(np.argmax(data.codes == code)) for code in range(data.n_classes)]
    few = data.taken(np.unique([*some, *first]))
    check(few, Settings(Structure("spherical", shared), None, "mle", None))
