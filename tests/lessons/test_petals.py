"""Course, document 002: one dimension, against scipy's normal distribution."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from gaussbayes.analysis.boundary import boundaries
from gaussbayes.lessons.handouts import PETALS, SPECIES_A, SPECIES_B
from gaussbayes.model.settings import Priors

A, B = np.array(SPECIES_A), np.array(SPECIES_B)
CURVES = norm(A.mean(), A.std()), norm(B.mean(), B.std())


@pytest.mark.parametrize(("proportion", "priors"), [(0.5, "uniform"), (0.375, None)])
def test_boundaries_are_where_scipys_curves_cross(proportion: float, priors: Priors) -> None:
    def odds(x: float) -> float:
        a, b = (float(curve.logpdf(x)) for curve in CURVES)
        return b + np.log(proportion) - a - np.log(1 - proportion)

    crossings = [brentq(odds, 3, 6, xtol=1e-13), brentq(odds, 7, 20, xtol=1e-13)]
    model = PETALS.fit(priors=priors)
    np.testing.assert_allclose(boundaries(model.model_, 0, 1), crossings, rtol=1e-12)


def test_one_variance_for_both_leaves_one_boundary() -> None:
    pooled = (A.var() * A.size + B.var() * B.size) / 8
    middle = (A.mean() + B.mean()) / 2 + pooled * np.log(5 / 3) / (B.mean() - A.mean())
    found = boundaries(PETALS.fit(shared=True).model_, 0, 1)
    np.testing.assert_allclose(found, [middle], rtol=1e-13)


def test_far_out_the_wider_species_wins_again() -> None:
    assert PETALS.fit().predict([[3.0], [4.9], [5.0], [15.3], [15.4]]).tolist() == list("AABBA")


def test_the_two_parts_of_the_negative_log_likelihood() -> None:
    loss = PETALS.fit().negative_log_likelihood(PETALS.rows, PETALS.labels)
    assert loss.labels == pytest.approx(-5 * np.log(5 / 8) - 3 * np.log(3 / 8), rel=1e-14)
    features = -CURVES[0].logpdf(A).sum() - CURVES[1].logpdf(B).sum()
    assert loss.features == pytest.approx(features, rel=1e-14)
    # The parts have parameters of their own: other priors leave the features' part alone.
    other = PETALS.fit(priors="uniform").negative_log_likelihood(PETALS.rows, PETALS.labels)
    assert other.features == loss.features
    assert other.labels == pytest.approx(8 * np.log(2), rel=1e-14)
