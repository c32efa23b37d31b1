"""Families in a model file and in a pickle: every number comes back, and nonsense is named."""

import pickle
from dataclasses import fields, is_dataclass
from typing import Any

import msgspec
import numpy as np
import pytest

from gaussbayes.base.errors import FileError
from gaussbayes.base.records import decode
from gaussbayes.base.schema import Schema
from gaussbayes.families import family_records
from tests.families.cases import CASES, Case, estimated, random_table, written

pytestmark = pytest.mark.parametrize("case", CASES, ids=str)

NAMES = Schema(np.arange(3), 2)


def values_of(case: Case) -> dict[str, Any]:
    table = random_table(case, k=3, d=2, n=45, missing=0.1)
    weighted = table.statistics.scaled(1 / 3)
    complete = random_table(case, k=3, d=2, n=45)
    return {"settings": case.family, "statistics": weighted, "density": estimated(complete)}


def read(case: Case, part: str, data: bytes) -> Any:
    records = family_records(case.family.name)
    record = decode(data, getattr(records, f"{part.capitalize()}Record"))
    if part == "settings":
        return records.read_settings(record)
    return getattr(records, f"read_{part}")(record, case.family, NAMES)


def assert_equal(a: Any, b: Any) -> None:
    """To the bit, through all dataclasses."""
    if isinstance(a, np.ndarray):
        np.testing.assert_array_equal(a, b, strict=True)
    elif is_dataclass(a):
        assert type(a) is type(b)
        for field in fields(a):
            assert_equal(getattr(a, field.name), getattr(b, field.name))
    else:
        assert a == b


@pytest.mark.parametrize("part", ["settings", "statistics", "density"])
def test_files_give_everything_back(case: Case, part: str) -> None:
    value = values_of(case)[part]
    data = written(case, part, value)
    again = read(case, part, data)
    assert written(case, part, again) == data
    rows = random_table(case, k=3, n=20, missing=0.1).rows
    if part == "settings":
        assert again == value
    elif part == "density":
        np.testing.assert_array_equal(again.log_density(rows), value.log_density(rows))
    else:
        density = values_of(case)["density"]
        assert density.log_likelihood(again) == density.log_likelihood(value)


@pytest.mark.parametrize("part", ["settings", "statistics", "density"])
def test_pickles_give_everything_back(case: Case, part: str) -> None:
    value = values_of(case)[part]
    assert_equal(pickle.loads(pickle.dumps(value)), value)


def test_coordinates_can_be_sent_to_other_processes(case: Case) -> None:
    density = values_of(case)["density"]
    chart = case.family.coordinates(density, NAMES)
    again = pickle.loads(pickle.dumps(chart))
    np.testing.assert_array_equal(again.vector(density), chart.vector(density))


@pytest.mark.parametrize("part", ["statistics", "density"])
def test_nonsense_is_named(case: Case, part: str) -> None:
    """Arrays that are too short, of another type, negative where they cannot be, or not there."""
    data = msgspec.json.decode(written(case, part, values_of(case)[part]))
    for name, value in data.items():
        if not isinstance(value, list):
            continue
        other_length = value[:-1] if value else [1.0]
        for wrong in (other_length, "x", [*value[:-1], "x"], None, {}):
            with pytest.raises(FileError, match=name):
                read(case, part, msgspec.json.encode(data | {name: wrong}))
        with pytest.raises(FileError, match=name):
            read(case, part, msgspec.json.encode({k: v for k, v in data.items() if k != name}))
        if name in {"weight", "count", "missing", "observed", "total", "zeros", "ones", "rate"}:
            with pytest.raises(FileError, match=rf"{name}\[0\].*not negative"):
                read(case, part, msgspec.json.encode(data | {name: [-1.0, *value[1:]]}))
    with pytest.raises(FileError, match="surplus"):
        read(case, part, msgspec.json.encode(data | {"surplus": 1}))
