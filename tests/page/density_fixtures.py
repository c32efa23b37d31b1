"""Numbers of the library, scikit-learn and SciPy that ``density.js`` has to reproduce.

Every fixture says what to compute (`kind`), from what, and what comes out; ``density_check.mjs``
computes the same. Settings meet in pairs: see `tests.designs`.
"""

import math
from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Any

import mpmath
import numpy as np
from scipy.stats import chi2, multivariate_normal, norm
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from gaussbayes import Columns, GaussianClassifier
from gaussbayes.analysis.class_moments import ellipse
from gaussbayes.datasets import load_iris
from gaussbayes.model.bayes_error import bayes_error
from tests.designs import all_pairs

Fixture = dict[str, Any]
Table = list[list[Any]]

SHAPES, SHARINGS = ("full", "diagonal", "spherical"), (False, True, 0.3)
SHRINKAGES = (
    (None, "diagonal"),
    (0.2, "diagonal"),
    (0.2, "spherical"),
    ("oas", "diagonal"),
    ("oas", "spherical"),
)
PRIORS = (None, "uniform", [0.5, 0.2, 0.3])
UNITS = {
    "ones": ((1.0, 1.0, 1.0), 0.0),
    "tiny": ((1e-12, 1e-12, 1e-12), 0.0),
    "huge": ((1e12, 1e12, 1e12), 0.0),
    "mixed": ((1e-12, 1.0, 1e12), 0.0),
    "timestamps": ((1e4, 1e-3, 1.0), 1.7e8),  # values of 1.7e12 whose deviation is 1e4
}
CATEGORIES = {"none": None, "counted": 0.0, "smoothed": 0.5}
CLASSES = ("b", "a", "é")
DIVISORS = ("mle", "unbiased")


def fixtures() -> Iterator[Fixture]:
    """All of them."""
    complete = all_pairs(SHAPES, SHARINGS, SHRINKAGES, PRIORS, DIVISORS, UNITS, CATEGORIES, "12")
    for number, (*settings, units, categories, weights) in enumerate(complete):
        yield fitted(number, settings, units, categories, weighted=weights == "2")
    incomplete = all_pairs(
        SHAPES, SHARINGS, SHRINKAGES[::2], PRIORS, UNITS, CATEGORIES, ("values", "labels", "both")
    )
    for number, (*settings, units, categories, absent) in enumerate(incomplete):
        settings.append(DIVISORS[number % 2])
        yield fitted(
            100 + number, settings, units, categories, absent=absent, weighted=number % 3 == 0
        )
    yield from given()
    yield from lines()
    yield from planes()
    yield from others()
    yield from numbers()
    yield from errors()


