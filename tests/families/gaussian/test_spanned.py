"""More features than rows: the span of the rows says what matrices of all features say."""

import pickle
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import multivariate_normal, multivariate_t

from gaussbayes import AutoClassifier, GaussianClassifier
from gaussbayes.base.errors import DataError, SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.data.rows import Targets, number_rows
from gaussbayes.families.gaussian import Gaussian
from gaussbayes.families.gaussian.spanned import Spanned
from gaussbayes.families.protocol import Reference
from gaussbayes.families.removal import remove
from gaussbayes.families.transformed import Transformed
from tests.models import automatic_classifier

N, D, K = 14, 17, 3
GENERATOR = np.random.default_rng(14)
CODES = np.arange(N) % K
SCALE = np.exp(GENERATOR.normal(size=D))
X = 5.0 + SCALE * (GENERATOR.normal(size=(N, D)) + 2.0 * GENERATOR.normal(size=(K, D))[CODES])
FRESH = 5.0 + SCALE * GENERATOR.normal(size=(6, D))
HOLES = np.where(GENERATOR.random(FRESH.shape) < 0.4, np.nan, FRESH)
HOLES[1], HOLES[2] = FRESH[1], np.nan
ROWS, TARGETS = number_rows(X), Targets(CODES.astype(np.int32), K)
NAMES = Schema(np.arange(K), D)

PLUG_IN = [
    (sharing, shrinkage, divisor, "plug_in")
    for sharing in (False, 0.3, True)
    for shrinkage in (0.02, 0.4, 1.0, "oas")
    for divisor in ("mle", "unbiased")
]
PREDICTIVE = [(s, g, "mle", "predictive") for s in (0.05, 0.5, True) for g in (0.02, 0.4, 1.0)]
SETTINGS = PLUG_IN + PREDICTIVE


def families(settings: tuple[Any, ...], target: str = "spherical") -> tuple[Any, Any]:
    """The family of all features, and the same in the span of the rows."""
    sharing, shrinkage, divisor, estimate = settings
    plain = Gaussian.of("full", sharing, divisor, shrinkage, target, estimate)
    (spanned,) = plain.compact(ROWS, TARGETS, NAMES)
    assert isinstance(spanned, Spanned)
    return plain, spanned


def density_of(family: Any, which: Any = slice(None)) -> Any:
    statistics = family.observe(ROWS[which], TARGETS[which], NAMES)
    return family.estimate(statistics, NAMES).density


def assert_close(a: Any, b: Any, scale: Any = None) -> None:
    """Equal to 1e-9 of the largest of what is compared."""
    largest = max(1.0, np.abs(b if scale is None else scale).max())
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-9 * largest)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_the_density_is_that_of_all_features(settings: tuple[Any, ...]) -> None:
    primal, dual = map(density_of, families(settings))
    for rows in map(number_rows, (X, FRESH, HOLES)):
        assert_close(dual.log_density(rows), primal.log_density(rows))
        for ours, theirs in zip(
            dual.squared_distance(rows), primal.squared_distance(rows), strict=True
        ):
            assert_close(ours, theirs)
    for part in ("mean", "deviation", "n_parameters"):
        assert_close(getattr(dual, part), getattr(primal, part))
    assert_close(dual.dense_covariance(), primal.dense_covariance())
    some, few = number_rows(FRESH[:, [4, 0, 9]]), Schema(np.arange(K), 3)
    assert_close(
        dual.marginal([4, 0, 9], few).log_density(some),
        primal.marginal([4, 0, 9], few).log_density(some),
    )
    assert_close(
        dual.selected([2, 0]).log_density(some := number_rows(FRESH)),
        primal.selected([2, 0]).log_density(some),
    )
    if primal.degrees is None:
        statistics = [family.observe(ROWS, TARGETS, NAMES) for family in families(settings)]
        likelihoods = primal.log_likelihood(statistics[0]), dual.log_likelihood(statistics[1])
        assert_close(*likelihoods)


@pytest.mark.parametrize("settings", [(True, 0.1, "mle", "plug_in"), *PREDICTIVE[:2]], ids=str)
def test_explanations_are_those_of_all_features(settings: tuple[Any, ...]) -> None:
    primal, dual = map(density_of, families(settings))
    for row in (number_rows(FRESH[:1]), number_rows(HOLES[:1])):
        for reference in (None, Reference(X[3]), Reference(weights=np.array([0.2, 0.3, 0.5]))):
            ours, theirs = (some.contributions(row, (2, 0), reference) for some in (dual, primal))
            assert_close(ours[0], theirs[0])
            assert_close(ours[1], theirs[1])
            np.testing.assert_allclose(
                ours[0] + ours[1].sum(),
                np.subtract(*dual.log_density(row)[0, [2, 0]]),
                rtol=1e-9,
            )


