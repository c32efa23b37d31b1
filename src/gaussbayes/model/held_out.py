"""The held-out engine: labelled rows scored by models that were not fitted to them.

One policy applies everywhere. Quantities that are fixed before rows are held out are estimated by
five folds. Given these, every family with a closed form for held-out rows uses it: the log
densities are added, the prior is that of the other rows, and one normaliser computes the
posteriors. Rows whose removal leaves so little that rounding would matter are refitted. If a family
has no closed form, such as Gaussians of rows with missing values, the model of the other folds is
fitted from statistics that are added up, never subtracted. Unlabelled rows stay on the training
side, and EM starts from the parameters of the previous fold.

`leave_one_out` requests exactness: closed forms without fixed quantities, and otherwise a fit for
each of fifty folds, which are single rows if there are at most fifty. The likelihood of unlabelled
rows may have several maxima, so EM starts as in a fit.

One rule determines all folds and samples of rows, so that they do not depend on the order or the
units of a table. The rows of a class are sorted by their log density under the plain fit of the
class: independent Gaussians and the frequencies of the categories, relative to the densest point,
so that units do not matter. Ties are sorted by the values of the rows, then by their weights.
Classes are sorted by their number of rows, then by log densities and the values of the first row,
never by their labels. The rows go to the folds in turn, in this order, so every fold has rows near
the centre of a class and far from it. The rows of a sample are evenly spaced in the same order.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import GaussBayesError, OptionError
from gaussbayes.base.threads import (
    CACHED,
    even_ranges,
    for_each,
    n_threads,
    one_blas_thread,
    ranges,
    rows_at_once,
)
from gaussbayes.base.types import CodeArray, FloatArray, LabelArray
from gaussbayes.data.rows import LabelledRows, Rows, Targets, Which
from gaussbayes.data.schema import Schema
from gaussbayes.families.protocol import LeftOut
from gaussbayes.families.removal import Removal, remove
from gaussbayes.kernels.reference import log_posterior, log_sum_exp
from gaussbayes.model.calibration import (
    Calibration,
    calibrate,
    calibrated_left_out,
    mean_posterior,
    no_calibration,
)
from gaussbayes.model.distances import tail_probabilities
from gaussbayes.model.em import EXACT, ROUGH
from gaussbayes.model.evidence import evidence_tails
from gaussbayes.model.model import Model, solve
from gaussbayes.model.settings import Priors, Settings, class_priors
from gaussbayes.model.solution import Solution
from gaussbayes.model.statistics import SufficientStatistics, observe_parts

FOLDS = 5

_MOST_DEVIATIONS = 1 << 22
"""Entries of the deviations of rows from the means of all classes at a time: 32 MB."""

_LEAST = 2  # rows of every class in a sample

EXACT_FOLDS = 50
"""Number of refits if exactness is requested and there is no closed form; up to this number, rows
are held out one at a time."""

Outcome: TypeAlias = FloatArray | GaussBayesError
"""Log posteriors (m, k) of held-out rows, or the error."""

ClosedForms: TypeAlias = list[LeftOut]
"""The closed form of each family."""


def fold_numbers(rows: Rows, targets: Targets, folds: int) -> NDArray[np.intp]:
    """The fold of each row (n,), from 0 to ``folds − 1`` or fewer; see the rule above.

    Examples
    --------
    >>> from gaussbayes.data.rows import number_rows
    >>> rows = number_rows(np.array([[4.0], [1.0], [2.0], [9.0], [7.0], [8.0]]))
    >>> targets = Targets(np.array([0, 0, 0, 1, 1, 1], np.int32), 2)
    >>> fold_numbers(rows, targets, 3).tolist()
    [0, 1, 2, 1, 0, 2]
    """
    order = _order(rows, targets)
    number = np.empty(order.size, dtype=np.intp)
    number[order] = np.arange(order.size) % min(folds, max(1, order.size))
    return number


def spread_sample(rows: Rows, targets: Targets, most: int) -> NDArray[np.intp]:
    """The numbers of about `most` of the rows: the same proportion of each class, at least two.

    They are evenly spaced in the order in which rows go to the folds.
    """
    order = _order(rows, targets)
    n, codes = order.size, targets.codes[order]
    chosen = np.zeros(n, dtype=np.bool_)
    chosen[((np.arange(most) + 0.5) * (n / most)).astype(np.intp)] = True
    starts = np.flatnonzero(np.diff(codes, prepend=codes[:1] - 1))
    sizes = np.diff(np.append(starts, n))
    few = np.add.reduceat(chosen, starts, dtype=np.intp) < _LEAST
    if _LEAST * np.count_nonzero(few) <= most:
        for start, size in zip(starts[few], sizes[few], strict=True):
            chosen[start : start + min(size, _LEAST)] = True
    return np.sort(order[chosen])


def _order(rows: Rows, targets: Targets) -> NDArray[np.intp]:
    """The numbers of the rows in the order in which they go to the folds."""
    codes, keys = targets.codes, _keys(rows, targets)
    if not codes.size:
        return np.empty(0, dtype=np.intp)
    order = _sorted([*keys, codes])
    starts = np.flatnonzero(np.diff(codes[order], prepend=codes[order[:1]] - 1))
    classes = np.split(order, starts[1:])

    def rank(members: NDArray[np.intp]) -> tuple[object, ...]:
        first = tuple(key[members[0]].item() for key in keys[::-1])
        return members.size, keys[-1][members].tolist(), first

    return np.concatenate(sorted(classes, key=rank))


def _keys(rows: Rows, targets: Targets) -> list[NDArray[np.generic]]:
    """The sort keys of rows, the last first: log densities, values, weights.

    Log densities are rounded to single precision, so that rounding errors, which may depend on the
    order of the rows, do not decide.
    """
    densities = _log_densities(rows, targets).astype(np.float32)
    return [targets.total_weights(), *rows.codes.T[::-1], *rows.matrix.T[::-1], densities]


def _sorted(keys: list[NDArray[np.generic]]) -> NDArray[np.intp]:
    """``np.lexsort`` of many keys, which are compared only if the last two are equal."""
    order = np.lexsort(keys[-2:])
    last = [key[order] for key in keys[-2:]]
    same = np.ones(order.size - 1, dtype=np.bool_)
    for key in last:
        same &= key[1:] == key[:-1]
    tied = np.flatnonzero(np.append(same, False) | np.append(False, same))
    among = order[tied]
    order[tied] = among[np.lexsort([key[among] for key in keys])]
    return order


def _log_densities(rows: Rows, targets: Targets) -> FloatArray:
    """``log p(x | c) − max log p(x | c)`` (n,) of the plain fit, over the observed values."""
    order = np.argsort(targets.codes, kind="stable")
    codes, weights = targets.codes[order], targets.total_weights()[order, None]
    starts = np.flatnonzero(np.diff(codes, prepend=codes[:1] - 1))
    of_class = np.repeat(np.arange(starts.size), np.diff(np.append(starts, codes.size)))
    result, X = np.zeros(codes.size), rows.matrix

    def averaged(values: FloatArray, counts: FloatArray) -> FloatArray:
        """The class mean of each row (n, d)."""
        total = np.add.reduceat(counts, starts, axis=0)
        sums = np.add.reduceat(counts * values, starts, axis=0)
        return np.asarray((sums / np.where(total > 0, total, 1.0))[of_class])

    with np.errstate(all="ignore"):  # values that overflow are far from all others
        for block in ranges(X.shape[1], rows_at_once(4 * codes.size)):
            values = X[:, block][order].astype(np.float64)
            counts = weights * ~np.isnan(values)
            values = np.nan_to_num(values, posinf=np.inf, neginf=-np.inf)
            for _ in range(2):  # the second time without rounding of large means
                values = values - averaged(values, counts)
            largest = np.maximum.reduceat(np.abs(values) * (counts > 0), starts, axis=0)
            squares = np.square(values / np.where(largest > 0, largest, 1.0)[of_class])
            variance = averaged(squares, counts)
            scaled = squares / np.where(variance > 0, variance, 1.0)
            result -= 0.5 * np.where(counts > 0, scaled, 0.0).sum(axis=1)
    for column in rows.codes[order].T:
        size = int(column.max(initial=0)) + 1
        counts = np.zeros((starts.size, size))
        present = column >= 0
        np.add.at(counts, (of_class[present], column[present]), weights[present, 0])
        frequency = counts / np.maximum(counts.max(axis=1, keepdims=True), np.finfo(float).tiny)
        chosen = frequency[of_class[present], column[present]]
        result[present] += np.log(np.where(chosen > 0, chosen, 1.0))
    back = np.empty_like(result)
    back[order] = np.nan_to_num(result)
    return back


def pick(table: LabelledRows, which: Which) -> LabelledRows:
    """Some rows of a table, with the same classes."""
    return replace(table, rows=table.rows[which], targets=table.targets[which])


@dataclass(frozen=True, eq=False)
class HeldOutRows:
    """Labelled rows, the statistics of all rows, and which rows are held out."""

    rows: Rows
    targets: Targets
    statistics: SufficientStatistics
    schema: Schema
    settings: Settings  # under which the rows were observed
    numbers: NDArray[np.intp]  # (n,) numbers of these rows in the table
    held: NDArray[np.intp]  # (m,) numbers of the held-out rows among these

    @property
    def classes(self) -> LabelArray:
        """The labels (k,)."""
        return self.statistics.classes

    @property
    def codes(self) -> CodeArray:
        """The class of each row (n,); for soft labels that of the largest."""
        return self.targets.codes

    @cached_property
    def truth(self) -> Targets:
        """The classes of the held-out rows (m,)."""
        return self.targets[self.held]

    @cached_property
    def fold(self) -> NDArray[np.intp]:
        """The fold of each held-out row (m,)."""
        return fold_numbers(self.rows[self.held], self.truth, FOLDS)

    @cached_property
    def folds(self) -> list[tuple[NDArray[np.intp], tuple[Any, ...]]]:
        """The positions of each of the five folds, and the statistics of all other rows."""
        return list(self.without_folds(self.fold))

    def observed(self, rows: NDArray[np.intp]) -> tuple[Any, ...]:
        """The statistics of some of the rows."""
        return observe_parts(self.rows[rows], self.targets[rows], self.settings, self.schema)

    def without(self, rows: NDArray[np.intp]) -> tuple[Any, ...]:
        """The statistics of all other rows: added up, so that no digits are lost."""
        return self.observed(np.delete(np.arange(self.codes.size), rows))

    def without_folds(
        self, fold: NDArray[np.intp]
    ) -> Iterator[tuple[NDArray[np.intp], tuple[Any, ...]]]:
        """The positions of each fold among the held-out rows, and statistics of all others."""
        stays = np.delete(np.arange(self.codes.size), self.held)
        always = self.observed(stays) if stays.size else None
        return self._by_halves(fold, range(int(fold.max(initial=0)) + 1), always)

    def _by_halves(
        self, fold: NDArray[np.intp], numbers: range, outside: tuple[Any, ...] | None
    ) -> Iterator[tuple[NDArray[np.intp], tuple[Any, ...]]]:
        """The folds of these numbers; statistics are added up by halves, never subtracted."""
        if len(numbers) > 1:
            middle = len(numbers) // 2
            halves = numbers[:middle], numbers[middle:]
            for inner, outer in (halves, halves[::-1]):
                parts = self.observed(self.held[(fold >= outer[0]) & (fold <= outer[-1])])
                if outside is not None:
                    parts = tuple(a + b for a, b in zip(outside, parts, strict=True))
                yield from self._by_halves(fold, inner, parts)
        elif outside is not None:
            yield np.flatnonzero(fold == numbers[0]), outside

    def labelled(self) -> "HeldOutRows":
        """The rows without the statistics of unlabelled rows."""
        return replace(
            self,
            statistics=replace(self.statistics, unlabelled=None),
            settings=replace(self.settings, unlabelled_rows="unused")
            if self.statistics.unlabelled is not None
            else self.settings,
        )

    @property
    def members(self) -> "tuple[HeldOutRows, ...]":
        """The rows for each member of a pool, or these without a pool."""
        pairs = zip(self.statistics.members(self.settings), self.settings.members, strict=True)
        return tuple(replace(self, statistics=part, settings=each) for part, each in pairs)

    @property
    def averaged(self) -> "tuple[HeldOutRows, ...]":
        """The same with and without unlabelled rows if posteriors are averaged over both."""
        views = tuple(replace(self, settings=each) for each in self.settings.averaged)
        return views if len(views) == 1 else (views[0], views[0].labelled())

    def with_company(self) -> "HeldOutRows":
        """The rows, holding out those with a weight above 0 that are not alone in their class."""
        weights = self.targets.weights
        heavy = np.ones(self.codes.size, dtype=np.bool_) if weights is None else weights > 0
        company = np.bincount(self.codes[heavy], minlength=self.classes.shape[0]) > 1
        return replace(self, held=np.flatnonzero(heavy & company[self.codes]))

    def sampled(self, most: int) -> "HeldOutRows":
        """The rows, holding out at most this number: the same proportion of each class."""
        if self.held.size <= most:
            return self
        return replace(self, held=self.held[spread_sample(self.rows[self.held], self.truth, most)])


def held_out_rows(
    table: LabelledRows, statistics: SufficientStatistics, schema: Schema, settings: Settings
) -> HeldOutRows:
    """The labelled rows of a table with their statistics, all held out, without empty classes."""
    known = {label: code for code, label in enumerate(statistics.classes.tolist())}
    position = np.array([known.get(label, -1) for label in table.classes.tolist()], dtype=np.int32)
    rows, targets = table.rows, table.targets
    codes = np.append(position, np.int32(-1))[targets.codes]  # the last is unlabelled
    numbers = np.flatnonzero(codes >= 0)
    if numbers.size < codes.size:
        rows, targets, codes = rows[numbers], targets[numbers], codes[numbers]
    labels = targets.labels[:, position >= 0] if targets.is_soft else codes
    targets = Targets(labels, statistics.classes.shape[0], targets.weights)
    schema = replace(schema, classes=statistics.classes)
    every = np.arange(numbers.size)
    return HeldOutRows(rows, targets, statistics, schema, settings, numbers, every)


def hold_out(
    data: HeldOutRows,
    path: Sequence[Settings],
    n_jobs: int | None = None,
    *,
    exact: bool = False,
) -> tuple[list[Outcome], int]:
    """Log posteriors of held-out rows under several settings, and the number of folds.

    The settings differ in regularisation only, and the posteriors are not calibrated. All use the
    same held-out rows, so that they can be compared.
    """
    functions = _closed_forms(data, path, exact=exact)
    if functions is not None:
        return _in_closed_form(data, path, functions, n_jobs), data.held.size
    return _hold_out_folds(data, path, n_jobs, exact=exact)


def evidence_of(
    data: HeldOutRows, settings: Settings, outcome: FloatArray, second: FloatArray | None = None
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray | None]:
    """Log-likelihoods up to a constant of the row, log priors, classes (m, k) and weights (m,).

    They follow from log posteriors (m, k) of held-out rows; calibration needs them. The last are
    log-likelihoods by the second member of a pool, from its log posteriors.
    """
    weights = data.truth.total_weights().astype(np.float64)
    log_prior = _log_prior(settings.priors, data, _removal(data, data.held))
    log_prior -= log_sum_exp(log_prior)[:, None]
    with np.errstate(invalid="ignore"):  # a prior of 0 determines the posterior
        log_likelihood, more = (
            None if each is None else np.nan_to_num(each - log_prior, nan=-np.inf, neginf=-np.inf)
            for each in (outcome, second)
        )
    assert log_likelihood is not None
    return log_likelihood, log_prior, data.truth.proportions(), weights, more


@one_blas_thread()
def calibrated(
    data: HeldOutRows,
    settings: Settings,
    outcomes: Sequence[FloatArray],
    second: FloatArray | None = None,
) -> tuple[Calibration, FloatArray]:
    """The calibration of a model, and log posteriors (m, k) that are calibrated on other folds.

    `outcomes` are its log posteriors, or those with and without unlabelled rows, the mean of whose
    calibrated posteriors it has; `second` are those of the second member of a pool, as if alone.
    """
    k, codes = data.classes.shape[0], data.truth.codes
    if not outcomes or not codes.size:  # no row can be held out
        return no_calibration(k, data.codes.size), np.empty((0, k))
    evidence = [evidence_of(data, settings, outcome, second) for outcome in outcomes]
    posterior = mean_posterior([calibrated_left_out(*each, data.fold) for each in evidence])
    calibration, *alone = (calibrate(*each) for each in evidence)
    scores = posterior[np.arange(codes.size), codes]
    left_out = tuple(np.sort(scores[codes == code]) for code in range(k))
    return replace(calibration, left_out=left_out, alone=alone[0] if alone else None), posterior


def tails_of(
    data: HeldOutRows, settings: Settings, n_jobs: int | None = None
) -> tuple[FloatArray, ...]:
    """Tail probabilities of held-out rows, by the models of the other folds, sorted.

    For each class those of the distances of its rows, then those of all rows from the nearest
    class, then those of the evidence of complete rows. None if the model of some folds cannot be
    fitted; empty if a model has no distances, or cannot be simulated.
    """
    k, codes = data.classes.shape[0], data.truth.codes
    tails, evidence = np.full((codes.size, k), np.nan), np.full(codes.size, np.nan)
    try:
        start = solve(data.statistics, settings, data.schema, n_jobs, goal=ROUGH)
        for places, others in data.folds:
            statistics = SufficientStatistics(data.classes, others, data.statistics.unlabelled)
            model, present = _model_of_others(data, settings, statistics, start, n_jobs)
            rows = data.rows[data.held[places]]
            with suppress(OptionError):
                tails[np.ix_(places, present)] = tail_probabilities(model, rows, n_jobs)
            with suppress(OptionError):
                evidence[places] = evidence_tails(model, rows, n_jobs)
    except GaussBayesError:
        return ()
    nearest, own = np.fmax.reduce(tails, axis=1), tails[np.arange(codes.size), codes]
    groups = (*(own[codes == code] for code in range(k)), nearest, evidence)
    return tuple(np.sort(group[~np.isnan(group)]) for group in groups)


def _closed_forms(
    data: HeldOutRows, path: Sequence[Settings], *, exact: bool
) -> ClosedForms | None:
    """The closed form of each family for the whole path; None unless all have one.

    Soft labels have none: removing a row changes several classes at once.
    """
    if data.targets.is_soft:
        return None
    if data.statistics.unlabelled is not None and any(s.unlabelled_rows != "unused" for s in path):
        return None
    functions = []
    parts = zip(data.statistics.parts, path[0].names(data.schema), strict=True)
    for number, (part, names) in enumerate(parts):
        families = [settings.families[number] for settings in path]
        function = families[0].left_out(part, families, data.targets, names, exact=exact)
        if function is None:
            return None
        functions.append(function)
    return functions


@one_blas_thread()
def _in_closed_form(
    data: HeldOutRows,
    path: Sequence[Settings],
    functions: ClosedForms,
    n_jobs: int | None,
) -> list[Outcome]:
    """Log posteriors in closed form, and by refits for rows that need them."""
    n, k, s = data.held.size, data.classes.shape[0], len(path)
    result = np.empty((s, n, k))
    reliable = np.empty((s, n), dtype=np.bool_)
    parts = path[0].parts(data.rows, data.schema)

    def predict(places: slice) -> None:
        rows = data.held[places]
        removal = _removal(data, rows)
        # Results that overflow or vanish here are not reliable, and are refitted.
        with np.errstate(all="ignore"):
            joint = np.repeat(_log_prior(path[0].priors, data, removal)[None], s, axis=0)
            good = np.repeat(removal.sound[None], s, axis=0)
            for function, part in zip(functions, parts, strict=True):
                log_density, sure = function(part[rows], removal)
                joint += log_density
                good &= sure
            posterior = log_posterior(joint.reshape(-1, k))
        result[:, places] = posterior.reshape(joint.shape)
        reliable[:, places] = good & ~np.isnan(posterior.T).any(axis=0).reshape(good.shape)

    d = max(1, data.schema.n_features)
    step = rows_at_once(4 * d, max(128, 8 * d))  # memory of the d × d matrices, in rows
    step = min(step, max(8, _MOST_DEVIATIONS // (k * d)))
    if d > data.codes.size:  # a block of the deviations from all means is no larger than the rows
        step = max(8, data.codes.size // (2 * k))
    threads = n_threads(n_jobs) if n * d * k > CACHED else 1
    for_each(predict, even_ranges(n, step), threads)
    outcomes: list[Outcome] = list(result)
    for place in np.flatnonzero(~reliable.all(axis=0)).tolist():
        _refit(data, path, place, np.flatnonzero(~reliable[:, place]).tolist(), outcomes)
    return outcomes


def _refit(
    data: HeldOutRows,
    path: Sequence[Settings],
    place: int,
    unreliable: list[int],
    outcomes: list[Outcome],
) -> None:
    """Replace unreliable results of closed forms by refits without the row, in place."""
    row = data.held[[place]]
    others = SufficientStatistics(data.classes, data.without(row), data.statistics.unlabelled)
    for number in unreliable:
        outcome = outcomes[number]
        if not isinstance(outcome, GaussBayesError):
            try:
                outcome[place] = _posterior_without(data, path[number], others, row)[0][0]
            except GaussBayesError as error:
                outcomes[number] = error


def _hold_out_folds(
    data: HeldOutRows, path: Sequence[Settings], n_jobs: int | None, *, exact: bool
) -> tuple[list[Outcome], int]:
    """Log posteriors by the models of the other folds, and the number of folds.

    The statistics of the other folds are the same for all settings of the path.
    """
    m = data.held.size
    used = any(settings.unlabelled_rows != "unused" for settings in path)
    unlabelled = data.statistics.unlabelled if used else None
    outcomes: list[Outcome] = [np.empty((m, data.classes.shape[0])) for _ in path]
    starts: list[Solution | None] = [None] * len(path)
    folds: Iterable[tuple[NDArray[np.intp], tuple[Any, ...]]] = data.folds
    if exact:
        folds = data.without_folds(fold_numbers(data.rows[data.held], data.truth, EXACT_FOLDS))
    count = 0
    for count, (places, others) in enumerate(folds, start=1):  # noqa: B007
        statistics = SufficientStatistics(data.classes, others, unlabelled)
        for number, settings in enumerate(path):
            outcome, start, rows = outcomes[number], starts[number], data.held[places]
            if isinstance(outcome, GaussBayesError):
                continue
            try:
                outcome[places], found = _posterior_without(
                    data, settings, statistics, rows, start, n_jobs, exact=exact
                )
                starts[number] = None if exact else found
            except GaussBayesError as error:
                outcomes[number] = error
    return outcomes, count


def _posterior_without(
    data: HeldOutRows,
    settings: Settings,
    statistics: SufficientStatistics,
    rows: NDArray[np.intp],
    start: Solution | None = None,
    n_jobs: int | None = 1,
    *,
    exact: bool = True,
) -> tuple[FloatArray, Solution | None]:
    """Log posteriors (m, k) of rows by the model of the others; −∞ for a class without rows.

    Also its parameters, unless a class is missing in it.
    """
    present = np.flatnonzero(statistics.weight > 0)
    result = np.full((rows.size, data.classes.shape[0]), -np.inf)
    if present.size == 1 < data.classes.size:  # only one class remains
        result[:, present] = 0.0
        return result, None
    try:
        model, _ = _model_of_others(data, settings, statistics, start, n_jobs, exact=exact)
        result[:, present] = model.log_posterior(data.rows[rows], 1)
    except GaussBayesError as error:
        what = f"row {rows[0] + 1} of {data.codes.size}" if rows.size == 1 else "some of the rows"
        msg = f"without {what} the model cannot be fitted, or cannot tell its class: {error}"
        raise type(error)(msg) from None
    return result, model.solution if present.size == data.classes.size else None


def _model_of_others(
    data: HeldOutRows,
    settings: Settings,
    statistics: SufficientStatistics,
    start: Solution | None = None,
    n_jobs: int | None = 1,
    *,
    exact: bool = False,
) -> tuple[Model, NDArray[np.intp]]:
    """The model of the rows that are not held out, and the codes of their classes."""
    present = np.flatnonzero(statistics.weight > 0)
    priors = _priors_of_some(settings.priors, data.schema, statistics.weight, present)
    if present.size < data.classes.size:
        statistics, start = statistics.selected(present.tolist()), None
    schema = replace(data.schema, classes=statistics.classes)
    model = Model(replace(settings, priors=priors), schema, statistics)
    return model.solved(n_jobs, start, goal=EXACT if exact else ROUGH), present


def _removal(data: HeldOutRows, rows: NDArray[np.intp]) -> Removal:
    """The removal of each of these rows."""
    weights = data.targets[rows].total_weights().astype(np.float64)
    return remove(data.codes[rows].astype(np.intp), weights, data.statistics.weight)


def _log_prior(priors: Priors, data: HeldOutRows, removal: Removal) -> FloatArray:
    """Log priors (n, k) without each row, up to a constant of the row."""
    weight, n = data.statistics.weight, removal.codes.size
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
    """The priors of the remaining classes, in the given proportions."""
    if priors is None or present.size == weight.size:
        return priors
    of_all = class_priors(priors, schema, weight)
    total = float(of_all[present].sum())
    if total == 0:
        lost = schema.class_name(int(np.flatnonzero(of_all)[0]))
        msg = f"only class {lost} has a prior above 0, and no other row"
        raise OptionError(msg)
    return np.asarray(of_all[present] / total)
