"""Model → model file: the same model gives the same bytes."""

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

import msgspec
import numpy as np
from msgspec import Raw

from gaussbayes.base.atomic import replace_file
from gaussbayes.base.errors import FileError, GaussBayesError
from gaussbayes.base.missing_marks import STANDARD_MARKS, MissingMarks
from gaussbayes.base.records import (
    Record,
    check_label,
    integer_array,
    labels,
    numbers,
    refuse,
    string,
    within,
    write_categories,
)
from gaussbayes.base.schema import ColumnTable
from gaussbayes.base.types import FloatArray, LabelArray
from gaussbayes.families import family_records
from gaussbayes.model.average import AveragedModel
from gaussbayes.model.calibration import Calibration
from gaussbayes.model.file.document import (
    FORMAT,
    VERSION,
    AverageRecord,
    CalibrationRecord,
    ClassesRecord,
    ColumnRecord,
    EstimatorName,
    FamilyRecord,
    LabelsRecord,
    LabelType,
    MarkedColumnRecord,
    MemberRecord,
    MissingRecord,
    ModelRecord,
    NoticeRecord,
    PriorsRecord,
    RowsRecord,
    SolutionRecord,
    UnlabelledRecord,
)
from gaussbayes.model.file.reader import loads
from gaussbayes.model.model import Model
from gaussbayes.model.settings import Priors
from gaussbayes.model.solution import Solution
from gaussbayes.model.statistics import KeptRows

_LINE = 100
"""Bytes up to which an object is written in one line."""


def save(
    model: Model,
    path: Path,
    estimator: EstimatorName = "GaussianClassifier",
    *,
    unlabelled_rows: bool = False,
) -> Path:
    """Write a model, see `dumps`, whole or not at all: whatever fails leaves the old file there."""
    replace_file(path, dumps(model, estimator, unlabelled_rows=unlabelled_rows), "the model")
    return path


def dumps(
    model: Model,
    estimator: EstimatorName = "GaussianClassifier",
    *,
    unlabelled_rows: bool = False,
) -> bytes:
    """The model file of a model.

    Parameters that do not simply follow from the statistics are there too: whoever reads the file
    need not run EM. They are worked out now unless they are known.

    Parameters
    ----------
    estimator : the class that a reader makes an instance of
    unlabelled_rows : whether to write unlabelled rows that the model has learnt from, without which
        a loaded model predicts but cannot be updated
    """
    try:
        record = _record(model, estimator, unlabelled_rows)
        data = sealed(_laid_out(record)[: -len('"checksum": ""\n}')])
        loads(data)  # whatever a reader refuses is refused now, not when the rows are gone
    except FileError as error:
        k, d = model.schema.classes.shape[0], model.schema.n_features
        msg = f"this model of {k} classes and {d} features cannot be saved: {error}"
        raise FileError(msg) from None
    return data


def sealed(body: bytes) -> bytes:
    """The lines of a file with the checksum and the closing bracket after them."""
    return body + f'"checksum": "sha256:{sha256(body).hexdigest()}"\n}}\n'.encode()


def _solution(model: Model) -> Solution | None:
    """The parameters, if they do not simply follow from statistics; None if they do."""
    learnt = model.learnt
    if learnt is None:
        return model.parameters
    follows = learnt.is_complete
    if (follows and model.solution is None) or learnt.classes.size < 2:
        return None
    try:
        with np.errstate(all="ignore"):
            solution = (replace(model, solution=None) if follows else model).parameters
    except (GaussBayesError, np.linalg.LinAlgError):
        return model.solution  # too few rows so far: what was learnt is kept all the same
    if not follows:
        return solution
    return None if _same(model, model.parameters, solution) else model.parameters


def _same(model: Model, a: Solution, b: Solution) -> bool:
    """Whether two solutions are the same to the bit."""
    arrays = [(a.prior, b.prior), (a.weight, b.weight)]
    if any(x is None or y is None or x.tobytes() != y.tobytes() for x, y in arrays):
        return False
    triples = zip(model.settings.families, a.densities, b.densities, strict=True)
    return all(
        msgspec.json.encode(family_records(family.name).write_density(x))
        == msgspec.json.encode(family_records(family.name).write_density(y))
        for family, x, y in triples
    )


