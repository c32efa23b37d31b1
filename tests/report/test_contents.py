"""The numbers in the report are those of scikit-learn, scipy and NumPy."""

import hashlib

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.metrics import confusion_matrix, log_loss, precision_score, recall_score

from gaussbayes.datasets import load_iris
from tests.report.reading import Report, number

IRIS = load_iris()
PEER = QuadraticDiscriminantAnalysis().fit(IRIS.rows, IRIS.labels)  # it divides by N


def percent(text: str) -> float:
    return float(text.removesuffix("\u00a0%").removesuffix(" %"))


def test_summary(iris_report: Report) -> None:
    errors = int((PEER.predict(IRIS.rows) != IRIS.labels).sum())
    summary = iris_report.root.all("header")[0].words
    assert f"it errs in {errors} of 150 ({100 * errors / 150:.1f} %)" in summary
    assert "3 classes apart (“setosa”, “versicolor” and “virginica”) by 4 features" in summary
    loss = log_loss(IRIS.labels, PEER.predict_proba(IRIS.rows))
    assert f"log loss on the rows given {loss:.4f}" in summary


def test_data(iris_report: Report) -> None:
    classes = iris_report.table("Classes")
    assert classes[1] == ["setosa", "50", "33.3 %"]
    for line, values in zip(iris_report.table("Features")[1:], IRIS.rows.T, strict=True):
        own = [values[IRIS.labels == label].mean() for label in IRIS.class_names]
        expected = [values.min(), values.mean(), values.std(), values.max(), *own]
        assert [float(cell) for cell in line[1:]] == pytest.approx(expected, abs=5.01e-4)


def test_parameters(iris_report: Report) -> None:
    # 3 − 1 priors, 3 · 4 means, and 3 · 4 · 5 / 2 entries of covariances.
    assert "44: 2 for the priors, 12 for the means, 30 for the covariances" in iris_report.words
    assert "N (maximum likelihood)" in iris_report.words
    for code, label in enumerate(IRIS.class_names):
        rows = IRIS.rows[IRIS.labels == label]
        line = iris_report.table("Priors and means")[1 + code]
        assert line[:2] == [label, "0.3333"]
        assert [float(c) for c in line[2:]] == pytest.approx(rows.mean(axis=0), abs=5.01e-4)
        for caption, expected in (
            ("Covariances of", np.cov(rows.T, bias=True)),
            ("Correlations of", np.corrcoef(rows.T)),
        ):
            written = [cells[1:] for cells in iris_report.table(f"{caption} {label}")[1:]]
            found = np.array([[number(cell) for cell in cells] for cells in written])
            assert found == pytest.approx(expected, abs=5.01e-3 if "Corr" in caption else 5.01e-5)


def test_confusion_recall_and_precision(iris_report: Report) -> None:
    predicted = PEER.predict(IRIS.rows)
    given = iris_report.table("On the rows given to the report")
    assert [[int(c) for c in line[1:]] for line in given[1:]] == confusion_matrix(
        IRIS.labels, predicted
    ).tolist()
    by_class = iris_report.table("Class by class")
    recall = recall_score(IRIS.labels, predicted, average=None)
    precision = precision_score(IRIS.labels, predicted, average=None)
    for line, *expected in zip(by_class[1:], recall, precision, strict=True):
        assert [percent(cell) for cell in line[3:5]] == pytest.approx(
            [100 * proportion for proportion in expected], abs=0.0501
        )


def test_held_out_confusion_is_that_of_the_comparison(iris_report: Report) -> None:
    held_out = iris_report.table("On rows held out")
    counts = np.array([[int(c) for c in line[1:]] for line in held_out[1:]])
    line = next(line for line in iris_report.table("Gaussian models") if "(this model)" in line[0])
    assert counts.sum(axis=1).tolist() == [50, 50, 50]
    assert line[0] == "QDA (this model)"
    assert int(line[3]) == counts.sum() - np.trace(counts)
    assert len(iris_report.table("Gaussian models")) == 1 + 6 + 2 + 5 + 1
    assert iris_report.table("Gaussian models")[-1][:5] == [
        "class frequencies",
        "–",
        "–",
        "100",
        "66.7 %",
    ]
    figures = {
        line[0]: line for line in iris_report.table("Figures of this model on rows held out")
    }
    assert percent(figures["error"][1]) == pytest.approx(percent(line[4]), abs=0.06)
    assert figures["log loss"][3] == f"{np.log(3):.4f}"


def test_errors_can_be_checked_by_hand(iris_report: Report) -> None:
    predicted = PEER.predict_proba(IRIS.rows)
    wrong = np.flatnonzero(PEER.predict(IRIS.rows) != IRIS.labels)
    surest = wrong[np.argsort(-predicted[wrong].max(axis=1))]
    cards = iris_report.section("errors").all("article")
    assert [card.all("h3")[0].words for card in cards] == [f"Row {row + 1}" for row in surest]
    for card, row in zip(cards, surest, strict=True):
        lines = {
            line.all("th")[0].words: [number(cell.words) for cell in line.all("td")]
            for line in card.all("tr")[1:]
        }
        names = [one.words for one in card.all("span") if one.attributes.get("class") == "class"]
        assert names[0] == IRIS.labels[row]
        for column, label in enumerate(names):
            own = IRIS.rows[IRIS.labels == label]
            gauss = multivariate_normal(own.mean(axis=0), np.cov(own.T, bias=True))
            code = IRIS.class_names.index(label)
            value = {name: both[column] for name, both in lines.items()}
            assert value["+ log likelihood"] == pytest.approx(
                gauss.logpdf(IRIS.rows[row]), abs=1e-6
            )
            assert value["log prior"] == pytest.approx(np.log(1 / 3), abs=1e-6)
            # Sums of numbers rounded to six places.
            joint = value["log prior"] + value["+ log likelihood"]
            assert value["= log joint"] == pytest.approx(joint, abs=1.6e-6)
            posterior = value["= log joint"] - value["− log evidence"]
            assert value["= log posterior"] == pytest.approx(posterior, abs=1.6e-6)
            assert value["posterior"] == pytest.approx(np.exp(posterior), abs=6e-5)
            assert value["posterior"] == pytest.approx(predicted[row, code], abs=6e-5)
            gap = IRIS.rows[row] - own.mean(axis=0)
            distance = np.sqrt(gap @ np.linalg.inv(np.cov(own.T, bias=True)) @ gap)
            assert value["Mahalanobis distance"] == pytest.approx(distance, abs=6e-5)
        assert [float(one.words) for one in card.all("dd")[2:]] == IRIS.rows[row].tolist()


def test_digest(iris_report: Report) -> None:
    text = "\n".join(IRIS.labels).encode()
    expected = hashlib.sha256(IRIS.rows.astype("<f8").tobytes() + text).hexdigest()
    assert expected in iris_report.section("reproduction").text
