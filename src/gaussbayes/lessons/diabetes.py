"""Diabetes from a blood count, with a doctor's prior in place of the data's shares."""

import numpy as np

from gaussbayes.analysis.synthesis import make_gaussian_dataset
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons import sampling
from gaussbayes.lessons.lesson import Erratum, Figure, Lesson, Table
from gaussbayes.lessons.pictures.diabetes import pictures
from gaussbayes.lessons.sheets.diabetes import (
    COUNT,
    COVARIANCES,
    DOCTOR,
    FEATURES,
    GLUCOSE,
    MEANS,
)

N_PER_CLASS = 250
SOURCE = "H. Xue, Generative Models for Classification, ITCS 6156/8156, UNC Charlotte, 2024"

N_DRAWS = 200_000

HEALTHY_BY_SHARE = 0.383148
HEALTHY_BY_DOCTOR = 0.713018
HEALTHY_WITH_GLUCOSE = 0.236471
MISTAKES_BY_DOCTOR = 11.675
MISTAKES_BY_SHARE = 16.595
"""In per cent of the doctor's patients, from the normal distributions on either side of the
boundaries that the two priors give."""


def table(seed: int) -> Table:
    """Made rows: 250 patients without diabetes (class 0) and 250 with it (class 1)."""
    X, y = make_gaussian_dataset(N_PER_CLASS, MEANS, COVARIANCES, random_state=seed)
    source = f"made for this lesson with seed {seed}: the sheet shows a picture and no numbers"
    return Table("patients", X, y, FEATURES, source)


def fit(patients: Table, n_features: int = 1) -> GaussianClassifier:
    """One Gaussian a class, on the blood count alone or with the glucose."""
    return GaussianClassifier().fit(patients.rows[:, :n_features], patients.labels)


def known(n_features: int) -> GaussianClassifier:
    """The classifier with the parameters behind the made rows, on the first features."""
    model = GaussianClassifier.from_parameters("uniform", MEANS, COVARIANCES)
    return model.marginal(range(n_features))


def healthy(model: GaussianClassifier, *patient: float) -> float:
    """``p(C = 0 | x)`` of one patient, as Bayes' rule gives it."""
    return model.explain(patient).bayes.classes[0].posterior


def mistakes(rule: GaussianClassifier, seed: int) -> float:
    """Share of the doctor's patients, in per cent, whom a rule labels wrongly by their count."""
    X, y = known(1).with_priors(DOCTOR).sample(N_DRAWS, random_state=seed)
    return 100.0 * float(np.mean(rule.decide(X).labels != y))


def standard_error(healthy: float) -> float:
    """Of a fitted posterior at the count, to first order.

    The log density at z standard deviations has variance ``(z² + ½ (z² − 1)²) / n``, from the
    estimated mean and the estimated standard deviation; ``dp = p (1 − p) d(log-odds)``.
    """
    deviation = COUNT - np.array(MEANS)[:, 0]
    squares = deviation**2 / np.array(COVARIANCES)[:, 0, 0]
    variance = (squares + 0.5 * (squares - 1.0) ** 2).sum() / N_PER_CLASS
    return healthy * (1.0 - healthy) * float(np.sqrt(variance))


