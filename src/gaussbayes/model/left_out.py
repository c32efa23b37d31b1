"""The held-out engine: every labelled row scored by a model that has not seen it.

Row i is scored by ``solve(learnt − row i)``. Where every family has a closed form for a row left
out, their log densities are added, the prior is that of the other rows, and one normaliser makes
posteriors of it; rows with which too much goes, so that rounding would show, are refitted. Where
the closed form goes by what missing values are expected to be, the rows of all folds but that of
the row say what they are (`OtherFolds`): otherwise the row would have a share in what stands for
others. Where a family has no closed form, rows are held out in folds and the model of the others is
fitted again, EM starting from the parameters of all rows. Unlabelled rows always stay on
the training side; with them the likelihood may have several maxima, and EM starts as a fit does,
unless models are only to be told apart: then near the maximum of all rows, which is to be judged.
What is left without a fold is added up, never subtracted: no digit is lost.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from gaussbayes.base.anderson import Goal
from gaussbayes.base.errors import DataError, GaussBayesError, OptionError
from gaussbayes.base.schema import Schema
from gaussbayes.base.threads import (
    CACHED,
    even_ranges,
    for_each,
    n_threads,
    one_blas_thread,
    rows_at_once,
)
from gaussbayes.base.types import CodeArray, FloatArray, LabelArray
from gaussbayes.data.rows import LabelledRows, Rows, Targets
from gaussbayes.families.protocol import LeftOut
from gaussbayes.families.removal import Removal, remove
from gaussbayes.kernels.reference import log_posterior, log_sum_exp
from gaussbayes.model.calibration import (
    CALIBRATION_FOLDS,
    Calibration,
    calibrate,
    calibrated_left_out,
    no_calibration,
    score_of_classes,
)
from gaussbayes.model.em import EXACT
from gaussbayes.model.folds import fold_numbers, spread_sample
from gaussbayes.model.model import Model, solve
from gaussbayes.model.settings import Priors, Settings, class_priors
from gaussbayes.model.solution import Solution
from gaussbayes.model.statistics import Learnt, observe_parts

MOST_SINGLE_ROWS = 300
"""Rows that are left out one at a time where each takes a fit; of more, `FOLDS` are made."""

FOLDS = 50

MOST_HELD_OUT = 5000
"""Rows by which candidates are told apart: that many are enough, however many there are."""

_MOST_PRODUCTS = 10**10  # multiplications for all candidates together, a few seconds
_OVERHEAD = 32  # what else a row and feature takes, in multiplications
_TABLES, _FEW_NUMBERS = 4, 1 << 20  # log posteriors, in sizes of the table, or so many
_FEWEST = 500  # rows by which candidates are told apart, if there are as many

COMPLETION_FOLDS = 5
"""Folds whose rows have no part in what is expected of missing values as they are left out."""


Outcome: TypeAlias = FloatArray | GaussBayesError
"""Log posteriors (n, k) of rows held out, or why there are none."""


@dataclass(frozen=True, slots=True, eq=False)
class OtherFolds:
    """Folds of rows, and statistics of the rows of all other folds.

    By these missing values are expected, of all rows, also those of the fold; then one of these is
    left out in closed form. So it is left out exactly, given parameters of which it has no part.
    """

    fold: NDArray[np.intp]  # (n,) of each row; −1 of rows that tell nothing, and stay
    parts: tuple[tuple[Any, ...], ...]  # of each fold, the statistics of each family

    def __getitem__(self, which: NDArray[np.intp]) -> "OtherFolds":
        """Those of some of the rows."""
        return OtherFolds(self.fold[which], self.parts)


@dataclass(frozen=True, slots=True, eq=False)
class HeldOutRows:
    """Labelled rows to be held out, and what all of them, and unlabelled ones, have taught."""

    rows: Rows
    targets: Targets
    learnt: Learnt
    schema: Schema
    numbers: NDArray[np.intp]  # (n,) which rows of the table they are
    is_sample: bool = False  # whether there were more labelled rows than these
    others: OtherFolds | None = None  # None as long as nobody asked for them

    @property
    def codes(self) -> CodeArray:
        """The class of each row (n,); of soft labels that of the largest."""
        return self.targets.codes

    @property
    def classes(self) -> LabelArray:
        """The labels (k,)."""
        return self.learnt.classes


def held_out_rows(table: LabelledRows, learnt: Learnt, schema: Schema) -> HeldOutRows:
    """The labelled rows of a table, from which `learnt` was learnt, in its classes.

    Rows of classes that weigh nothing are left out.
    """
    known = {label: code for code, label in enumerate(learnt.classes.tolist())}
    position = np.array([known.get(label, -1) for label in table.classes.tolist()], dtype=np.int32)
    rows, targets = table.rows, table.targets
    codes = np.append(position, np.int32(-1))[targets.codes]  # the last is unlabelled
    numbers = np.flatnonzero(codes >= 0)
    if numbers.size < codes.size:
        rows, targets, codes = rows[numbers], targets[numbers], codes[numbers]
    labels = targets.labels[:, position >= 0] if targets.is_soft else codes
    targets = Targets(labels, learnt.classes.shape[0], targets.weights)
    schema = replace(schema, classes=learnt.classes)
    more = learnt.weight.sum() > (1 + 1e-9) * targets.total_weights().sum()
    return HeldOutRows(rows, targets, learnt, schema, numbers, is_sample=bool(more))


def sampled(data: HeldOutRows, most: int = MOST_HELD_OUT) -> HeldOutRows:
    """At most so many of the rows, if they can be left out one at a time: classes as they come.

    What all rows have taught stays: each is left out of all the others. The only row of a class,
    which tells nothing, is not among them unless all are.
    """
    which = with_company(data)
    if data.learnt.unlabelled is not None or not which.size:
        return data
    if which.size > most:
        which = which[spread_sample(data.rows[which], data.targets[which], most)]
    elif which.size == data.codes.size:
        return data
    return replace(
        data,
        rows=data.rows[which],
        targets=data.targets[which],
        numbers=data.numbers[which],
        is_sample=True,
        others=None if data.others is None else data.others[which],
    )


def with_other_folds(data: HeldOutRows, settings: Settings) -> HeldOutRows:
    """The same rows with statistics of the other folds, if values are missing."""
    if data.others is not None or all(part.is_complete for part in data.learnt.parts):
        return data
    which = with_company(data)
    fold = np.full(data.codes.size, -1)
    fold[which] = fold_numbers(data.rows[which], data.targets[which], COMPLETION_FOLDS)
    parts = (
        _without(data, settings, np.flatnonzero(fold == number))
        for number in range(int(fold.max(initial=-1)) + 1)
    )
    return replace(data, others=OtherFolds(fold, tuple(parts)))


def affordable_rows(data: HeldOutRows, n_candidates: int) -> int:
    """By how many rows so many candidates can be told apart, in bounded time and memory.

    Rows left out in closed form take ``k d²`` multiplications each, and k log posteriors.
    """
    n, k, d = data.codes.size, data.classes.shape[0], max(1, data.schema.n_features)
    in_time = _MOST_PRODUCTS // (n_candidates * k * d * (d + _OVERHEAD))
    in_memory = max(_FEW_NUMBERS, _TABLES * n * d) // (n_candidates * k)
    return min(MOST_HELD_OUT, max(_FEWEST, int(min(in_time, in_memory))))


def hold_out(
    data: HeldOutRows,
    path: Sequence[Settings],
    n_jobs: int | None = None,
    folds: int | None = None,
    *,
    exact: bool = True,
    always: bool = False,
    goal: Goal = EXACT,
    fewest: int = 1,
) -> tuple[list[Outcome], int]:
    """Log posteriors of the rows held out under each of several settings, and how many folds.

    Those of calibrated models are calibrated by other rows; see `calibrated_left_out`.

    Parameters
    ----------
    path : settings whose families differ in what regularises only
    folds : of rows where each fit takes EM; None is one for each row, up to `MOST_SINGLE_ROWS` rows
    exact : whether closed forms must be those of a fit to the other rows; see `Family.left_out`
    always : whether to make these folds also where rows could be left out one at a time
    goal : how far EM for missing labels goes; unless that is `EXACT`, it starts from the parameters
        of all rows
    fewest : if not so many of the settings have parameters where EM is needed, no row is held out:
        there is nothing to be told apart, and the others have errors, too
    """
    plain = [replace(settings, calibration=None) for settings in path]
    how: dict[str, Any] = {"exact": exact, "always": always, "goal": goal, "fewest": fewest}
    outcomes, number = _hold_out(data, plain, n_jobs, folds, **how)
    for place, settings in enumerate(path):
        outcome = outcomes[place]
        if settings.calibration is not None and not isinstance(outcome, GaussBayesError):
            evidence = _evidence_of(data, settings, outcome)
            outcomes[place] = calibrated_left_out(*evidence, _calibration_folds(data))
    return outcomes, number


@one_blas_thread()
def calibration_of(data: HeldOutRows, settings: Settings, log_posterior: FloatArray) -> Calibration:
    """The calibration of a model, by the log posteriors (n, k) of rows that it has not seen.

    The only row of a class says nothing.
    """
    which = with_company(data)
    if not which.size:  # no row tells anything
        return no_calibration(data.classes.shape[0], data.codes.size)
    arrays = _evidence_of(data, settings, log_posterior, which)
    codes = data.codes[which]
    scores = calibrated_left_out(*arrays, _calibration_folds(data, which))
    scores = scores[np.arange(codes.size), codes]
    of_classes = range(data.classes.shape[0])
    left_out = tuple(np.sort(scores[codes == code]) for code in of_classes)
    return replace(calibrate(*arrays), left_out=left_out)


def calibrated_loss(data: HeldOutRows, settings: Settings, log_posterior: FloatArray) -> float:
    """The log loss of held-out rows after calibration on the same rows."""
    arrays = _evidence_of(data, settings, log_posterior, with_company(data))
    log_likelihood, log_prior, proportions, weights = arrays
    calibrated = calibrate(*arrays).log_posterior(log_likelihood, log_prior)
    return -float(np.average(score_of_classes(calibrated, proportions), weights=weights))


def calibrated_scores(
    data: HeldOutRows, settings: Settings, log_posterior: FloatArray
) -> tuple[float, float]:
    """The log loss and the error rate of held-out rows, calibrated on other rows."""
    which = with_company(data)
    if not which.size:
        return nan, nan
    arrays = _evidence_of(data, settings, log_posterior, which)
    calibrated = calibrated_left_out(*arrays, _calibration_folds(data, which))
    _, _, proportions, weights = arrays
    loss = -float(np.average(score_of_classes(calibrated, proportions), weights=weights))
    right = proportions[np.arange(which.size), calibrated.argmax(axis=1)]
    return loss, float((1 - right).mean())


def frequency_loss(data: HeldOutRows) -> float:
    """The log loss of the frequencies of the classes: what a model without features has."""
    weights = data.targets.total_weights()[:, None]
    frequencies = (data.targets.proportions() * weights).sum(axis=0) / weights.sum()
    return float(entr(frequencies).sum())


def with_company(data: HeldOutRows) -> NDArray[np.intp]:
    """The rows that weigh something, and are not alone in their class."""
    weights = data.targets.weights
    heavy = np.ones(data.codes.size, dtype=np.bool_) if weights is None else weights > 0
    company = np.bincount(data.codes[heavy], minlength=data.classes.shape[0]) > 1
    return np.flatnonzero(heavy & company[data.codes])


def _calibration_folds(data: HeldOutRows, which: Any = slice(None)) -> NDArray[np.intp]:
    """The folds by which some of the rows are calibrated on others."""
    return fold_numbers(data.rows[which], data.targets[which], CALIBRATION_FOLDS)


def _evidence_of(
    data: HeldOutRows, settings: Settings, log_posterior: FloatArray, which: Any = slice(None)
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Log-likelihoods up to a constant of the row, log priors, classes (n, k) and weights (n,).

    They are those of some of the rows.
    """
    weights = data.targets.total_weights().astype(np.float64)
    removal = remove(data.codes.astype(np.intp), weights, data.learnt.weight)
    log_prior = _log_prior(settings.priors, data, removal)
    log_prior -= log_sum_exp(log_prior)[:, None]
    with np.errstate(invalid="ignore"):  # a prior of 0 leaves nothing to be known
        log_likelihood = np.nan_to_num(log_posterior - log_prior, nan=-np.inf, neginf=-np.inf)
    proportions = data.targets.proportions()
    return log_likelihood[which], log_prior[which], proportions[which], weights[which]


