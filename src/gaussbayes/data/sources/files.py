"""Files → moments: pieces read and summed on all cores, merged in fixed trees.

Four levels of trees, each numbered: rows → batch → piece (a block of text, a row group) → file →
source. How a file is cut depends on the file alone, so that the result is the same to the bit for
any number of threads, and for files that were summed on different machines.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any

from gaussbayes.base.errors import DataError
from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.base.progress import count_rows
from gaussbayes.base.threads import n_threads
from gaussbayes.base.types import BadRowHandling, CategoricalFeatures, ScatterLayout
from gaussbayes.data.sources.bad_rows import described
from gaussbayes.data.sources.choice import Choice, choose
from gaussbayes.data.sources.formats import OpenFile
from gaussbayes.data.sources.kinds import is_dictionary, is_text
from gaussbayes.data.sources.listing import SourceFile
from gaussbayes.data.sources.opening import Source, make_request, open_source
from gaussbayes.data.sources.piece_sums import PieceSum, merged, piece_sum
from gaussbayes.data.sources.read_ahead import in_order
from gaussbayes.data.sources.request import Request
from gaussbayes.data.sources.roles import (
    refuse_not_categories,
    refuse_not_labels,
    refuse_not_numbers,
)
from gaussbayes.data.sources.summary import BadRows, Summary
from gaussbayes.model.labelled import LabelledMoments


@dataclass(frozen=True, slots=True)
class Plan:
    """How to sum the rows of some files; it can be sent to another machine."""

    files: tuple[SourceFile, ...]
    request: Request
    chosen: Choice
    layout: ScatterLayout


@dataclass(frozen=True, slots=True, eq=False)
class FileSum:
    """The moments of the rows of some files."""

    learnt: LabelledMoments | None  # None without rows
    n_rows: int  # those summed
    bad_rows: BadRows
    n_incomplete: int = 0  # those of which a feature is missing

    def __add__(self, other: "FileSum") -> "FileSum":
        return FileSum(
            merged(self.learnt, other.learnt),
            self.n_rows + other.n_rows,
            self.bad_rows + other.bad_rows,
            self.n_incomplete + other.n_incomplete,
        )


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
    n_jobs: int | None = None,
) -> Summary:
    """Read files once and sum their rows, class by class.

    Parameters
    ----------
    source : files as `open_source` takes them, or a `Source` that it has opened
    target, features, weights, layout, bad_rows, complete, n_jobs : see
        `gaussbayes.data.sources.moments_of`
    categorical, texts : as `categorical_features` and `text_features` there

    Examples
    --------
    >>> from importlib.resources import files
    >>> iris = files("gaussbayes.datasets").joinpath("iris.csv")
    >>> moments_of(iris, "species", ["petal length (cm)"]).learnt.moments.mean.round(3).tolist()
    [[1.462], [4.26], [5.552]]
    """
    opened = source if isinstance(source, Source) else open_source(source, bad_rows=bad_rows)
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
    tree: MergeTree[FileSum] = MergeTree()
    sums = _file_sums(plan, opened.opened(), n_threads(n_jobs), opened.n_rows, opened.share_read)
    for number, total in enumerate(sums):
        tree.add(number, total)
    return summary(plan, tree.result())


def make_plan(
    source: Source,
    target: str,
    features: Sequence[str] | None,
    weights: str | None,
    layout: ScatterLayout,
    *,
    complete: bool = False,
    categorical: CategoricalFeatures = None,
    texts: Sequence[str] = (),
) -> Plan:
    """Choose the columns, and check that they can be what they are chosen for."""
    typed = [field.name for field in source.schema if is_dictionary(field.type)]
    chosen = choose(source.schema.names, target, features, weights, categorical, typed)
    if "" in chosen.features and features is None:
        msg = (
            f"a column of {source.listed[0].shown} has no name, as row numbers written by pandas "
            "have: leave it out by naming the features, or write with index=False"
        )
        raise DataError(msg)
    request = make_request(
        source.held,
        chosen.columns,
        chosen.numbers,
        source.handling,
        categorical=chosen.categorical,
        texts=texts,
    )
    first = source.listed[0].shown
    refuse_not_numbers(request.schema, chosen.numbers, source.held.examples, first)
    refuse_not_labels(request.schema, target, first)
    refuse_not_categories(request.schema, chosen.categorical, first)
    request = replace(
        request,
        present=chosen.present(complete=complete),
        not_negative=() if weights is None else (weights,),
        as_stored=True,
        encoded=request.encoded + ((target,) if is_text(request.schema.field(target).type) else ()),
    )
    return Plan(source.listed, request, chosen, layout)


def file_moments(plan: Plan, number: int, n_jobs: int | None = 1) -> FileSum:
    """Sum the rows of file `number` of a plan, on this machine.

    Merged with those of the other files in a `MergeTree`, by number, it gives what `moments_of`
    gives.
    """
    alone = replace(plan, files=(plan.files[number],))
    (total,) = _file_sums(alone, [OpenFile(alone.files[0])], n_threads(n_jobs))
    return total


def summary(plan: Plan, total: FileSum) -> Summary:
    """What was read, if there were rows in it."""
    first = plan.files[0].shown
    where = first if len(plan.files) == 1 else f"{first} and {len(plan.files) - 1} more"
    if total.learnt is None:
        bad = total.bad_rows
        what = (
            f"; all {bad.count} are bad, the first: {described(bad.first[0])}" if bad.count else ""
        )
        msg = f"{where}: there are no rows to learn from{what}"
        raise DataError(msg)
    if not (total.learnt.weight > 0).any():
        msg = f"{where}: the weights in column {plan.chosen.weights!r} are all zero"
        raise DataError(msg)
    chosen, learnt = plan.chosen, total.learnt.with_rows()
    told = total.n_rows, total.bad_rows, total.n_incomplete
    return Summary(learnt, chosen.features, chosen.target, *told, chosen.places)


def _file_sums(
    plan: Plan,
    opened: Iterable[OpenFile],
    threads: int,
    n_rows: int | None = None,
    share: Callable[[], float | None] | None = None,
) -> Iterator[FileSum]:
    """The sums of each file, in order; pieces of all files are read and summed side by side."""
    jobs = _jobs(plan, opened, threads)
    with closing(in_order(jobs, threads)) as every:  # type: ignore[type-var]
        sums = count_rows(every, "reading", n_rows, lambda part: part.n_records, share)
        for _, own in groupby(sums, key=lambda part: part.file):
            tree: MergeTree[PieceSum] = MergeTree()
            n_records = 0
            for place, part in enumerate(own):
                if part.stop is not None:
                    raise part.stop.placed(part.name, 1 + n_records)
                n_records += part.n_records
                tree.add(place, part)
            yield file_sum(tree.result())


def _jobs(plan: Plan, opened: Iterable[OpenFile], threads: int) -> Iterator[Callable[[], PieceSum]]:
    """What sums each piece, file after file."""
    for number, file in enumerate(opened):
        nothing = PieceSum(number, file.file.shown)
        yield partial(_given, nothing)  # so that a file without rows has its place, too
        # Few pieces do not keep all threads busy: then each is read and summed by all of them.
        wide = len(plan.files) == 1 and file.has_few_pieces(threads)
        own_threads = threads if wide else 1
        for piece in file.pieces(plan.request, 1 if wide else threads):
            yield partial(
                piece_sum, piece, nothing, plan.request, plan.chosen, plan.layout, own_threads
            )


def file_sum(total: PieceSum) -> FileSum:
    """The sum of a file, all of whose pieces are merged."""
    return FileSum(total.learnt, total.n_rows, total.bad_rows, total.n_incomplete)


def _given(nothing: PieceSum) -> PieceSum:
    return nothing
