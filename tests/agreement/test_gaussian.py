"""Gaussian features: estimates, scores and held-out rows by their definitions; refusals."""

from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import chi2, multivariate_normal

from gaussbayes import DataError, GaussianClassifier, OptionError, SingularCovarianceError
from tests.designs import all_pairs
from tests.oracles import distance_tail

STRUCTURES = [(name, s) for name in ("full", "diagonal", "spherical") for s in (0.0, 0.3, 1.0)]
SHRINKAGES = (None, 0.3, 1.0, "oas")
TARGETS = ("diagonal", "spherical")
SETTINGS = all_pairs(STRUCTURES, SHRINKAGES, ("mle", "unbiased"), TARGETS, ("one", "many"))


def table(n: int = 60, d: int = 3, k: int = 3, seed: int = 0, weights: str = "one") -> Any:
    """Overlapping classes of correlated features, and weights if there are to be any."""
    rng = np.random.default_rng([n, d, k, seed])
    y = np.arange(n) % k
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=(k, d))[y]
    return X, y, None if weights == "one" else rng.integers(1, 5, n) / 2


def shrunk(covariance: Any, shrinkage: Any, weight: float, unit: Any) -> Any:
    """Towards the sphere of equal trace in units of the features; OAS by Chen et al. (2010, 23)."""
    d = len(covariance)
    units = np.multiply.outer(unit, unit)
    scaled = covariance / units
    trace, squares = np.trace(scaled), np.square(scaled).sum()
    if shrinkage == "oas":
        above = (1 - 2 / d) * squares + trace**2
        below = (weight + 1 - 2 / d) * (squares - trace**2 / d)
        shrinkage = min(1.0, above / below) if below > 0 else 1.0
    shrinkage = shrinkage or 0.0
    return ((1 - shrinkage) * scaled + shrinkage * trace / d * np.eye(d)) * units


def defined(
    X: Any,
    y: Any,
    w: Any,
    structure: Any,
    shrinkage: Any,
    divisor: str,
    target: str,
    unit: Any = None,
) -> tuple[Any, Any]:
    """Means (k, d) and covariances (k, d, d) by their definitions.

    Covariances are shrunk in units (d,) of the features: by default deviations within classes.
    """
    name, sharing = structure
    classes, d = np.unique(y), X.shape[1]
    w = np.ones(y.size) if w is None else w
    weight = np.array([w[y == c].sum() for c in classes])
    mean = np.stack([w[y == c] @ X[y == c] / w[y == c].sum() for c in classes])
    z = X - mean[np.searchsorted(classes, y)]
    scatter = np.stack([(w[y == c, None] * z[y == c]).T @ z[y == c] for c in classes])
    if unit is None:
        unit = np.sqrt(np.einsum("kii->i", scatter)) if target == "diagonal" else np.ones(d)
    if name != "full":
        scatter = scatter * np.eye(d)
    if name == "spherical":
        scatter = np.einsum("kii->k", scatter)[:, None, None] / d * np.eye(d)
        shrinkage = None
    lost = divisor == "unbiased"
    total = weight.sum()
    pooled = scatter.sum(axis=0) / (total - lost * classes.size)
    pooled = np.stack([shrunk(pooled, shrinkage, total, unit)] * classes.size)
    if sharing == 1:
        return mean, pooled
    each = zip(scatter, weight, strict=True)
    own = np.stack([shrunk(part / (n - lost), shrinkage, n, unit) for part, n in each])
    return mean, (1 - sharing) * own + sharing * pooled


def classifier(structure: Any, shrinkage: Any, divisor: str, target: str) -> GaussianClassifier:
    options = {"shrinkage": shrinkage, "divisor": divisor, "shrinkage_target": target}
    return GaussianClassifier(structure[0], shared=structure[1], **options)


