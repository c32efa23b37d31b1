"""Categorical features on the command line: learnt from, told of, predicted, judged, explained."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from sklearn.metrics import log_loss
from sklearn.model_selection import (
    LeaveOneOut,
    StratifiedKFold,
    cross_val_predict,
    train_test_split,
)

from gaussbayes import GaussianClassifier, compare
from gaussbayes.data.readers import text
from gaussbayes.families.gaussian.structure import STRUCTURES
from gaussbayes.report import subject, svg_figures
from tests.cli.calling import Call, Shell
from tests.data.tables import CATEGORICAL, FORMATS, TARGET, WEATHER, weather
from tests.models import automatic_classifier

SETTINGS = ["-y", TARGET, "--features", ",".join(WEATHER), "--smoothing", "1"]
SETTINGS += ["--estimate", "plug-in"]
NAMED = ["--categorical", "wind,month", "--categorical", "rain"]


@pytest.fixture
def days(tmp_path: Path) -> pd.DataFrame:
    """Rows with gaps in numbers and categories: all.csv, its parts a.csv and b.csv, and others."""
    table = weather()
    for name, part in (("all", table), ("a", table.slice(0, 150)), ("b", table.slice(150))):
        for ending in (".csv", ".jsonl", ".parquet"):
            FORMATS[ending](part, tmp_path / f"{name}{ending}")
    return as_frame(table)


def as_frame(table: pa.Table) -> pd.DataFrame:
    return table.to_pandas().astype({"month": "Int64", "rain": "boolean"})


def in_memory(frame: pd.DataFrame, **settings: Any) -> GaussianClassifier:
    model = GaussianClassifier(categorical_features=CATEGORICAL, smoothing=1, **settings)
    return model.fit(frame[WEATHER], frame[TARGET])


def assert_same(name: str, expected: GaussianClassifier) -> None:
    found = GaussianClassifier.load(name)
    assert found.categories_ == expected.categories_
    np.testing.assert_array_equal(found.counts_.weight, expected.counts_.weight)
    np.testing.assert_array_equal(found.counts_.missing, expected.counts_.missing)
    np.testing.assert_allclose(found.means_, expected.means_, rtol=1e-8)
    np.testing.assert_allclose(found.covariances_, expected.covariances_, rtol=1e-6)


def fitted(call: Call, source: str = "all.csv", model: str = "m.json", *more: str) -> Any:
    result = call("fit", source, *SETTINGS, *NAMED, "-o", model, *more)
    assert result.exit_code == 0, result.stderr
    return result


@pytest.mark.parametrize("source", ["all.csv", "all.jsonl", "all.parquet"])
def test_fit(source: str, call: Call, days: pd.DataFrame) -> None:
    result = fitted(call, source, "m.json", "--json")
    assert_same("m.json", in_memory(days))
    told = json.loads(result.stdout)
    assert told["categorical"] == [
        {"feature": "wind", "categories": 4},
        {"feature": "month", "categories": 12},
        {"feature": "rain", "categories": 2},
    ]
    assert told["incomplete"] == int(days[WEATHER].isna().any(axis=1).sum())
    assert "wind: 4 categories\n" in result.stderr


def test_dictionaries_are_categories_by_themselves(call: Call, days: pd.DataFrame) -> None:
    table = weather().select(["wind", "pressure", TARGET])
    coded = table.set_column(0, "wind", table["wind"].dictionary_encode())
    parquet.write_table(coded, "coded.parquet")
    assert call("fit", "coded.parquet", "-y", TARGET, "-o", "m.json").exit_code == 0
    model = GaussianClassifier.load("m.json")
    assert model.categories_ == {"wind": tuple(sorted(days["wind"].dropna().unique()))}
    result = call("predict", "m.json", "coded.parquet", "--keep", "all", "-o", "out.parquet")
    assert result.exit_code == 0, result.stderr
    out = parquet.read_table("out.parquet")
    assert out["wind"].to_pylist() == table["wind"].to_pylist()
    assert pa.types.is_dictionary(out["wind"].type)
    assert call("convert", "coded.parquet", "plain.csv").exit_code == 0
    plain = call("predict", "m.json", "plain.csv", "--keep", "none")
    assert plain.stdout.split()[1:] == out["prediction"].to_pylist()
    assert "dictionary<values=string" in call("schema", "coded.parquet", "--json").stdout


def test_update_merge_and_forget(call: Call, days: pd.DataFrame) -> None:
    fitted(call, "a.csv", "a.json")
    fitted(call, "b.parquet", "b.json")
    assert call("update", "a.json", "b.jsonl", "-o", "both.json").exit_code == 0
    assert_same("both.json", in_memory(days))
    assert call("merge", "a.json", "b.json", "-o", "merged.json").exit_code == 0
    assert_same("merged.json", in_memory(days))
    result = call("forget", "both.json", "b.csv", "-o", "again.json")
    assert result.exit_code == 0, result.stderr
    assert_same("again.json", in_memory(days[:150]))
    strange = call("forget", "a.json", "b.csv")
    assert strange.exit_code == 3
    assert "b.csv does not fit a.json" in strange.stderr
    other = call("fit", "a.csv", *SETTINGS, *NAMED, "--smoothing", "2", "-o", "other.json")
    assert other.exit_code == 0
    unlike = call("merge", "a.json", "other.json", "-o", "c.json")
    assert unlike.exit_code == 3
    assert "different settings (smoothing)" in unlike.stderr


@pytest.mark.parametrize("source", ["b.csv", "b.jsonl", "b.parquet"])
def test_predictions_are_those_of_the_estimator(
    source: str, call: Call, days: pd.DataFrame
) -> None:
    fitted(call, "a.csv")
    scores = ["--proba", "--log-evidence", "--mahalanobis", "--p-values"]
    result = call("predict", "m.json", source, *scores, "--keep", "all", "-o", "out.parquet")
    assert result.exit_code == 0, result.stderr
    told, rows = pd.read_parquet("out.parquet"), days[150:][WEATHER]
    model = GaussianClassifier.load("m.json")
    assert told["prediction"].tolist() == model.predict(rows).tolist()
    for name, expected in (
        ("proba_", model.predict_proba(rows)),
        ("mahalanobis_", model.mahalanobis(rows)),
        ("p_value_", model.p_values(rows)),
    ):
        np.testing.assert_allclose(told.filter(like=name).to_numpy(), expected, rtol=1e-9)
    np.testing.assert_allclose(told["log_evidence"], model.score_samples(rows), rtol=1e-10)
    assert told["month"].isna().tolist() == rows["month"].isna().tolist()
    assert "not among the categories" not in result.stderr


@pytest.mark.parametrize(
    "decisions",
    [["--novelty", "0.01"], ["--reject-below", "0.9"], ["--priors", "from-data"]],
)
def test_decisions(decisions: list[str], call: Call, days: pd.DataFrame) -> None:
    fitted(call)
    result = call("predict", "m.json", "all.csv", *decisions)
    assert result.exit_code == 0, result.stderr
    assert len(result.stdout.splitlines()) == 1 + len(days)


def test_new_categories_are_told_of_once(
    call: Call, days: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted(call)
    sevens = (days["month"] == 7).fillna(False).astype(bool)
    new = days.assign(month=days["month"].mask(sevens, 77))
    new.loc[new.index % 2 == 0, "wind"] = "gale"
    new.to_csv("new.csv", index=False)
    monkeypatch.setattr(text, "BLOCK_BYTES", 2000)
    n = int(sevens.sum())
    message = f"200 values of 'wind' ('gale'), {n} values of 'month' (77)"
    result = call("predict", "m.json", "new.csv", "--proba", "-o", "out.parquet")
    assert result.stderr.count("not among the categories seen in training") == 1
    assert message in result.stderr
    gone = days.assign(
        wind=days["wind"].mask(days.index % 2 == 0), month=days["month"].mask(sevens)
    )
    told = pd.read_parquet("out.parquet").filter(like="proba_").to_numpy()
    expected = GaussianClassifier.load("m.json").predict_proba(gone[WEATHER])
    np.testing.assert_allclose(told, expected, rtol=1e-9)
    judged = call("evaluate", "m.json", "new.csv", "--json")
    assert judged.stderr.count(message) == 1
    assert json.loads(judged.stdout)["unseen"] == [
        {"feature": "wind", "values": 200, "examples": ["gale"]},
        {"feature": "month", "values": n, "examples": [77]},
    ]


def test_one_text_among_numbers_leaves_the_others_numbers(call: Call, days: pd.DataFrame) -> None:
    fitted(call)
    months = days["month"].astype(object).where(days["month"].notna(), "NA")
    months[::50] = "late"
    days.assign(month=months).to_csv("text.csv", index=False)
    days.assign(month=days["month"].mask(days.index % 50 == 0)).to_csv("gaps.csv", index=False)
    given = ["--proba", "--keep", "none"]
    with_text, with_gaps = (
        call("predict", "m.json", f"{name}.csv", *given) for name in ("text", "gaps")
    )
    assert with_text.stdout == with_gaps.stdout
    assert "8 values of 'month' ('late')" in with_text.stderr


def test_text_stays_text_though_it_looks_like_numbers(call: Call, days: pd.DataFrame) -> None:
    assert len(days)
    Path("a.csv").write_text("c,y\n01,u\nB,v\n2,v\nB,v\n01,u\n")
    Path("b.csv").write_text("c,y\n2,u\n2,v\n01,u\n")
    Path("c.csv").write_text("c,y\n2,u\n2,v\n")
    call("fit", "a.csv", "-y", "y", "--categorical", "c", "-o", "m.json")
    assert "not among" not in call("predict", "m.json", "b.csv").stderr
    assert "not among" not in call("predict", "m.json", "c.csv").stderr
    assert call("update", "m.json", "c.csv").exit_code == 0
    assert GaussianClassifier.load("m.json").categories_ == {"c": ("01", "2", "B")}


def test_evaluate(call: Call, days: pd.DataFrame) -> None:
    fitted(call, "a.csv")
    told = json.loads(call("evaluate", "m.json", "b.parquet", "--json").stdout)
    rest = days[150:]
    wrong = in_memory(days[:150]).predict(rest[WEATHER]) != rest[TARGET]
    assert (told["rows"], told["errors"], told["unseen"]) == (250, wrong.sum(), [])
    tested = call("evaluate", "a.csv", *SETTINGS, *NAMED, "--test", "b.csv", "--json")
    assert json.loads(tested.stdout)["errors"] == wrong.sum()


def whole(days: pd.DataFrame) -> pd.DataFrame:
    """The rows that lack nothing, also as whole.csv."""
    rows = days.dropna()
    rows.to_csv("whole.csv", index=False)
    return rows


def refitted(rows: pd.DataFrame, cv: Any, **settings: Any) -> Any:
    """Posteriors (n, k) of rows held out, by scikit-learn's folds."""
    model = GaussianClassifier(categorical_features=CATEGORICAL, smoothing=1, **settings)
    given = rows[WEATHER], rows[TARGET]
    return cross_val_predict(model, *given, cv=cv, method="predict_proba")


