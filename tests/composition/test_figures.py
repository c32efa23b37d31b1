"""Every figure and the report, for every kind of data, whatever is missing in it.

What is drawn is compared with the oracle. A new figure is a function here, a new kind of data a
line in `cases`; counts have cases of their own at the end.
"""

import re
from dataclasses import replace
from itertools import combinations

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, poisson
from sklearn.metrics import roc_auc_score

from gaussbayes import DataError, GaussianClassifier, plots
from tests.composition import oracle
from tests.composition.cases import (
    CLASSES,
    COMPLETENESS,
    KINDS,
    SMOOTHING,
    STRUCTURES,
    Case,
    frame_of,
    model_of,
    truth_of,
)

mpl.use("Agg")

FIGURES = {}


def figure(function):
    """Add a column to the matrix."""
    FIGURES[function.__name__] = function
    return function


@pytest.fixture(autouse=True)
def _figures_are_closed():
    yield
    plt.close("all")


def close(actual, expected, tolerance=1e-6):
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


def features_of(case):
    """Names of the features: numbers, then categories."""
    return list(case.frame.columns)


def by_kind(case, columns):
    """Positions of some features among the numbers, the counts and the categories."""
    g, p = case.data.X.shape[1], case.data.N.shape[1]
    numbers = [j for j in columns if j < g]
    counts = [j - g for j in columns if g <= j < g + p]
    return numbers, counts, [j - g - p for j in columns if j >= g + p]


def marginal(case, columns):
    """The oracle's model of some features, by their positions."""
    return truth_of(case).marginal(*by_kind(case, columns))


def rows_at(case, columns, places):
    """Rows of some features at positions (n, m); category i stands at i."""
    empty = oracle.Data(
        *(np.zeros((len(places), len(some))) for some in by_kind(case, columns)[:2]),
        np.zeros((len(places), 0), int),
        (),
        np.zeros(len(places), int),
        3,
    )
    g, p = case.data.X.shape[1], case.data.N.shape[1]
    of = [
        [i for i, j in enumerate(columns) if (j >= g) + (j >= g + p) == kind] for kind in range(3)
    ]
    sizes = tuple(case.data.sizes[columns[place] - g - p] for place in of[2])
    return replace(
        empty,
        X=np.log(places[:, of[0]]) if case.data.logged else places[:, of[0]],
        N=np.rint(places[:, of[1]]),
        Z=np.rint(places[:, of[2]]).astype(int),
        sizes=sizes,
        logged=case.data.logged,
    )


def part_of(case, columns):
    """Some features of the rows of a case."""
    return case.data.of_columns(*by_kind(case, columns))


def errors_of(case, columns):
    """How many labelled rows the oracle's model of some features gets wrong."""
    data = part_of(case, columns)
    predicted = marginal(case, columns).log_posterior(data).argmax(axis=1)
    return int((predicted != data.y)[data.y >= 0].sum())


def known(case, columns):
    """Which rows have some features."""
    data = part_of(case, columns)
    numbers = np.concatenate([data.X, data.N], axis=1)
    return ~(np.isnan(numbers).any(axis=1) | (data.Z < 0).any(axis=1))


def shape_of(case):
    """The first two features, and for two of the kinds a number and a category."""
    every = range(len(features_of(case)))
    return [pair for pair in ((0, 1), (1, 2), (2, 0)) if set(pair) <= set(every)]


def n_points(ax, gid):
    drawn = [points for points in ax.collections if str(points.get_gid()).startswith(gid)]
    return sum(len(points.get_offsets()) for points in drawn)


def said(owner):
    texts = owner.findobj(mpl.text.Text)
    return " ".join(" ".join(text.get_text() for text in texts).split())


def check_rows(case, ax, columns):
    """Every row that has the features is drawn, and the legend counts the others."""
    there, labelled = known(case, columns), case.data.y >= 0
    assert n_points(ax, "class") == (there & labelled).sum()
    assert n_points(ax, "unlabelled") == (there & ~labelled).sum()
    words = said(ax.get_legend())
    assert ("unlabelled" in words) == (there & ~labelled).any()
    missing = (~there).sum()
    assert (f"{missing} row{'s' if missing > 1 else ''} not drawn" in words) == (missing > 0)


