"""What `AutoClassifier` chooses from: densities with covariances integrated out.

The transforms of a candidate are given; scores are compared with multivariate t densities that are
written down directly, of matrices of all features, however few rows there are.
"""

import pickle
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_t

from gaussbayes import AutoClassifier
from tests.agreement.test_gaussian import defined
from tests.models import trials_of


def table(n: int, d: int, seed: int = 0) -> Any:
    rng = np.random.default_rng([n, d, seed])
    y = np.arange(n) % 3
    y[: n // 5] = 0
    X = 5.0 + np.exp(rng.normal(size=d)) * (rng.normal(size=(n, d)) + rng.normal(size=(3, d))[y])
    return X, y, rng.integers(1, 4, n) / 2


def laws(z: Any, y: Any, w: Any, sharing: float, shrinkage: float) -> list[Any]:
    """The predictive density of each class, given rows of these weights."""
    d, k, total = z.shape[1], 3, w.sum()
    weight = np.bincount(y, w, k)
    mean = np.stack([w[y == c] @ z[y == c] / weight[c] for c in range(k)])
    apart = z - mean[y]
    own = np.stack([(w[y == c, None] * apart[y == c]).T @ apart[y == c] for c in range(k)])
    pooled = own.sum(axis=0)
    centre = (1 - shrinkage) * pooled + shrinkage * np.trace(pooled) / d * np.eye(d)
    ratio = sharing / (1 - sharing)
    found = []
    for c in range(k):
        degrees = ratio * total / k + weight[c] + 1.0
        scale = (ratio / k * centre + own[c]) * (1 + 1 / weight[c]) / degrees
        found.append(multivariate_t(mean[c], scale, degrees))
    return found


def settings_of(settings: Any) -> tuple[Any, float, float]:
    """The transforms, the sharing and the shrinkage of a predictive model."""
    (family,) = settings.families
    gaussian = getattr(family.family, "family", family.family)  # in the span of the rows, or not
    return family.map, gaussian.structure.sharing, gaussian.shrinkage or 0.0


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "d", "possible"), [(40, 3, 40), (14, 17, 30)])
def test_candidates_are_judged_by_the_densities_of_the_other_rows(
    n: int, d: int, possible: int, weighted: bool
) -> None:
    """With more features than rows, candidates without shrinkage are refused."""
    X, y, w = table(n, d)
    w = w if weighted else np.ones(n)
    judged = 0
    for trial in trials_of(AutoClassifier(), X, y, w if weighted else None):
        candidate, structure = trial.candidate, trial.settings.first("structure")
        if candidate.refused is not None or structure.covariance != "full":
            continue
        transforms, sharing, shrinkage = settings_of(trial.settings)
        z, loss = transforms.forward(X)[0], 0.0
        for row in range(n):
            others = np.arange(n) != row
            each = laws(z[others], y[others], w[others], sharing, shrinkage)
            prior = np.log(np.bincount(y[others], w[others], 3))
            joint = prior + [law.logpdf(z[row]) for law in each]
            loss -= w[row] * (joint[y[row]] - logsumexp(joint))
        assert candidate.log_loss == pytest.approx(loss / w.sum(), rel=1e-7), str(candidate)
        judged += 1
    assert judged == possible


def test_candidates_without_correlations_are_gaussians_of_the_other_rows() -> None:
    X, y, _ = table(40, 3)
    trials = trials_of(AutoClassifier(), X, y)
    some = [each for each in trials if each.settings.first("structure").covariance == "diagonal"]
    assert len(some) == 6
    for trial in some:
        (family,), candidate = trial.settings.families, trial.candidate
        z, structure = family.map.forward(X)[0], family.family.structure
        how = ((structure.covariance, structure.sharing), candidate.shrinkage, "mle", "diagonal")
        # Selection takes the units of the features from all rows.
        unit = np.sqrt(sum((y == c).sum() * z[y == c].var(axis=0) for c in range(3)))
        loss = 0.0
        for row in range(40):
            others = np.arange(40) != row
            mean, covariance = defined(z[others], y[others], None, *how, unit)
            variance = np.diagonal(covariance, axis1=1, axis2=2)
            square = np.square(z[row] - mean) / variance + np.log(variance)
            joint = np.log(np.bincount(y[others])) - 0.5 * square.sum(axis=1)
            loss -= joint[y[row]] - logsumexp(joint)
        assert candidate.log_loss == pytest.approx(loss / 40, rel=1e-7)


