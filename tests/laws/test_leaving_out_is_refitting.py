"""What is said of a row that is left out is what a model fitted without it says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussbayes.base.errors import GaussBayesError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import Divisor, FloatArray
from gaussbayes.data.rows import LabelledRows, Targets, number_rows
from gaussbayes.families.gaussian.family import Gaussian
from gaussbayes.families.gaussian.shrinkage import Shrinkage
from gaussbayes.families.gaussian.structure import Structure
from gaussbayes.model.left_out import held_out_rows, hold_out
from gaussbayes.model.settings import Component, Settings
from gaussbayes.model.statistics import Learnt
from tests.scored import estimate, log_posterior
from tests.strategies import MIXTURES, STRUCTURES, Rows, name_of, well_spread_rows

SHRINKAGES = st.one_of(st.none(), st.just("oas"), st.floats(0.0, 1.0))
DIVISORS = st.sampled_from(["mle", "unbiased"])


def refitted(data: Rows, family: Gaussian, priors: str | None) -> FloatArray:
    expected = np.full((data.codes.size, data.n_classes), -np.inf)
    for row in range(data.codes.size):
        others = data.taken(np.arange(data.codes.size) != row).summarise()
        present = np.flatnonzero(others.weight > 0)
        if present.size < 2:  # there is nothing else to choose
            expected[row, present] = 0.0
            continue
        prior = None if priors is None else np.full(present.size, 1 / present.size)
        model = estimate(
            others.selected(present),
            Schema(present, data.X.shape[1]),
            family.structure,
            prior,
            family.divisor,
            family.shrinkage,
        )
        expected[row, present] = log_posterior(model, data.X[row : row + 1])[0]
    return expected


def check(data: Rows, family: Gaussian, priors: str | None = None) -> None:
    """Equal to 1e-10 in every log posterior, or refused both ways."""
    d, targets = data.X.shape[1], Targets(data.codes, data.n_classes, data.weights)
    statistics = family.observe(number_rows(data.X), targets, data.schema)
    learnt = Learnt(data.schema.classes, (statistics,), None)
    settings = Settings((Component(family, tuple(range(d))),), priors)
    table = LabelledRows(number_rows(data.X), targets, data.schema.classes)
    held_out = held_out_rows(table, learnt, data.schema, settings)
    (found,), _ = hold_out(held_out, [settings], exact=True)
    if isinstance(found, GaussBayesError):
        with pytest.raises(type(found)):
            refitted(data, family, priors)
        return
    expected = refitted(data, family, priors)
    possible = expected > -np.inf
    assert np.array_equal(found > -np.inf, possible)
    gap = np.abs(found[possible] - expected[possible])
    assert (gap <= 1e-10 * np.maximum(1.0, np.abs(expected[possible]))).all()


@pytest.mark.parametrize("structure", [*STRUCTURES, *MIXTURES], ids=name_of)
@given(data=well_spread_rows(), divisor=DIVISORS, shrinkage=SHRINKAGES)
def test_rows_that_count_once(
    structure: Structure, data: Rows, divisor: Divisor, shrinkage: Shrinkage
) -> None:
    check(data, Gaussian(structure, divisor, shrinkage))


@pytest.mark.parametrize("structure", [*STRUCTURES, *MIXTURES], ids=name_of)
@given(data=well_spread_rows(), draw=st.data(), shrinkage=SHRINKAGES)
def test_rows_with_weights(
    structure: Structure, data: Rows, draw: st.DataObject, shrinkage: Shrinkage
) -> None:
    n = data.codes.size
    some = st.lists(st.floats(0.1, 10.0), min_size=n, max_size=n)
    weighted = Rows(data.X, data.codes, np.asarray(draw.draw(some)), data.n_classes)
    check(weighted, Gaussian(structure, "mle", shrinkage), "uniform")


@pytest.mark.parametrize("shared", [False, True])
@given(data=well_spread_rows(), draw=st.data())
def test_classes_of_few_rows(shared: bool, data: Rows, draw: st.DataObject) -> None:
    """Classes may be down to one row, which takes its class along."""
    some = draw.draw(st.sets(st.integers(0, data.codes.size - 1), min_size=3))
    first = [int(np.argmax(data.codes == code)) for code in range(data.n_classes)]
    few = data.taken(np.unique([*some, *first]))
    check(few, Gaussian(Structure("spherical", float(shared))))
