"""The automatic choice: which structure and which shrinkage, by rows held out or by BIC.

One set of statistics gives all candidates: nothing is read twice. Held-out log loss asks how well a
model predicts the class of a row that it has not seen, and can weigh shrinkage against none. The
Bayesian information criterion asks how well a model explains the rows it was fitted to, less a
charge for each parameter, and needs the statistics alone; candidates whose free parameters cannot
be counted, those between own and pooled covariances, take no part in it.

Unlabelled rows are used with the weight that predicts best, a tenth or all, if they clearly help,
and otherwise not. That is chosen last, for the best of the candidates by labelled rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import isfinite, isnan, nan
from operator import attrgetter
from typing import Any, Literal, TypeAlias

import numpy as np

from gaussbayes.base.anderson import Goal
from gaussbayes.base.errors import DataError, GaussBayesError, OptionError, SingularCovarianceError
from gaussbayes.base.numerals import counted, fixed, percent
from gaussbayes.base.progress import track
from gaussbayes.base.result import Result, plain
from gaussbayes.base.schema import Schema
from gaussbayes.base.text_tables import MOST_ROWS, Block, Styled, TextTable
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import LabelledRows, Targets
from gaussbayes.model.calibration import score_of_classes, sum_and_error
from gaussbayes.model.em import EXACT, ROUGH
from gaussbayes.model.evaluation import evaluate
from gaussbayes.model.left_out import (
    HeldOutRows,
    Outcome,
    affordable_rows,
    calibrated_loss,
    closed_forms,
    completed,
    held_out_rows,
    hold_out,
    sampled,
    with_company,
)
from gaussbayes.model.model import solve
from gaussbayes.model.settings import Settings
from gaussbayes.model.solution import Solution, log_evidence
from gaussbayes.model.statistics import KeptRows, Learnt

Criterion: TypeAlias = Literal["leave_one_out", "bic"]

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
"""Proportion of a criterion by which equal models may differ in rounding."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Settings that were tried, and how they did; NaN where that was not looked at."""

    settings: Settings
    log_loss: float  # mean of −log p(true class | x) over the rows held out, by their weights
    error: float  # proportion of wrong predictions among them, each counted once
    brier: float  # mean of Σ_c (p(c | x) − [c is true])², likewise
    bic: float
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
        scores = {"log loss": self.log_loss, "error": self.error, "BIC": self.bic}
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
    criterion: Criterion  #: what was chosen by
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
        names = ("criterion", "n_held_out", "log_loss", "error", "baseline_log_loss")
        scores = {name: plain(getattr(self, name)) for name in names}
        candidates = [candidate.to_dict() for candidate in self.ranked]
        return {"title": self.title} | scores | {"candidates": candidates}

    @property
    def ranked(self) -> list[Candidate]:
        """The candidates by what was chosen by, the chosen one first, those not judged last."""
        return self._ranked(self.candidates)

    def _ranked(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        value = attrgetter("bic" if self.criterion == "bic" else "log_loss")
        chosen = self._by_labelled_rows
        if candidates is self.weights:
            weight = self.best.unlabelled_weight
            chosen = next(each for each in candidates if each.unlabelled_weight == weight)

        def place(candidate: Candidate) -> tuple[bool, bool, float, int]:
            unknown = candidate.refused is not None or isnan(value(candidate))
            known = 0.0 if unknown else value(candidate)
            return candidate is not chosen, unknown, known, candidate.n_parameters

        return sorted(candidates, key=place)

    @property
    def _by_labelled_rows(self) -> Candidate:
        """The candidate that is the best but for the weight of unlabelled rows."""
        parts = self.best.settings.components
        return next(each for each in self.candidates if each.settings.components is parts)

    def tables(self, most: int | None = MOST_ROWS) -> Sequence[Block]:
        """The candidates, best first; those that cannot be judged last, and why under the table."""
        left_out = self.criterion == "leave_one_out"
        # What is integrated out takes longer to name, and the BIC of others does not compare.
        predictive = {each.settings.first("estimation") for each in self.candidates}

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
            known |= figures(each) if left_out else {}
            if not left_out or "predictive" not in predictive:
                known["BIC"] = "–" if isnan(each.bic) else f"{each.bic:,.1f}"
            return known

        how = "each row predicted by the model of the others" if left_out else "BIC"
        ranked = self.ranked
        rows = [list(cells(each).values()) for each in ranked[:most]]
        rows[0] = list(map(Styled, rows[0]))  # the best
        reasons = [each.refused for each in self.candidates if each.refused is not None]
        notes = []
        if reasons:
            many = counted(len(reasons), "candidate")
            notes = [f"{many} cannot be judged, the first because: {reasons[0]}"]
        if left_out and any(each.log_loss < ranked[0].log_loss * (1 - _TIE) for each in ranked):
            notes.append(
                "the first is best of the best few, by more rows or once they are calibrated"
            )
        title = f"candidates, best first: {how}"
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
    table: LabelledRows | None,
    views: Sequence[LearntView],
    schema: Schema,
    criterion: Criterion,
    n_jobs: int | None = None,
    *,
    calibrated: bool = False,
    possible: Sequence[float] = UNLABELLED_WEIGHTS,
) -> tuple[Selection, Trial]:
    """Judge every candidate of the families, and find the best, and how it did.

    `table`, which may be None to choose by BIC, are the rows that were learnt from. If the model is
    to be `calibrated`, the best of the first few is that which is best when it is calibrated.
    Unlabelled rows have one of the `possible` weights.

    Notes
    -----
    Of equal candidates the one with fewest parameters wins. The only row of a class is called
    impossible by every model without it, so that it tells none from another, and is not counted.
    Where values are missing some have no closed form: they are judged by a few folds. Where others
    have one, those that have none, full covariances between own and pooled ones of rows with
    many different weights, are left to those who ask for them.
    """
    trials = try_all(table, views, schema, criterion, n_jobs)
    candidates = [trial.candidate for trial in trials]
    best = best_trial(trials, criterion)
    if calibrated and table is not None and criterion == "leave_one_out":
        best = best_calibrated(trials)
    chosen = next(trial for trial in trials if trial.candidate is best)
    n_held_out: int | None = None
    weights: list[Candidate] = []
    if table is not None and criterion == "leave_one_out":
        if chosen.view.learnt.unlabelled is not None:
            weights, chosen = unlabelled_weights(table, chosen, schema, possible, n_jobs)
        n_held_out = None if chosen.data is None else chosen.data.codes.size
    alone = 0 if table is None else lone_rows(table.targets)
    judged = tuple(candidates), chosen.candidate, criterion, n_held_out, alone
    return Selection(*judged, tuple(weights)), chosen


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
    best = best_of([candidate for candidate, _ in clear], "leave_one_out").best
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


