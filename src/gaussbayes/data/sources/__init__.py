"""Rows anywhere → moments: files of any size, a cluster, a database.

`moments_of` takes whatever holds the rows and reads it once, in bounded memory:

- files (CSV, TSV, JSON lines, Parquet, Arrow; gzip or zstd): a path, a list of paths, a folder, a
  pattern such as ``"data/*.csv"``, or ``"-"`` for standard input;
- a Dask DataFrame, or files on a Dask cluster;
- a lazy frame or table of another engine (DuckDB, Polars, SQL), summed where it lives.

Of files and Dask frames the result is the same to the bit however the work was shared; an engine
adds in an order of its own.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gaussbayes.base.types import BadRowHandling, CategoricalFeatures, ScatterLayout
from gaussbayes.data.sources.summary import BadRow, BadRows, Summary

__all__ = ["BadRow", "BadRows", "Summary", "moments_of"]


def moments_of(
    source: Any,
    target: str,
    *,
    features: Sequence[str] | None = None,
    weights: str | None = None,
    layout: ScatterLayout = "full",
    bad_rows: BadRowHandling = "error",
    complete: bool = False,
    categorical_features: CategoricalFeatures = "from_dtype",
    text_features: Sequence[str] = (),
    n_jobs: int | None = None,
    client: Any = None,
) -> Summary:
    """Read a source once and sum its rows, class by class.

    A feature that is null, empty or NaN is a value that is missing: rows that lack the same
    numbers are summed apart, so that a model can be fitted to what is there, and categories that
    are missing are counted apart. A label or a weight that is missing, infinity, text that is no
    number, and a fraction that should be a category make a row a bad one.

    Parameters
    ----------
    source : see `gaussbayes.data.sources`
    target : the column that holds the labels
    features : the columns to learn from; None is every other one
    weights : the column that says how much each row counts, if there is one
    layout : how much of the scatter to keep; full gives every structure
    bad_rows : of files: whether a row that cannot be read is an error or left out and counted
    complete : whether rows must have all features; those that lack some are then bad ones
    categorical_features : which features hold categories, by name, by number among the features or
        by a truth value for each; None is none of them. ``"from_dtype"`` are those of a categorical
        type: dictionaries in Parquet and Arrow files, category in Dask, Categorical and Enum in
        lazy Polars. Text files (CSV, TSV, JSON lines) know no such type, nor does text as such say
        that it is a category. Whole numbers, truth values and text are the same categories in
        every kind of source; text without a letter is a missing one
    text_features : of files: categorical features that are text, even if all their values look like
        numbers, as they may in one file of many
    n_jobs : threads; None uses every core
    client : a Dask client to read files on its cluster

    Examples
    --------
    >>> from importlib.resources import files
    >>> iris = files("gaussbayes.datasets").joinpath("iris.csv")
    >>> found = moments_of(iris, "species")
    >>> found.n_rows, found.learnt.classes.tolist()
    (150, ['setosa', 'versicolor', 'virginica'])
    """
    summing = _summing(source, bad_rows, text_features, n_jobs, client)
    found = summing(
        source,
        target,
        features,
        weights,
        layout,
        complete=complete,
        categorical=categorical_features,
    )
    if found.learnt.counts is not None:
        from gaussbayes.data.category_warnings import warn_of_many

        warn_of_many(found.learnt.counts.categories, found.schema.of_categories)
    return found


def _summing(
    source: Any,
    bad_rows: BadRowHandling,
    texts: Sequence[str],
    n_jobs: int | None,
    client: Any,
) -> Callable[..., Summary]:
    """What sums the rows of a source of this kind."""
    kind = type(source).__module__.partition(".")[0]
    if client is not None or kind in {"dask", "dask_expr"}:
        from gaussbayes.data.sources import cluster

        return partial(cluster.moments_of, bad_rows=bad_rows, texts=texts, client=client)
    if _is_lazy(source):
        from gaussbayes.data.sources import pushdown

        return pushdown.moments_of
    from gaussbayes.data.sources import files

    return partial(files.moments_of, bad_rows=bad_rows, texts=texts, n_jobs=n_jobs)


def _is_lazy(source: Any) -> bool:
    """Whether this is a table of an engine that can sum it itself."""
    if isinstance(source, str | bytes | list | tuple) or hasattr(source, "__fspath__"):
        return False
    import narwhals.stable.v2 as nw

    return isinstance(source, nw.LazyFrame) or bool(nw.dependencies.is_into_lazyframe(source))
