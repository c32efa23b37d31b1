"""Model selection: find the structure and shrinkage with the least held-out log loss.

One set of statistics serves all candidates of one transform: nothing is read twice. The candidates
are compared on held-out rows, in bounded time. The best few are calibrated, and the one with the
least calibrated log loss is selected.

Unlabelled rows help if the classes are clusters, and mislead if they are not. For the best of the
candidates by labelled rows, labelled rows that are held out in folds compare the posteriors with
and without unlabelled rows, a and b, both calibrated on other folds. Their arithmetic mean m is the
default: ``log m`` is never below the larger of log a and log b by more than log 2. One of the two
takes its place if the held-out rows are more probable by it than by the mean, by more than one
standard error of the difference. Only one of them can be, because ``log a + log b ≤ 2 log m``. The
gain of a row over the mean is at most log 2, and its loss is not bounded: a model that contradicts
a few held-out rows does not take the place of the mean.

The selected model may then become the first member of a pool, whose second member is pairs of
levels of all columns. Gaussians follow smooth trends with few rows; pairs (AODE) represent
interactions, point masses and several modes, and need more rows. Their calibrated log-likelihoods l
and l' are weighed::

    log p(c | x) = log prior_c + v l_c(x) + v' l'_c(x) − log Z

Log-odds and explanations are therefore sums. The prior enters once, outside the members, so that
other priors mean the same for both. The statistics of both members are sums: a pool merges, forgets
and updates like any model, while its weights are settings (see `gaussbayes.model.calibration`). The
pairs are selected, and both weights fitted, on held-out rows. The pool is kept if its log loss on
rows that its weights were not fitted to is lower by more than one standard error of the gain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, nan
from operator import itemgetter
from typing import Annotated, TypeAlias

import numpy as np
from msgspec import Meta

from gaussbayes.base.errors import DataError, GaussBayesError, OptionError
from gaussbayes.base.notices import Notice
from gaussbayes.base.numerals import counted, fixed, percent, shortened
from gaussbayes.base.progress import track
from gaussbayes.base.result import Result
from gaussbayes.base.text_tables import MOST_ROWS, Block, Styled, TextTable
from gaussbayes.base.types import FloatArray
from gaussbayes.families.pairs import Pairs
from gaussbayes.families.protocol import Sized
from gaussbayes.model.calibration import (
    IMPOSSIBLE,
    Calibration,
    calibrate,
    mean_posterior,
    score_of_classes,
    sum_and_error,
)
from gaussbayes.model.evaluation import evaluate
from gaussbayes.model.held_out import (
    HeldOutRows,
    Outcome,
    calibrated,
    evidence_of,
    hold_out,
    tails_of,
)
from gaussbayes.model.model import solve
from gaussbayes.model.settings import Component, Settings, UnlabelledRows
from gaussbayes.model.statistics import SufficientStatistics, Unlabelled

MOST_HELD_OUT = 5000
"""Largest number of held-out rows for the comparison of candidates."""

_FEWEST_HELD_OUT = 500  # if there are as many

_MOST_PRODUCTS = 10**10  # multiplications for all candidates together, a few seconds
_OVERHEAD = 32  # other work per row and feature, in multiplications

_FINALISTS = 8
"""Candidates that are calibrated before one of them is selected."""

_COMPARED = 500, 1500
"""Least and largest number of held-out rows for the selection of the bins and the back-off of
pairs."""

_MOST_TERMS = 6_000_000
"""Terms ``k d²`` of a row in all of these rows together, unless there are too few."""


_Score: TypeAlias = Annotated[float, Meta(ge=0)]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate, and its scores on held-out rows before calibration."""

    title: str  #: covariances, pooling, transform, shrinkage
    n_parameters: int
    log_loss: _Score | None  #: nats per row; None if it was not computed
    error: _Score | None  #: proportion of wrong predictions
    brier: _Score | None  #: Brier score
    shrinkage: float | str | None  #: of the covariances
    transform: str | None  #: of the features
    refused: str | None  #: the error, if it has no scores

    @property
    def short_title(self) -> str:
        """The title in fewer words, beside a column of the shrinkage."""
        title, _, _ = self.title.partition(", shrinkage ")
        return shortened(title.replace(" covariance", "").replace("scaled by ", ""), 46)

    @property
    def cells(self) -> tuple[str, ...]:
        """The error rate, the log loss and the Brier score as text."""
        error, *losses = (
            nan if score is None else score for score in (self.error, self.log_loss, self.brier)
        )
        return (percent(error, 2), *(fixed(loss, 4) for loss in losses))


