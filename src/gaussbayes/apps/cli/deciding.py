"""Decisions of ``predict``: by costs, and with rows that are left open."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gaussbayes.apps.cli import cost_table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gaussbayes.base.types import FloatArray, RealArray
    from gaussbayes.model.model import Model

Function = TypeVar("Function", bound=Callable[..., Any])

REASON = "reason"
"""The column that says why a row is left open."""

_OPTIONS = (
    click.option(
        "--costs",
        metavar="A:B=COST,...|FILE",
        help="Decide for the class of least expected cost: the cost of deciding B where A is "
        "true, for each pair, or a CSV file with a line for each true class.",
    ),
    click.option(
        "--reject-below",
        type=click.FloatRange(0, 1),
        metavar="P",
        help="Leave open rows whose most probable class is less probable than this.",
    ),
    click.option(
        "--reject-cost",
        type=float,
        metavar="COST",
        help="Leave open rows of which even the best decision is expected to cost more.",
    ),
    click.option(
        "--novelty",
        type=click.FloatRange(0, 1),
        metavar="P",
        help="Leave open rows that are like no class: fewer than this share of the rows of every "
        "class lie so far out.",
    ),
)


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """How classes are decided for."""

    costs: "FloatArray | None"  # (k, k)
    reject_below: float | None
    reject_cost: float | None
    novelty: float | None

    def columns(
        self, log_posterior: "RealArray", unlike: "NDArray[np.bool_] | None", classes: Any
    ) -> list[Any]:
        """The class decided for and the reason why there is none, as Arrow arrays (n,).

        Parameters
        ----------
        log_posterior : (n, k)
        unlike : (n,) which rows are like no class; None if that is not asked
        classes : (k,) the labels as an Arrow array
        """
        import pyarrow as pa

        from gaussbayes.analysis.decision import decide

        found = decide(
            log_posterior,
            self.costs,
            reject_below=self.reject_below,
            reject_cost=self.reject_cost,
            novel=unlike,
        )
        refused = found.refused
        label = classes.take(pa.array(found.best, mask=refused))
        return [label, pa.array(found.reason, pa.string(), mask=~refused)]


def decision_options(function: Function) -> Function:
    """``--costs``, ``--reject-below``, ``--reject-cost`` and ``--novelty``."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def rule_of(
    stored: "Model",
    costs: str | None,
    reject_below: float | None,
    reject_cost: float | None,
    novelty: float | None,
) -> Rule | None:
    """The rule that the options ask for; None is the most probable class of every row."""
    if costs is None and reject_below is None and reject_cost is None and novelty is None:
        return None
    matrix = None if costs is None else cost_table.costs_of(costs, stored)
    return Rule(matrix, reject_below, reject_cost, novelty)
