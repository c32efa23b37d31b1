"""The Bayes error is at most the Bhattacharyya bound, and at most that of a constant answer."""

import numpy as np
import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gaussbayes.analysis.synthesis import draw
from gaussbayes.families.gaussian.structure import Structure
from gaussbayes.model.bayes_error import bayes_error, bhattacharyya_distance
from gaussbayes.model.model import Model
from tests.gaussians import fitted_model, model_of
from tests.strategies import STRUCTURES, Rows, covariances, name_of, well_spread_rows

ROUNDING = 1e-13
"""The logarithms of up to four variances between 8 and 400 make up a distance, and cancel."""

each_structure = pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)


@each_structure
@for_all(rows=well_spread_rows(), data=st.data())
def test_error_of_draws_keeps_below_the_bound(
    structure: Structure, rows: Rows, data: st.DataObject
) -> None:
    fitted = fitted_model(rows, structure)
    shares = data.draw(hnp.arrays(np.float64, rows.n_classes, elements=st.integers(1, 9)))
    model = fitted.with_priors(shares / shares.sum())
    drawn, _ = draw(model, 1000, np.random.default_rng(0))
    unsure = 1 - model.posterior(drawn).max(axis=1)
    found = bayes_error(model, 1000)
    # Rare errors may all be missing among the draws, so that their spread says nothing. Numbers
    # from 0 to ½ of mean e have at most the variance ½ e.
    spread = np.sqrt(0.5 * found.error / 1000)
    assert unsure.mean() <= found.bound + 5 * spread + ROUNDING
    assert abs(unsure.mean() - found.error) <= 5 * np.hypot(spread, found.standard_error) + ROUNDING
    # The mean of numbers from 0 to 1 times the bound: for certain, not only for most draws.
    assert 0 <= found.error <= found.bound * (1 + ROUNDING)
    assert found.error <= 1 - model.prior.max() + 5 * found.standard_error + ROUNDING


@st.composite
def two_gaussians(draw: st.DrawFn) -> Model:
    d = draw(st.integers(1, 4))
    means = draw(hnp.arrays(np.float64, (2, d), elements=st.integers(-20, 20)))
    return model_of([0.25, 0.75], means, draw(covariances(2, d)))


@for_all(two_gaussians())
def test_two_classes_are_never_bounded_by_more_than_a_half(model: Model) -> None:
    assert np.all(bhattacharyya_distance(model) >= 0)
    assert bayes_error(model, 2).bound <= np.sqrt(0.25 * 0.75) < 0.5


@for_all(two_gaussians(), st.integers(-60, 60))
def test_distances_do_not_depend_on_units(model: Model, power: int) -> None:
    unit, density = np.ldexp(1.0, power), model.densities[0]
    dense = density.dense_covariance() * unit**2
    scaled = model_of(model.prior, density.mean * unit, dense)
    np.testing.assert_allclose(
        bhattacharyya_distance(scaled), bhattacharyya_distance(model), rtol=1e-11, atol=1e-12
    )
