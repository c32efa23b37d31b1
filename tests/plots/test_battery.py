"""Every plot with every kind of input: what is drawn can be read, what cannot be drawn is refused.

A new plot is a line in `PLOTS`; a new kind of input is a test that is run for all of them.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import RidgeClassifier

from gaussbayes import (
    AutoClassifier,
    Columns,
    DataError,
    GaussianClassifier,
    OptionError,
    compare,
    plots,
    read,
)
from tests.plots.conftest import Case
from tests.plots.layout import assert_readable, texts_of

Draw = Callable[..., Any]


class Plot(NamedTuple):
    """How a plot is called with a model, rows and labels, and what it can show."""

    draw: Draw
    n_features: tuple[int, ...] = ()  # that it shows; none if it shows no axes of features
    needs: str = "densities"  # or "predict_proba", "predict"; "" if it takes no model
    rows: bool = True  # whether it takes rows

    @property
    def narrow(self) -> bool:
        """Whether it shows one feature only."""
        return self.n_features == (1,)


def without_rows(draw: Draw, **options: Any) -> Draw:
    return lambda model, _X=None, _y=None, **more: draw(model, **options, **more)


PLOTS = {
    "dataset": Plot(lambda _m, X, y, **more: plots.dataset(X, y, **more), (1, 2), ""),
    "regions": Plot(plots.regions, (2,), "predict"),
    "rejected": Plot(
        lambda *given, **more: plots.regions(*given, reject_below=0.8, **more),
        (2,),
        "predict_proba",
    ),
    "predictions": Plot(plots.predictions, (2,), "predict"),
    "ellipses": Plot(without_rows(plots.ellipses), (2,), rows=False),
    "densities": Plot(plots.densities, (1,)),
    "posterior": Plot(plots.posterior, (1, 2), "predict_proba"),
    "posterior of a class": Plot(
        lambda model, *rows, **more: plots.posterior(
            model, *rows, label=getattr(model, "classes_", [0])[0], **more
        ),
        (1, 2),
        "predict_proba",
    ),
    "joint": Plot(plots.joint, (1, 2)),
    "evidence": Plot(plots.evidence, (1, 2)),
    "surface": Plot(without_rows(plots.evidence, surface=True), (2,), rows=False),
    "scatter_matrix": Plot(plots.scatter_matrix),
    "confusion": Plot(plots.confusion, (), "predict"),
    "calibration": Plot(plots.calibration, (), "predict_proba"),
    "roc": Plot(plots.roc, (), "predict_proba"),
    "precision_recall": Plot(
        lambda *given, **more: plots.roc(*given, precision_recall=True, **more), (), "predict_proba"
    ),
    "qq": Plot(plots.qq),
}
OF_ROWS = {name: plot for name, plot in PLOTS.items() if plot.rows}
OF_A_MODEL = {name: plot for name, plot in PLOTS.items() if plot.needs}
OF_A_MODEL_AND_ROWS = {name: plot for name, plot in OF_ROWS.items() if plot.needs}
POINTS = {name: plot for name, plot in OF_ROWS.items() if plot.n_features}


def each(chosen: dict[str, Plot]) -> Any:
    return pytest.mark.parametrize("plot", chosen.values(), ids=chosen)


def fitting(plot: Plot, case: Case) -> Case:
    """A model with as many features as the plot shows, and its rows."""
    if not plot.narrow:
        return case
    X = case.X.iloc[:, :1] if hasattr(case.X, "iloc") else case.X[:, :1]
    return Case(GaussianClassifier().fit(X, case.y), X, case.y)


def drawn(plot: Plot, case: Case) -> Any:
    """The figure of a plot of a case; everything in it can be read."""
    axes = np.asarray(plot.draw(case.model, case.X, case.y), dtype=object)
    figure = axes.flat[0].get_figure(root=True)
    assert_readable(figure)
    return figure


# What is drawn.


def test_every_plot_is_here() -> None:
    names = {name for name in plots.__all__ if any(name in known for known in PLOTS)}
    assert {*plots.__all__} - names == {"comparison", "explanation", "importance"}
    with pytest.raises(AttributeError, match="'gaussbayes.plots' has no attribute 'pairs'"):
        plots.pairs  # type: ignore[attr-defined] # noqa: B018


@each({name: plot for name, plot in PLOTS.items() if name != "scatter_matrix"})
def test_settings_of_the_user_stay_and_given_axes_are_used(plot: Plot, two_classes: Case) -> None:
    case, before = fitting(plot, two_classes), dict(mpl.rcParams)
    figure = plt.figure(figsize=(12, 6), layout="constrained")
    projection = "3d" if plot is PLOTS["surface"] else None
    ax = figure.add_subplot(1, 2, 1, projection=projection)
    axes = plot.draw(case.model, case.X, case.y, ax=ax)
    assert plt.get_fignums() == [figure.number]
    assert dict(mpl.rcParams) == before
    assert axes is ax
    assert_readable(figure)


@each({name: plot for name, plot in PLOTS.items() if plot.n_features or name == "qq"})
def test_legends_can_be_left_out(plot: Plot, two_classes: Case) -> None:
    case = fitting(plot, two_classes)
    assert plot.draw(case.model, case.X, case.y, legend=False).get_legend() is None


@each(OF_ROWS)
def test_frames_and_files_with_the_name_of_the_target(
    plot: Plot, iris: Case, tmp_path: Any
) -> None:
    pair = ["petal length (cm)", "petal width (cm)"][: 1 if plot.narrow else 2]
    frame = iris.X[pair].assign(species=iris.y)
    frame.to_csv(tmp_path / "iris.csv", index=False)
    model = GaussianClassifier().fit(frame, "species")
    expected, *texts = (
        texts_of(np.asarray(plot.draw(model, *rows), dtype=object).flat[0].get_figure(root=True))
        for rows in (
            (iris.X[pair], iris.y),
            (frame, "species"),
            (pl.from_pandas(frame), "species"),
            (read(tmp_path / "iris.csv"), "species"),
        )
    )
    assert texts == [expected] * 3


@each(PLOTS)
def test_long_names_and_twenty_classes_can_be_read(plot: Plot) -> None:
    names = [f"_Größe $ äöü Кириллица {'long ' * 12}{j}" for j in range(2)]
    for k, words in ((4, "a class, $5 or $6, _x Ελληνικά " * 6), (20, "class ")):
        generator = np.random.default_rng(4)
        y = np.repeat([f"{words}{code:02}" for code in range(k)], 15)
        means = generator.uniform(0, 10, (k, 1, 2))
        X = (means + generator.normal(size=(k, 15, 2))).reshape(-1, 2)
        frame = pd.DataFrame(X, columns=names if k == 4 else ["first", "second"])
        drawn(plot, fitting(plot, Case(GaussianClassifier().fit(frame, y), frame, y)))
        plt.close("all")


@each({name: plot for name, plot in OF_ROWS.items() if name != "qq"})
def test_categories_counts_and_dates(plot: Plot) -> None:
    generator = np.random.default_rng(0)
    y = np.arange(120) % 2
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(generator.normal(60 + 40 * y, 20), "D")
    frame = pd.DataFrame(
        {
            "colour": np.array(["red", "green", "blue"])[(y + generator.integers(0, 2, 120)) % 3],
            "day": days.floor("D"),
            "visits": generator.poisson(2 + 3 * y),
        }
    )
    frame.loc[::9, "colour"] = None
    model = AutoClassifier(families={"visits": "poisson"}).fit(frame, y)
    shown: list[Any] = [["colour", "day"], ["day", "visits"], ["visits", "colour"]]
    if plot.narrow:
        shown = ["colour", "day", "visits"]
    for features in shown if plot.n_features else [None]:
        options = {} if features is None else {"features": features}
        figure = np.asarray(plot.draw(model, frame, y, **options), dtype=object).flat[0].figure
        assert_readable(figure.get_figure(root=True))
        words = " ".join(texts_of(figure.get_figure(root=True)))
        if features is not None:
            assert ("2024-" in words) == ("day" in features)
            assert ("green" in words) == ("colour" in features)
        plt.close("all")


@each(OF_ROWS)
def test_missing_values_and_labels_are_counted(plot: Plot, two_classes: Case) -> None:
    case = fitting(plot, two_classes)
    X, y = case.X.copy(), case.y.astype(object)
    X[7, 0] = np.nan
    y[[3, 11, 60]] = None
    said = " ".join(" ".join(texts_of(drawn(plot, Case(case.model, X, y)))).split())
    if plot.n_features or plot is PLOTS["scatter_matrix"]:
        assert "unlabelled" in said
        assert "1 row" in said
    elif plot is not PLOTS["qq"]:
        assert "without 3 unlabelled" in said


@each(OF_A_MODEL_AND_ROWS)
def test_few_rows_one_class_and_constant_features(plot: Plot, two_classes: Case) -> None:
    case = fitting(plot, two_classes)
    X = case.X.copy()
    X[:, 0] = 5.5
    drawn(plot, Case(case.model, X, case.y))
    if plot not in (PLOTS["roc"], PLOTS["precision_recall"]):
        only = case.y == "virginica"
        drawn(plot, Case(case.model, case.X[only], case.y[only]))
        drawn(plot, Case(case.model, case.X[:1], case.y[:1]))
    else:
        with pytest.raises(DataError, match="needs rows of two classes"):
            plots.roc(case.model, case.X[:1], case.y[:1])


@each({"dataset": PLOTS["dataset"], "posterior": PLOTS["posterior"], "joint": PLOTS["joint"]})
def test_one_feature(plot: Plot, one_feature: Case) -> None:
    figure = drawn(plot, one_feature)
    assert figure.axes[0].get_xlabel() == "petal length (cm)"


def test_figures_on_the_same_axes_add_up(iris: Case) -> None:
    pair = ["petal length (cm)", "petal width (cm)"]
    steps = [
        lambda ax: plots.regions(iris.model, iris.X, iris.y, features=pair, ax=ax),
        lambda ax: plots.ellipses(iris.model, features=pair, ax=ax),
        lambda ax: plots.dataset(iris.X, iris.y, features=pair, ax=ax),
    ]
    for order in (1, -1):
        ax = plt.figure(layout="constrained").add_subplot()
        for step in steps[::order]:
            step(ax)
        words = [text.get_text() for text in ax.get_legend().get_texts()]
        assert len(words) == len(set(words))
        assert {"setosa", "error", "mean", "decision boundary", "3σ (98.9 %)"} <= set(words)
        lines = [line.get_xydata() for line in ax.lines if line.get_gid() == "ellipse"]
        around = np.concatenate([*lines, iris.X[pair].to_numpy()])
        (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
        assert (around >= (left, bottom)).all()
        assert (around <= (right, top)).all()
        image = ax.images[0].get_extent()  # no part of the axes is left white
        assert image[0] <= left < right <= image[1]
        assert image[2] <= bottom < top <= image[3]
        assert_readable(ax.figure)


def test_results_can_be_read() -> None:
    generator = np.random.default_rng(1)
    names = [f"a name that goes on and on, {'long ' * 8}{j}" for j in range(25)]
    y = np.repeat([f"class {'long ' * 8}{code}" for code in range(3)], 30)
    X = pd.DataFrame(
        generator.normal(size=(90, 25)) + np.repeat([0, 1, 2], 30)[:, None], None, names
    )
    model = GaussianClassifier("diagonal").fit(X, y)
    compared = compare(X, y, models={"naive Bayes": model}, neighbors=[1, 7, 40], cv=3)
    for ax in (
        plots.explanation(model.explain(X.iloc[[4]])),
        plots.importance(model.importance(X, y)),
        plots.comparison(compared),
        plots.comparison(compared, metric="error"),
        plots.confusion(model.evaluate(X, y, cv=3)),
        plots.calibration(model.leave_one_out(X, y)),
        plots.roc(model.evaluate(X, y)),
    ):
        assert_readable(ax.figure)


def test_a_classifier_of_another_library_without_probabilities(two_classes: Case) -> None:
    other = RidgeClassifier().fit(two_classes.X, two_classes.y)
    for plot in PLOTS.values():
        if plot.needs == "predict":
            drawn(plot, Case(other, two_classes.X, two_classes.y))
        elif plot.needs == "predict_proba":
            with pytest.raises(OptionError, match="RidgeClassifier has no predict_proba"):
                plot.draw(other, two_classes.X, two_classes.y)


# What cannot be drawn.


@each(OF_A_MODEL)
def test_models_that_cannot_be_drawn(plot: Plot, two_classes: Case) -> None:
    X, y = two_classes.X, two_classes.y
    other = QuadraticDiscriminantAnalysis().fit(X, y)
    if plot.needs == "densities":
        with pytest.raises(OptionError, match="densities, which Quadratic.* not"):
            plot.draw(other, X, y)
    else:
        drawn(plot, Case(other, X, y))
        plt.close("all")
    with pytest.raises(TypeError, match="a fitted classifier is needed here; str has no predict"):
        plot.draw("model", X, y)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        plot.draw(GaussianClassifier(), X, y)
    assert not plt.get_fignums()  # no empty figure is left behind


@each({name: plot for name, plot in PLOTS.items() if plot.n_features})
def test_features_that_are_shown(plot: Plot, iris: Case) -> None:
    words = {(1,): "one feature", (2,): "two features", (1, 2): "one or two features"}
    count = words[plot.n_features]
    if plot.needs:  # the most informative features
        ax = plot.draw(iris.model, iris.X, iris.y)
        assert ax.get_xlabel() == "petal length (cm)"
        assert plot.narrow or ax.get_ylabel() == "petal width (cm)"
    else:
        with pytest.raises(DataError, match=f"{count}, but .*choose"):
            plot.draw(iris.model, iris.X, iris.y)
    for features in (["petal length (cm)", "petals"], [0, 9], [1, 1], "petals"):
        with pytest.raises(DataError, match="there is no (feature|column)|must be different"):
            plot.draw(iris.model, iris.X, iris.y, features=features)
    for n_features in {1, 2, 3} - {*plot.n_features}:
        with pytest.raises(DataError, match=f"shows {count}, but got"):
            plot.draw(iris.model, iris.X, iris.y, features=range(n_features))


@each(OF_ROWS)
def test_rows_that_do_not_fit(plot: Plot, two_classes: Case) -> None:
    case = fitting(plot, two_classes)
    with pytest.raises(DataError, match="X has 100 rows, but y has 99"):
        plot.draw(case.model, case.X, case.y[:-1])
    with pytest.raises(ValueError, match="minimum of 1 is required|no rows"):
        plot.draw(case.model, case.X[:0], case.y[:0])
    with pytest.raises(DataError, match="'species' names a column, but X .* has no column names"):
        plot.draw(case.model, case.X, "species")
    if plot.needs:
        wide = np.column_stack([case.X, case.X[:, 0]])
        with pytest.raises(ValueError, match="X has (3|2) features, but (2|1) are expected"):
            plot.draw(case.model, wide, case.y)
        with pytest.raises(DataError, match="unknown labels: \\['rose'\\]; the classes are"):
            plot.draw(case.model, case.X, ["rose", *case.y[1:]])
    X = case.X.copy()
    X[7, 0] = np.inf
    with pytest.raises(DataError, match="(?s)infinity.*row 7|row 7.*infinity"):
        plot.draw(case.model, X, case.y)


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda m, _, y: plots.regions(m, None, y), "y was given without X: give the rows"),
        (lambda m, X, _: plots.evidence(m, X, surface=True), "shows no rows: omit X and y"),
        (lambda m, *_: plots.evidence(m, surface=True, ax=plt.gca()), "projection='3d', got"),
        (lambda m, *_: plots.ellipses(m, levels=[0, 1]), "one or more positive numbers"),
        (lambda m, *_: plots.ellipses(m, levels=[]), "one or more positive numbers"),
        (lambda m, *_: plots.posterior(m, label="rose"), "unknown labels: \\['rose'\\]"),
        (lambda m, *_: plots.confusion(m), "give X and y, or the result of evaluate"),
        (lambda m, X, y: plots.roc(m.evaluate(X, y), X, y), "has its rows: omit X and y"),
        (lambda m, X, y: plots.scatter_matrix(m, X, y, features=[0]), "at least two features"),
        (lambda m, X, y: plots.qq(m, X * np.nan, y), "labels and values, got none"),
    ],
)
def test_arguments_that_contradict(draw: Draw, message: str, two_classes: Case) -> None:
    with pytest.raises((DataError, OptionError), match=message):
        draw(two_classes.model, two_classes.X, two_classes.y)


def test_nine_features_need_a_choice() -> None:
    X, y = np.random.default_rng(0).normal(size=(60, 9)), np.arange(60) % 2
    model = GaussianClassifier().fit(X, y)
    with pytest.raises(DataError, match="the model has 9 features, which make 36 pairs: choose"):
        plots.scatter_matrix(model, X, y)
    assert plots.scatter_matrix(model, X, y, features=[8, 2]).shape == (2, 2)


def test_a_metric_that_does_not_exist(two_classes: Case) -> None:
    compared = compare(
        two_classes.X, two_classes.y, models={"QDA": two_classes.model}, neighbors=(), cv=3
    )
    with pytest.raises(OptionError, match="metric must be one of .*'log_loss'.* got 'loss'"):
        plots.comparison(compared, metric="loss")  # type: ignore[arg-type]


def test_arrays_with_names(iris: Case) -> None:
    names = ["a", "b"]
    model = GaussianClassifier(columns=Columns(names=names)).fit(iris.X.to_numpy()[:, :2], iris.y)
    ax = plots.regions(model, iris.X.to_numpy()[:, :2], iris.y, features=["b", "a"])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("b", "a")
