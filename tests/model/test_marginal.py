"""Models of some features: scipy's density of the sub-block, an integral, and what they keep."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import multivariate_normal

from gaussbayes.base.errors import DataError
from gaussbayes.data.rows import Rows, number_rows
from gaussbayes.families.gaussian.structure import Structure
from gaussbayes.model.settings import cut_rows
from tests.gaussians import COVARIANCES, MEANS, PRIORS, structured_model
from tests.model.tables import SCHEMA, model_of, taken, weather
from tests.strategies import STRUCTURES, name_of


def test_the_density_is_that_of_the_sub_block() -> None:
    table = weather(60)
    model = model_of(table, families=None)  # pressure, warmth and storms are Gaussian together
    part = model.marginal(["storms", "pressure"])
    assert part.schema.features == ("storms", "pressure")
    points = np.random.default_rng(5).normal(size=(20, 2))
    for code in range(3):
        labels = table.targets.codes == code
        numbers = table.rows.matrix[labels][:, [2, 0]]
        density = multivariate_normal(numbers.mean(axis=0), np.cov(numbers.T, bias=True))
        likelihood = part.log_likelihood(number_rows(points))[:, code]
        np.testing.assert_allclose(likelihood, density.logpdf(points), rtol=1e-11)


def test_the_other_feature_is_integrated_out() -> None:
    model = structured_model(PRIORS, MEANS, COVARIANCES, Structure())
    part = model.marginal([0])
    for x in (-1.0, 0.3, 2.0):

        def evidence(z: float, x: float = x) -> float:
            return float(np.exp(model.log_evidence(number_rows(np.array([[x, z]])))[0]))

        integral, _ = quad(evidence, -25, 25, epsrel=1e-11, limit=200)
        expected = np.exp(part.log_evidence(number_rows(np.array([[x]])))[0])
        assert expected == pytest.approx(integral, rel=1e-9)


def test_categories_and_counts_are_summed_out() -> None:
    model = model_of(weather(90), smoothing=0.5)
    part = model.marginal(["warmth", "month"])
    number = np.array([[0.4]])
    code = np.array([[1]], np.int32)
    total = 0.0
    for wind in range(3):
        for storms in range(60):
            full = Rows(
                np.array([[np.nan, 0.4, storms]]), np.array([[wind, 1]], np.int32), model.categories
            )
            total += np.exp(model.log_joint(full)[0])
    rows = Rows(number, code, model.categories[1:])
    np.testing.assert_allclose(np.exp(part.log_joint(rows)[0]), total, rtol=1e-11)


@pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)
def test_every_structure_keeps_its_parameters(structure: Structure) -> None:
    model = structured_model(PRIORS, MEANS, COVARIANCES, structure)
    turned = model.marginal([1, 0])
    np.testing.assert_array_equal(turned.prior, model.prior)
    np.testing.assert_array_equal(turned.densities[0].mean, MEANS[:, ::-1])
    whole = model.densities[0].dense_covariance()
    np.testing.assert_array_equal(turned.densities[0].dense_covariance(), whole[:, ::-1, ::-1])
    one = model.marginal([1]).densities[0].dense_covariance()
    np.testing.assert_array_equal(one, whole[:, 1:, 1:])


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("unlabelled", [0.0, 0.5])
def test_a_marginal_goes_on_learning(missing: float, unlabelled: float) -> None:
    """It keeps what was learnt of its columns: updated, it is the model fitted to them."""
    table = weather(90, missing=missing, unlabelled=unlabelled)
    names = ["month", "storms", "warmth"]
    early, late = taken(table, slice(0, 60)), taken(table, slice(60, 90))
    part = model_of(early, covariance="diagonal").marginal(names)
    more = model_of(table, covariance="diagonal").marginal(names)
    learnt = more.learnt
    assert part.learnt is not None
    assert learnt is not None
    rest = model_of(late, covariance="diagonal").marginal(names).learnt
    assert rest is not None
    updated = part.updated(rest)
    alone = part.with_settings(part.settings, "fit").solved()
    again = updated.without(rest).solved()
    rows = cut_rows(table.rows, SCHEMA, [4, 3, 2])
    np.testing.assert_allclose(again.posterior(rows), alone.posterior(rows), atol=1e-8)
    whole = more.with_settings(more.settings, "fit").solved()
    np.testing.assert_allclose(updated.solved().posterior(rows), whole.posterior(rows), atol=1e-8)
    np.testing.assert_allclose(updated.learnt.weight, learnt.weight, rtol=1e-14)


def test_the_model_itself_stays_as_it_is() -> None:
    table = weather(60)
    model = model_of(table)
    before = model.posterior(table.rows)
    part = model.marginal(["wind"])
    np.testing.assert_array_equal(model.posterior(table.rows), before)
    assert (model.schema.n_features, part.schema.n_features) == (5, 1)
    assert part.target == model.target
    for features in ([], ["wind", 1], ["rain"]):
        with pytest.raises(DataError):
            model.marginal(features)


def test_priors_are_those_of_all_rows() -> None:
    """Estimated again, they are the proportions of the rows, unlabelled ones in expectation."""
    table = weather(90, unlabelled=0.4)
    model = model_of(table)
    part = model.with_priors("uniform").marginal(["wind"]).with_priors(None)
    np.testing.assert_allclose(part.prior, model.prior, rtol=1e-12)
    labelled = model_of(taken(table, table.targets.labelled)).marginal(["storms"])
    counts = np.bincount(table.targets.codes[table.targets.labelled])
    np.testing.assert_allclose(
        labelled.with_priors("uniform").with_priors(None).prior, counts / counts.sum(), rtol=1e-14
    )
