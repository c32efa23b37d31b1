"""The summary of a model: its title, its classes and the parameters in the units of the table.

If there are many classes or features, the first are shown, with the number of the others. Most
notices follow from the model itself, so that they remain valid when it is updated, merged or
loaded. Notices about the reading of its rows are stored with it: skipped rows, encodings, renamed
columns.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from gaussbayes.base.errors import GaussBayesError
from gaussbayes.base.notices import Notice
from gaussbayes.base.numerals import counted, five_digits, shortened
from gaussbayes.base.result import Result
from gaussbayes.base.text_tables import MOST_ROWS, Block, Styled, TextTable
from gaussbayes.data.schema import ColumnTable
from gaussbayes.families.protocol import Describable, ParameterTable
from gaussbayes.model.bayes_error import BayesError, bayes_error
from gaussbayes.model.class_tests import ClassTest, class_tests, table_of_tests
from gaussbayes.model.model import Model

_MOST_COLUMNS = 5  # classes side by side
_MOST_LINES = 12  # lines of a table of parameters
_WIDEST_HEADING, _WIDEST_TITLE = 10, 60


@dataclass(frozen=True, slots=True, eq=False)
class Parameters:
    """A table of parameters in the units of the table: a line for each feature or category."""

    title: str  #: such as "mean" or "p(wind | class)"
    names: tuple[str, ...]  #: of the features or categories
    classes: tuple[str, ...]  #: the columns; ("all",) if the classes share them
    values: tuple[tuple[float | str, ...], ...]  #: by name and class; dates are text


@dataclass(frozen=True, slots=True, eq=False)
class ClassSummary:
    """A class of a model."""

    label: object  #: the class
    prior: float | None  #: None if the model cannot predict yet
    weight: float | None  #: of its rows; None if the parameters were given


@dataclass(frozen=True, slots=True, eq=False)
class ModelSummary(Result):
    """The title, the classes and the parameters of a model."""

    title: str  #: covariances, pooling, transform, shrinkage
    target: str | None  #: the column that the labels came from
    n_features: int
    n_parameters: int | None  #: None if the model cannot predict yet, or it is not defined
    classes: tuple[ClassSummary, ...]  #: in the user's order
    parameters: tuple[Parameters, ...]
    calibration: str | None  #: a sentence, if the posteriors are calibrated
    problem: str | None = None  #: the reason if the model cannot predict yet
    bayes_error: BayesError | None = None  #: plug-in estimate, if the model can be simulated
    class_tests: tuple[ClassTest, ...] = ()  #: of equal covariances and means, if they apply

    def tables(self) -> Sequence[Block]:
        """Return a sentence and tables."""
        n_classes = counted(len(self.classes), "class", "classes")
        size = f"{n_classes}, {counted(self.n_features, 'feature')}"
        about = "" if self.target is None else f" for {self.target}"
        text = f"{self.title}{about}: {size}"
        text += "" if self.n_parameters is None else f", {counted(self.n_parameters, 'parameter')}"
        blocks: list[Block] = [text]
        blocks += [] if self.problem is None else [f"It cannot predict yet: {self.problem}"]
        blocks += [] if self.calibration is None else [self.calibration]
        known = [name for name in ("prior", "weight") if getattr(self.classes[0], name) is not None]
        lines = (
            (shortened(str(each.label), 40), *(five_digits(getattr(each, name)) for name in known))
            for each in self.classes
        )
        columns, n = _headings("class", known), len(self.classes)
        blocks.append(TextTable.first(columns, lines, n, MOST_ROWS, title="classes"))
        blocks += map(_parameter_table, self.parameters[:_MOST_LINES])
        if len(self.parameters) > _MOST_LINES:
            more = len(self.parameters) - _MOST_LINES
            blocks.append(Styled(f"Not shown: {counted(more, 'table')} of parameters.", "dim"))
        blocks += [table_of_tests(self.class_tests)] if self.class_tests else []
        return [*blocks, *(() if self.bayes_error is None else self.bayes_error.tables())]


def summarise(model: Model) -> ModelSummary:
    """Summarise a model, also one that cannot predict yet."""
    problem = None
    try:
        model = model.solved()
    except GaussBayesError as error:
        problem = str(error)
    n_parameters = error_rate = None
    if problem is None:
        with suppress(GaussBayesError):
            n_parameters = model.n_parameters
        with suppress(GaussBayesError):
            error_rate = bayes_error(model)
    listed = model.schema.listed or ()
    order = list(listed if len(listed) == len(model.classes) else range(len(model.classes)))
    labels = model.classes.tolist()
    classes = tuple(
        ClassSummary(
            labels[code],
            None if problem else float(model.prior[code]),
            None if model.statistics is None else float(model.statistics.weight[code]),
        )
        for code in order
    )
    return ModelSummary(
        model.settings.title + ("" if model.calibration is None else ", calibrated"),
        model.target,
        model.schema.n_features,
        n_parameters,
        classes,
        () if problem else tuple(_in_units(model, each, order) for each in parameter_tables(model)),
        _calibration_sentence(model),
        problem,
        error_rate,
        class_tests(model),
    )


def parameter_tables(model: Model) -> Iterator[ParameterTable]:
    """Yield the parameters of every family that can show them."""
    names = model.settings.members[0].names(model.schema)
    for density, name in zip(model.densities, names, strict=True):
        if isinstance(density, Describable):
            yield from density.tables(name)


def _calibration_sentence(model: Model) -> str | None:
    calibration = model.calibration
    if calibration is None:
        return None
    if calibration.notice is not None:
        return f"Notice: {calibration.notice}"
    beside = ""
    if calibration.alone is not None:
        beside = " The labelled rows alone are calibrated apart, and both posteriors averaged."
    if model.settings.is_pooled:
        family = model.settings.families[-1].name
        return (
            "Posteriors are calibrated on held-out rows: the log-likelihoods of these densities "
            f"have the weight {calibration.weight:.3g}, those of {family} of all features "
            f"{calibration.second_weight:.3g}.{beside}"
        )
    temperature = 1.0 / calibration.weight
    return f"Posteriors are calibrated on held-out rows: temperature {temperature:.3g}.{beside}"


def _in_units(model: Model, table: ParameterTable, order: Sequence[int]) -> Parameters:
    """Return a table with the classes in the user's order, and dates as dates."""
    labels = model.classes.tolist()
    by_class = len(table.values) == len(labels)
    shown = [str(labels[code]) for code in order] if by_class else ["all"]
    values = np.asarray(table.values)[list(order) if by_class else [0]]
    roles = model.schema.roles
    origins = {} if roles is None else roles.origins
    lines: list[tuple[float | str, ...]] = []
    for name, cells in zip(table.columns, values.T.tolist(), strict=True):
        if roles is not None and table.title == "mean" and name in origins:
            dates = (str(roles.dated(name, cell)) for cell in cells)
            lines.append(tuple(date[: len(origins[name])] for date in dates))
        else:
            lines.append(tuple(cells))
    return Parameters(table.title, tuple(table.columns), tuple(shown), tuple(lines))


