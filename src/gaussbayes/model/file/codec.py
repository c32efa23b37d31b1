"""The codec of model files: a model ↔ bytes, JSON that holds all statistics and no code.

The same model gives the same bytes. Every part is checked when it is read; the only names that are
looked up are those of families. The format is described in docs/model-format.md.
"""

import re
import stat
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from gaussbayes.base.atomic import replace_file
from gaussbayes.base.errors import FileError, GaussBayesError
from gaussbayes.base.records import MOST_STRINGS, RecordError, decode, encode, refuse, within
from gaussbayes.base.types import LabelArray
from gaussbayes.data.schema import Column, ColumnTable, MissingMarks, Schema
from gaussbayes.families import RECORDED, family_records
from gaussbayes.model.file.document import (
    CalibrationRecord,
    EstimatorName,
    FamilyRecord,
    LabelsRecord,
    MarksRecord,
    MemberRecord,
    ModelRecord,
    PriorsRecord,
    RowsRecord,
    SolutionRecord,
    UnlabelledRecord,
)
from gaussbayes.model.model import Model, combined
from gaussbayes.model.select import Selection
from gaussbayes.model.settings import Component, Settings
from gaussbayes.model.solution import Solution
from gaussbayes.model.statistics import SufficientStatistics, Unlabelled

_LARGEST_FILE = 1 << 30
"""Bytes of a file: a gigabyte, some 4,500 features with a full covariance in 5 classes."""

_MOST_TEXT = 16 << 20
"""Bytes of all strings together, which take up to four times as much in memory."""

_VERSION = 3
_HEAD = re.compile(
    rb'\s*+\{\s*+"format"\s*+:\s*+"gaussbayes model"\s*+,\s*+"version"\s*+:\s*+([0-9]{1,9})\s*+,'
)
_TAIL = re.compile(rb'(?<=\n)"checksum": "sha256:([0-9a-f]{64})"\n\}\n?\Z')
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"')


def load_estimator(path: Path) -> tuple[Model, EstimatorName, Selection | None]:
    """Read the model in a file, the name of the class that saved it, and how it was selected."""
    try:
        return _loads(_read(path))
    except FileError as error:
        msg = f"model file {str(path)!r}: {error}"
        raise FileError(msg) from None


def loads(data: bytes) -> Model:
    """The model in a model file; a FileError for anything that `dumps` would not write."""
    return _loads(data)[0]


def _read(path: Path) -> bytes:
    """The bytes of an ordinary file that is not too large."""
    status = path.stat()
    # A pipe or a device may never end. `open` raises the error for a directory.
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        msg = "it is not an ordinary file"
        raise FileError(msg)
    _check_size(status.st_size)
    with path.open("rb") as file:
        return file.read(status.st_size + 1)


def _loads(data: bytes) -> tuple[Model, EstimatorName, Selection | None]:
    _check_size(len(data))
    # Without carriage returns that an editor or a version control system of Windows may have added.
    # JSON # strings cannot contain them, so different files stay different.
    data = data.removeprefix(b"\xef\xbb\xbf")
    data = data.replace(b"\r\n", b"\n") if b"\r\n" in data else data
    _check_head(data)
    _check_checksum(data)
    _check_strings(data)
    record = decode(data, ModelRecord)
    with np.errstate(all="ignore"):
        return _model(record), record.estimator, record.selection


def _check_size(size: int) -> None:
    """Raise if a file is larger than allowed."""
    if size > _LARGEST_FILE:
        msg = f"a model file has at most {_LARGEST_FILE:,} bytes, this one has {size:,}"
        raise FileError(msg)


def _check_head(data: bytes) -> None:
    """Raise if this is not a model file, or one of another version."""
    head = _HEAD.match(data)
    if head is None:
        start = data[:40].decode("utf-8", "backslashreplace")
        beginning = f'{{"format": "gaussbayes model", "version": {_VERSION}'
        msg = f"not a model file: it must begin with {beginning}, got {start!r}"
        raise FileError(msg)
    version = int(head[1])
    if version < _VERSION:
        problem = f"it was written by gaussbayes 0.{version}, whose files this version does not "
        raise RecordError(problem + "read: fit the model again", "version")
    if version > _VERSION:
        problem = f"this file is of version {version}, written by a newer gaussbayes; this one "
        problem += f"reads version {_VERSION}: upgrade with pip install --upgrade gaussbayes"
        raise RecordError(problem, "version")


