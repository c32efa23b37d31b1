"""The kinds of figures that ``gaussbayes plot`` draws, what they need, and what there is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

if TYPE_CHECKING:
    from gaussbayes.analysis.comparison import Comparison
    from gaussbayes.analysis.evaluation import Evaluation
    from gaussbayes.apps.cli.memory_rows import MemoryRows
    from gaussbayes.model.model import Model

POINTS, COUNTS, COMPARED = 2_000, 200_000, 20_000
"""How many rows a figure shows as points, groups and counts, or compares models on."""


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """What there is to draw: a model, rows, or both, and what is asked of them."""

    model: "Model | None" = None
    rows: "MemoryRows | None" = None
    features: tuple[str, ...] | None = None  # to be shown
    reject: float | None = None
    evaluation: "Evaluation | None" = None  # of all rows, where they were not kept
    compare: "Callable[[], Comparison] | None" = None

    @property
    def shown_features(self) -> dict[str, Any]:
        """The features to show; of a model whose features have no names, by their numbers."""
        named = self.model is None or self.model.schema.features is not None
        if self.features is None or named:
            return {"features": self.features}
        return {"features": [int(name) if name.isdigit() else name for name in self.features]}

    @property
    def only_feature(self) -> dict[str, Any]:
        """The only feature, for figures along one."""
        features = self.shown_features["features"]
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
        table, model = self.rows.table, self.model
        targets = codes_among(model.classes, table.targets, table.classes)
        rows = table.rows.with_categories(model.categories)
        return evaluate(model.log_posterior(rows), targets.codes, model.classes)


@dataclass(frozen=True, slots=True)
class FigureKind:
    """A figure by the name of its kind."""

    function: str  # in `gaussbayes.plots`
    needs: Literal["a model", "a model and rows", "rows"]
    subject: Literal["model", "model, rows", "rows", "evaluation", "comparison"]  # what it takes
    along: Literal["features", "feature", ""] = "features"  # what can be chosen to be shown
    most_rows: int = POINTS

    @property
    def judges(self) -> bool:
        """Whether it says how good the model is."""
        return self.needs == "a model and rows"

    def draw(self, plots: Any, scene: Scene) -> None:
        """Draw it with a function of `gaussbayes.plots`."""
        arguments: tuple[Any, ...]
        if self.subject == "evaluation":
            arguments = (scene.evaluated(),)
        elif self.subject == "comparison":
            assert scene.compare is not None
            arguments = (scene.compare(),)
        else:
            model = (scene.model,) if "model" in self.subject else ()
            arguments = (*model, *(scene.points if "rows" in self.subject else ()))
        chosen = {}
        if self.along:
            chosen = scene.only_feature if self.along == "feature" else scene.shown_features
        if scene.reject is not None:
            chosen["reject"] = scene.reject
        getattr(plots, self.function)(*arguments, **chosen)


KINDS = {
    "regions": FigureKind("regions", "a model", "model, rows"),
    "ellipses": FigureKind("ellipses", "a model", "model"),
    "evidence": FigureKind("evidence", "a model", "model, rows"),
    "evidence3d": FigureKind("evidence_surface", "a model", "model"),
    "posteriors": FigureKind("posteriors", "a model", "model"),
    "joints": FigureKind("joints", "a model", "model"),
    "univariate": FigureKind("univariate", "a model", "model, rows", "feature"),
    "densities": FigureKind("densities", "a model", "model, rows", "feature"),
    "curves": FigureKind("posterior_curve", "a model", "model", "feature"),
    "generative": FigureKind("generative_and_discriminative", "a model", "model, rows", "feature"),
    "pairs": FigureKind("pairs", "a model and rows", "model, rows", most_rows=COMPARED),
    "predictions": FigureKind("predictions", "a model and rows", "model, rows"),
    "confusion": FigureKind("confusion_matrix", "a model and rows", "evaluation", "", COUNTS),
    "calibration": FigureKind("calibration", "a model and rows", "model, rows", "", COUNTS),
    "sureness": FigureKind("posterior_histogram", "a model and rows", "model, rows", "", COUNTS),
    "dataset": FigureKind("dataset", "rows", "rows"),
    "shapes": FigureKind("shapes", "rows", "rows"),
    "sharing": FigureKind("sharing", "rows", "rows"),
    "comparison": FigureKind("comparison", "rows", "comparison", "", COMPARED),
    "neighbors": FigureKind("neighbors_error", "rows", "comparison", "", COMPARED),
}

DESCRIPTIONS = {
    "regions": "which class is the most probable where",
    "ellipses": "each class's Gaussian at 1, 2 and 3 standard deviations",
    "evidence": "the density of all rows, p(x), as a map",
    "evidence3d": "the density of all rows as a surface",
    "posteriors": "how probable each class is, p(c | x), over two features",
    "joints": "the density of rows and class, p(x, c), over two features",
    "univariate": "Bayes' rule along one feature: likelihood, joint, posterior",
    "densities": "how the classes are distributed over one feature",
    "curves": "how probable each class is along one feature",
    "generative": "densities beside posteriors along one feature",
    "pairs": "all pairs of features, with the error of each",
    "predictions": "rows by the class predicted for them, errors ringed",
    "confusion": "true classes against predicted ones",
    "calibration": "how often classes came true against how probable they were called",
    "sureness": "how sure the model was of right and of wrong predictions",
    "dataset": "the rows alone, over one or two features",
    "shapes": "spherical, diagonal and full covariances side by side",
    "sharing": "a covariance for each class beside one shared by all",
    "comparison": "errors and times of the six structures and of nearest neighbours",
    "neighbors": "the error of nearest neighbours against their number",
}
