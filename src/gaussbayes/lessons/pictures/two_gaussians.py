"""Pictures of two Gaussian classes and of nearest neighbours on the same rows."""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from gaussbayes import plots
from gaussbayes.base.types import LabelArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons.drawings import votes
from gaussbayes.lessons.drawings.curves import log_odds_strips
from gaussbayes.lessons.drawings.draws import histograms
from gaussbayes.lessons.drawings.panels import figure_of, one_legend, panels, title
from gaussbayes.lessons.drawings.rows import draw_contours, draw_rows
from gaussbayes.lessons.lesson import Picture, Spread, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gaussbayes.analysis.comparison import Comparison

NEIGHBORS = range(1, 52, 2)


def pictures(
    model: GaussianClassifier,
    training: Table,
    test: Table,
    voted: Callable[[], LabelArray],
    spreads: tuple[Spread, ...],
) -> tuple[Picture, ...]:
    """The pictures, in the order of the lesson's text; `voted` are 3 neighbours' labels."""
    model = model.with_feature_names(training.features)

    @cache
    def compared() -> "Comparison":
        from gaussbayes.analysis.comparison import compare

        held_out = test.rows, test.labels
        return compare(training.rows, training.labels, held_out=held_out, neighbors=NEIGHBORS)

    def predictions() -> "Figure":
        figure, axes = panels(1, 2, (9.6, 4.0), share_x=True, share_y=True)
        for ax, label in zip(axes[0], (1, 2), strict=True):
            plots.predictions(model, test.rows, test.labels, label=label, ax=ax)
        one_legend(axes[0])
        return figure

    def data() -> "Figure":
        return draw_rows(training)

    def held_out_rows() -> "Figure":
        return draw_rows(test)

    def contours() -> "Figure":
        return draw_contours(model, training)

    def odds() -> "Figure":
        return log_odds_strips(model, test, 1, 2)

    def confusion() -> "Figure":
        figure, axes = panels(1, 2, (8.4, 4.4))
        left, right = axes[0]
        plots.confusion(model, test.rows, test.labels, ax=left)
        (three,) = (each for each in compared().candidates if each.neighbors == 3)
        if three.evaluation is not None:
            plots.confusion_matrix(three.evaluation, ax=right)
        title(left, f"Gaussians: {left.get_title()}")
        title(right, f"3 neighbours: {right.get_title()}")
        return figure

    def votes_of_three() -> "Figure":
        return votes.predicted(test, voted())

    def error_by_neighbors() -> "Figure":
        ax = plots.neighbors_error(compared())
        ax.set_xscale("linear")
        ax.set_xticks(NEIGHBORS[::5])
        return figure_of(ax)

    def draws() -> "Figure":
        return histograms(spreads, 1.0, "accuracy in %, of 100 test rows")

    return (
        Picture("training_rows", "The training rows.", data),
        Picture("test_rows", "The test rows.", held_out_rows),
        Picture(
            "contours",
            "The training rows and the Gaussians fitted to them, as ellipses of 1, 2 and 3 "
            "standard deviations.",
            contours,
        ),
        Picture(
            "log_odds",
            "The Bayes decision rule: a test row is labelled by the sign of its log-odds. Those "
            "on the wrong side are ringed.",
            odds,
        ),
        Picture(
            "predictions",
            "The test rows of either class, by the label given to them; mistakes are ringed.",
            predictions,
        ),
        Picture(
            "neighbours_predictions",
            "The same test rows, labelled by their 3 nearest neighbours.",
            votes_of_three,
        ),
        Picture(
            "confusion",
            "The test rows counted by true class and label given, for the Gaussians and for 3 "
            "nearest neighbours.",
            confusion,
        ),
        Picture(
            "neighbours_error",
            "The test error by the number of neighbours, beside that of Gaussian models. One "
            "neighbour is usually too few; beyond, differences are within what 100 rows can tell.",
            error_by_neighbors,
        ),
        Picture(
            "draws",
            "The accuracies over many draws of training and test rows: the sheet's 90 % and 85 % "
            "lie among them, both towards the lower end.",
            draws,
        ),
    )
