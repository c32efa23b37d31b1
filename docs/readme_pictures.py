"""Draw the pictures that README shows: run it and look at docs/pictures."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt

from gaussbayes import GaussianClassifier, plots
from gaussbayes.datasets import load_iris
from gaussbayes.lessons import optimal_regions

FOLDER = Path(__file__).parent / "pictures"


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


def pairs() -> None:
    """All pairs of features, with the error of each."""
    plots.pairs(*flowers())


def evidence() -> None:
    """How probable any point is, whatever its class."""
    plots.evidence_surface(optimal_regions.model().with_feature_names(["x1", "x2"]))


PICTURES: dict[str, Callable[[], None]] = {
    "regions.png": regions,
    "pairs.png": pairs,
    "evidence.png": evidence,
}


def draw(folder: Path) -> None:
    """Draw every picture into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in PICTURES.items():
        make()
        plt.gcf().savefig(folder / name, dpi=110)
        plt.close("all")


if __name__ == "__main__":
    draw(FOLDER)
