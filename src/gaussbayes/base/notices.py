"""Notices about a fit, with remedies: records that each interface renders.

Python writes a remedy as arguments, the command line as flags and the report as a sentence.
Sentences never name options, so they need no rewriting for another interface.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gaussbayes.base.errors import with_advice

Value: TypeAlias = bool | int | float | str | list[str] | dict[str, list[str]] | None
"""The value of an option in a remedy: a number, a word, names of columns, or marks by column."""

Arguments: TypeAlias = tuple[tuple[str, Value], ...]
"""Arguments with their Python names, in the order in which they are shown."""

NoticeKind: TypeAlias = Literal[
    "dropped columns",
    "suspicious columns",
    "renamed columns",
    "infinite values",
    "possible missing value",
    "encoding",
    "removed class",
    "skipped rows",
    "unlabelled rows",
    "empty classes",
    "not converged",
    "fewer bins",
    "no pairs",
    "no information",
]
"""The topic of a notice; programs and tests select notices by it."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """A change under which the failed step succeeds; it was tried, or follows from the problem.

    Each argument belongs to the estimator, to `Columns` or to `read`; the names do not overlap.
    A remedy without arguments is the automatic model.

    Examples
    --------
    >>> print(Remedy("share one covariance among the classes", (("shared", True),)))
    share one covariance among the classes (shared=True)
    >>> print(Remedy("exclude the column", columns=(("exclude", ["id"]),)))
    exclude the column (columns=Columns(exclude=['id']))
    >>> print(Remedy("skip such rows", read=(("bad_rows", "skip"),)))
    skip such rows (read(…, bad_rows='skip'))
    >>> print(AUTOMATIC_MODEL)
    select the model automatically (AutoClassifier())
    """

    effect: str  #: what the change does
    options: Arguments = ()  #: arguments of the estimator
    columns: Arguments = ()  #: arguments of `Columns`
    read: Arguments = ()  #: arguments of `read`

    def __hash__(self) -> int:
        """Hash of the printed form, because lists of columns have no hash."""
        return hash(str(self))

    def __str__(self) -> str:
        """The effect, followed by the Python arguments in brackets."""
        return f"{self.effect} ({', '.join(self._written()) or 'AutoClassifier()'})"

    @property
    def arguments(self) -> Arguments:
        """All arguments, of the estimator, `Columns` and `read`."""
        return (*self.options, *self.columns, *self.read)

    def to_dict(self) -> dict[str, object]:
        """What JSON can hold."""
        groups = {"options": self.options, "columns": self.columns, "read": self.read}
        return {"effect": self.effect} | {name: dict(given) for name, given in groups.items()}

    def _written(self) -> Iterator[str]:
        yield from _assignments(self.options)
        if self.columns:
            yield f"columns=Columns({', '.join(_assignments(self.columns))})"
        if self.read:
            yield f"read(…, {', '.join(_assignments(self.read))})"


AUTOMATIC_MODEL = Remedy("select the model automatically")


@dataclass(frozen=True, slots=True)
class Notice:
    """Information about a fitted model, with remedies.

    Examples
    --------
    >>> remedy = Remedy("keep identifiers", columns=(("keep_identifiers", True),))
    >>> print(Notice("dropped columns", "id was dropped", (remedy,)))
    id was dropped. Remedies: keep identifiers (columns=Columns(keep_identifiers=True))
    """

    kind: NoticeKind  #: such as "dropped columns"
    message: str  #: one sentence
    remedies: tuple[Remedy, ...] = ()  #: options that change it

    def __str__(self) -> str:
        """The message, and the remedies as Python arguments."""
        return with_advice(self.message, self.remedies)

    def to_dict(self) -> dict[str, object]:
        """What JSON can hold."""
        remedies = [remedy.to_dict() for remedy in self.remedies]
        return {"kind": self.kind, "message": self.message, "remedies": remedies}


def _assignments(arguments: Arguments) -> Iterator[str]:
    return (f"{name}={value!r}" for name, value in arguments)
