"""What each column of a table is to a model, and why: a list of rules, the first of which decides.

A rule looks at a sample of a column and gives a kind with its reason, or None if it does not apply.
Columns that users describe are never excluded; the others are, if they

- have no values, one value only, or values of a type that is neither a number nor a category,
- identify rows: their name says so and nearly all values differ, they number the rows, or they are
  strings most of which are unique,
- have too many categories,
- say what another column or the target says.

A column that alone determines the class without being the target is used, with a warning.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import lgamma, log
from typing import Any, TypeAlias

import numpy as np

from gaussbayes.base.schema import ColumnKind
from gaussbayes.base.types import CodeArray
from gaussbayes.data.sampled_column import FEW, SampledColumn, is_number

NO_VALUES, CONSTANT = "no values", "constant"

MOST_CATEGORIES = 1000
"""A column of strings with more different values is free text or a key."""

ROWS_OF_A_CATEGORY = 5
"""Mean number of rows of each of many categories; below it, the column tells rows apart."""

NEARLY_UNIQUE = 0.9
"""The proportion of different values from which on a column may identify rows."""

FEWEST_ROWS = 3
"""Rows below which values tell nothing about a column."""

START = 200
"""Rows by which columns that may be copies are found."""

BY_CHANCE = log(1e-6)
"""Probability that thresholds of a number which says nothing separate all classes."""

IDENTIFIERS = frozenset(
    (
        *("id", "ids", "uuid", "guid", "identifier", "key", "code", "number", "num", "no", "nr"),
        *("index", "idx", "rownames", "rowname", "rowid", "unnamed"),
    )
)
"""The last word of names of identifiers, such as hospital_number."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+")


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """What the rules look at beside the column itself."""

    given: Mapping[str, ColumnKind]
    """The kinds of columns that users describe."""
    labels: CodeArray | None = None
    """(n,) class codes, −1 for rows without a label."""
    target: str = "the target"
    is_whole: bool = True
    """Whether these are all rows of the table."""
    keeps_all: bool = False
    """Whether exactly the columns that are there were requested."""
    keeps_identifiers: bool = False
    copies: Mapping[str, str] = field(default_factory=dict)
    """Why columns that say the same as another are excluded."""


Answer: TypeAlias = tuple[ColumnKind, str | None]
"""The kind of a column and its reason."""

Rule: TypeAlias = Callable[[SampledColumn, Sample], Answer | None]


def decide(columns: Mapping[str, SampledColumn], sample: Sample) -> dict[str, Answer]:
    """The kind of each column with its reason."""
    alone = {name: _first_answer(RULES, column, sample) for name, column in columns.items()}
    undecided = [name for name, answer in alone.items() if answer is None]
    kept = {name: columns[name] for name in columns if name in sample.given or name in undecided}
    sample = replace(sample, copies=_copies(kept, sample.given) if undecided else {})
    return {
        name: answer
        or _first_answer(COMPARING_RULES, columns[name], sample)
        or _used(columns[name])
        for name, answer in alone.items()
    }


def _first_answer(rules: Sequence[Rule], column: SampledColumn, sample: Sample) -> Answer | None:
    answers = (rule(column, sample) for rule in rules)
    return next((answer for answer in answers if answer is not None), None)


def _used(column: SampledColumn) -> Answer:
    return column.kind, None


# Rules about a column alone.


def requested(column: SampledColumn, sample: Sample) -> Answer | None:
    """Users want it, or there are no rows to object to it."""
    wanted = sample.keeps_all or column.name in sample.given or not column.n_rows
    return _used(column) if wanted else None


def no_values(column: SampledColumn, _: Sample) -> Answer | None:
    """All values are missing."""
    return None if column.n_known else ("excluded", NO_VALUES)


def unsupported_type(column: SampledColumn, _: Sample) -> Answer | None:
    """The type is that of lists, times of day or others that a model has no use for."""
    reason = f"holds {column.dtype} values, neither numbers nor categories"
    return None if column.is_supported else ("excluded", reason)


def too_few_rows(column: SampledColumn, _: Sample) -> Answer | None:
    """So few rows tell nothing against a column."""
    return _used(column) if column.n_rows < FEWEST_ROWS else None


def identifier(column: SampledColumn, sample: Sample) -> Answer | None:
    """It tells rows apart."""
    if sample.keeps_identifiers or not (is_name(column) or _is_row_number(column)):
        return None
    return "excluded", "identifies rows"


def constant(column: SampledColumn, _: Sample) -> Answer | None:
    """It has one value."""
    return ("excluded", CONSTANT) if column.n_values == 1 else None


def too_many_categories(column: SampledColumn, sample: Sample) -> Answer | None:
    """Its categories have too few rows each."""
    m, n = column.n_values, column.n_known
    enough = max(2, n / (2 if m <= FEW else ROWS_OF_A_CATEGORY))
    if column.kind != "category" or m <= min(MOST_CATEGORIES, enough):
        return None
    texts = [text for text in column.values if not is_number(str(text))]
    if column.is_text and 0 < len(texts) < m / 2:
        return "excluded", f"numbers and text, such as {texts[0]!r:.40}"
    if m <= MOST_CATEGORIES:
        return "excluded", f"{m:,} categories in {n:,} rows"
    return "excluded", f"{'' if sample.is_whole else 'at least '}{m:,} categories"


RULES: tuple[Rule, ...] = (
    requested,
    no_values,
    unsupported_type,
    too_few_rows,
    identifier,
    constant,
    too_many_categories,
)


