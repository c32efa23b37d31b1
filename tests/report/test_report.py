"""Reports on all kinds of models and rows, and what is refused."""

import re
from functools import partial
from pathlib import Path
from runpy import run_path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import gaussbayes
from gaussbayes import DataError, GaussianClassifier, OptionError, compare
from gaussbayes.datasets import load_iris
from gaussbayes.report import html_report, subject, svg_figures, write_report
from tests.report.reading import Report, read_report

IRIS = load_iris()
QUICK = {"held_out": 2}


def plane() -> tuple[Any, Any]:
    """Two features of the irises."""
    return IRIS.rows[:, 2:], IRIS.labels


def report_on(model: Any, X: Any, y: Any, folder: Path, **options: Any) -> Report:
    return read_report(write_report(model, X, y, folder / "report.html", **(QUICK | options)))


def run(code: str, names: dict[str, Any]) -> None:
    """Run code in the working directory, with some names known."""
    Path("code.py").write_text(code, encoding="utf-8")
    run_path("code.py", names)


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of the words alone: figures and choices take most of the time of a report."""
    monkeypatch.setattr(svg_figures, "inline_figures", lambda _: {})
    monkeypatch.setattr(subject, "compare", partial(compare, automatic=False))


def undated(report: Report) -> str:
    return re.sub(r"<time.*?</time>", "", report.html)


def named(report: Report) -> list[str]:
    """The figures, by the beginning of their descriptions."""
    drawn = [one for figure in report.root.all("figure") for one in figure.all("svg", "img")]
    return [(one.attributes.get("aria-label") or one.attributes["alt"]).split()[0] for one in drawn]


def test_same_arguments_same_bytes_whatever_the_settings(tmp_path: Path) -> None:
    X, y = plane()
    model = GaussianClassifier("diagonal").fit(X, y)
    first = undated(report_on(model, X, y, tmp_path))
    with mpl.rc_context({"axes.facecolor": "black", "font.size": 30, "svg.fonttype": "none"}):
        ours = mpl.rcParams.copy()
        mine = plt.figure()
        assert undated(report_on(model, X, y, tmp_path)) == first
        assert mpl.rcParams == ours
        assert plt.get_fignums() == [mine.number]
        plt.close(mine)


@pytest.mark.usefixtures("undrawn")
def test_another_seed_is_another_report(tmp_path: Path) -> None:
    X, y = plane()
    model = GaussianClassifier("diagonal").fit(X, y)
    first, second = (report_on(model, X, y, tmp_path, random_state=seed) for seed in (0, 1))
    assert undated(first) != undated(second)


def assert_reproduces(
    report: Report, folder: Path, X: Any, y: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """The code in a report writes it again, and prints the digest of its data."""
    *_, code, digest = [element.text for element in report.root.all("pre")]
    scope = {"X": X, "y": y}
    run(code, scope)
    assert undated(read_report(folder / "report.html")) == undated(report)
    capsys.readouterr()
    run("import numpy as np\n" + digest, scope)
    assert capsys.readouterr().out.strip() in report.section("reproduction").text


@pytest.mark.usefixtures("undrawn")
def test_code_in_the_report_reproduces_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    X, y = plane()
    monkeypatch.chdir(tmp_path)
    priors = {"setosa": 0.2, "versicolor": 0.3, "virginica": 0.5}
    fitted = GaussianClassifier(shared=True, priors=priors, shrinkage=0.1).fit(X, y)
    given = GaussianClassifier.from_parameters(
        fitted.priors_, fitted.means_, fitted.covariances_, fitted.classes_
    )
    for model in (fitted, given):
        report = report_on(model, X, y, tmp_path)
        assert_reproduces(report, tmp_path, X, y, capsys)


def patients() -> tuple[pd.DataFrame, Any]:
    """A number, a count and two categories, one of them numbers; values and labels missing."""
    generator = np.random.default_rng(3)
    y = np.arange(90) % 3
    frame = pd.DataFrame(
        {
            "age": generator.normal(40 + 9 * y, 5),
            "visits": generator.poisson(1 + 2 * y).astype(float),
            "cough": pd.Categorical(generator.choice(["dry", "none", "wet"], 90)),
            "grade": pd.Categorical((y + generator.integers(0, 2, 90)) % 3 + 1),
        }
    )
    frame.loc[::8, "age"] = np.nan
    frame.loc[3::11, "cough"] = None
    labels = np.array(["a", "b", "c"], dtype=object)[y]
    labels[5::6] = None
    return frame, labels


@pytest.mark.usefixtures("undrawn")
def test_code_for_categories_counts_and_missing_labels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    X, y = patients()
    monkeypatch.chdir(tmp_path)
    marked = np.where(np.equal(y, None), "?", y)
    for labels, mark in ((y, None), (marked, "?")):
        model = GaussianClassifier(smoothing=1, families={"visits": "poisson"}, unlabelled=mark)
        report = report_on(model.fit(X, labels), X, labels, tmp_path)
        assert_reproduces(report, tmp_path, X, labels, capsys)


@pytest.mark.usefixtures("undrawn")
def test_categories_counts_missing_values_and_labels(tmp_path: Path) -> None:
    X, y = patients()
    model = GaussianClassifier(smoothing=1, families={"visits": "poisson"}).fit(X, y)
    report = report_on(model, X, y, tmp_path)
    labelled = [label is not None for label in y]
    data = report.section("data").words
    assert f"{len(y) - sum(labelled)} rows have no label" in data
    assert (
        f"{X.isna().to_numpy().sum()} values are missing, in {X.isna().any(axis=1).sum()}" in data
    )
    assert report.table("Classes")[-1] == ["no label", "15", "–"]
    for line, name in zip(report.table("Features")[1:], ["age", "visits"], strict=True):
        assert [line[0], line[5]] == [name, str(X[name].isna().sum())]
        assert float(line[2]) == pytest.approx(X[name].mean(), abs=0.06)
    cough = report.table("Categories of cough")
    for line, category in zip(cough[1:4], ["dry", "none", "wet"], strict=True):
        assert line[:2] == [category, str((X["cough"] == category).sum())]
        own = X["cough"][(y == "b") & X["cough"].notna()]
        assert line[3] == f"{100 * (own == category).mean():.1f} %"
    assert cough[4][:2] == ["missing", str(X["cough"].isna().sum())]
    parameters = report.section("parameters").words
    assert "QDA with categorical and Poisson features" in parameters
    for name, table in model.category_probabilities_.items():
        written = [[float(c) for c in line[1:]] for line in report.table(f"p({name} | class)")[1:]]
        np.testing.assert_allclose(written, table, atol=5.01e-5)
    rates = [float(line[1]) for line in report.table("Rate")[1:]]
    np.testing.assert_allclose(rates, model.means_[:, 1], rtol=1e-3)
    wrong = (model.predict(X) != y)[labelled].sum()
    assert f"it errs in {wrong} of {sum(labelled)}" in report.words
    given = report.table("On the rows given to the report")
    assert sum(int(cell) for line in given[1:] for cell in line[1:]) == sum(labelled)
    assert "logistic regression" in report.words


@pytest.mark.usefixtures("undrawn")
def test_a_model_of_categories_alone(tmp_path: Path) -> None:
    X, y = patients()
    X = X[["cough", "grade"]]
    report = report_on(GaussianClassifier(smoothing=1).fit(X, y), X, y, tmp_path)
    assert [one.text for one in report.root.all("title")] == ["Categorical naive Bayes on 90 rows"]
    compared = report.table("This model and others")
    names = [line[0] for line in compared[1:]]
    assert names[0] == "categorical naive Bayes (this model)"
    assert names[1:3] == ["logistic regression", "1 nearest neighbour"]
    assert names[-1] == "class frequencies"
    held_out = report.table("On rows held out")
    errors = sum(
        int(c) for i, line in enumerate(held_out[1:]) for j, c in enumerate(line[1:]) if i != j
    )
    assert compared[1][3] == str(errors)
    assert "Mahalanobis" not in report.words
    assert not any("covariance" in line[0] for line in report.table("Priors"))


@pytest.mark.usefixtures("undrawn")
def test_method_of_the_model_and_public_name(tmp_path: Path) -> None:
    X, y = plane()
    model = GaussianClassifier("spherical", shared=True).fit(X, y)
    path = model.report(X, y, tmp_path / "a.html", title="Flowers & <more>", **QUICK)
    assert path == tmp_path / "a.html"
    report = read_report(path)
    assert [one.text for one in report.root.all("title", "h1")] == ["Flowers & <more>"] * 2
    assert gaussbayes.write_report is write_report
    options = {"title": "Flowers & <more>", **QUICK}
    same = gaussbayes.write_report(model.model_, X, y, tmp_path / "b.html", **options)
    assert same.read_text(encoding="utf-8") == path.read_text(encoding="utf-8")


@pytest.mark.usefixtures("undrawn")
def test_between_own_and_shared_covariances(tmp_path: Path) -> None:
    X, y = plane()
    report = report_on(GaussianClassifier(shared=0.25).fit(X, y), X, y, tmp_path)
    assert "each class that is shrunk towards the pooled one" in report.words
    assert "25 %: each class its own" in report.section("parameters").words
    names = [line[0] for line in report.table("Gaussian models")]
    assert [name for name in names if "(this model)" in name] == ["full, 25 % shared (this model)"]


def test_figures_by_number_of_features(tmp_path: Path, iris_report: Report) -> None:
    X, y = IRIS.rows, IRIS.labels
    every = ["Confusion", "Calibration", "Histogram", "Held-out"]
    one = report_on(GaussianClassifier().fit(X[:, :1], y), X[:, :1], y, tmp_path)
    assert named(one) == ["Densities,", *every]
    two = report_on(GaussianClassifier().fit(X[:, :2], y), X[:, :2], y, tmp_path)
    assert named(two) == ["Decision", "A", "A", *every]
    assert named(iris_report) == ["Decision", "Decision", *every]


def test_everything_given_is_escaped_and_addresses_are_text(tmp_path: Path) -> None:
    names = ['<script>alert("1")</script>', "a & b's", "</style></body>"]
    features = ["<img src=x onerror=1>", '"quoted"']
    X, y = plane()
    labels = np.array(names)[np.unique(y, return_inverse=True)[1]]
    model = GaussianClassifier().fit(X, labels).with_feature_names(features)
    source, command = "<b>file</b> of http://a.b/c", "cat <x> && rm 'y'"
    report = report_on(model, X, labels, tmp_path, source=source, command=command, title="<i>")
    assert not report.root.all("script", "b", "i")
    assert all("onerror" not in one.attributes for one in report.root.all())
    assert len(report.root.all("body")) == len(report.root.all("style")) == 1
    for text in (*names, *features, source, command):
        assert text in report.words
    # An address is text as well, in the data section and the last one.
    assert report.html.count("://") == 2
    assert not [v for one in report.root.all() for v in one.attributes.values() if "://" in v]


LONG = "äöü Ελληνικά Кириллица $x$ " + "Donaudampfschifffahrt" * 5


def test_twenty_classes_with_long_and_foreign_names(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    classes = np.array([f"_{code} {LONG}" for code in range(20)])
    codes = np.repeat(np.arange(20), 6)
    X = rng.normal(size=(120, 2)) + 3 * rng.normal(size=(20, 2))[codes]
    model = GaussianClassifier("diagonal").fit(X, classes[codes])
    report = report_on(model, X, classes[codes], tmp_path)
    assert "The first 12 of 20 classes are shown." in report.section("parameters").words
    assert len(report.table("On the rows given to the report")) == 21
    assert len(report.table("Classes")) == 21
    assert max(len(line) for line in report.table("Features")) == 5 + 12
    assert LONG in report.words


@pytest.mark.usefixtures("undrawn")
def test_many_features_with_long_and_foreign_names(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    codes = np.arange(40) % 2
    X = rng.normal(size=(40, 14))
    X[:, 3:9] += 2 * codes[:, None]
    frame = pd.DataFrame(X, columns=[f"{j} {LONG}" for j in range(14)])
    report = report_on(GaussianClassifier(shared=True).fit(frame, codes), frame, codes, tmp_path)
    assert "The first 12 of 14 features are shown." in report.section("parameters").words
    assert len(report.table("Correlations of all classes together")) == 13
    # The features shown are those with the fewest errors when a model is fitted to one alone:
    # that model is the marginal of the whole.
    alone = [GaussianClassifier(shared=True).fit(X[:, [j]], codes) for j in range(14)]
    right = [model.score(X[:, [j]], codes) for j, model in enumerate(alone)]
    listed = re.search(r"sees one alone: (.*?)\. The pair", report.section("figures").words)
    assert listed is not None
    shown = [int(number) for number in re.findall(r"“(\d+) ", listed[1])]
    assert len(shown) == 6
    assert min(right[j] for j in shown) >= sorted(right)[-6]


def test_very_many_classes_are_listed_not_drawn(tmp_path: Path) -> None:
    codes = np.repeat(np.arange(50), 4)
    X = np.random.default_rng(1).normal(size=(200, 2)) + codes[:, None]
    model = GaussianClassifier("diagonal", shared=True).fit(X, codes)
    report = report_on(model, X, codes, tmp_path)
    assert "Figures of 50 classes could not be read, and are left out." in report.words
    labels = model.predict(X)
    confused = report.table("The most frequent confusions")
    for true, predicted, count in confused[1:]:
        assert ((codes == int(true)) & (labels == int(predicted))).sum() == int(count)


@pytest.mark.usefixtures("undrawn")
def test_large_data_are_sampled_and_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(html_report, "MOST_COMPARED", 1000)
    codes = np.array([0] * 1500 + [1] * 1100 + [2] * 3)
    X = np.random.default_rng(2).normal(size=(codes.size, 2)) + codes[:, None]
    model = GaussianClassifier(shared=True).fit(X, codes)
    report = report_on(model, X, codes, tmp_path)
    assert "a sample of 2,000 of 2,603 rows" in report.section("figures").words
    assert "a sample of 1,000 of 2,603 rows" in report.section("comparison").words
    counts = [
        [int(c.replace(",", "")) for c in line[1:]]
        for line in report.table("On the rows given to the report")[1:]
    ]
    assert np.sum(counts, axis=1).tolist() == [1500, 1100, 3]
    wrong = int((model.predict(X) != codes).sum())
    assert f"it errs in {wrong:,} of 2,603" in report.words


@pytest.mark.usefixtures("undrawn")
def test_a_constant_feature_is_flagged(tmp_path: Path) -> None:
    X, y = plane()
    X = np.column_stack([X, np.full(len(X), 7.5)])
    model = GaussianClassifier("spherical").fit(X, y)
    report = report_on(model, X, y, tmp_path)
    assert report.table("Features")[3][:5] == [
        "feature 2 constant",
        "7.500",
        "7.500",
        "0.000",
        "7.500",
    ]
    assert "Constant in these rows: “feature 2”" in report.words


@pytest.mark.usefixtures("undrawn")
def test_a_class_absent_from_the_rows(tmp_path: Path) -> None:
    X, y = plane()
    model = GaussianClassifier().fit(X, y)
    some = y != "setosa"
    report = report_on(model, X[some], y[some], tmp_path)
    assert "No row is of class “setosa”, which the model knows." in report.words
    assert report.table("Class by class")[1] == ["setosa", "0", "0", *["–"] * 4]
    assert len(report.table("On rows held out")) == 3


def test_only_one_class_among_the_rows(tmp_path: Path) -> None:
    X, y = plane()
    report = report_on(GaussianClassifier().fit(X, y), X[:50], y[:50], tmp_path)
    assert "The models could not be compared: a classifier needs at least two" in report.words
    assert "There are none: each of the rows" in report.section("errors").words


@pytest.mark.usefixtures("undrawn")
def test_fewer_folds_than_asked_for(tmp_path: Path) -> None:
    X, y = plane()
    some = np.r_[0:50, 50:53]
    model = GaussianClassifier("spherical").fit(X[some], y[some])
    report = report_on(model, X[some], y[some], tmp_path, held_out=10)
    assert "3-fold" in report.section("comparison").words
    assert f"3 folds instead of 10: class {str(y[50])!r} has 3 rows." in report.words


@pytest.mark.usefixtures("undrawn")
def test_test_rows_of_ones_own(tmp_path: Path) -> None:
    frame = pd.DataFrame(IRIS.rows[:, 2:], columns=["length", "width"])
    train, test = np.arange(0, 150, 2), np.arange(1, 150, 2)
    model = GaussianClassifier().fit(frame.iloc[train], IRIS.labels[train])
    report = report_on(
        model,
        frame.iloc[train],
        IRIS.labels[train],
        tmp_path,
        held_out=(frame.iloc[test], IRIS.labels[test]),
    )
    held_out = report.table("On rows held out")
    predicted = model.predict(frame.iloc[test])
    right = [int(line[1 + i]) for i, line in enumerate(held_out[1:])]
    assert sum(right) == int((predicted == IRIS.labels[test]).sum())
    assert "held_out=(X_test, y_test)" in report.section("reproduction").text


@pytest.mark.parametrize(
    ("X", "y", "error", "message"),
    [
        (np.empty((0, 2)), [], DataError, "0 sample"),
        ([[1.0, 2.0]], ["rose"], DataError, "unknown labels"),
        ([[1.0, 2.0, 3.0]], ["setosa"], DataError, "3 features, but 2 are expected"),
        ([[1.0, 2.0]], ["setosa", "setosa"], DataError, "1 rows, but y has 2"),
        ([[1.0, np.inf]], ["setosa"], DataError, "infinity"),
        ([[1.0, 2.0]], [None], DataError, "at least one row that has a label"),
    ],
)
def test_rows_that_are_refused(
    tmp_path: Path, X: Any, y: Any, error: type[Exception], message: str
) -> None:
    model = GaussianClassifier().fit(*plane())
    with pytest.raises(error, match=message):
        report_on(model, X, y, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_models_and_settings_that_are_refused(tmp_path: Path) -> None:
    X, y = plane()
    with pytest.raises(TypeError, match="a fitted classifier is needed here, got str"):
        report_on("QDA", X, y, tmp_path)
    with pytest.raises(NotFittedError):
        report_on(GaussianClassifier(), X, y, tmp_path)
    model = GaussianClassifier().fit(X, y)
    with pytest.raises(OptionError, match="random_state must be a non-negative integer"):
        report_on(model, X, y, tmp_path, random_state=None)
    with pytest.raises(OptionError, match="held_out must be"):
        report_on(model, X, y, tmp_path, held_out="half")
    frame = pd.DataFrame(X, columns=["a", "b"])
    with pytest.raises(ValueError, match="must be in the order of the features"):
        report_on(GaussianClassifier().fit(frame, y), frame[["b", "a"]], y, tmp_path)
    assert list(tmp_path.iterdir()) == []
