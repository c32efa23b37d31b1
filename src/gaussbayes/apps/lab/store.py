"""What the lab keeps between requests: datasets, files that were sent, and what was worked out."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from gaussbayes.apps.lab import lab_tables, messages
from gaussbayes.apps.lab.examples import example_table
from gaussbayes.apps.lab.lab_tables import LabTable, NamedTable, ShownFeatures, number_table
from gaussbayes.apps.lab.wire_format import MessageError
from gaussbayes.base.errors import GaussBayesError
from gaussbayes.data.rows import UNLABELLED

Value = TypeVar("Value")

_MOST_BYTES = 192 << 20  # of datasets
_MOST_RESULTS = 200  # fits and the like


class Cache(Generic[Value]):
    """Values by their keys, up to a limit; what was not asked for the longest goes first.

    The newest is kept however large it is.
    """

    def __init__(self, most: int, size: Callable[[Value], int] = lambda _: 1) -> None:
        self._most, self._size = most, size
        self._kept: OrderedDict[Hashable, Value] = OrderedDict()

    def find(self, key: Hashable) -> Value | None:
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def recall(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value, made now if it is not there; as many others go as are too much."""
        if key not in self._kept:
            self._kept[key] = make()
            while len(self._kept) > 1 and sum(map(self._size, self._kept.values())) > self._most:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]


@dataclass(frozen=True, slots=True, eq=False)
class LabDataset:
    """A table, which of its rows are held out, and what was worked out of it."""

    key: str  # what requests call it
    table: LabTable
    split: messages.Split  # how they were chosen
    test: NDArray[np.bool_]  # (n,)
    note: str | None  # what was left out, why no rows are held out, and the like
    results: Cache[Any]

    @property
    def classes(self) -> tuple[str, ...]:
        """What the page calls the classes, with rows or without."""
        return tuple(map(str, self.table.labels.tolist()))

    @property
    def target_name(self) -> str:
        """What the column of the classes is called in a file; no feature has the same name."""
        name = self.table.target
        while name in self.table.names:
            name += "_"
        return name

    @property
    def n_bytes(self) -> int:
        rows = self.table.rows
        return rows.matrix.nbytes + rows.codes.nbytes + self.table.codes.nbytes + self.test.nbytes

    @property
    def pair(self) -> tuple[int, int]:
        """The features to show first; one feature is there twice."""
        return 0, min(1, max(0, len(self.table.features) - 1))

    @property
    def every_feature(self) -> ShownFeatures:
        numbers = tuple(range(len(self.table.features)))
        return ShownFeatures(numbers, numbers, tuple(range(len(self.table.categories))))

    def training(self, first: int | None = None) -> NDArray[np.intp]:
        """The numbers of the rows that models learn from, or of the first of them."""
        return np.flatnonzero(~self.test)[:first]

    def check_features(self, *columns: int) -> None:
        """Raise for feature numbers that there are not; without any, 0 stands for none."""
        d = max(1, len(self.table.features))
        if max(columns) >= d:
            msg = f"there is no feature {max(columns)}: they are numbered from 0 to {d - 1}"
            raise MessageError(msg)

    def recall(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """What was worked out of these rows under this key, or why it could not be."""

        def outcome() -> Value | GaussBayesError:
            try:
                return make()
            except GaussBayesError as error:
                return error

        result = self.results.recall((self.key, key), outcome)
        if isinstance(result, GaussBayesError):
            raise result.with_traceback(None)
        value: Value = result
        return value


class Store:
    """Datasets by their ids, tables that were sent, and results by what they were asked with.

    Everything follows from requests: what was let go for lack of room is made again when it is
    asked for, but for files, which the page has to send again. One thread at a time may use it.
    """

    def __init__(self, given: NamedTable | None = None, folder: Path | None = None) -> None:
        self.given = given  # the table that the command was called with
        self._folder = folder  # where files lie that were sent
        self._datasets = Cache[LabDataset](_MOST_BYTES, lambda dataset: dataset.n_bytes)
        self._results = Cache[Any](_MOST_RESULTS)

    def has(self, key: str) -> bool:
        """Whether the data of this id are here."""
        return self._datasets.find(key) is not None

    def dataset(self, key: str) -> LabDataset:
        dataset = self._datasets.find(key)
        if dataset is None:
            msg = f"the data {key!r:.80} are not here any more; ask for them again"
            raise MessageError(msg)
        return dataset

    def dataset_of(self, request: messages.DataRequest) -> LabDataset:
        asked = msgspec.json.encode((request.source, request.target, request.split))
        key = hashlib.sha256(asked).hexdigest()[:32]

        def make() -> LabDataset:
            table = self._table(request.source, request.target)
            test, problem = hold_out(table, request.split)
            note = "; ".join(filter(None, (table.note, problem))) or None
            return LabDataset(key, table, request.split, test, note, self._results)

        return self._datasets.recall(key, make)

    def _table(self, source: messages.Source, target: str | None) -> LabTable:
        if isinstance(source, messages.PresetSource):
            return example_table(source.preset, source.seed, source.n)
        if isinstance(source, messages.PointsSource):
            points = np.array(source.points, dtype=np.float64).reshape(-1, 3)
            codes = np.where(np.isnan(points[:, 2]), UNLABELLED, points[:, 2]).astype(np.int32)
            rows, labels = np.ascontiguousarray(points[:, :2]), np.array(source.classes)
            return number_table("Your points", rows, codes, labels, source.features)
        named = self.given
        msg = "the command was called without data; choose an example or drop a file"
        if isinstance(source, messages.UploadSource):
            folder, key = self._folder, source.upload
            named = None if folder is None else lab_tables.kept_table(folder, key)
            msg = "this file is not here any more; drop it on the page again"
        if named is None:
            raise MessageError(msg)
        return lab_tables.labelled_rows(named, target, source.features)


def hold_out(table: LabTable, split: messages.Split) -> tuple[NDArray[np.bool_], str | None]:
    """Which rows (n,) are held out, and why none are although that was asked for.

    They are those that ``gaussbayes evaluate --held-out PROPORTION --seed N`` holds out; rows
    without label are never among them.
    """
    test = np.zeros(table.codes.size, dtype=np.bool_)
    if split.test == 0 or not table.codes.size:
        return test, None
    from gaussbayes.analysis import held_out  # brings scikit-learn, takes a while

    labels = np.array([*table.labels.tolist(), None], dtype=object)[table.codes]
    any_rows = np.zeros((labels.size, 1))  # what is held out does not depend on the features
    try:
        options = held_out.model_options(None)
        splits = held_out.split(any_rows, labels, options, split.test, split.seed)
    except GaussBayesError as error:
        return test, f"no rows are held out: {error}"
    test[splits.pairs[0][1]] = True
    return test, None
