"""Rows of numbers and categories left out one at a time, and what is chosen by that.

Given the class the two kinds are independent, so that the log likelihoods of the categories, each
by the counts without the row, are added to the log joint densities of the numbers without it. They
are the same for every structure and shrinkage.
"""

from dataclasses import replace
from typing import Any

from gaussbayes.base.finite import refuse_not_finite
from gaussbayes.base.types import FloatArray
from gaussbayes.data.coding import coded
from gaussbayes.families.categorical import ClassCounts, estimate
from gaussbayes.families.categorical.left_out import log_likelihood_left_out
from gaussbayes.families.categorical.likelihood import total_log_likelihood
from gaussbayes.families.gaussian.leave_one_out import leave_one_out as of_numbers
from gaussbayes.model import selection
from gaussbayes.model.mixed_rows import LabelledMixedRows, labelled_first
from gaussbayes.model.model import Model
from gaussbayes.model.selection import CategoricalTerms, Choice, Selection
from gaussbayes.model.settings import Settings
from gaussbayes.validation import one_label_each


def rows_to_leave_out(
    X: Any,
    y: Any,
    sample_weight: Any,
    names: tuple[str, ...] | None,
    categorical: tuple[int, ...],
) -> LabelledMixedRows:
    """Rows with one label each, without classes that weigh nothing.

    Parameters
    ----------
    names : of the features, if they have any
    categorical : the columns that hold categories, at least one

    Examples
    --------
    >>> X = [[1.0, "low"], [3.0, "high"], [5.0, "low"]]
    >>> rows = rows_to_leave_out(X, ["a", "b", "c"], [1, 0, 1], None, (1,))
    >>> rows.batch.X.tolist(), rows.columns.codes.tolist(), rows.schema.classes.tolist()
    ([[1.0], [5.0]], [[1], [1]], ['a', 'c'])
    """
    rows = labelled_first(X, y, sample_weight, names, categorical)
    batch, schema, which = one_label_each(rows.batch, rows.schema)
    codes = rows.columns.codes if which is None else rows.columns.codes[which]
    return LabelledMixedRows(batch, replace(rows.columns, codes=codes), schema)


def leave_one_out(rows: LabelledMixedRows, settings: Settings, n_jobs: int | None) -> FloatArray:
    """Log posteriors (n, k) of rows that lack no number, each by the model without it.

    Raises
    ------
    SingularCovarianceError
        If a covariance cannot be inverted, with all rows or without one of them.
    DataError
        If, without smoothing, a row has probability 0 in every class of the model without it, or a
        class then has no value of a feature.

    Examples
    --------
    >>> import numpy as np
    >>> from gaussbayes.model.settings import check_settings
    >>> X = [["low"], ["low"], ["high"], ["high"], ["low"]]
    >>> rows = rows_to_leave_out(X, ["a", "a", "a", "b", "b"], None, None, (0,))
    >>> told = leave_one_out(rows, check_settings("full", False, None, "mle", None), 1)
    >>> np.exp(told[0]).round(4).tolist()  # ½ · ½ and ½ · ½, of "low" by the other four
    [0.5, 0.5]
    """
    names = rows.schema.of_numbers
    refuse_not_finite(rows.batch.X, names=names.features or names.places)
    learnt = rows.learnt(settings.structure.layout, n_jobs)
    assert learnt.counts is not None
    return of_numbers(
        rows.batch.X,
        rows.batch.codes,
        rows.batch.weights,
        learnt.moments,
        names,
        settings,
        n_jobs,
        _of_categories(rows, learnt.counts, settings.smoothing),
    )


def select(
    rows: LabelledMixedRows | None, model: Model, choice: Choice, n_jobs: int | None
) -> Selection:
    """The best structure and shrinkage for a model of complete rows.

    Parameters
    ----------
    rows : those that the model has learnt from, or None to choose by BIC
    """
    counts, smoothing = model.counts, choice.settings.smoothing
    assert counts is not None
    parameters = estimate(counts, model.schema.of_categories, smoothing)
    terms = CategoricalTerms(
        total_log_likelihood(parameters, counts),
        parameters.n_parameters,
        None if rows is None else _of_categories(rows, counts, smoothing),
    )
    X, codes, weights = None, None, None
    if rows is not None:
        X, codes, weights = rows.batch.X, rows.batch.codes, rows.batch.weights
    moments, names = model.learnt("auto").moments, model.schema.of_numbers
    return selection.select(X, codes, weights, moments, names, choice, n_jobs, terms)


def _of_categories(rows: LabelledMixedRows, counts: ClassCounts, smoothing: float) -> FloatArray:
    """The log likelihoods (n, k) of the categories of each row, by the counts without it."""
    factors = zip(rows.columns.codes.T, rows.columns.categories, strict=True)
    return log_likelihood_left_out(
        coded(factors, counts.categories),
        rows.batch.codes,
        rows.batch.weights,
        counts,
        rows.schema.of_categories,
        smoothing,
    )