@pytest.mark.parametrize("sharing", [False, 0.3, True])
def test_a_diagonal_target_is_that_of_the_definition(sharing: Any) -> None:
    """``(1 − s) Σ + s (tr(D^-½ Σ D^-½) / d) D``, D the pooled variances."""
    apart = X - np.stack([X[c == CODES].mean(axis=0) for c in range(K)])[CODES]
    pooled = apart.T @ apart / N
    D_ = np.diagonal(pooled)

    def shrunk(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
        mean = (np.diagonal(covariance) / D_).mean()
        return 0.7 * covariance + 0.3 * mean * np.diag(D_)

    dual = density_of(families((sharing, 0.3, "mle", "plug_in"), "diagonal")[1])
    for c in range(K):
        own = apart[c == CODES].T @ apart[c == CODES] / np.sum(c == CODES)
        covariance = (1.0 - sharing) * shrunk(own) + sharing * shrunk(pooled)
        truth = multivariate_normal(X[c == CODES].mean(axis=0), covariance).logpdf(FRESH)
        assert_close(dual.log_density(number_rows(FRESH))[:, c], truth)


def test_a_predictive_density_is_scipys() -> None:
    plain, spanned = families((0.5, 0.4, "mle", "predictive"), "diagonal")
    primal, dual = density_of(plain), density_of(spanned)
    log_density = dual.log_density(number_rows(FRESH))
    for c in range(K):
        matrix = primal.gaussian.dense_covariance()[c]
        truth = multivariate_t(primal.mean[c], matrix, primal.degrees[c]).logpdf(FRESH)
        assert_close(log_density[:, c], truth)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_leaving_out_is_refitting_all_features(settings: tuple[Any, ...], weighted: bool) -> None:
    weights = np.where(CODES == 0, 2.0, 1.0) if weighted else None
    targets = Targets(CODES.astype(np.int32), K, weights)
    plain, spanned = families(settings)
    statistics = spanned.observe(ROWS, targets, NAMES)
    closed = spanned.left_out(statistics, [spanned], targets, NAMES)
    if closed is None:
        assert settings[:2] == (0.3, "oas")
        return
    removal = remove(CODES.astype(np.intp), targets.total_weights(), statistics.weight)
    log_density, reliable = closed(ROWS, removal)
    assert reliable.all()
    for row in range(N):
        others = np.delete(np.arange(N), row)
        observed = plain.observe(ROWS[others], targets[others], NAMES)
        truth = plain.estimate(observed, NAMES).density.log_density(ROWS[row : row + 1])[0]
        assert_close(np.diff(log_density[0, row]), np.diff(truth), truth)


@pytest.mark.parametrize("estimate", ["plug_in", "predictive"])
@pytest.mark.parametrize("transform", ["standardised", "yeo-johnson"])
def test_transformed_features_too(transform: Any, estimate: str) -> None:
    inner = Gaussian.of("full", 0.5, "mle", 0.1, "spherical", estimate)
    plain = Transformed((transform,), inner).prepared(ROWS, TARGETS, NAMES)
    (spanned,) = plain.compact(ROWS, TARGETS, NAMES)
    assert isinstance(spanned.family, Spanned)
    primal, dual = density_of(plain), density_of(spanned)
    for rows in map(number_rows, (FRESH, HOLES)):
        assert_close(dual.log_density(rows), primal.log_density(rows))


def wide(seed: int, n_features: int = 2308) -> tuple[Any, ...]:
    """Rows as of the small round blue cell tumours: 63 of four classes, and 20 to be predicted.

    A hundred features tell the classes apart, ten hidden factors correlate all of them.
    """
    generator = np.random.default_rng(seed)
    y, known = np.repeat(np.arange(4), [23, 8, 12, 20]), np.repeat(np.arange(4), 5)
    means = np.zeros((4, n_features))
    means[:, :100] = 2.0 * generator.normal(size=(4, 100))
    loadings = 0.5 * generator.normal(size=(10, n_features))

    def rows(codes: Any) -> Any:
        hidden = generator.normal(size=(len(codes), 10)) @ loadings
        return means[codes] + hidden + generator.normal(size=(len(codes), n_features))

    return rows(y), y, rows(known), known


@pytest.mark.parametrize(
    "model",
    [
        GaussianClassifier(shared=True, shrinkage=0.5),
        GaussianClassifier(shared=True, shrinkage="oas"),
        AutoClassifier(),
        automatic_classifier(average=True),
    ],
    ids=["shrunk", "oas", "auto", "average"],
)
def test_four_tumours_are_told_apart(model: Any) -> None:
    rows, y, fresh, known = wide(1)
    assert (model.fit(rows, y).predict(fresh) == known).all()


@pytest.mark.parametrize("model", [GaussianClassifier(shared=True, shrinkage=0.5), None])
def test_memory_is_a_few_times_that_of_the_rows(model: Any) -> None:
    """One matrix of all pairs of features would take 37 times as much."""
    model = model or AutoClassifier()
    rows, y, _, _ = wide(2)
    model.fit(rows[:, :100], y)  # what is imported is not counted
    tracemalloc.start()
    try:
        model.fit(rows, y)
        assert tracemalloc.get_traced_memory()[1] < 10 * rows.nbytes
    finally:
        tracemalloc.stop()


def test_structures_without_correlations_are_chosen_from_as_well() -> None:
    model = GaussianClassifier("auto", shrinkage="auto", target="spherical").fit(X, CODES)
    candidates = model.selection_.candidates
    assert {some.structure.covariance for some in candidates} == {"full", "diagonal", "spherical"}
    full = [some for some in candidates if some.structure.covariance == "full"]
    assert {some.refused for some in full} == {None}
    assert not {None, 0.0} & {some.shrinkage for some in full}


def test_files_and_pickles(tmp_path: Path) -> None:
    for settings in ({"transforms": None}, {"transforms": "yeo-johnson"}, {"average": False}):
        model = automatic_classifier(**settings).fit(X, CODES)
        model.save(tmp_path / "model.json")
        for again in (
            GaussianClassifier.load(tmp_path / "model.json"),
            pickle.loads(pickle.dumps(model)),
        ):
            np.testing.assert_array_equal(
                again.predict_log_proba(HOLES), model.predict_log_proba(HOLES)
            )


def test_more_rows_are_added_to_all_pairs_of_features() -> None:
    model = GaussianClassifier(shared=0.5, shrinkage=0.1, target="spherical")
    codes = np.arange(len(FRESH)) % K
    updated = model.fit(X, CODES).partial_fit(FRESH, codes)
    rows, labels = np.concatenate([X, FRESH]), np.concatenate([CODES, codes])
    whole = GaussianClassifier(shared=0.5, shrinkage=0.1, target="spherical").fit(rows, labels)
    assert_close(updated.predict_log_proba(HOLES), whole.predict_log_proba(HOLES))
    forgetful = model.fit(X, CODES).forget(X[:2], CODES[:2])
    rest = GaussianClassifier(shared=0.5, shrinkage=0.1, target="spherical").fit(X[2:], CODES[2:])
    assert_close(forgetful.predict_log_proba(FRESH), rest.predict_log_proba(FRESH))
    with pytest.raises(DataError, match="row 0 is not one of the 14 rows.*begin with partial_fit"):
        families(SETTINGS[0])[1].observe(number_rows(FRESH), TARGETS[: len(FRESH)], NAMES)


def test_what_stays_as_it_was() -> None:
    """Without shrinkage there is no covariance; missing values need all pairs of features."""
    with pytest.raises(SingularCovarianceError, match=r"Remedies: .*\(shrinkage=0.1\)"):
        GaussianClassifier(shared=True).fit(X, CODES)
    plain = Gaussian.of("full", True, "mle", 0.5, "spherical")
    holes = np.where(np.arange(N * D).reshape(N, D) == 3, np.nan, X)
    constant = np.where(np.arange(D) == 3, 1.0, X)
    diagonal = Gaussian.of("full", True, "mle", 0.5, "diagonal")
    codes = np.where(CODES == 0, -1, CODES).astype(np.int32)
    unlabelled = Targets(codes, K, n_unlabelled=5)
    for family, rows, targets in (
        (plain, holes, TARGETS),
        (plain, X[:, : N - 1], TARGETS),
        (plain, X, unlabelled),
        (Gaussian.of("diagonal", True, "mle", 0.5), X, TARGETS),
        (diagonal, constant, TARGETS),
    ):
        names = Schema(np.arange(K), rows.shape[1])
        assert family.compact(number_rows(rows), targets, names) == [family]


def test_a_class_that_does_not_vary_is_named() -> None:
    with pytest.raises(SingularCovarianceError, match="class 'b' does not vary.*shared"):
        GaussianClassifier(shrinkage=0.5).fit(X[:4], ["a", "a", "a", "b"])
