"""Three Gaussian classes in the plane, fitted and tested."""

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from gaussbayes.analysis.synthesis import make_gaussian_dataset
from gaussbayes.base.progress import track
from gaussbayes.base.types import FloatArray
from gaussbayes.lessons import standard_errors
from gaussbayes.lessons.lesson import Erratum, Figure, Lesson, Result, Spread, Table

if TYPE_CHECKING:
    from gaussbayes.classifier import GaussianClassifier

MEANS = ((-5.0, -5.0), (5.0, -5.0), (0.0, 5.0))
COVARIANCES = (
    ((3.0, -1.0), (-1.0, 3.0)),
    ((3.0, -0.5), (-0.5, 3.0)),
    ((1.0, -1.0), (-1.0, 3.0)),
)

N_PER_CLASS = 500
SOURCE = "B. Biggio, The Gaussian Classifier, laboratory slides, University of Cagliari: exercise 1"

N_SPREAD = 1000
N_DRAWS = 600_000
ERROR = 0.1660
"""Error of the optimal rule in per cent, by integrating 1 − max_c p(x, c) on a grid."""


def tables(seed: int) -> tuple[Table, Table]:
    """500 training rows and 500 test rows of each class."""
    generator = np.random.default_rng(seed)
    source = f"drawn from the handout's parameters with seed {seed}"

    def drawn(name: str) -> Table:
        X, y = make_gaussian_dataset(N_PER_CLASS, MEANS, COVARIANCES, random_state=generator)
        return Table(name, X, y, ("x1", "x2"), source)

    return drawn("training"), drawn("test")


def fit(table: Table) -> "GaussianClassifier":
    """The handout's classifier: a full covariance for each class, divided by N − 1."""
    from gaussbayes.classifier import GaussianClassifier

    return GaussianClassifier(divisor="unbiased").fit(table.rows, table.labels)


def learnt_late(table: Table, label: int) -> "GaussianClassifier":
    """The same classifier, to which one class became known after the others were fitted."""
    from gaussbayes.classifier import GaussianClassifier

    model = GaussianClassifier(divisor="unbiased")
    late = table.labels == label
    model.partial_fit(table.rows[~late], table.labels[~late])
    return model.partial_fit(table.rows[late], table.labels[late])


def optimal_rule() -> "GaussianClassifier":
    """The classifier that knows the parameters the rows are drawn from."""
    from gaussbayes.classifier import GaussianClassifier

    return GaussianClassifier.from_parameters("uniform", MEANS, COVARIANCES)


def error_rate(model: "GaussianClassifier", table: Table) -> float:
    """Proportion of wrong labels, in per cent."""
    return 100.0 * float(np.mean(model.predict(table.rows) != table.labels))


@lru_cache(maxsize=1)
def draws(n_draws: int, seed: int = 0) -> FloatArray:
    """The test error in per cent over as many draws of training and test rows; kept."""
    errors = np.empty(n_draws)
    seeds = np.random.SeedSequence(seed).generate_state(n_draws).tolist()
    for i, drawn in enumerate(track(seeds, "drawing three Gaussians")):
        training, test = tables(drawn)
        errors[i] = error_rate(fit(training), test)
    return errors