def best_trial(trials: Sequence[Trial], criterion: Criterion) -> Candidate:
    """The best candidate of those that were not left behind in the first round."""
    last = [trial.candidate for trial in trials if trial.log_posterior is not None]
    return best_of(last or [trial.candidate for trial in trials], criterion).best


def best_calibrated(trials: Sequence[Trial]) -> Candidate:
    """That of the best few candidates whose log loss is least after calibration."""
    judged = [
        trial
        for trial in trials
        if trial.log_posterior is not None and not isnan(trial.candidate.log_loss)
    ]
    if not judged:
        return best_trial(trials, "leave_one_out")
    judged.sort(key=lambda trial: trial.candidate.log_loss)
    losses = []
    for trial in judged[:MOST_CALIBRATED]:
        assert trial.data is not None
        assert trial.log_posterior is not None
        losses.append(calibrated_loss(trial.data, trial.candidate.settings, trial.log_posterior))
    return judged[int(np.argmin(losses))].candidate


def _is_integrated(settings: Settings) -> bool:
    """Whether some family integrates its parameters out."""
    return any(family.is_integrated for family in settings.families)


def _by_labels(view: LearntView) -> Settings:
    """The settings of a view with labelled rows alone, which judge first."""
    if view.learnt.unlabelled is None:
        return view.settings
    return replace(view.settings, unlabelled_weight=0.0)


def _is_long(settings: Settings, view: LearntView) -> bool:
    """Whether estimates take long, so that settings are left to those who ask for them."""
    pairs = zip(settings.families, view.learnt.parts, strict=True)
    return any(family.is_long(part) for family, part in pairs)


