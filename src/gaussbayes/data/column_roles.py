"""Which columns of a table a model uses, as what, and why others are excluded.

The columns that users describe in `Columns` are found by name or pattern. The kinds of the others
are decided by a sample of the rows: `gaussbayes.data.column_rules` has the rules.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from fnmatch import fnmatchcase
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.missing_marks import INFINITY, MissingMarks, infinite_sentence
from gaussbayes.base.notices import Remedy
from gaussbayes.base.schema import (
    EXCLUDED,
    NOT_REQUESTED,
    REQUESTED,
    Column,
    ColumnKind,
    ColumnTable,
)
from gaussbayes.base.spelling import meant
from gaussbayes.base.types import CodeArray, LabelArray
from gaussbayes.data.categories import level_outside
from gaussbayes.data.column_rules import CONSTANT, NO_VALUES, Answer, Sample, decide, is_name
from gaussbayes.data.columns import DroppedColumnsWarning
from gaussbayes.data.roles import (
    SKIP_ROWS,
    ContentKind,
    InferredTypes,
    Request,
    check_distinct,
    check_not_feature,
    check_present,
    choose_columns,
    requested_kinds,
)
from gaussbayes.data.rows import Encoder, Targets
from gaussbayes.data.sampled_column import SampledColumn
from gaussbayes.data.tables import as_frame, is_frame, listed, sampled_places
from gaussbayes.data.target_column import check_labels, check_target

Sampled: TypeAlias = Callable[[Sequence[str], int], tuple[Any, bool]]
"""Rows of some columns of a source, so many at most, and whether these are all."""

SAMPLE_ROWS = 50_000
"""Rows of a table by which the kinds of its columns are decided."""


def decide_columns(
    table: Any,
    request: Request,
    *,
    labels: CodeArray | None = None,
    called: str = "the target",
    source: InferredTypes | None = None,
    whole: bool = True,
    shown: str = "",
) -> ColumnTable:
    """What the columns of a table are to a model, by a sample of its rows.

    Parameters
    ----------
    table : a frame (pandas, polars, Arrow, narwhals); the target and the weights may be among its
        columns
    labels : (n,) class codes, −1 for rows without; None are those of the target column
    called : what messages call the labels, where they are given
    source : all columns, where the table is a sample of those that are requested
    whole : whether these are all rows of the table
    shown : what messages call the table

    Examples
    --------
    >>> import pandas as pd
    >>> n = range(40)
    >>> frame = pd.DataFrame({"row": n, "kind": ["a", "b"] * 20, "size": [i % 7 for i in n]})
    >>> decide_columns(frame, Request("kind", detect=True)).sentence
    'used 1 column: 1 number; excluded row (identifies rows)'
    """
    frame = as_frame(table)
    every = list(frame.columns if source is None else source.schema.names)
    parsed = source is not None and source.is_text
    check_distinct("the table", every)
    others = [name for name in (request.target, request.weights) if name is not None]
    check_present(every, others)
    features = [name for name in every if name not in others]
    given = _given_kinds(features, request)
    answers: dict[str, Answer] = {
        name: ("excluded", reason) for name, reason in _not_wanted(features, request, given).items()
    }
    rows = sampled_places(len(frame), SAMPLE_ROWS)
    if rows.size < len(frame):
        frame, whole = frame[rows], False
        labels = None if labels is None else labels[rows]
    if request.target is not None:
        target = SampledColumn.of(frame[request.target], request.label_marks)
        check_target(target, whole=whole)
        labels, called = target.codes, request.target
    columns = {}
    for name in features:
        if name not in answers:
            marks = request.missing.of(name)
            column = SampledColumn.of(
                frame[name], marks, typed=source is not None and name in source.categorical
            )
            if source is not None and not source.spells_dates:
                column = column.without_spelled_dates()
            columns[name] = column.held_as(given.get(name), parsed=parsed)
    automatic = request.is_automatic
    sample = Sample(given, labels, called, whole, not automatic, request.keep_identifiers)
    answers |= decide(columns, sample)
    if request.bad_rows == "error":
        numbered = None if parsed and not whole else rows + int(parsed)
        used = {name for name, (kind, _) in answers.items() if kind != "excluded"}
        _check_strays(columns, used, request, numbered, is_file=parsed, shown=shown)
    decided = tuple(_column(name, answers[name], columns.get(name)) for name in features)
    infinite = (
        name
        for name, column in columns.items()
        if automatic and answers[name][0] == "number" and column.is_infinite
    )
    result = ColumnTable(decided, request.target, tuple(infinite))
    if not result.used:
        _raise_for_none(result, others, columns)
    return result


def decide_source(
    sampled: Sampled, request: Request, source: InferredTypes, shown: str
) -> tuple[Request, ColumnTable]:
    """The request for the columns of a source that were decided on, and what these are.

    `sampled` gives rows of the columns that must be looked at.
    """
    names = source.schema.names
    features = [name for name in names if name not in (request.target, request.weights)]
    excluded = _not_wanted(features, request, _given_kinds(features, request))
    sample, whole = sampled([name for name in names if name not in excluded], SAMPLE_ROWS)
    columns = decide_columns(sample, request, source=source, whole=whole, shown=shown)
    request.missing.check_columns(names)
    return settled(request, columns), columns


def settled(request: Request, columns: ColumnTable) -> Request:
    """The request for exactly those columns that were decided on."""
    names = columns.names
    used = [column.name for column in columns.used]
    if request.features is not None:
        used = [name for name in _matching(request.features, names, "features") if name in used]
    decided: Any = {each.name: each.kind for each in columns.used if each.kind != "number"}
    kinds: dict[str, ContentKind] = requested_kinds(names, request) | decided
    infinite = tuple((name, INFINITY) for name in sorted(columns.infinite))
    return replace(
        request,
        missing=request.missing.plus(MissingMarks(frozenset(), infinite)),
        features=used,
        exclude=(),
        detect=False,
        kinds=kinds,
    )


def table_encoder(
    X: Any,
    request: Request,
    labels: tuple[Targets, LabelArray] | None = None,
    target: str | None = None,
) -> Encoder:
    """The features among the columns of a table in memory, by what they hold and what was said.

    The columns of an array have no types: they are numbers, unless they were said to be categories.
    `labels` are targets and classes, `target` is their name, if they have one.
    """
    frame = as_frame(X) if is_frame(X) else None
    if frame is None or not all(isinstance(name, str) for name in frame.columns):
        return _array_encoder(X, request)
    request.missing.check_columns(frame.columns, target)
    check_not_feature(request.features or (), target)
    codes = None
    if labels is not None:
        codes = labels[0].codes
        if request.is_automatic:
            check_labels(codes, labels[1])
    columns = decide_columns(frame, request, labels=codes, called=target or "the target")
    warn_of_columns(columns)
    return choose_columns(frame.columns, settled(request, columns), columns)[0]


def _array_encoder(X: Any, request: Request) -> Encoder:
    """The features among the columns of an array, which may have been given names."""
    names = request.names
    request.missing.check_columns(names or ())
    if names is not None:
        check_distinct("names", names)
    kinds = cast("Mapping[str | int, str]", request.kinds)
    categorical = [feature for feature, kind in kinds.items() if kind == "category"]
    encoder = Encoder.learn(X, categorical, kinds, request.missing, names)
    if names is None:
        if request.exclude or request.features is not None:
            msg = (
                "features and exclude need columns with names: give X as a data frame, or name the "
                "columns of an array"
            )
            raise OptionError(msg)
        return encoder
    excluded = _not_wanted(names, request, {})
    columns = ColumnTable(
        tuple(
            Column(name, "excluded", excluded[name])
            if name in excluded
            else Column(name, "category" if place in encoder.categorical else "number")
            for place, name in enumerate(names)
        )
    )
    if not columns.used:
        _raise_for_none(columns, [], {})
    used = columns.used
    return Encoder(
        len(used),
        tuple(column.name for column in used),
        tuple(place for place, column in enumerate(used) if column.kind == "category"),
        missing=request.missing,
        roles=columns,
    )


def warn_of_columns(columns: ColumnTable) -> None:
    """Warn of columns that were dropped, alone determine the class, or have infinite numbers."""
    level = level_outside()
    if columns.dropped:
        n = len(columns.dropped)
        what = "1 column was" if n == 1 else f"{n} columns were"
        msg = (
            f"{what} dropped: {columns.reasons}. Columns(features=[…]) uses exactly the columns "
            "that it names, and Columns(exclude=[…]) drops columns without this warning"
        )
        warnings.warn(msg, DroppedColumnsWarning, stacklevel=level)
    if columns.infinite:
        warnings.warn(infinite_sentence(columns.infinite), UserWarning, stacklevel=level)
    for column in columns.doubts:
        msg = f"{column.name!r} {column.reason}: if it is known only with the class, exclude it"
        warnings.warn(msg, UserWarning, stacklevel=level)


# What was requested.


def _given_kinds(names: Sequence[str], request: Request) -> dict[str, ColumnKind]:
    """What columns were said to hold: numbers, categories or dates."""
    return {
        name: kind if kind in {"category", "date"} else "number"
        for name, kind in requested_kinds(names, request).items()
    }


def _not_wanted(
    names: Sequence[str], request: Request, given: Mapping[str, ColumnKind]
) -> dict[str, str]:
    """The columns that are not requested, and why."""
    reasons: dict[str, str] = {}
    if request.features is not None:
        check_not_feature(request.features, request.target, request.weights)
        wanted = _matching(request.features, names, "features")
        reasons = dict.fromkeys((name for name in names if name not in wanted), NOT_REQUESTED)
    every = [*names, *([] if request.target is None else [request.target])]
    excluded = _matching(request.exclude, every, "exclude")
    if request.target in excluded:
        msg = (
            f"the target {request.target!r} cannot be left out: it is named by exclude. Give names "
            "or patterns that do not match it"
        )
        raise DataError(msg)
    reasons |= dict.fromkeys(excluded, EXCLUDED)
    both = next((name for name in given if name in reasons), None)
    if both is not None:
        msg = f"it is said what {both!r} holds, but it is {reasons[both]}: leave out one of the two"
        raise DataError(msg)
    return reasons


def _matching(patterns: Sequence[str], names: Sequence[str], argument: str) -> list[str]:
    """The columns that names and patterns such as ``temp_*`` stand for, each once."""
    if argument == "features":
        check_distinct("the list of features", patterns)
    matches = {
        pattern: [pattern]
        if pattern in names
        else [name for name in names if fnmatchcase(name, pattern)]
        for pattern in patterns
    }
    unknown = [
        f"{pattern!r}{meant(pattern, names)}" for pattern, found in matches.items() if not found
    ]
    if unknown:
        msg = (
            f"there is no column {', '.join(unknown)}, named by {argument}; the columns are "
            f"{listed(names)}"
        )
        raise DataError(msg)
    return list(dict.fromkeys(name for found in matches.values() for name in found))


def _raise_for_none(
    decided: ColumnTable, others: Sequence[str], columns: Mapping[str, SampledColumn]
) -> None:
    """Raise because all columns are excluded."""
    if not decided.columns:
        msg = f"there is no column to use besides {listed(others) or 'none'}"
        raise DataError(msg)
    reasons = ", ".join(f"{each.name!r} ({each.reason})" for each in decided.columns[:10])
    more = f" and {len(decided) - 10} more" if len(decided) > 10 else ""
    useless = (NO_VALUES, CONSTANT, *REQUESTED)
    varied = [each.name for each in decided.columns if each.reason not in useless]
    usable = [name for name in varied if not is_name(columns[name])]
    which = "it" if len(usable) == 1 else "them"
    remedy = Remedy(f"use {which} all the same", columns=(("features", usable),))
    msg = f"no column is left to use: all are excluded, {reasons}{more}"
    if any(each.reason == EXCLUDED for each in decided.columns):
        msg += ". Exclude fewer columns"
    elif varied and not usable:
        msg += (
            ". Names of rows carry no information about other rows: add columns that do, such as "
            "a length, a count or a group made from the text"
        )
    raise DataError(msg).with_remedies([remedy] if usable else [])


# What columns hold.


def _check_strays(
    columns: Mapping[str, SampledColumn],
    used: set[str],
    request: Request,
    rows: NDArray[np.intp] | None,
    *,
    is_file: bool,
    shown: str,
) -> None:
    """Raise for all columns of numbers in which a few strings are not numbers, at once.

    `rows` are the numbers of the rows, if they are known.
    """
    found = {name: column for name, column in columns.items() if column.strays.size}
    if not found:
        return
    problems, marks = [], {}
    for name, column in found.items():
        marks[name] = [str(value) for value in column.values[column.strays]]
        few = ", ".join(f"{mark!r:.60}" for mark in marks[name][:3])
        first = int(np.argmax(np.isin(column.codes, column.strays)))
        where = "" if rows is None else f", first in row {rows[first]}"
        problems.append(f"{name!r} ({few}{', …' * (column.strays.size > 3)}{where})")
    names = list(found)
    numeric = () if is_file else (("numeric", names),)
    remedies = []
    if all(each.counts[each.strays].sum() < each.n_known for each in found.values()):
        missing = (("na_values", marks), *numeric)
        remedies.append(Remedy("treat these values as missing", columns=missing))
        remedies += [SKIP_ROWS] if is_file else []
    free = not any(request.kinds.get(name) not in {None, "number"} for name in names)
    if free and all(column.dtype == "String" for column in found.values()):  # no numbers among them
        remedies.append(Remedy("treat strings as categories", columns=(("categorical", names),)))
    if free and request.is_automatic and used - set(names):
        what = "the column" if len(names) == 1 else "these columns"
        remedies.append(Remedy(f"exclude {what}", columns=(("exclude", names),)))
    where = f"{shown}: " if shown else ""
    msg = f"{where}not all values of a column of numbers are numbers: {'; '.join(problems)}"
    raise DataError(msg).with_remedies(remedies)


def _column(name: str, answer: Answer, column: SampledColumn | None) -> Column:
    """The record of a column; dates count from the first of them."""
    kind, reason = answer
    if kind != "date" or column is None:
        return Column(name, kind, reason)
    first = float(np.floor(column.values.min(initial=np.inf))) if column.n_values else 0.0
    return Column(name, kind, reason, (date(1970, 1, 1) + timedelta(days=first)).isoformat())