@dataclass(frozen=True, slots=True)
class UnlabelledChoice:
    """The use of unlabelled rows, and log losses of labelled rows held out in folds, calibrated."""

    selected: UnlabelledRows  #: "used", "unused" or "averaged"
    used: _Score  #: log loss of the model of labelled and unlabelled rows
    unused: _Score  #: log loss of the model of labelled rows alone
    averaged: _Score  #: log loss of the mean of both posteriors

    def __str__(self) -> str:
        return (
            f"Unlabelled rows: {self.selected}; log loss of labelled rows held out in folds: "
            f"{self.used:.4f} used, {self.unused:.4f} unused, {self.averaged:.4f} averaged"
        )


@dataclass(frozen=True, slots=True)
class Selection(Result):
    """The candidates that were compared on held-out rows, the selected one first.

    Examples
    --------
    >>> best = Candidate("full covariance", 9, 0.25, 0.1, 0.15, None, None, None)
    >>> print(Selection("full covariance", 40, 0.24, 0.1, 0.69, (best,)))
    Selected: full covariance; held-out log loss 0.2400 (class frequencies: 0.6900),
    error 10.00 %
    <BLANKLINE>
    candidates, best first: scores on held-out rows before calibration
           shrink-   para-              log   Brier
    model      age  meters    error    loss   score
    ───────────────────────────────────────────────
    full      none       9  10.00 %  0.2500  0.1500
    """

    title: str  #: the selected model in a few words
    n_held_out: Annotated[int, Meta(ge=0)] | None  #: held-out rows
    log_loss: _Score  #: of the selected model after calibration
    error: _Score  #: of the selected model
    baseline_log_loss: _Score  #: log loss of the class frequencies, which use no features
    candidates: Annotated[tuple[Candidate, ...], Meta(min_length=1)]  #: the selected one first
    unlabelled: UnlabelledChoice | None = None  #: None if they are absent or not compared

    @property
    def best(self) -> Candidate:
        """The selected candidate."""
        return self.candidates[0]

    def tables(self, most: int | None = MOST_ROWS) -> Sequence[Block]:
        """Return a sentence with the scores of the selected model, and the candidates."""
        sentence = (
            f"Selected: {self.title}; held-out log loss {self.log_loss:.4f} "
            f"(class frequencies: {self.baseline_log_loss:.4f}), error {100 * self.error:.2f} %"
        )
        rows: list[tuple[str, ...]] = [
            (
                each.short_title,
                "none" if each.shrinkage is None else str(each.shrinkage),
                str(each.n_parameters),
                *each.cells,
            )
            for each in self.candidates
        ]
        rows[0] = tuple(map(Styled, rows[0]))
        reasons = [each.refused for each in self.candidates if each.refused is not None]
        notes = []
        if reasons:
            many = counted(len(reasons), "candidate")
            notes = [f"{many} cannot be evaluated, the first because: {reasons[0]}"]
        scores = ("error", "log\nloss", "Brier\nscore")
        title = "candidates, best first: scores on held-out rows before calibration"
        columns = ("model", "shrink-\nage", "para-\nmeters", *scores)
        blocks: list[Block] = [sentence]
        blocks.append(TextTable.first(columns, rows, len(rows), most, title=title, notes=notes))
        return blocks if self.unlabelled is None else [*blocks, str(self.unlabelled)]


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """Compared settings, with log posteriors (m, k) of the held-out rows."""

    settings: Settings
    candidate: Candidate
    data: HeldOutRows
    outcomes: tuple[FloatArray, ...] = ()
    """Log posteriors; two are those with and without unlabelled rows; none if not evaluated."""
    unlabelled: UnlabelledChoice | None = None

    @property
    def loss(self) -> float:
        """The log loss before calibration; ∞ if it is unknown."""
        return inf if self.candidate.log_loss is None else self.candidate.log_loss