def _with_rows(paths: Sequence[list[Settings]], data: HeldOutRows) -> list[list[Settings]]:
    """The paths for whose estimates there are rows enough; those that estimate nothing are."""

    def enough(settings: Settings) -> bool:
        pairs = zip(settings.families, settings.names(data.schema), strict=True)
        return all(data.codes.size >= family.fewest_rows(names) for family, names in pairs)

    return [path for path in paths if _is_integrated(path[0]) or enough(path[0])]


def try_all(
    table: LabelledRows | None,
    views: Sequence[LearntView],
    schema: Schema,
    criterion: Criterion,
    n_jobs: int | None = None,
) -> list[Trial]:
    """All candidates of several views, judged by labelled rows.

    If that takes long, by few rows first, and the best few of them by more. Those whose estimates
    take long are tried only if others, which do not, cannot be judged.
    """
    if criterion == "bic":
        pairs = [
            (view, settings)
            for view in views
            for path in _paths(view.settings, criterion)
            for settings in path
        ]
        return [Trial(_fitted(view.learnt, some, schema, n_jobs), view) for view, some in pairs]
    if table is None:
        raise no_rows()
    paths = [list(_paths(_by_labels(view), criterion)) for view in views]
    pairs_of_views = zip(views, paths, strict=True)
    quick = [
        [path for path in some if not _is_long(path[0], view)] for view, some in pairs_of_views
    ]
    if quick != paths and any(quick):
        trials = _try_paths(table, views, quick, schema, n_jobs)
        if any(trial.candidate.refused is None for trial in trials):
            return trials
    return _try_paths(table, views, paths, schema, n_jobs)


def _try_paths(
    table: LabelledRows,
    views: Sequence[LearntView],
    of_views: Sequence[list[list[Settings]]],
    schema: Schema,
    n_jobs: int | None,
) -> list[Trial]:
    """The candidates of the paths of each view, judged by labelled rows."""
    rounds: list[_Round] = []
    estimates_alone = not any(_is_integrated(path[0]) for paths in of_views for path in paths)
    for view, candidates in zip(views, of_views, strict=True):
        data = held_out_rows(table, replace(view.learnt, unlabelled=None), schema)
        paths = candidates if estimates_alone else _with_rows(candidates, data)
        integrated = [path[0] for path in paths if _is_integrated(path[0])]
        with suppress(SingularCovarianceError):  # without completions there is no closed form
            data = completed(data, integrated[0], n_jobs) if integrated else data
        quick = [path for path in paths if closed_forms(data, [s.given_units() for s in path])]
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


def is_open(settings: Settings) -> bool:
    """Whether a family has more than one candidate."""
    return any(len(list(family.candidates())) > 1 for family in settings.families)


def bic(solution: Solution, learnt: Learnt, settings: Settings, schema: Schema) -> float:
    """``−2 log L + p log N``, for p free parameters and rows of weight N in all.

    ``log L`` is the log-likelihood of what was observed: labelled rows with their classes, and
    unlabelled ones by their evidence. Shrinkage lowers it and is not counted as fewer parameters:
    where a covariance can be inverted without, BIC never asks for any.
    """
    weight = learnt.weight
    possible = solution.prior > 0
    log_likelihood = float(weight[possible] @ solution.log_prior[possible])
    n_parameters = weight.size - 1
    columns = zip(settings.families, solution.densities, learnt.parts, strict=True)
    for family, density, part in columns:
        of_family, charged = family.log_evidence(density, part)
        log_likelihood += of_family
        n_parameters += charged
    total = float(weight.sum())
    if learnt.unlabelled is not None and settings.unlabelled_weight > 0:
        kept: KeptRows = learnt.unlabelled.kept("BIC")
        evidence = log_evidence(solution, settings.parts(kept.rows, schema)).astype(np.float64)
        log_likelihood += settings.unlabelled_weight * float(kept.weights @ evidence)
        total += settings.unlabelled_weight * float(kept.weights.sum())
    return n_parameters * float(np.log(total)) - 2.0 * log_likelihood


