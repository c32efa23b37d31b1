"""Model selection: which structure and which shrinkage have the least held-out log loss.

One set of statistics gives all candidates: nothing is read twice.

Unlabelled rows are used with the weight that predicts best, a tenth or all, if they clearly help,
and otherwise not. That is chosen last, for the best of the candidates by labelled rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite, isnan, nan
from typing import Any

import numpy as np

from gaussbayes.base.anderson import Goal
from gaussbayes.base.errors import DataError, GaussBayesError, OptionError
from gaussbayes.base.numerals import counted, fixed, percent
from gaussbayes.base.progress import track
from gaussbayes.base.result import Result, plain
from gaussbayes.base.schema import Schema
from gaussbayes.base.text_tables import MOST_ROWS, Block, Styled, TextTable
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import LabelledRows, Targets
from gaussbayes.families.protocol import Sized
from gaussbayes.model.calibration import score_of_classes, sum_and_error
from gaussbayes.model.em import EXACT, ROUGH
from gaussbayes.model.evaluation import evaluate
from gaussbayes.model.left_out import (
    HeldOutRows,
    Outcome,
    affordable_rows,
    calibrated_loss,
    has_closed_form,
    held_out_rows,
    hold_out,
    sampled,
    with_company,
    with_other_folds,
)
from gaussbayes.model.model import solve
from gaussbayes.model.settings import Settings
from gaussbayes.model.statistics import Learnt

UNLABELLED_WEIGHTS = (0.0, 0.1, 1.0)
"""How much an unlabelled row may count beside a labelled one where that is chosen."""

FEWEST_UNLABELLED = 0.05
"""Weight of all unlabelled rows, relative to the labelled ones, below which they are not used."""

SELECTION_FOLDS = 5
"""Folds for each candidate where there is no closed form for rows left out."""

MOST_CALIBRATED = 8
"""Candidates that are calibrated before one of them is chosen."""

_IMPOSSIBLE = -700.0  # a log probability that counts as 0

_TIE = 1e-9
"""Proportion of the log loss by which equal models may differ in rounding."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Settings that were tried, and how they did; NaN where that was not looked at."""

    settings: Settings
    log_loss: float  # mean of −log p(true class | x) over the rows held out, by their weights
    error: float  # proportion of wrong predictions among them, each counted once
    brier: float  # mean of Σ_c (p(c | x) − [c is true])², likewise
    n_parameters: int
    refused: str | None = None  # why it cannot be judged

    @property
    def structure(self) -> Any:
        """The structure of the covariances; None if there are none."""
        return self.settings.first("structure")

    @property
    def name(self) -> str:
        """What it is called: the structure, how densities follow from it, and the transform."""
        return model_name(self.settings)

    @property
    def shrinkage(self) -> Any:
        """The shrinkage of the covariances."""
        return self.settings.first("shrinkage")

    @property
    def transform(self) -> str | None:
        """What features are transformed by, in a word; None if they are as they come."""
        return transform_name(self.settings)

    def __str__(self) -> str:
        """Everything that tells it from other candidates, and how it did."""
        to = self.settings.first("target")
        shrunk = "" if self.shrinkage is None else f", shrinkage {self.shrinkage} to {to}"
        if self.refused is not None:
            return f"{self.name}{shrunk}: {self.refused:.200}"
        scores = {"log loss": self.log_loss, "error": self.error}
        listed = ", ".join(
            f"{name} {value:.6g}" for name, value in scores.items() if not isnan(value)
        )
        return f"{self.name}{shrunk}: {listed}"

    @property
    def unlabelled_weight(self) -> float:
        """How much an unlabelled row counts."""
        return self.settings.unlabelled_weight

    def to_dict(self) -> dict[str, object]:
        """Return the title, the scores and the settings as values that JSON can hold."""
        names = ("log_loss", "error", "brier", "n_parameters", "shrinkage", "transform", "refused")
        scores = {name: plain(getattr(self, name)) for name in names}
        return {"title": title_of(self.settings)} | scores


