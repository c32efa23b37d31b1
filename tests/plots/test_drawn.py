"""What is drawn, by the data of the artists, against numbers of the model and of other libraries.

Figures of every kind of data are compared with an oracle in `tests/composition/test_figures.py`.
"""

from typing import Any

import matplotlib.pyplot as plt
import mpmath
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex, to_rgb
from matplotlib.patches import StepPatch
from scipy.stats import chi2, norm
from sklearn.calibration import calibration_curve
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
)
from sklearn.metrics import (
    average_precision_score,
    confusion_matrix,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from gaussbayes import GaussianClassifier, OptionError, compare, plots
from tests.plots.conftest import Case
from tests.plots.layout import legend_texts

LENGTHS = np.array([1.8, 2.1, 2.5, 3.2, 3.8, 5.8, 6.7, 7.0])[:, None]
SPECIES = np.array(list("AAAAABBB"))
PAIR = ["petal length (cm)", "petal width (cm)"]


def found(ax: Any, gid: str) -> Any:
    """The artists with an identifier."""
    return [artist for artist in ax.get_children() if artist.get_gid() == gid]


def offsets(ax: Any, gid: str) -> np.ndarray:
    places = [np.asarray(points.get_offsets()) for points in found(ax, gid)]
    return np.concatenate([*places, np.empty((0, 2))])


def curves(ax: Any) -> list[Any]:
    return [line for line in ax.lines if len(line.get_xdata()) > 100]


def boundaries(ax: Any) -> list[float]:
    return [line.get_xdata()[0] for line in found(ax, "boundary")]


def image_of(ax: Any) -> tuple[np.ndarray, np.ndarray]:
    """The centres (n, 2) of some pixels of the image of axes, and their values (n, …)."""
    (image,) = ax.images
    values = np.ma.filled(np.ma.asarray(image.get_array(), float), np.nan)
    left, right, bottom, top = image.get_extent()
    p, m = values.shape[:2]
    across = left + (right - left) / m * (np.arange(m) + 0.5)
    up = bottom + (top - bottom) / p * (np.arange(p) + 0.5)
    places = np.stack([part.ravel() for part in np.meshgrid(across, up)], axis=1)
    some = slice(None, None, 37)
    return places[some], values.reshape(p * m, *values.shape[2:])[some]


def framed(case: Case, places: np.ndarray) -> Any:
    return pd.DataFrame(places, columns=case.X.columns) if hasattr(case.X, "columns") else places


# The plane.


@pytest.mark.parametrize("shared", [False, True])
def test_regions_are_predictions_and_boundaries_are_where_log_odds_vanish(
    three_classes: Case, shared: bool
) -> None:
    model = GaussianClassifier(shared=shared).fit(three_classes.X, three_classes.y)
    ax = plots.regions(model, three_classes.X, three_classes.y)
    places, codes = image_of(ax)
    predicted = model.predict(framed(three_classes, places))
    np.testing.assert_array_equal(model.classes_[codes.astype(int)], predicted)
    lines = [line for line in ax.collections if line.get_gid() == "boundary"]
    assert len(lines) == 2
    for line in lines:
        vertices = np.concatenate([path.vertices for path in line.get_paths()])
        posterior = np.sort(model.predict_proba(framed(three_classes, vertices)), axis=1)
        # On a boundary two classes are equally probable, up to a cell of the grid where three meet.
        assert (posterior[:, -1] - posterior[:, -2] < 5e-3).mean() > 0.98
    wrong = three_classes.X.to_numpy()[model.predict(three_classes.X) != three_classes.y]
    np.testing.assert_array_equal(offsets(ax, "errors"), wrong)
    (means,) = found(ax, "means")
    np.testing.assert_allclose(means.get_xydata(), model.means_, rtol=1e-14)
    expected = ["setosa", "versicolor", "virginica", "error", "mean", "decision boundary"]
    assert legend_texts(ax) == expected


def test_a_shared_covariance_gives_a_straight_boundary(two_classes: Case) -> None:
    model = GaussianClassifier(shared=True).fit(two_classes.X, two_classes.y)
    ax = plots.regions(model)
    (line,) = [line for line in ax.collections if line.get_gid() == "boundary"]
    vertices = np.concatenate([path.vertices for path in line.get_paths()])
    distance = model.decision_function(vertices)
    # A linear function is interpolated without error.
    np.testing.assert_allclose(distance, 0.0, atol=1e-10)


def test_rejected_places_have_no_probable_class(two_classes: Case) -> None:
    model = two_classes.model
    ax = plots.regions(model, reject_below=0.7)
    (zone,) = found(ax, "rejected")
    across, up = (np.linspace(*limits, 40)[2:-2] for limits in (ax.get_xlim(), ax.get_ylim()))
    points = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2) + 1e-9
    inside = np.zeros(len(points), bool)
    for path in zone.get_paths():
        inside ^= path.contains_points(points)
    largest = model.predict_proba(points).max(axis=1)
    clear = np.abs(largest - 0.7) > 0.01  # the drawn edge is a chord of the true one
    np.testing.assert_array_equal(inside[clear], (largest < 0.7)[clear])
    assert legend_texts(ax)[-1] == "rejected:\nposterior below 0.7"
    assert not found(plots.regions(model, reject_below=0.5), "rejected")