def select(
    alternatives: Sequence[HeldOutRows], n_jobs: int | None = None
) -> tuple[Selection, Trial]:
    """Compare every candidate of the families of several views of one table, and find the best.

    The views differ in how features are transformed. The only row of a class is
    never held out: every model without it calls it impossible.
    """
    trials = tried(alternatives, n_jobs)
    candidates = [trial.candidate for trial in trials]
    losses = [
        (_calibrated_loss(trial.data, trial.settings, *trial.outcomes), number)
        for number, trial in enumerate(trials)
        if trial.outcomes and trial.candidate.log_loss is not None
    ]
    if (
        not losses
    ):  # too few rows to compare candidates: the last group has the strongest assumptions
        fitted = [trial for trial in trials if trial.candidate.refused is None]
        if not fitted:
            reasons = "; ".join(dict.fromkeys(f"{one.title}: {one.refused}" for one in candidates))
            msg = f"none of {len(candidates)} candidates can be evaluated: {reasons:.1000}"
            raise DataError(msg)
        best = fitted[-1]
    else:
        best = trials[min(losses)[1]]
    candidates.sort(key=lambda candidate: candidate is not best.candidate)
    return Selection(best.candidate.title, None, nan, nan, nan, tuple(candidates)), best


def tried(alternatives: Sequence[HeldOutRows], n_jobs: int | None = None) -> list[Trial]:
    """All candidates, the best first; only the best few keep their log posteriors."""
    groups: list[tuple[HeldOutRows, list[Settings]]] = []
    for data in alternatives:
        groups += [(data, path) for path in _paths(data)]
    most = _affordable_rows(alternatives[0], sum(len(path) for _, path in groups))
    held = alternatives[0].with_company().sampled(most).held  # the views have the same rows
    samples = {data: replace(data, held=held) for data in alternatives}  # each has its folds once
    trials: list[Trial] = []
    for data, path in track(groups, "evaluating candidates", len(groups)):
        trials = sorted([*trials, *_judged(samples[data], path, n_jobs)], key=_rank)
        trials[_FINALISTS:] = [replace(trial, outcomes=()) for trial in trials[_FINALISTS:]]
    return trials


def _rank(trial: Trial) -> tuple[bool, float]:
    """Candidates without scores are last."""
    return trial.candidate.refused is not None, trial.loss


def _affordable_rows(data: HeldOutRows, n_candidates: int) -> int:
    """The number of rows for comparing candidates, each of which takes ``k d²`` products."""
    k, d = data.classes.shape[0], max(1, data.schema.n_features)
    in_time = _MOST_PRODUCTS // (n_candidates * k * d * (d + _OVERHEAD))
    return min(MOST_HELD_OUT, max(_FEWEST_HELD_OUT, int(in_time)))


def _calibrated_loss(data: HeldOutRows, settings: Settings, log_posterior: FloatArray) -> float:
    """The log loss of log posteriors (m, k) of held-out rows after calibration on these rows."""
    evidence = evidence_of(data, settings, log_posterior)
    log_likelihood, log_prior, proportions, weights, _ = evidence
    posterior = calibrate(*evidence).log_posterior(log_likelihood, log_prior)
    return -float(np.average(score_of_classes(posterior, proportions), weights=weights))


def scored(selection: Selection, data: HeldOutRows, posterior: FloatArray) -> Selection:
    """The selection with the scores of its model: log posteriors calibrated on other rows."""
    if not data.held.size:
        return selection
    truth, weights = data.truth, data.truth.total_weights()
    frequencies = weights @ truth.proportions() / weights.sum()
    seen = evaluate(posterior, truth.labels, data.classes, truth.weights, frequencies=frequencies)
    assert seen.baseline is not None
    return replace(
        selection,
        n_held_out=data.held.size,
        log_loss=seen.log_loss,
        error=seen.error,
        baseline_log_loss=seen.baseline.log_loss,
    )


def calibration_of(data: HeldOutRows, n_jobs: int | None = None) -> Calibration:
    """The calibration of the model of these rows with fixed settings."""
    data = data.with_company().sampled(_affordable_rows(data, _FINALISTS))
    (outcome,), _ = hold_out(data, [data.settings], n_jobs)
    if isinstance(outcome, GaussBayesError):
        raise outcome
    calibration = calibrated(data, data.settings, [outcome])[0]
    return replace(calibration, tails=tails_of(data, data.settings, n_jobs))


