"""What each feature adds to the log-odds of two classes, as records."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

Value: TypeAlias = float | str | None
"""A number, or a category: a text, a whole number or a truth value; see `Contribution`."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one feature adds to the log-odds.

    It is infinite if a category never occurred in one of the two classes, without smoothing: that
    rules the class out.
    """

    feature: str
    value: Value  # NaN is a number that is missing, None a category that is
    reference: float | None  # None for categories, which are compared with one that is not known
    amount: float
    unseen: bool = False  # whether the value is a category that was not there in training

    @property
    def missing(self) -> bool:
        """Whether the row has no value of this feature."""
        return self.value is None or (isinstance(self.value, float) and math.isnan(self.value))

    @property
    def silent(self) -> bool:
        """Whether the feature says nothing of the classes: it is missing, or was never seen so."""
        return self.missing or self.unseen


@dataclass(frozen=True, slots=True)
class LogOdds:
    """``log p(of | x) − log p(against | x)``, feature by feature.

    `value` is `at_reference` and the contributions together. Both are infinite if one of the two
    classes has prior 0; the contributions need not be. None of them is NaN.
    """

    of: Any  # a label
    against: Any  # another
    value: float
    at_reference: float
    contributions: tuple[Contribution, ...]  # in the order of the features

    def largest(self, most: int) -> tuple[list[Contribution], list[Contribution]]:
        """The contributions of the features that say something, the largest first, and the rest.

        At most `most` come first, but a rest of one feature is not worth a line of its own.
        """
        there = [one for one in self.contributions if not one.silent]
        there.sort(key=lambda one: -abs(one.amount))
        cut = most if len(there) > most + 1 else len(there)
        return there[:cut], there[cut:]

    def ruled_out(self, one: Contribution) -> Any:
        """The label of the class that a feature rules out, or None.

        Examples
        --------
        >>> wind = Contribution("wind", "strong", None, -math.inf)
        >>> LogOdds("rain", "none", -math.inf, 0.7, (wind,)).ruled_out(wind)
        'rain'
        """
        if not math.isinf(one.amount):
            return None
        return self.of if one.amount < 0 else self.against


def added(contributions: Iterable[Contribution]) -> float:
    """What several features add together, without rounding in between.

    Examples
    --------
    >>> added([Contribution(name, 1.0, 0.0, amount) for name, amount in [("a", 2.0), ("b", -0.5)]])
    1.5
    """
    return math.fsum(one.amount for one in contributions)
