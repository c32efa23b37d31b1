"""What users should know about a fitted model, as notices.

Most follow from the model itself, so that they stay true when it is updated, merged or loaded. What
only the reading of its rows has shown is stored with it: rows skipped, encodings, renamed columns.
"""

from collections.abc import Iterator

from gaussbayes.base.notices import Notice
from gaussbayes.base.numerals import counted
from gaussbayes.data.schema import ColumnTable
from gaussbayes.model.model import Model


def model_notices(model: Model) -> tuple[Notice, ...]:
    """The notices about a model: its columns, its rows, and how well it could be fitted."""
    fitted = (*_classes(model), *_unlabelled(model), *_convergence(model), *_information(model))
    fitted += tuple(_families(model))
    return (*_columns(model), *model.notices, *fitted)


def _columns(model: Model) -> Iterator[Notice]:
    roles = model.schema.roles or ColumnTable(())
    return roles.notices(model.schema.missing)


def _families(model: Model) -> Iterator[Notice]:
    for family in model.settings.families:
        notice = getattr(family, "notice", None)
        if notice is not None:
            yield Notice("fewer bins", notice)


def _classes(model: Model) -> Iterator[Notice]:
    empty = [label for label in model.known_classes.tolist() if model.schema.position(label) < 0]
    if empty:
        yield Notice("empty classes", f"no rows of class {', '.join(map(repr, empty))} so far")


def _unlabelled(model: Model) -> Iterator[Notice]:
    statistics = model.statistics
    if statistics is None or statistics.unlabelled is None:
        return
    unlabelled = statistics.unlabelled
    rows = counted(unlabelled.n_rows, "unlabelled row")
    weight = model.settings.unlabelled_weight
    used = f"used by EM, each with weight {weight:g}" if weight else "not used"
    if weight and 0 < unlabelled.weights.size < unlabelled.n_rows:
        used += f"; a sample of {unlabelled.weights.size:,}, to save memory"
    yield Notice("unlabelled rows", f"{rows} {used}")


def _convergence(model: Model) -> Iterator[Notice]:
    record = None if model.solution is None else model.solution.convergence
    if record is not None and not record.converged:
        iterations = counted(record.n_iterations, "iteration")
        message = (
            f"EM did not converge within {iterations}; the estimated error of a parameter is "
            f"{record.remaining:.1g} standard deviations"
        )
        yield Notice("not converged", message)


def _information(model: Model) -> Iterator[Notice]:
    calibration = model.calibration
    if calibration is not None and calibration.notice is not None:
        yield Notice("no information", calibration.notice)
