"""Model file → model: every part checked, nothing run, no name in it looked up but families."""

import re
import stat
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import structs

from gaussbayes.base.errors import FileError, OptionError
from gaussbayes.base.missing_marks import MissingMarks
from gaussbayes.base.records import MOST_STRINGS, RecordError, decode, refuse, within
from gaussbayes.base.schema import Column, ColumnTable, Schema
from gaussbayes.base.types import FloatArray, LabelArray
from gaussbayes.data.rows import Rows
from gaussbayes.families import RECORDED, family_records
from gaussbayes.model.average import NOT_LEARNT, AveragedModel
from gaussbayes.model.calibration import Calibration
from gaussbayes.model.file.document import (
    FORMAT,
    LARGEST_FILE,
    LARGEST_LABELS,
    MOST_TEXT,
    VERSION,
    AverageRecord,
    CalibrationRecord,
    EstimatorName,
    FamilyRecord,
    LabelsRecord,
    MemberRecord,
    ModelRecord,
    PriorsRecord,
    RowsRecord,
    SolutionRecord,
)
from gaussbayes.model.model import Model
from gaussbayes.model.settings import Component, Priors, Settings, class_priors
from gaussbayes.model.solution import Solution
from gaussbayes.model.statistics import MOST_KEPT_BYTES, KeptRows, Learnt, Unlabelled

_HEAD = re.compile(
    rb'\s*+\{\s*+"format"\s*+:\s*+"gaussbayes model"\s*+,\s*+"version"\s*+:\s*+(\d{1,9}),'
)
_TAIL = re.compile(rb'(?<=\n)"checksum": "sha256:([0-9a-f]{64})"\n\}\n?\Z')
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"')
_ROUNDING = 1e-9  # by which the logarithm of a probability may be above 0


def load_estimator(path: Path) -> tuple[Model, EstimatorName]:
    """Read the model in a file, and the name of the class that saved it."""
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
    # A pipe or a device may never end. A directory is left to `open`, which says what it is.
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        msg = "it is not an ordinary file"
        raise FileError(msg)
    _check_size(status.st_size)
    with path.open("rb") as file:
        return file.read(status.st_size + 1)


def _loads(data: bytes) -> tuple[Model, EstimatorName]:
    _check_size(len(data))
    # Without what an editor or a version control system of Windows may have added. A carriage
    # return cannot be part of a string in JSON, so that no two files become one.
    data = data.removeprefix(b"\xef\xbb\xbf")
    data = data.replace(b"\r\n", b"\n") if b"\r\n" in data else data
    _check_head(data)
    _check_checksum(data)
    _check_strings(data)
    record = decode(data, ModelRecord)
    with np.errstate(all="ignore"):
        return _model(record), record.estimator


def _check_size(size: int) -> None:
    """Raise if a file is larger than allowed."""
    if size > LARGEST_FILE:
        msg = f"a model file has at most {LARGEST_FILE:,} bytes, this one has {size:,}"
        raise FileError(msg)


def _check_head(data: bytes) -> None:
    """Raise if this is not a model file, or one of another version."""
    head = _HEAD.match(data)
    if head is None:
        start = data[:40].decode("utf-8", "backslashreplace")
        beginning = f'{{"format": "{FORMAT}", "version": {VERSION}'
        msg = f"not a model file: it must begin with {beginning}, got {start!r}"
        raise FileError(msg)
    version = int(head[1])
    if version < VERSION:
        problem = f"it was written by gaussbayes 0.{version}, whose files this version does not "
        raise RecordError(problem + "read: fit the model again", "version")
    if version > VERSION:
        problem = f"this file is of version {version}, written by a newer gaussbayes; this one "
        problem += f"reads version {VERSION}: upgrade with pip install --upgrade gaussbayes"
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
    if not few or sum(text.end() - text.start() for text in _STRING.finditer(data)) > MOST_TEXT:
        msg = f"a model file has at most {MOST_STRINGS:,} strings, of {MOST_TEXT:,} bytes together"
        raise FileError(msg)


def _model(record: ModelRecord) -> Model:
    with within("classes"):
        classes, announced = _labels(record.classes), None
    if record.announced is not None:
        with within("announced"):
            announced = _labels(record.announced)
        if not set(classes.tolist()) < set(announced.tolist()):
            refuse("announced", "the labels of all classes and at least one more")
    members = []
    for number, member in enumerate(record.members):
        with within(f"members[{number}]"):
            members.append(_member(member, record, classes))
    model = members[0]
    if record.average is not None:
        with within("average"):
            model = _averaged(record.average, members)
    elif len(members) > 1:
        refuse("members", "one model, unless several are averaged", len(members))
    return replace(model.announcing(announced), notices=tuple(record.notices))