def _hold_out(
    data: HeldOutRows,
    path: Sequence[Settings],
    n_jobs: int | None,
    folds: int | None,
    *,
    exact: bool,
    always: bool,
    goal: Goal,
    fewest: int = 1,
) -> tuple[list[Outcome], int]:
    """`hold_out` without calibration."""
    forms = None if always else _closed_forms_of_folds(data, path, n_jobs, exact=exact)
    if forms is not None:
        return _leave_out(data, path, forms, n_jobs), data.codes.size
    # One of them without a closed form does not take it from the others.
    if not always and len(path) > 1 and any(has_closed_form(data, [s], exact=exact) for s in path):
        pairs = [
            _hold_out(data, [settings], n_jobs, folds, exact=exact, always=always, goal=goal)
            for settings in path
        ]
        return [outcomes[0] for outcomes, _ in pairs], max(number for _, number in pairs)
    how: dict[str, Any] = {"always": always, "goal": goal, "fewest": fewest}
    return _hold_out_folds(data, path, n_jobs, folds, **how)


ClosedForms: TypeAlias = Sequence[LeftOut]
"""That of each family."""


def has_closed_form(data: HeldOutRows, path: Sequence[Settings], *, exact: bool) -> bool:
    """Whether all families have a closed form for a row left out, for all of the path."""
    return _closed_forms(data, path, data.learnt.parts, exact=exact) is not None