def close(found: Any, expected: Any, tolerance: float = 1e-10) -> None:
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize(("structure", "shrinkage", "divisor", "target", "weights"), SETTINGS)
def test_estimates_and_scores_are_those_of_their_definitions(
    structure: Any, shrinkage: Any, divisor: str, target: str, weights: str
) -> None:
    X, y, w = table(weights=weights)
    model = classifier(structure, shrinkage, divisor, target).fit(X, y, w)
    mean, covariance = defined(X, y, w, structure, shrinkage, divisor, target)
    close(model.means_, mean, 1e-13)
    close(np.broadcast_to(model.covariances_, covariance.shape), covariance, 1e-13)
    unit = np.sqrt(np.einsum("kii->ki", covariance))
    correlation = covariance / unit[:, :, None] / unit[:, None, :]
    close(np.broadcast_to(model.correlations_, covariance.shape), correlation, 1e-12)
    holes = np.where(np.random.default_rng(5).random(X.shape) < 0.3, np.nan, X)
    holes[3] = np.nan
    for rows, dtype in ((X, np.float64), (holes, np.float64), (holes, np.float32)):
        tolerance = 1e-11 if dtype == np.float64 else 2e-5
        scores = model.scores(rows.astype(dtype))
        density, square = np.zeros((60, 3)), np.zeros((60, 3))
        for i, row in enumerate(rows):
            there = np.flatnonzero(~np.isnan(row))
            for c in range(3) if there.size else ():
                part = covariance[c][np.ix_(there, there)]
                density[i, c] = multivariate_normal(mean[c, there], part).logpdf(row[there])
                gap = row[there] - mean[c, there]
                square[i, c] = gap @ np.linalg.solve(part, gap)
        joint = density + np.log(model.priors_)
        assert scores.log_likelihood.dtype == dtype
        close(scores.log_likelihood, density, tolerance)
        close(scores.log_joint, joint, tolerance)
        close(scores.log_evidence, logsumexp(joint, axis=1), tolerance)
        close(scores.squared_distance, square, 10 * tolerance)
        degrees = np.maximum((~np.isnan(rows)).sum(axis=1, keepdims=True), 1)
        tail = np.where(square > 0, chi2.sf(square, degrees), 1.0)
        if structure in {("full", 0.0), ("full", 1.0)} and not shrinkage:
            weight = np.bincount(y, w)
            unbiased = divisor == "unbiased"
            shared = structure[1] == 1
            tail = distance_tail(square, degrees, weight, shared=shared, unbiased=unbiased)
        close(scores.p_value, tail, 1e-4)
        posterior = joint - logsumexp(joint, axis=1, keepdims=True)
        close(model.predict_log_proba(rows.astype(dtype)), posterior, tolerance)
        close(scores.posterior, np.exp(posterior), tolerance)
        assert (scores.label == posterior.argmax(axis=1)).all()
    k, d, shared = 3, 3, structure[1] == 1
    free = {"full": d * (d + 1) // 2, "diagonal": d, "spherical": 1}[structure[0]]
    assert model.n_parameters_ == k - 1 + k * d + (1 if shared else k) * free


@pytest.mark.parametrize(("structure", "shrinkage", "divisor", "target", "weights"), SETTINGS)
@pytest.mark.parametrize("rows", ["plain", "one far away", "a class of one row", "constant"])
def test_leaving_out_is_refitting(
    structure: Any, shrinkage: Any, divisor: str, target: str, weights: str, rows: str
) -> None:
    """Also rows whose closed form would be rounding: far ones, and those of small classes."""
    X, y, w = table(36, weights=weights)
    if rows == "one far away":
        X[7, 0] = 1e5
    elif rows == "a class of one row":
        y = np.where(np.arange(36) == 11, 5, y % 2)
    elif rows == "constant":
        X[:, 0] = np.where(y == 1, X[:, 0], 2.0)  # in two classes
    try:
        found = classifier(structure, shrinkage, divisor, target).leave_one_out(X, y, w)
    except (SingularCovarianceError, DataError):
        assert rows in {"a class of one row", "constant"}
        return
    for row in range(0, 36, 1 if rows == "plain" else 4):
        others = np.arange(36) != row
        some = None if w is None else w[others]
        mean, covariance = defined(
            X[others], y[others], some, structure, shrinkage, divisor, target
        )
        known = np.unique(y[others])
        weight = [(np.ones(36) if w is None else w)[others & (y == c)].sum() for c in known]
        gap = X[row] - mean
        square = np.einsum("ci,ci->c", gap, np.linalg.solve(covariance, gap[:, :, None])[:, :, 0])
        joint = np.log(weight) - 0.5 * (square + np.linalg.slogdet(covariance)[1])
        expected = np.full(np.unique(y).size, -np.inf)
        expected[np.searchsorted(np.unique(y), known)] = joint - logsumexp(joint)
        far = 1e-7 if rows == "one far away" else 1e-9
        np.testing.assert_allclose(found.log_posterior[row], expected, rtol=far, atol=far)


def test_a_shrunk_singular_class_and_partially_pooled_ones_can_be_estimated() -> None:
    X, y, _ = table(k=2)
    X[y == 0, 1] = 2 * X[y == 0, 0]
    with pytest.raises(SingularCovarianceError, match="class 0 has collinear features"):
        GaussianClassifier().fit(X, y)
    for options in ({"shrinkage": 0.1}, {"shrinkage": "oas"}, {"shared": 0.1}, {"shared": True}):
        assert np.isfinite(GaussianClassifier(**options).fit(X, y).predict_log_proba(X)).all()


@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_rows_that_nobody_can_score_are_named(missing: float) -> None:
    X, y, _ = table(3000)
    X[np.random.default_rng(0).random(X.shape) < missing] = np.nan
    model = GaussianClassifier().fit(X, y)
    X[2999, 1] = np.inf
    with pytest.raises(DataError, match="infinity in row 2999, column 1"):
        model.predict(X)


# What has no estimate


def spoiled(what: str) -> Any:
    X, y, _ = table(k=2)
    labels = np.array(["a", "b"])[y]
    if what == "constant":
        X[y == 1, 1:] = 7.0
    elif what == "constant everywhere":
        X[:, 1] = 7.0
    elif what == "sum":
        X[:, 2] = 2 * X[:, 0] - 1e-3 * X[:, 1]
    elif what == "few rows":
        X, labels = np.concatenate([X[y == 0], X[y == 1][:3]]), np.repeat(["a", "b"], [30, 3])
    elif what == "one row":
        X, labels = np.concatenate([X[y == 0], X[y == 1][:1]]), np.repeat(["a", "b"], [30, 1])
    elif what == "never":
        X[y == 1, 2] = np.nan
    elif what == "many features":
        X = np.repeat(X, 40, axis=1) + np.zeros(120)
    return X, labels


REFUSED = [
    ("constant", {}, "class 'b' does not vary in feature 1, feature 2 in 30 rows"),
    ("constant", {"covariance": "diagonal"}, "class 'b' does not vary in feature 1, feature 2"),
    ("constant everywhere", {"shared": True}, "the covariance shared by all classes does not vary"),
    ("constant everywhere", {"shared": 0.5}, "shared by all classes does not vary in feature 1"),
    ("sum", {}, "class 'a' has collinear features: feature . is a linear combination"),
    ("sum", {"shared": True}, "shared by all classes has collinear features"),
    ("few rows", {}, "class 'b' has 3 rows for 3 features: .*at least 4"),
    ("one row", {"covariance": "spherical"}, "class 'b' does not vary"),
    ("one row", {"divisor": "unbiased", "covariance": "diagonal"}, "class 'b' weighs 1, so that"),
    ("never", {}, "class 'b' has no labelled row with feature 2"),
    ("never", {"covariance": "spherical", "shared": True}, "class 'b' has no labelled row with"),
    ("many features", {"shared": True}, "linear combination of feature .*more likewise"),
]


@pytest.mark.parametrize(("what", "options", "problem"), REFUSED, ids=str)
def test_what_has_no_estimate_is_named_with_remedies(
    what: str, options: dict[str, Any], problem: str
) -> None:
    X, labels = spoiled(what)
    with pytest.raises((SingularCovarianceError, DataError), match=problem) as caught:
        GaussianClassifier(**options).fit(X, labels)
    assert caught.value.remedies
    for remedy in caught.value.remedies:
        if remedy.arguments:
            GaussianClassifier(**options | dict(remedy.options)).fit(X, labels)


@pytest.mark.parametrize("d", [2, 5, 20, 65, 130])
def test_collinear_features_of_all_sizes_and_units(d: int) -> None:
    for seed in range(4):
        rng = np.random.default_rng([d, seed])
        X = rng.normal(size=(4 * d + 20, d)) * 10.0 ** rng.uniform(-5, 5, d)
        X[:, -1] = 3.7 * X[:, 0] if seed % 2 else X[:, :-1] @ rng.normal(size=d - 1)
        X = X[:, rng.permutation(d)] + (seed > 1) * 100 * X.std(axis=0)
        y = np.arange(len(X)) % 2
        with pytest.raises(SingularCovarianceError, match="collinear features: feature"):
            GaussianClassifier(shared=True).fit(X, y)
    # What is nearly collinear is not: of the last feature a proportion of 1e-9 is left.
    X = rng.normal(size=(400, 3))
    X[:, 2] = X[:, 0] + np.sqrt(1e-9) * rng.normal(size=400)
    assert np.isfinite(GaussianClassifier().fit(X, np.arange(400) % 2).covariances_).all()


def test_rows_that_were_never_added_cannot_be_forgotten() -> None:
    X, y, _ = table()
    for structure in (("full", False), ("full", True), ("diagonal", False)):
        model = GaussianClassifier(structure[0], shared=structure[1]).fit(X, y)
        for gone, labels, problem in (
            (X[:1] + 50.0, y[:1], "negative sum of squares|remove only rows that were added"),
            (np.concatenate([X[y == 0]] * 2), np.zeros(40, int), "weight 40 from class 0, which"),
            (X[y == 0] + 1e-3, np.zeros(20, int), "remove only rows|to be removed|added"),
        ):
            with pytest.raises(DataError, match=problem):
                model.forget(gone, labels)
        left = model.forget(X[:30], y[:30])
        again = GaussianClassifier(structure[0], shared=structure[1]).fit(X[30:], y[30:])
        close(left.covariances_, again.covariances_)


# Parameters that are given

GIVEN = {
    ("full", False): [[[2.0, 1.0], [1.0, 2.0]], [[1.0, 0.0], [0.0, 3.0]]],
    ("full", True): [[2.0, 1.0], [1.0, 2.0]],
    ("diagonal", False): [[1.0, 2.0], [3.0, 4.0]],
    ("diagonal", True): [1.0, 2.0],
    ("spherical", False): [1.0, 2.0],
    ("spherical", True): 2.0,
}
MEANS = [[0.0, 1.0], [2.0, 3.0]]


def given(means: Any, covariances: Any, structure: Any = ("full", False)) -> GaussianClassifier:
    return GaussianClassifier.from_parameters(
        means=means,
        covariances=covariances,
        priors=[0.5, 0.5],
        covariance=structure[0],
        shared=structure[1],
    )


@pytest.mark.parametrize("structure", GIVEN, ids=str)
def test_given_parameters(structure: Any) -> None:
    values, means = np.array(GIVEN[structure]), np.array(MEANS)
    model = given(means, values, structure)
    dense = np.broadcast_to(model.covariances_, (2, 2, 2)).copy()
    values[...], means[...] = 99.0, 99.0  # they are ours now
    shape = {"full": lambda v: v, "diagonal": np.diag, "spherical": lambda v: v * np.eye(2)}
    for c in range(2):
        own = GIVEN[structure] if structure[1] else GIVEN[structure][c]
        np.testing.assert_array_equal(dense[c], shape[structure[0]](np.array(own)))
    assert model.covariances_.shape == ((2, 2) if structure[1] else (2, 2, 2))
    assert model.means_.tolist() == MEANS
    for wrong in GIVEN.values():
        if np.shape(wrong) != np.shape(GIVEN[structure]):
            words = f"2 classes and 2 features must have shape .*got {np.shape(wrong)}"
            with pytest.raises(OptionError, match=words.replace("(", r"\(").replace(")", r"\)")):
                given(MEANS, wrong, structure)


@pytest.mark.parametrize(
    ("means", "covariances", "problem"),
    [
        ([0.0, 1.0], GIVEN["full", False], "means must have shape|means must be"),
        ([[0, 1], [np.nan, 3]], GIVEN["full", False], r"means must be finite, got nan at \(1, 0\)"),
        ("text", GIVEN["full", False], "means must be an array of numbers"),
        (MEANS, [[0.0, 1.0], [2.0]], "covariances must be an array of numbers"),
        (MEANS, [np.eye(2), [[1.0, np.inf], [np.inf, 1.0]]], r"finite, got inf at \(1, 0, 1\)"),
        (MEANS, [np.eye(2), [[2.0, 0.5], [0.4, 1.0]]], r"class 1 must be symmetric: entry \(0, 1"),
        (MEANS, [np.eye(2), [[1.0, 2.0], [2.0, 1.0]]], "class 1 .*positive definite"),
        (MEANS, [np.eye(2), [[1.0, 1.0], [1.0, 1.0]]], "class 1 has collinear features"),
        (MEANS, [np.eye(2), [[-1.0, 0.0], [0.0, 1.0]]], "class 1 has variance -1.0 in feature 0"),
    ],
)
def test_parameters_that_are_none(means: Any, covariances: Any, problem: str) -> None:
    with pytest.raises((OptionError, SingularCovarianceError), match=problem):
        given(means, covariances)


def test_rounding_is_not_asymmetry() -> None:
    for unit in (1e-150, 1.0, 1e150):
        nearly = np.array([[2.0, 0.5], [0.5 * (1 + 1e-12), 1.0]]) * unit**2
        matrix = given(MEANS, nearly, ("full", True)).covariances_
        assert matrix[0, 1] == matrix[1, 0]


def test_covariances_of_two_meanings_are_refused() -> None:
    both = [{"covariance": "full"}, {"covariance": "diagonal"}]
    # A variance must be above 0, so that the unit matrix can only be a covariance.
    for matrix, possible in (([[2, 0.5], [0.5, 1]], both), (np.eye(2), both[:1])):
        with pytest.raises(OptionError, match="2 classes and 2 features may be one") as refusal:
            GaussianClassifier.from_parameters([0.5, 0.5], MEANS, matrix)
        assert [dict(remedy.options) for remedy in refusal.value.remedies] == possible


# Missing values


@pytest.mark.parametrize(("name", "shared"), [("full", False), ("full", True), ("diagonal", 0.5)])
def test_em_ends_where_any_start_does(name: str, shared: Any) -> None:
    X, y, _ = table(200, 4)
    X[np.random.default_rng(1).random(X.shape) < 0.3] = np.nan
    model = GaussianClassifier(name, shared=shared).fit(X, y)
    assert not [n for n in model.notices_ if n.kind == "not converged"]
    near = GaussianClassifier(name, shared=shared).partial_fit(X[:190], y[:190])
    again = near.partial_fit(X[190:], y[190:])  # which starts from the model of the other rows
    close(again.covariances_, model.covariances_, 1e-7)
    if shared != 0.5:  # blank rows count for the priors alone
        more = np.vstack([X, np.full((2, 4), np.nan)])
        more = GaussianClassifier(name, shared=shared).fit(more, [*y, 0, 0])
        close(more.covariances_, model.covariances_, 1e-7)


def test_a_likelihood_without_maximum_is_named_and_shrinkage_helps() -> None:
    X, y, _ = table(10, 6, 2)
    X[np.random.default_rng(2).random(X.shape) < 0.2] = np.nan
    with pytest.raises(SingularCovarianceError, match="no maximum: class . has 5 rows for 6"):
        GaussianClassifier().fit(X, y)
    for shrinkage in (0.3, 1.0, "oas"):
        for shared in (False, True):
            model = GaussianClassifier(shared=shared, shrinkage=shrinkage).fit(X, y)
            assert np.isfinite(model.predict_log_proba(X)).all()
