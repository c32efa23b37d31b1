"""Settings that are left to be chosen: what may be chosen, and the model of the best.

By BIC the moments of the rows are enough, so that files of any size are read once in bounded
memory. To leave out one row at a time takes the rows themselves, all in memory.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.apps.cli import reading, rows
from gaussbayes.apps.cli.given import first_of
from gaussbayes.base.errors import DataError

if TYPE_CHECKING:
    from gaussbayes.base.types import BadRowHandling
    from gaussbayes.data.sources import Summary
    from gaussbayes.model.model import Model
    from gaussbayes.model.selection import Choice, Selection

MOST_BYTES = 1 << 30
"""Of what is kept to leave rows out: their features, and their posteriors by every shrinkage.

All in all about three times as much is taken.
"""


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns to learn from, as the options of a verb name them."""

    target: str
    features: Sequence[str] | None = None  # all but the others
    weights: str | None = None
    categorical: Sequence[str] | None = None  # those of a categorical type


def choice_of(
    covariance: str,
    shared: bool | float,
    priors: Any,
    divisor: str,
    shrinkage: Any,
    selection: str,
    smoothing: float,
) -> "Choice":
    """What the options of a verb leave open; refused where they say different things."""
    from gaussbayes.model.selection import check_choice

    choice = check_choice(covariance, shared, priors, divisor, shrinkage, selection, smoothing)
    if shared and len(choice.structures) > 1:
        msg = (
            "--covariance auto chooses whether covariances are shared, too: leave out --shared "
            "and --sharing"
        )
        raise click.UsageError(msg)
    if not choice.is_open:
        refuse_idle_selection("give --covariance auto or --shrinkage auto")
    return choice


def refuse_idle_selection(what_to_do: str) -> None:
    """Raise if it was said what to choose by where nothing is to be chosen."""
    if first_of("selection") is not None:
        msg = f"--selection says what auto chooses by: {what_to_do}"
        raise click.UsageError(msg)


def learn(
    source: Any, columns: Columns, bad_rows: "BadRowHandling", choice: "Choice"
) -> "tuple[Model, Summary, Selection | None]":
    """The model of the rows of a source under the settings chosen, or the best of those open.

    Where there is something to choose, all rows must have all features; rows are left out of
    models of numbers only.
    """
    from gaussbayes.data.sources import moments_of
    from gaussbayes.model.model import learnt_model

    selection = None
    if choice.is_open and choice.criterion == "leave_one_out":
        if columns.categorical:
            msg = "with --categorical, auto chooses by --selection bic"
            raise click.UsageError(msg)
        found, selection = _by_rows_left_out(source, columns, choice)
    else:
        with reading.telling_warnings():
            found = moments_of(
                source,
                columns.target,
                layout=choice.layout,
                features=columns.features,
                weights=columns.weights,
                bad_rows=bad_rows,
                complete=choice.is_open,
                categorical_features=columns.categorical or "from_dtype",
            )
        if choice.is_open:
            selection = _selected(choice, found)
    settings = choice.settings if selection is None else selection.chosen(choice.settings)
    learnt = learnt_model(settings, found.learnt, found.features, found.target, found.categorical)
    model, _ = learnt.solved()
    model.estimate_any()  # refused now where no parameters follow from the rows
    return model, found, selection


def _by_rows_left_out(source: Any, given: Columns, choice: "Choice") -> "tuple[Summary, Selection]":
    from gaussbayes.data.labels import encode
    from gaussbayes.data.sources import Summary
    from gaussbayes.data.table import as_weights
    from gaussbayes.families.gaussian.summarise import summarise
    from gaussbayes.model.labelled import LabelledMoments

    columns = rows.chosen(source, given.target, given.features, given.weights)
    read = rows.blocks(source, columns, complete=True)
    every = rows.gather(source, _bounded(read, source, choice))
    n, matrix, labels = len(every.labels), every.matrix, every.labels
    with reading.naming(reading.where(source)):
        counts = as_weights(every.weights, n)
    if counts is not None and not counts.all():  # rows of no weight are no rows
        there = counts > 0
        matrix, labels, counts = matrix[there], labels[there], counts[there]
    codes, classes = encode(labels)
    moments = summarise(matrix, codes, counts, classes.size, choice.layout, None)
    learnt = LabelledMoments(classes, moments)
    found = Summary(learnt, columns.features, given.target, n, source.bad_rows)
    return found, _selected(choice, found, matrix, codes, counts)


def _selected(
    choice: "Choice", found: "Summary", matrix: Any = None, codes: Any = None, weights: Any = None
) -> "Selection":
    from gaussbayes.model.selection import select

    if found.categorical:
        from gaussbayes.model import mixed_left_out
        from gaussbayes.model.model import learnt_model

        told = found.learnt, found.features, found.target, found.categorical
        model = learnt_model(choice.settings, *told)
        return mixed_left_out.select(None, model, choice, None)
    return select(matrix, codes, weights, found.learnt.moments, found.schema, choice)


def _bounded(
    blocks: Iterable[rows.LabelledBlock], source: Any, choice: "Choice"
) -> Iterator[rows.LabelledBlock]:
    """The blocks, as long as they may be kept."""
    n_rows = 0
    classes: set[object] = set()
    for block in blocks:
        n_rows += block.rows.shape[0]
        classes.update(block.classes.tolist())
        numbers = block.rows.shape[1] + len(choice.shrinkages) * len(classes)
        if 8 * n_rows * numbers > MOST_BYTES:
            msg = (
                f"{reading.where(source)} has too many rows to leave them out one at a time: what "
                f"must be kept takes more than {MOST_BYTES >> 20} MiB after {n_rows:,} rows. "
                "Choose by --selection bic, which reads files of any size, or give fewer rows"
            )
            raise DataError(msg)
        yield block
