"""Draw the figures that README shows: run it and look at docs/figures."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

from gaussbayes import GaussianClassifier, plots
from gaussbayes.datasets import load_iris
from gaussbayes.plots import style
from gaussbayes.plots.style import styled

FOLDER = Path(__file__).parent / "figures"
FLOWER = 70
"""A versicolor that is nearly a virginica."""


def flowers() -> tuple[GaussianClassifier, Any, Any]:
    """A model of the irises that knows the names of its features, and the irises."""
    iris = load_iris()
    model = GaussianClassifier().fit(iris.rows, iris.labels)
    return model.with_feature_names(iris.feature_names), iris.rows, iris.labels


def regions() -> None:
    """Regions in the plane of the petals, and where the answer had better be left open."""
    model, X, y = flowers()
    petals = ["petal length (cm)", "petal width (cm)"]
    ax = plots.regions(model, X, y, features=petals, reject=0.9)
    ax.figure.set_size_inches(7.6, 4.2)


@styled
def explanation() -> None:
    """Why a flower is what it is, and how sure the answer is the less of it was measured."""
    model, X, _ = flowers()
    flower = X[[FLOWER]]
    names = model.feature_names_in_.tolist()
    figure = plt.figure(figsize=(11.0, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.3, 1.0))
    plots.explanation(model.explain(X[FLOWER]), ax=left)
    left.set_xlim(right=4.0)  # room for the numbers, in so small a panel
    left.set_title("what each feature adds", fontsize="medium")
    known = {
        "all four": names,
        "petal length missing": [name for name in names if name != "petal length (cm)"],
        "petals missing": names[:2],
        "all missing": [],
    }
    rows = np.vstack([np.where(np.isin(names, there), flower, np.nan) for there in known.values()])
    posterior = model.with_feature_names(None).predict_proba(rows)
    start = np.zeros(len(known))
    for look, proportion in zip(style.class_styles(model.classes_), posterior.T, strict=True):
        right.barh(list(known), proportion, left=start, color=look.color, label=look.label)
        start += proportion
    right.invert_yaxis()
    right.tick_params(axis="y", length=0)
    right.set(xlim=(0, 1), xlabel="posterior")
    right.set_title("the same flower, less of it measured", fontsize="medium")
    style.legend_beside(right)


FIGURES: dict[str, Callable[[], None]] = {
    "regions.png": regions,
    "explanation.png": explanation,
}


def draw(folder: Path) -> None:
    """Draw every figure into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in FIGURES.items():
        make()
        plt.gcf().savefig(folder / name, dpi=110)
        plt.close("all")


if __name__ == "__main__":
    draw(FOLDER)
