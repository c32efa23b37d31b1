"""The kinds of figures that ``gaussbayes plot`` draws, and what they need."""

from typing import Literal, NamedTuple

POINTS, COUNTS, COMPARED = 2_000, 200_000, 20_000
"""How many rows a figure shows as points, groups and counts, or compares models on."""


class FigureKind(NamedTuple):
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
