"""From posteriors to decisions: by how much a class wins, what a decision costs, what is left open.

Without costs the most probable class is decided, which makes the expected number of mistakes as
small as it can be. With costs the class of least expected cost is, and a row may be refused: as
ambiguous, where even the best decision is too uncertain or too dear, or as novel, where it is like
none of the classes (`gaussbayes.analysis.novelty` says which rows are).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.costs import expected_costs
from gaussbayes.base.checks import finite_number, probability
from gaussbayes.base.errors import ParameterError
from gaussbayes.base.types import FloatArray, LabelArray, RealArray


def margins(log_posterior: RealArray) -> RealArray:
    """By how much each class beats the best other one (n, k).

    ``log p(c | x) − max_{b ≠ c} log p(b | x)``: positive where c is the most probable class, 0 on
    the boundary of its region.

    Examples
    --------
    >>> margins(np.log([[0.5, 0.3, 0.2]])).round(3).tolist()
    [[0.511, -0.511, -0.916]]
    """
    best = np.full(log_posterior.shape[0], -np.inf, dtype=log_posterior.dtype)
    second = best.copy()
    for own in log_posterior.T:  # far quicker than sorting each row
        np.maximum(second, np.minimum(best, own), out=second)
        np.maximum(best, own, out=best)
    # Of several equally good classes each has a rival as good as itself: best = second.
    rival = np.where(log_posterior == best[:, None], second[:, None], best[:, None])
    result: RealArray = log_posterior - rival
    return result


def rejected(posterior: RealArray, threshold: float) -> NDArray[np.bool_]:
    """The rows (n,) whose most probable class is less probable than the threshold.

    Examples
    --------
    >>> rejected(np.array([[0.5, 0.5], [0.9, 0.1]]), 0.8).tolist()
    [True, False]
    """
    least = probability("the posterior below which a row is rejected", threshold)
    return np.asarray(posterior.max(axis=1) < least)


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """A class for each row, or why there is none.

    `best`, `posterior` and `expected_cost` are there for refused rows too: what would have been
    decided, and how good that would have been.
    """

    best: NDArray[np.intp]  # (n,) the class of least expected cost
    posterior: RealArray  # (n,) p(best | x)
    expected_cost: FloatArray  # (n,) of deciding for it; 1 − p(best | x) without costs
    ambiguous: NDArray[np.bool_]  # (n,) too uncertain or too dear
    novel: NDArray[np.bool_]  # (n,) like no class
    classes: LabelArray  # (k,) what the classes are called

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
        """The number of the class decided (n,), −1 where the row is refused."""
        return np.where(self.refused, -1, self.best)

    @property
    def reason(self) -> NDArray[np.str_]:
        """Why each row is refused (n,): ``"novel"``, ``"ambiguous"``, or ``""`` if it is not.

        A novel row is called that even if it is ambiguous as well: the posterior of a row that is
        like no class says nothing.
        """
        return np.select([self.novel, self.ambiguous], ["novel", "ambiguous"], "")


def decide(
    log_posterior: RealArray,
    costs: FloatArray | None = None,
    *,
    reject_below: float | None = None,
    reject_cost: float | None = None,
    novel: NDArray[np.bool_] | None = None,
    classes: LabelArray | None = None,
) -> Decisions:
    """The class of least expected cost for each row; of several equally good ones the first.

    Parameters
    ----------
    log_posterior : (n, k)
    costs : (k, k) as `check_costs` returns them. None is 1 for every mistake and 0
        for being right, which makes it the most probable class.
    reject_below : refuse rows whose most probable class, decided or not, is less probable than that
    reject_cost : refuse rows of which even the best decision is expected to cost more than that
    novel : (n,) rows to refuse because they are like no class
    classes : (k,) what the classes are called; by their numbers if None

    Examples
    --------
    A disease that costs 50 when it is overlooked is treated from a probability of 1 in 51 on:

    >>> log_posterior = np.log([[0.01, 0.99], [0.1, 0.9], [0.5, 0.5]])
    >>> costs = np.array([[0.0, 50.0], [1.0, 0.0]])  # classes "ill" and "well"
    >>> decide(log_posterior, costs).codes.tolist()
    [1, 0, 0]
    >>> found = decide(log_posterior, reject_below=0.8)
    >>> found.codes.tolist(), found.reason.tolist()
    ([1, 1, -1], ['', '', 'ambiguous'])
    """
    n = log_posterior.shape[0]
    posterior = np.exp(log_posterior)
    rows = np.arange(n)
    if costs is None:
        best = log_posterior.argmax(axis=1)
        expected = -np.expm1(log_posterior[rows, best].astype(np.float64))
    else:
        best = _cheapest(posterior, costs)
        expected = expected_costs(posterior, costs)[rows, best]
    ambiguous = np.zeros(n, dtype=np.bool_)
    if reject_below is not None:
        ambiguous |= rejected(posterior, reject_below)
    if reject_cost is not None:
        least = 0.0 if costs is None else float(costs.min())
        ambiguous |= expected > _acceptable(reject_cost, least)
    if novel is not None and novel.shape != (n,):
        msg = f"novel says of each of {n} rows whether it is, got shape {novel.shape}"
        raise ParameterError(msg)
    unlike = np.zeros(n, dtype=np.bool_) if novel is None else novel.astype(np.bool_)
    names = np.arange(log_posterior.shape[1]) if classes is None else classes
    return Decisions(best, posterior[rows, best], expected, ambiguous, unlike, names)


def _cheapest(posterior: RealArray, costs: FloatArray) -> NDArray[np.intp]:
    """The class of least expected cost (n,).

    What a true class costs in any case takes no part in the choice. Without it the sums have terms
    of one sign only; and those of costs 0 and 1 are minus the posteriors, to the last bit.
    """
    avoidable = costs - costs.max(axis=1, keepdims=True)
    best: NDArray[np.intp] = expected_costs(posterior, avoidable).argmin(axis=1)
    return best


def _acceptable(reject_cost: object, least: float) -> float:
    """The highest expected cost at which a row is decided, if some row can be."""
    most = finite_number("reject_cost", reject_cost)
    if most < least:
        msg = (
            f"reject_cost is {most:g}, but no decision costs less than {least:g}: every row would "
            "be refused"
        )
        raise ParameterError(msg)
    return most