def test_cells_in_which_no_class_is_possible_stay_white() -> None:
    # 'a' and 'x' are certain in class 0, 'b' and 'y' in class 1: no class has 'a' with 'y'.
    X = pd.DataFrame({"left": pd.Categorical(list("aabb")), "right": pd.Categorical(list("xxyy"))})
    model = GaussianClassifier().fit(X, [0, 0, 1, 1])
    codes = np.ma.asarray(
        plots.regions(model, X, [0, 0, 1, 1], reject_below=0.6).images[0].get_array()
    )
    assert codes.mask.tolist() == [[False, True], [True, False]]
    assert (codes[0, 0], codes[1, 1]) == (0, 1)
    colors = plots.posterior(model).images[0].get_array()
    assert (colors[0, 1] == 1.0).all()


COVARIANCES = {
    "plain": [[2.0, 0.5], [0.5, 1.0]],
    "strongly correlated": [[1.0, 0.999999], [0.999999, 1.0]],
    "badly scaled": [[1e12, 3e-1], [3e-1, 1e-12]],
}


@pytest.mark.parametrize("covariance", COVARIANCES.values(), ids=COVARIANCES)
@pytest.mark.parametrize("shared", [False, True])
def test_every_point_of_an_ellipse_has_its_distance(covariance: Any, shared: bool) -> None:
    one = np.array(covariance)
    size = np.sqrt(np.diag(one))
    means = np.array([[0, 0], [1, 2], [-3, 1]]) * size
    covariances = one if shared else np.stack([one, 4 * one, one / 9])
    model = GaussianClassifier.from_parameters(None, means, covariances)
    ax = plots.ellipses(model, levels=(1, 2))
    lines = [line.get_xydata() for line in found(ax, "ellipse")]
    assert len(lines) == 6
    for i, points in enumerate(lines):
        code, level = divmod(i, 2)
        squares = model.scores(points).squared_distance[:, code]
        np.testing.assert_allclose(squares, (level + 1) ** 2, rtol=1e-8)
        assert np.abs((points[0] - points[-1]) / size).max() <= 1e-14  # closed
    # 1 − exp(−r²/2) for r = 1, 2.
    assert legend_texts(ax)[-2:] == ["1σ (39.3 %)", "2σ (86.5 %)"]


# One feature.