def _record(model: Model, estimator: EstimatorName, unlabelled_rows: bool) -> ModelRecord:
    schema, average = model.schema, None
    with within("classes"):
        classes = _classes(model)
    names = None
    if schema.features is not None:
        names = [string(name, f"features[{j}]") for j, name in enumerate(schema.features)]
    settings = _settings(model)
    with within("calibration"):
        calibration = None if model.calibration is None else _calibration(model.calibration)
    if isinstance(model, AveragedModel):
        with within("average"):
            average = _average(model)
    parts: dict[str, Any] = {"families": [], "unlabelled": None, "solution": None}
    if average is None:
        parts = _parts(model, unlabelled_rows)
    return ModelRecord(
        format=FORMAT,
        version=VERSION,
        estimator=estimator,
        classes=classes,
        features=names,
        columns=None if schema.roles is None else _columns(schema.roles),
        target=None if model.target is None else string(model.target, "target"),
        missing=None if schema.missing == STANDARD_MARKS else _missing(schema.missing),
        **settings,
        calibration=calibration,
        **parts,
        average=average,
        notices=[
            NoticeRecord(notice.kind, string(notice.message, "notices")) for notice in model.notices
        ],
        checksum="",
    )


def _columns(roles: ColumnTable) -> list[ColumnRecord]:
    """What each column of the table is to the model."""
    columns = []
    for number, each in enumerate(roles.columns):
        with within(f"columns[{number}]"):
            reason = None if each.reason is None else string(each.reason, "reason")
            columns.append(ColumnRecord(string(each.name, "name"), each.kind, reason, each.origin))
    return columns


def _missing(marks: MissingMarks) -> MissingRecord:
    """What stands for missing values."""
    columns = [
        MarkedColumnRecord(string(name, "missing.columns"), sorted(some))
        for name, some in marks.of_columns
    ]
    everywhere = [string(mark, "missing.everywhere") for mark in sorted(marks.everywhere)]
    return MissingRecord(everywhere, columns)


def _settings(model: Model) -> dict[str, Any]:
    """Priors, and the weight of unlabelled rows."""
    with within("priors"):
        priors = _priors(model.settings.priors, model.schema.classes)
    return {"priors": priors, "unlabelled_weight": float(model.settings.unlabelled_weight)}


def _parts(model: Model, unlabelled_rows: bool) -> dict[str, Any]:
    """What was learnt, and parameters that do not follow from it."""
    learnt, solution = model.learnt, _solution(model)
    unlabelled = None if learnt is None else learnt.unlabelled
    families = []
    for number, component in enumerate(model.components):
        parts = (
            None if learnt is None else learnt.parts[number],
            None if unlabelled is None else unlabelled.together[number],
            None if solution is None else solution.densities[number],
        )
        with within(f"families[{number}]"):
            families.append(_family(component.family, component.columns, *parts))
    rest = None
    if unlabelled is not None:
        kept = unlabelled.kept("saving them") if unlabelled_rows else None
        with within("unlabelled.rows"):
            rest = UnlabelledRecord(unlabelled.n_rows, None if kept is None else _rows(kept))
    return {"families": families, "unlabelled": rest, "solution": _write_solution(solution)}


def _average(model: AveragedModel) -> AverageRecord:
    """The members; unlabelled rows are of no use to them, for nothing more is learnt."""
    members = []
    for number, (weight, member) in enumerate(model.weighted_members):
        with within(f"members[{number}]"):
            parts = _settings(member) | _parts(member, unlabelled_rows=False)
            members.append(MemberRecord(float(weight), **parts))
    prior = model.given_prior
    return AverageRecord(Raw(b"null") if prior is None else numbers(prior, "prior"), members)


def _calibration(calibration: Calibration) -> CalibrationRecord:
    scores = np.concatenate([np.empty(0), *calibration.left_out])
    return CalibrationRecord(
        float(calibration.temperature),
        numbers(calibration.offsets, "offsets"),
        float(calibration.prior_proportion),
        integer_array([some.size for some in calibration.left_out]),
        # Of a row that was impossible the log posterior is −∞.
        numbers(np.where(np.isneginf(scores), np.nan, scores), "scores", missing=True),
    )