def is_name(column: SampledColumn) -> bool:
    """Whether nearly all values differ, and are strings or integers in a column called an ID."""
    if column.n_values < FEWEST_ROWS or column.n_values < NEARLY_UNIQUE * column.n_known:
        return False
    if column.is_text:
        return column.kind == "category"
    words = [word.lower() for word in _WORD.findall(column.name)] or [column.name.strip()]
    called = words[-1] in {"", *IDENTIFIERS} or words[0] == "id"
    return called and column.is_integral


def _is_row_number(column: SampledColumn) -> bool:
    """Whether integers rise with the row, or fall."""
    n = column.n_rows
    if column.n_values < n or n < FEW // 2 or not column.is_integral:
        return False
    steps = np.diff(column.values.astype(np.float64)[column.codes])
    return bool((steps > 0).all() or (steps < 0).all())


# Rules that compare a column with others.


def copy_of_column(column: SampledColumn, sample: Sample) -> Answer | None:
    """Another column says the same."""
    reason = sample.copies.get(column.name)
    return None if reason is None else ("excluded", reason)


def copy_of_target(column: SampledColumn, sample: Sample) -> Answer | None:
    """It alone says what the class is.

    With one value for each class it is the target again. With some more values it is suspicious,
    and so it is if thresholds of a number separate all classes. In few rows, or with values that
    occur a few times only, it may be by chance.
    """
    if sample.labels is None:
        return None
    known = (column.codes >= 0) & (sample.labels >= 0)
    values, classes = column.codes[known], sample.labels[known]
    class_of = np.full(column.n_values, -1, classes.dtype)
    class_of[values] = classes
    if values.size < FEW or (class_of[values] != classes).any():
        return None
    m, n = int(np.count_nonzero(class_of >= 0)), values.size
    counts = np.bincount(classes)
    k = int(np.count_nonzero(counts))
    repeated = m <= max(FEW // 2, 3 * k) and n >= ROWS_OF_A_CATEGORY * m
    if k >= 2 and repeated and m == k:
        return "excluded", f"one to one with {sample.target}"
    if k < 2 or not (repeated or _separates(column, class_of, counts)):
        return None
    return column.kind, f"alone determines {sample.target}"


COMPARING_RULES: tuple[Rule, ...] = (copy_of_column, copy_of_target)


def _separates(column: SampledColumn, class_of: CodeArray, counts: Any) -> bool:
    """Whether thresholds separate the classes of values (m,), and not by chance."""
    if not column.is_ordered:
        return False
    k, n = int(np.count_nonzero(counts)), int(counts.sum())
    by_value = class_of[np.argsort(column.values, kind="stable")]
    n_changes = np.count_nonzero(np.diff(by_value[by_value >= 0]))
    # Of n! / Π n_c! orders of the classes of all rows, k! have each class in one piece.
    chance = lgamma(k + 1) + sum(lgamma(count + 1) for count in counts.tolist()) - lgamma(n + 1)
    return bool(n_changes == k - 1 and chance < BY_CHANCE)


def _copies(
    columns: Mapping[str, SampledColumn], given: Mapping[str, ColumnKind]
) -> dict[str, str]:
    """The columns that say what another says: the same values, or one value for each of its."""
    reasons: dict[str, str] = {}
    originals: dict[Any, SampledColumn] = {}
    # What was requested stays, and names rather than the numbers that code them.
    order = sorted(columns, key=lambda name: (name not in given, columns[name].kind != "category"))
    starts = {name: list(_keys(columns[name].head(START))) for name in order}
    often = Counter(key for keys in starts.values() for key in keys)
    for name in order:
        column = columns[name]
        if column.n_rows < FEW // 2:
            break  # it may be by chance
        if all(often[key] == 1 for key in starts[name]):
            continue  # no other column begins like this one
        keys = list(_keys(column))
        same = next((originals[key] for key in keys if key in originals), None)
        if same is not None and name not in given and _is_redundant(column, same):
            equal = column.in_order.tolist() == same.in_order.tolist()
            reasons[name] = f"{'a copy of' if equal else 'one to one with'} {same.name}"
        else:
            originals = dict.fromkeys(keys, column) | originals
    return reasons


def _keys(column: SampledColumn) -> Iterator[Any]:
    """What two columns have in common of which one may say nothing of its own.

    Names must part the rows alike. Numbers must rise and fall with one another: otherwise they may
    be several things that are known of the same groups. Few numbers may be codes of names.
    """
    if not column.is_ordered or column.n_values <= FEW:
        yield "names", column.partition.tobytes()
    if column.is_ordered:
        ranks = np.argsort(np.argsort(column.in_order))
        falls = ranks.size > 1 and ranks[0] > ranks[1]
        ranks = ranks.size - 1 - ranks if falls else ranks
        yield "numbers", column.partition.tobytes(), ranks.tobytes()


def _is_redundant(a: SampledColumn, b: SampledColumn) -> bool:
    """Whether it is no accident that two columns have a key in common."""
    repeated = a.n_values <= a.n_known / 2
    if a.is_ordered and b.is_ordered:
        values = [column.in_order.astype(float) for column in (a, b)]
        scaled = [
            column / (np.abs(column).max() or 1.0) for column in values
        ]  # 1e300 has no square
        return bool(repeated or abs(np.corrcoef(np.stack(scaled))[0, 1]) > 1 - 1e-9)
    return repeated and a.n_rows >= FEW