COLUMNS = "used 5 columns: 2 numbers, 3 categories\n"


def assert_judged(told: dict[str, Any], posterior: Any, labels: pd.Series) -> None:
    classes = np.unique(labels)
    assert told["errors"] == (classes[posterior.argmax(axis=1)] != labels).sum()
    assert told["log_loss"] == pytest.approx(log_loss(labels, posterior), rel=1e-9)


@pytest.mark.parametrize("source", ["all.csv", "all.jsonl", "all.parquet"])
def test_cross_validation_is_that_of_the_estimator(
    source: str, call: Call, days: pd.DataFrame
) -> None:
    options = ["--cv", "4", "--seed", "3", "--covariance", "diagonal", "--json"]
    result = call("evaluate", source, *SETTINGS, *NAMED, *options)
    assert (result.exit_code, result.stderr) == (0, COLUMNS)
    folds = StratifiedKFold(4, shuffle=True, random_state=3)
    told = json.loads(result.stdout)
    assert_judged(told, refitted(days, folds, covariance="diagonal"), days[TARGET])
    assert told["rows"] == len(days)


def test_rows_left_out_one_by_one(call: Call, days: pd.DataFrame) -> None:
    rows = whole(days[:150])
    result = call("evaluate", "whole.csv", *SETTINGS, *NAMED, "--loo", "--json")
    assert result.exit_code == 0, result.stderr
    assert_judged(json.loads(result.stdout), refitted(rows, LeaveOneOut()), rows[TARGET])
    days[:60].to_csv("few.csv", index=False)  # where values are missing each row takes a fit
    incomplete = call("evaluate", "few.csv", *SETTINGS, *NAMED, "--loo", "--json")
    assert json.loads(incomplete.stdout)["rows"] == 60