def _check_checksum(data: bytes) -> None:
    """Raise if the checksum is not that of everything before its line."""
    tail = _TAIL.search(data, max(0, len(data) - 100))
    if tail is None:
        problem = 'the file must end with the line "checksum": "sha256:…" and a line with }; it '
        raise RecordError(problem + "was cut off, or changed after it was saved", "checksum")
    if sha256(memoryview(data)[: tail.start()]).hexdigest() != tail[1].decode():
        problem = "it is not that of the file, which was edited or damaged after it was saved; "
        raise RecordError(problem + "save the model again, or fetch the file again", "checksum")


def _check_strings(data: bytes) -> None:
    """Raise if strings are too many or too long; none is decoded."""
    few = data.count(b'"') - data.count(b'\\"') <= 2 * MOST_STRINGS
    if not few or sum(text.end() - text.start() for text in _STRING.finditer(data)) > _MOST_TEXT:
        msg = f"a model file has at most {MOST_STRINGS:,} strings, of {_MOST_TEXT:,} bytes together"
        raise FileError(msg)


def _model(record: ModelRecord) -> Model:
    with within("classes"):
        classes = record.classes.read()
    with within("model"):
        model = _member(record.model, record, classes)
    return replace(model, notices=tuple(record.notices))


def _member(record: MemberRecord, whole: ModelRecord, classes: LabelArray) -> Model:
    """A model; the whole file has its columns."""
    components = []
    for number, family in enumerate(record.families):
        with within(f"families[{number}]"):
            components.append(_component(family))
    schema = _schema(whole, components, classes)
    with within("calibration"):
        stored = record.calibration
        calibration = None if stored is None else stored.read(classes.shape[0])
    with within("priors"):
        given = record.priors
        priors = given.read(classes) if isinstance(given, PriorsRecord) else given
    settings = Settings(tuple(components), priors, record.unlabelled_rows, calibration)
    parts = _parts(record, "statistics", settings, schema)
    pools = calibration is not None and calibration.is_pooled
    if settings.is_pooled != pools or (settings.is_pooled and parts is None):
        refuse("families", "a second member, with statistics, where it has a weight above 0")
    averages = calibration is not None and calibration.alone is not None
    averaged = settings.unlabelled_rows == "averaged"
    if averaged != averages or (averaged and parts is None):
        refuse("unlabelled_rows", "'averaged' where there are two calibrations, and statistics")
    unlabelled = _unlabelled(record.unlabelled, schema)
    statistics = None if parts is None else SufficientStatistics(classes, parts, unlabelled)
    solution = _solution(record, settings, schema)
    if solution is not None and settings.is_combined:
        assert statistics is not None
        try:
            solution = combined(solution, statistics, settings, schema)
        except GaussBayesError as error:
            refuse("families", "statistics of labelled rows that have a model", str(error))
    if statistics is None and (solution is None or unlabelled is not None):
        refuse("families[0]", "one with statistics, or a density and no unlabelled rows")
    if solution is None and unlabelled is not None and unlabelled.rows is None:
        refuse("solution", "there where unlabelled rows were used but are not in the file")
    return Model(settings, schema, statistics, solution, whole.target)


def _component(record: FamilyRecord) -> Component:
    if record.family not in RECORDED:
        refuse("family", f"one of {', '.join(map(repr, RECORDED))}", f"{record.family!r:.80}")
    with within("settings"):
        kind: type[Any] = family_records(record.family).SettingsRecord
        family = decode(record.settings, kind).read()
    columns = record.integers("columns", -1, most=MOST_STRINGS).tolist()
    return Component(family, tuple(columns), record.second)


