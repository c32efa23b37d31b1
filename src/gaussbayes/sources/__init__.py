"""Rows anywhere → moments: files of any size, a cluster, a database.

`moments_of` takes whatever holds the rows and reads it once, in bounded memory:

- files (CSV, TSV, JSON lines, Parquet, Arrow; gzip or zstd): a path, a list of paths, a folder, a
  pattern such as ``"data/*.csv"``, or ``"-"`` for standard input;
- a Dask DataFrame, or files on a Dask cluster;
- a lazy frame or table of another engine (DuckDB, Polars, SQL), summed where it lives.

Of files and Dask frames the result is the same to the bit however the work was shared; an engine
adds in an order of its own.
"""

from collections.abc import Sequence
from typing import Any

from gaussbayes.sources.summary import BadRow, BadRows, Summary
from gaussbayes.types import BadRowHandling, ScatterLayout

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
    n_jobs: int | None = None,
    client: Any = None,
) -> Summary:
    """Read a source once and sum its rows, class by class.

    A feature that is null, empty or NaN is a value that is missing: rows that lack the same
    features are summed apart, so that a model can be fitted to what is there. A label or a weight
    that is missing, infinity, and text that is no number make a row a bad one.

    Parameters
    ----------
    source : see `gaussbayes.sources`
    target : the column that holds the labels
    features : the columns to learn from; None is every other one
    weights : the column that says how much each row counts, if there is one
    layout : how much of the scatter to keep; full gives every structure
    bad_rows : of files: whether a row that cannot be read is an error or left out and counted
    complete : whether rows must have all features; those that lack some are then bad ones
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
    kind = type(source).__module__.partition(".")[0]
    if client is not None or kind in {"dask", "dask_expr"}:
        from gaussbayes.sources import cluster

        return cluster.moments_of(
            source,
            target,
            features,
            weights,
            layout,
            bad_rows=bad_rows,
            complete=complete,
            client=client,
        )
    if _is_lazy(source):
        from gaussbayes.sources import pushdown

        return pushdown.moments_of(source, target, features, weights, layout, complete=complete)
    from gaussbayes.sources import files

    return files.moments_of(
        source,
        target,
        features,
        weights,
        layout,
        bad_rows=bad_rows,
        complete=complete,
        n_jobs=n_jobs,
    )


def _is_lazy(source: Any) -> bool:
    """Whether this is a table of an engine that can sum it itself."""
    if isinstance(source, str | bytes | list | tuple) or hasattr(source, "__fspath__"):
        return False
    import narwhals.stable.v2 as nw

    return isinstance(source, nw.LazyFrame) or bool(nw.dependencies.is_into_lazyframe(source))
