"""How a model was selected: scores on held-out rows, as they are shown and as a file keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Annotated, TypeAlias

from msgspec import Meta

from gaussbayes.base.numerals import counted, fixed, percent, shortened
from gaussbayes.base.result import Result
from gaussbayes.base.text_tables import MOST_ROWS, Block, Styled, TextTable

_Score: TypeAlias = Annotated[float, Meta(ge=0)]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate, and its scores on held-out rows before calibration."""

    title: str  #: covariances, pooling, transform, shrinkage
    n_parameters: int
    log_loss: _Score | None  #: nats per row; None if it was not computed
    error: _Score | None  #: proportion of wrong predictions
    brier: _Score | None  #: Brier score
    shrinkage: float | str | None  #: of the covariances
    transform: str | None  #: of the features
    unlabelled_weight: _Score  #: how much an unlabelled row counts beside a labelled one
    refused: str | None  #: why it has no scores

    @property
    def short_title(self) -> str:
        """The title in fewer words, beside a column of the shrinkage."""
        title, _, _ = self.title.partition(", shrinkage ")
        return shortened(title.replace(" covariance", "").replace("scaled by ", ""), 46)

    @property
    def cells(self) -> tuple[str, ...]:
        """The error rate, the log loss and the Brier score as they are shown."""
        error, *losses = (
            nan if score is None else score for score in (self.error, self.log_loss, self.brier)
        )
        return (percent(error, 2), *(fixed(loss, 4) for loss in losses))


@dataclass(frozen=True, slots=True)
class Selection(Result):
    """The candidates that were compared on held-out rows, the selected one first.

    Examples
    --------
    >>> best = Candidate("full covariance", 9, 0.25, 0.1, 0.15, None, None, 1.0, None)
    >>> print(Selection("full covariance", 40, 0.24, 0.1, 0.69, (best,)))
    Selected: full covariance; held-out log loss 0.2400 (class frequencies: 0.6900),
    error 10.00 %
    <BLANKLINE>
    candidates, best first: scores on held-out rows before calibration
           shrink-   para-              log   Brier
    model      age  meters    error    loss   score
    ───────────────────────────────────────────────
    full      none       9  10.00 %  0.2500  0.1500
    """

    title: str  #: the selected model in a few words
    n_held_out: Annotated[int, Meta(ge=0)] | None  #: held-out rows
    log_loss: _Score  #: of the selected model after calibration
    error: _Score  #: of the selected model
    baseline_log_loss: _Score  #: log loss of the class frequencies, which use no features
    candidates: Annotated[tuple[Candidate, ...], Meta(min_length=1)]  #: the selected one first
    weights: tuple[Candidate, ...] = ()  #: the selected one by the weight of unlabelled rows

    @property
    def best(self) -> Candidate:
        """The selected candidate."""
        return self.candidates[0]

    def weighed(self, weights: Sequence[Candidate], selected: float) -> Selection:
        """The same with the weights that unlabelled rows may have, of which one was selected."""
        best = replace(self.best, unlabelled_weight=selected)
        return replace(self, candidates=(best, *self.candidates[1:]), weights=tuple(weights))

    def tables(self, most: int | None = MOST_ROWS) -> Sequence[Block]:
        """Return a sentence with the scores of the selected model, and the candidates."""
        sentence = (
            f"Selected: {self.title}; held-out log loss {self.log_loss:.4f} "
            f"(class frequencies: {self.baseline_log_loss:.4f}), error {100 * self.error:.2f} %"
        )
        rows: list[tuple[str, ...]] = [
            (
                each.short_title,
                "none" if each.shrinkage is None else str(each.shrinkage),
                str(each.n_parameters),
                *each.cells,
            )
            for each in self.candidates
        ]
        rows[0] = tuple(map(Styled, rows[0]))
        reasons = [each.refused for each in self.candidates if each.refused is not None]
        notes = []
        if reasons:
            many = counted(len(reasons), "candidate")
            notes = [f"{many} cannot be judged, the first because: {reasons[0]}"]
        scores = ("error", "log\nloss", "Brier\nscore")
        title = "candidates, best first: scores on held-out rows before calibration"
        columns = ("model", "shrink-\nage", "para-\nmeters", *scores)
        blocks: list[Block] = [sentence]
        blocks.append(TextTable.first(columns, rows, len(rows), most, title=title, notes=notes))
        if self.weights:
            lines = [(f"{each.unlabelled_weight:g}", *each.cells) for each in self.weights]
            title = "weight of unlabelled rows: labelled rows predicted in folds"
            blocks.append(TextTable(("weight", *scores), lines, title=title, sides="r"))
        return blocks