def _schema(record: ModelRecord, components: Sequence[Component], classes: LabelArray) -> Schema:
    """The names and kinds of the features, each of which has one family."""
    first = [part for part in components if not part.second]
    columns = [column for component in first for column in component.columns]
    n, names = len(columns), record.features
    if sorted(columns) != list(range(n)) or not all(part.columns for part in first):
        refuse("families", f"families of the columns 0 to {n - 1}, each in one of them", columns)
    second = [part.columns for part in components[len(first) :]]
    if components[: len(first)] != first or second not in ([], [tuple(range(n))]):
        refuse("families", "at most one second member, of all columns, after the others")
    contents = {j: content for part in first for j, content in part.contents.items()}
    categorical = tuple(j for j in range(n) if contents[j] == "category")
    if names is not None and (len(names) != n or len(set(names)) < n):
        refuse("features", f"null or {n:,} names that are all different", len(names))
    marks = MissingMarks.given(**msgspec.structs.asdict(record.missing))
    schema = Schema(classes, n, None if names is None else tuple(names), categorical, missing=marks)
    return (
        schema if record.columns is None else replace(schema, roles=_roles(record.columns, schema))
    )


def _roles(columns: Sequence[Column], schema: Schema) -> ColumnTable:
    """The kinds of the columns of the table, which include the features by name."""
    table = ColumnTable(tuple(columns))
    if len(set(table.names)) < len(table):
        refuse("columns", "columns whose names are all different")
    for at, column in enumerate(columns):
        try:
            dated = column.origin is not None and date.fromisoformat(column.origin) is not None
        except ValueError:
            refuse(f"columns[{at}].origin", "a date such as 2024-01-31", column.origin)
        if dated != (column.kind == "date"):
            refuse(f"columns[{at}].origin", "a date where the kind is 'date', and null elsewhere")
    used = {column.name: column.kind == "category" for column in table.used}
    if used != {name: j in schema.categorical for j, name in enumerate(schema.features or ())}:
        refuse("columns", "those of the features, as numbers or categories, and others excluded")
    return table


def _parts(
    record: MemberRecord, part: str, settings: Settings, schema: Schema
) -> tuple[Any, ...] | None:
    """The statistics or the densities of all families; None if they are not stored."""
    parts = []
    families = zip(record.families, settings.families, settings.names(schema), strict=False)
    for number, (stored, family, names) in enumerate(families):
        records = family_records(stored.family)
        kind = records.DensityRecord if part == "density" else records.StatisticsRecord
        with within(f"families[{number}].{part}"):
            found = decode(getattr(stored, part), kind | None)
            parts.append(None if found is None else found.read(family, names))
            if (parts[0] is None) != (found is None):
                refuse("", "there in all families, or null in all")
    return None if parts[0] is None else tuple(parts)


def _solution(record: MemberRecord, settings: Settings, schema: Schema) -> Solution | None:
    densities = _parts(record, "density", settings.members[0], schema)
    if (record.solution is None) != (densities is None):
        refuse("solution", "there if the families have densities, and only then")
    if record.solution is None or densities is None:
        return None
    with within("solution"):
        solution = record.solution.read(densities, schema.classes.shape[0])
    return replace(solution, calibration=settings.averaged[0].calibration)


def _unlabelled(record: UnlabelledRecord | None, schema: Schema) -> Unlabelled | None:
    if record is None:
        return None
    with within("unlabelled.rows"):
        if record.rows is None:
            return Unlabelled(record.n_rows, None, np.empty(0))
        return record.rows.read(record.n_rows, schema)


def save(
    model: Model,
    path: Path,
    estimator: EstimatorName = "GaussianClassifier",
    *,
    selection: Selection | None = None,
    unlabelled_rows: bool = False,
) -> Path:
    """Write a model (see `dumps`) completely or not at all; a failure keeps the old file."""
    data = dumps(model, estimator, selection=selection, unlabelled_rows=unlabelled_rows)
    replace_file(path, data, "the model")
    return path


