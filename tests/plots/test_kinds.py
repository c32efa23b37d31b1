"""Features of every kind in figures: many categories, impossible ones, counts large and rare."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from gaussbayes import GaussianClassifier, plots
from tests.plots.layout import assert_readable, legend_texts, texts_of

LONG = "a category whose name goes on and on, far beyond what fits below a bar, $ äöü"


def table(categories: list[str], n: int = 80, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """A number and a category, and two classes that differ in both."""
    generator = np.random.default_rng(seed)
    y = np.arange(n) % 2
    m = len(categories)
    codes = (generator.integers(0, m, n) + y * generator.integers(0, 2, n)) % m
    kind = pd.Categorical(np.array(categories, dtype=object)[codes], categories)
    return pd.DataFrame({"size": generator.normal(y, 1.0), "kind": kind}), y


def draw_all(model: GaussianClassifier, X: pd.DataFrame, y: np.ndarray) -> None:
    """Figures in which the category stands along either axis, each of them readable."""
    for draw in (
        lambda: plots.univariate(model, X, y, feature="kind"),
        lambda: plots.regions(model, X, y, features=["kind"], reject=0.7),
        lambda: plots.regions(model, X, y, features=["kind", "size"], resolution=40),
        lambda: plots.regions(model, X, y, features=["size", "kind"], reject=0.7, resolution=40),
        lambda: plots.evidence(model, X, y, features=["size", "kind"], resolution=40),
        lambda: plots.posteriors(model, features=["kind", "size"]),
        lambda: plots.pairs(model, X, y),
        lambda: plots.dataset(X, y),
        lambda: plots.predictions(model, X, y),
    ):
        draw()
        assert_readable(plt.gcf())
        plt.close("all")


@pytest.mark.parametrize(
    ("n_categories", "long"), [(1, True), (2, False), (9, True), (24, False), (24, True)]
)
def test_names_of_categories_can_be_read(n_categories: int, long: bool) -> None:
    names = [f"{code:02}{' ' + LONG if long else ''}" for code in range(n_categories)]
    X, y = table(names)
    draw_all(GaussianClassifier(smoothing=1).fit(X, y), X, y)


def test_of_many_categories_the_most_frequent_are_shown() -> None:
    X, y = table([f"town {code:03}" for code in range(200)], n=2000)
    X.loc[:400, "kind"] = "town 123"
    model = GaussianClassifier(smoothing=0.5).fit(X, y)
    axes = plots.univariate(model, X, y, feature="kind")
    assert axes[-1].get_xlabel() == "kind (the 24 most frequent of 200)"
    written = [label.get_text() for label in axes[-1].get_xticklabels()]
    probability = model.priors_ @ model.category_probabilities_["kind"]
    most = np.sort(np.argsort(-probability, kind="stable")[:24])
    shown = np.array(model.categories_["kind"])[most].tolist()
    assert set(written) <= set(shown)
    assert "town 123" in shown
    hidden = int((~X["kind"].isin(shown)).sum())
    (legend,) = axes[0].figure.legends
    assert f"{hidden:,} rows not drawn" in " ".join(text.get_text() for text in legend.get_texts())
    draw_all(model, X[::5], y[::5])


def test_categories_that_never_occur_together_stay_white() -> None:
    # 'a' and 'x' are certain in class 0, 'b' and 'y' in class 1: no class has 'a' with 'y'.
    X = pd.DataFrame({"left": pd.Categorical(list("aabb")), "right": pd.Categorical(list("xxyy"))})
    model = GaussianClassifier().fit(X, [0, 0, 1, 1])
    ax = plots.regions(model, X, [0, 0, 1, 1], reject=0.6)
    (image,) = ax.images
    codes = np.ma.asarray(image.get_array())
    assert codes.mask.tolist() == [[False, True], [True, False]]
    assert (codes[0, 0], codes[1, 1]) == (0, 1)
    for panel in plots.posteriors(model).flat:
        assert np.isnan(np.ma.filled(panel.images[0].get_array(), np.nan)).sum() == 2
    plots.pairs(model, X, [0, 0, 1, 1])
    assert_readable(plt.gcf())


def test_categories_that_the_model_does_not_know_are_not_drawn() -> None:
    X, y = table(["a", "b", "c"])
    model = GaussianClassifier(smoothing=1).fit(X, y)
    new = X.assign(kind=pd.Categorical(["d", "e", *X["kind"][2:]]))
    ax = plots.regions(model, new, y, features=["size", "kind"], resolution=30)
    assert any("2 rows not drawn" in text for text in legend_texts(ax))


@pytest.mark.parametrize("rate", [0.02, 3.0, 400.0, 1e6])
def test_counts_of_any_size(rate: float) -> None:
    generator = np.random.default_rng(1)
    y = np.arange(120) % 2
    visits = generator.poisson(rate * (1 + 0.1 * y)).astype(float)
    X = pd.DataFrame({"visits": visits, "age": generator.normal(y)})
    model = GaussianClassifier(families={"visits": "poisson"}, smoothing=0.5).fit(X, y)
    for draw in (
        lambda: plots.univariate(model, X, y, feature="visits"),
        lambda: plots.regions(model, X, y, resolution=60),
        lambda: plots.regions(model, X, y, features=["visits"], reject=0.6),
        lambda: plots.pairs(model, X, y),
        lambda: plots.posterior(model, 1, resolution=60),
    ):
        draw()
        assert_readable(plt.gcf())
        plt.close("all")


def test_a_rate_of_zero_makes_every_other_count_impossible() -> None:
    X = pd.DataFrame({"visits": [0.0, 0.0, 0.0, 2.0, 3.0, 0.0]})
    y = ["never"] * 3 + ["some"] * 3
    model = GaussianClassifier(families={"visits": "poisson"}).fit(X, y)
    ax = plots.posterior(model)
    (lines,) = [lines for lines in ax.collections if lines.get_label() == "decision boundary"]
    assert [path.vertices[0, 0] for path in lines.get_paths()] == [0.5]
    nothing = X * 0.0
    model = GaussianClassifier(families={"visits": "poisson"}).fit(nothing, y)
    plots.univariate(model, nothing, y)
    plots.regions(model, nothing, y)
    assert_readable(plt.gcf())


def test_without_a_choice_the_numbers_are_shown() -> None:
    X, y = table(["a", "b"])
    X["weight"] = X["size"] * 2 + np.arange(len(X)) % 3
    model = GaussianClassifier(smoothing=1).fit(X, y)
    assert plots.regions(model, resolution=20).get_xlabel() == "size"
    assert plots.regions(model, resolution=20).get_ylabel() == "weight"
    alone = GaussianClassifier(smoothing=1).fit(X[["kind"]], y)
    assert "kind" in texts_of(plots.densities(alone).figure)
    with pytest.raises(ValueError, match="shows one feature, but there are .*: choose one"):
        plots.densities(model)


def test_missing_numbers_of_a_model_are_integrated_out_of_every_figure() -> None:
    X, y = table(["a", "b"], n=200)
    X.loc[::3, "size"] = np.nan
    labels = y.astype(object)
    labels[::5] = None
    model = GaussianClassifier(smoothing=1, unlabelled=-1).fit(X, np.where(labels == 0, 0, 1))
    marked = np.where(np.equal(labels, None), -1, y)
    ax = plots.confusion(model, X, marked)
    assert ax.get_title().endswith("(without 40 unlabelled)")


def test_records_of_models_and_tables_of_arrow_do_as_well() -> None:
    X, y = table(["a", "b", "c"])
    model = GaussianClassifier(smoothing=1).fit(X, y)
    arrow = pa.Table.from_pandas(X)
    for draw in (plots.regions, plots.pairs, plots.confusion, plots.evidence, plots.predictions):
        draw(model.model_, arrow, y)
        draw(model.model_, model.model_.rows(arrow), y)
        plt.close("all")
    ax = plots.dataset(arrow, y)
    assert sum(len(points.get_offsets()) for points in ax.collections) == len(y)
    plots.shapes(arrow, y)
    plots.densities(model.model_, arrow, y, feature="kind")
    assert_readable(plt.gcf())