def lesson(seed: int = 0) -> Lesson:
    """The lesson, its rows made with this seed."""
    patients = table(seed)
    least = known(1).with_priors(DOCTOR).bayes_error(random_state=seed)

    def log_odds(model: GaussianClassifier) -> float:
        none, ill = model.explain([COUNT]).bayes.classes
        return none.log_posterior - ill.log_posterior

    def shift() -> float:
        model = fit(patients)
        return log_odds(model.with_priors(DOCTOR)) - log_odds(model)

    return Lesson(
        name="diabetes",
        title="Diabetes and a doctor's prior",
        source=SOURCE,
        text=(
            "The patients of this table were made for the lesson, half of them with diabetes; the "
            "sheet shows only a histogram. Among people who come to the doctor 8 in 10 are "
            "healthy, and it is their share that belongs in Bayes' rule, not the table's. The "
            "Gaussians stay as they are, only the prior changes: the log-odds move by log 4. At a "
            "count of 48 that turns the answer round, from diabetes to none. A second measurement, "
            "a plasma glucose of 125, turns it back. Taking the more probable class makes the "
            "expected number of mistakes as small as it can be: 12 % of the doctor's patients by "
            "the doctor's prior, 17 % by the table's shares."
        ),
        data=(patients,),
        figures=(
            Figure(
                "share of class 0 in the table",
                lambda: fit(patients).priors_[0],
                right=0.5,
                decimals=12,
            ),
            Figure(
                "p(C = 0 | x = 48) by the table's shares",
                lambda: healthy(known(1), COUNT),
                right=HEALTHY_BY_SHARE,
                decimals=6,
            ),
            Figure(
                "the same by shares, fitted to the table",
                lambda: healthy(fit(patients), COUNT),
                right=HEALTHY_BY_SHARE,
                decimals=6,
                standard_error=standard_error(HEALTHY_BY_SHARE),
            ),
            Figure(
                "p(C = 0 | x = 48) by the doctor's prior 0.8",
                lambda: healthy(known(1).with_priors(DOCTOR), COUNT),
                right=HEALTHY_BY_DOCTOR,
                decimals=6,
            ),
            Figure(
                "the same by the doctor's prior, fitted to the table",
                lambda: healthy(fit(patients).with_priors(DOCTOR), COUNT),
                right=HEALTHY_BY_DOCTOR,
                decimals=6,
                standard_error=standard_error(HEALTHY_BY_DOCTOR),
            ),
            Figure(
                "what the doctor's prior adds to the log-odds", shift, right=1.386294, decimals=6
            ),
            sampling.percentage(
                f"mistakes by the doctor's prior over {N_DRAWS:,} of the doctor's patients",
                lambda: mistakes(known(1).with_priors(DOCTOR), seed),
                right=MISTAKES_BY_DOCTOR,
                n=N_DRAWS,
            ),
            Figure(
                "the least that any rule can make, by the overlap of the Gaussians",
                lambda: 100.0 * least.error,
                right=MISTAKES_BY_DOCTOR,
                decimals=3,
                standard_error=100.0 * least.standard_error,
                unit="%",
            ),
            sampling.percentage(
                "mistakes by the table's shares among the same patients",
                lambda: mistakes(known(1), seed),
                right=MISTAKES_BY_SHARE,
                n=N_DRAWS,
            ),
            Figure(
                "p(C = 0 | x = 48, glucose 125) by the doctor's prior",
                lambda: healthy(known(2).with_priors(DOCTOR), COUNT, GLUCOSE),
                right=HEALTHY_WITH_GLUCOSE,
                decimals=6,
            ),
        ),
        errata=(
            Erratum(
                where="Gaussian Bayes classifier, multivariate density",
                printed="exp(−(x − μ)ᵀ Σ⁻¹ (x − μ))",
                right="exp(−½ (x − μ)ᵀ Σ⁻¹ (x − μ))",
                why=(
                    "Without ½ the density integrates to 2^(−d/2), not to 1, and it is that of "
                    "the covariance ½ Σ but for its height: posteriors come out too sure."
                ),
            ),
            Erratum(
                where="Gaussian Bayes classifier, density in one dimension",
                printed="1 / (√(2π) σ) in front, σ_C in the exponent",
                right="σ_C, the class's own, in both places",
                why=(
                    "Each class has a standard deviation of its own; with one σ in front the "
                    "wider class would be given too high a density."
                ),
            ),
        ),
        pictures=pictures(patients, fit(patients), fit(patients, 2), DOCTOR, (COUNT, GLUCOSE)),
    )
