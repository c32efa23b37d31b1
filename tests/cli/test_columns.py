"""Columns of small tables as people have them: what is used, as what, and what is left out."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from gaussbayes import AutoClassifier, GaussianClassifier
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.data.column_roles import LeakageWarning, decide_roles
from gaussbayes.data.roles import Request
from tests.cli.calling import Call

N = 90
TARGET = "species"
FIXED = {"covariance": "full", "shared": True, "smoothing": 1.0, "features": "auto"}


def plain(n: int = N) -> pd.DataFrame:
    """A number, a category, and a class that follows from both."""
    generator = np.random.default_rng(7)
    kind = generator.choice(["a", "b", "c"], n)
    size = generator.normal(size=n) + 1.5 * (kind == "a")
    colour = np.where(generator.random(n) < 0.7, np.where(kind == "b", "red", "blue"), "grey")
    return pd.DataFrame({"size": size.round(3), "colour": colour, TARGET: kind})


def with_identifiers(frame: pd.DataFrame) -> pd.DataFrame:
    n = len(frame)
    frame.insert(0, "rownames", range(1, n + 1))
    shuffled = np.random.default_rng(1).permutation(10 * n)[:n]
    return frame.assign(
        number=np.arange(n) ** 2 + 1000,
        customerId=shuffled,
        StoreID=shuffled % 5,
        name=[f"person {i}" for i in range(n)],
    )


def with_unnamed_index(frame: pd.DataFrame) -> pd.DataFrame:
    frame.insert(0, "Unnamed: 0", range(len(frame)))
    return frame


def with_text(frame: pd.DataFrame) -> pd.DataFrame:
    words = ["very good", "not so bad", "could be better", "as it should be"]
    notes = [f"{words[i % 4]}, said number {i // 2} of all of them" for i in range(len(frame))]
    return frame.assign(note=notes, town=[f"town {i % 40}" for i in range(len(frame))])


def with_dates(frame: pd.DataFrame) -> pd.DataFrame:
    days = pd.Timestamp("2024-02-27") + pd.to_timedelta(np.arange(len(frame)) * 7 % 50, "D")
    hours = pd.Timestamp("2023-01-01 06:00") + pd.to_timedelta(np.arange(len(frame)) % 31, "h")
    return frame.assign(
        day=days.strftime("%Y-%m-%d"), at=hours.strftime("%Y-%m-%dT%H:%M:%S").where(hours.hour != 9)
    )


def with_missing_values(frame: pd.DataFrame) -> pd.DataFrame:
    every = np.arange(len(frame))
    frame = frame.assign(
        size=frame["size"].where(every % 7 != 0), colour=frame["colour"].where(every % 5 != 0)
    )
    return frame.assign(empty=np.nan, nothing=None)


def with_constants(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(year=2024, country="IT", flag=True)


def with_duplicates(frame: pd.DataFrame) -> pd.DataFrame:
    code = frame["colour"].map({"red": 3, "blue": 1, "grey": 2})
    return frame.assign(again=frame["size"], kilo=1 - 8 * frame["size"], code=code)


def with_leakage(frame: pd.DataFrame) -> pd.DataFrame:
    code = frame[TARGET].map({"a": 0, "b": 1, "c": 2})
    return frame.assign(code=code, place=code * 2 + np.arange(len(frame)) % 2)


def with_rare_classes(frame: pd.DataFrame) -> pd.DataFrame:
    labels = frame[TARGET].to_numpy().copy()
    labels[:2] = ["rare", "seldom"]
    return frame.assign(**{TARGET: labels})


def with_unicode_names(frame: pd.DataFrame) -> pd.DataFrame:
    number = [str(i) for i in range(len(frame))]
    return frame.rename(columns={"size": "Größe in µm", "colour": "色"}).assign(имя=number)


def with_booleans(frame: pd.DataFrame) -> pd.DataFrame:
    wet = np.random.default_rng(3).random(len(frame)) < 0.3
    return frame.assign(wet=wet, visits=np.arange(len(frame)) * 7 % 11)


USED = "used 2 columns: 1 number, 1 category"
TABLES: dict[Callable[[pd.DataFrame], pd.DataFrame], str] = {
    with_identifiers: f"{USED}; left out rownames (identifies rows), number (identifies rows), "
    "customerId (identifies rows), StoreID (identifies groups), name (identifies rows)",
    with_unnamed_index: f"{USED}; left out Unnamed: 0 (identifies rows)",
    with_text: f"{USED}; left out note (identifies rows), town (40 categories in 90 rows)",
    with_dates: "used 4 columns: 1 number, 1 category, 2 dates",
    with_missing_values: f"{USED}; left out empty (no values), nothing (no values)",
    with_constants: f"{USED}; left out year (constant), country (constant), flag (constant)",
    with_duplicates: f"{USED}; left out again (a copy of size), kilo (one to one with size), code "
    "(one to one with colour)",
    with_leakage: "used 3 columns: 2 numbers, 1 category; left out code (one to one with {})",
    with_rare_classes: USED,
    with_unicode_names: f"{USED}; left out имя (identifies rows)",
    with_booleans: "used 4 columns: 2 numbers, 2 categories",
}


@pytest.mark.filterwarnings("ignore::gaussbayes.data.column_roles.LeakageWarning")
@pytest.mark.parametrize("made", TABLES, ids=lambda made: made.__name__)
def test_the_same_from_a_file_and_a_frame(made: Any, call: Call, tmp_path: Path) -> None:
    """One fit each: the model files are the same, but for what the target is called."""
    frame = made(plain())
    frame.to_csv("table.csv", index=False)
    options = ["--shared", "--smoothing", "1", "--json"]
    result = call("fit", "table.csv", "-y", TARGET, *options)
    assert result.exit_code == 0, result.stderr
    assert result.stderr.startswith(TABLES[made].format(TARGET) + "\n")
    X, y = frame.drop(columns=TARGET), frame[TARGET].to_numpy(str)
    model = GaussianClassifier(**FIXED).fit(X, y)
    assert model.columns_.sentence == TABLES[made].format("the target")
    assert (model.n_features_in_, list(model.feature_names_in_)) == (X.shape[1], list(X.columns))
    loaded = GaussianClassifier.load(tmp_path / "model.json")
    expected = model.predict_log_proba(X)
    np.testing.assert_allclose(loaded.predict_log_proba(X), expected, rtol=1e-9)
    np.testing.assert_allclose(model.predict_log_proba(X.head(3)), expected[:3], rtol=1e-9)
    used = X[list(model.model_.schema.features)]
    np.testing.assert_allclose(model.predict_log_proba(used), expected, rtol=1e-9)
    # Files have their columns in any order, with others beside them.
    frame[frame.columns[::-1]].assign(more=1).to_csv("other.csv", index=False)
    assert call("predict", "model.json", "other.csv", "--proba", "-o", "p.csv").exit_code == 0
    predicted = pd.read_csv("p.csv").filter(like="proba_")
    np.testing.assert_allclose(predicted, np.exp(expected), rtol=1e-6, atol=1e-12)
    shown = call("show", "model.json").stdout
    assert TABLES[made].format(TARGET)[:20] in " ".join(shown.split())


def test_containers_and_engines_agree(tmp_path: Path) -> None:
    frame = with_dates(with_identifiers(plain()))
    frame = frame.assign(
        day=pd.to_datetime(frame["day"]), at=pd.to_datetime(frame["at"]), town="Bari"
    )
    X, y = frame.drop(columns=TARGET), frame[TARGET].to_numpy(str)
    model = GaussianClassifier(**FIXED).fit(X, y)
    assert model.columns_.origins == {"day": "2024-02-27", "at": "2023-01-01"}
    assert model.means_[:, 1].min() > 0
    expected = model.predict_log_proba(X)
    for other in (pl.from_pandas(X), pa.Table.from_pandas(X, preserve_index=False)):
        same = GaussianClassifier(**FIXED).fit(other, y)
        assert same.columns_ == model.columns_
        np.testing.assert_allclose(same.predict_log_proba(other), expected, rtol=1e-9)
        np.testing.assert_allclose(model.predict_log_proba(other), expected, rtol=1e-9)
    frame.to_parquet(tmp_path / "t.parquet", index=False)
    lazy = pl.from_pandas(frame).lazy()
    for source in (tmp_path / "t.parquet", lazy, duckdb.from_df(frame)):
        same = GaussianClassifier(**FIXED).fit_source(source, TARGET)
        assert same.columns_.names == model.columns_.names
        assert same.columns_.origins == model.columns_.origins
        np.testing.assert_allclose(same.predict_log_proba(X), expected, rtol=1e-6)


def test_dates_in_dask() -> None:
    import dask.dataframe as dd

    frame = with_dates(with_identifiers(plain()))
    frame["day"] = pd.to_datetime(frame["day"])
    X = frame.drop(columns=TARGET)
    model = GaussianClassifier(**FIXED).fit(X, frame[TARGET].to_numpy(str))
    parts = GaussianClassifier(**FIXED).fit_source(dd.from_pandas(frame, npartitions=1), TARGET)
    assert parts.columns_.names == model.columns_.names
    np.testing.assert_allclose(parts.predict_log_proba(X), model.predict_log_proba(X), rtol=1e-9)


def test_everything_can_be_overruled(call: Call) -> None:
    frame = with_identifiers(with_constants(plain())).assign(grade=np.arange(N) % 4)
    frame.to_csv("t.csv", index=False)
    X, y = frame.drop(columns=TARGET), frame[TARGET].to_numpy(str)

    def names(**settings: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
        roles = GaussianClassifier(**FIXED | {"shrinkage": 0.5} | settings).fit(X, y).columns_
        kinds = [
            [c.name for c in roles.used if (c.role == "category") == is_category]
            for is_category in (False, True)
        ]
        return tuple(kinds[0]), tuple(kinds[1])

    def names_of_command(*options: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        given = ["--shared", "--smoothing", "1", "--shrinkage", "0.5", *options]
        result = call("fit", "t.csv", "-y", TARGET, *given, "-o", "m.json")
        assert result.exit_code == 0, result.stderr
        roles = GaussianClassifier.load("m.json").columns_
        kinds = [
            [c.name for c in roles.used if (c.role == "category") == is_category]
            for is_category in (False, True)
        ]
        return tuple(kinds[0]), tuple(kinds[1])

    for settings, options, expected in (
        ({}, [], (("size", "grade"), ("colour",))),
        (
            {"exclude": ["gr*", "colour"]},
            ["--exclude", "gr*", "--exclude", "colour"],
            (("size",), ()),
        ),
        ({"features": ["s*", "number"]}, ["--features", "s*,number"], (("size", "number"), ())),
        (
            {"categorical_features": ["grade"]},
            ["--categorical", "grade"],
            (("size",), ("colour", "grade")),
        ),
        (
            {"numeric": ["StoreID"]},
            ["--numeric", "StoreID"],
            (("size", "StoreID", "grade"), ("colour",)),
        ),
        (
            {"families": {"StoreID": "poisson"}},
            ["--family", "StoreID=poisson"],
            (("size", "StoreID", "grade"), ("colour",)),
        ),
        (
            {"keep_identifiers": True},
            ["--keep-identifiers"],
            (("rownames", "size", "number", "customerId", "StoreID", "grade"), ("colour",)),
        ),
    ):
        assert names(**settings) == expected, settings
        assert names_of_command(*options) == expected, options


def test_what_is_learnt_by_the_automatic_model_is_no_identifier(call: Call) -> None:
    """Irises in the order of their classes: the row number would be right in every row."""
    from gaussbayes.datasets import load_iris

    iris = load_iris()
    frame = pd.DataFrame(iris.rows, columns=iris.feature_names).assign(species=iris.labels)
    frame.to_csv("iris.csv")  # with the index, which has no name
    result = call("fit", "iris.csv", "-y", "species")
    assert result.stderr.startswith("used 4 columns: 4 numbers; left out unnamed (identifies rows)")
    model = GaussianClassifier.load("model.json")
    assert model.model_.schema.features == tuple(iris.feature_names)


def test_perfect_features_of_nature_are_kept() -> None:
    generator = np.random.default_rng(0)
    y = np.repeat(["a", "b"], 30)
    length = np.where(y == "a", 1.4, 5.0) + generator.normal(scale=0.2, size=60).round(1)
    tiny = pd.DataFrame({"test": [True, True, True, False, False, False]})
    roles = decide_roles(pd.DataFrame({"length": length}), Request(None, "auto"), labels=_codes(y))
    assert roles.columns[0].role == "number"
    roles = decide_roles(tiny, Request(None, "auto"), labels=np.repeat([0, 1], 3).astype(np.int32))
    assert roles.columns[0].role == "category"
    # Several values for each class, each of them of one class: it is used, with a warning.
    site = pd.DataFrame({"site": np.arange(60) // 10, "size": generator.normal(size=60)})
    with pytest.warns(LeakageWarning, match="'site' alone determines the target"):
        GaussianClassifier(**FIXED).fit(site, y)


def test_thresholds_of_a_number_give_the_target_away(call: Call) -> None:
    """A score that was cut into grades is warned of; one that parts some classes only is not."""
    generator = np.random.default_rng(1)
    score = generator.integers(101, size=N)
    grade = np.select([score >= 70, score >= 50], ["good", "pass"], "fail")
    frame = plain().drop(columns=TARGET).assign(score=score, grade=grade)
    frame.to_csv("t.csv", index=False)
    given = ["-y", "grade", "--shared", "--smoothing", "1"]
    result = call("fit", "t.csv", *given)
    assert "score alone determines grade: if it is known only with the class" in result.stderr
    assert "--exclude score" in result.stderr
    assert "alone determines" not in call("fit", "t.csv", *given, "--exclude", "score").stderr
    for labels, n_doubts in (
        (np.where(grade == "fail", "fail", "other"), 1),
        (np.where(grade == "pass", "pass", "other"), 0),  # two thresholds, two classes
        (np.where(score == score.max(), "top", "other"), 0),  # one row may be it by chance
    ):
        roles = decide_roles(frame[["score"]], Request(None, "auto"), labels=_codes(labels))
        assert len(roles.doubts) == n_doubts


def _codes(y: Any) -> Any:
    return np.unique(y, return_inverse=True)[1].astype(np.int32)


def test_ranks_and_facts_of_groups_are_no_copies() -> None:
    generator = np.random.default_rng(5)
    group = generator.integers(30, size=200)
    facts = generator.normal(size=(2, 30)).round(2)
    frame = pd.DataFrame(
        {
            "rank": generator.permutation(200),
            "income": facts[0][group],
            "rent": facts[1][group],
            "log": np.exp(facts[0][group]),
        }
    )
    roles = decide_roles(frame, Request(None, "auto"))
    assert roles.sentence == "used 3 columns: 3 numbers; left out log (one to one with income)"


def test_a_copy_is_one_whatever_the_unit() -> None:
    """Also where values have no squares: 1e300, or 1e-300."""
    size = np.random.default_rng(5).normal(size=200)
    for unit in (1e300, 1.0, 1e-300):
        frame = pd.DataFrame({"size": unit * size, "again": unit * size, "kilo": size / 1000})
        assert decide_roles(frame, Request(None, "auto")).sentence == (
            "used 1 column: 1 number; left out again (a copy of size), kilo (one to one with size)"
        )


def test_codes_with_a_sign_are_categories_and_strays_are_mistakes() -> None:
    n = 200
    y = np.arange(n) % 2
    children = pd.DataFrame({"children": np.array(["0", "1", "2", "3+"])[np.arange(n) % 4]})
    assert decide_roles(children, Request(None, "auto")).columns[0].role == "category"
    weights = pd.DataFrame({"weight": [f"{1 + i / 10}" for i in range(n)]})
    weights.loc[17, "weight"] = "heavy"
    with pytest.raises(DataError, match="'weight' holds numbers, but for 'heavy' in row 17"):
        GaussianClassifier(**FIXED).fit(weights, y)
    some = weights.assign(weight=weights["weight"].where(np.arange(n) % 9 != 0, "heavy"))
    reason = decide_roles(some.assign(x=y * 0.5), Request(None, "auto")).columns[0].reason
    assert reason == "numbers and text, such as 'heavy'"


ROWS = [f"{i},{i % 3}.5,{'uv'[i % 2]}" for i in range(30)]
TABLE = "\n".join(["a,x,y", *ROWS])


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (TABLE, ["-y", "a"], "the target 'a' is different in each of 30 rows"),
        ("\n".join(["a,x,y", *(r[:-1] + "u" for r in ROWS)]), [], "is 'u' in all 30 rows"),
        (TABLE, ["-y", "x"], "'x' is continuous"),
        (TABLE, ["--exclude", "y"], "the target 'y' cannot be left out: it is named by --exclude"),
        (TABLE, ["--exclude", "?"], "the target 'y' cannot be left out"),
        (TABLE, ["--exclude", "x"], "all are left out, 'a' (identifies rows), 'x' (excluded)"),
        (TABLE, ["--exclude", "x"], "Remedies: learn from it all the same (--features a)"),
        (TABLE, ["--categorical", "x"], "'x' holds numbers such as 0.5, but categories are"),
        (TABLE, ["--features", "x,y"], "is the target and cannot be a feature"),
        (TABLE, ["--exclude", "z"], "lacks the columns to exclude: 'z'"),
        (TABLE, ["--exclude", "z*"], "there is no column 'z*'"),
        (
            "\n".join(["a,x", *(f"k{max(0, i - 30)},{i % 7}" for i in range(100))]),
            ["-y", "a"],
            "the target 'a' has 70 different values in 100 rows, such as 'k0' and 'k69'",
        ),
        (
            "\n".join(["key,note,y", *(f"k{i},said {i},{'uv'[i % 2]}" for i in range(30))]),
            [],
            "'note' (identifies rows). Names of rows say nothing about rows not seen yet: add",
        ),
        ("\n".join(["a,a,y", *ROWS]), [], "more than one column called 'a'"),
        (
            "\n".join(ROWS),
            [],
            "looks like a row of data ('0', '0.5', 'u'), but must name the columns",
        ),
        ("\n".join(ROWS), [], "give --no-header"),
    ],
)
def test_bad_input(text: str, options: list[str], message: str, call: Call) -> None:
    Path("t.csv").write_text(text, encoding="utf-8")
    given = options if "-y" in options else ["-y", "y", *options]
    result = call("fit", "t.csv", *given, "--shared")
    assert result.exit_code == 3, (result.stdout, result.stderr)
    assert message in " ".join(result.stderr.split())
    assert not Path("model.json").exists()


def test_noise_is_told_from_what_is_of_use(call: Call) -> None:
    Path("t.csv").write_text("\n".join(["a,y", *(f"{i},{'uv'[i % 2]}" for i in range(30))]))
    fit = call("fit", "t.csv", "-y", "y", "--features", "a")
    assert fit.exit_code == 0, fit.stderr
    assert "notice: the features tell nothing about the class" in " ".join(fit.stderr.split())


def with_another(rows: list[str]) -> list[str]:
    """The same with a column of a few numbers more."""
    return [row.replace(",", f",{number * 7 % 11},") for number, row in enumerate(rows)]


def test_a_stray_text_in_a_column_of_numbers(call: Call) -> None:
    rows = [f"{i / 8},{'uv'[i % 2]}" for i in np.random.default_rng(2).permutation(120)]
    Path("t.csv").write_text("\n".join(["x,y", *rows[:40], "heavy,u", *rows[40:]]))
    stopped = call("fit", "t.csv", "-y", "y")
    assert stopped.exit_code == 3
    assert "t.csv, row 41, column 'x': 'heavy' is not a number" in stopped.stderr
    assert "--bad-rows skip" in stopped.stderr
    skipped = call("fit", "t.csv", "-y", "y", "--bad-rows", "skip")
    assert skipped.exit_code == 0
    assert "learnt from 120 rows" in skipped.stderr
    assert "1 row was left out:\n  t.csv, row 41, column 'x': 'heavy'" in skipped.stderr
    # With other columns, it may be left out; and a code with a letter may be a category.
    Path("t.csv").write_text("\n".join(["x,z,y", *with_another(rows), "heavy,3,u"]))
    for command in (["fit"], ["evaluate", "--cv", "2"]):
        stopped = call(*command, "t.csv", "-y", "y", "--shared", "--smoothing", "1")
        assert re.findall(r"\((--\w+ x)\)", stopped.stderr) == ["--categorical x", "--exclude x"]
    # Integers and others like 136A are codes, if there are several of the latter.
    codes = [f"{1000 + i // 2}{'A' * (i < 2)},{row}" for i, row in enumerate(with_another(rows))]
    Path("t.csv").write_text("\n".join(["code,x,z,y", *codes]))
    fit = call("fit", "t.csv", "-y", "y", "--shared", "--smoothing", "1")
    assert "left out code (numbers and text, such as '1000A')" in fit.stderr
    # 001, 002, 136A are codes.
    codes = [f"{i // 8:03}{'A' * (i == 5)},{row}" for i, row in enumerate(with_another(rows))]
    Path("t.csv").write_text("\n".join(["code,x,z,y", *codes]))
    fit = call("fit", "t.csv", "-y", "y", "--shared", "--smoothing", "1")
    assert fit.stderr.startswith("used 3 columns: 2 numbers, 1 category")


def test_infinite_numbers_are_missing_values_if_columns_are_chosen(call: Call) -> None:
    """As if nothing were written there; if the column was asked for, they are errors."""
    frame = plain().assign(end=lambda rows: rows["size"].round(1))
    some = np.arange(N) % 10 == 3
    frame.assign(end=frame["end"].where(~some)).to_csv("empty.csv", index=False)
    infinite = frame.assign(
        end=frame["end"].where(~some, np.where(frame["end"] > 0, np.inf, -np.inf))
    )
    infinite.to_csv("t.csv", index=False)
    given = ["-y", TARGET, "--shared", "--smoothing", "1"]
    fit = call("fit", "t.csv", *given)
    assert fit.exit_code == 0, fit.stderr
    assert "end: infinite numbers are taken for missing values" in fit.stderr
    assert "9 rows have missing values" in fit.stderr
    assert "end: -inf, inf" in " ".join(call("show", "model.json").stdout.split())
    assert call("fit", "empty.csv", *given, "-o", "empty.json").exit_code == 0
    answers = [
        call("predict", model, file, "--proba", "--keep", "none").stdout
        for model, file in (("model.json", "t.csv"), ("empty.json", "empty.csv"))
    ]
    assert answers[0] == answers[1]
    X, y = infinite.drop(columns=TARGET), infinite[TARGET]
    with pytest.warns(UserWarning, match="^end: infinite numbers are taken for missing values"):
        model = GaussianClassifier(**FIXED).fit(X, y)
    loaded = GaussianClassifier.load("model.json")
    np.testing.assert_allclose(model.predict_proba(X), loaded.predict_proba(X), rtol=1e-9)
    stopped = call("fit", "t.csv", *given, "--features", "size,end")
    assert stopped.exit_code == 3
    assert "row 4, column 'end': '" in stopped.stderr
    remedies = re.findall(r"\((--[^()]*)\)", stopped.stderr)
    assert remedies == ["--na-values end=inf,-inf", "--exclude end"]


def test_columns_are_decided_on_by_rows_from_the_whole_table(call: Call) -> None:
    """Tables are often sorted: what is constant at first need not be so later."""
    n = 120_000
    frame = pd.DataFrame({"home": ["Rome", "Oslo"], "dose": [np.nan, 2.0]}).loc[
        np.arange(n) // 60_000
    ]
    frame = frame.assign(x=np.arange(n) % 7, y=np.arange(n) // 60_000 + np.arange(n) % 2)
    frame.to_csv("t.csv", index=False)
    result = call("fit", "t.csv", "-y", "y", "--shared", "--smoothing", "1", "--json")
    assert result.exit_code == 0, result.stderr
    assert result.stderr.startswith(
        "used 2 columns: 1 number, 1 category; left out dose (constant)"
    )
    roles = GaussianClassifier(**FIXED).fit(frame.drop(columns="y"), frame["y"]).columns_
    assert roles == GaussianClassifier.load("model.json").columns_


def test_columns_that_are_called_numbers_of_something() -> None:
    """Unique integers in any order: ranks are numbers, those of a patient are names."""
    generator = np.random.default_rng(4)
    unique = generator.permutation(900)[:N]
    names = {
        "patient": "rows",
        "Sample Number": "rows",
        "bib_num": "rows",
        "distcode": "rows",
        "unitid": "rows",
        "PID": "rows",
        "idno": "rows",
        "rank": None,
        "paid": None,
        "casino": None,
    }
    frame = pd.DataFrame({name: generator.permutation(unique) for name in names})
    frame["subjid"] = unique // 30
    # Some come twice; prices and sums of orders may well be nearly all different.
    again = unique.copy()
    again[: N // 30] = unique[N // 2 :][: N // 30]
    names |= {"Student": "rows", "bib_no": "rows", "ticket_price": None, "order_total": None}
    frame = frame.assign(Student=again, bib_no=again + 1, ticket_price=again[::-1])
    frame["order_total"] = frame["ticket_price"] ** 2
    # Codes that come again and again: of people, of few sites, and numbers of children.
    codes = generator.permutation(np.arange(N) % (N // 3))
    names |= {"subjid": "groups", "Patient": "groups", "patient_weight": None, "student": None}
    frame = frame.assign(Patient=codes, patient_weight=codes[::-1], student=codes % 4)
    roles = decide_roles(frame, Request(None, "auto")).columns
    expected = {name: f"identifies {what}" if what else None for name, what in names.items()}
    assert {each.name: each.reason for each in roles} == expected


def test_columns_of_text_are_named_so_that_they_can_be_pasted(call: Call) -> None:
    frame = plain().assign(**{"sea state": ["calm", "rough", "high"] * 30, "a,b": ["p", "q"] * 45})
    frame.to_csv("t.csv", index=False)
    given = ["fit", "t.csv", "-y", TARGET, "--shared", "--smoothing", "1"]
    stopped = call(*given, "--numeric", 'colour,sea state,"a,b"')
    assert stopped.exit_code == 3
    pasted = """--categorical 'colour,sea state,"a,b"'"""
    assert pasted in stopped.stderr
    with pytest.raises(DataError, match=r"categorical_features=\['colour', 'sea state', 'a,b'\]"):
        GaussianClassifier().fit(frame.drop(columns=TARGET), frame[TARGET])
    assert call(*given, *shlex.split(pasted)).exit_code == 0


def test_a_file_without_header(call: Call) -> None:
    Path("t.csv").write_text("\n".join(ROWS))
    given = ["-y", "x3", "--no-header"]
    fit = call("fit", "t.csv", *given, "--shared")
    assert fit.stderr.startswith("used 1 column: 1 number; left out x1 (identifies rows)\n")
    assert "learnt from 30 rows: 2 classes, 1 feature;" in fit.stderr
    predicted = call("predict", "model.json", "t.csv", "--no-header")
    assert predicted.stdout.count("\n") == 31
    # Strings that occur again and again in the first line are rather values.
    Path("t.csv").write_text("p,x,p,p,x\ne,y,p,x,x\np,p,p,p,p")
    assert "looks like a row of data" in call("fit", "t.csv", "-y", "x").stderr


def test_a_hundred_thousand_categories(call: Call) -> None:
    n = 100_000
    frame = pd.DataFrame({"key": [f"k{i % n}" for i in range(2 * n)], "x": np.arange(2 * n) % 7})
    frame.assign(y=np.arange(2 * n) % 2).to_parquet("t.parquet", index=False)
    result = call("fit", "t.parquet", "-y", "y", "--shared")
    assert result.stderr.startswith("used 1 column: 1 number; left out key (identifies rows)")


def test_arguments_of_the_classifier() -> None:
    frame = plain()
    X, y = frame.drop(columns=TARGET), frame[TARGET]
    with pytest.raises(OptionError, match=r"one name is written \['size'\]"):
        GaussianClassifier(features="size").fit(X, y)
    with pytest.raises(OptionError, match="columns of an array have no names"):
        GaussianClassifier(exclude=["size"]).fit(X[["size"]].to_numpy(), y)
    with pytest.raises(DataError, match="'sise'.*did you mean|is it 'size'"):
        GaussianClassifier(features=["sise"]).fit(X, y)
    with pytest.raises(DataError, match="it is said what 'size' holds, but it is excluded"):
        GaussianClassifier(features="auto", exclude=["size"], numeric=["size"]).fit(X, y)
    with pytest.raises(DataError, match="the target 'y' is different in each of 90 rows"):
        AutoClassifier().fit(X, np.arange(N))
    with pytest.raises(OptionError, match="must be given by their names"):
        GaussianClassifier(features="auto", families={0: "gaussian"}).fit(X.assign(c=1), y)
    for settings in ({}, {"features": "auto"}):
        with pytest.raises(DataError, match=r"na_values names 'sise', which is no .*'size'\?"):
            GaussianClassifier(**settings, na_values={"sise": -1}).fit(X, y)
    with pytest.raises(DataError, match="na_values names 'size', which is no column: the col"):
        GaussianClassifier(na_values={"size": -1}).fit(X[["size"]].to_numpy(), y)
    array = AutoClassifier().fit(np.arange(40.0)[:, None], np.arange(40) // 20)
    assert not hasattr(array, "columns_")


def test_a_marginal_and_other_names() -> None:
    frame = with_dates(with_identifiers(plain()))
    X, y = frame.drop(columns=TARGET), frame[TARGET]
    model = GaussianClassifier(**FIXED).fit(X, y)
    part = model.marginal(["day", "colour"])
    assert part.feature_names_in_.tolist() == ["day", "colour"]
    assert part.predict(X[["day", "colour"]]).shape == (N,)
    named = model.with_feature_names(["a", "b", "c", "d"])
    assert named.columns_.names == ("a", "b", "c", "d")
    other = GaussianClassifier(**FIXED).fit(X.tail(40), y.tail(40))
    if other.columns_.origins != model.columns_.origins:
        with pytest.raises(DataError, match="different features cannot be merged"):
            model.merge(other)
