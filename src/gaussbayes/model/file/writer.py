"""Model → model file: the same model gives the same bytes."""

from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from gaussbayes.base.atomic import replace_file
from gaussbayes.base.errors import FileError, GaussBayesError
from gaussbayes.base.records import encode, within
from gaussbayes.families import family_records
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
from gaussbayes.model.file.reader import loads
from gaussbayes.model.model import Model
from gaussbayes.model.selection import Selection
from gaussbayes.model.solution import Solution


def save(
    model: Model,
    path: Path,
    estimator: EstimatorName = "GaussianClassifier",
    *,
    selection: Selection | None = None,
    unlabelled_rows: bool = False,
) -> Path:
    """Write a model, see `dumps`, whole or not at all: whatever fails leaves the old file there."""
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

    Parameters that do not simply follow from the statistics are there too: whoever reads the file
    need not run EM. They are computed now unless they are known.

    Parameters
    ----------
    estimator : the class that a reader makes an instance of
    selection : how the model was selected, if it was
    unlabelled_rows : whether to write unlabelled rows that the model has learnt from, without which
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
        loads(data)  # whatever a reader refuses is refused now, not when the rows are gone
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
        model=_member(model, unlabelled_rows),
        checksum="",
    )


def _member(model: Model, unlabelled_rows: bool) -> MemberRecord:
    learnt, solution, families = model.learnt, _solution(model), []
    unlabelled = None if learnt is None else learnt.unlabelled
    for number, component in enumerate(model.components):
        records = family_records(component.family.name)
        parts = (
            records.SettingsRecord.of(component.family),
            learnt and records.StatisticsRecord.of(learnt.parts[number]),
            unlabelled and records.StatisticsRecord.of(unlabelled.together[number]),
            solution and records.DensityRecord.of(solution.densities[number]),
        )
        written = map(encode, (component.columns, *parts))
        families.append(FamilyRecord(component.family.name, *written))
    rest = None
    if unlabelled is not None:
        kept = unlabelled.kept("saving them") if unlabelled_rows else None
        rest = UnlabelledRecord(unlabelled.n_rows, _or_none(RowsRecord.of, kept))
    return MemberRecord(
        _priors(model),
        float(model.settings.unlabelled_weight),
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
    return [bytes(encode(record)) for record in (*densities, SolutionRecord.of(solution))]


def _priors(model: Model) -> Any:
    """Priors as a record: null, "uniform", or numbers."""
    priors = model.settings.priors
    return priors if isinstance(priors, str) else _or_none(PriorsRecord.of, priors)


def _or_none(make: Any, value: Any) -> Any:
    return None if value is None else make(value)
