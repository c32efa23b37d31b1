"""Pictures of naive Bayes on six rows: the query, ellipses, regions, and the rule in logs."""

from typing import TYPE_CHECKING

from gaussbayes.base.types import FloatArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons.drawings.bars import Step, bayes_rule
from gaussbayes.lessons.drawings.panels import mark_point, number, one_legend, panels, title
from gaussbayes.lessons.drawings.rows import draw_over_regions, draw_rows
from gaussbayes.lessons.lesson import Picture, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def pictures(
    table: Table, naive: GaussianClassifier, full: GaussianClassifier, query: tuple[float, float]
) -> tuple[Picture, ...]:
    """The pictures, in the order of the lesson's text."""
    naive, full = (one.with_feature_names(table.features) for one in (naive, full))
    where = f"({query[0]:g}, {query[1]:g})"

    def rows() -> "Figure":
        figure = draw_rows(table)
        mark_point(figure.axes[0], *query, where)
        return figure

    def regions() -> "Figure":
        figure, axes = panels()
        draw_over_regions(naive, table, axes[0, 0])
        mark_point(axes[0, 0], *query, where)
        return figure

    def against_full() -> "Figure":
        figure, axes = panels(1, 2, (10.0, 4.2), share_x=True, share_y=True)
        for ax, model, words in (
            (axes[0, 0], naive, "naive: no correlation"),
            (axes[0, 1], full, "full covariance"),
        ):
            draw_over_regions(model, table, ax)
            mark_point(ax, *query, where)
            title(ax, words)
        one_legend(axes[0])
        return figure

    def steps() -> "Figure":
        return bayes_rule([f"class {label}" for label in naive.classes_], _steps(naive, query))

    return (
        Picture("rows", f"The six rows and the point to be labelled, {where}.", rows),
        Picture(
            "regions",
            "Naive Bayes: ellipses of 1, 2 and 3 standard deviations with their axes along the "
            "features, and the regions that follow.",
            regions,
        ),
        Picture(
            "naive_and_full",
            "The same rows without and with correlations. Three rows a class are few: the "
            "boundary changes much, the label of the point does not.",
            against_full,
        ),
        Picture(
            "steps",
            f"Bayes' rule for {where}, in logarithms, each step on a scale of its own: products "
            "become sums. The log joint of class 2 is the larger by 58, so almost nothing is left "
            "for class 1.",
            steps,
        ),
    )


def _steps(naive: GaussianClassifier, query: tuple[float, float]) -> list[Step]:
    """Log prior, the log density of each feature, their sum, and what is left of it."""
    nameless = naive.with_feature_names(None)

    def step(name: str, values: FloatArray, operator: str = "") -> Step:
        return Step(
            name, values, tuple(number(value, ".4g") for value in values.tolist()), operator
        )

    each = [nameless.marginal([j]).log_likelihood([[value]])[0] for j, value in enumerate(query)]
    return [
        step("log prior", nameless.parameters_.log_prior),
        *(step(f"log density\nof feature {j + 1}", values, "+") for j, values in enumerate(each)),
        step("log joint", nameless.predict_joint_log_proba([query])[0], "="),
        step("log posterior", nameless.predict_log_proba([query])[0], "− log evidence =\n"),
    ]