def no_rows() -> DataError:
    """What is raised where rows would have to be held out, but are not in memory."""
    return DataError(
        "held-out rows need all rows and their classes in memory; fit to arrays or a frame"
    )


def _paths(settings: Settings, criterion: Criterion) -> Iterator[list[Settings]]:
    """Settings of candidates, in groups that differ only in what regularises.

    Families that have a choice are chosen alike.
    """
    choices = [list(family.candidates()) for family in settings.families]
    if len({len(choice) for choice in choices} - {1}) > 1:
        msg = "families that leave something open must leave the same: they are chosen alike"
        raise OptionError(msg)
    candidates = [
        [choice[number if len(choice) > 1 else 0] for choice in choices]
        for number in range(max(map(len, choices)))
    ]
    if criterion == "bic":  # where free parameters can be counted, unless they can in none
        counted = [some for some in candidates if all(family.is_counted for family in some)]
        candidates = counted or candidates
        # The evidence of parameters that are integrated out does not compare with their likelihood.
        integrated = [some for some in candidates if any(family.is_integrated for family in some)]
        candidates = integrated or candidates
    path: list[Settings] = []
    for families in candidates:
        candidate = settings.with_families(families)
        if path:
            pairs = zip(path[-1].families, families, strict=True)
            if not all(before.on_path_with(family) for before, family in pairs):
                yield path
                path = []
        path.append(candidate)
    yield path


def _fitted(
    learnt: Learnt,
    settings: Settings,
    schema: Schema,
    n_jobs: int | None,
    *,
    by_rows: bool = False,
) -> Candidate:
    """A candidate before any row is held out, or if `by_rows` is false without that."""
    schema = replace(schema, classes=learnt.classes)
    # Of a class that weighs less than a row there may be no density.
    if by_rows and _is_integrated(settings) and learnt.weight.min() >= 1:
        return Candidate(settings, nan, nan, nan, nan, _n_parameters(settings, schema))
    try:
        solution = solve(learnt, settings, schema, n_jobs)
    except GaussBayesError as error:
        n_parameters = _n_parameters(settings, schema)
        return Candidate(settings, nan, nan, nan, nan, n_parameters, str(error))
    value = nan
    with suppress(OptionError):  # a density without sufficient statistics has none
        value = bic(solution, learnt, settings, schema)
    return Candidate(settings, nan, nan, nan, value, solution.n_parameters)


def _n_parameters(settings: Settings, schema: Schema) -> int:
    """How many parameters the settings have, as far as is known."""
    k, parts = schema.classes.shape[0], settings.components
    sizes = (part.family.n_parameters(k, len(part.columns)) or 0 for part in parts)
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
    fitted = [
        _fitted(data.learnt, settings, data.schema, n_jobs, by_rows=True) for settings in path
    ]
    judged: list[tuple[Candidate, FloatArray | None]] = [(candidate, None) for candidate in fitted]
    possible = [number for number, candidate in enumerate(fitted) if candidate.refused is None]
    if possible:
        settings = [path[number].given_units() for number in possible]
        outcomes, _ = hold_out(
            data,
            settings,
            n_jobs,
            SELECTION_FOLDS,
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


def best_of(candidates: Sequence[Candidate], criterion: Criterion) -> Selection:
    """The candidates, and the best of those that can be judged.

    If there are too few rows for any judgement, it is the last: that which assumes most.
    """
    value = attrgetter("bic" if criterion == "bic" else "log_loss")
    judged = [some for some in candidates if some.refused is None and not isnan(value(some))]
    fitted = [some for some in candidates if some.refused is None]
    if not judged and fitted and criterion == "leave_one_out":
        return Selection(tuple(candidates), fitted[-1], criterion)
    if not judged:
        reasons = "; ".join(dict.fromkeys(str(candidate.refused) for candidate in candidates))
        msg = f"none of {len(candidates)} candidates can be judged: {reasons:.1000}"
        raise DataError(msg)
    least = min(map(value, judged))
    most = least + _TIE * abs(least) if isfinite(least) else least
    good = (candidate for candidate in judged if value(candidate) <= most)
    best = min(good, key=lambda candidate: candidate.n_parameters)
    return Selection(tuple(candidates), best, criterion)