def test_densities_joints_and_posteriors_of_petals() -> None:
    # Course, document 002: 4.894721 and 15.365512 with equal priors.
    model = GaussianClassifier(priors="uniform").fit(LENGTHS, SPECIES)
    ax = plots.densities(model, LENGTHS, SPECIES)
    np.testing.assert_allclose(boundaries(ax), [4.894721], atol=5e-7)
    assert legend_texts(ax) == ["A", "B", "decision boundary\nat 4.8947, 15.366"]
    strips = [line for line in ax.lines if line.get_linestyle() == "None"]
    assert [line.get_xdata().tolist() for line in strips] == [
        LENGTHS[:5, 0].tolist(),
        LENGTHS[5:, 0].tolist(),
    ]
    moments = [(part.mean(), part.std()) for part in (LENGTHS[:5], LENGTHS[5:])]
    for draw, weight in ((plots.densities, 1.0), (plots.joint, 0.5)):
        lines = curves(draw(model, LENGTHS, SPECIES))
        for line, (mean, deviation) in zip(lines, moments, strict=False):
            expected = weight * norm.pdf(line.get_xdata(), mean, deviation)
            np.testing.assert_allclose(line.get_ydata(), expected, rtol=1e-9)
    *parts, evidence = (line.get_ydata() for line in lines)
    np.testing.assert_allclose(np.sum(parts, axis=0), evidence, rtol=1e-12)
    (curve,) = curves(plots.posterior(model, LENGTHS, SPECIES, label="B"))
    x = curve.get_xdata()
    joint = [norm.pdf(x, *moment) for moment in moments]
    np.testing.assert_allclose(curve.get_ydata(), joint[1] / sum(joint), rtol=1e-9, atol=1e-300)
    (line,) = curves(plots.evidence(model))
    expected = np.exp(model.score_samples(line.get_xdata()[:, None]))
    np.testing.assert_allclose(line.get_ydata(), expected, rtol=1e-9)


def line(priors: Any, means: list[float], variances: list[float]) -> GaussianClassifier:
    shape = np.reshape(variances, (-1, 1, 1))
    return GaussianClassifier.from_parameters(priors, np.reshape(means, (-1, 1)), shape)


def exact(priors: list[float], means: list[float], variances: list[float]) -> list[float]:
    """Roots of the log-odds of two classes, in fifty digits."""
    with mpmath.workdps(50):
        p, m, v = ([mpmath.mpf(float(one)) for one in each] for each in (priors, means, variances))
        square, slope = (1 / v[1] - 1 / v[0]) / 2, m[0] / v[0] - m[1] / v[1]
        level = mpmath.log(p[0] / p[1]) - mpmath.log(v[0] / v[1]) / 2
        level -= (m[0] ** 2 / v[0] - m[1] ** 2 / v[1]) / 2
        if square == 0:
            return [float(-level / slope)]
        root = mpmath.sqrt(slope**2 - 4 * square * level)
        return sorted(float((-slope + sign * root) / (2 * square)) for sign in (-1, 1))


@pytest.mark.parametrize("unit", [1e-100, 1.0, 1e100])
def test_boundaries_in_fifty_digits(unit: float) -> None:
    for priors, places, spreads in (
        ([0.5, 0.5], [2.68, 6.5], [0.5336, 0.26]),  # the petals of the course
        ([0.4, 0.6], [0.0, 3.0], [1.0, 2.0]),
        ([0.4, 0.6], [0.0, 3.0], [1.0, 1.0]),
        ([0.5, 0.5], [7.0, 7.0], [1.0, 4.0]),
        ([0.9, 0.1], [0.0, 0.3], [1.0, 1e-12]),  # a narrow class
    ):
        means, variances = [m * unit for m in places], [v * unit**2 for v in spreads]
        ax = plots.densities(line(priors, means, variances), [[-40.0 * unit], [40.0 * unit]])
        np.testing.assert_allclose(boundaries(ax), exact(priors, means, variances), rtol=1e-12)
    # Classes that are nowhere the most probable have no boundary.
    assert not boundaries(plots.densities(line([0.01, 0.99], [0.0, 0.0], [1.0, 4.0])))
    assert not boundaries(plots.densities(line([1.0, 0.0], [0.0, 1.0], [1.0, 2.0])))
    middle = line([0.4999995, 1e-6, 0.4999995], [-1.0, 0.0, 1.0], [1.0] * 3)
    np.testing.assert_allclose(boundaries(plots.densities(middle)), [0.0], atol=1e-12)


