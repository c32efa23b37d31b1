"""From posteriors to decisions: by how much a class wins, what a decision costs, what is left open.

Without costs the most probable class is decided, which makes the expected number of errors as small
as it can be. With costs the class of least expected cost is, and a row may be refused: as
ambiguous, where even the best decision is too uncertain or too dear, or as novel, where it is like
none of the classes (see `gaussbayes.analysis.novelty`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gaussbayes.analysis import novelty
from gaussbayes.base.checks import as_numbers, finite_number, probability
from gaussbayes.base.errors import OptionError
from gaussbayes.base.numerals import five_digits, shortened
from gaussbayes.base.schema import Schema
from gaussbayes.base.text_tables import Block, Displayed, TextTable
from gaussbayes.base.types import FloatArray, LabelArray, RealArray
from gaussbayes.data.rows import Rows
from gaussbayes.model.evaluation import least_cost
from gaussbayes.model.model import Model

Costs: TypeAlias = ArrayLike | Mapping[tuple[object, object], float]
"""A matrix ``cost[true, decided]``, or ``{(true label, decided label): cost}``."""


def check_costs(costs: Costs, schema: Schema) -> FloatArray:
    """Costs as a matrix (k, k): true class by row, decided class by column.

    Of a mapping from (true label, decided label) to the cost, being right costs 0 unless something
    else is said. What is gained is a negative cost.

    Examples
    --------
    >>> schema = Schema(np.array(["ill", "well"]), 1)
    >>> check_costs({("ill", "well"): 50, ("well", "ill"): 1}, schema).tolist()
    [[0.0, 50.0], [1.0, 0.0]]
    """
    k = schema.classes.shape[0]
    if isinstance(costs, Mapping):
        matrix = _from_mapping(costs, schema)
    else:
        matrix = as_numbers("costs", costs)
        if matrix.shape != (k, k):
            msg = (
                f"the costs of {k} classes must have shape {(k, k)}, true class by row and decided "
                f"class by column, got {matrix.shape}"
            )
            raise OptionError(msg)
    if not np.isfinite(matrix).all():
        true, decided = np.argwhere(~np.isfinite(matrix))[0].tolist()
        what = f"deciding {schema.class_name(decided)} where {schema.class_name(true)} is true"
        msg = (
            f"{what} costs {matrix[true, decided]}; costs must be finite: use a large number for "
            "what must not happen"
        )
        raise OptionError(msg)
    return matrix


def expected_costs(posterior: RealArray, costs: FloatArray) -> FloatArray:
    """``Σ_t p(t | x) cost[t, c]``: what deciding for each class costs on average (n, k)."""
    expected: FloatArray = posterior @ costs
    return expected


def margins(log_posterior: RealArray) -> RealArray:
    """By how much each class beats the best other one (n, k).

    ``log p(c | x) − max_{b ≠ c} log p(b | x)``: positive where c is the most probable class, 0 on
    the boundary of its region.
    """
    best = np.full(log_posterior.shape[0], -np.inf, dtype=log_posterior.dtype)
    second = best.copy()
    for column in log_posterior.T:  # far quicker than sorting each row
        np.maximum(second, np.minimum(best, column), out=second)
        np.maximum(best, column, out=best)
    # Of several equally good classes each has a rival as good as itself: best = second.
    rival = np.where(log_posterior == best[:, None], second[:, None], best[:, None])
    result: RealArray = log_posterior - rival
    return result


def rejected(posterior: RealArray, threshold: float) -> NDArray[np.bool_]:
    """The rows (n,) whose most probable class is less probable than the threshold."""
    least = probability("the posterior below which a row is rejected", threshold)
    return np.asarray(posterior.max(axis=1) < least)


@dataclass(frozen=True, slots=True, eq=False)
class Decisions(Displayed):
    """A class for each row, or why there is none.

    `best`, `posterior` and `expected_cost` are there for refused rows too: what would have been
    decided, and how good that would have been.
    """

    best: NDArray[np.intp]  #: (n,) the class of least expected cost
    posterior: RealArray  #: (n,) p(best | x)
    expected_cost: FloatArray  #: (n,) of deciding for it; 1 − p(best | x) without costs
    ambiguous: NDArray[np.bool_]  #: (n,) too uncertain or too dear
    novel: NDArray[np.bool_]  #: (n,) like no class
    classes: LabelArray  #: (k,) what the classes are called

    def tables(self) -> Sequence[Block]:
        """The first rows, and how many are decided for each class or left open."""
        n, outcomes = self.best.size, [*map(str, self.classes.tolist()), "ambiguous", "novel"]
        novel, k = self.novel, self.classes.size
        place = np.where(novel, k + 1, np.where(self.ambiguous, k, self.best))
        counts = np.bincount(place, minlength=k + 2).tolist()
        summary = [
            (shortened(name, 40), f"{count:,}")
            for name, count in zip(outcomes, counts, strict=True)
            if count
        ]
        lines = (
            (
                f"{row:,}",
                shortened(outcomes[place[row]], 24),
                shortened(outcomes[self.best[row]], 24),
                five_digits(float(self.posterior[row])),
                five_digits(float(self.expected_cost[row])),
            )
            for row in range(n)
        )
        columns = ("row", "decision", "best\nclass", "its\nposterior", "expected\ncost")
        return [
            TextTable.first(("decision", "rows"), summary, len(summary)),
            TextTable.first(columns, lines, n, sides="rllr"),
        ]

    @property
    def labels(self) -> LabelArray:
        """The class decided (n,), None where the row is refused."""
        labels: LabelArray = self.classes[self.best].astype(object)
        labels[self.refused] = None
        return labels

    @property
    def refused(self) -> NDArray[np.bool_]:
        """The rows (n,) that are left open, for either reason."""
        return self.ambiguous | self.novel

    @property
    def codes(self) -> NDArray[np.intp]:
        """The code of the class decided (n,), −1 where the row is refused."""
        return np.where(self.refused, -1, self.best)

    @property
    def reason(self) -> NDArray[np.str_]:
        """Why each row is refused (n,): ``"novel"``, ``"ambiguous"``, or ``""`` if it is not.

        A novel row is called that even if it is ambiguous as well: the posterior of a row that is
        like no class says nothing.
        """
        return np.select([self.novel, self.ambiguous], ["novel", "ambiguous"], "")


def decide(
    model: Model,
    rows: Rows,
    *,
    costs: Costs | None = None,
    novelty_level: float | None = None,
    n_jobs: int | None = 1,
    **reject: float | None,
) -> Decisions:
    """The class of least expected cost for each row, or why the row is better left open.

    Refused as novel are rows of which in every class fewer than the proportion `novelty_level` lie
    so far out; `reject` are `reject_below` and `reject_cost` of `decide_by_posteriors`.
    """
    novel = None
    if novelty_level is not None:
        p_values = novelty.class_p_values(model, rows, n_jobs)
        novel = novelty.novel(p_values, novelty_level, model.prior)
    matrix = None if costs is None else check_costs(costs, model.schema)
    log_posterior, classes = model.log_posterior(rows, n_jobs), model.schema.classes
    return decide_by_posteriors(log_posterior, matrix, novel=novel, classes=classes, **reject)


def decide_by_posteriors(
    log_posterior: RealArray,
    costs: FloatArray | None = None,
    *,
    reject_below: float | None = None,
    reject_cost: float | None = None,
    novel: NDArray[np.bool_] | None = None,
    classes: LabelArray | None = None,
) -> Decisions:
    """The class of least expected cost for each row (n, k); of several equally good ones the first.

    Costs (k, k) are as `check_costs` returns them; None is 1 for every error. Refused are rows
    whose most probable class, decided or not, is less probable than `reject_below`, of which even
    the best decision is expected to cost more than `reject_cost`, or that are `novel` (n,).

    Examples
    --------
    A disease that costs 50 when it is overlooked is treated from a probability of 1 in 51 on:

    >>> log_posterior = np.log([[0.01, 0.99], [0.1, 0.9], [0.5, 0.5]])
    >>> decide_by_posteriors(log_posterior, np.array([[0.0, 50.0], [1.0, 0.0]])).codes.tolist()
    [1, 0, 0]
    >>> decide_by_posteriors(log_posterior, reject_below=0.8).reason.tolist()
    ['', '', 'ambiguous']
    """
    n = log_posterior.shape[0]
    posterior = np.exp(log_posterior)
    rows = np.arange(n)
    if costs is None:
        best = log_posterior.argmax(axis=1)
        expected = -np.expm1(log_posterior[rows, best].astype(np.float64))
    else:
        best = least_cost(posterior, costs)
        expected = expected_costs(posterior, costs)[rows, best]
    ambiguous = np.zeros(n, dtype=np.bool_)
    if reject_below is not None:
        ambiguous |= rejected(posterior, reject_below)
    if reject_cost is not None:
        least = 0.0 if costs is None else float(costs.min())
        most = finite_number("reject_cost", reject_cost)
        if most < least:
            msg = (
                f"reject_cost is {most:g}, but no decision costs less than {least:g}: every row "
                "would be refused"
            )
            raise OptionError(msg)
        ambiguous |= expected > most
    if novel is not None and novel.shape != (n,):
        msg = f"novel must be a boolean array of shape ({n},), got shape {novel.shape}"
        raise OptionError(msg)
    unlike = np.zeros(n, dtype=np.bool_) if novel is None else novel.astype(np.bool_)
    names = np.arange(log_posterior.shape[1]) if classes is None else classes
    return Decisions(best, posterior[rows, best], expected, ambiguous, unlike, names)


def _from_mapping(costs: Mapping[tuple[object, object], float], schema: Schema) -> FloatArray:
    labels = schema.classes.tolist()
    position = {label: code for code, label in enumerate(labels)}
    keys: list[Any] = list(costs)
    for key in keys:
        if not isinstance(key, tuple) or len(key) != 2:
            msg = f"costs are given for pairs (true label, decided label), got {key!r:.200}"
            raise OptionError(msg)
    unknown = dict.fromkeys(label for key in keys for label in key if label not in position)
    if unknown:
        msg = f"costs of unknown classes: {_some(unknown)}; the classes are {_some(labels)}"
        raise OptionError(msg)
    k = len(labels)
    matrix = np.zeros((k, k))
    given = np.eye(k, dtype=np.bool_)
    values = as_numbers("costs", list(costs.values()))
    for (true, decided), value in zip(keys, values, strict=True):
        place = position[true], position[decided]
        matrix[place], given[place] = value, True
    if not given.all():
        pairs = [(labels[true], labels[decided]) for true, decided in np.argwhere(~given)]
        msg = f"costs must name each pair of different classes; missing: {_some(pairs)}"
        raise OptionError(msg)
    return matrix


def _some(items: Iterable[object], most: int = 8) -> str:
    names = [repr(item) for item in items]
    return ", ".join(names if len(names) <= most else [*names[:most], "…"])