def _closed_forms(
    data: HeldOutRows, path: Sequence[Settings], others: Sequence[Any], *, exact: bool
) -> ClosedForms | None:
    """Each family's closed form for a row left out, for all of the path; None unless all have one.

    Missing values are expected by the `others`, statistics of each family.
    Soft labels have none: a row takes its weights from several classes at once.
    """
    if data.targets.is_soft:
        return None
    if data.learnt.unlabelled is not None and any(s.unlabelled_weight > 0 for s in path):
        return None
    functions = []
    parts = zip(data.learnt.parts, others, path[0].names(data.schema), strict=True)
    for number, (part, other, names) in enumerate(parts):
        families = [settings.families[number] for settings in path]
        function = families[0].left_out(part, families, data.targets, names, other, exact=exact)
        if function is None:
            return None
        functions.append(function)
    return functions


def _closed_forms_of_folds(
    data: HeldOutRows, path: Sequence[Settings], n_jobs: int | None, *, exact: bool
) -> list[tuple[NDArray[np.intp], ClosedForms]] | None:
    """Rows whose missing values are expected by the same others, and their closed forms.

    Rows of no fold tell nothing: their values are expected as those of the last are.
    """
    functions = _closed_forms(data, path, data.learnt.parts, exact=exact)
    if functions is None:
        return None
    others = with_other_folds(data, path[0]).others
    if others is None or not others.parts:
        return [(np.arange(data.codes.size), functions)]
    found: dict[int, ClosedForms | None] = {}

    def find(fold: int) -> None:
        found[fold] = _closed_forms(data, path, others.parts[fold], exact=exact)

    numbers = np.unique(others.fold).tolist()
    for_each(find, numbers, n_threads(n_jobs))
    pairs = [(np.flatnonzero(others.fold == number), found[number]) for number in numbers]
    forms = [(rows, functions) for rows, functions in pairs if functions is not None]
    return forms if len(forms) == len(pairs) else None