@pytest.mark.parametrize("calibrate", [False, True])
@pytest.mark.parametrize(
    "settings", [{}, {"transforms": "yeo-johnson"}, {"families": {0: "poisson"}}]
)
def test_boundaries_are_where_predictions_change(settings: Any, calibrate: bool) -> None:
    generator = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 40)
    X = generator.poisson(generator.gamma(2.0, 1.0 + 4.0 * y))[:, None]
    model = GaussianClassifier(**settings, calibrate=calibrate).fit(X, y)
    seen = np.array(boundaries(plots.densities(model, [[0], [199]])))
    assert seen.size
    if settings.get("families"):
        labels = model.predict(np.arange(200.0)[:, None])
        np.testing.assert_array_equal(seen, np.flatnonzero(np.diff(labels)) + 0.5)
        return
    inside = seen[seen > 0][:, None]
    top = np.sort(model.predict_proba(inside), axis=1)[:, 1:]
    np.testing.assert_allclose(top[:, 0], top[:, 1], atol=1e-9)
    assert (model.predict(inside - 1e-6) != model.predict(inside + 1e-6)).all()


def test_the_most_informative_features_are_the_default(iris: Case) -> None:
    # η² of single features, by the definition.
    X, y = iris.X.to_numpy(), np.asarray(iris.y)
    between = sum(
        np.mean(y == c) * (X[y == c].mean(axis=0) - X.mean(axis=0)) ** 2 for c in np.unique(y)
    )
    best = iris.X.columns[np.sort(np.argsort(-between / X.var(axis=0))[:2])]
    ax = plots.regions(iris.model)
    assert [ax.get_xlabel(), ax.get_ylabel()] == list(best)
    kind = np.where(np.arange(150) % 7 == 0, "virginica", y)  # by Cramér's V²
    frame = pd.DataFrame({"noise": X[::-1, 0], "kind": pd.Categorical(kind), "size": X[:, 1]})
    mixed = GaussianClassifier(smoothing=1).fit(frame, y)
    assert plots.densities(mixed).get_xlabel() == "kind"


def test_many_rows_are_histograms_of_the_right_area(one_feature: Case) -> None:
    for draw, area in ((plots.densities, 1.0), (plots.joint, 1 / 3), (plots.evidence, 1.0)):
        ax = draw(one_feature.model, one_feature.X, one_feature.y)
        steps = [patch for patch in ax.patches if isinstance(patch, StepPatch) and patch.get_fill()]
        areas = [
            float(data.values @ np.diff(data.edges)) for data in map(StepPatch.get_data, steps)
        ]
        assert areas == pytest.approx([area] * len(areas), rel=1e-12)
        assert len(areas) == (1 if draw is plots.evidence else 3)


def test_a_narrow_peak_is_not_missed() -> None:
    model = GaussianClassifier.from_parameters(None, [[0.1234], [0]], [[[1e-8]], [[100]]])
    line = curves(plots.densities(model))[0]
    assert max(line.get_ydata()) == pytest.approx(norm.pdf(0, scale=1e-4), rel=1e-9)


# Other libraries' classifiers.

OTHERS = [KNeighborsClassifier(3), SVC(), DecisionTreeClassifier(max_depth=3)]


@pytest.mark.parametrize("classifier", OTHERS, ids=lambda each: type(each).__name__)
def test_other_classifiers_are_drawn_as_they_predict(classifier: Any, iris: Case) -> None:
    petals = iris.X[PAIR]
    fitted = classifier.fit(petals, iris.y)
    ax = plots.regions(fitted, petals, iris.y, features=PAIR[::-1])  # not in the order of the fit
    places, codes = image_of(ax)
    predicted = fitted.predict(pd.DataFrame(places[:, ::-1], columns=PAIR))
    assert (fitted.classes_[codes.astype(int)] == predicted).mean() > 0.999
    wrong = int((fitted.predict(petals) != iris.y).sum())
    assert len(offsets(ax, "errors")) == wrong
    title = plots.predictions(fitted, petals, iris.y).get_title()
    assert title == f"{wrong} of 150 rows misclassified"
    cells = [
        text.get_text().split("\n")[0] for text in plots.confusion(fitted, petals, iris.y).texts
    ]
    expected = confusion_matrix(iris.y, fitted.predict(petals)).ravel().tolist()
    assert cells == list(map(str, expected))


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda m, X, y: plots.regions(m, X, y, features=[0, 1]), "cannot be integrated out"),
        (lambda m, X, y: plots.regions(m.fit(X.iloc[:, :2], y)), "give rows"),
    ],
)
def test_what_other_classifiers_cannot_show(draw: Any, message: str, iris: Case) -> None:
    with pytest.raises(ValueError, match=message):
        draw(LinearDiscriminantAnalysis().fit(iris.X, iris.y), iris.X, iris.y)


