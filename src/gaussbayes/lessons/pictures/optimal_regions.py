"""Pictures of a model whose parameters are known: regions, posteriors, joints, evidence."""

from typing import TYPE_CHECKING

from gaussbayes import plots
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons.drawings.panels import figure_of
from gaussbayes.lessons.lesson import Picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def pictures(model: GaussianClassifier) -> tuple[Picture, ...]:
    """The pictures, in the order of the lesson's text."""

    def regions() -> "Figure":
        return figure_of(plots.regions(model))

    def posteriors() -> "Figure":
        return figure_of(plots.posteriors(model).flat[0])

    def joints() -> "Figure":
        return figure_of(plots.joints(model).flat[0])

    def evidence() -> "Figure":
        return figure_of(plots.evidence(model))

    def surface() -> "Figure":
        return figure_of(plots.evidence_surface(model))

    return (
        Picture(
            "regions",
            "The optimal regions: three strips, bounded by the parallel lines x1 + x2 = 2 and "
            "x1 + x2 = −1.65.",
            regions,
        ),
        Picture(
            "posteriors",
            "p(c | x) for each class: near 1 in its own strip, ½ on the boundaries.",
            posteriors,
        ),
        Picture(
            "joints",
            "p(x, c) for each class, on one scale: the same ellipse three times, that of class 2 "
            "twice as strong.",
            joints,
        ),
        Picture("evidence", "p(x), the sum of the joint densities, from above.", evidence),
        Picture(
            "evidence_surface",
            "p(x) as a surface: three ridges that overlap, the one of class 2 the highest.",
            surface,
        ),
    )
