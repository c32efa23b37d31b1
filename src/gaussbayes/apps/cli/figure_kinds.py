"""The kinds of figures that ``gaussbayes plot`` draws, what they need, and what there is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

from gaussbayes.apps.cli.memory_rows import MemoryRows

if TYPE_CHECKING:
    from gaussbayes.analysis.comparison import Comparison
    from gaussbayes.analysis.evaluation import Evaluation
    from gaussbayes.model.model import Model

Needs = Literal["a model", "a model and rows", "rows"]

POINTS, COUNTS, COMPARED = 2_000, 200_000, 20_000
"""How many rows a figure shows as points, groups and counts, or compares models on."""


def _no_comparison() -> "Comparison":
    raise AssertionError


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """What there is to draw: a model, rows, or both, and what is asked of them."""

    model: "Model | None" = None
    rows: MemoryRows | None = None
    compare: "Callable[[], Comparison]" = _no_comparison
    features: tuple[str, ...] | None = None  # to be shown
    reject: float | None = None
    evaluation: "Evaluation | None" = None  # of all rows, where they were not kept

    @property
    def chosen(self) -> dict[str, Any]:
        """The features to show; of a model whose features have no names, by their numbers."""
        named = self.model is None or self.model.schema.features is not None
        if self.features is None or named:
            return {"features": self.features}
        numbers = [int(name) if name.isdigit() else name for name in self.features]
        return {"features": numbers}

    @property
    def feature(self) -> dict[str, Any]:
        """The only feature, for figures along one."""
        features = self.chosen["features"]
        if features is None:
            return {}
        if len(features) != 1:
            msg = f"this figure is drawn along one feature, got --features {','.join(features)}"
            raise click.UsageError(msg)
        return {"feature": features[0]}

    @property
    def points(self) -> tuple[Any, ...]:
        """The rows and their labels, if there are any."""
        return () if self.rows is None else (self.rows.features, self.rows.labels)

    def evaluated(self) -> "Evaluation":
        """The model's predictions against the classes of the rows."""
        if self.evaluation is not None:
            return self.evaluation
        from gaussbayes.analysis.evaluation import evaluate
        from gaussbayes.data.labels import codes_among

        assert self.model is not None
        assert self.rows is not None
        table = self.rows.table
        targets = codes_among(self.model.classes, table.targets, table.classes)
        log_posterior = self.model.log_posterior(table.rows.with_categories(self.model.categories))
        return evaluate(log_posterior, targets.codes, self.model.classes)


@dataclass(frozen=True, slots=True)
class FigureKind:
    """A figure by the name of its kind."""

    what: str
    needs: Needs
    draw: Callable[[Any, Scene], object]  # gaussbayes.plots and what there is
    most_rows: int = POINTS
    takes_features: bool = True
    counts_all: bool = False  # it needs an evaluation of all rows rather than the rows
    judges: bool = False  # it says how good the model is


KINDS: Mapping[str, FigureKind] = {
    "regions": FigureKind(
        "which class is the most probable where",
        "a model",
        lambda p, s: p.regions(s.model, *s.points, **s.chosen, reject=s.reject),
    ),
    "ellipses": FigureKind(
        "each class's Gaussian at 1, 2 and 3 standard deviations",
        "a model",
        lambda p, s: p.ellipses(s.model, **s.chosen),
    ),
    "evidence": FigureKind(
        "the density of all rows, p(x), as a map",
        "a model",
        lambda p, s: p.evidence(s.model, *s.points, **s.chosen),
    ),
    "evidence3d": FigureKind(
        "the density of all rows as a surface",
        "a model",
        lambda p, s: p.evidence_surface(s.model, **s.chosen),
    ),
    "posteriors": FigureKind(
        "how probable each class is, p(c | x), over two features",
        "a model",
        lambda p, s: p.posteriors(s.model, **s.chosen),
    ),
    "joints": FigureKind(
        "the density of rows and class, p(x, c), over two features",
        "a model",
        lambda p, s: p.joints(s.model, **s.chosen),
    ),
    "univariate": FigureKind(
        "Bayes' rule along one feature: likelihood, joint, posterior",
        "a model",
        lambda p, s: p.univariate(s.model, *s.points, **s.feature),
    ),
    "densities": FigureKind(
        "how the classes are distributed over one feature",
        "a model",
        lambda p, s: p.densities(s.model, *s.points, **s.feature),
    ),
    "curves": FigureKind(
        "how probable each class is along one feature",
        "a model",
        lambda p, s: p.posterior_curve(s.model, **s.feature),
    ),
    "generative": FigureKind(
        "densities beside posteriors along one feature",
        "a model",
        lambda p, s: p.generative_and_discriminative(s.model, *s.points, **s.feature),
    ),
    "pairs": FigureKind(
        "all pairs of features, with the error of each",
        "a model and rows",
        lambda p, s: p.pairs(s.model, *s.points, **s.chosen),
        COMPARED,
        judges=True,
    ),
    "predictions": FigureKind(
        "rows by the class predicted for them, errors ringed",
        "a model and rows",
        lambda p, s: p.predictions(s.model, *s.points, **s.chosen),
        judges=True,
    ),
    "confusion": FigureKind(
        "true classes against predicted ones",
        "a model and rows",
        lambda p, s: p.confusion_matrix(s.evaluated()),
        COUNTS,
        takes_features=False,
        counts_all=True,
        judges=True,
    ),
    "calibration": FigureKind(
        "how often classes came true against how probable they were called",
        "a model and rows",
        lambda p, s: p.calibration(s.model, *s.points),
        COUNTS,
        takes_features=False,
        judges=True,
    ),
    "sureness": FigureKind(
        "how sure the model was of right and of wrong predictions",
        "a model and rows",
        lambda p, s: p.posterior_histogram(s.model, *s.points),
        COUNTS,
        takes_features=False,
        judges=True,
    ),
    "dataset": FigureKind(
        "the rows alone, over one or two features",
        "rows",
        lambda p, s: p.dataset(*s.points, **s.chosen),
    ),
    "shapes": FigureKind(
        "spherical, diagonal and full covariances side by side",
        "rows",
        lambda p, s: p.shapes(*s.points, **s.chosen),
    ),
    "sharing": FigureKind(
        "a covariance for each class beside one shared by all",
        "rows",
        lambda p, s: p.sharing(*s.points, **s.chosen),
    ),
    "comparison": FigureKind(
        "errors and times of the six models and of nearest neighbours",
        "rows",
        lambda p, s: p.comparison(s.compare()),
        COMPARED,
        takes_features=False,
    ),
    "neighbors": FigureKind(
        "the error of nearest neighbours against their number",
        "rows",
        lambda p, s: p.neighbors_error(s.compare()),
        COMPARED,
        takes_features=False,
    ),
}