def _member(record: MemberRecord, whole: ModelRecord, classes: LabelArray) -> Model:
    """A model; the whole file says what it has in common with others."""
    components = []
    for number, family in enumerate(record.families):
        with within(f"families[{number}]"):
            components.append(_component(family))
    schema = _schema(whole, components, classes)
    calibration, k, solution = None, classes.shape[0], None
    if record.calibration is not None:
        with within("calibration"):
            calibration = _calibration(record.calibration, k)
    with within("priors"):
        priors = _priors(record.priors, classes)
    settings = Settings(tuple(components), priors, record.unlabelled_weight, calibration)
    parts = _parts(record, "statistics", settings, schema)
    learnt = (
        None if parts is None else Learnt(classes, parts, _unlabelled(record, settings, schema))
    )
    densities = _parts(record, "density", settings, schema)
    if (record.solution is None) != (densities is None):
        refuse("solution", "there if the families have densities, and only then")
    if record.solution is not None and densities is not None:
        with within("solution"):
            solution = replace(
                _solution(record.solution, densities, schema), calibration=calibration
            )
    if learnt is None and (solution is None or record.unlabelled is not None):
        refuse("families[0]", "one with statistics, or a density and no unlabelled rows")
    if solution is None and record.unlabelled is not None and record.unlabelled.rows is None:
        refuse("solution", "there where unlabelled rows were used but are not in the file")
    return Model(settings, schema, learnt, solution, whole.target)


def _averaged(record: AverageRecord, members: Sequence[Model]) -> AveragedModel:
    """Models of the same classes and features, the one that weighs most first."""
    members = tuple(member.solved(1) for member in members)
    first = members[0]
    if any(member.schema.categorical != first.schema.categorical for member in members):
        refuse("", "of members of the same features")
    weights, k = record.floats("weight", len(members)), first.schema.classes.shape[0]
    if not (weights > 0).all() or abs(weights.sum() - 1.0) > 1e-8 or (np.diff(weights) > 0).any():
        refuse("weight", "numbers above 0 that sum to 1, the largest first", weights.tolist())
    calibration, prior = None, record.floats("prior", -1)
    if record.calibration is not None:
        with within("calibration"):
            calibration = _calibration(record.calibration, k)
    if prior.size:
        prior = _check_prior(prior, first.schema, "prior")
    with within("priors"):
        priors = _priors(record.priors, first.schema.classes)
    return AveragedModel(
        replace(first.settings, priors=priors),
        first.schema,
        None,
        replace(first.parameters, prior=prior) if prior.size else first.parameters,
        first.target,
        NOT_LEARNT,
        members=members,
        weights=weights,
        of_average=calibration,
        given_prior=prior if prior.size else None,
    )


def _calibration(record: CalibrationRecord, k: int) -> Calibration:
    offsets, sizes = record.floats("offsets", k), record.integers("left_out", -1, most=1 << 23)
    if sizes.size not in {0, k}:
        refuse("left_out", f"{k:,} integers, one for each class, or none", sizes.size)
    scores = record.floats("scores", int(sizes.sum()), missing=True)
    scores[np.isnan(scores)] = -np.inf
    left_out = tuple(np.split(scores, np.cumsum(sizes)[:-1])) if sizes.size else ()
    if (scores > _ROUNDING).any() or any((some[1:] < some[:-1]).any() for some in left_out):
        refuse("scores", "log posteriors, at most 0, in increasing order in each class")
    return Calibration(record.temperature, offsets, record.prior_proportion, left_out)


def _component(record: FamilyRecord) -> Component:
    if record.family not in RECORDED:
        refuse("family", f"one of {', '.join(map(repr, RECORDED))}", f"{record.family!r:.80}")
    with within("settings"):
        kind: type[Any] = family_records(record.family).SettingsRecord
        family = decode(record.settings, kind).read()
    return Component(family, tuple(record.integers("columns", -1, most=MOST_STRINGS).tolist()))


def _schema(record: ModelRecord, components: Sequence[Component], classes: LabelArray) -> Schema:
    """What the features are called and hold, each of which has one family."""
    columns = [column for component in components for column in component.columns]
    n, names = len(columns), record.features
    if sorted(columns) != list(range(n)) or not all(part.columns for part in components):
        refuse("families", f"families of the columns 0 to {n - 1}, each in one of them", columns)
    contents = {j: content for part in components for j, content in part.contents.items()}
    categorical = tuple(j for j in range(n) if contents[j] == "category")
    if names is not None and (len(names) != n or len(set(names)) < n):
        refuse("features", f"null or {n:,} names that are all different", len(names))
    marks = MissingMarks.given(**structs.asdict(record.missing))
    schema = Schema(classes, n, None if names is None else tuple(names), categorical, missing=marks)
    return (
        schema if record.columns is None else replace(schema, roles=_roles(record.columns, schema))
    )


