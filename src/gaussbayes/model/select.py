"""The automatic choice: which structure and which shrinkage, by rows held out or by BIC.

One set of statistics gives all candidates: nothing is read twice. Held-out log loss asks how well a
model predicts the class of a row that it has not seen, and can weigh shrinkage against none. The
Bayesian information criterion asks how well a model explains the rows it was fitted to, less a
charge for each parameter, and needs the statistics alone; candidates whose free parameters cannot
be counted, those between own and pooled covariances, take no part in it.

Unlabelled rows are used with the weight that predicts best, none of it, a tenth or all, which is
chosen last, for the best of the candidates by labelled rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite, isnan, nan
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError, GaussBayesError, ParameterError
from gaussbayes.base.schema import Schema
from gaussbayes.data.rows import LabelledRows
from gaussbayes.model.fit import solve
from gaussbayes.model.left_out import (
    HeldOutRows,
    Outcome,
    has_closed_form,
    held_out_rows,
    hold_out,
)
from gaussbayes.model.settings import Settings
from gaussbayes.model.solution import Solution, log_evidence
from gaussbayes.model.statistics import KeptRows, Learnt

Criterion: TypeAlias = Literal["leave_one_out", "bic"]

UNLABELLED_WEIGHTS = (0.0, 0.1, 1.0)
"""How much an unlabelled row may count beside a labelled one where that is chosen."""

SELECTION_FOLDS = 5
"""Folds for each candidate where there is no closed form for rows left out."""

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
        return _setting(self.settings, "structure")

    @property
    def name(self) -> str:
        """What people call the structure; the families if there are no covariances."""
        if self.structure is None:
            return ", ".join(dict.fromkeys(family.name for family in self.settings.families))
        name: str = self.structure.name
        return name

    @property
    def shrinkage(self) -> Any:
        """The shrinkage of the covariances."""
        return _setting(self.settings, "shrinkage")

    @property
    def unlabelled_weight(self) -> float:
        """How much an unlabelled row counts."""
        return self.settings.unlabelled_weight


@dataclass(frozen=True, slots=True)
class Selection:
    """All candidates, and the best of them."""

    candidates: tuple[Candidate, ...]
    best: Candidate
    criterion: Criterion


def select(
    table: LabelledRows | None,
    learnt: Learnt,
    settings: Settings,
    schema: Schema,
    criterion: Criterion,
    n_jobs: int | None = None,
) -> Selection:
    """Judge every candidate of the families, and find the best.

    Parameters
    ----------
    table : the rows that were learnt from; None to choose by BIC
    learnt : from these rows, enough for every candidate
    settings : families whose `candidates` are tried

    Notes
    -----
    Of equal candidates the one with fewest parameters wins. The only row of a class is called
    impossible by every model without it, so that it tells none from another, and is not counted.
    Where values are missing there is no closed form: candidates are judged by a few folds. Where
    some have one, those that have none, full covariances between own and pooled ones of rows with
    many different weights, are left to those who ask for them.
    """
    if criterion == "leave_one_out" and table is None:
        raise no_rows()
    labelled = replace(learnt, unlabelled=None)
    candidates: list[Candidate] = []
    data = None
    if criterion == "leave_one_out" and table is not None:
        data = held_out_rows(table, labelled, schema)
        if learnt.unlabelled is not None:  # what is judged by labelled rows alone says so
            settings = replace(settings, unlabelled_weight=0.0)
    paths = list(_paths(settings, criterion))
    if data is not None:
        paths = [path for path in paths if has_closed_form(data, path)] or paths
    for path in paths:
        fitted = [_fitted(labelled if data else learnt, one, schema, n_jobs) for one in path]
        candidates += fitted if data is None else _judged(data, path, fitted, n_jobs)
    best = _best(candidates, criterion)
    if data is not None and learnt.unlabelled is not None:
        data = replace(data, learnt=learnt)
        weighted = _weighted(data, best, n_jobs)
        candidates += weighted
        best = _best(weighted, criterion)
    return Selection(tuple(candidates), best, criterion)


def is_open(settings: Settings) -> bool:
    """Whether a family has more than one candidate."""
    return any(len(list(family.candidates())) > 1 for family in settings.families)


def chosen_before(settings: Settings, chosen: Settings) -> Settings:
    """The settings with what was chosen before where they leave something open."""
    families = []
    for family, earlier in zip(settings.families, chosen.families, strict=True):
        candidates = list(family.candidates())
        alike = (one for one in candidates if _choice(one) == _choice(earlier))
        families.append(family if len(candidates) == 1 else next(alike, earlier))
    return replace(
        settings,
        components=settings.with_families(families),
        unlabelled_weight=chosen.unlabelled_weight,
    )


def bic(solution: Solution, learnt: Learnt, settings: Settings, schema: Schema) -> float:
    """``−2 log L + p log N``, for p free parameters and rows of weight N in all.

    ``log L`` is the log-likelihood of what was observed: labelled rows with their classes, and
    unlabelled ones by their evidence. Shrinkage lowers it and is not counted as fewer parameters:
    where a covariance can be inverted without, BIC never asks for any.
    """
    weight = learnt.weight
    possible = solution.prior > 0
    log_likelihood = float(weight[possible] @ solution.log_prior[possible])
    for density, part in zip(solution.densities, learnt.parts, strict=True):
        log_likelihood += density.log_likelihood(part)
    total = float(weight.sum())
    if learnt.unlabelled is not None and settings.unlabelled_weight > 0:
        kept: KeptRows = learnt.unlabelled.kept("BIC")
        evidence = log_evidence(solution, settings.parts(kept.rows, schema)).astype(np.float64)
        log_likelihood += settings.unlabelled_weight * float(kept.weights @ evidence)
        total += settings.unlabelled_weight * float(kept.weights.sum())
    return solution.n_parameters * float(np.log(total)) - 2.0 * log_likelihood


def no_rows() -> DataError:
    """What is raised where rows would have to be held out, but are not in memory."""
    return DataError(
        "selection='leave_one_out' needs the rows and their classes, all in memory: fit to arrays "
        "or a frame, or choose by selection='bic', for which their statistics do"
    )


def _paths(settings: Settings, criterion: Criterion) -> Iterator[list[Settings]]:
    """Settings of candidates, in groups that differ only in what regularises.

    Families that have a choice are chosen alike.
    """
    choices = [list(family.candidates()) for family in settings.families]
    if len({len(choice) for choice in choices} - {1}) > 1:
        msg = (
            "families that leave something to be chosen must leave the same: they are chosen alike"
        )
        raise ParameterError(msg)
    candidates = [
        [choice[number if len(choice) > 1 else 0] for choice in choices]
        for number in range(max(map(len, choices)))
    ]
    if criterion == "bic":  # where free parameters can be counted, unless they can in none
        counted = [some for some in candidates if not any(map(_uncounted, some))]
        candidates = counted or candidates
    path: list[Settings] = []
    for families in candidates:
        candidate = replace(settings, components=settings.with_families(families))
        if path and not _alike(path[-1], candidate):
            yield path
            path = []
        path.append(candidate)
    if path:
        yield path


def _alike(a: Settings, b: Settings) -> bool:
    """Whether two settings differ in what regularises only."""
    pairs = zip(a.families, b.families, strict=True)
    return all(first.on_path_with(second) for first, second in pairs)


def _uncounted(family: Any) -> bool:
    """Whether nobody can say how many free parameters a family has."""
    return not family.is_counted


def _choice(family: Any) -> tuple[Any, Any]:
    """What is chosen of a family."""
    return getattr(family, "structure", None), getattr(family, "shrinkage", None)


def _setting(settings: Settings, name: str) -> Any:
    values = (getattr(family, name, None) for family in settings.families)
    return next((value for value in values if value is not None), None)


def _fitted(learnt: Learnt, settings: Settings, schema: Schema, n_jobs: int | None) -> Candidate:
    """A candidate before any row is held out."""
    schema = replace(schema, classes=learnt.classes)
    try:
        solution = solve(learnt, settings, schema, n_jobs)
    except GaussBayesError as error:
        return Candidate(settings, nan, nan, nan, nan, _size(settings, schema), str(error))
    value = bic(solution, learnt, settings, schema)
    return Candidate(settings, nan, nan, nan, value, solution.n_parameters)


def _judged(
    data: HeldOutRows, path: Sequence[Settings], fitted: Sequence[Candidate], n_jobs: int | None
) -> list[Candidate]:
    """Candidates of a path with what the rows that were held out say of them."""
    possible = [number for number, candidate in enumerate(fitted) if candidate.refused is None]
    judged = list(fitted)
    if possible:
        settings = [path[number] for number in possible]
        outcomes, _ = hold_out(data, settings, n_jobs, SELECTION_FOLDS)
        for number, outcome in zip(possible, outcomes, strict=True):
            judged[number] = _scored(fitted[number], outcome, data)
    return judged


def _weighted(data: HeldOutRows, best: Candidate, n_jobs: int | None) -> list[Candidate]:
    """The best candidate with each weight of unlabelled rows, judged by the same folds."""
    candidates = []
    for weight in UNLABELLED_WEIGHTS:
        settings = replace(best.settings, unlabelled_weight=weight)
        candidate = _fitted(data.learnt, settings, data.schema, n_jobs)
        if candidate.refused is None:
            outcomes, _ = hold_out(data, [settings], n_jobs, 2 * SELECTION_FOLDS, always=True)
            candidate = _scored(candidate, outcomes[0], data)
        candidates.append(candidate)
    return candidates


def _scored(candidate: Candidate, outcome: Outcome, data: HeldOutRows) -> Candidate:
    if isinstance(outcome, GaussBayesError):
        return replace(candidate, refused=str(outcome))
    rows = _counted(data)
    if not rows.size:
        return replace(candidate, refused="no class has two rows, of which one could be left out")
    codes, log_posterior = data.codes[rows], outcome[rows]
    weights = data.targets.weights
    of_class = log_posterior[np.arange(rows.size), codes]
    loss = -float(np.average(of_class, weights=None if weights is None else weights[rows]))
    posterior = np.exp(log_posterior)
    error = float(np.mean(log_posterior.argmax(axis=1) != codes))
    posterior[np.arange(rows.size), codes] -= 1.0
    return replace(
        candidate, log_loss=loss, error=error, brier=float(np.square(posterior).sum(axis=1).mean())
    )


def _counted(data: HeldOutRows) -> NDArray[np.intp]:
    """The rows that weigh something and are not alone in their class."""
    codes, weights = data.codes, data.targets.weights
    heavy = np.ones(codes.size, dtype=np.bool_) if weights is None else weights > 0
    company = np.bincount(codes[heavy], minlength=data.classes.shape[0]) > 1
    return np.flatnonzero(heavy & company[codes])


def _best(candidates: Sequence[Candidate], criterion: Criterion) -> Candidate:
    def value(candidate: Candidate) -> float:
        return candidate.bic if criterion == "bic" else candidate.log_loss

    judged = [one for one in candidates if one.refused is None and not isnan(value(one))]
    if not judged:
        reasons = "; ".join(dict.fromkeys(str(one.refused) for one in candidates))
        msg = f"none of {len(candidates)} candidates can be judged: {reasons:.1000}"
        raise DataError(msg)
    least = min(map(value, judged))
    most = least + _TIE * abs(least) if isfinite(least) else least
    return min(
        (candidate for candidate in judged if value(candidate) <= most),
        key=lambda candidate: candidate.n_parameters,
    )


def _size(settings: Settings, schema: Schema) -> int:
    """How many free parameters a model that cannot be fitted would have, as far as is known."""
    k = schema.classes.shape[0]
    counts = (
        component.family.n_parameters(k, len(component.columns)) or 0
        for component in settings.components
    )
    return int(k - 1 + sum(counts))
