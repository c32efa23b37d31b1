"""A class at any distance costs the others no digit: rows are measured from the mean of their own.

The truth is worked out from the rows themselves, in 60 digits.
"""

import mpmath
import numpy as np
import pytest

from gaussbayes import GaussianClassifier, load
from gaussbayes.base.types import FloatArray
from tests.oracles import exact_scatter

pytestmark = pytest.mark.usefixtures("kernels")

CODES = np.repeat([0, 1, 2], 20)


def rows(near: float, far: float) -> FloatArray:
    """Two classes that overlap, of standard deviation 1, and a third, of 1000."""
    rng = np.random.default_rng(29)
    spacing = max(np.spacing(2 * abs(near)), 2.0**-30)
    X = rng.normal(size=(60, 3)) @ np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.3], [0.0, 0.0, 1.0]])
    X[20:40] += 1.5
    X = np.round(X / spacing) * spacing + near
    X[40:] = 1e3 * (X[40:] - near) + far
    return X


def exact_log_posteriors(
    X: FloatArray, asked: FloatArray, structure: str
) -> list[list[mpmath.mpf]]:
    """Log posteriors of rows, missing features left out, by maximum likelihood."""
    moments = [exact_scatter(X[c == CODES]) for c in range(3)]
    pooled = [[sum(s[i][j] for _, s in moments) for j in range(3)] for i in range(3)]
    result = []
    with mpmath.workdps(60):
        for x in asked:
            seen, joint = np.flatnonzero(~np.isnan(x)).tolist(), []
            for mean, own in moments:
                scatter, weight = (pooled, 60) if structure == "shared" else (own, 20)
                matrix = mpmath.matrix(len(seen), len(seen))
                for a, i in enumerate(seen):
                    for b, j in enumerate(seen):
                        if i == j or structure != "diagonal":
                            value = scatter[i][j]
                            matrix[a, b] = mpmath.mpf(value.numerator) / value.denominator / weight
                apart = mpmath.matrix(
                    [
                        mpmath.mpf(float(x[i]))
                        - mpmath.mpf(mean[i].numerator) / mean[i].denominator
                        for i in seen
                    ]
                )
                square = (apart.T * matrix**-1 * apart)[0]
                joint.append(-(square + mpmath.log(mpmath.det(matrix))) / 2)
            top = max(joint)
            others = mpmath.fsum(mpmath.exp(score - top) for score in joint)
            result.append([score - top - mpmath.log(others) for score in joint])
    return result


@pytest.mark.parametrize("structure", ["full", "diagonal", "shared"])
@pytest.mark.parametrize(
    ("near", "far"),
    [(0.0, 1e8), (0.0, 1e15), (0.0, -1e17), (1e8, 0.0), (-1e12, 1e12), (1e15, 1e17)],
)
def test_a_distant_class_costs_the_others_no_digit(
    structure: str, near: float, far: float, tmp_path: object
) -> None:
    X = rows(near, far)
    settings = {"shared": True} if structure == "shared" else {"covariance": structure}
    model = GaussianClassifier(**settings).fit(X, CODES)
    asked = X[15:25].copy()
    asked[1::3, 2] = np.nan
    truth = exact_log_posteriors(X, asked, structure)
    path = f"{tmp_path}/model.json"
    model.save(path)
    for fitted in (model, load(path)):
        scores = fitted.predict_log_proba(asked)
        for c in (0, 1):
            exact = [row[c] for row in truth]
            error = [abs(mpmath.mpf(float(s[c])) - e) for s, e in zip(scores, exact, strict=True)]
            assert max(e / max(1, abs(t)) for e, t in zip(error, exact, strict=True)) < 2e-13
        np.testing.assert_array_equal(fitted.predict(asked), scores.argmax(axis=1))