def grid_of(ax):
    """The points of the cells of the image in axes (p·m, 2), and its values (p·m,)."""
    (image,) = ax.images
    left, right, bottom, top = image.get_extent()
    values = np.ma.filled(np.ma.asarray(image.get_array(), float), np.nan)
    p, m = values.shape
    x = left + (right - left) / m * (np.arange(m) + 0.5)
    y = bottom + (top - bottom) / p * (np.arange(p) + 0.5)
    some = slice(None, None, max(1, p * m // 997))  # enough, and not at the same place in each line
    return np.stack([part.ravel() for part in np.meshgrid(x, y)], axis=1)[some], values.ravel()[
        some
    ]


def heights(groups):
    return np.array([[bar.get_height() for bar in bars] for bars in groups])


def bars_at(case, column, ax):
    """The positions of bars, and the oracle's log p(x, c) there (m, k)."""
    low, high = ax.get_xlim()
    places = np.arange(np.ceil(low), np.floor(high) + 1)
    return places, marginal(case, [column]).log_joint(rows_at(case, [column], places[:, None]))


@figure
def densities(case):
    for column, name in enumerate(features_of(case)):
        ax = plots.densities(model_of(case), case.frame, case.labels, features=name)
        truth = marginal(case, [column])
        if truth.mean.shape[1]:
            curves = [line for line in ax.lines if len(line.get_xdata()) > 100]
            for line, mean, covariance in zip(curves, truth.mean, truth.covariance, strict=True):
                x, slope = np.asarray(line.get_xdata()), 1.0
                if case.data.logged:
                    x, slope = np.log(x), 1.0 / x
                expected = slope * norm.pdf(x, mean[0], np.sqrt(covariance[0, 0]))
                close(line.get_ydata(), expected)
        else:
            places, joint = bars_at(case, column, ax)
            close(heights(ax.containers), np.exp(joint - np.log(truth.prior)).T)
            data = part_of(case, [column])
            values = np.concatenate([data.N, np.where(data.Z < 0, np.nan, data.Z)], axis=1)[:, 0]
            for code in range(3):
                (marks,) = [m for m in ax.collections if m.get_gid() == f"rows {code}"]
                count = (values[case.data.y == code, None] == places).sum(axis=0)
                drawn = [path.vertices[0, 1] for path in marks.get_paths()]
                close(drawn, count / max(1, count.sum()))
        missing = (~known(case, [column])).sum()
        assert (f"{missing} row" in said(ax.get_legend())) == (missing > 0)
        assert ("unlabelled" in said(ax.get_legend())) == (case.data.y < 0).any()


@figure
def bars_of_joint_and_posterior(case):
    for column in range(len(features_of(case))):
        rows = (model_of(case), case.frame, case.labels)
        axes = [draw(*rows, features=column) for draw in (plots.joint, plots.posterior)]
        if not marginal(case, [column]).mean.shape[1]:
            joint = np.exp(bars_at(case, column, axes[0])[1]).T
            *bars, evidence = axes[0].containers
            close(heights(bars), joint)
            close(heights([evidence])[0], joint.sum(axis=0))
            close(heights(axes[1].containers), joint / joint.sum(axis=0))


@figure
def posterior_curve(case):
    ax = plots.posterior(model_of(case), features=[0])
    truth = marginal(case, [0])
    for line in [line for line in ax.lines if len(line.get_xdata()) > 100][:1]:
        rows = rows_at(case, [0], np.asarray(line.get_xdata())[:, None])
        close(line.get_ydata(), np.exp(truth.log_posterior(rows))[:, 0])


@figure
def regions(case):
    for pair in shape_of(case):
        rows = (model_of(case), case.frame, case.labels)
        ax = plots.regions(*rows, features=pair, reject_below=0.6)
        places, codes = grid_of(ax)
        scores = marginal(case, pair).log_joint(rows_at(case, pair, places))
        best, second = np.sort(scores, axis=1)[:, :-3:-1].T
        clear = best - second > 1e-9
        assert (codes == scores.argmax(axis=1))[clear].all()
        check_rows(case, ax, pair)
        data = part_of(case, pair)
        predicted = marginal(case, pair).log_posterior(data).argmax(axis=1)
        wrong = (predicted != data.y) & (data.y >= 0) & known(case, pair)
        assert n_points(ax, "errors") == wrong.sum()


@figure
def posterior_and_joint(case):
    pair = shape_of(case)[-1]
    truth = marginal(case, pair)
    for draw, scores in (
        (plots.posterior, lambda rows: np.exp(truth.log_posterior(rows))),
        (plots.joint, lambda rows: np.exp(truth.log_joint(rows))),
    ):
        ax = draw(model_of(case), label="b", features=pair)
        places, values = grid_of(ax)
        close(values, scores(rows_at(case, pair, places))[:, 1])


@figure
def evidence(case):
    for pair in shape_of(case):
        ax = plots.evidence(model_of(case), case.frame, case.labels, features=pair)
        check_rows(case, ax, pair)
        if ax.images:
            places, values = grid_of(ax)
            rows = rows_at(case, pair, places)
            close(values, np.exp(marginal(case, pair).log_evidence(rows)))


@figure
def evidence_surface(case):
    if case.data.sizes:
        with pytest.raises(DataError, match="no place for categories.*draw a map"):
            plots.evidence(model_of(case), features=[0, len(features_of(case)) - 1], surface=True)
    if case.has_numbers:
        for pair in ((0, 1), (1, 2)) if case.kind == "counts" else ((0, 1),):
            surface = plots.evidence(model_of(case), features=pair, surface=True)
            assert surface.get_zlabel() == "p(x)"
            if case.kind == "counts":  # between whole numbers nothing is defined
                continue
            corners = np.concatenate([*surface.collections[0]._faces])[::999]  # no public access
            density = marginal(case, pair).log_evidence(rows_at(case, pair, corners[:, :2]))
            close(corners[:, 2], np.exp(density))


@figure
def ellipses(case):
    if not case.has_numbers:
        with pytest.raises(DataError, match="ellipses need two Gaussian features, got 'z0'"):
            plots.ellipses(model_of(case))
        return
    ax = plots.ellipses(model_of(case), levels=[2.0], features=[0, 1])
    truth = truth_of(case)
    drawn = [line.get_xydata() for line in ax.lines if line.get_gid() == "ellipse"]
    if case.data.logged:
        drawn = np.log(drawn)
    for points, mean, covariance in zip(drawn, truth.mean, truth.covariance, strict=True):
        gap = points - mean
        squares = np.einsum("ni,ij,nj->n", gap, np.linalg.inv(covariance), gap)
        close(squares, 4.0, 1e-5)


@figure
def scatter_matrix(case):
    axes = plots.scatter_matrix(model_of(case), case.frame, case.labels)
    d, n = len(features_of(case)), (case.data.y >= 0).sum()
    for left, below in combinations(range(d), 2):
        wrong = errors_of(case, [left, below])
        assert axes[below, left].get_title() == f"{100 * wrong / n:.1f} % ({wrong})"
    for column in range(d):
        wrong = errors_of(case, [column])
        assert axes[column, column].get_title() == f"{100 * wrong / n:.1f} % ({wrong})"


@figure
def predictions(case):
    pair = shape_of(case)[-1]
    wrong = errors_of(case, range(len(features_of(case))))
    n = (case.data.y >= 0).sum()
    ax = plots.predictions(model_of(case), case.frame, case.labels, features=pair)
    assert ax.get_title() == f"{wrong} of {n} rows misclassified"
    check_rows(case, ax, pair)


@figure
def dataset(case):
    for columns in (shape_of(case)[-1], [len(features_of(case)) - 1]):
        ax = plots.dataset(case.frame, case.labels, features=columns)
        check_rows(case, ax, columns)


@figure
def confusion(case):
    y, data = case.data.y, case.data
    predicted = truth_of(case).log_posterior(data).argmax(axis=1)
    ax = plots.confusion(model_of(case), case.frame, case.labels)
    counts = [text.get_text().split("\n")[0] for text in ax.texts]
    expected = [((y == a) & (predicted == b)).sum() for a in range(3) for b in range(3)]
    assert [int(count) for count in counts] == expected
    assert ("unlabelled" in ax.get_title()) == (y < 0).any()


@figure
def calibration(case):
    y = case.data.y
    stated = np.exp(truth_of(case).log_posterior(case.data))[y >= 0]
    ax = plots.calibration(model_of(case), case.frame, case.labels)
    for code, points in enumerate(ax.collections):
        group = np.minimum((10 * stated[:, code]).astype(int), 9)
        means = [
            (stated[group == i, code].mean(), (y[y >= 0] == code)[group == i].mean())
            for i in np.unique(group)
        ]
        close(points.get_offsets(), means)


@figure
def roc(case):
    y = case.data.y
    stated = np.exp(truth_of(case).log_posterior(case.data))[y >= 0]
    for code, text in enumerate(
        plots.roc(model_of(case), case.frame, case.labels).get_legend().get_texts()
    ):
        area = roc_auc_score(y[y >= 0] == code, np.round(stated[:, code], 9))
        assert abs(float(text.get_text().split(": ")[1]) - area) < 2e-3


@figure
def explanation(case):
    explained = model_of(case).explain(frame_of(case.query).iloc[[2]], between=("b", "a"))
    ax = plots.explanation(explained)
    *widths, last = [bar.get_width() for bar in sorted(ax.patches, key=lambda b: b.get_y())]
    expected = truth_of(case).log_joint(case.query.some([2]))[0]
    close([sum(widths), last], [expected[1] - expected[0]] * 2)


@figure
def report(case, tmp_path, monkeypatch):
    figures = "gaussbayes.report.svg_figures.inline_figures"
    monkeypatch.setattr(figures, lambda _: {})  # they are drawn above
    path = model_of(case).report(case.frame, case.labels, tmp_path / "a.html", cv=2)
    words = " ".join(re.sub(r"<[^>]*>", " ", path.read_text(encoding="utf-8")).split())
    wrong = errors_of(case, range(len(features_of(case))))
    rows = len(re.findall(r"Row \d+ true", words))
    assert rows == min(wrong, 10)
    for j, table in enumerate(truth_of(case).probability):
        assert f"p(z{j} | class)" in words
        assert f"{table[0, 0]:.5g}" in words


SLOW = {"scatter_matrix": 2, "report": 4}

OF_REPORTS = {"spherical", "full half"}  # others differ in numbers alone


def cells():
    """Every kind and completeness under one structure, and every structure once.

    What draws many panels meets a half or a quarter of them, each kind and each completeness among
    them.
    """
    for i, kind in enumerate(KINDS):
        for j, completeness in enumerate(COMPLETENESS):
            for name in FIGURES:
                if (i + j) % SLOW.get(name, 1) == 0:
                    yield Case(kind, completeness, "full"), name
    for structure in STRUCTURES:
        for name in ("regions", "ellipses", "scatter_matrix", "report"):
            if structure != "full" and (name != "report" or structure in OF_REPORTS):
                yield Case("both", "missing+unlabelled", structure), name


@pytest.mark.parametrize(
    ("case", "name"),
    [
        pytest.param(case, name, id=f"{case.kind}-{case.completeness}-{case.structure}-{name}")
        for case, name in cells()
    ],
)
def test_cell(case, name, request):
    function = FIGURES[name]
    names = function.__code__.co_varnames[1 : function.__code__.co_argcount]
    function(case, **{fixture: request.getfixturevalue(fixture) for fixture in names})


# Counts: a Poisson feature beside the others.


@pytest.fixture(scope="module", params=["complete", "missing+unlabelled"])
def counts(request):
    """Rows with a count, a number and a category; their labels; and a model."""
    generator = np.random.default_rng(4)
    y = np.arange(60) % 3
    frame = pd.DataFrame(
        {
            "visits": generator.poisson(np.array([1.0, 3.0, 6.0])[y]).astype(float),
            "age": generator.normal(y, 1.0),
            "wind": pd.Categorical(generator.choice(["low", "high"], 60)),
        }
    )
    labels = np.array(CLASSES, dtype=object)[y]
    if request.param != "complete":
        for j in range(3):
            frame.iloc[j * 5 : j * 5 + 3, j] = None
        labels[30:45] = None
    model = GaussianClassifier(smoothing=SMOOTHING, families={"visits": "poisson"})
    return frame, labels, model.fit(frame, labels)


def test_bars_of_counts_are_poisson_probabilities(counts):
    frame, labels, model = counts
    ax = plots.densities(model, frame, labels, features="visits")
    for bars, mean in zip(ax.containers, model.means_[:, 0], strict=True):
        close([bar.get_height() for bar in bars], poisson.pmf(np.arange(len(bars)), mean))
    ax = plots.posterior(model, features=["visits"])
    x = np.arange(30)
    log_joint = np.log(model.priors_) + poisson.logpmf(x[:, None], model.means_[:, 0])
    changes = np.flatnonzero(np.diff(log_joint.argmax(axis=1)))
    lines = [line.get_xdata()[0] for line in ax.lines if line.get_gid() == "boundary"]
    assert lines == (changes + 0.5).tolist()


def test_regions_of_counts(counts):
    frame, labels, model = counts
    for pair in (["visits", "age"], ["wind", "visits"]):
        ax = plots.regions(model, frame, labels, features=pair)
        places, codes = grid_of(ax)
        rows = pd.DataFrame(places, columns=pair)
        if "wind" in pair:
            rows["wind"] = np.array(["high", "low"])[rows["wind"].astype(int)]
        predicted = model.marginal(pair).predict(rows)
        assert [CLASSES[int(code)] for code in codes] == predicted.tolist()
    with pytest.raises(DataError, match="Gaussian features, got 'visits' .poisson. and 'age'"):
        plots.ellipses(model, features=["visits", "age"])