def with_unlabelled(
    trial: Trial, unlabelled: Unlabelled | None, n_jobs: int | None = None
) -> Trial:
    """The trial, which is of labelled rows alone, with the use of unlabelled rows; see above.

    They are unused if no row can be held out, or if the model with them cannot be fitted.
    """
    unused = replace(trial.settings, unlabelled_rows="unused")
    used = replace(unused, unlabelled_rows="used")
    data = replace(trial.data, statistics=replace(trial.data.statistics, unlabelled=unlabelled))
    if not (trial.outcomes and data.held.size):
        return replace(trial, settings=unused)
    (without, beside), _ = hold_out(data, [unused, used], n_jobs)
    if isinstance(beside, GaussBayesError) or isinstance(without, GaussBayesError):
        return replace(trial, settings=unused)
    posteriors = [calibrated(data, used, [each])[1] for each in (beside, without)]
    mean = mean_posterior(posteriors)
    clear = []
    for posterior in posteriors:
        total, error = _gain(data, posterior, mean)
        clear.append(total > error)
    selected: UnlabelledRows = "used" if clear[0] else "unused" if clear[1] else "averaged"
    losses = [_log_loss(data, posterior) for posterior in (*posteriors, mean)]
    choice = UnlabelledChoice(selected, *losses)
    if selected == "unused":
        return replace(trial, settings=unused, unlabelled=choice)
    # Without unlabelled rows there may have been a closed form.
    outcomes = (beside, *trial.outcomes) if selected == "averaged" else (beside,)
    settings = replace(used, unlabelled_rows=selected)
    return replace(trial, settings=settings, data=data, outcomes=outcomes, unlabelled=choice)


def _log_loss(data: HeldOutRows, log_posterior: FloatArray) -> float:
    """The log loss of log posteriors (m, k) of held-out rows."""
    score = score_of_classes(np.maximum(log_posterior, IMPOSSIBLE), data.truth.proportions())
    return -float(np.average(score, weights=data.truth.total_weights()))


def _gain(data: HeldOutRows, better: FloatArray, worse: FloatArray) -> tuple[float, float]:
    """The gain of held-out log probability in nats, and its standard error."""
    first, second = (
        score_of_classes(np.maximum(log_posterior, IMPOSSIBLE), data.truth.proportions())
        for log_posterior in (better, worse)
    )
    return sum_and_error(first - second, data.truth.total_weights())


def _paths(data: HeldOutRows) -> Iterator[list[Settings]]:
    """Settings of candidates, in groups that differ only in regularisation."""
    settings = data.settings
    columns = zip(
        settings.families, data.statistics.parts, settings.names(data.schema), strict=True
    )
    choices = [list(family.variants(part, names)) for family, part, names in columns]
    named = list(zip((part.distribution for part in settings.components), choices, strict=True))
    first = next((name for name, choice in named if len(choice) > 1 or len(choice[0]) > 1), None)
    choices = [choice if name == first else [choice[0][:1]] for name, choice in named]
    fixed = [len(choice) == 1 and len(choice[0]) == 1 for choice in choices]
    several = [choice for choice, alone in zip(choices, fixed, strict=True) if not alone]
    for number in range(min(map(len, several), default=1)):
        groups = [
            choice[0 if alone else number] for choice, alone in zip(choices, fixed, strict=True)
        ]
        lengths = {len(group) for group in groups} - {1}
        if len(lengths) > 1:
            msg = "families that leave something open must leave the same: they are chosen alike"
            raise OptionError(msg)
        yield [
            settings.with_families([group[at if len(group) > 1 else 0] for group in groups])
            for at in range(max(map(len, groups)))
        ]


def _judged(data: HeldOutRows, path: Sequence[Settings], n_jobs: int | None) -> list[Trial]:
    """Trials of the settings of a path that have parameters, on held-out rows."""
    trials = [Trial(settings, _fitted(data, settings, n_jobs), data) for settings in path]
    possible = [number for number, trial in enumerate(trials) if trial.candidate.refused is None]
    if possible:
        outcomes, _ = hold_out(data, [path[number] for number in possible], n_jobs)
        for number, outcome in zip(possible, outcomes, strict=True):
            trials[number] = _scored(trials[number], outcome)
    return trials


def _scored(trial: Trial, outcome: Outcome) -> Trial:
    """A trial with its scores, or the error."""
    candidate, truth = trial.candidate, trial.data.truth
    if isinstance(outcome, GaussBayesError):
        return replace(trial, candidate=replace(candidate, refused=str(outcome)))
    if truth.codes.size:  # otherwise no class has two rows, of which one could be held out
        seen = evaluate(outcome, truth.labels, trial.data.classes, truth.weights)
        candidate = replace(candidate, log_loss=seen.log_loss, error=seen.error, brier=seen.brier)
    return replace(trial, candidate=candidate, outcomes=(outcome,))