@pytest.mark.parametrize(("n", "d"), [(60, 3), (14, 17)])
def test_the_density_is_that_of_scipy(n: int, d: int, tmp_path: Path) -> None:
    X, y, _ = table(n, d)
    model = AutoClassifier().fit(X, y)
    transforms, sharing, shrinkage = settings_of(model.model_.settings)
    each = laws(transforms.forward(X)[0], y, np.ones(n), sharing, shrinkage)
    fresh = table(n, d, seed=1)[0]
    fresh[1, 0], fresh[2, 1:], fresh[3] = np.nan, np.nan, np.nan
    z, log_slope = transforms.forward(fresh)
    found = model.scores(fresh).log_likelihood
    for row in range(n):
        there = np.flatnonzero(~np.isnan(z[row]))
        for c, law in enumerate(each if there.size else ()):
            part = law.shape[np.ix_(there, there)]
            truth = multivariate_t(law.loc[there], part, law.df).logpdf(z[row, there])
            assert found[row, c] == pytest.approx(truth + np.nansum(log_slope[row]), rel=1e-8)
    assert found[3].tolist() == [0.0, 0.0, 0.0]
    single = model.scores(fresh.astype(np.float32)).log_likelihood
    np.testing.assert_allclose(single, found, rtol=1e-4, atol=1e-3)
    again = AutoClassifier.load(model.save(tmp_path / "model.json"))
    for other in (again, pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.scores(fresh).log_likelihood, found)
    odds = model.explain(fresh[0], between=(2, 0)).log_odds
    amounts = odds.at_reference + sum(part.amount for part in odds.contributions)
    joint = found[0] + np.log(model.priors_)
    assert amounts == pytest.approx(joint[2] - joint[0], rel=1e-8)  # before it is calibrated
    assert amounts + odds.calibration == pytest.approx(odds.value, rel=1e-8)
    rows, labels = model.sample(4000, random_state=0)
    own = model.scores(rows).squared_distance[np.arange(4000), labels]
    assert own.mean() == pytest.approx(d, rel=0.1)  # χ² of d degrees


def wide(seed: int, n_features: int = 2308) -> tuple[Any, ...]:
    """Rows as of the small round blue cell tumours: 63 of four classes, and 20 to be predicted."""
    generator = np.random.default_rng(seed)
    y, known = np.repeat(np.arange(4), [23, 8, 12, 20]), np.repeat(np.arange(4), 5)
    means = np.zeros((4, n_features))
    means[:, :100] = 2.0 * generator.normal(size=(4, 100))
    loadings = 0.5 * generator.normal(size=(10, n_features))

    def rows(codes: Any) -> Any:
        hidden = generator.normal(size=(len(codes), 10)) @ loadings
        return means[codes] + hidden + generator.normal(size=(len(codes), n_features))

    return rows(y), y, rows(known), known


def test_many_features_take_little_memory() -> None:
    """One matrix of all pairs of features would take 37 times as much as the rows."""
    rows, y, fresh, known = wide(1)
    model = AutoClassifier().fit(rows[:, :100], y)  # what is imported is not counted
    tracemalloc.start()
    try:
        model.fit(rows, y)
        assert tracemalloc.get_traced_memory()[1] < 10 * rows.nbytes
    finally:
        tracemalloc.stop()
    assert (model.predict(fresh) == known).all()


# Categories and missing values as numbers


def frame(n: int = 120, seed: int = 0, missing: float = 0.15) -> Any:
    """Numbers and categories that depend on each other; x is missing more often in one class."""
    random = np.random.default_rng(seed)
    label, sky = np.arange(n) % 2, random.integers(0, 2, n)
    wind = np.where(random.random(n) < 0.9, (label + sky) % 2, 2)
    x = random.normal(label + wind, 1.0)
    x[random.random(n) < missing * (1 + label)] = np.nan
    table = pd.DataFrame({
        "x": x,
        "wind": pd.Categorical(np.array(["N", "E", "S"])[wind]),
        "y": random.gamma(2.0 + sky, 1.0),
        "sky": pd.Categorical(np.where(random.random(n) < missing, None, np.where(sky, "b", "a"))),
    })  # fmt: skip
    return table, np.array(["no", "yes"])[label]


def test_what_was_never_missing_and_new_categories_are_integrated_out() -> None:
    table, labels = frame(missing=0.0)
    model = AutoClassifier().fit(table, labels)
    blank = table.assign(x=np.nan, sky=pd.Categorical([None] * len(table)))
    part = model.marginal(["wind", "y"])
    expected = part.predict_proba(table[["wind", "y"]])
    np.testing.assert_allclose(model.predict_proba(blank), expected, rtol=1e-8)
    with pytest.warns(UserWarning, match="not among the categories"):
        new = model.predict_proba(blank.assign(sky=pd.Categorical(["c"] * len(table))))
    np.testing.assert_allclose(new, expected, rtol=1e-8)