def dumps(
    model: Model,
    estimator: EstimatorName = "GaussianClassifier",
    *,
    selection: Selection | None = None,
    unlabelled_rows: bool = False,
) -> bytes:
    """The model file of a model.

    Parameters that need more than one evaluation of the statistics are included, so that readers
    need not run EM. They are computed now unless they are known.

    Parameters
    ----------
    estimator : the class of the instance that `load` returns
    selection : the record of the model selection, or None
    unlabelled_rows : whether to write unlabelled rows that the model was fitted to, without which
        a loaded model predicts but cannot be updated
    """
    try:
        record = _record(model, estimator, selection, unlabelled_rows)
        lines = [b"{\n"]
        for name in record.__struct_fields__[:-1]:
            with within(name):
                lines.append(b'"%b": %b,\n' % (name.encode(), encode(getattr(record, name))))
        body = b"".join(lines)
        data = body + f'"checksum": "sha256:{sha256(body).hexdigest()}"\n}}\n'.encode()
        loads(data)  # a reader's errors are raised now, not when the rows are gone
    except FileError as error:
        k, d = model.schema.classes.shape[0], model.schema.n_features
        msg = f"this model of {k} classes and {d} features cannot be saved: {error}"
        raise FileError(msg) from None
    return data


def _record(
    model: Model, estimator: EstimatorName, selection: Selection | None, unlabelled_rows: bool
) -> ModelRecord:
    schema = model.schema
    return ModelRecord(
        format="gaussbayes model",
        version=3,
        estimator=estimator,
        classes=LabelsRecord.of(model.classes),
        features=_or_none(list, schema.features),
        columns=None if schema.roles is None else list(schema.roles.columns),
        target=model.target,
        missing=MarksRecord(**schema.missing.options),
        notices=list(model.notices),
        selection=None if selection is None else _saved(selection),
        model=_member_record(model, unlabelled_rows),
        checksum="",
    )


def _member_record(model: Model, unlabelled_rows: bool) -> MemberRecord:
    statistics, solution, families = model.statistics, _own_solution(model), []
    unlabelled = None if statistics is None else statistics.unlabelled
    for number, component in enumerate(model.settings.components):
        records = family_records(component.family.name)
        parts = (
            records.SettingsRecord.of(component.family),
            statistics and records.StatisticsRecord.of(statistics.parts[number]),
            None
            if solution is None or component.second
            else records.DensityRecord.of(solution.densities[number]),
        )
        written = map(encode, (component.columns, *parts))
        families.append(FamilyRecord(component.family.name, component.second, *written))
    rest = None
    if unlabelled is not None:
        rows = RowsRecord.of(unlabelled) if unlabelled_rows else None
        rest = UnlabelledRecord(unlabelled.n_rows, rows)
    priors = model.settings.priors
    return MemberRecord(
        "uniform" if isinstance(priors, str) else _or_none(PriorsRecord.of, priors),
        model.settings.unlabelled_rows,
        _or_none(CalibrationRecord.of, model.settings.calibration),
        families,
        rest,
        _or_none(SolutionRecord.of, solution),
    )


def _saved(selection: Selection) -> Selection | None:
    """The scores of a selection; None if its rows were not held out."""
    scores = selection.to_dict()
    if scores["log_loss"] is None:
        return None
    return msgspec.convert(scores, Selection)


def _own_solution(model: Model) -> Solution | None:
    """The parameters, if they do not simply follow from statistics; None if they do."""
    statistics = model.statistics
    if statistics is None:
        return model.parameters
    follows = statistics.is_complete
    if (follows and model.solution is None) or statistics.classes.size < 2:
        return None
    try:
        with np.errstate(all="ignore"):
            solution = (replace(model, solution=None) if follows else model).parameters
    except (GaussBayesError, np.linalg.LinAlgError):
        return model.solution  # too few rows so far: their statistics are kept anyway
    same = follows and _bytes(model, solution) == _bytes(model, model.parameters)
    return None if same else model.parameters


def _bytes(model: Model, solution: Solution) -> list[bytes]:
    """The record of a solution."""
    densities = [
        family_records(family.name).DensityRecord.of(density)
        for family, density in zip(model.settings.families, solution.densities, strict=False)
    ]
    return [bytes(encode(record)) for record in (*densities, SolutionRecord.of(solution))]


def _or_none(make: Any, value: Any) -> Any:
    return None if value is None else make(value)
