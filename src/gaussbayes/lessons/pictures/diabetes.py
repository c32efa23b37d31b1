"""Pictures of a blood count, a doctor's prior and a second measurement."""

from typing import TYPE_CHECKING

from gaussbayes import plots
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons.drawings import curves
from gaussbayes.lessons.drawings.panels import figure_of, mark_point, one_legend, panels, title
from gaussbayes.lessons.drawings.rows import fade_rows
from gaussbayes.lessons.lesson import Picture, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COUNTS = (20.0, 80.0)


def pictures(
    patients: Table,
    model: GaussianClassifier,
    both: GaussianClassifier,
    doctor: dict[object, float],
    patient: tuple[float, float],
) -> tuple[Picture, ...]:
    """The pictures; `model` is fitted to the count alone, `both` to count and glucose."""
    model = model.with_feature_names(patients.features[:1])
    both = both.with_feature_names(patients.features)
    priors = {"the table's, 0.5": None, "the doctor's, 0.8": doctor}

    def histogram() -> "Figure":
        ax = plots.densities(model, patients.rows[:, :1], patients.labels)
        return figure_of(ax)

    def posteriors() -> "Figure":
        models = {name: model.with_priors(prior) for name, prior in priors.items()}
        return curves.posteriors_by_prior(models, 0, COUNTS, at=patient[0])

    def mistakes() -> "Figure":
        return curves.mistakes(model.with_priors(doctor), COUNTS)

    def regions() -> "Figure":
        figure, axes = panels(1, 2, (10.4, 4.4), share_x=True, share_y=True)
        for ax, (name, prior) in zip(axes[0], priors.items(), strict=True):
            one = both.with_priors(prior)
            plots.regions(one, patients.rows, patients.labels, ax=ax)
            fade_rows(ax)
            healthy = one.with_feature_names(None).predict_proba([patient])[0, 0]
            mark_point(ax, *patient, f"p(C = 0 | x) = {healthy:.2f}", (-40.0, 60.0))
            title(ax, f"prior of C = 0: {name}")
        one_legend(axes[0])
        return figure

    return (
        Picture(
            "densities",
            "The blood counts of the made patients and the two Gaussians fitted to them.",
            histogram,
        ),
        Picture(
            "posteriors",
            "The probability of no diabetes by the count, with the table's shares and with the "
            "doctor's prior. At 48 the answer turns round.",
            posteriors,
        ),
        Picture(
            "mistakes",
            "The joint densities under the doctor's prior. The grey area is the share of patients "
            "who are labelled wrongly; no other boundary makes it smaller.",
            mistakes,
        ),
        Picture(
            "regions",
            "With the plasma glucose as well: regions by the table's shares and by the doctor's "
            "prior. The patient with count 48 and glucose 125 is on the side of diabetes in both.",
            regions,
        ),
    )
