"""Which rows a model gets wrong, and how good its probabilities are."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.bayes_error import BayesError, bayes_error
from gaussbayes.analysis.evaluation import Evaluation, evaluate
from gaussbayes.apps.lab.datasets import Dataset, Store
from gaussbayes.apps.lab.messages import ByHand, FromData, ModelChoice
from gaussbayes.apps.lab.messages.fields import finite
from gaussbayes.apps.lab.work.fits import rows_learnt
from gaussbayes.apps.lab.work.sight import Shown, Sight, Votes, predicted, told, true_sight


@dataclass(frozen=True, slots=True, eq=False)
class Mistakes:
    """What a model does with the rows of a dataset, by the features shown."""

    wrong: NDArray[np.bool_]  # (n,)
    train: float | None  # share of the rows learnt from, None without any
    test: float | None  # of those held out


def parts(dataset: Dataset, choice: ModelChoice) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The numbers of the rows learnt from, and of those held out."""
    first = choice.first if isinstance(choice, FromData) else None
    return rows_learnt(dataset, first), np.flatnonzero(dataset.test)


def mistakes(
    dataset: Dataset, choice: ModelChoice, seen: Shown, found: Sight, store: Store
) -> Mistakes:
    """The rows that the model gets wrong."""
    if isinstance(choice, ByHand):
        return _mistakes(dataset, choice, seen, found)
    key = "mistakes", dataset.key, choice, seen.columns
    return store.recall(key, lambda: _mistakes(dataset, choice, seen, found))


def _mistakes(dataset: Dataset, choice: ModelChoice, seen: Shown, found: Sight) -> Mistakes:
    table = dataset.table
    rows = table.X[:, seen.columns]
    wrong = np.zeros(table.codes.size, dtype=np.bool_)
    there = np.arange(table.codes.size)
    if isinstance(found, Votes):  # neighbours cannot be found of what is missing
        there = there[~np.isnan(rows).any(axis=1)]
        rows = rows[there]
    if there.size:
        wrong[there] = predicted(found, rows) != table.codes[there]
    known = np.zeros(wrong.size, dtype=np.bool_)
    known[there] = True
    train, test = (_share(wrong, part[known[part]]) for part in parts(dataset, choice))
    return Mistakes(wrong, train, test)


def _share(wrong: NDArray[np.bool_], rows: NDArray[np.intp]) -> float | None:
    return float(wrong[rows].mean()) if rows.size else None


def least_error(dataset: Dataset, seen: Shown, store: Store) -> BayesError | None:
    """How often the best rule for these features errs, if it is known what the rows come from."""
    truth = true_sight(dataset, seen, store)
    if truth is None:
        return None
    return store.recall(("least error", truth.parameters), lambda: bayes_error(truth.parameters))


def errors_record(
    dataset: Dataset, seen: Shown, counted: Mistakes | None, store: Store
) -> dict[str, Any]:
    """The errors of a picture, as the page is told them; without a model those of the truth."""
    least = least_error(dataset, seen, store)
    return {
        "train": counted and counted.train,
        "test": counted and counted.test,
        "bayes": least and {"error": least.error, "standard_error": least.standard_error},
    }


def judged(found: Sight, dataset: Dataset, columns: Any, rows: NDArray[np.intp]) -> Any:
    """The evaluation of a model on some rows, as a record; None without any."""
    table = dataset.table
    values = table.X[rows][:, columns]
    codes = table.codes[rows]
    if isinstance(found, Votes):
        there = ~np.isnan(values).any(axis=1)
        values, codes = values[there], codes[there]
    if not codes.size:
        return None
    return evaluation_record(evaluated(found, told(found, values), codes))


def evaluated(found: Sight, log_posterior: NDArray[Any], codes: NDArray[Any]) -> Evaluation:
    """The evaluation of log posteriors; a class that the model has not is never told."""
    names = found.names
    more = int(codes.max()) + 1 - log_posterior.shape[1]
    if more > 0:  # set by hand, with fewer classes than there are
        never = np.full((codes.size, more), -np.inf)
        log_posterior = np.concatenate([log_posterior, never], axis=1)
    return evaluate(log_posterior, codes, np.array(names)[: log_posterior.shape[1]])


def evaluation_record(seen: Evaluation) -> dict[str, Any]:
    """An evaluation as the page is told it."""
    groups = seen.calibration
    columns = () if groups is None else (groups.stated, groups.observed, groups.count)
    return {
        "n": seen.n_rows,
        "error": seen.error,
        "log_loss": finite(seen.log_loss),
        "brier": seen.brier,
        "confusion": seen.confusion.tolist(),
        "calibration": [
            {"mean": stated, "share": observed, "n": count}
            for stated, observed, count in zip(*(one.tolist() for one in columns), strict=True)
        ],
    }
