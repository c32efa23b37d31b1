"""Pictures of three Gaussian classes: rows, regions, ellipses, mistakes."""

from typing import TYPE_CHECKING

from gaussbayes import plots
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons.drawings.draws import histograms
from gaussbayes.lessons.drawings.panels import figure_of
from gaussbayes.lessons.drawings.rows import draw_contours, draw_rows
from gaussbayes.lessons.lesson import Picture, Spread, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def pictures(
    model: GaussianClassifier, training: Table, test: Table, spread: Spread
) -> tuple[Picture, ...]:
    """The pictures, in the order of the lesson's text."""
    model = model.with_feature_names(training.features)

    def rows() -> "Figure":
        return draw_rows(training, test)

    def regions() -> "Figure":
        return figure_of(plots.regions(model, test.rows, test.labels))

    def ellipses() -> "Figure":
        return draw_contours(model, training)

    def confusion() -> "Figure":
        return figure_of(plots.confusion(model, test.rows, test.labels))

    def draws() -> "Figure":
        step = 100.0 / test.labels.size
        return histograms([spread], step, "test error in %")

    return (
        Picture("rows", "The training rows (filled) and the test rows (hollow).", rows),
        Picture(
            "ellipses",
            "The training rows and the Gaussians fitted to them, as ellipses of 1, 2 and 3 "
            "standard deviations.",
            ellipses,
        ),
        Picture(
            "regions",
            "The region of each class and the test rows; those in a wrong region are ringed.",
            regions,
        ),
        Picture(
            "confusion", "The test rows, counted by true class and predicted class.", confusion
        ),
        Picture(
            "draws",
            "The test error over many draws of training and test rows. The sheet's 4 of 1500 is "
            "nothing unusual.",
            draws,
        ),
    )