@dataclass(frozen=True, slots=True)
class Selection(Result):
    """The candidates that were compared on held-out rows, and the selected one.

    Parameters
    ----------
    candidates : tuple of Candidate
        Every candidate, in the order tried.
    best : Candidate
        The selected one.
    log_loss : float
        Log loss of the selected model on held-out rows after calibration, nats per row.
    error : float
        Error rate of the selected model on held-out rows.
    baseline_log_loss : float
        Log loss of the class frequencies, which use no features.
    """

    candidates: tuple[Candidate, ...]  #: every candidate, in the order tried
    best: Candidate  #: the one that was chosen
    n_held_out: int | None = None  #: rows by which they were judged, if rows were held out
    n_alone: int = 0  #: rows that are alone in their class, which judge nothing
    weights: tuple[Candidate, ...] = ()
    """The best by labelled rows, with the weights that unlabelled ones may have, and `best` has:
    they were judged by folds, so that their figures compare with each other alone."""
    log_loss: float = nan  #: held-out log loss of the selected model after calibration
    error: float = nan  #: held-out error rate of the selected model
    baseline_log_loss: float = nan  #: log loss of the class frequencies

    @property
    def title(self) -> str:
        """The selected model in a few words."""
        return title_of(self.best.settings)

    def to_dict(self) -> dict[str, object]:
        """Return the scores and all candidates as values that JSON can hold."""
        names = ("n_held_out", "log_loss", "error", "baseline_log_loss")
        scores = {name: plain(getattr(self, name)) for name in names}
        candidates = [candidate.to_dict() for candidate in self.ranked]
        return {"title": self.title} | scores | {"candidates": candidates}

    @property
    def ranked(self) -> list[Candidate]:
        """The candidates by log loss, the selected one first, those without one last."""
        return self._ranked(self.candidates)

    def _ranked(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        chosen = self._by_labelled_rows
        if candidates is self.weights:
            weight = self.best.unlabelled_weight
            chosen = next(each for each in candidates if each.unlabelled_weight == weight)

        def place(candidate: Candidate) -> tuple[bool, bool, float, int]:
            unknown = candidate.refused is not None or isnan(candidate.log_loss)
            log_loss = 0.0 if unknown else candidate.log_loss
            return candidate is not chosen, unknown, log_loss, candidate.n_parameters

        return sorted(candidates, key=place)

    @property
    def _by_labelled_rows(self) -> Candidate:
        """The candidate that is the best but for the weight of unlabelled rows."""
        parts = self.best.settings.components
        return next(each for each in self.candidates if each.settings.components is parts)

    def tables(self, most: int | None = MOST_ROWS) -> Sequence[Block]:
        """The candidates, best first; those that cannot be judged last, and why under the table."""

        def figures(each: Candidate) -> dict[str, str]:
            return {
                "error": percent(each.error, 2),
                "log\nloss": fixed(each.log_loss, 4),
                "Brier\nscore": fixed(each.brier, 4),
            }

        def cells(each: Candidate) -> dict[str, str]:
            known = {
                "model": each.name,
                "shrink-\nage": "none" if each.shrinkage is None else str(each.shrinkage),
            }
            known["para-\nmeters"] = str(each.n_parameters)
            return known | figures(each)

        ranked = self.ranked
        rows = [list(cells(each).values()) for each in ranked[:most]]
        rows[0] = list(map(Styled, rows[0]))  # the best
        reasons = [each.refused for each in self.candidates if each.refused is not None]
        notes = []
        if reasons:
            many = counted(len(reasons), "candidate")
            notes = [f"{many} cannot be judged, the first because: {reasons[0]}"]
        if any(each.log_loss < ranked[0].log_loss * (1 - _TIE) for each in ranked):
            notes.append(
                "the first is best of the best few, by more rows or once they are calibrated"
            )
        title = "candidates, best first: each row predicted by the model of the others"
        table = TextTable.first(
            tuple(cells(self.best)), rows, len(ranked), most, title=title, notes=notes
        )
        if not self.weights:
            return [table]
        ranked = self._ranked(self.weights)
        rows = [[f"{each.unlabelled_weight:g}", *figures(each).values()] for each in ranked]
        rows[0] = list(map(Styled, rows[0]))
        title = "weight of unlabelled rows, best first: labelled rows predicted in folds"
        return [table, TextTable(("weight", *figures(self.best)), rows, title=title, sides="r")]


@dataclass(frozen=True, slots=True, eq=False)
class LearntView:
    """Settings that leave something open, and what the rows say as their families see them.

    Views of one table differ in how features are transformed or coded.
    """

    settings: Settings
    learnt: Learnt


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """A candidate, the view that it is of, and what it says of the rows held out."""

    candidate: Candidate
    view: LearntView
    log_posterior: FloatArray | None = None  # (n, k)
    data: HeldOutRows | None = None  # the rows that were held out

    def shifted(self, loss: float) -> Trial:
        """The same, with so much more log loss if it was judged by few rows only."""
        if self.data is not None:
            return self
        candidate = self.candidate
        return replace(self, candidate=replace(candidate, log_loss=candidate.log_loss + loss))


def select(
    table: LabelledRows,
    views: Sequence[LearntView],
    schema: Schema,
    n_jobs: int | None = None,
    *,
    calibrated: bool = False,
    possible: Sequence[float] = UNLABELLED_WEIGHTS,
) -> tuple[Selection, Trial]:
    """Judge every candidate of the families, and find the best, and how it did.

    `table` are the rows that were learnt from. If the model is to be `calibrated`, the best of the
    first few is that which is best when it is calibrated.
    Unlabelled rows have one of the `possible` weights.

    Notes
    -----
    Of equal candidates the one with fewest parameters wins. The only row of a class is called
    impossible by every model without it, so that it tells none from another, and is not counted.
    Where values are missing some have no closed form: they are judged by a few folds. Where others
    have one, those that have none, full covariances between own and pooled ones of rows with
    many different weights, are left to those who ask for them.
    """
    trials = try_all(table, views, schema, n_jobs)
    candidates = tuple(trial.candidate for trial in trials)
    best = best_calibrated(trials) if calibrated else best_trial(trials)
    chosen = next(trial for trial in trials if trial.candidate is best)
    weights: list[Candidate] = []
    if chosen.view.learnt.unlabelled is not None:
        weights, chosen = unlabelled_weights(table, chosen, schema, possible, n_jobs)
    n_held_out = None if chosen.data is None else chosen.data.codes.size
    alone = lone_rows(table.targets)
    return Selection(candidates, chosen.candidate, n_held_out, alone, tuple(weights)), chosen


def lone_rows(targets: Targets) -> int:
    """How many labelled rows are alone in their class."""
    return int((np.bincount(targets.codes[targets.labelled]) == 1).sum())


def unlabelled_weights(
    table: LabelledRows,
    trial: Trial,
    schema: Schema,
    possible: Sequence[float] = UNLABELLED_WEIGHTS,
    n_jobs: int | None = None,
) -> tuple[list[Candidate], Trial]:
    """How much unlabelled rows are to count, by labelled rows held out in folds: all, the best.

    A few labelled rows hardly tell weights apart, and unlabelled rows that mislead do more harm
    than those that help do good. So they count only if the log loss of the labelled rows falls by
    more than the standard error of the difference, and by one more in all. A single weight is not
    judged; and rows too few to matter, by `FEWEST_UNLABELLED`, have the least of the weights.
    """
    view, settings = trial.view, trial.candidate.settings
    weights = [replace(settings, unlabelled_weight=weight) for weight in sorted(possible)]
    if len(weights) == 1:
        return [], Trial(replace(trial.candidate, settings=weights[0]), view)
    counts, labelled = table.targets.total_weights(), table.targets.labelled
    if counts[~labelled].sum() < FEWEST_UNLABELLED * counts[labelled].sum():
        return [], replace(trial, candidate=replace(trial.candidate, settings=weights[0]))
    data = held_out_rows(table, view.learnt, schema)
    judged = _judged(data, weights, n_jobs, goal=ROUGH, always=True, fewest=2)
    candidates = [candidate for candidate, _ in judged]
    reference = judged[0]
    clear = [each for each in judged[1:] if _is_clearly_better(each, reference, data)]
    if not clear:
        return candidates, Trial(replace(reference[0], refused=None), view, reference[1], data)
    best = best_of([candidate for candidate, _ in clear]).best
    return candidates, Trial(best, view, judged[candidates.index(best)][1], data)


def _is_clearly_better(
    one: tuple[Candidate, FloatArray | None],
    other: tuple[Candidate, FloatArray | None],
    data: HeldOutRows,
) -> bool:
    """Whether the log loss of rows held out is so much less that it is hardly chance."""
    if one[1] is None or other[1] is None:
        return other[1] is None and one[1] is not None
    rows = with_company(data)
    if not rows.size:
        return False
    truth = data.targets[rows]
    first, second = (
        score_of_classes(np.maximum(each[rows], _IMPOSSIBLE), truth.proportions())
        for each in (one[1], other[1])
    )
    total, error = sum_and_error(first - second, truth.total_weights())
    return total > error + 1.0


def best_trial(trials: Sequence[Trial]) -> Candidate:
    """The best candidate of those that were not left behind in the first round."""
    last = [trial.candidate for trial in trials if trial.log_posterior is not None]
    return best_of(last or [trial.candidate for trial in trials]).best


def best_calibrated(trials: Sequence[Trial]) -> Candidate:
    """That of the best few candidates whose log loss is least after calibration."""
    judged = [
        trial
        for trial in trials
        if trial.log_posterior is not None and not isnan(trial.candidate.log_loss)
    ]
    if not judged:
        return best_trial(trials)
    judged.sort(key=lambda trial: trial.candidate.log_loss)
    losses = []
    for trial in judged[:MOST_CALIBRATED]:
        assert trial.data is not None
        assert trial.log_posterior is not None
        losses.append(calibrated_loss(trial.data, trial.candidate.settings, trial.log_posterior))
    return judged[int(np.argmin(losses))].candidate


def _is_predictive(settings: Settings) -> bool:
    """Whether some family integrates its parameters out."""
    return bool(settings.first("estimation") == "predictive")


def _by_labels(view: LearntView) -> Settings:
    """The settings of a view with labelled rows alone, which judge first."""
    if view.learnt.unlabelled is None:
        return view.settings
    return replace(view.settings, unlabelled_weight=0.0)


def try_all(
    table: LabelledRows,
    views: Sequence[LearntView],
    schema: Schema,
    n_jobs: int | None = None,
) -> list[Trial]:
    """All candidates of several views, judged by labelled rows.

    If that takes long, by few rows first, and the best few of them by more.
    """
    rounds: list[_Round] = []
    for view in views:
        data = held_out_rows(table, replace(view.learnt, unlabelled=None), schema)
        paths = list(_paths(_by_labels(view), data))
        quick = [path for path in paths if has_closed_form(data, path, exact=False)]
        data = with_other_folds(data, quick[0][0]) if quick else data
        rounds += [_Round(view, data, path) for path in quick or paths]
    n_candidates = sum(len(some.path) for some in rounds)
    few, many = (affordable_rows(data, n) for n in (n_candidates, MOST_CALIBRATED))
    if n_candidates <= MOST_CALIBRATED or 3 * few >= 2 * min(many, data.codes.size):
        tracked = track(_by_rows(rounds, many), "judging candidates")
        return [trial for some in tracked for trial in some.trials(n_jobs)]
    tracked = track(_by_rows(rounds, few), "judging candidates by few rows")
    first = [some.trials(n_jobs, keep=False) for some in tracked]
    losses = [trial.candidate.log_loss for some in first for trial in some]
    line = np.sort(losses)[MOST_CALIBRATED - 1]  # those that cannot be judged are last
    last: list[Trial] = []
    moved: list[float] = []
    both = list(zip(_by_rows(rounds, many), first, strict=True))
    for some, before in track(both, "judging the best by more rows"):
        better = [number for number, trial in enumerate(before) if trial.candidate.log_loss <= line]
        shorter = replace(some, path=[some.path[number] for number in better])
        again = shorter.trials(n_jobs) if better else []
        for number, trial in zip(better, again, strict=True):
            moved.append(trial.candidate.log_loss - before[number].candidate.log_loss)
            before[number] = trial
        last += before
    # What the others would have by more rows, if it changed as much.
    shift = float(np.mean(moved)) if moved else 0.0
    return [trial.shifted(shift) for trial in last]


@dataclass(frozen=True, slots=True, eq=False)
class _Round:
    """Candidates that are judged together, and the rows that they are judged by."""

    view: LearntView
    data: HeldOutRows
    path: Sequence[Settings]

    def trials(self, n_jobs: int | None, *, keep: bool = True) -> list[Trial]:
        """How they do; what they say of each row is kept, or not."""
        view, data = self.view, self.data
        return [
            Trial(candidate, view, outcome, data) if keep else Trial(candidate, view)
            for candidate, outcome in _judged(data, self.path, n_jobs)
        ]


def _by_rows(rounds: Sequence[_Round], most: int) -> list[_Round]:
    """The same candidates, judged by at most so many rows; of one view by the same."""
    samples = {data: sampled(data, most) for data in dict.fromkeys(some.data for some in rounds)}
    return [replace(some, data=samples[some.data]) for some in rounds]


def structure_name(settings: Settings) -> str:
    """What the structure is called, or the families where there are no covariances."""
    structure = settings.first("structure")
    families = dict.fromkeys(family.name for family in settings.families)
    return ", ".join(families) if structure is None else str(structure.name)


def model_name(settings: Settings) -> str:
    """The structure; "predictive" if covariances are integrated out; transform; and "coded"."""
    name, structure = structure_name(settings), settings.first("structure")
    if structure is not None and settings.first("estimation") == "predictive":
        name = f"predictive, {structure.sharing_name}"
    transform = transform_name(settings)
    name = name if transform is None else f"{name}, {transform}"
    return f"{name}, coded" if any(part.name == "coded" for part in settings.families) else name


def title_of(settings: Settings) -> str:
    """A model in the terms of the field: covariances, pooling, transform and shrinkage."""
    structure, title = settings.first("structure"), structure_name(settings)
    if structure is not None and structure.between:
        title = f"{structure.covariance} covariance, {100 * structure.sharing:g} % pooled"
    parts = [title]
    if settings.first("estimation") == "predictive":
        parts.append("predictive")
    transform = transform_name(settings)
    if transform is not None:
        words = {"yeo-johnson": "Yeo-Johnson", "range": "scaled by range"}
        parts.append(words.get(transform, transform))
    if any(family.name == "coded" for family in settings.families):
        parts.append("coded")
    if settings.first("shrinkage") is not None:
        parts.append(shrinkage_name(settings).removeprefix(", "))
    return ", ".join(parts)


def transform_name(settings: Settings) -> str | None:
    """What features are transformed by, in a word; None if they are as they come."""
    kinds = {kind for family in settings.families for kind in getattr(family, "kinds", ())} - {None}
    return None if not kinds else str(*kinds) if len(kinds) == 1 else "transformed"


def shrinkage_name(settings: Settings) -> str:
    """How covariances are shrunk, if there are any."""
    if settings.first("structure") is None:
        return ""
    shrinkage = settings.first("shrinkage")
    amount = f"{shrinkage:g}" if isinstance(shrinkage, float) else shrinkage
    return ", no shrinkage" if shrinkage is None else f", shrinkage {amount}"


def _paths(settings: Settings, data: HeldOutRows) -> Iterator[list[Settings]]:
    """Settings of candidates, in groups that differ only in what regularises.

    Families that have a choice are chosen alike. Beside a family of another distribution that has
    one before it, a family is the first of its variants.
    """
    columns = zip(settings.families, data.learnt.parts, settings.names(data.schema), strict=True)
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


def _fitted(learnt: Learnt, settings: Settings, schema: Schema, n_jobs: int | None) -> Candidate:
    """A candidate before any row is held out."""
    schema = replace(schema, classes=learnt.classes)
    # Of a class that weighs less than a row there may be no density.
    if _is_predictive(settings) and learnt.weight.min() >= 1:
        return Candidate(settings, nan, nan, nan, _n_parameters(settings, schema))
    try:
        solution = solve(learnt, settings, schema, n_jobs)
    except GaussBayesError as error:
        n_parameters = _n_parameters(settings, schema)
        return Candidate(settings, nan, nan, nan, n_parameters, str(error))
    return Candidate(settings, nan, nan, nan, solution.n_parameters)


def _n_parameters(settings: Settings, schema: Schema) -> int:
    """How many parameters the settings have, as far as is known."""
    k, parts = schema.classes.shape[0], settings.components
    sizes = (
        part.family.n_parameters(k, len(part.columns))
        for part in parts
        if isinstance(part.family, Sized)
    )
    return int(k - 1 + sum(sizes))


def _judged(
    data: HeldOutRows,
    path: Sequence[Settings],
    n_jobs: int | None,
    *,
    always: bool = False,
    goal: Goal = EXACT,
    fewest: int = 1,
) -> list[tuple[Candidate, FloatArray | None]]:
    """Candidates of a path, and log posteriors of the rows that were held out; see `hold_out`."""
    fitted = [_fitted(data.learnt, settings, data.schema, n_jobs) for settings in path]
    judged: list[tuple[Candidate, FloatArray | None]] = [(candidate, None) for candidate in fitted]
    possible = [number for number, candidate in enumerate(fitted) if candidate.refused is None]
    if possible:
        settings = [path[number] for number in possible]
        outcomes, _ = hold_out(
            data,
            settings,
            n_jobs,
            SELECTION_FOLDS,
            exact=False,
            always=always,
            goal=goal,
            fewest=fewest,
        )
        for number, outcome in zip(possible, outcomes, strict=True):
            log_posterior = None if isinstance(outcome, GaussBayesError) else outcome
            judged[number] = _scored(fitted[number], outcome, data), log_posterior
    return judged


def _scored(candidate: Candidate, outcome: Outcome, data: HeldOutRows) -> Candidate:
    """A candidate by the rows held out, but for those of weight 0 or alone in a class."""
    if isinstance(outcome, GaussBayesError):
        return replace(candidate, refused=str(outcome))
    rows = with_company(data)
    if not rows.size:  # no class has two rows, of which one could be left out
        return candidate
    truth = data.targets[rows]
    seen = evaluate(outcome[rows], truth.labels, data.classes, truth.weights)
    return replace(candidate, log_loss=seen.log_loss, error=seen.error, brier=seen.brier)


def best_of(candidates: Sequence[Candidate]) -> Selection:
    """The candidates, and the best of those that can be judged.

    If there are too few rows for any judgement, it is the last: that which assumes most.
    """
    fitted = [some for some in candidates if some.refused is None]
    judged = [some for some in fitted if not isnan(some.log_loss)]
    if not judged and fitted:
        return Selection(tuple(candidates), fitted[-1])
    if not judged:
        reasons = "; ".join(dict.fromkeys(str(candidate.refused) for candidate in candidates))
        msg = f"none of {len(candidates)} candidates can be judged: {reasons:.1000}"
        raise DataError(msg)
    least = min(candidate.log_loss for candidate in judged)
    most = least + _TIE * abs(least) if isfinite(least) else least
    good = (candidate for candidate in judged if candidate.log_loss <= most)
    best = min(good, key=lambda candidate: candidate.n_parameters)
    return Selection(tuple(candidates), best)