def _roles(columns: Sequence[Column], schema: Schema) -> ColumnTable:
    """What each column of the table is, among which the features are by their names."""
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
    """The statistics or the densities of all families; None if there are none."""
    parts = []
    families = zip(record.families, settings.families, settings.names(schema), strict=True)
    for number, (stored, family, names) in enumerate(families):
        records = family_records(stored.family)
        kind = records.DensityRecord if part == "density" else records.StatisticsRecord
        with within(f"families[{number}].{part}"):
            found = decode(getattr(stored, part), kind | None)
            parts.append(None if found is None else found.read(family, names))
            if (parts[0] is None) != (found is None):
                refuse("", "there in all families, or null in all")
    return None if parts[0] is None else tuple(parts)


def _solution(record: SolutionRecord, densities: tuple[Any, ...], schema: Schema) -> Solution:
    k = schema.classes.shape[0]
    if k < 2:
        refuse("", "null where there are less than two classes")
    prior = _check_prior(record.floats("prior", k), schema, "prior")
    weight = record.weights("weight", -1)
    if weight.size not in {0, k} or (weight.size and not weight.any()):
        refuse("weight", f"{k} weights that are not all 0, or none", weight.tolist())
    return Solution(prior, densities, weight if weight.size else None)


def _unlabelled(record: MemberRecord, settings: Settings, schema: Schema) -> Unlabelled | None:
    single = replace(schema, classes=np.array(["unlabelled"]))
    together, rest = _parts(record, "unlabelled", settings, single), record.unlabelled
    if together is None or rest is None:
        if together is not None or rest is not None:
            refuse("unlabelled", "there if the families have statistics of it, and only then")
        return None
    with within("unlabelled.rows"):
        return Unlabelled(
            rest.n_rows,
            together,
            None if rest.rows is None else _rows(rest.n_rows, rest.rows, schema),
        )


def _rows(n: int, record: RowsRecord, schema: Schema) -> KeptRows:
    """Unlabelled rows, if they are not more than a model keeps."""
    q = len(schema.categorical)
    d = schema.n_features - q
    if n * (8 * d + 4 * q + 8) > MOST_KEPT_BYTES:
        refuse("", f"null or rows that take at most {MOST_KEPT_BYTES >> 20} MB", f"{n:,} rows")
    weights = record.weights("weight", n)
    numbers = record.floats("numbers", n, d, missing=True).astype(record.dtype)
    if not (weights > 0).all() or np.isinf(numbers).any():
        refuse("", f"rows with weights above 0 and numbers of type {record.dtype}")
    with within("categories"):
        categories = record.categories.read(q)
    codes = record.integers("codes", n, q, least=-2, most=MOST_STRINGS).astype(np.int32)
    if not (codes < [len(column) for column in categories]).all():
        refuse("codes", "the numbers of categories of each feature")
    return KeptRows(Rows(numbers, codes, categories), weights)


# Labels and priors.


def _labels(record: LabelsRecord) -> LabelArray:
    """The array of labels, sorted and all different, that gives back what is written."""
    values, dtype = record.labels_of("labels"), record.dtype
    if not values:
        refuse("labels", "at least one class: a model keeps what it has learnt from rows", "none")
    if dtype[0] == "U" and len(values) * int(dtype[1:]) > LARGEST_LABELS:
        expected = f"at most {LARGEST_LABELS:,} characters with every label as wide as the widest"
        refuse("labels", expected + " (labels of dtype object are not)", dtype)
    for at, (before, after) in enumerate(pairwise(values), start=1):
        if isinstance(before, str) != isinstance(after, str) or not before < after:
            expected = f"a label that comes after {before!r:.80}: they are sorted and different"
            refuse(f"labels[{at}]", expected, f"{after!r:.80}")
    try:
        labels = np.empty(len(values), np.dtypes.StringDType() if dtype == "T" else dtype)
        labels[:] = values
    except (ValueError, TypeError, OverflowError):
        refuse("labels", f"labels of type {dtype}")
    if [*map(repr, labels.tolist())] != [*map(repr, values)]:
        refuse("labels", f"labels of type {dtype}")
    return labels


def _priors(record: PriorsRecord | str | None, classes: LabelArray) -> Priors:
    """Priors of the classes, and perhaps of some that are still to come."""
    if record is None or isinstance(record, str):
        return record
    names, values = record.labels_of("labels"), record.floats("values", -1)
    if names and (len(names) != values.size or len(set(names)) < len(names)):
        refuse("labels", f"{values.size} labels that are all different, or none", len(names))
    absent = set(classes.tolist()) - set(names)
    if names and absent:
        refuse("labels", f"those of all classes, also {min(absent, key=repr)!r:.80}")
    if values.size < len(classes):
        refuse("values", f"a prior for each of the {len(classes)} classes", values.size)
    priors = _check_prior(values, Schema(np.arange(values.size), 0), "values").tolist()
    return dict(zip(names, priors, strict=True)) if names else priors


def _check_prior(prior: FloatArray, schema: Schema, place: str) -> FloatArray:
    """Priors of classes (k,), if they are a distribution over them."""
    try:
        return class_priors(prior, schema, prior)
    except OptionError as error:
        refuse(place, f"finite priors, none below 0, that sum to 1: {error}")