# Evaluation.


def test_confusion_has_the_counts_and_proportions_of_scikit_learn(three_classes: Case) -> None:
    model, X, y = three_classes.model, three_classes.X, three_classes.y
    ax = plots.confusion(model, X, y)
    expected = confusion_matrix(y, model.predict(X))
    texts = {text.get_position(): text.get_text() for text in ax.texts}
    cells = [[texts[column, row] for column in range(3)] for row in range(3)]
    assert [[int(cell.split("\n")[0]) for cell in row] for row in cells] == expected.tolist()
    proportions = confusion_matrix(y, model.predict(X), normalize="true")
    np.testing.assert_allclose(ax.images[0].get_array(), proportions, rtol=1e-15)
    assert cells[1][2] == f"{expected[1, 2]}\n{100 * proportions[1, 2]:.0f} %"
    wrong = int(expected.sum() - np.trace(expected))
    assert ax.get_title() == f"error rate {100 * wrong / 150:.1f} % ({wrong} of 150 rows)"
    assert [text.get_text() for text in ax.get_yticklabels()] == model.classes_.tolist()
    assert plots.confusion(model.evaluate(X, y)).get_title() == ax.get_title()
    there = y != "versicolor"
    cells_without = [text.get_text() for text in plots.confusion(model, X[there], y[there]).texts]
    assert cells_without[3:6] == ["–", "–", "–"]
    few = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], ["low", "high"])
    rows = np.r_[np.full(999, 4.0), 0.0, np.zeros(5)][:, None]
    ax = plots.confusion(few, rows, ["high"] * 1000 + ["low"] * 5)
    assert [text.get_text() for text in ax.texts] == ["999\n> 99 %", "1\n< 1 %", "0", "5\n100 %"]


def test_calibration_and_roc_curves_are_those_of_scikit_learn(three_classes: Case) -> None:
    model, X, y = three_classes.model, three_classes.X, three_classes.y
    posterior = model.predict_proba(X)
    calibration, roc = plots.calibration(model, X, y), plots.roc(model, X, y)
    recall = plots.roc(model, X, y, precision_recall=True)
    steps = [line for line in recall.lines if len(line.get_xdata()) > 2]
    counts = []
    for code, label in enumerate(model.classes_):
        stated, true = posterior[:, code], y == label
        observed, mean = calibration_curve(true, stated, n_bins=10)
        marks = calibration.collections[code]
        np.testing.assert_allclose(
            marks.get_offsets(), np.c_[mean, observed], rtol=1e-9, atol=1e-12
        )
        group = np.minimum((stated * 10).astype(int), 9)
        counts += np.bincount(group).tolist()
        gaps = [
            abs((stated - true)[group == g].mean()) * (group == g).mean() for g in np.unique(group)
        ]
        assert legend_texts(calibration)[code] == f"{label}: {sum(gaps):.3f}"
        false, hits, _ = roc_curve(true, stated, drop_intermediate=False)
        curve = np.asarray(roc.lines[code].get_xydata())
        for place in np.c_[false, hits]:
            assert np.abs(curve - place).max(axis=1).min() < 1e-12
        assert legend_texts(roc)[code] == f"{label}: {roc_auc_score(true, stated):.3f}"
        average = average_precision_score(true, stated)
        assert legend_texts(recall)[code] == f"{label}: {average:.3f}"
        precision, found_rows, _ = precision_recall_curve(true, stated)
        curve = np.asarray(steps[code].get_xydata())
        for place in np.c_[found_rows, precision][:-1]:
            assert np.abs(curve - place).max(axis=1).min() < 1e-12
    assert calibration.get_title() == f"150 rows; the largest marker stands for {max(counts)}"
    seven = GaussianClassifier.from_parameters(None, [[c] for c in range(7)], [[1.0]])
    rows, classes = np.arange(70.0)[:, None] / 10, np.arange(70) // 10
    predicted = plots.calibration(seven, rows, classes)
    right = seven.predict(rows) == classes
    observed, mean = calibration_curve(right, seven.predict_proba(rows).max(axis=1), n_bins=10)
    marks = predicted.collections[0].get_offsets()
    np.testing.assert_allclose(marks, np.c_[mean, observed], rtol=1e-9)


