"""What the lab keeps between requests: datasets, files that were sent, and what was worked out."""

import hashlib
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from gaussbayes.apps.lab.datasets import presets, tables
from gaussbayes.apps.lab.datasets.dataset import Dataset, Table
from gaussbayes.apps.lab.datasets.memory import Memory
from gaussbayes.apps.lab.datasets.split import held_out
from gaussbayes.apps.lab.messages.error import MessageError
from gaussbayes.apps.lab.messages.requests import DataRequest
from gaussbayes.apps.lab.messages.sources import (
    GivenSource,
    PointsSource,
    PresetSource,
    Source,
    UploadSource,
)

if TYPE_CHECKING:
    import pyarrow as pa

Value = TypeVar("Value")

_MOST_BYTES = 512 << 20
"""Of datasets, and of files as tables."""

_MOST_RESULTS = 200
"""Fits and the like."""


class Given(Protocol):
    """The table that the command was called with."""

    @property
    def name(self) -> str:
        """What it is called on the page."""

    @property
    def table(self) -> "pa.Table":
        """All columns."""

    @property
    def target(self) -> str | None:
        """The column of the classes, if it was named."""


class Store:
    """Datasets by their ids, tables that were sent, and results by what they were asked with.

    Everything follows from requests: what was let go for lack of room is made again when it is
    asked for, but for files, which the page has to send again. One thread at a time may use it.

    Examples
    --------
    >>> from gaussbayes.apps.lab.messages import PresetSource, Split
    >>> store = Store()
    >>> asked = DataRequest(1, PresetSource("unequal", 0, 40), None, Split(0.25))
    >>> data = store.dataset_of(asked)
    >>> data.table.X.shape, int(data.test.sum()), store.dataset(data.key) is data
    ((40, 2), 10, True)
    """

    def __init__(self, given: Given | None = None) -> None:
        self.given = given
        self._datasets: Memory[Dataset] = Memory(_MOST_BYTES, lambda one: one.n_bytes)
        self._uploads: Memory[tuple[str, pa.Table]] = Memory(
            _MOST_BYTES, lambda one: int(one[1].nbytes)
        )
        self._results: Memory[Any] = Memory(_MOST_RESULTS)

    def dataset(self, key: str) -> Dataset:
        """The dataset with this id."""
        found = self._datasets.find(key)
        if found is None:
            msg = f"the data {key!r:.80} are not here any more; ask for them again"
            raise MessageError(msg)
        return found

    def dataset_of(self, request: DataRequest) -> Dataset:
        """The dataset that a request asks for."""
        key = _digest(request)
        return self._datasets.recall(key, lambda: self._made(key, request))

    def keep(self, name: str, body: bytes) -> dict[str, Any]:
        """Keep a file that was sent; what the page is told of it."""
        key = hashlib.sha256(body + name.encode("utf-8", "replace")).hexdigest()[:32]
        _, table = self._uploads.recall(key, lambda: (name, tables.read_file(name, body)))
        return {"upload": key, "name": name, **_described(table)}

    def about_given(self) -> dict[str, Any] | None:
        """What the page is told of the table that the command was called with."""
        if self.given is None:
            return None
        told = {"name": self.given.name, **_described(self.given.table)}
        return told | {"target": self.given.target or told["target"]}

    def recall(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """What was worked out under this key before, or is now."""
        value: Value = self._results.recall(key, make)
        return value

    def _made(self, key: str, request: DataRequest) -> Dataset:
        table = self._table(request.source, request.target)
        test, problem = held_out(table, request.split)
        said = "; ".join(filter(None, (table.note, problem))) or None
        return Dataset(key, table, request.split, test, said)

    def _table(self, source: Source, target: str | None) -> Table:
        match source:
            case PresetSource():
                return presets.made(source.preset, source.seed, source.n)
            case PointsSource():
                labels = np.array(source.classes)
                return Table("Your points", source.rows, source.codes, labels, source.features)
            case UploadSource():
                kept = self._uploads.find(source.upload)
                if kept is None:
                    msg = "this file is not here any more; drop it on the page again"
                    raise MessageError(msg)
                return tables.labelled(*kept, target, source.features)
            case GivenSource():
                if self.given is None:
                    msg = "the command was called without data; choose an example or drop a file"
                    raise MessageError(msg)
                chosen = target or self.given.target
                return tables.labelled(self.given.name, self.given.table, chosen, source.features)


def _described(table: "pa.Table") -> dict[str, Any]:
    return {
        "columns": table.column_names,
        "rows": table.num_rows,
        "target": tables.likely_target(table),
    }


def _digest(request: DataRequest) -> str:
    """What distinguishes this dataset from others."""
    digest = hashlib.sha256(repr((request.target, request.split)).encode("utf-8"))
    source = request.source
    if isinstance(source, PointsSource):
        digest.update(repr((source.classes, source.features)).encode("utf-8"))
        digest.update(source.rows.tobytes())
        digest.update(source.codes.tobytes())
    else:
        digest.update(repr(source).encode("utf-8"))
    return digest.hexdigest()[:32]
