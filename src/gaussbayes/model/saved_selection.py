"""How a model was selected, as a file keeps it: scores on held-out rows, without the settings."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Annotated, Self, TypeAlias

from msgspec import Meta

from gaussbayes.base.numerals import fixed, percent
from gaussbayes.base.result import Result
from gaussbayes.base.text_tables import Block, TextTable

_Score: TypeAlias = Annotated[float, Meta(ge=0)]


@dataclass(frozen=True, slots=True)
class SavedCandidate:
    """A candidate, and its scores on held-out rows before calibration."""

    title: str  #: covariances, pooling, transform, shrinkage
    n_parameters: int
    log_loss: _Score | None  #: nats per row; None if it was not computed
    error: _Score | None  #: proportion of wrong predictions
    brier: _Score | None  #: Brier score
    shrinkage: float | str | None  #: of the covariances
    transform: str | None  #: of the features
    refused: str | None  #: why it has no scores


@dataclass(frozen=True, slots=True)
class SavedSelection(Result):
    """The candidates that were compared on held-out rows, the selected one first.

    Examples
    --------
    >>> best = SavedCandidate("full covariance", 9, 0.25, 0.1, 0.15, None, None, None)
    >>> print(SavedSelection("full covariance", 40, 0.24, 0.1, 0.69, (best,)))
    Selected: full covariance; held-out log loss 0.2400 (class frequencies: 0.6900),
    error 10.00 %
    <BLANKLINE>
    candidates, best first: scores on held-out rows before calibration
    model            parameters    error  log loss   Brier
    ──────────────────────────────────────────────────────
    full covariance           9  10.00 %    0.2500  0.1500
    """

    title: str  #: the selected model in a few words
    n_held_out: Annotated[int, Meta(ge=0)] | None  #: held-out rows
    log_loss: _Score  #: of the selected model after calibration
    error: _Score  #: of the selected model
    baseline_log_loss: _Score  #: log loss of the class frequencies, which use no features
    candidates: Annotated[tuple[SavedCandidate, ...], Meta(min_length=1)]

    @property
    def best(self) -> SavedCandidate:
        """The selected candidate."""
        return self.candidates[0]

    @property
    def saved(self) -> Self:
        """This record; see `gaussbayes.model.select.Selection`."""
        return self

    @property
    def ranked(self) -> list[SavedCandidate]:
        """The candidates, the selected one first."""
        return list(self.candidates)

    def tables(self) -> Sequence[Block]:
        """Return a sentence with the scores of the selected model, and the candidates."""
        sentence = (
            f"Selected: {self.title}; held-out log loss {self.log_loss:.4f} "
            f"(class frequencies: {self.baseline_log_loss:.4f}), error {100 * self.error:.2f} %"
        )
        rows = (
            (
                each.title,
                str(each.n_parameters),
                _percentage(each.error),
                _decimals(each.log_loss),
                _decimals(each.brier),
            )
            for each in self.candidates
        )
        columns = ("model", "parameters", "error", "log loss", "Brier")
        title = "candidates, best first: scores on held-out rows before calibration"
        return [sentence, TextTable.first(columns, rows, len(self.candidates), title=title)]


def _decimals(score: float | None) -> str:
    return fixed(nan if score is None else score, 4)


def _percentage(score: float | None) -> str:
    return percent(nan if score is None else score, 2)