def table(
    number: int, units: str, *, categories: bool, absent: str, n: int = 45
) -> tuple[Table, list[Any], np.ndarray]:
    """Rows, labels and weights of three classes that overlap; None is missing."""
    generator = np.random.default_rng(number)
    scale, offset = UNITS[units]
    codes = np.arange(n) % 3
    mean = np.array([[0.0, 0.0, 1.0], [2.0, 1.0, 0.0], [-1.0, 3.0, 2.0]])
    root = np.array(
        [
            [[1, 0, 0], [0.5, 1, 0], [0.2, -0.4, 0.8]],
            [[2, 0, 0], [-0.6, 0.7, 0], [0.3, 0.4, 1.5]],
            [[0.7, 0, 0], [0.3, 1.4, 0], [0, 0.5, 1]],
        ]
    )
    standard = generator.standard_normal((n, 3))
    values = (mean[codes] + np.einsum("nij,nj->ni", root[codes], standard) + offset) * scale
    rows: Table = values.tolist()
    labels: list[Any] = [CLASSES[code] for code in codes]
    if absent in {"values", "both"}:
        for i, j in np.argwhere(generator.random((n, 3)) < 0.15).tolist():
            rows[i][j] = None
        rows[0] = [None, None, None]
    if absent in {"labels", "both"}:
        labels = [label if i < n // 2 else None for i, label in enumerate(labels)]
    winds = [0.6, 0.3, 0.1], [0.2, 0.5, 0.3]
    if categories:
        for i, row in enumerate(rows):
            # In the first rows each class has each, so that no probability is on its way to 0.
            wind = "SMW"[i // 3] if i < 9 else generator.choice(["S", "M", "W"], p=winds[i % 2])
            row.insert(1, None if i % 11 == 10 else str(wind))
            dry = (i // 3) % 2 if i < 9 else int(generator.random() < 0.4)
            row.append("once" if i == 12 else ["yes", "no"][dry])
    weights = generator.choice([0.0, 0.5, 1.0, 2.0], size=n, p=[0.05, 0.25, 0.4, 0.3])
    return rows, labels, weights


def fitted(
    number: int,
    settings: list[Any],
    units: str,
    categories: str,
    *,
    absent: str = "nothing",
    weighted: bool = False,
) -> Fixture:
    """A fit, and everything that it says of some rows."""
    shape, shared, (shrinkage, target), priors, *divisor = settings
    smoothing = CATEGORIES[categories]
    rows, labels, weights = table(number, units, categories=smoothing is not None, absent=absent)
    options = {"covariance": shape, "shared": shared, "shrinkage": shrinkage, "priors": priors}
    options |= {"divisor": divisor[0]}
    columns = [] if smoothing is None else [1, 4]
    model = GaussianClassifier(
        **options,
        shrinkage_target=target,
        smoothing=smoothing or 0.0,
        columns=Columns(categorical=columns) if columns else None,
    )
    counted = weights if weighted else None
    model.fit(array(rows), np.array(labels, dtype=object), counted)
    options |= {"shrinkageTarget": target, "smoothing": smoothing or 0.0}
    options |= {"weights": weights.tolist()} if weighted else {}
    fixture = {
        "kind": "fit",
        "name": f"fit {number}: {settings}, {units}, {categories}, {absent} missing",
        "rows": rows,
        "labels": labels,
        "options": options,
        "answers": answers(model, rows, labels, counted),
    }
    # With values and labels missing the likelihood of so few rows may have several maxima.
    if number < 100 or (number % 4 == 0 and absent != "both"):
        held_out = model.leave_one_out(array(rows), np.array(labels, dtype=object), counted)
        fixture["leaveOneOut"] = {
            "rows": held_out.rows.tolist(),
            "posterior": np.exp(held_out.log_posterior).tolist(),
            "errors": held_out.evaluation.n_errors,
        }
    return fixture


def array(rows: Table) -> np.ndarray:
    """Rows as the library takes them."""
    mixed = any(isinstance(cell, str) for row in rows for cell in row)
    if mixed:
        return np.array(rows, dtype=object)
    return np.array([[np.nan if cell is None else cell for cell in row] for row in rows])


def tails(rows: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """The proportion (n, k) of each Gaussian that lies further out: the page counts it as true."""
    known = [[isinstance(cell, float) and not np.isnan(cell) for cell in row] for row in rows]
    degrees = np.sum(known, axis=1, keepdims=True)
    return np.where(degrees > 0, chi2.sf(squares, np.maximum(degrees, 1)), 1.0)


def answers(
    model: GaussianClassifier, rows: Table, labels: list[Any], weights: np.ndarray | None
) -> Fixture:
    """What a model says: its parameters, and its scores of rows, complete and not."""
    categorical = [j for j, cell in enumerate(rows[1]) if isinstance(cell, str)]
    queries = [list(row) for row in rows[5:11]]
    for hidden, row in enumerate(rows[12:15]):
        queries.append([None if j == hidden else cell for j, cell in enumerate(row)])
    queries.append([None] * len(rows[0]))
    if categorical:
        queries.append([*rows[7][:-1], "never seen"])
    asked, k = array(queries), len(model.classes_)
    covariances = np.broadcast_to(model.covariances_, (k, *model.covariances_.shape[-2:]))
    tables = model.category_probabilities_ if categorical else {}
    loss = model.negative_log_likelihood(array(rows), np.array(labels, dtype=object), weights)
    first, second = model.classes_[:2].tolist()
    explained = [[at, explanation(model, queries[at], (second, first))] for at in (0, 6)]
    predicted, swapped = model.predict(asked), [[row[2], row[0]] for row in queries]
    return {
        "queries": queries,
        "classes": model.classes_.tolist(),
        "priors": model.priors_.tolist(),
        "means": model.means_.tolist(),
        "covariances": covariances.tolist(),
        "correlations": np.broadcast_to(model.correlations_, covariances.shape).tolist(),
        "probabilities": [
            {"levels": list(table), "table": np.column_stack(list(table.values())).tolist()}
            for table in tables.values()
        ],
        "nParameters": model.n_parameters_,
        "posterior": model.predict_proba(asked).tolist(),
        "logPosterior": finite(model.predict_log_proba(asked)),
        "logLikelihood": finite(model.scores(asked).log_likelihood),
        "logJoint": finite(model.scores(asked).log_joint),
        "logEvidence": model.score_samples(asked).tolist(),
        "squaredDistance": model.scores(asked).squared_distance.tolist(),
        "pValues": tails(asked, model.scores(asked).squared_distance).tolist(),
        "labels": [model.classes_.tolist().index(label) for label in predicted.tolist()],
        "negativeLogLikelihood": [loss.labels, loss.features, loss.total],
        "explained": explained,
        "marginal": model.marginal([2, 0]).predict_proba(array(swapped)).tolist(),
        "reweighted": model.with_priors([0.1, 0.2, 0.7]).predict_proba(asked).tolist(),
    }


def explanation(model: GaussianClassifier, row: list[Any], pair: Any) -> Any:
    """The log-odds at the reference, and what each feature adds."""
    odds = model.explain(row, pair).log_odds
    return [odds.at_reference, finite([part.amount for part in odds.contributions])]


def finite(values: Any) -> Any:
    """Lists for JSON, which has no infinity: that is a string."""
    if isinstance(values, float):
        return values if math.isfinite(values) else str(values)
    return [finite(value) for value in np.asarray(values, dtype=float).tolist()]


def given() -> Iterator[Fixture]:
    """Models whose parameters are given: those of the course, and one of categories alone."""
    test = {"positive": [0.9, 0.1], "negative": [0.1, 0.9]}
    defect = GaussianClassifier.from_parameters(
        [0.01, 0.99], classes=["defect", "none"], category_probabilities={"test": test}
    )
    tables = [{"levels": list(test), "table": np.transpose(list(test.values())).tolist()}]
    means, shared = [[0, 0], [2, 2], [-2, -2]], [[4, -3], [-3, 4]]
    exercise = GaussianClassifier.from_parameters([0.25, 0.25, 0.5], means, shared)
    own = [[[2, -1], [-1, 2]], [[1, 0], [0, 1]]]
    sheet = GaussianClassifier.from_parameters(None, means[:2], own)
    far = np.array([[1.7e12, 0.0], [1.7e12 + 3e4, 1e-12]])
    spread = [np.diag([1e8, 1e-24]), np.array([[4e8, 1e-8], [1e-8, 1e-24]])]
    timed = GaussianClassifier.from_parameters([0.3, 0.7], far, spread)
    rows = [[0.4, 0.4], [1.6, 1.6], [-3.0, None], [None, None], [40.0, -35.0]]
    late = [[1.7e12 + 1e4, 5e-13], [1.7e12, None]]
    for name, model, queries, parameters in (
        ("genetic test", defect, [["positive"], ["negative"], [None]], {"probabilities": tables}),
        ("000, exercise 2", exercise, rows, {"means": means, "covariances": shared}),
        ("001", sheet, rows, {"means": means[:2], "covariances": own}),
        ("timestamps", timed, late, {"means": far, "covariances": spread}),
    ):
        arrays = {part: np.asarray(values).tolist() for part, values in parameters.items()}
        asked = array(queries) if name != "genetic test" else np.array(queries, dtype=object)
        yield {
            "kind": "given",
            "name": name,
            "parameters": {"classes": model.classes_.tolist(), "priors": model.priors_.tolist()}
            | arrays,
            "queries": queries,
            "posterior": model.predict_proba(asked).tolist(),
            "logJoint": model.scores(asked).log_joint.tolist(),
            "nParameters": model.n_parameters_,
        }


def lines() -> Iterator[Fixture]:
    """One feature: boundaries, and the Bayes error by numerical integration."""
    petals = [[1.8], [2.1], [2.5], [3.2], [3.8], [5.8], [6.7], [7.0]]
    species = GaussianClassifier().fit(petals, list("AAAAABBB"))
    variances = [[[1.0]], [[1.0]], [[9.0]]]
    three = GaussianClassifier.from_parameters([0.5, 0.3, 0.2], [[0], [2.5], [-1]], variances)
    two = GaussianClassifier.from_parameters([0.5, 0.5], [[0.0], [5.0]], [[[1.0]], [[4.0]]])
    tails = GaussianClassifier.from_parameters([0.5, 0.5], [[0], [22]], [[1.0]])
    narrow = GaussianClassifier.from_parameters([0.9, 0.1], [[0], [0.3]], [[[1e12]], [[1e-12]]])
    cases = [
        (each, 0.0) for each in (species, species.with_priors("uniform"), three, tails, narrow)
    ]
    for model, shift in [*cases, (two, 1.7e12)]:
        means, deviations = model.means_[:, 0], np.sqrt(np.ravel(model.covariances_))
        deviations = np.broadcast_to(deviations, means.shape)
        changes = line_changes(model.priors_, means, deviations)
        yield {
            "kind": "line",
            "name": f"line of means {means.tolist()} + {shift}",
            "parameters": {
                "classes": model.classes_.tolist(),
                "priors": model.priors_.tolist(),
                "means": (model.means_ + shift).tolist(),
                "covariances": np.reshape(np.square(deviations), (-1, 1, 1)).tolist(),
            },
            "boundaries": [[left, right, shift + at] for left, right, at in changes],
            "unit": float(deviations.min()),
            "bayesError": line_error(model.priors_, means, deviations, changes),
        }


def line_changes(prior: Any, mean: Any, deviation: Any) -> list[tuple[int, int, float]]:
    """Where the most probable class changes, and from which to which, in fifty digits."""
    with mpmath.workdps(50):
        p, m, s = ([mpmath.mpf(x) for x in each.tolist()] for each in (prior, mean, deviation))
        terms = [
            (-1 / (2 * c**2), b / c**2, mpmath.log(a / c) - b**2 / (2 * c**2))
            for a, b, c in zip(p, m, s, strict=True)
        ]
        roots = set()
        for first, second in combinations(terms, 2):
            square, slope, level = (a - b for a, b in zip(first, second, strict=True))
            under = slope**2 - 4 * square * level
            if square == 0:
                roots.add(-level / slope)
            elif under > 0:
                roots |= {(-slope + sign * mpmath.sqrt(under)) / (2 * square) for sign in (-1, 1)}

        def best(x: Any) -> int:
            return max(
                range(len(terms)), key=lambda c: (terms[c][0] * x + terms[c][1]) * x + terms[c][2]
            )

        ends = sorted(roots)
        points = [ends[0] - 1, *((a + b) / 2 for a, b in pairwise(ends)), ends[-1] + 1]
        codes = pairwise([best(x) for x in points])
        changes = [(a, b, float(at)) for at, (a, b) in zip(ends, codes, strict=True)]
        return [change for change in changes if change[0] != change[1]]


def line_error(prior: Any, mean: Any, deviation: Any, changes: Any) -> float:
    """What is decided wrongly: the tails of all classes but the one decided for."""
    positions = [-np.inf, *(at for _, _, at in changes), np.inf]
    decided = [changes[0][0], *(right for _, right, _ in changes)]
    total = 0.0
    for code, low, high in zip(decided, positions[:-1], positions[1:], strict=True):
        for other in np.flatnonzero(np.arange(len(mean)) != code):
            z = (np.array([low, high]) - mean[other]) / deviation[other]
            side = 1.0 if z[0] < 0 else -1.0
            total += prior[other] * side * float(np.diff(norm.cdf(side * z))[0])
    return total


def planes() -> Iterator[Fixture]:
    """Two features: posteriors on a grid, boundaries, the Bayes error."""
    iris = load_iris()
    for shared, columns in ((False, [2, 3]), (True, [0, 1]), (0.5, [1, 2])):
        rows = np.asarray(iris.rows)[:, columns]
        model = GaussianClassifier(shared=shared).fit(rows, iris.labels)
        (left, low), (right, high) = rows.min(axis=0) - 0.5, rows.max(axis=0) + 0.5
        width, height = 60, 45
        x = left + (np.arange(width) + 0.5) * (right - left) / width
        y = low + (np.arange(height) + 0.5) * (high - low) / height
        points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
        known, names = bayes_error(model.model_, 200_000), model.classes_.tolist()
        equations = {}
        for a, b in ((0, 1), (0, 2), (1, 2)):
            equation = model.boundary(names[a], names[b])
            parts = (equation.quadratic.tolist(), equation.linear.tolist(), equation.constant)
            equations[f"{a},{b}"] = parts
        yield {
            "kind": "plane",
            "name": f"plane of columns {columns}, shared {shared}",
            "rows": rows.tolist(),
            "labels": iris.labels.tolist(),
            "options": {"shared": shared},
            "window": {"x": [left, right], "y": [low, high], "width": width, "height": height},
            "posterior": model.predict_proba(points).tolist(),
            "logEvidence": model.score_samples(points).tolist(),
            "covariances": np.broadcast_to(model.covariances_, (3, 2, 2)).tolist(),
            "equations": equations,
            "bayesError": [known.error, 5 * known.standard_error],
        }
    delta = np.array([1.0, 2.0]) @ np.linalg.solve([[2, 1], [1, 3]], [1.0, 2.0])
    yield {
        "kind": "bayesError",
        "name": "two Gaussians that share a covariance",
        "parameters": {"means": [[0, 0], [1, 2]], "covariances": [[2, 1], [1, 3]]},
        "bayesError": float(norm.sf(np.sqrt(delta) / 2)),
    }


def others() -> Iterator[Fixture]:
    """Other classifiers, as scikit-learn has them, and confusion matrices."""
    iris = load_iris()
    rows, labels = np.asarray(iris.rows), np.asarray(iris.labels)
    queries = np.random.default_rng(0).normal(rows.mean(axis=0), rows.std(axis=0), (40, 4))
    for k in (1, 3, 8, 500):
        model = KNeighborsClassifier(min(k, len(rows))).fit(rows, labels)
        yield {
            "kind": "neighbours",
            "name": f"{k} neighbours",
            "rows": rows.tolist(),
            "labels": labels.tolist(),
            "k": k,
            "queries": queries.tolist(),
            "vote": model.predict_proba(queries).tolist(),
        }
    for some, penalty, scale in (
        (labels != "setosa", 1.0, 1.0),
        (labels != "setosa", 0.01, 1.0),
        (labels != "", 1.0, 1.0),
        (labels != "", 0.1, 10.0),
    ):
        known = LogisticRegression(
            C=1.0 / penalty, solver="newton-cholesky", tol=1e-13, max_iter=500
        )
        known.fit(rows[some] * scale, labels[some])
        yield {
            "kind": "logistic",
            "name": f"logistic regression with penalty {penalty}",
            "rows": (rows[some] * scale).tolist(),
            "labels": labels[some].tolist(),
            "penalty": penalty,
            "queries": (queries * scale).tolist(),
            "posterior": known.predict_proba(queries * scale).tolist(),
        }
    outlier = rows[:70].copy()
    outlier[3, 0] = 1e10
    held_out = GaussianClassifier().leave_one_out(outlier, labels[:70])
    yield {
        "kind": "leaveOneOut",
        "name": "a row so far out that little would be left of sums without it",
        "rows": outlier.tolist(),
        "labels": labels[:70].tolist(),
        "posterior": np.exp(held_out.log_posterior).tolist(),
    }
    words = ["z", "\uffee", "\U0001d4b3", "ab", "a", "é", "Z"]
    yield {
        "kind": "classes",
        "name": "labels are sorted by code points, numbers by value",
        "cases": [[words, sorted(words)], [[10, 9, -1, 2.5], [-1, 2.5, 9, 10]]],
    }
    model = GaussianClassifier().fit(rows, labels)
    predicted, names = model.predict(rows), model.classes_
    matrix = [[int(((labels == a) & (predicted == b)).sum()) for b in names] for a in names]
    yield {
        "kind": "confusion",
        "name": "confusion matrix of iris",
        "rows": rows.tolist(),
        "labels": labels.tolist(),
        "matrix": matrix,
    }


def numbers() -> Iterator[Fixture]:
    """Functions of numbers and matrices."""
    squares = [0.0, 1e-8, 0.3, 1.0, 3.84, 20.0, 300.0, 1400.0]
    yield {
        "kind": "chiSquare",
        "name": "p-values of squared distances",
        "cases": [[m, d, float(chi2.sf(m, d))] for m in squares for d in (1, 2, 3, 10, 501)],
    }
    matrix = np.array([[4.0, -1.5, 0.2], [-1.5, 2.0, 0.1], [0.2, 0.1, 1.0]])
    point = [0.3, 2.0, -1.0]
    yield {
        "kind": "gaussian",
        "name": "one Gaussian",
        "mean": [0.0, 1.0, 2.0],
        "covariance": matrix.tolist(),
        "x": point,
        "logDensity": float(multivariate_normal([0.0, 1.0, 2.0], matrix).logpdf(point)),
        "cholesky": np.linalg.cholesky(matrix).tolist(),
    }
    for covariance, units in (
        (np.array([[2e6, 1e3], [1e3, 2.0]]), (1e3, 1.0)),
        (np.array([[2.0, -1.0], [-1.0, 2.0]]), (1.0, 1.0)),
        (np.array([[1.0, 1 - 1e-9], [1 - 1e-9, 1.0]]), (1.0, 1.0)),
        (np.diag([1e-24, 1e24]), (1e-12, 1e12)),
        (np.array([[3.0, -1.0], [-1.0, 1.0]]), (1.0, 2.0)),
    ):
        yield {
            "kind": "ellipse",
            "name": f"ellipse of {covariance.tolist()}",
            "covariance": covariance.tolist(),
            "units": units,
            "points": ellipse(np.array([1.0, -2.0]) * units, covariance, 2.0, 9).tolist(),
            "mean": [units[0], -2.0 * units[1]],
            "lengths": np.sqrt(np.linalg.eigvalsh(covariance / np.outer(units, units)))[
                ::-1
            ].tolist(),
        }


def errors() -> Iterator[Fixture]:
    """Rows that have no model: the message is one sentence with these words."""
    a, b = [[1.0, 2.0], [2.0, 1.5], [3.0, 4.0]], [[5.0, 5.0], [6.0, 7.0], [8.0, 6.0]]
    cases: list[tuple[Table, str, Fixture, list[str]]] = [
        ([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0], *b], "aaabbb", {}, ["class a", "feature 1"]),
        ([[1.0, 2.0], [2.0, 2.0], [3.0, 2.0], *b], "aaabbb", {}, ["class a", "feature 1", "vary"]),
        ([[1.0, 2.0], *b], "abbb", {}, ["class a", "feature 0", "feature 1", "one row"]),
        ([*a[:2], *b], "aabbb", {}, ["class a", "2 rows", "2 features"]),
        ([[1.0, 2.0], *b], "abbb", {"divisor": "unbiased"}, ["class a", "unbiased"]),
        ([[row[0], None] for row in a] + b, "aaabbb", {}, ["class a", "feature 1", "value"]),
        ([[1.0, 2.0], [2.0, None], [3.0, 3.0], *b], "aaabbb", {}, ["maximum", "class a"]),
        ([[1.0, "x"], [2.0, "y"], [3.0, None], [4.0, None]], "aabb", {}, ["class b", "feature 1"]),
        ([*a, *b], "aaabbb", {"shared": 1.5}, ["shared"]),
        ([*a, *b], "aaabbb", {"priors": [0.5, 0.6]}, ["priors", "sum to 1"]),
        ([*a, *b], "aaabbb", {"classes": ["a", "b", "c"]}, ["class c", "no labelled row"]),
        ([*a, *b], "aaabbb", {"classes": ["a"]}, ["label b"]),
        ([*a, [5.0]], "aaab", {}, ["row 3"]),
        ([*a, [5.0, "high"]], "aaab", {"categorical": []}, ["row 3", "high", "feature 1"]),
        ([], "", {}, ["no rows"]),
    ]
    for rows, labels, options, words in cases:
        yield {
            "kind": "error",
            "name": f"error about {words}",
            "rows": rows,
            "labels": list(labels),
            "options": options,
            "words": words,
        }
    named = {"features": ["height (cm)", "width"]}
    flat = [[1.0, 2.0], [1.0, 3.0], *b]
    yield {
        "kind": "error",
        "name": "error with names",
        "rows": flat,
        "labels": list("aabbb"),
        "options": named,
        "words": ["height (cm)"],
    }
