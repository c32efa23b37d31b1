"""Rows on a Dask cluster → moments, and predictions that are computed there.

Each block of rows (a partition, a file, or a part of a large file) is summed where it is, and the
sums are merged on the workers in one fixed tree keyed by the number of the block, so that a single
small record comes back. The tree is `MergeTree` itself, fed with tasks instead of moments: the
result is the same to the bit as on one machine, for any number of workers, any order of arrival,
and with workers lost on the way, whose blocks are read again. All workers must run the same build
on the same kind of processor for that.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gaussbayes.base.errors import DataError, ParameterError, SchemaError
from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.base.types import BadRowHandling, CategoricalFeatures, ScatterLayout
from gaussbayes.data.sources.choice import Choice, choose, refuse_missing, refuse_not_numbers
from gaussbayes.data.sources.files import FileSum, Plan, file_moments, file_sum, make_plan, summary
from gaussbayes.data.sources.listing import files_of
from gaussbayes.data.sources.opening import open_source
from gaussbayes.data.sources.partition import part_sum
from gaussbayes.data.sources.splitting import part_moments, parts_of
from gaussbayes.data.sources.summary import Summary


def moments_of(
    source: Any,
    target: str,
    features: Sequence[str] | None = None,
    weights: str | None = None,
    layout: ScatterLayout = "full",
    *,
    bad_rows: BadRowHandling = "error",
    complete: bool = False,
    categorical: CategoricalFeatures = None,
    texts: Sequence[str] = (),
    client: Any = None,
) -> Summary:
    """Sum the rows of a Dask DataFrame, or of files on a cluster, class by class.

    Parameters
    ----------
    source : a Dask DataFrame, or files as in `moments_of`; all workers must find
        them under the same names. A large Parquet or Arrow file is shared among the workers, a
        file of text or a compressed one is read by one of them
    target, features, weights, layout, bad_rows, complete : see `gaussbayes.data.sources.moments_of`
    categorical, texts : as `categorical_features` and `text_features` there
    client : a `distributed.Client`; without one Dask chooses: the current client, or threads

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> rows = pd.DataFrame({"height": [1.0, 3.0, 7.0], "kind": ["a", "a", "b"]})
    >>> found = moments_of(dd.from_pandas(rows, npartitions=2), "kind")
    >>> found.learnt.classes.tolist(), found.learnt.moments.mean.tolist()
    (['a', 'b'], [[2.0], [7.0]])
    """
    _dask()  # says what is missing before anything is read
    if hasattr(source, "to_delayed"):
        if bad_rows != "error":
            msg = (
                "bad_rows is for files: leave rows out of a DataFrame with frame.dropna() or a "
                "filter"
            )
            raise ParameterError(msg)
        typed = [name for name, kind in source.dtypes.items() if kind == "category"]
        chosen = choose(list(source.columns), target, features, weights, categorical, typed)
        return _moments_of_frame(source, chosen, layout, complete, client)
    for file in files_of(source):
        if file.is_read_once:
            msg = f"a cluster cannot read {file.shown}: write it to a file that workers can open"
            raise DataError(msg)
    opened = open_source(source, bad_rows=bad_rows)
    plan = make_plan(
        opened,
        target,
        features,
        weights,
        layout,
        complete=complete,
        categorical=categorical,
        texts=texts,
    )
    # Workers need not be in this process's folder.
    every = tuple(replace(file, name=str(Path(file.name).absolute())) for file in plan.files)
    work = replace(plan, files=every)
    tasks = [_file_task(number, work) for number in range(len(every))]
    return summary(plan, _computed(_in_tree(tasks), client))


def _file_task(number: int, plan: Plan) -> Any:
    """The task that gives the sum of file `number`: one, or those of its parts merged."""
    delayed = _dask().delayed
    parts = parts_of(plan, number)
    if len(parts) == 1:
        return delayed(file_moments, pure=True)(plan, number, n_jobs=1)
    return delayed(file_sum, pure=True)(_laid_out(part_moments, parts, number, plan))


def _moments_of_frame(
    frame: Any, chosen: Choice, layout: ScatterLayout, complete: bool, client: Any
) -> Summary:
    _refuse_types(frame, chosen)
    parts = frame[list(chosen.columns)].to_delayed()
    total: FileSum = merged(part_sum, parts, client, chosen, layout, complete)
    if total.learnt is None:
        msg = f"the DataFrame has no rows in its {len(parts)} partitions"
        raise DataError(msg)
    if not (total.learnt.weight > 0).any():
        msg = f"weights must not be all zero: those of column {chosen.weights!r} are"
        raise DataError(msg)
    return Summary(
        total.learnt,
        chosen.features,
        chosen.target,
        total.n_rows,
        n_incomplete=total.n_incomplete,
        categorical=chosen.places,
    )


def merged(work: Any, blocks: Sequence[Any], client: Any, *arguments: Any) -> Any:
    """``work(block, number, *arguments)`` of all blocks, merged in their fixed tree on the workers.

    Parameters
    ----------
    work : a function whose results merge by ``+``
    blocks : what makes each block: tasks (Delayed) or plain values

    Examples
    --------
    >>> merged(lambda block, number: [block * number], [5, 6, 7], None)
    [0, 6, 14]
    """
    return _computed(_laid_out(work, blocks, *arguments), client)


def _laid_out(work: Any, blocks: Sequence[Any], *arguments: Any) -> Any:
    """The task that gives what `merged` does."""
    task = _dask().delayed(work, pure=True)
    return _in_tree([task(block, number, *arguments) for number, block in enumerate(blocks)])


def _in_tree(tasks: Sequence[Any]) -> Any:
    """One task for all: `+` of two tasks is a task, so that the tree plans the work."""
    tree: MergeTree[Any] = MergeTree()
    for number, task in enumerate(tasks):
        tree.add(number, task)
    return tree.result()


def _computed(task: Any, client: Any) -> Any:
    return task.compute() if client is None else client.compute(task).result()


def predictions(model: Any, frame: Any, *, proba: bool = False) -> Any:
    """The predictions for the rows of a Dask DataFrame, as lazy as the frame itself.

    Parameters
    ----------
    model : fitted, with `predict`, `predict_proba`, `classes_` and `feature_names_in_`
    frame : a Dask DataFrame with the model's features among its columns, in any order
    proba : whether to give the posteriors of all classes instead of the most probable one

    Returns
    -------
    A Dask Series ``prediction``, or a Dask DataFrame with a column ``proba_<class>`` for each
    class; index and divisions are those of `frame`.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> class Sign:
    ...     feature_names_in_, classes_ = ["x"], [False, True]
    ...     def predict(self, X):
    ...         return X["x"].to_numpy() > 0
    >>> frame = dd.from_pandas(pd.DataFrame({"id": [7, 8, 9], "x": [-1, 2, 3]}), npartitions=2)
    >>> predictions(Sign(), frame).compute().tolist()
    [False, True, True]
    """
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        msg = (
            "predictions find columns by name, but the model's features have none: fit it to a "
            "frame or a source, or name them with with_feature_names"
        )
        raise SchemaError(msg)
    refuse_missing(list(frame.columns), names)
    rows = frame[list(names)]
    meta = _nothing_predicted(model, proba, set(rows.dtypes))
    return rows.map_partitions(_predicted, model, meta, meta=meta)


def _nothing_predicted(model: Any, proba: bool, kinds: set[Any]) -> Any:
    """The predictions for no rows: names and types."""
    import numpy as np
    import pandas as pd

    if not proba:
        return pd.Series(model.classes_, name="prediction").iloc[:0]
    columns = [f"proba_{label}" for label in model.classes_]
    width = np.float32 if kinds == {np.dtype(np.float32)} else np.float64  # as rows, so scores
    return pd.DataFrame(np.empty((0, len(columns)), width), columns=columns)


def _predicted(part: Any, model: Any, nothing: Any) -> Any:
    """The predictions for one partition; this runs on a worker."""
    import pandas as pd

    if len(part) == 0:
        return nothing.set_axis(part.index)
    if nothing.ndim == 2:
        return pd.DataFrame(model.predict_proba(part), part.index, nothing.columns)
    return pd.Series(model.predict(part), part.index, nothing.dtype, nothing.name)


def _refuse_types(frame: Any, chosen: Choice) -> None:
    """Raise for columns of a Dask DataFrame that cannot be what they were chosen for."""
    from pandas.api.types import is_numeric_dtype

    kinds = frame.dtypes
    refuse_not_numbers(
        [(name, kinds[name]) for name in chosen.numbers if not is_numeric_dtype(kinds[name])]
    )


def _dask() -> Any:
    try:
        import dask
    except ImportError:
        msg = "a cluster needs Dask: pip install 'gaussbayes[dask]'"
        raise ImportError(msg) from None
    return dask
