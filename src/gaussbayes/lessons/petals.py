"""Two species told apart by one length: the whole method in one dimension."""

from gaussbayes.analysis.boundary import boundaries
from gaussbayes.base.types import Divisor
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons.lesson import Figure, Lesson
from gaussbayes.lessons.pictures.petals import pictures
from gaussbayes.lessons.sheets.petals import table
from gaussbayes.model.prior import Priors

SOURCE = (
    "O. Mac Aodha and N. Siddharth, Introduction to Classification, Applied Machine Learning, "
    "University of Edinburgh"
)


def fit(
    priors: Priors = None, divisor: Divisor = "mle", shared: bool = False
) -> GaussianClassifier:
    """A Gaussian for each species."""
    petals = table()
    model = GaussianClassifier(priors=priors, divisor=divisor, shared=shared)
    return model.fit(petals.rows, petals.labels)


def lesson(seed: int = 0) -> Lesson:
    """The lesson."""
    petals = table()

    def loss() -> tuple[float, float, float]:
        parts = fit().negative_log_likelihood(petals.rows, petals.labels)
        return parts.labels, parts.features, parts.total

    return Lesson(
        name="petals",
        title="Two species by the length of a petal",
        source=SOURCE,
        text=(
            "Five petals of species A and three of species B give two bell curves, and Bayes' rule "
            "turns them into the probability of B at any length. The curves have different widths, "
            "so they cross twice: at about 4.9 cm, and again beyond 15 cm, where the wider curve "
            "of A is once more the higher one, although no petal was ever seen there. The priors "
            "5/8 and 3/8 move the crossings by 0.05 cm. With one variance for both species the "
            "second crossing is gone, for the squares cancel in the log-odds. The negative "
            "log-likelihood splits in two: the labels' part depends on the priors alone and the "
            "features' part on the Gaussians alone, which is why each can be fitted by itself."
        ),
        data=(petals,),
        figures=(
            Figure("means of A and B", lambda: fit().means_[:, 0], right=(2.68, 6.5), decimals=12),
            Figure(
                "variances, divided by N",
                lambda: fit().covariances_[:, 0, 0],
                right=(0.5336, 0.26),
                decimals=12,
            ),
            Figure(
                "variances, divided by N − 1",
                lambda: fit(divisor="unbiased").covariances_[:, 0, 0],
                right=(0.667, 0.39),
                decimals=12,
            ),
            Figure("φ, the prior of B", lambda: fit().priors_[1], right=0.375, decimals=12),
            Figure(
                "boundaries with equal priors",
                lambda: boundaries(fit(priors="uniform").parameters_, 0, 1),
                right=(4.894721, 15.365512),
                decimals=6,
            ),
            Figure(
                "boundaries with the prior φ",
                lambda: boundaries(fit().parameters_, 0, 1),
                right=(4.944434, 15.315800),
                decimals=6,
            ),
            Figure(
                "negative log-likelihood: labels, features, together",
                loss,
                right=(5.2925059, 7.7606258, 13.0531317),
                decimals=7,
            ),
            Figure(
                "boundary with one variance for both",
                lambda: boundaries(fit(shared=True).parameters_, 0, 1),
                right=(4.647635,),
                decimals=6,
            ),
        ),
        pictures=pictures(petals, fit(), fit(priors="uniform"), fit(shared=True)),
    )