def test_a_share_held_out(call: Call, days: pd.DataFrame) -> None:
    result = call("evaluate", "all.csv", *SETTINGS, *NAMED, "--held-out", "0.25", "--json")
    assert result.exit_code == 0, result.stderr
    train, test = train_test_split(days, test_size=0.25, random_state=0, stratify=days[TARGET])
    posterior = in_memory(train.sort_index()).predict_proba(test[WEATHER])
    assert_judged(json.loads(result.stdout), posterior, test[TARGET])


def test_the_choice_is_judged(call: Call, days: pd.DataFrame) -> None:
    rows = whole(days)
    auto = ["--covariance", "auto", "--held-out", "3", "--json"]
    result = call("evaluate", "whole.csv", *SETTINGS, *NAMED, *auto)
    assert result.exit_code == 0, result.stderr
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    assert_judged(json.loads(result.stdout), refitted(rows, folds, covariance="auto"), rows[TARGET])


def test_categories_that_rule_out_every_class(call: Call, tmp_path: Path) -> None:
    lines = ["p,p,u", "q,q,v"] * 6 + ["p,q,u"]
    (tmp_path / "a.csv").write_text("\n".join(["a,b,y", *lines]) + "\n")
    given = ["a.csv", "-y", "y", "--categorical", "a,b", "--estimate", "plug-in"]
    result = call("evaluate", *given, "--cv", "3")
    assert result.exit_code == 3
    message = " ".join(result.stderr.split())
    assert "the model cannot predict rows that are held out" in message
    assert "set --smoothing above 0" in message
    record = json.loads(call("compare", *given, "--held-out", "3", "--json").stdout)
    judged = [each for each in record["models"] if each["neighbors"] is None]
    others = ["automatic choice", "logistic regression"]
    assert [each["model"] for each in judged] == ["categorical", *others]
    assert "set --smoothing above 0" in judged[0]["problem"]
    assert [each["problem"] for each in judged[1:]] == [None, None]  # it is smoothed
    assert call("evaluate", *given, "--cv", "3", "--smoothing", "1").exit_code == 0


