"""`Columns` and `columns_`: what is said about columns, what was decided, and what cannot be."""

import pickle
import warnings
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from gaussbayes import (
    AutoClassifier,
    Columns,
    DataError,
    DroppedColumnsWarning,
    GaussianClassifier,
    OptionError,
    load,
)
from gaussbayes.model.options import COLUMN_OPTIONS, OPTIONS, READ_OPTIONS

RNG = np.random.default_rng(0)
N = 60
DAYS = [date(2024, 1, 1) + timedelta(days=int(n)) for n in RNG.integers(0, 300, N)]
TABLE = pd.DataFrame(
    {
        "id": range(N),
        "size": RNG.normal(size=N),
        "visits": RNG.poisson(3.0, N),
        "town": RNG.choice(["Rome", "Oslo", "Bari"], N),
        "member": RNG.random(N) > 0.5,
        "day": pd.to_datetime(DAYS),
        "written": [str(each) for each in DAYS[::-1]],
        "const": 1,
        "empty": np.nan,
        "kind": RNG.choice(["u", "v"], N),
    }
).assign(
    copy=lambda frame: frame["size"],
    renamed=lambda frame: "class " + frame["kind"],
    year=lambda frame: frame["visits"].add(2010).astype(str) + frame["kind"],
)
DROPPED = {
    "id": "identifies rows",
    "const": "constant",
    "empty": "no values",
    "copy": "a copy of size",
    "renamed": "one to one with kind",
    "year": "one to one with kind when digits are cut off",
}
ESTIMATORS = [GaussianClassifier(), AutoClassifier()]
each_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=["Gaussian", "Auto"])


