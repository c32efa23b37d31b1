"""Draw the figures that README shows: run it and look at docs/figures."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt

from gaussbayes import Columns, GaussianClassifier, plots
from gaussbayes.datasets import load_iris

FOLDER = Path(__file__).parent / "figures"


def flowers() -> tuple[GaussianClassifier, Any, Any]:
    """A model of the irises with the names of its features, and the irises."""
    iris = load_iris()
    model = GaussianClassifier(columns=Columns(names=iris.feature_names))
    return model.fit(iris.rows, iris.labels), iris.rows, iris.labels


def regions() -> None:
    """Regions in the plane of the petals, and the zone that is better left undecided."""
    model, X, y = flowers()
    petals = ["petal length (cm)", "petal width (cm)"]
    ax = plots.regions(model, X, y, features=petals, reject_below=0.9)
    ax.figure.set_size_inches(7.6, 4.2)


FIGURES: dict[str, Callable[[], None]] = {
    "regions.png": regions,
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
