"""Model file → model: every part checked, nothing run, no name in it looked up but families."""

import codecs
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from gaussbayes.base.errors import FileError, OptionError
from gaussbayes.base.missing_marks import MissingMarks
from gaussbayes.base.notices import Notice
from gaussbayes.base.records import (
    LONGEST_STRING,
    MOST_STRINGS,
    STRING,
    RecordError,
    check_weights,
    decode,
    floats,
    integers,
    is_null,
    read_categories,
    refuse,
    scalars,
    within,
)
from gaussbayes.base.schema import Column, ColumnTable, Schema
from gaussbayes.base.threads import ranges
from gaussbayes.base.types import FloatArray, LabelArray
from gaussbayes.data.rows import Rows
from gaussbayes.families import RECORDED, family_records
from gaussbayes.model.average import NOT_LEARNT, AveragedModel
from gaussbayes.model.calibration import Calibration
from gaussbayes.model.file.document import (
    FORMAT,
    LARGEST_FILE,
    LARGEST_LABELS,
    MOST_OTHER_BYTES,
    MOST_PLAIN_BYTES,
    VERSION,
    AverageRecord,
    CalibrationRecord,
    ColumnRecord,
    EstimatorName,
    FamilyRecord,
    LabelsRecord,
    LabelType,
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
    rb'[ \t\n\r]*+\{[ \t\n\r]*+"format"[ \t\n\r]*+:[ \t\n\r]*+"gaussbayes model"[ \t\n\r]*+,'
    rb'[ \t\n\r]*+"version"[ \t\n\r]*+:[ \t\n\r]*+([0-9]{1,9})[ \t\n\r]*+,'
)
_TAIL = re.compile(rb'(?<=\n)"checksum": "sha256:([0-9a-f]{64})"\n\}\n?\Z')
_TAIL_LENGTH = 100
_ROUNDING = 1e-9  # by which the logarithm of a probability may be above 0


def load(path: Path, *, largest: int = LARGEST_FILE) -> Model:
    """Read the model in a file; one of more than `largest` bytes is refused unread."""
    return load_estimator(path, largest=largest)[0]


def load_estimator(path: Path, *, largest: int = LARGEST_FILE) -> tuple[Model, EstimatorName]:
    """Read the model in a file, and the name of the class that saved it."""
    try:
        return _loads(_read(path, largest), largest)
    except FileError as error:
        msg = f"model file {str(path)!r}: {error}"
        raise FileError(msg) from None


def _read(path: Path, largest: int) -> bytes:
    """The bytes of an ordinary file; one more than `largest` if they are too many."""
    status = path.stat()
    # A pipe or a device may never end. A directory is left to `open`, which says what it is.
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        msg = "it is not an ordinary file"
        raise FileError(msg)
    _check_size(status.st_size, largest)
    with path.open("rb") as file:
        return file.read(status.st_size + 1)


def loads(data: bytes, *, largest: int = LARGEST_FILE) -> Model:
    """The model in a model file; a FileError for anything that `dumps` would not write."""
    return _loads(data, largest)[0]


def _loads(data: bytes, largest: int) -> tuple[Model, EstimatorName]:
    _check_size(len(data), largest)
    # Without what an editor or a version control system of Windows may have added. A carriage
    # return cannot be part of a string in JSON, so that no two files become one.
    data = data.removeprefix(b"\xef\xbb\xbf")
    data = data.replace(b"\r\n", b"\n") if b"\r\n" in data else data
    _check_head(data)
    _check_checksum(data)
    _check_strings(data)
    with np.errstate(all="ignore"):
        record = decode(data, ModelRecord)
        return _model(record), record.estimator


def _check_size(size: int, largest: int) -> None:
    """Raise if a file of this size is larger than allowed."""
    if size > largest:
        msg = f"a model file has at most {largest:,} bytes, this one has {size:,}"
        raise FileError(msg)


