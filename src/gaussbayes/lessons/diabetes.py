"""Diabetes and a doctor's prior.

The patients of this table were made for the lesson, half of them with diabetes; the handout shows
only a histogram. Among people who come to the doctor 8 in 10 are healthy, and it is their
proportion that belongs in Bayes' rule, not the table's. The Gaussians stay as they are, only the
prior changes: the log-odds move by log 4. At a count of 48 that turns the answer round, from
diabetes to none. A second measurement, a plasma glucose of 125, turns it back. Taking the more
probable class makes the expected number of errors as small as it can be: 12 % of the doctor's
patients by the doctor's prior, 17 % by the table's proportions.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from gaussbayes import plots
from gaussbayes.analysis.boundary import decision_boundaries
from gaussbayes.analysis.grid import line_over
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons import figure_parts as parts
from gaussbayes.lessons.handouts import COUNT, DIABETES, DOCTOR, GLUCOSE, Table
from gaussbayes.lessons.lesson import XUE, Erratum, Lesson, Result
from gaussbayes.plots import style

N_PER_CLASS = 250
N_DRAWS = 200_000
_COUNTS = (20.0, 80.0)  # in the figures

HEALTHY_BY_TABLE = 0.383148
HEALTHY_BY_DOCTOR = 0.713018
HEALTHY_WITH_GLUCOSE = 0.236471
ERROR_BY_DOCTOR = 11.675
ERROR_BY_TABLE = 16.595
"""In per cent of the doctor's patients, from the normal distributions on either side of the
boundaries that the two priors give."""


def table(seed: int) -> Table:
    """Made rows: 250 patients without diabetes (class 0) and 250 with it (class 1)."""
    source = f"made for this lesson with seed {seed}: the handout shows a figure and no numbers"
    return DIABETES.draw("patients", N_PER_CLASS, seed, source)


def fit(patients: Table) -> GaussianClassifier:
    """One Gaussian a class, of the blood count alone."""
    return GaussianClassifier().fit(patients.rows[:, :1], patients.labels)


def known(n_features: int) -> GaussianClassifier:
    """The classifier with the parameters behind the made rows, on the first features."""
    return DIABETES.best_rule().marginal(range(n_features))


def healthy(model: GaussianClassifier, *patient: float) -> float:
    """``p(C = 0 | x)`` of one patient, as Bayes' rule gives it."""
    return float(model.explain(patient).bayes.classes[0].posterior)


def error_rate(rule: GaussianClassifier, seed: int) -> float:
    """Percentage of the doctor's patients whom a rule misclassifies by their count."""
    X, y = known(1).with_priors(DOCTOR).sample(N_DRAWS, random_state=seed)
    return 100.0 * float(np.mean(rule.decide(X).labels != y))


def standard_error(healthy: float) -> float:
    """Of a fitted posterior at the count, to first order.

    The log density at z standard deviations has variance ``(z² + ½ (z² − 1)²) / n``, from the
    estimated mean and the estimated standard deviation; ``dp = p (1 − p) d(log-odds)``.
    """
    deviation = COUNT - np.array(DIABETES.means)[:, 0]
    squares = deviation**2 / np.array(DIABETES.covariances)[:, 0, 0]
    variance = (squares + 0.5 * (squares - 1.0) ** 2).sum() / N_PER_CLASS
    return healthy * (1.0 - healthy) * float(np.sqrt(variance))


def lesson(seed: int = 0) -> Lesson:
    """The lesson, its rows made with this seed."""
    patients = table(seed)
    by_table, fitted = known(1), fit(patients)
    by_doctor = by_table.with_priors(DOCTOR)
    least = by_doctor.bayes_error(random_state=seed)

    def posterior(name: str, model: GaussianClassifier, right: float, error: float = 0.0) -> Result:
        return Result(name, lambda: healthy(model, COUNT), right, 6, standard_error=error)

    def error(name: str, rule: GaussianClassifier, right: float) -> Result:
        return Result.percentage(name, lambda: error_rate(rule, seed), right, N_DRAWS)

    def shift() -> float:
        models = fitted.with_priors(DOCTOR), fitted
        by_prior, by_proportion = (model.log_odds([[COUNT]], 0, 1)[0] for model in models)
        return float(by_prior - by_proportion)

    table_error, doctor_error = map(standard_error, (HEALTHY_BY_TABLE, HEALTHY_BY_DOCTOR))
    same = "the same by the doctor's prior, fitted to the table"
    all_patients = f"error by the doctor's prior over {N_DRAWS:,} of the doctor's patients"
    of_both = known(2).with_priors(DOCTOR)
    both = "p(C = 0 | x = 48, glucose 125) by the doctor's prior"
    results = (
        Result("proportion of class 0 in the table", lambda: fitted.priors_[0], 0.5),
        posterior("p(C = 0 | x = 48) by the table's proportions", by_table, HEALTHY_BY_TABLE),
        posterior(
            "the same by proportions, fitted to the table", fitted, HEALTHY_BY_TABLE, table_error
        ),
        posterior("p(C = 0 | x = 48) by the doctor's prior 0.8", by_doctor, HEALTHY_BY_DOCTOR),
        posterior(same, fitted.with_priors(DOCTOR), HEALTHY_BY_DOCTOR, doctor_error),
        Result("what the doctor's prior adds to the log-odds", shift, 1.386294, 6),
        error(all_patients, by_doctor, ERROR_BY_DOCTOR),
        Result(
            "the least that any rule can make, by the overlap of the Gaussians",
            lambda: 100.0 * least.error,
            ERROR_BY_DOCTOR,
            3,
            standard_error=100.0 * least.standard_error,
            unit="%",
        ),
        error("error by the table's proportions among the same patients", by_table, ERROR_BY_TABLE),
        Result(both, lambda: healthy(of_both, COUNT, GLUCOSE), HEALTHY_WITH_GLUCOSE, 6),
    )
    errata = (
        Erratum(
            where="Gaussian Bayes classifier, multivariate density",
            printed="exp(−(x − μ)ᵀ Σ⁻¹ (x − μ))",
            right="exp(−½ (x − μ)ᵀ Σ⁻¹ (x − μ))",
            why=(
                "Without ½ the density integrates to 2^(−d/2), not to 1, and it is that of the "
                "covariance ½ Σ but for its height: posteriors come out too sure."
            ),
        ),
        Erratum(
            where="Gaussian Bayes classifier, density in one dimension",
            printed="1 / (√(2π) σ) in front, σ_C in the exponent",
            right="σ_C, the class's own, in both places",
            why=(
                "Each class has a standard deviation of its own; with one σ in front the wider "
                "class would be given too high a density."
            ),
        ),
    )
    figures = _figures(patients)
    return Lesson.of(__name__, __doc__, XUE, [patients], results, figures, errata=errata)


