"""Model → model file: the same model gives the same bytes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
from msgspec import Raw

from gaussbayes.base.atomic import replace_file
from gaussbayes.base.errors import FileError, GaussBayesError
from gaussbayes.base.records import (
    CategoriesRecord,
    RecordError,
    array,
    plain_labels,
    refuse,
    within,
)
from gaussbayes.base.types import LabelArray
from gaussbayes.families import family_records
from gaussbayes.model.average import AveragedModel
from gaussbayes.model.calibration import Calibration
from gaussbayes.model.file.document import (
    FORMAT,
    VERSION,
    AverageRecord,
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
from gaussbayes.model.file.reader import loads
from gaussbayes.model.model import Model
from gaussbayes.model.settings import Priors
from gaussbayes.model.solution import Solution
from gaussbayes.model.statistics import KeptRows


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
    need not run EM. They are computed now unless they are known.

    Parameters
    ----------
    estimator : the class that a reader makes an instance of
    unlabelled_rows : whether to write unlabelled rows that the model has learnt from, without which
        a loaded model predicts but cannot be updated
    """
    try:
        record = _record(model, estimator, unlabelled_rows)
        names = record.__struct_fields__[:-1]
        lines = [b'"%b": %b,\n' % (name.encode(), _json(getattr(record, name))) for name in names]
        body = b"".join([b"{\n", *lines])
        data = body + f'"checksum": "sha256:{sha256(body).hexdigest()}"\n}}\n'.encode()
        loads(data)  # whatever a reader refuses is refused now, not when the rows are gone
    except FileError as error:
        k, d = model.schema.classes.shape[0], model.schema.n_features
        msg = f"this model of {k} classes and {d} features cannot be saved: {error}"
        raise FileError(msg) from None
    return data


def _json(value: object) -> bytes:
    try:
        return msgspec.json.encode(value)
    except (TypeError, ValueError) as error:  # an odd string, or a label of a strange type
        raise RecordError(str(error)) from None


def _record(model: Model, estimator: EstimatorName, unlabelled_rows: bool) -> ModelRecord:
    schema, average = model.schema, None
    members: Sequence[Model] = (model,)
    if isinstance(model, AveragedModel):
        prior = model.given_prior
        average = AverageRecord(
            array([weight for weight, _ in model.weighted_members]),
            _priors(model.settings.priors),
            array([] if prior is None else prior),
            _calibration(model.calibration),
        )
        # Nothing more is learnt by an average: unlabelled rows are of no use to it.
        members, unlabelled_rows = model.members, False
    known = model.known_classes
    return ModelRecord(
        format=FORMAT,
        version=VERSION,
        estimator=estimator,
        classes=_labels(model.classes),
        announced=_labels(known) if known.shape[0] > model.classes.shape[0] else None,
        features=None if schema.features is None else list(schema.features),
        columns=None if schema.roles is None else list(schema.roles.columns),
        target=model.target,
        missing=MarksRecord(**schema.missing.options),
        notices=list(model.notices),
        average=average,
        members=[_member(member, unlabelled_rows) for member in members],
        checksum="",
    )


def _member(model: Model, unlabelled_rows: bool) -> MemberRecord:
    learnt, solution = model.learnt, _solution(model)
    unlabelled = None if learnt is None else learnt.unlabelled
    families, rest = [], None
    for number, component in enumerate(model.components):
        records = family_records(component.family.name)
        statistics = records.StatisticsRecord.of
        parts = (
            records.SettingsRecord.of(component.family),
            None if learnt is None else statistics(learnt.parts[number]),
            None if unlabelled is None else statistics(unlabelled.together[number]),
            None if solution is None else records.DensityRecord.of(solution.densities[number]),
        )
        written = [Raw(_json(part)) for part in parts]
        families.append(FamilyRecord(component.family.name, array(component.columns), *written))
    if unlabelled is not None:
        kept = unlabelled.kept("saving them") if unlabelled_rows else None
        rest = UnlabelledRecord(unlabelled.n_rows, None if kept is None else _rows(kept))
    return MemberRecord(
        _priors(model.settings.priors),
        float(model.settings.unlabelled_weight),
        _calibration(model.settings.calibration),
        families,
        rest,
        None if solution is None else _solution_record(solution),
    )


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
    same = follows and _bytes(model, solution) == _bytes(model, model.parameters)
    return None if same else model.parameters


def _bytes(model: Model, solution: Solution) -> list[bytes]:
    """A solution as it is written."""
    densities = [
        family_records(family.name).DensityRecord.of(density)
        for family, density in zip(model.settings.families, solution.densities, strict=True)
    ]
    return [*map(_json, densities), _json(_solution_record(solution))]


def _solution_record(solution: Solution) -> SolutionRecord:
    weight = solution.weight
    return SolutionRecord(array(solution.prior), array([] if weight is None else weight))


def _calibration(calibration: Calibration | None) -> CalibrationRecord | None:
    if calibration is None:
        return None
    return CalibrationRecord(
        float(calibration.temperature),
        array(calibration.offsets),
        float(calibration.prior_proportion),
        array([scores.size for scores in calibration.left_out]),
        array(np.concatenate([np.empty(0), *calibration.left_out])),
    )


def _rows(kept: KeptRows) -> RowsRecord:
    rows = kept.rows
    return RowsRecord(
        "float32" if rows.dtype == np.float32 else "float64",
        array(rows.matrix),
        CategoriesRecord.of(rows.categories),
        array(rows.codes),
        array(kept.weights),
    )


def _labels(classes: LabelArray) -> LabelsRecord:
    kind, size = classes.dtype.kind, classes.dtype.itemsize
    width = {"O": "", "T": "", "b": "", "U": max(1, size // 4)}.get(kind, size)
    with within("classes"):
        return LabelsRecord(f"{kind}{width}".replace("b", "?"), plain_labels(classes))


def _priors(priors: Priors) -> PriorsRecord | Literal["uniform"] | None:
    """Priors as a record: null, "uniform", or numbers, perhaps by label."""
    if priors is None:
        return None
    if isinstance(priors, str) and priors == "uniform":
        return "uniform"
    labels = array([])
    if isinstance(priors, Mapping):
        labels, priors = plain_labels(priors), list(priors.values())
    try:
        return PriorsRecord(labels, array(np.asarray(priors, dtype=np.float64)))
    except (TypeError, ValueError):
        refuse("priors", "null, 'uniform' or numbers", f"{priors!r:.80}")
