"""Many classes of many features: what is compared, and what is kept, stays small."""

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from gaussbayes import AutoClassifier, GaussianClassifier
from gaussbayes.datasets import load_sentences


def test_classes_with_fewer_rows_than_features_share_a_covariance_where_they_are_many() -> None:
    generator = np.random.default_rng(0)
    k, d = 65, 256
    means = generator.normal(size=(k, d))
    y = np.repeat(np.arange(k), 5)
    X, new = (means[y] + generator.normal(size=(y.size, d)) * 2.5 for _ in range(2))
    model = AutoClassifier().fit(X, y)
    parameters = k * d + d * (d + 1) // 2 + k - 1
    assert {each.n_parameters for each in model.selection_.candidates} == {parameters}
    assert len(model.selection_.candidates) == 8
    shrunk = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(X, y)
    error, of_lda = 1 - model.score(new, y), 1 - shrunk.score(new, y)
    assert error < of_lda + 0.02
    assert model.evaluate(new, y).log_loss < 0.5 * np.log(k)


def test_calibration_with_two_rows_of_each_class_keeps_what_they_say() -> None:
    """Log-likelihoods of hundreds of features need a temperature far below 1."""
    requests = load_sentences()
    number = np.arange(requests.labels.size) % 20
    few, new = number < 2, number >= 10
    plain, calibrated = (
        GaussianClassifier(shared=True, shrinkage=0.3, calibrate=calibrate).fit(
            requests.rows[few], requests.labels[few]
        )
        for calibrate in (False, True)
    )
    rows, labels = requests.rows[new], requests.labels[new]
    assert calibrated.score(rows, labels) > plain.score(rows, labels) - 0.05
    assert calibrated.evaluate(rows, labels).log_loss < np.log(24) - 0.3