def _figures(patients: Table) -> tuple[Callable[[], Any], ...]:
    model = fit(patients).with_feature_names(patients.features[:1])
    both = patients.fit().with_feature_names(patients.features)
    priors = {"the table's, 0.5": None, "the doctor's, 0.8": DOCTOR}

    def densities() -> Any:
        """How many of the made patients have which blood count, as the handout draws it, and the
        two Gaussians fitted to them, times the number of patients in a bar's width."""
        ax, width = style.axes_for(None, (7.6, 4.2)), 2.5
        edges, x = np.arange(*_COUNTS, width), line_over(*_COUNTS, parts.N_POINTS)
        heights = model.with_feature_names(None).likelihood(x[:, None]) * N_PER_CLASS * width
        for look, label, height in zip(
            style.class_styles(model.classes_), model.classes_, heights.T, strict=True
        ):
            counts = patients.rows[patients.labels == label, 0]
            ax.hist(counts, edges.tolist(), color=look.color, alpha=0.35, label=f"C = {look.label}")
            ax.plot(x, height, color=look.color, ls=look.line)
        style.name_axes(ax, [*patients.features[:1], "patients"])
        style.legend_beside(ax)
        return ax

    def posteriors() -> Any:
        """The probability of no diabetes by the count, with the table's proportions and with the
        doctor's prior, from the parameters behind the made rows. At 48 the answer turns round."""
        truth = known(1).with_feature_names(patients.features[:1])
        models = {name: truth.with_priors(prior) for name, prior in priors.items()}
        return parts.posteriors_by_prior(models, 0, _COUNTS, at=COUNT)

    def errors() -> Any:
        """The joint densities under the doctor's prior. The grey area is the proportion of patients
        who are misclassified; no other boundary makes it smaller."""
        # ∫ (p(x) − max_c p(x, c)) dx: the expected error of taking the most probable class.
        ax = style.axes_for(None, (7.6, 4.2))
        rule = model.with_priors(DOCTOR)
        x = line_over(*_COUNTS, parts.N_POINTS)
        joint = rule.with_feature_names(None).joint(x[:, None])
        for look, height in zip(style.class_styles(rule.classes_), joint.T, strict=True):
            ax.plot(x, height, color=look.color, ls=look.line, label=f"p(x, {look.label})")
        lost = joint.sum(axis=1) - joint.max(axis=1)
        ax.fill_between(x, lost, color=style.FAINT, alpha=0.5, linewidth=0, label="errors")
        for boundary in decision_boundaries(rule.model_):
            if _COUNTS[0] < boundary.position < _COUNTS[1]:
                ax.axvline(boundary.position, color=style.INK, linewidth=1.0)
        ax.set_xlim(*_COUNTS)
        ax.set_ylim(bottom=0.0)
        style.name_axes(ax, [*patients.features[:1], "joint density p(x, c)"])
        style.legend_beside(ax)
        return ax

    def regions() -> Any:
        """With the plasma glucose as well: regions by the table's proportions and by the doctor's
        prior. The patient with count 48 and glucose 125 is on the side of diabetes in both."""
        axes = parts.panels(1, 2, (10.4, 4.4), "xy")
        patient = COUNT, GLUCOSE
        for ax, (name, prior) in zip(axes, priors.items(), strict=True):
            rule = both.with_priors(prior)
            plots.regions(rule, patients.rows, patients.labels, ax=ax)
            parts.fade_rows(ax)
            posterior = healthy(rule, *patient)
            parts.mark_point(ax, *patient, f"p(C = 0 | x) = {posterior:.2f}", (-40.0, 60.0))
            parts.title(ax, f"prior of C = 0: {name}")
        parts.one_legend(axes)
        return axes

    return densities, posteriors, errors, regions
