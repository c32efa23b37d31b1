"""The kinds of pictures that ``gaussbayes plot`` draws, and what each of them needs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

if TYPE_CHECKING:
    from gaussbayes.analysis.comparison import Comparison
    from gaussbayes.analysis.evaluation import Evaluation
    from gaussbayes.classifier import GaussianClassifier

Needs = Literal["a model", "a model and rows", "rows"]

POINTS, COUNTS, COMPARED = 2_000, 200_000, 20_000
"""How many rows a picture shows as points, groups and counts, or compares models on."""


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What there is to draw."""

    model: "GaussianClassifier | None"
    rows: tuple[Any, Any] | None  # a frame of features, and labels
    evaluated: "Callable[[], Evaluation]"
    compared: "Callable[[], Comparison]"
    features: tuple[str, ...] | None
    reject: float | None

    @property
    def chosen(self) -> dict[str, Any]:
        """The features to show; of a model whose features have no names, by their numbers."""
        if self.features is None or hasattr(self.model, "feature_names_in_"):
            return {"features": self.features}
        numbers = [int(name) if name.isdigit() else name for name in self.features]
        return {"features": numbers}

    @property
    def feature(self) -> dict[str, Any]:
        """The only feature, for pictures along one."""
        features = self.chosen["features"]
        if features is None:
            return {}
        if len(features) != 1:
            msg = f"this picture is drawn along one feature, got --features {','.join(features)}"
            raise click.UsageError(msg)
        return {"feature": features[0]}

    @property
    def points(self) -> tuple[Any, ...]:
        """The rows, if there are any."""
        return self.rows or ()


@dataclass(frozen=True, slots=True)
class Kind:
    """A picture by the name of its kind."""

    what: str
    needs: Needs
    draw: Callable[[Any, Given], object]  # gaussbayes.plots and what is given
    most_rows: int = POINTS
    takes_features: bool = True
    counts_all: bool = False  # it needs an evaluation of all rows rather than the rows
    judges: bool = False  # it says how good the model is


KINDS: Mapping[str, Kind] = {
    "regions": Kind(
        "which class is the most probable where",
        "a model",
        lambda p, g: p.regions(g.model, *g.points, **g.chosen, reject=g.reject),
    ),
    "ellipses": Kind(
        "each class's Gaussian at 1, 2 and 3 standard deviations",
        "a model",
        lambda p, g: p.ellipses(g.model, **g.chosen),
    ),
    "evidence": Kind(
        "the density of all rows, p(x), as a map",
        "a model",
        lambda p, g: p.evidence(g.model, *g.points, **g.chosen),
    ),
    "evidence3d": Kind(
        "the density of all rows as a surface",
        "a model",
        lambda p, g: p.evidence_surface(g.model, **g.chosen),
    ),
    "posteriors": Kind(
        "how probable each class is, p(c | x), over two features",
        "a model",
        lambda p, g: p.posteriors(g.model, **g.chosen),
    ),
    "joints": Kind(
        "the density of rows and class, p(x, c), over two features",
        "a model",
        lambda p, g: p.joints(g.model, **g.chosen),
    ),
    "univariate": Kind(
        "Bayes' rule along one feature: likelihood, joint, posterior",
        "a model",
        lambda p, g: p.univariate(g.model, *g.points, **g.feature),
    ),
    "densities": Kind(
        "how the classes are distributed over one feature",
        "a model",
        lambda p, g: p.densities(g.model, *g.points, **g.feature),
    ),
    "curves": Kind(
        "how probable each class is along one feature",
        "a model",
        lambda p, g: p.posterior_curve(g.model, **g.feature),
    ),
    "generative": Kind(
        "densities beside posteriors along one feature",
        "a model",
        lambda p, g: p.generative_and_discriminative(g.model, *g.points, **g.feature),
    ),
    "pairs": Kind(
        "all pairs of features, with the error of each",
        "a model and rows",
        lambda p, g: p.pairs(g.model, *g.points, **g.chosen),
        COMPARED,
        judges=True,
    ),
    "predictions": Kind(
        "rows by the class predicted for them, errors ringed",
        "a model and rows",
        lambda p, g: p.predictions(g.model, *g.points, **g.chosen),
        judges=True,
    ),
    "confusion": Kind(
        "true classes against predicted ones",
        "a model and rows",
        lambda p, g: p.confusion_matrix(g.evaluated()),
        COUNTS,
        takes_features=False,
        counts_all=True,
        judges=True,
    ),
    "calibration": Kind(
        "how often classes came true against how probable they were called",
        "a model and rows",
        lambda p, g: p.calibration(g.model, *g.points),
        COUNTS,
        takes_features=False,
        judges=True,
    ),
    "sureness": Kind(
        "how sure the model was of right and of wrong predictions",
        "a model and rows",
        lambda p, g: p.posterior_histogram(g.model, *g.points),
        COUNTS,
        takes_features=False,
        judges=True,
    ),
    "dataset": Kind(
        "the rows alone, over one or two features",
        "rows",
        lambda p, g: p.dataset(*g.points, **g.chosen),
    ),
    "shapes": Kind(
        "spherical, diagonal and full covariances side by side",
        "rows",
        lambda p, g: p.shapes(*g.points, **g.chosen),
    ),
    "sharing": Kind(
        "a covariance for each class beside one shared by all",
        "rows",
        lambda p, g: p.sharing(*g.points, **g.chosen),
    ),
    "comparison": Kind(
        "errors and times of the six models and of nearest neighbours",
        "rows",
        lambda p, g: p.comparison(g.compared()),
        COMPARED,
        takes_features=False,
    ),
    "neighbors": Kind(
        "the error of nearest neighbours against their number",
        "rows",
        lambda p, g: p.neighbors_error(g.compared()),
        COMPARED,
        takes_features=False,
    ),
}
