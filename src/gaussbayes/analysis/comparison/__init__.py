"""The six structures and nearest neighbours on the same held-out rows: who errs how often?

With them, if that is wanted, the automatic choice among the structures and shrinkages.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gaussbayes.analysis.comparison.automatic import automatic_choice, chosen
from gaussbayes.analysis.comparison.candidate import Candidate
from gaussbayes.analysis.comparison.held_out import hold_out
from gaussbayes.analysis.comparison.judging import folds, gaussians, nearest_neighbors
from gaussbayes.analysis.comparison.written import plain_text, rich_table
from gaussbayes.base.errors import DataError
from gaussbayes.base.progress import track
from gaussbayes.base.types import LabelArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.families.gaussian.structures import STRUCTURES
from gaussbayes.model.selection import Selection

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["STRUCTURES", "Candidate", "Comparison", "compare"]


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Several models judged by the same held-out rows."""

    candidates: tuple[Candidate, ...]
    classes: LabelArray  # (k,)
    how: str  # one sentence: how rows were held out
    n_rows: int  # predictions that each candidate was judged by
    selection: Selection | None = None  # what is chosen automatically from all rows fitted to

    def records(self) -> list[dict[str, Any]]:
        """A dictionary of plain values for each candidate, as JSON can hold; see `Candidate`."""
        return [candidate.record() for candidate in self.candidates]

    def table(self) -> "Table":
        """The candidates as a table of rich, with the best value of each column in bold."""
        return rich_table(self.candidates, self.how)

    def __rich__(self) -> "Table":
        return self.table()

    def __str__(self) -> str:
        return plain_text(self.candidates, self.how)


def compare(
    X: Any,
    y: Any,
    *,
    held_out: Any = 10,
    neighbors: Iterable[int] = (1, 3, 5, 9, 15),
    model: GaussianClassifier | None = None,
    automatic: bool = False,
    random_state: int | None = 0,
) -> Comparison:
    """Judge the six structures and nearest neighbours by rows that they have not seen.

    Parameters
    ----------
    X : (n, d) array, list or frame (pandas, polars, Arrow) of finite numbers, and of categories
        where `model` has `categorical_features`; these may be missing
    y : (n,) labels
    held_out : which rows are predicted by models fitted to the others: a whole number for that
        many folds of stratified cross-validation, a share between 0 and 1 for one stratified
        split, ``(X_test, y_test)`` for these rows, or a splitter of scikit-learn
    neighbors : how many neighbours vote; one candidate for each (scikit-learn's
        `KNeighborsClassifier`). Categories have no distances: beside them there are none
    model : a `GaussianClassifier` whose priors, divisor, shrinkage, categories, smoothing and
        n_jobs the six structures take over; None for the defaults. If its covariances are drawn
        towards a shared one, it is a candidate too.
    automatic : whether ``covariance="auto", shrinkage="auto"`` is a candidate too. It chooses anew
        in each fold, so that it is judged by rows that had no part in the choice; what it chooses
        from all rows is `Comparison.selection`, and its structure is named by the candidate.
    random_state : seed of the folds or of the split

    Notes
    -----
    The predictions for all held-out rows are judged together: error, log loss and Brier score are
    means over rows, not over folds. A class that is absent from the rows fitted to has posterior 0.
    A candidate that cannot be fitted in one of the folds has a `problem` instead of an evaluation.
    Nearest neighbours state shares of votes, so that their log loss is infinite as soon as the true
    class of a row gets no vote.

    Examples
    --------
    >>> from gaussbayes.datasets import load_iris
    >>> data = load_iris()
    >>> compared = compare(data.rows, data.labels, held_out=5, neighbors=[3])
    >>> [(c.name, c.n_parameters, c.evaluation.n_errors) for c in compared.candidates][:2]
    [('QDA', 44, 5), ('LDA', 24, 3)]
    >>> compared = compare(data.rows, data.labels, held_out=5, neighbors=[], automatic=True)
    >>> compared.candidates[-1].name, compared.selection.best.structure.sharing
    ('automatic choice', 0.5)
    """
    settings: Any = GaussianClassifier() if model is None else model
    if not isinstance(settings, GaussianClassifier):
        msg = f"model is a GaussianClassifier or None, got {type(model).__name__}"
        raise TypeError(msg)
    parts = hold_out(X, y, held_out, random_state, settings.categorical_features)
    classes = parts.schema.classes
    if classes.size < 2:
        msg = f"a comparison needs at least two classes, got {classes.tolist()!r}"
        raise DataError(msg)
    choosing = [automatic_choice(settings, parts)] if automatic else []
    voting = list(nearest_neighbors(neighbors))
    if parts.schema.categorical:
        voting = []
    methods = [*gaussians(settings, parts), *choosing, *voting]
    tasks = ((method, fold) for fold in folds(parts) for method in methods)
    for method, fold in track(tasks, "comparing models", len(methods) * len(parts.splits)):
        method.judge(fold)
    selection = chosen(choosing[0], parts) if choosing else None
    truth = parts.truth
    candidates = tuple(method.candidate(truth, classes) for method in methods)
    return Comparison(candidates, classes, parts.how, truth.size, selection)