def test_compare(call: Call, days: pd.DataFrame) -> None:
    rows = whole(days)
    result = call("compare", "whole.csv", *SETTINGS, *NAMED, "--held-out", "3", "--json")
    assert (result.exit_code, result.stderr) == (0, COLUMNS)
    told = json.loads(result.stdout)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    names = [one["model"] for one in told["models"]]
    assert names[:8] == [*STRUCTURES, "automatic choice", "logistic regression"]
    assert all(one["problem"] is None for one in told["models"])
    for one, structure in zip(told["models"], STRUCTURES.values(), strict=False):
        settings = {"covariance": structure.covariance, "shared": structure.shared}
        assert_judged(one, refitted(rows, folds, **settings), rows[TARGET])
        assert one["parameters"] == in_memory(rows, **settings).n_parameters_
    automatic = automatic_classifier(categorical_features=CATEGORICAL)
    best = automatic.fit(rows[WEATHER], rows[TARGET]).selection_.best
    assert told["selection"]["chosen"]["log_loss"] == pytest.approx(best.log_loss, rel=1e-9)
    alone = call("compare", "whole.csv", *SETTINGS, *NAMED, "--neighbors", "", "--no-auto")
    assert (alone.exit_code, alone.stderr) == (0, COLUMNS)


def test_compare_on_the_rows_of_another_file(call: Call, days: pd.DataFrame) -> None:
    rows = whole(days)
    tests = rows[::3].astype({"month": object, "wind": object})
    tests.iloc[0, tests.columns.get_loc("month")] = "late"  # makes it a column of text
    tests.iloc[1, tests.columns.get_loc("wind")] = "gale"
    tests.to_csv("tests.csv", index=False)
    options = ["--held-out", "tests.csv", "--no-auto", "--neighbors", "", "--json"]
    result = call("compare", "whole.csv", *SETTINGS, *NAMED, *options)
    assert result.exit_code == 0, result.stderr
    unseen = "1 value of 'wind' ('gale'), 1 value of 'month' ('late')"
    assert result.stderr.count("not among the categories") == 1
    assert unseen in result.stderr
    gaps = rows[::3].copy()
    gaps.iloc[0, gaps.columns.get_loc("month")] = pd.NA
    gaps.iloc[1, gaps.columns.get_loc("wind")] = None
    told = json.loads(result.stdout)["models"][0]
    assert_judged(told, in_memory(rows).predict_proba(gaps[WEATHER]), gaps[TARGET])