@one_blas_thread()
def _leave_out(
    data: HeldOutRows,
    path: Sequence[Settings],
    forms: Sequence[tuple[NDArray[np.intp], ClosedForms]],
    n_jobs: int | None,
) -> list[Outcome]:
    """Log posteriors in closed form, and by refitting without the rows that need it."""
    n, k, s = data.codes.size, data.classes.shape[0], len(path)
    result = np.empty((s, n, k))
    reliable = np.empty((s, n), dtype=np.bool_)
    parts = path[0].parts(data.rows, data.schema)

    def predict(task: tuple[Any, ClosedForms]) -> None:
        block, functions = task
        weights = data.targets[block].total_weights().astype(np.float64)
        removal = remove(data.codes[block].astype(np.intp), weights, data.learnt.weight)
        # What overflows or vanishes here is not reliable, and is refitted.
        with np.errstate(all="ignore"):
            joint = np.repeat(_log_prior(path[0].priors, data, removal)[None], s, axis=0)
            good = np.repeat(removal.sound[None], s, axis=0)
            for function, part in zip(functions, parts, strict=True):
                log_density, sure = function(part[block], removal)
                joint += log_density
                good &= sure
            posterior = log_posterior(joint.reshape(-1, k))
        result[:, block] = posterior.reshape(joint.shape)
        reliable[:, block] = good & ~np.isnan(posterior.T).any(axis=0).reshape(good.shape)

    d = max(1, data.schema.n_features)
    step = rows_at_once(d * k, max(128, 8 * d))  # d × d matrices are worth so many rows
    if d > n:  # a block of the deviations from all means is not to be larger than the rows
        step = max(8, n // (2 * k))
    threads = n_threads(n_jobs) if n * d * k > CACHED else 1
    tasks: list[tuple[Any, ClosedForms]] = []
    for rows, functions in forms:
        blocks = even_ranges(rows.size, step)
        tasks += [(some if rows.size == n else rows[some], functions) for some in blocks]
    for_each(predict, tasks, threads)
    outcomes: list[Outcome] = list(result)
    for row in np.flatnonzero(~reliable.all(axis=0)).tolist():
        _refit(data, path, row, reliable[:, row], outcomes)
    return outcomes


def _refit(
    data: HeldOutRows,
    path: Sequence[Settings],
    row: int,
    reliable: NDArray[np.bool_],
    outcomes: list[Outcome],
) -> None:
    """Fit the models without a row where the closed form is not reliable for it, in place."""
    others: Learnt | None = None
    for number in np.flatnonzero(~reliable).tolist():
        outcome = outcomes[number]
        if isinstance(outcome, GaussBayesError):
            continue
        if others is None:
            parts = _without(data, path[number], np.array([row]))
            others = Learnt(data.classes, parts, data.learnt.unlabelled)
        try:
            (outcome[row],) = _posterior_without(data, path[number], others, np.array([row]))
        except GaussBayesError as error:
            outcomes[number] = error


def _hold_out_folds(
    data: HeldOutRows,
    path: Sequence[Settings],
    n_jobs: int | None,
    folds: int | None,
    *,
    always: bool,
    goal: Goal,
    fewest: int,
) -> tuple[list[Outcome], int]:
    """Log posteriors by the models of the other folds, and how many folds there are.

    The statistics of the other folds are the same for all settings of the path.
    """
    n, some = data.codes.size, path[0]
    used = any(settings.unlabelled_weight > 0 for settings in path)
    unlabelled = data.learnt.unlabelled if used else None
    if folds is None:
        folds = n if n <= MOST_SINGLE_ROWS else FOLDS
    outcomes: list[Outcome] = [np.empty((n, data.classes.shape[0])) for _ in path]
    starts: list[Solution | None] = [None] * len(path)
    for place, settings in enumerate(path):
        if unlabelled is None or goal != EXACT:
            try:
                start = solve(data.learnt, settings, data.schema, n_jobs, goal=goal)
                starts[place] = start
            except GaussBayesError as error:
                outcomes[place] = error
                continue
            if start.convergence is None and not always:  # without EM a fit takes next to nothing
                folds = n
    if sum(not isinstance(outcome, GaussBayesError) for outcome in outcomes) < fewest:
        reason = DataError("there are no others that it could be compared with")
        return [some if isinstance(some, GaussBayesError) else reason for some in outcomes], 0
    number = fold_numbers(data.rows, data.targets, folds)
    folds = int(number.max(initial=0)) + 1
    for rows, others in _without_folds(data, some, number, range(folds)):
        learnt = Learnt(data.classes, others, unlabelled)
        for place, settings in enumerate(path):
            outcome = outcomes[place]
            if isinstance(outcome, GaussBayesError):
                continue
            try:
                near = starts[place]
                outcome[rows] = _posterior_without(data, settings, learnt, rows, near, n_jobs, goal)
            except GaussBayesError as error:
                outcomes[place] = error
    return outcomes, folds


def _without_folds(
    data: HeldOutRows,
    settings: Settings,
    number: NDArray[np.intp],
    folds: range,
    outside: tuple[Any, ...] | None = None,
) -> Iterator[tuple[NDArray[np.intp], tuple[Any, ...]]]:
    """The rows of each fold, and the statistics of all others: added up by halves."""
    if len(folds) > 1:
        middle = len(folds) // 2
        sides = folds[:middle], folds[middle:]
        for inner, outer in (sides, sides[::-1]):
            which = np.flatnonzero((number >= outer[0]) & (number <= outer[-1]))
            parts = _observed(data, settings, which)
            if outside is not None:
                parts = tuple(a + b for a, b in zip(outside, parts, strict=True))
            yield from _without_folds(data, settings, number, inner, parts)
    elif outside is not None:
        yield np.flatnonzero(number == folds[0]), outside


def _without(data: HeldOutRows, settings: Settings, which: NDArray[np.intp]) -> tuple[Any, ...]:
    """The statistics of all rows but some: added up, so that no digit is lost, if all are here."""
    if not data.is_sample:
        return _observed(data, settings, np.delete(np.arange(data.codes.size), which))
    known = data.learnt.adapted(settings).parts
    observed = _observed(data, settings, which)
    columns = zip(known, observed, settings.names(data.schema), strict=True)
    return tuple(part.without(gone, name) for part, gone, name in columns)


def _observed(data: HeldOutRows, settings: Settings, which: NDArray[np.intp]) -> tuple[Any, ...]:
    """The statistics of some of the rows."""
    return observe_parts(data.rows[which], data.targets[which], settings, data.schema)


def _posterior_without(
    data: HeldOutRows,
    settings: Settings,
    learnt: Learnt,
    rows: NDArray[np.intp],
    start: Solution | None = None,
    n_jobs: int | None = 1,
    goal: Goal = EXACT,
) -> FloatArray:
    """Log posteriors (m, k) of rows by the model of the others; −∞ for a class without any."""
    present = np.flatnonzero(learnt.weight > 0)
    result = np.full((rows.size, data.classes.shape[0]), -np.inf)
    if present.size == 1 < data.classes.size:  # there is no other class left to choose
        result[:, present] = 0.0
        return result
    try:
        priors = _priors_of_some(settings.priors, data.schema, learnt.weight, present)
        if present.size < data.classes.size:
            learnt, start = learnt.selected(present.tolist()), None
        schema = replace(data.schema, classes=learnt.classes)
        model = Model(replace(settings, priors=priors), schema, learnt)
        model = model.solved(n_jobs, start, goal=goal)
        result[:, present] = model.log_posterior(data.rows[rows], 1)
    except GaussBayesError as error:
        what = f"row {rows[0] + 1} of {data.codes.size}" if rows.size == 1 else "some of the rows"
        msg = f"without {what} the model cannot be fitted, or cannot tell its class: {error}"
        raise type(error)(msg) from None
    return result


def _log_prior(priors: Priors, data: HeldOutRows, removal: Removal) -> FloatArray:
    """Log priors (n, k) without each row, up to a constant of the row."""
    weight, n = data.learnt.weight, removal.codes.size
    if priors is not None:
        with np.errstate(divide="ignore"):  # a prior of 0
            log_prior = np.log(class_priors(priors, data.schema, weight))
        return np.repeat(log_prior[None], n, axis=0)
    log_prior = np.repeat(np.log(weight)[None], n, axis=0)
    log_prior[np.arange(n), removal.codes] = np.log(removal.weight)
    return log_prior


def _priors_of_some(
    priors: Priors, schema: Schema, weight: FloatArray, present: NDArray[np.intp]
) -> Priors:
    """The priors of the classes that are left, in the proportions that were given."""
    if priors is None or present.size == weight.size:
        return priors
    of_all = class_priors(priors, schema, weight)
    total = float(of_all[present].sum())
    if total == 0:
        lost = schema.class_name(int(np.flatnonzero(of_all)[0]))
        msg = f"only class {lost} has a prior above 0, and no other row"
        raise OptionError(msg)
    return np.asarray(of_all[present] / total)
