"""What a report says, against the methods of the classifier; odd tables; files that cannot be."""

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gaussbayes import AutoClassifier, DataError, GaussianClassifier
from tests.report.reading import Report, read_report

LONG = "äöü Ελληνικά Кириллица $x$ 花瓣长 " + "Donaudampfschifffahrt" * 5


def test_metrics_are_those_of_evaluate(iris_report: Report, irises: pd.DataFrame) -> None:
    model = GaussianClassifier().fit(irises, "species")
    evaluation = model.evaluate(irises, "species", cv=10)
    errors = f"Held-out error rate: {evaluation.n_errors} of 150 ({100 * evaluation.error:.1f} %)"
    assert errors in iris_report.words
    assert "evaluated by 10-fold cross-validation" in iris_report.words
    table = iris_report.table("Metrics")
    assert [line[:-1] for line in table[1:]] == [
        [cell.replace("\xa0", " ") for cell in metric.cells[:-1]] for metric in evaluation.metrics()
    ]
    for line, label, recall in zip(
        iris_report.table("Classes")[1:], evaluation.classes, evaluation.recall, strict=True
    ):
        assert line[:3] == [label, "50", f"{100 * recall:.1f} %"]
    captions = [caption.words for caption in iris_report.root.all("figcaption")]
    for words in (
        "Confusion",
        "Calibration",
        "ROC",
        "Precision",
        "Importance",
        "Decision",
        "pairs",
    ):
        assert any(words in caption for caption in captions)


def test_errors_name_the_features_that_caused_them(
    iris_report: Report, irises: pd.DataFrame
) -> None:
    model = GaussianClassifier().fit(irises, "species")
    predicted = model.predict(irises)
    wrong = np.flatnonzero(predicted != irises["species"])
    largest = model.predict_proba(irises).max(axis=1)[wrong]
    articles = iris_report.section("errors").all("article")
    rows = wrong[np.argsort(-largest)]
    assert [article.all("h3")[0].words for article in articles] == [f"Row {i + 1}" for i in rows]
    for article, row in zip(articles, rows, strict=True):
        between = (predicted[row], irises["species"][row])
        assert [dd.words.split()[0] for dd in article.all("dd")] == [*between[::-1]]
        odds = model.explain(irises.iloc[[row]], between).log_odds
        assert odds is not None
        causes = sorted(
            (part for part in odds.contributions if part.amount > 0), key=lambda p: -p.amount
        )
        lines = [[cell.words for cell in line.all("th", "td")] for line in article.all("tr")]
        assert lines == [[p.feature, f"{p.value:g}", f"+{p.amount:.2f}"] for p in causes[:4]]


def test_parameters_and_columns(iris_report: Report, irises: pd.DataFrame) -> None:
    mean = irises.groupby("species").mean()
    for line in iris_report.table("mean")[1:]:
        assert [float(cell) for cell in line[1:]] == pytest.approx(mean[line[0]].tolist(), rel=1e-4)
    columns = iris_report.table("Columns")
    assert [line[:2] for line in columns[1:]] == [[name, "number"] for name in irises.columns[:4]]
    assert "The target is “species”" in iris_report.words


@pytest.fixture(scope="module")
def customers() -> pd.DataFrame:
    """Identifiers, dates, categories, a constant, missing values and labels, and long names."""
    generator = np.random.default_rng(0)
    n, k = 240, 8
    y = np.arange(n) % k
    days = pd.to_timedelta(generator.normal(100 + 30 * y, 20).round(), "D")
    frame = pd.DataFrame(
        {
            "customer": [f"C{i:05d}" for i in range(n)],
            "signed up": pd.Timestamp("2024-01-01") + days,
            "colour": np.array(["red", "green", "blue"])[(y + generator.integers(0, 2, n)) % 3],
            f"size {LONG}": generator.normal(y, 1.5),
            "constant": 1,
            "segment": [f"{code} {LONG}" for code in y],
        }
    )
    frame.loc[::11, "colour"] = None
    frame.loc[::50, "segment"] = None
    return frame