def lesson(seed: int = 0) -> Lesson:
    """The lesson, its rows drawn with this seed."""
    training, test = tables(seed)
    spread = Spread(
        f"test error over {N_SPREAD:,} draws",
        lambda: draws(N_SPREAD, seed),
        handout=0.267,
        unit="%",
    )

    def late_difference() -> float:
        at_once, late = fit(training), learnt_late(training, 2)
        return float(abs(at_once.covariances_ - late.covariances_).max())

    def optimal_error() -> float:
        X, y = optimal_rule().sample(N_DRAWS, random_state=seed)
        return error_rate(optimal_rule(), Table("draws", X, y, test.features, test.source))

    return Lesson(
        name="three_gaussians",
        title="Three Gaussians, fitted and tested",
        source=SOURCE,
        text=(
            "Training a Gaussian classifier is counting and averaging: the prior of a class is its "
            "proportion of the rows, its mean is their average, and its covariance is the average "
            "of the products of their deviations; the figures show it as ellipses of 1, 2 and 3 "
            "standard deviations. A new row goes to the class with the largest posterior. Each "
            "class is learnt by itself, so that a third one may come later and change nothing in "
            "the others. The handout's rows came from a random generator that cannot be repeated "
            "here, so its estimates and its 4 errors in 1500 are compared with the spread of many "
            "draws. Even the rule that knows the true parameters is wrong for 0.166 % of the rows: "
            "the classes overlap a little, and no classifier can do better."
        ),
        data=(training, test),
        results=(
            Result(
                "priors",
                lambda: fit(training).priors_,
                right=(1 / 3, 1 / 3, 1 / 3),
                decimals=8,
                handout=(0.33333333, 0.33333333, 0.33333333),
            ),
            Result(
                "means",
                lambda: fit(training).means_,
                right=MEANS,
                decimals=8,
                handout=(
                    (-5.02818576, -5.07365035),
                    (4.95564731, -5.04938789),
                    (-0.03591899, 4.87763586),
                ),
                standard_error=standard_errors.of_means(COVARIANCES, N_PER_CLASS),
            ),
            Result(
                "covariances, divided by N − 1",
                lambda: fit(training).covariances_,
                right=COVARIANCES,
                decimals=8,
                handout=(
                    ((2.89255506, -1.05314784), (-1.05314784, 2.77306075)),
                    ((2.88868113, -0.46682182), (-0.46682182, 3.04256309)),
                    ((1.04041627, -1.09369177), (-1.09369177, 3.26337424)),
                ),
                standard_error=standard_errors.of_covariances(COVARIANCES, N_PER_CLASS),
            ),
            standard_errors.percentage(
                "test error",
                lambda: error_rate(fit(training), test),
                right=ERROR,
                n=3 * N_PER_CLASS,
                handout=0.267,
            ),
            standard_errors.percentage(
                f"error of the optimal rule over {N_DRAWS:,} draws",
                optimal_error,
                right=ERROR,
                n=N_DRAWS,
            ),
            Result(
                "largest change of a covariance if class 2 is learnt after the others",
                late_difference,
                right=0.0,
                decimals=12,
            ),
        ),
        spreads=(spread,),
        errata=(
            Erratum(
                where="training, formula of the covariance",
                printed="the covariance divided by n − 1 is called the maximum-likelihood estimate",
                right="maximum likelihood divides by n; dividing by n − 1 makes it unbiased",
                why=(
                    "The likelihood of the rows is largest at 1/n. The estimate with 1/(n − 1) is "
                    "larger by n / (n − 1), which takes away its bias; for 500 rows that is 0.2 %."
                ),
            ),
        ),
        figures=_figures(fit(training), training, test, spread),
    )


def _figures(
    model: "GaussianClassifier", training: Table, test: Table, spread: Spread
) -> tuple[Figure, ...]:
    """The figures, in the order of the lesson's text."""
    from gaussbayes import plots
    from gaussbayes.lessons.figure_parts import draw_contours, draw_rows, figure_of, histograms

    model = model.with_feature_names(training.features)
    return (
        Figure(
            "rows",
            "The training rows (filled) and the test rows (hollow).",
            lambda: draw_rows(training, test),
        ),
        Figure(
            "ellipses",
            "The training rows and the Gaussians fitted to them, as ellipses of 1, 2 and 3 "
            "standard deviations.",
            lambda: draw_contours(model, training),
        ),
        Figure(
            "regions",
            "The region of each class and the test rows; those in a wrong region are ringed.",
            lambda: figure_of(plots.regions(model, test.rows, test.labels)),
        ),
        Figure(
            "confusion",
            "The test rows, counted by true class and predicted class.",
            lambda: figure_of(plots.confusion(model, test.rows, test.labels)),
        ),
        Figure(
            "draws",
            "The test error over many draws of training and test rows. The handout's 4 of 1500 is "
            "nothing unusual.",
            lambda: histograms([spread], 100.0 / test.labels.size, "test error in %"),
        ),
    )