def _check_head(data: bytes) -> None:
    """Raise if this is not a model file, or one of a version that is not known here."""
    head = _HEAD.match(data)
    if head is None:
        start = data[:40].decode("utf-8", "backslashreplace")
        beginning = f'{{"format": "{FORMAT}", "version": {VERSION}'
        msg = f"not a model file: it must begin with {beginning}, got {start!r}"
        raise FileError(msg)
    version = head[1].decode()
    if version in {"1", "2"}:
        problem = f"it was written by gaussbayes 0.{version}, whose files this version does not "
        raise RecordError(problem + "read: fit the model again", "version")
    if int(version) > VERSION:
        problem = f"this file is of version {version}, written by a newer gaussbayes; this one "
        problem += f"reads version {VERSION}: upgrade with pip install --upgrade gaussbayes"
        raise RecordError(problem, "version")
    if version != str(VERSION):
        refuse("version", str(VERSION), version)


def _check_checksum(data: bytes) -> None:
    """Raise if the checksum is not that of everything before its line."""
    tail = _TAIL.search(data, max(0, len(data) - _TAIL_LENGTH))
    if tail is None:
        problem = 'the file must end with the line "checksum": "sha256:…" and a line with }; it '
        raise RecordError(problem + "was cut off, or changed after it was saved", "checksum")
    if sha256(memoryview(data)[: tail.start()]).hexdigest() != tail[1].decode():
        problem = "it is not that of the file, which was edited or damaged after it was saved; "
        raise RecordError(problem + "save the model again, or fetch the file again", "checksum")