@pytest.fixture(scope="module")
def customer_report(customers: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Report:
    path = tmp_path_factory.mktemp("report") / "customers.html"
    with pytest.warns(UserWarning, match="customer"):
        model = AutoClassifier().fit(customers, "segment")
    return read_report(model.report(customers, "segment", path))


def test_a_table_of_every_kind(customer_report: Report, customers: pd.DataFrame) -> None:
    words = customer_report.words
    assert customer_report.root.all("h1")[0].words == "segment: predicted from 3 features"
    kinds = {line[0]: line[1:] for line in customer_report.table("Columns")[1:]}
    assert kinds["customer"] == ["excluded", "identifies rows"]
    assert kinds["constant"][0] == "excluded"
    assert kinds["signed up"][0] == "date"
    assert "customer (identifies rows)" in words  # the notice
    rows = [article.all("h3")[0].words for article in customer_report.root.all("article")]
    assert rows
    assert all(re.fullmatch(r"customer C\d{5}", row) for row in rows)
    (dates,) = (line for line in customer_report.table("mean") if line[0] == "signed up")
    first, last = customers["signed up"].min(), customers["signed up"].max()
    assert all(first <= pd.Timestamp(date) <= last for date in dates[1:])
    assert LONG in words
    assert "{" not in words.split("How to reproduce")[0]  # no dictionary is printed


def test_rows_that_the_model_has_not_seen(irises: pd.DataFrame, tmp_path: Path) -> None:
    model = GaussianClassifier().fit(irises[::2], "species")
    report = read_report(model.report(irises[1::2], "species", tmp_path / "a.html", title="<Test>"))
    wrong = int((model.predict(irises[1::2]) != irises["species"][1::2]).sum())
    assert f"Error rate on these rows: {wrong} of 75" in report.words
    assert "The fitted model predicted these rows" in report.words
    assert report.root.all("title")[0].text == "<Test>"
    report = read_report(model.report(irises, "species", tmp_path / "a.html", cv=0.3))
    assert "predicted by a model that was fitted without it" in report.words


def test_the_same_report_is_the_same_file(irises: pd.DataFrame, tmp_path: Path) -> None:
    two = irises[["petal width (cm)", "species"]]
    model = GaussianClassifier().fit(two, "species")
    texts = [model.report(two, "species", tmp_path / "a.html").read_bytes() for _ in range(2)]
    assert texts[0] == texts[1]


def test_everything_given_is_escaped(irises: pd.DataFrame, tmp_path: Path) -> None:
    labels = np.array(['<script>alert("1")</script>', "a & b's", "</style></body>"])
    frame = irises.iloc[:, :2].set_axis(["<img src=x onerror=1>", "http://a.b/c"], axis=1)
    y = labels[np.unique(irises["species"], return_inverse=True)[1]]
    report = read_report(GaussianClassifier().fit(frame, y).report(frame, y, tmp_path / "a.html"))
    assert not report.root.all("script", "b", "i")
    assert all("onerror" not in element.attributes for element in report.root.all())
    assert len(report.root.all("body")) == len(report.root.all("style")) == 1
    for text in (*labels, *frame.columns):
        assert text in report.words
    addresses = (value for e in report.root.all() for value in e.attributes.values())
    assert not [value for value in addresses if value.startswith("http")]


def test_many_classes_are_listed_not_drawn(tmp_path: Path) -> None:
    codes = np.repeat(np.arange(50), 4)
    X = np.random.default_rng(1).normal(size=(200, 2)) + codes[:, None]
    model = GaussianClassifier("diagonal", shared=True).fit(X, codes)
    report = read_report(model.report(X, codes, tmp_path / "a.html"))
    assert len(report.root.all("figure")) == 1
    assert len(report.table("Classes")) == 51
    confusion = model.evaluate(X, codes, cv=10).confusion
    _, *lines = report.table("most frequent errors")
    assert all(confusion[int(true), int(said)] == int(n) > 1 for true, said, n in lines)
    assert "The parameters of the first 12 of 50 classes are shown." in report.words


def test_files_are_replaced_whole_or_not_at_all(
    irises: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = irises[["petal width (cm)", "species"]]
    model = GaussianClassifier().fit(one, "species")

    def write(path: Any) -> Path:
        return model.report(one, "species", path, cv=2)

    path, link = tmp_path / "report.html", tmp_path / "link.html"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to("report.html")
    assert write(link) == link
    assert link.is_symlink()
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert path.stat().st_mode & 0o777 == 0o640
    for place, kind in ((tmp_path, IsADirectoryError), (path / "a.html", NotADirectoryError)):
        with pytest.raises(kind):
            write(place)
    with pytest.raises(FileNotFoundError, match="nowhere.*No such file"):
        write(tmp_path / "nowhere" / "a.html")
    with pytest.raises(DataError, match="one label for each row, got labels of shape"):
        model.report(one[["petal width (cm)"]], np.ones((150, 3)) / 3, path)
    for library in ("jinja2", "matplotlib"):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, library, None)
            words = rf"a report needs {library}, not installed: pip install 'gaussbayes\[plot\]'"
            with pytest.raises(ImportError, match=words):
                write(path)

    def full(self: Path, target: Path) -> None:  # noqa: ARG001
        raise OSError(28, "No space left on device")

    before = path.read_bytes()
    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match=r"cannot write the report to .*report\.html.*No space left"):
        write(path)
    assert path.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["link.html", "report.html"]