def _headings(first: str, columns: Sequence[str]) -> tuple[str, ...]:
    width = _WIDEST_HEADING
    return (first.ljust(12), *(shortened(name, width).rjust(width - 2) for name in columns))


def _parameter_table(parameters: Parameters) -> TextTable:
    shown = parameters.classes[:_MOST_COLUMNS]
    more = len(parameters.classes) - len(shown)
    lines = (
        (
            shortened(name, 78 - 11 * len(shown)),
            *(cell if isinstance(cell, str) else five_digits(cell) for cell in cells[: len(shown)]),
        )
        for name, cells in zip(parameters.names, parameters.values, strict=True)
    )
    return TextTable.first(
        _headings("", shown),
        lines,
        len(parameters.names),
        _MOST_LINES,
        title=shortened(parameters.title, _WIDEST_TITLE),
        notes=[f"… {counted(more, 'more class', 'more classes')}"] if more else [],
    )


def model_notices(model: Model) -> tuple[Notice, ...]:
    """The notices about a model: its columns, its rows, and the convergence of its fit."""
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
    use = model.settings.unlabelled_rows
    used = "not used" if use == "unused" else "used by EM"
    if use == "averaged":
        used += ", and the posteriors averaged with those of the labelled rows alone"
    if use != "unused" and 0 < unlabelled.weights.size < unlabelled.n_rows:
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