def test_dictionaries_are_compared_and_judged_as_categories(call: Call, days: pd.DataFrame) -> None:
    assert len(days)
    table = weather().select(["wind", "pressure", TARGET]).drop_null()
    coded = table.set_column(0, "wind", table["wind"].dictionary_encode())
    parquet.write_table(coded, "coded.parquet")
    parquet.write_table(table, "plain.parquet")
    for subcommand, *more in (["evaluate"], ["compare", "--no-auto"]):
        options = ["-y", TARGET, "--held-out", "3", "--json", *more]
        found = call(subcommand, "coded.parquet", *options)
        assert found.exit_code == 0, found.stderr
        named = call(subcommand, "plain.parquet", *options, "--categorical", "wind")
        a, b = (json.loads(one.stdout) for one in (found, named))
        if subcommand == "compare":
            a, b = a["models"][0], b["models"][0]
        assert (a["errors"], a["log_loss"]) == (b["errors"], b["log_loss"])


def test_many_numbers_are_told_of_once_for_all_folds(call: Call, tmp_path: Path) -> None:
    rows = pd.DataFrame({"id": [n % 1500 for n in range(3000)], "x": np.arange(3000) % 7})
    rows.assign(y=np.arange(3000) // 2 % 2).to_csv(tmp_path / "a.csv", index=False)
    options = ["-y", "y", "--categorical", "id", "--smoothing", "1", "--held-out", "3"]
    for subcommand, *more in (["evaluate"], ["compare", "--no-auto"]):
        result = call(subcommand, "a.csv", *options, *more)
        assert result.exit_code == 0, result.stderr
        assert result.stderr.count("warning: 'id' is categorical and has 1,500 different") == 1
        assert "not among" not in result.stderr


def test_show(call: Call, days: pd.DataFrame) -> None:
    fitted(call)
    told = json.loads(call("show", "m.json", "--json").stdout)
    model = in_memory(days)
    assert told["kinds"] == ["category", "number", "category", "number", "category"]
    assert told["settings"]["smoothing"] == 1
    assert [one["feature"] for one in told["categories"]] == list(CATEGORICAL)
    for one in told["categories"]:
        assert tuple(one["categories"]) == model.categories_[one["feature"]]
        proportion = np.array(one["probabilities"])
        np.testing.assert_allclose(
            proportion, model.category_probabilities_[one["feature"]], rtol=1e-12
        )
        np.testing.assert_allclose(proportion.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(told["means"], model.means_, rtol=1e-8)
    assert told["n_parameters"]["categorical"] == 3 * (3 + 11 + 1)
    assert told["n_parameters"]["total"] == model.n_parameters_
    text = call("show", "m.json").stdout
    assert "3 classes, 5 features, 3 of them categorical" in text
    assert "p(wind | class)" in text
    assert "smoothing   1" in text
    assert "Bayes error" in call("show", "m.json", "--bayes-error").stdout


def test_many_categories_are_shortened(call: Call, tmp_path: Path) -> None:
    names = [f"c{number}" for number in range(14)]
    rows = pd.DataFrame({name: [f"v{n % 20:02}" for n in range(60)] for name in names})
    rows.assign(y=[n % 2 for n in range(60)]).to_csv(tmp_path / "a.csv", index=False)
    many = ["--categorical", ",".join(names), "--smoothing", "1"]
    call("fit", "a.csv", "-y", "y", "--model", "qda", *many, "-o", "m.json")
    text = " ".join(call("show", "m.json").stdout.split())
    assert "Not shown: 2 tables, 8 of p(c0 | class), 8 of p(c1 | class)" in text
    assert "v11" in text
    assert "v12" not in text


def test_sample(call: Call, days: pd.DataFrame) -> None:
    fitted(call)
    result = call("sample", "m.json", "-n", "20000", "--seed", "3", "-o", "drawn.parquet")
    assert result.exit_code == 0, result.stderr
    drawn, model = pd.read_parquet("drawn.parquet"), in_memory(days)
    assert drawn.columns.tolist() == [*WEATHER, TARGET]
    for name in CATEGORICAL:
        for c, label in enumerate(model.classes_):
            own = drawn.loc[drawn[TARGET] == label, name]
            proportion = [(own == category).mean() for category in model.categories_[name]]
            expected = model.category_probabilities_[name][c]
            np.testing.assert_allclose(proportion, expected, atol=5 * np.sqrt(0.25 / len(own)))
    again = call("predict", "m.json", "drawn.parquet")
    assert "not among" not in again.stderr


def test_explain(call: Call, days: pd.DataFrame) -> None:
    fitted(call)
    model = GaussianClassifier.load("m.json")
    days.assign(wind="gale").to_csv("new.csv", index=False)
    for source, frame in (("all.csv", days), ("new.csv", days.assign(wind="gale"))):
        told = json.loads(call("explain", "m.json", source, "--row", "5", "--json").stdout)
        expected = model.explain(frame[WEATHER][4:5]).as_record()
        assert told["log_odds"]["contributions"] == expected["log_odds"]["contributions"]
    assert "Never seen in training" in call("explain", "m.json", "new.csv").stdout
    assert call("explain", "m.json", "all.csv", "--reference", "1000,15").exit_code == 0
    result = call("explain", "m.json", "all.csv", "--reference", "1,2,3,4,5")
    assert result.exit_code == 2
    assert "for each of the 2 features that are compared with a point" in result.stderr


@pytest.mark.parametrize("selection", ["bic", "leave-one-out"])
def test_the_structure_is_chosen(call: Call, days: pd.DataFrame, selection: str) -> None:
    given = ["fit", "all.csv", *SETTINGS, *NAMED, "--covariance", "auto", "-o", "m.json"]
    result = call(*given, "--selection", selection)
    assert result.exit_code == 0, result.stderr
    best = in_memory(days, covariance="auto", selection=selection.replace("-", "_"))
    assert GaussianClassifier.load("m.json").structure_ == best.structure_


def test_reports_and_figures(
    call: Call, days: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(days)
    monkeypatch.setattr(subject, "compare", partial(compare, automatic=False))
    monkeypatch.setattr(svg_figures, "inline_figures", lambda _: {})  # test_report draws them
    fitted(call)
    report = call("report", "m.json", "a.csv", "--held-out", "2")
    assert report.exit_code == 0, report.stderr
    coarse = ["--dpi", "40", "-o", "p.png"]
    for kind, *shown in (
        ("pairs", "--features", "pressure,wind"),
        ("confusion",),
        ("calibration",),
    ):
        figure = call("plot", "m.json", "all.csv", "--kind", kind, *shown, *coarse)
        assert figure.exit_code == 0, figure.stderr
        assert Path("p.png").stat().st_size > 1000
    learnt = ["--learn-from", "pressure,warmth,wind", "--categorical", "wind", "--smoothing", "1"]
    for kind, features in (
        ("densities", "pressure"),
        ("dataset", "wind"),
        ("dataset", "pressure,warmth"),
        ("sharing", "pressure,warmth"),
    ):
        drawn = ["--kind", kind, "--features", features, *coarse]
        result = call("plot", "all.csv", "-y", TARGET, *learnt, *drawn)
        assert result.exit_code == 0, result.stderr


def test_compare_without_numbers(call: Call, days: pd.DataFrame) -> None:
    assert len(days)
    only = ["--features", "wind,rain", "--categorical", "wind,rain", "--smoothing", "1"]
    result = call("compare", "all.csv", "-y", TARGET, *only, "--held-out", "3", "--candidates")
    assert result.exit_code == 0, result.stderr
    # Beside the family of categories the automatic choice has those of their codes.
    assert "automatic choice: categorical; best of 22 candidates" in result.stdout
    structures = [line for line in result.stdout.splitlines() if "QDA" in line]
    assert all("coded" in line for line in structures)  # others would all be the same
    compared = json.loads(call("compare", "all.csv", "-y", TARGET, *only, "--json").stdout)
    names = [each["model"] for each in compared["models"] if each["neighbors"] is None]
    assert names == ["categorical", "automatic choice", "logistic regression"]


def test_distances_are_those_of_numbers(call: Call, days: pd.DataFrame) -> None:
    assert len(days)
    wind = ["--features", "wind", "--categorical", "wind", "-o", "w.json"]
    assert call("fit", "all.csv", "-y", TARGET, *wind).exit_code == 0
    alone = call("predict", "w.json", "all.csv", "--p-values")
    assert alone.exit_code == 3
    assert "distances are those of Gaussian features, and this model has none" in alone.stderr
    assert "(--log-evidence)" in alone.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--categorical", "gusts"], 3, "lacks the features that hold categories: 'gusts'"),
        (["--categorical", "wind,wind"], 2, "expected different names"),
        (["--categorical", "wind", "--categorical", "wind"], 2, "'wind' is given twice"),
        (["--smoothing", "-1"], 2, "expected a number from 0 on, got '-1'"),
        (["--smoothing", "inf"], 2, "expected a number from 0 on"),
        (["--categorical", "wind,pressure"], 3, "column 'pressure' holds numbers such as"),
        (["--numeric", "wind"], 3, "Remedies: take strings for categories (--categorical wind"),
    ],
)
def test_mistakes(
    arguments: list[str], code: int, message: str, call: Call, days: pd.DataFrame
) -> None:
    days[days["pressure"].notna()].to_csv("rows.csv", index=False)
    result = call("fit", "rows.csv", "-y", TARGET, *arguments)
    assert result.exit_code == code
    assert message in " ".join(result.stderr.split())
    assert not Path("model.json").exists()


def test_many_numbers_are_a_warning_without_code(call: Call, tmp_path: Path) -> None:
    rows = pd.DataFrame({"id": range(3000), "y": [n % 2 for n in range(3000)]})
    rows.to_csv(tmp_path / "a.csv", index=False)
    result = call("fit", "a.csv", "-y", "y", "--categorical", "id", "--model", "qda")
    assert result.exit_code == 0
    assert result.stderr.count("warning: 'id' is categorical and has 3,000 different") == 1
    assert "UserWarning" not in result.stderr


def test_standard_input(shell: Shell, days: pd.DataFrame) -> None:
    named = " ".join([*SETTINGS, *NAMED])
    done = shell(
        f"cat all.csv | gaussbayes fit - {named} -o piped.json && "
        f"gaussbayes fit all.csv {named} -o named.json && cmp piped.json named.json && "
        "cat all.csv | gaussbayes predict piped.json - | wc -l"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(1 + len(days))
