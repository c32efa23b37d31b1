"""What the lab keeps between requests: datasets, files that were sent, and what was worked out."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

import msgspec
import numpy as np

from gaussbayes.apps.lab import model_views, table_reader
from gaussbayes.apps.lab.examples import example_table
from gaussbayes.apps.lab.messages import (
    DataRequest,
    GivenSource,
    PointsSource,
    PresetSource,
    Source,
    UploadSource,
)
from gaussbayes.apps.lab.table_reader import NamedTable
from gaussbayes.apps.lab.training_data import Dataset, Table, number_table
from gaussbayes.apps.lab.wire_format import MessageError
from gaussbayes.data.rows import UNLABELLED

Value = TypeVar("Value")

_MOST_BYTES = 192 << 20
"""Of datasets, and of files as tables."""

_MOST_RESULTS = 200
"""Fits and the like."""


class Cache(Generic[Value]):
    """Values by their keys, up to a limit; what was not asked for the longest goes first.

    Parameters
    ----------
    most : how much may be kept, in the unit of `size`; the newest is kept however large it is
    size : how much a value takes; 1 each if not given

    Examples
    --------
    >>> cache = Cache(2)
    >>> [cache.recall(key, lambda: key.upper()) for key in "abca"]
    ['A', 'B', 'C', 'A']
    >>> cache.find("b") is None, cache.find("c")
    (True, 'C')
    """

    def __init__(self, most: int, size: Callable[[Value], int] = lambda _: 1) -> None:
        self._most = most
        self._size = size
        self._kept: OrderedDict[Hashable, Value] = OrderedDict()
        self._total = 0

    def find(self, key: Hashable) -> Value | None:
        """The value, if it is still there."""
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key]

    def recall(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value, made now if it is not there."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        return self.keep(key, make())

    def keep(self, key: Hashable, value: Value) -> Value:
        """Keep a value, and let go of as many as are too much."""
        if key in self._kept:
            self._total -= self._size(self._kept.pop(key))
        self._kept[key] = value
        self._total += self._size(value)
        while self._total > self._most and len(self._kept) > 1:
            _, gone = self._kept.popitem(last=False)
            self._total -= self._size(gone)
        return value


class Store:
    """Datasets by their ids, tables that were sent, and results by what they were asked with.

    Everything follows from requests: what was let go for lack of room is made again when it is
    asked for, but for files, which the page has to send again. One thread at a time may use it.

    Examples
    --------
    >>> from gaussbayes.apps.lab.messages import Split
    >>> store = Store()
    >>> request = DataRequest(1, PresetSource("unequal", 0, 40), None, Split(0.25))
    >>> data = store.dataset_of(request)
    >>> data.table.X.shape, int(data.test.sum()), store.dataset(data.key) is data
    ((40, 2), 10, True)
    """

    def __init__(self, given: NamedTable | None = None) -> None:
        self.given = given  # the table that the command was called with
        self._datasets: Cache[Dataset] = Cache(_MOST_BYTES, lambda dataset: dataset.n_bytes)
        self._uploads: Cache[NamedTable] = Cache(
            _MOST_BYTES, lambda upload: int(upload.table.nbytes)
        )
        self._results: Cache[Any] = Cache(_MOST_RESULTS)

    def dataset(self, key: str) -> Dataset:
        """The dataset with this id."""
        dataset = self._datasets.find(key)
        if dataset is None:
            msg = f"the data {key!r:.80} are not here any more; ask for them again"
            raise MessageError(msg)
        return dataset

    def dataset_of(self, request: DataRequest) -> Dataset:
        """The dataset that a request asks for."""
        asked = msgspec.json.encode((request.source, request.target, request.split))
        key = hashlib.sha256(asked).hexdigest()[:32]
        return self._datasets.recall(key, lambda: self._made(key, request))

    def keep(self, name: str, body: bytes) -> dict[str, Any]:
        """Keep a file that was sent; what the page is told of it."""
        key = hashlib.sha256(body + name.encode("utf-8", "replace")).hexdigest()[:32]
        upload = self._uploads.recall(key, lambda: table_reader.read_file(name, body))
        return {"upload": key, **upload.record}

    def recall(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """What was worked out under this key before, or is now."""
        value: Value = self._results.recall(key, make)
        return value

    def _made(self, key: str, request: DataRequest) -> Dataset:
        table = self._table(request.source, request.target)
        test, problem = model_views.hold_out(table, request.split)
        note = "; ".join(filter(None, (table.note, problem))) or None
        return Dataset(key, table, request.split, test, note)

    def _table(self, source: Source, target: str | None) -> Table:
        match source:
            case PresetSource():
                return example_table(source.preset, source.seed, source.n)
            case PointsSource():
                points = np.array(source.points, dtype=np.float64).reshape(-1, 3)
                codes = np.where(np.isnan(points[:, 2]), UNLABELLED, points[:, 2]).astype(np.int32)
                rows, labels = np.ascontiguousarray(points[:, :2]), np.array(source.classes)
                return number_table("Your points", rows, codes, labels, source.features)
            case UploadSource():
                upload = self._uploads.find(source.upload)
                if upload is None:
                    msg = "this file is not here any more; drop it on the page again"
                    raise MessageError(msg)
                return table_reader.labelled_rows(upload, target, source.features)
            case GivenSource():
                if self.given is None:
                    msg = "the command was called without data; choose an example or drop a file"
                    raise MessageError(msg)
                return table_reader.labelled_rows(self.given, target, source.features)