def _fitted(data: HeldOutRows, settings: Settings, n_jobs: int | None) -> Candidate:
    """A candidate before any row is held out."""
    refused = n_parameters = None
    # Shrunk predictive densities exist unless a class has at most one row.
    predictive = settings.first("estimation") == "predictive" and data.held.size > 0
    predictive &= settings.first("shrinkage") is not None
    if not (predictive and data.statistics.weight.min() >= 1):
        try:
            n_parameters = solve(data.statistics, settings, data.schema, n_jobs).n_parameters
        except GaussBayesError as error:
            refused = str(error)
    if n_parameters is None:  # as far as it is known without an estimate
        k, parts = data.classes.shape[0], settings.components
        sizes = (
            part.family.n_parameters(k, len(part.columns))
            for part in parts
            if isinstance(part.family, Sized)
        )
        n_parameters = int(k - 1 + sum(sizes))
    return Candidate(
        settings.title,
        n_parameters,
        None,
        None,
        None,
        settings.first("shrinkage"),
        settings.transform,
        refused,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Pooled:
    """A selected model with its calibration, and perhaps a second member."""

    settings: Settings  # with the second member, if it is kept
    calibration: Calibration
    log_posterior: FloatArray  # (m, k) of held-out rows, calibrated on other rows
    notices: tuple[Notice, ...] = ()


def pool(trial: Trial, n_jobs: int | None = None) -> Pooled:
    """The selected model, calibrated, with pairs as a second member if they improve it."""
    data, settings = trial.data, trial.settings
    alone = Pooled(settings, *calibrated(data, settings, trial.outcomes))
    if not trial.outcomes or not data.held.size:
        return alone
    few = data.schema.n_features > data.codes.size  # rows for pairs of this number of columns
    if few or any(family.name == Pairs.name for family in settings.families):
        return alone
    try:
        (family,) = Pairs("auto").fix(data.rows, data.targets, data.schema)
    except DataError as problem:
        return replace(alone, notices=(Notice("no pairs", str(problem)),))
    second, outcome = _best(data, family, n_jobs)
    calibration, posterior = calibrated(data, settings, trial.outcomes, outcome)
    total, error = _gain(data, posterior, alone.log_posterior)
    if total <= error or not calibration.is_pooled:
        return alone
    settings = replace(settings, components=(*settings.components, *second.settings.components))
    return Pooled(settings, calibration, posterior)


def _best(data: HeldOutRows, family: Pairs, n_jobs: int | None) -> tuple[HeldOutRows, FloatArray]:
    """The pairs with the least calibrated loss, and log posteriors (m, k) of the held-out rows."""
    columns = tuple(range(data.schema.n_features))
    component = Component(family, columns, second=True)
    settings = Settings((component,), data.settings.priors, "unused")
    part = family.observe(data.rows, data.targets, data.schema)
    statistics = SufficientStatistics(data.classes, (part,))
    data = replace(data, settings=settings, statistics=statistics)
    affordable = _MOST_TERMS // (data.classes.size * data.schema.n_features**2)
    sample = data.sampled(min(max(affordable, _COMPARED[0]), _COMPARED[1]))
    paths = list(family.variants(part, data.schema))
    counted = [SufficientStatistics(data.classes, (path[0].adapted(part),)) for path in paths]

    def best(number: int, families: Sequence[Pairs]) -> tuple[float, int, Pairs]:
        path = [settings.with_families([each]) for each in families]
        outcomes = _held_out(replace(sample, statistics=counted[number]), path, n_jobs)
        losses = [_calibrated_loss(sample, settings, outcome) for outcome in outcomes]
        least = int(np.argmin(losses))
        return losses[least], number, families[least]

    # The bins first, with the same back-off.
    first = min((best(number, path[:1]) for number, path in enumerate(paths)), key=itemgetter(0))
    _, number, _ = first
    more = paths[number][1:]
    candidates = [first, *([best(number, more)] if more else [])]
    _, _, chosen = min(candidates, key=itemgetter(0))
    settings = settings.with_families([chosen])
    data = replace(data, settings=settings, statistics=counted[number])
    (outcome,) = _held_out(data, [settings], n_jobs)
    return data, outcome


def _held_out(data: HeldOutRows, path: Sequence[Settings], n_jobs: int | None) -> list[FloatArray]:
    """Log posteriors of held-out rows, in closed form unless labels are soft."""
    outcomes, _ = hold_out(data, path, n_jobs, exact=not data.targets.is_soft)
    for outcome in outcomes:
        if isinstance(outcome, GaussBayesError):
            raise outcome
    return [outcome for outcome in outcomes if not isinstance(outcome, GaussBayesError)]