def fitted(estimator: Any, X: Any = TABLE, y: Any = "kind", **columns: Any) -> Any:
    """A model of a table, without a word about columns that are dropped."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DroppedColumnsWarning)
        return clone(estimator).set_params(columns=Columns(**columns)).fit(X, y)


# The request.


def test_columns_is_a_value() -> None:
    columns = Columns(exclude=["id"], categorical=("ward",), na_values={"a": [-1, "?"]})
    assert repr(columns) == (
        "Columns(exclude=['id'], categorical=('ward',), na_values={'a': [-1, '?']})"
    )
    same = Columns(exclude=("id",), categorical=["ward"], na_values={"a": (-1, "?")})
    assert columns == same
    assert hash(columns) == hash(same)
    assert columns not in {Columns(), Columns(exclude=["ID"]), "id"}
    assert pickle.loads(pickle.dumps(columns)) == clone(columns) == columns
    assert columns.get_params()["exclude"] is columns.exclude
    changed = columns.set_params(exclude=None)
    assert (changed.exclude, columns.exclude) == (None, ["id"])
    with pytest.raises(AttributeError):
        columns.exclude = []  # type: ignore[misc]


# The answer.


@each_estimator
def test_both_estimators_decide_by_the_same_rules(estimator: Any, tmp_path: Any) -> None:
    with pytest.warns(DroppedColumnsWarning) as seen:
        model = clone(estimator).set_params(families={"visits": "poisson"}).fit(TABLE, "kind")
    (warning,) = [each for each in seen if each.category is DroppedColumnsWarning]
    assert warning.filename == __file__
    words = ", ".join(f"{name} ({why})" for name, why in DROPPED.items())
    assert str(warning.message).startswith(f"dropped {words}.")
    kinds = {column.name: column.kind for column in model.columns_}
    assert kinds == {
        **dict.fromkeys(DROPPED, "excluded"),
        "size": "number",
        "visits": "count",
        "town": "category",
        "member": "category",
        "day": "date",
        "written": "date",
    }
    assert {column.name: column.reason for column in model.columns_.excluded} == DROPPED
    assert model.columns_.target == "kind"
    assert model.columns_["day"].origin == str(min(DAYS))
    assert "excluded  identifies rows" in str(model.columns_)
    assert "<table>" in model.columns_._repr_html_()
    assert model.columns_.to_dict()["columns"][0] == {
        "name": "id",
        "kind": "excluded",
        "reason": "identifies rows",
        "origin": None,
    }
    assert [notice.kind for notice in model.notices_][:1] == ["dropped columns"]
    again = load(model.save(tmp_path / "model.json"))
    assert again.columns_ == model.columns_
    some = TABLE[[*TABLE.columns[1:7]]]
    np.testing.assert_array_equal(again.predict_proba(some), model.predict_proba(TABLE))


@pytest.mark.parametrize("container", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
@each_estimator
def test_what_is_said_of_columns_holds(estimator: Any, container: Any) -> None:
    table = container(TABLE)

    def used(**columns: Any) -> dict[str, str]:
        found = fitted(estimator, table, **columns).columns_
        return {column.name: column.kind for column in found.used}

    assert used(features=["size", "town"]) == {"size": "number", "town": "category"}
    assert used(features=["to*", "size", "visits"], categorical=["visits"]) == {
        "size": "number",
        "visits": "category",
        "town": "category",
    }
    rest = ["w*", "day", "member", "town", "renamed", "empty", "c*"]
    assert used(exclude=rest) == {"size": "number", "visits": "number"}
    assert used(exclude=rest, keep_identifiers=True) == {
        "id": "number",
        "size": "number",
        "visits": "number",
    }
    assert "copy" in used(exclude=rest[:-1], numeric=["copy"])
    assert used(features=["written", "size"], dates=["written"])["written"] == "date"
    with warnings.catch_warnings(action="error"):
        clone(estimator).set_params(columns=Columns(features=["size", "id"])).fit(table, "kind")


@each_estimator
def test_columns_of_arrays(estimator: Any) -> None:
    X = TABLE[["size", "visits"]].to_numpy()
    model = fitted(estimator, X, TABLE["kind"])
    assert [(c.name, c.kind) for c in model.columns_] == [
        ("feature 0", "number"),
        ("feature 1", "number"),
    ]
    assert model.columns_.target is None
    assert not hasattr(model, "feature_names_in_")
    named = fitted(estimator, X, TABLE["kind"], names=["size", "visits"], categorical=["visits"])
    assert named.feature_names_in_.tolist() == ["size", "visits"]
    assert [column.kind for column in named.columns_] == ["number", "category"]
    with warnings.catch_warnings(action="error"):
        found = named.predict_proba(X)
        assert named.explain(X[0]).bayes is not None
    np.testing.assert_array_equal(found, named.predict_proba(TABLE[["size", "visits"]]))
    some = fitted(estimator, X, TABLE["kind"], names=["size", "visits"], exclude=["visits"])
    assert [column.name for column in some.columns_.used] == ["size"]
    np.testing.assert_array_equal(some.predict_proba(X), some.predict_proba(X[:, :1]))


def numbers_from(start: int, n_values: int = N) -> Any:
    """Integers in no order, each of `n_values` about equally often."""
    return start + np.random.default_rng(1).permutation(N) % n_values


@pytest.mark.parametrize(
    ("name", "values", "reason"),
    [
        ("id", numbers_from(0), "identifies rows"),
        ("hospital_number", numbers_from(4_000_000), "identifies rows"),
        ("HospitalNo", numbers_from(4_000_000, N - 3), "identifies rows"),
        ("id_of_patient", numbers_from(0), "identifies rows"),
        ("", numbers_from(0), "identifies rows"),
        ("Unnamed: 0", numbers_from(0), "identifies rows"),
        ("visit", np.arange(N) * 2, "identifies rows"),  # a row number, whatever its name is
        ("surname", [f"name {n}" for n in range(N)], "identifies rows"),
        ("ID", numbers_from(1, 3), None),
        ("group_id", numbers_from(100, 5), None),
        ("patient", numbers_from(0), None),
        ("patient_id", numbers_from(0, N // 2), None),
        ("identity", numbers_from(0), None),
        ("number of visits", numbers_from(0), None),
        ("id", RNG.normal(size=N), None),
    ],
)
def test_identifiers_have_a_name_and_nearly_unique_values(
    name: str, values: Any, reason: str | None
) -> None:
    table = TABLE[["size", "kind"]].assign(**{name: values})
    assert fitted(GaussianClassifier("diagonal"), table).columns_[name].reason == reason


def test_amounts_and_percentages_are_numbers(tmp_path: Path) -> None:
    income, share = np.arange(N) * 1234.5, RNG.normal(size=N).round(2)
    plain = pd.DataFrame({"income": income, "share": share, "kind": TABLE["kind"]})
    written = plain.assign(
        income=[f"${value:,.2f}" for value in income], share=[f"{value} %" for value in share]
    )
    written.loc[[3, 7], "income"] = ["?", "-"]
    plain.loc[[3, 7], "income"] = np.nan
    expected = fitted(GaussianClassifier(), plain)
    written.to_csv(tmp_path / "a.csv", index=False)
    written.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    euros = written.assign(
        income=[
            f"{value[1:]} €".translate(str.maketrans(",.", ".,")) for value in written["income"]
        ],
        share=[f"{value}".replace(".", ",") for value in share],
    ).replace({"income": {" €": "?"}})
    euros.to_csv(tmp_path / "b.csv", index=False, sep=";")
    for source in (written, tmp_path / "a.csv", tmp_path / "a.jsonl", tmp_path / "b.csv"):
        model = fitted(GaussianClassifier(), source, na_values=["-"])
        np.testing.assert_allclose(model.means_, expected.means_, rtol=1e-6)
        assert model.predict(source).tolist() == expected.predict(plain).tolist()


@pytest.mark.parametrize(
    ("mark", "rest", "noticed"),
    [
        (-999, 50, True),
        (9999, 50, True),
        (-99, 50, False),  # within reach of the others
        (-998, 50, False),
        (99, 1, True),
    ],
)
def test_a_value_that_may_mark_missing_ones_is_noticed(
    mark: int, rest: float, noticed: bool, tmp_path: Path
) -> None:
    table = TABLE[["size", "kind"]].assign(mass=(RNG.normal(size=N) * rest).round(1))
    table.loc[::9, "mass"] = mark
    table.to_csv(tmp_path / "a.csv", index=False)
    for source in (table, tmp_path / "a.csv"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = GaussianClassifier("diagonal").fit(source, "kind")
        assert [str(each.message).partition(" in ")[0] for each in caught] == (
            [f"mass ({mark}"] if noticed else []
        )
        notices = [each for each in model.notices_ if each.kind == "possible missing value"]
        assert bool(notices) == noticed
        for notice in notices:
            remedy = dict(notice.remedies[0].columns)
            again = fitted(GaussianClassifier("diagonal"), source, **remedy)
            assert again.notices_ == ()
            assert abs(again.means_[:, 1]).max() < 10 * rest


# Bad input.


@each_estimator
@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({"features": ["sice"]}, DataError, r"no column 'sice' \(did you mean 'size'\?\)"),
        ({"features": ["size", "size"]}, DataError, "names 'size' more than once"),
        ({"features": ["size", "kind"]}, DataError, "'kind' is the target and cannot be a feat"),
        ({"features": []}, DataError, "no column is left to use"),
        ({"features": "size"}, OptionError, r"features must be a list.*write \['size'\]"),
        ({"features": 3}, OptionError, "features must be None or a list of columns, got 3"),
        ({"exclude": ["nope"]}, DataError, "no column 'nope', named by exclude"),
        ({"exclude": ["*"]}, DataError, "no column is left to use"),
        ({"exclude": ["[!k]*"]}, DataError, "no column is left to use: .*Exclude fewer columns"),
        (
            {"categorical": ["nope"]},
            DataError,
            "there is no column 'nope', named by families, transforms or columns",
        ),
        ({"categorical": ["size"]}, DataError, "'size' holds numbers such as"),
        ({"numeric": ["nope"]}, DataError, "there is no column 'nope', named by"),
        ({"dates": ["size"]}, DataError, "'size' holds Float64 values.*no dates such as 2024"),
        ({"numeric": ["size"], "exclude": ["size"]}, DataError, "'size'.*excluded"),
        ({"numeric": ["town"]}, DataError, "'town' .*'Bari'"),
        ({"na_values": {"nope": "x"}}, DataError, "na_values names 'nope'"),
        ({"keep_identifiers": "yes"}, OptionError, "keep_identifiers must be True or False, got"),
        ({"names": "abc"}, OptionError, "names must be a list"),
    ],
)
def test_requests_that_cannot_be(
    estimator: Any, columns: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        fitted(estimator, **columns)


@each_estimator
def test_targets_and_names_that_cannot_be(estimator: Any) -> None:
    X = TABLE[["size", "visits"]].to_numpy()
    for table, y, columns, message in (
        (TABLE, "knid", {}, r"no column 'knid' \(did you mean 'kind'\?\); the columns are 'id'"),
        (TABLE, "size", {}, "the target 'size' is continuous|continuous"),
        (X, "kind", {}, "'kind' names a column, but X .ndarray. has no column names"),
        (X, TABLE["kind"], {"names": ["a"]}, "X has 2 columns, but 1 names are given"),
        (X, TABLE["kind"], {"names": ["a", "a"]}, "more than one column called 'a'"),
        (X, TABLE["kind"], {"exclude": ["a"]}, "features and exclude need columns with names"),
        (X, TABLE["kind"], {"categorical": ["a"]}, "columns of an array have no names"),
        (
            X,
            TABLE["kind"],
            {"categorical": [2]},
            "there is no column 2, .*; the columns are 0 to 1",
        ),
    ):
        with pytest.raises((DataError, OptionError), match=message):
            fitted(estimator, table, y, **columns)
    model = fitted(estimator, features=["size", "visits"])
    assert model.predict(TABLE).shape == (N,)  # the target and columns that fit saw are ignored
    with pytest.raises(ValueError, match="other"):
        model.predict(TABLE.assign(other=1.0))


def test_one_message_names_all_columns_with_stray_values() -> None:
    table = TABLE[["size", "visits", "kind"]].astype({"size": str})
    table["mass"] = RNG.normal(size=N).round(3).astype(str)
    table.loc[[3, 4, 8], "size"] = ["far", "off", "low"]
    table.loc[5:8, "mass"] = ["-", "?!", "a", "b"]
    problem = "'size' .'far', 'off', 'low', first in row 3.; 'mass' .'-', '.!', 'a', …, first"
    with pytest.raises(DataError, match=problem) as e:
        fitted(GaussianClassifier(), table)
    assert len(e.value.remedies) == 3
    for remedy in e.value.remedies:
        model = fitted(GaussianClassifier("diagonal", smoothing=1), table, **dict(remedy.columns))
        assert model.columns_.dropped == ()


# The tables of options.


def test_options_are_declared_once() -> None:
    from inspect import signature

    from gaussbayes import read

    for owner, table in (
        (GaussianClassifier, OPTIONS),
        (Columns, COLUMN_OPTIONS),
        (read, READ_OPTIONS),
    ):
        given = signature(owner).parameters.values()
        defaults = {p.name: p.default for p in given if p.name != "source"}
        assert defaults == {option.name: option.default for option in table}
        for option in table:
            assert option.accepts(option.default), option.name
            assert option.help.endswith("."), option.name
    names = {option.name for option in OPTIONS}
    assert set(signature(AutoClassifier).parameters) < names


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"covariance": "round"}, "covariance must be 'full', 'diagonal' or 'spherical', got 'ro"),
        ({"shared": 2}, r"shared must be True, False or a number in \[0, 1\], got 2"),
        ({"shared": "auto"}, "shared must be True, False or a number"),
        ({"shrinkage": "ledoit-wolf"}, r"shrinkage must be None, 'oas' or a number in \[0, 1\]"),
        ({"shrinkage": float("nan")}, "shrinkage must be None, 'oas' or a number in"),
        ({"shrinkage_target": None}, "shrinkage_target must be 'diagonal' or 'spherical'"),
        ({"transforms": "squared"}, "transform"),
        ({"families": ["poisson"]}, r"families must be None or a mapping such as \{'visits'"),
        ({"families": {"size": "poison"}}, "poison"),
        ({"priors": "flat"}, "priors must be None, 'uniform' or a sequence of probabilities"),
        ({"smoothing": -1}, "smoothing must be a number, at least 0, got -1"),
        ({"divisor": "n"}, "divisor must be 'mle' or 'unbiased', got 'n'"),
        ({"calibrate": "yes"}, "calibrate must be True or False, got 'yes'"),
        ({"columns": ["size"]}, r"columns must be None or a Columns object such as Columns\("),
        ({"shrinkage": True}, "shrinkage must be None, 'oas' or a number in .*, got True"),
        ({"n_jobs": 0}, "n_jobs must be .*, got 0"),
        ({"n_jobs": 1.5}, "n_jobs must be None or an integer, got 1.5"),
    ],
)
def test_wrong_values_of_options(options: Any, message: str) -> None:
    model = GaussianClassifier(**options)  # the constructor takes anything
    for step in (model.fit, model.partial_fit):
        with pytest.raises(OptionError, match=message):
            step(TABLE[["size"]], TABLE["kind"])