def _family(family: Any, columns: tuple[int, ...], *parts: Any) -> FamilyRecord:
    """The record of a family by its statistics, those of unlabelled rows, and its density."""
    module = family_records(family.name)
    written = []
    for name, write, part in zip(
        ("settings", "statistics", "unlabelled", "density"),
        ("write_settings", "write_statistics", "write_statistics", "write_density"),
        (family, *parts),
        strict=True,
    ):
        with within(name):
            record = None if part is None else getattr(module, write)(part)
            written.append(Raw(_laid_out(record)))
    return FamilyRecord(family.name, integer_array(columns), *written)


def _write_solution(solution: Solution | None) -> SolutionRecord | None:
    if solution is None:
        return None
    weight = solution.weight
    written = Raw(b"null") if weight is None else numbers(weight, "solution.weight")
    return SolutionRecord(numbers(solution.prior, "solution.prior"), written)


def _rows(kept: KeptRows) -> RowsRecord:
    rows = kept.rows
    with within("categories"):
        categories = write_categories(rows.categories)
    return RowsRecord(
        "float32" if rows.dtype == np.float32 else "float64",
        numbers(rows.matrix, "numbers", missing=True),
        categories,
        integer_array(rows.codes),
        numbers(kept.weights, "weights"),
    )


def _classes(model: Model) -> ClassesRecord:
    """The labels as a record; those that were announced only if some of them have no rows."""
    record, known = ClassesRecord(*_labels(model.classes)), model.known_classes
    if known.shape[0] > model.classes.shape[0]:
        with within("announced"):
            record = msgspec.structs.replace(record, announced=LabelsRecord(*_labels(known)))
    return record


def _labels(classes: LabelArray) -> tuple[Any, int | None, Raw]:
    """The type of labels, the width of strings, and the labels."""
    name: Any = {"U": "str", "O": "object", "T": "string"}.get(
        classes.dtype.kind, classes.dtype.name
    )
    plain = name != "string" or classes.dtype == np.dtypes.StringDType()
    if name not in get_args(LabelType) or not plain:
        refuse("type", "labels that are strings, numbers or booleans; convert them", name)
    width = max(1, classes.dtype.itemsize // 4) if name == "str" else None
    return name, width, labels(classes, "labels")


def _priors(priors: Priors, classes: LabelArray) -> Any:
    """Priors as a record: null, "uniform", or numbers by label in the order of the labels."""
    if priors is None or isinstance(priors, str):
        if priors not in {None, "uniform"}:
            refuse("", "null, 'uniform' or numbers", f"{priors!r:.80}")
        return priors
    if not isinstance(priors, Mapping):
        return PriorsRecord(Raw(b"null"), numbers(_numbers(priors), "values"))
    known = {label: label for label in classes.tolist()}  # 1 and 1.0 are one label: the model's
    plain = [_plain(known.get(label, label)) for label in priors]
    for at, label in enumerate(plain):
        check_label(label, f"labels[{at}]")
    values = _numbers(list(priors.values())).tolist()
    # Numbers before strings: labels of one kind have an order, those of both have this one.
    pairs = sorted(zip(plain, values, strict=True), key=lambda p: (isinstance(p[0], str), p[0]))
    return PriorsRecord(
        labels([label for label, _ in pairs], "labels"),
        numbers(np.array([prior for _, prior in pairs]), "values"),
    )


def _numbers(priors: object) -> FloatArray:
    try:
        return np.array(priors, dtype=np.float64)
    except (TypeError, ValueError):
        refuse("", "null, 'uniform' or numbers", f"{priors!r:.80}")


def _plain(label: object) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _laid_out(value: Any) -> bytes:
    """JSON with a line for each member of a record, unless it is short."""
    if isinstance(value, list) and value and isinstance(value[0], Record):
        return b"[\n" + b",\n".join(map(_laid_out, value)) + b"\n]"
    text = msgspec.json.encode(value)
    if not isinstance(value, Record) or len(text) <= _LINE:
        return text
    # A last setting that is rarely there is written only where it is.
    left_out = value.__struct_config__.omit_defaults and getattr(value, value.__struct_fields__[-1])
    names = value.__struct_fields__[: -1 if left_out is None else None]
    members = [b'"%b": %b' % (name.encode(), _laid_out(getattr(value, name))) for name in names]
    return b"{\n" + b",\n".join(members) + b"\n}"