def _check_strings(data: bytes) -> None:
    """Raise if a file is no UTF-8, or its strings are too many or too long; none is decoded."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for piece in ranges(len(data), 1 << 16):
            decoder.decode(data[piece])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        msg = f"it must be UTF-8: {error.reason}, got {error.object[error.start :][:20]!r}"
        raise FileError(msg) from None
    # Some of the quotes that follow a backslash end a string all the same.
    count, plain, other = (data.count(b'"') - data.count(b'\\"')) // 2, 0, 0
    for string in STRING.finditer(data) if count <= MOST_STRINGS else ():
        size = string.end() - string.start()
        if size > LONGEST_STRING + 2:
            shown = string[0][:40].decode("utf-8", "replace")
            msg = f"a string has at most {LONGEST_STRING:,} bytes, but {shown}… has {size:,}"
            raise FileError(msg)
        if string[0].isascii() and b"\\" not in string[0]:
            plain += size
        else:
            other += size
        if other > MOST_OTHER_BYTES:
            break
    if count > MOST_STRINGS or plain > MOST_PLAIN_BYTES or other > MOST_OTHER_BYTES:
        msg = (
            f"a model file has at most {MOST_STRINGS:,} strings, {MOST_PLAIN_BYTES:,} bytes of "
            f"those that are ASCII and {MOST_OTHER_BYTES:,} of others; this one has more"
        )
        raise FileError(msg)


def _model(record: ModelRecord) -> Model:
    with within("classes"):
        classes = _classes(record.classes)
        announced = _announced(record.classes.announced, classes)
    notices = tuple(Notice(notice.kind, notice.message) for notice in record.notices)
    return replace(_of_classes(record, classes).announcing(announced), notices=notices)


def _of_classes(record: ModelRecord, classes: LabelArray) -> Model:
    calibration = None
    if record.calibration is not None:
        with within("calibration"):
            calibration = _calibration(record.calibration, classes.shape[0])
    if record.average is None:
        if not record.families:
            refuse("families", "an array of at least one family, unless models are averaged")
        return _single(record, record, classes, calibration)
    for part in ("families", "unlabelled", "solution"):
        if getattr(record, part):
            empty = "an empty array" if part == "families" else "null"
            refuse(part, f"{empty} where models are averaged: their members have their own")
    with within("priors"):
        priors = _priors(record.priors, classes)
    with within("average"):
        model = _averaged(record.average, record, classes, calibration)
    settings = replace(model.settings, priors=priors, unlabelled_weight=record.unlabelled_weight)
    return replace(model, settings=settings)


def _single(
    record: ModelRecord | MemberRecord,
    whole: ModelRecord,
    classes: LabelArray,
    calibration: Calibration | None = None,
) -> Model:
    """A model by the record of it; the whole file says what it has in common with others."""
    components = tuple(_each(record.families, _component))
    schema = _schema(whole.features, components, classes)
    if whole.columns is not None:
        schema = replace(schema, roles=_columns(whole.columns, schema))
    if whole.missing is not None:
        of_columns = {each.name: each.marks for each in whole.missing.columns}
        given = [*whole.missing.everywhere, of_columns]
        schema = replace(schema, missing=MissingMarks.given(given, keep_default_na=False))
    with within("priors"):
        priors = _priors(record.priors, classes)
    settings = Settings(components, priors, record.unlabelled_weight, calibration)
    learnt, solution = None, None
    if _all_or_none(record.families, "statistics"):
        parts = _parts(record.families, settings, schema, "statistics")
        learnt = Learnt(classes, parts, _unlabelled(record, settings, schema))
    elif record.unlabelled is not None:
        refuse("unlabelled", "null where the families have no statistics")
    if _all_or_none(record.families, "density") != (record.solution is not None):
        refuse("solution", "there if the families have densities, and only then")
    if record.solution is not None:
        densities = _parts(record.families, settings, schema, "density")
        with within("solution"):
            solution = replace(
                _solution(record.solution, densities, schema), calibration=calibration
            )
    if solution is None:
        if learnt is None:
            refuse("families[0]", "one with statistics or a density, or both")
        if learnt.unlabelled is not None and learnt.unlabelled.rows is None:
            refuse("solution", "there where unlabelled rows were used but are not in the file")
    return Model(settings, schema, learnt, solution, whole.target)


def _averaged(
    record: AverageRecord,
    whole: ModelRecord,
    classes: LabelArray,
    calibration: Calibration | None,
) -> AveragedModel:
    """Models of the same classes and features, the one that weighs most first."""
    members = []
    for number, each in enumerate(record.members):
        with within(f"members[{number}]"):
            try:
                members.append(_single(each, whole, classes).solved(1))
            except np.linalg.LinAlgError as error:
                msg = f"its statistics give no density: {error}"
                raise RecordError(msg) from None
        if members[number].schema.categorical != members[0].schema.categorical or (
            members[number].schema.n_features != members[0].schema.n_features
        ):
            refuse(f"members[{number}].families", "ones of the features of the first member")
    weights = np.array([each.weight for each in record.members])
    if abs(weights.sum() - 1.0) > 1e-8 or (np.diff(weights) > 0).any():
        refuse("members", "models whose weights sum to 1, the largest first", weights.tolist())
    prior, first = None, members[0]
    if not is_null(record.prior):
        k = classes.shape[0]
        prior = floats(record.prior, "prior", k, ", one for each class")
        prior = _check_prior(prior, first.schema, "prior")
    solution = first.parameters if prior is None else replace(first.parameters, prior=prior)
    return AveragedModel(
        first.settings,
        first.schema,
        None,
        solution,
        whole.target,
        NOT_LEARNT,
        members=tuple(members),
        weights=weights,
        of_average=calibration,
        given_prior=prior,
    )


def _calibration(record: CalibrationRecord, k: int) -> Calibration:
    offsets = floats(record.offsets, "offsets", k, ", one for each class")
    most = MOST_KEPT_BYTES // 8
    sizes = integers(record.left_out, "left_out", None, 0, most, longest=MOST_STRINGS)
    if sizes.size not in (0, k):
        refuse("left_out", f"an array of {k:,} integers, one for each class, or none", sizes.size)
    count = int(sizes.sum())
    meaning = ", as many as left_out says"
    scores = floats(record.scores, "scores", count, meaning, missing=True)
    scores[np.isnan(scores)] = -np.inf
    ends = np.cumsum(sizes).tolist()
    left_out = tuple(np.split(scores, ends[:-1])) if ends else ()
    for start, some in zip([0, *ends], left_out, strict=False):
        with np.errstate(invalid="ignore"):
            wrong = np.flatnonzero((some > _ROUNDING) | (np.append(some[:1], some[:-1]) > some))
        if wrong.size:
            at = int(wrong[0])
            expected = "a log posterior, at most 0 and not below the one before it in its class"
            refuse(f"scores[{start + at}]", expected, some[at])
    return Calibration(record.temperature, offsets, record.prior_proportion, left_out)


def _each(records: Sequence[FamilyRecord], read: Any, *arguments: Sequence[Any]) -> Iterator[Any]:
    """What a function reads of each family; errors are at its place."""
    for number, (record, *others) in enumerate(zip(records, *arguments, strict=True)):
        with within(f"families[{number}]"):
            yield read(record, *others)


def _component(record: FamilyRecord) -> Component:
    if record.family not in RECORDED:
        refuse("family", f"one of {', '.join(map(repr, RECORDED))}", f"{record.family!r:.80}")
    records = family_records(record.family)
    with within("settings"):
        family = records.read_settings(decode(record.settings, records.SettingsRecord))
    most = MOST_STRINGS
    columns = integers(record.columns, "columns", None, 0, most - 1, longest=most).tolist()
    return Component(family, tuple(columns))


def _schema(names: list[str] | None, components: Sequence[Component], classes: Any) -> Schema:
    """What the features are called, each of which has one family."""
    n = sum(len(component.columns) for component in components)
    families: dict[int, int] = {}
    for number, component in enumerate(components):
        if not component.columns:
            refuse(f"families[{number}].columns", "at least one feature")
        for at, column in enumerate(component.columns):
            if column >= n or column in families:
                expected = f"one of the {n:,} features, each of which has one family"
                refuse(f"families[{number}].columns[{at}]", expected, column)
            families[column] = number
    if names is not None:
        if len(names) != n:
            expected = f"null or {n:,} names, as many as the families have columns"
            refuse("features", expected, f"{len(names):,}")
        first = {name: at for at, name in reversed(list(enumerate(names)))}
        for at, name in enumerate(names):
            if first[name] != at:
                refuse(f"features[{at}]", "names that are all different", f"{name!r:.80}")
    categorical = sorted(
        column
        for component in components
        for column, content in component.contents.items()
        if content == "category"
    )
    return Schema(classes, n, None if names is None else tuple(names), tuple(categorical))


def _columns(records: Sequence[ColumnRecord], schema: Schema) -> ColumnTable:
    """What each column of the table is, among which the features are by their names."""
    roles = ColumnTable(tuple(Column(r.name, r.kind, r.reason, r.origin) for r in records))
    names = {name: at for at, name in reversed(list(enumerate(roles.names)))}
    for at, column in enumerate(roles.columns):
        if names[column.name] != at:
            refuse(f"columns[{at}].name", "names that are all different", f"{column.name!r:.80}")
        if (column.origin is not None) != (column.kind == "date"):
            refuse(f"columns[{at}].origin", "a date where the kind is 'date', and null elsewhere")
        if column.origin is not None:
            try:
                date.fromisoformat(column.origin)
            except ValueError:
                refuse(f"columns[{at}].origin", "a date such as 2024-01-31", column.origin)
    used = {column.name: column.kind == "category" for column in roles.used}
    names_of = schema.features or ()
    known = {name: place in schema.categorical for place, name in enumerate(names_of)}
    if used != known:
        refuse("columns", "those of the features, as numbers or categories, and others excluded")
    return roles


def _all_or_none(records: Sequence[FamilyRecord], part: str) -> bool:
    present = [not is_null(getattr(record, part)) for record in records]
    if any(present) and not all(present):
        at = present.index(False)
        refuse(f"families[{at}].{part}", "there if other families have theirs", "null")
    return any(present)


def _parts(
    records: Sequence[FamilyRecord], settings: Settings, schema: Schema, part: str
) -> tuple[Any, ...]:
    """The statistics or the density of every family."""

    def read(record: FamilyRecord, family: Any, names: Schema) -> Any:
        module = family_records(record.family)
        with within(part):
            if part == "density":
                density = decode(record.density, module.DensityRecord)
                return module.read_density(density, family, names)
            sums = decode(getattr(record, part), module.StatisticsRecord)
            statistics = module.read_statistics(sums, family, names)
            check_weights(statistics.weight, "weight")
            return statistics

    return tuple(_each(records, read, settings.families, settings.names(schema)))


def _solution(record: SolutionRecord, densities: tuple[Any, ...], schema: Schema) -> Solution:
    k = schema.classes.shape[0]
    if k < 2:
        refuse("", "null where there are less than two classes")
    prior = _check_prior(floats(record.prior, "prior", k, ", one for each class"), schema, "prior")
    if is_null(record.weight):
        return Solution(prior, densities)
    weight = floats(record.weight, "weight", k, ", one for each class")
    check_weights(weight, "weight")
    if not weight.any():
        refuse("weight", "null or weights that are not all 0")
    return Solution(prior, densities, weight)


def _unlabelled(
    record: ModelRecord | MemberRecord, settings: Settings, schema: Schema
) -> Unlabelled | None:
    rest = record.unlabelled
    if _all_or_none(record.families, "unlabelled") != (rest is not None):
        refuse("unlabelled", "there if the families have statistics of it, and only then")
    if rest is None:
        return None
    single = replace(schema, classes=np.array(["unlabelled"]))
    together = _parts(record.families, settings, single, "unlabelled")
    with within("unlabelled.rows"):
        kept = None if rest.rows is None else _rows(rest.n_rows, rest.rows, schema)
    return Unlabelled(rest.n_rows, together, kept)


def _rows(n: int, rows: RowsRecord, schema: Schema) -> KeptRows:
    """Unlabelled rows, if they are not more than a model keeps."""
    q = len(schema.categorical)
    g = schema.n_features - q
    if n * (8 * g + 4 * q + 8) > MOST_KEPT_BYTES:
        refuse("", f"null or rows that take at most {MOST_KEPT_BYTES >> 20} MB", f"{n:,} rows")
    each = ", one for each row"
    weights = floats(rows.weights, "weights", n, each)
    check_weights(weights, "weights")
    if not (weights > 0).all():
        refuse(f"weights[{int(np.argmin(weights > 0))}]", "a weight above 0")
    meaning = f"{each} and feature of numbers"
    numbers: Any = floats(rows.numbers, "numbers", n * g, meaning, missing=True).reshape(n, g)
    if rows.dtype == "float32":
        numbers = numbers.astype(np.float32)
        if np.isinf(numbers).any():
            refuse(f"numbers[{int(np.argmax(np.isinf(numbers)))}]", "a number of type float32")
    with within("categories"):
        categories = read_categories(rows.categories, q)
    codes = integers(rows.codes, "codes", n * q, -2, MOST_STRINGS, f"{each} and category")
    codes = codes.reshape(n, q)
    sizes = np.array([len(column) for column in categories], dtype=np.int64)
    if not (codes < sizes).all():
        at = int(np.argmin(codes < sizes))
        refuse(f"codes[{at}]", "the number of a category of its feature", codes.flat[at])
    return KeptRows(Rows(numbers, codes.astype(np.int32), categories), weights)


# Labels and priors.


def _classes(record: LabelsRecord) -> LabelArray:
    """The array of labels, sorted and all different."""
    kind, width = record.type, record.width
    if (kind == "str") != (width is not None):
        refuse("width", "the number of characters of type str, else null", repr(width))
    values: list[Any] = scalars(record.labels, "labels", "labels")
    if not values:
        refuse("labels", "at least one class: a model keeps what it has learnt from rows", "none")
    if len(values) * (width or 0) > LARGEST_LABELS:
        expected = (
            f"at most {LARGEST_LABELS:,} characters with every label as wide as the widest (labels "
            "of dtype object are not)"
        )
        refuse("labels", expected, f"{len(values):,} classes of {width:,} characters")
    for c, (before, after) in enumerate(pairwise(values), start=1):
        try:
            in_order = before < after
        except TypeError:
            in_order = False
        if not in_order:
            expected = f"a label that comes after {before!r:.80}: they are sorted and different"
            refuse(f"labels[{c}]", expected, f"{after!r:.80}")
    for c, label in enumerate(values):
        if not _fits(label, kind, width):
            what = "a label" if kind in {"str", "string", "bool"} else "an integer"
            wide = "" if width is None else f" and up to {width} characters"
            refuse(f"labels[{c}]", f"{what} of type {kind}{wide}", f"{label!r:.80}")
    if kind == "object":
        return np.fromiter(values, dtype=object, count=len(values))
    dtypes: dict[str, Any] = {"str": f"U{width}", "string": np.dtypes.StringDType()}
    return np.array(values, dtypes.get(kind, kind))


def _announced(record: LabelsRecord | None, classes: LabelArray) -> LabelArray | None:
    """The labels that may occur, if they are more than those of the classes."""
    if record is None:
        return None
    with within("announced"):
        announced = _classes(record)
    if not set(classes.tolist()) < set(announced.tolist()):
        refuse("announced.labels", "those of all classes and at least one more", "others")
    return announced


def _fits(label: Any, kind: LabelType, width: int | None) -> bool:
    """Whether an array of a type gives a label back as it is."""
    if kind in {"object", "bool"}:
        return kind == "object" or type(label) is bool
    if kind in {"str", "string"}:
        ended = kind == "str" and str(label).endswith("\0")
        return type(label) is str and not ended and (width is None or len(label) <= width)
    if kind.startswith("float"):
        whole = type(label) is int or (type(label) is float and label.is_integer())
        return whole and float(np.array(float(label), kind)) == label
    return type(label) is int and np.iinfo(kind).min <= label <= np.iinfo(kind).max


def _priors(record: PriorsRecord | str | None, classes: LabelArray) -> Priors:
    """Priors of the classes, and perhaps of some that are still to come."""
    if record is None or isinstance(record, str):
        return record
    names = None if is_null(record.labels) else scalars(record.labels, "labels", "labels")
    count, meaning = (None, "") if names is None else (len(names), ", one for each label")
    values = floats(record.values, "values", count, meaning, longest=MOST_STRINGS)
    if names is None and values.size < len(classes):
        refuse("values", f"a prior for each of the {len(classes)} classes", str(values.size))
    known = set(names or ())
    if names is not None and len(known) < len(names):
        refuse("labels", "labels that are all different")
    absent = [label for label in classes.tolist() if names is not None and label not in known]
    if absent:
        refuse("labels", f"those of all classes, also {absent[0]!r:.80}")
    priors = _check_prior(values, Schema(np.arange(values.size), 0), "values").tolist()
    return priors if names is None else dict(zip(names, priors, strict=True))


def _check_prior(prior: FloatArray, schema: Schema, place: str) -> FloatArray:
    """Priors of classes (k,), if they are a distribution over them."""
    try:
        with np.errstate(over="ignore"):
            return class_priors(prior, schema, prior)
    except OptionError as error:
        refuse(place, f"finite priors, none below 0, that sum to 1: {error}")