def test_points_of_a_qq_plot_are_p_values_of_held_out_rows(iris: Case) -> None:
    """On the scale of χ², by F distributions; p-values in the legend are those of R's MVN."""
    from scipy.stats import f as f_distribution

    ax = plots.qq(iris.model, iris.X, iris.y)
    of_classes = [text.get_text() for text in ax.get_legend().get_texts()]
    assert of_classes == ["setosa: p = 0.3544", "versicolor: p = 0.3889", "virginica: p = 0.3141"]
    for features, d in ((None, 4), (PAIR, 2), ("sepal width (cm)", 1)):
        ax = plots.qq(iris.model, iris.X, iris.y, features=features)
        columns = list(iris.X) if features is None else list(np.atleast_1d(features))
        for code, points in enumerate(ax.collections):
            rows = iris.X.loc[iris.y == iris.model.classes_[code], columns].to_numpy()
            x, y = points.get_offsets().T
            np.testing.assert_allclose(x, chi2.ppf((np.arange(50) + 0.5) / 50, d), rtol=1e-9)
            # Of leave-one-out instead of five folds, with a closed form; nearly the same.
            deviations = rows - rows.mean(axis=0)
            inverse = np.linalg.inv(np.cov(rows.T).reshape(d, d))
            squares = np.einsum("ni,ij,nj->n", deviations, inverse, deviations)
            left_out = 49 * 50 * 48 * squares / (49 * (49**2 - 50 * squares))
            tail = f_distribution.sf(left_out * 49 / 50 * (49 - d) / (d * 48), d, 49 - d)
            np.testing.assert_allclose(y, np.sort(chi2.isf(tail, d)), rtol=0.4, atol=0.4)


def test_bars_of_importance_and_comparison(iris: Case) -> None:
    measured = iris.model.importance(iris.X, iris.y)
    ax = plots.importance(measured)
    losses = [entry.loss for entry in measured.features]
    assert [bar.get_width() for bar in ax.patches] == losses
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        entry.feature for entry in measured.features
    ]
    models = {"QDA": GaussianClassifier(), "LDA": GaussianClassifier(shared=True)}
    compared = compare(iris.X, iris.y, models=models, neighbors=[1, 5], cv=3)
    for metric, scale in (("log_loss", 1.0), ("error", 100.0), ("auc", 1.0)):
        ax = plots.comparison(compared, metric=metric)  # type: ignore[arg-type]
        for bar, candidate in zip(ax.patches, compared.candidates, strict=True):
            value = scale * getattr(candidate.evaluation, metric)
            if np.isfinite(value):
                assert bar.get_width() == pytest.approx(value)
        names = [label.get_text() for label in ax.get_yticklabels()]
        assert names == [candidate.name for candidate in compared.candidates]


# Explanations.


def bars(ax: Any) -> list[tuple[str, float, float]]:
    """What each bar is called, where it begins and how far it goes, from top to bottom."""
    names = [label.get_text() for label in ax.get_yticklabels()]
    patches = sorted(ax.patches, key=lambda bar: bar.get_y())
    return [(name, bar.get_x(), bar.get_width()) for name, bar in zip(names, patches, strict=True)]


