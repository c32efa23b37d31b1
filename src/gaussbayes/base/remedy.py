"""What can be done about an error: options that were tried and work."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Remedy:
    """Options of the classifier with which something succeeds that has failed: they were tried.

    Without options it is the automatic choice.

    >>> str(Remedy("share one covariance among the classes", (("shared", True),)))
    'share one covariance among the classes (shared=True)'
    >>> str(AUTOMATIC_CHOICE)
    'have the model chosen automatically (AutoClassifier())'
    """

    effect: str
    options: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        """What it does, and in brackets how it is written in Python."""
        options = ", ".join(f"{name}={value!r}" for name, value in self.options)
        return f"{self.effect} ({options or 'AutoClassifier()'})"


AUTOMATIC_CHOICE = Remedy("have the model chosen automatically")
