"""What is kept, found again, and let go."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from gaussbayes.apps.lab.lab_tables import NamedTable, keep_table
from gaussbayes.apps.lab.messages import (
    DataRequest,
    GivenSource,
    PointsSource,
    PresetSource,
    Split,
    UploadSource,
)
from gaussbayes.apps.lab.store import Cache, Store
from gaussbayes.apps.lab.wire_format import MessageError
from tests.lab.tables import read_bytes

FLOWERS = b"length,width,kind\n1.5,2,a\n2.5,,b\n3,4,b\n"


def request(source: object, target: str | None = None, split: Split | None = None) -> DataRequest:
    return DataRequest(1, source, target, split or Split())  # type: ignore[arg-type]


def test_the_same_request_is_the_same_dataset() -> None:
    store = Store()
    first = store.dataset_of(request(PresetSource("unequal", 0, 30)))
    assert store.dataset_of(request(PresetSource("unequal", 0, 30))) is first
    assert store.dataset(first.key) is first
    others = [
        request(PresetSource("unequal", 1, 30)),
        request(PresetSource("unequal", 0, 31)),
        request(PresetSource("unequal", 0, 30), split=Split(0.5)),
        request(PresetSource("shared", 0, 30)),
    ]
    keys = {first.key, *(store.dataset_of(other).key for other in others)}
    assert len(keys) == 5


def test_painted_points_differ_by_what_they_are() -> None:
    store = Store()

    def key(rows: list[list[float]], codes: list[int], names: tuple[str, ...] = ("p", "q")) -> str:
        points = tuple((x, y, code) for (x, y), code in zip(rows, codes, strict=True))
        source = PointsSource(points, names, ("a", "b"))
        return store.dataset_of(request(source)).key

    one = key([[0, 1], [2, 3]], [0, 1])
    assert one == key([[0, 1], [2, 3]], [0, 1])
    others = {
        key([[0, 1], [2, 4]], [0, 1]),
        key([[0, 1], [2, 3]], [1, 0]),
        key([[0, 1], [2, 3]], [0, 1], ("p", "r")),
    }
    assert len(others - {one}) == 3


def test_unknown_data_are_asked_for_again() -> None:
    with pytest.raises(MessageError, match="not here any more; ask for them again"):
        Store().dataset("abc")


def test_a_file_that_was_sent(tmp_path: Path) -> None:
    store = Store(folder=tmp_path)
    told = keep_table(tmp_path, read_bytes("flowers.csv", FLOWERS))
    assert told["columns"] == ["length", "width", "kind"]
    assert (told["rows"], told["target"], told["name"]) == (3, "kind", "flowers.csv")
    table = store.dataset_of(request(UploadSource(upload=told["upload"]))).table
    np.testing.assert_array_equal(table.X, [[1.5, 2], [2.5, np.nan], [3, 4]])
    assert table.labels[table.codes].tolist() == ["a", "b", "b"]
    assert (table.features, table.target) == (("length", "width"), "kind")
    chosen = store.dataset_of(
        request(UploadSource(upload=told["upload"], features=("width",)))
    ).table
    assert chosen.features == ("width",)


def test_a_file_that_was_not_sent() -> None:
    with pytest.raises(MessageError, match="drop it on the page again"):
        Store().dataset_of(request(UploadSource(upload="abc")))


def test_the_table_of_the_command() -> None:
    table = pa.table({"kind": ["a", "b", None], "age": [1, 2, 3], "sex": [0, 1, 1]})
    store = Store(NamedTable("people.csv", table, "sex"))
    assert store.given is not None
    assert store.given.record == {
        "name": "people.csv",
        "columns": ["kind", "age", "sex"],
        "rows": 3,
        "target": "sex",
    }
    own = store.dataset_of(request(GivenSource(None))).table
    assert (own.target, own.features, own.labels.tolist()) == ("sex", ("age",), [0, 1])
    other = store.dataset_of(request(GivenSource(None), "kind")).table
    assert (other.target, other.features, other.X.shape) == ("kind", ("age", "sex"), (3, 2))
    assert other.codes.tolist() == [0, 1, -1]


def test_a_command_without_data() -> None:
    store = Store()
    with pytest.raises(MessageError, match="the command was called without data"):
        store.dataset_of(request(GivenSource(None)))


def test_the_cache_lets_go_of_what_was_not_asked_for_longest() -> None:
    cache: Cache[str] = Cache(5, len)
    for key in "ab":
        cache.recall(key, lambda: "xx")
    assert cache.recall("a", lambda: "never") == "xx"
    cache.recall("c", lambda: "xx")
    assert [cache.find(key) for key in "abc"] == ["xx", None, "xx"]
    cache.recall("d", lambda: "x" * 100)  # the newest stays, however large
    assert [cache.find(key) for key in "acd"] == [None, None, "x" * 100]
    cache.recall("e", lambda: "xxxx")
    assert [cache.find(key) for key in "de"] == [None, "xxxx"]


def test_the_cache_keeps_none_too() -> None:
    cache: Cache[str | None] = Cache(5)
    assert cache.recall("a", lambda: None) is None
    assert cache.recall("a", lambda: "made again") is None