def test_bars_lead_from_the_reference_to_the_row(iris: Case) -> None:
    explained = iris.model.explain(iris.X.iloc[[106]])
    odds = explained.log_odds
    assert odds is not None
    ax = plots.explanation(explained)
    first, *steps, last = bars(ax)
    assert first == ("at the reference", 0.0, odds.at_reference)
    assert last == ("this row", 0.0, odds.value)
    ranked = sorted(odds.contributions, key=lambda one: -abs(one.amount))
    assert [name for name, _, _ in steps] == [f"{one.feature} = {one.value:g}" for one in ranked]
    np.testing.assert_allclose([width for *_, width in steps], [one.amount for one in ranked])
    places = odds.at_reference + np.cumsum([0.0, *(one.amount for one in ranked)])
    np.testing.assert_allclose([start for _, start, _ in steps], places[:-1], rtol=1e-13)
    assert places[-1] == pytest.approx(odds.value, rel=1e-13)
    by_features = odds.value - odds.at_reference
    sums = f"{odds.at_reference:.2f} + {by_features:.2f} by the features = {odds.value:.2f}"
    assert ax.get_title() == f"log-odds {sums}".replace(" -", " −")
    colors = {
        text: to_hex(patch.get_facecolor())
        for text, patch in zip(legend_texts(ax), ax.get_legend().legend_handles, strict=True)
    }
    for bar in sorted(ax.patches, key=lambda bar: bar.get_y())[1:-1]:
        favoured = odds.of if bar.get_width() > 0 else odds.against
        assert to_rgb(bar.get_facecolor()) == pytest.approx(to_rgb(colors[favoured]), abs=1 / 255)


def test_of_many_features_the_small_ones_share_a_bar() -> None:
    data = load_breast_cancer()
    X = pd.DataFrame(data.data, columns=list(data.feature_names))
    model = GaussianClassifier().fit(X, data.target)
    row = X.iloc[[100]].copy()
    row.iloc[0, [2, 5]] = np.nan
    explained = model.explain(row)
    assert explained.log_odds is not None
    shown = bars(plots.explanation(explained))
    assert len(shown) == 1 + 12 + 1 + 1 + 1
    ranked = sorted((one.amount for one in explained.log_odds.contributions), key=abs)
    (small, _, width), (missing, _, nothing) = shown[13:15]
    assert (small, missing, nothing) == ("16 other features", "2 features missing", 0.0)
    assert width == pytest.approx(sum(ranked[:-12]), rel=1e-9)


def test_infinite_and_unknown_contributions(iris: Case) -> None:
    certain = iris.model.with_priors([1.0, 0.0, 0.0]).explain(
        iris.X.iloc[[70]], ("setosa", "versicolor")
    )
    with pytest.raises(OptionError, match="'setosa' and 'versicolor' are infinite"):
        plots.explanation(certain)
    frame = pd.DataFrame({"a": list("xyxyy"), "b": [1.0, 2, 4, 5, 7.5], "c": list("uvvuu")})
    letters = GaussianClassifier(shared=True).fit(frame, ["low", "low", "low", "top", "top"])
    for between, sign in ((("top", "low"), "−"), (("low", "top"), "+")):
        row = pd.DataFrame({"a": ["x"], "b": [3.0], "c": ["u"]})
        ax = plots.explanation(letters.explain(row, between))
        assert [name for name, *_ in bars(ax)][-2:] == ["a = x", "this row"]
        patches = sorted(ax.patches, key=lambda bar: bar.get_y())
        assert [bool(bar.get_hatch()) for bar in patches] == [False] * 3 + [True] * 2
        assert all(np.isfinite(bar.get_width()) for bar in patches)
        assert [text.get_text() for text in ax.texts][-2] == f"{sign}∞"
    row = pd.DataFrame({"a": ["new"], "b": [3.0], "c": [None]})
    names = [name for name, *_ in bars(plots.explanation(letters.explain(row)))]
    assert names[1:-1] == ["b = 3", "c missing", "a = new: not in training"]
    plt.close("all")
