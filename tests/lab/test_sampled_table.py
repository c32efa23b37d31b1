"""The rows of the command line: all of them, or a sample in their order."""

import numpy as np
import pyarrow as pa
import pytest

from gaussbayes.apps.lab.lab_tables import labelled_rows, sampled_table


def parts(n: int, size: int) -> list[pa.Table]:
    numbers = np.arange(n)
    return [pa.table({"x": numbers[i : i + size]}) for i in range(0, n, size)]


def test_few_rows_are_all_there() -> None:
    given = sampled_table(parts(50, 7), "a.csv", "y", most=50, seed=1)
    assert given is not None
    assert (given.name, given.target) == ("a.csv", "y")
    assert given.table["x"].to_pylist() == list(range(50))


@pytest.mark.parametrize("size", [1, 7, 100, 1000])
def test_many_rows_are_a_sample(size: int) -> None:
    given = sampled_table(parts(1000, size), "a.csv", None, most=100, seed=1)
    assert given is not None
    found = given.table["x"].to_pylist()
    assert len(found) == 100
    assert found == sorted(set(found))
    assert "100 of its 1,000 rows, drawn with seed 1" in given.name
    again = sampled_table(parts(1000, size), "a.csv", None, most=100, seed=1)
    assert again is not None
    assert again.table.equals(given.table)
    other = sampled_table(parts(1000, size), "a.csv", None, most=100, seed=2)
    assert other is not None
    assert not other.table.equals(given.table)


def test_every_row_is_as_probable_as_any_other() -> None:
    counts = np.zeros(40)
    for seed in range(2000):
        given = sampled_table(parts(40, 9), "a.csv", None, most=10, seed=seed)
        assert given is not None
        counts[given.table["x"].to_numpy()] += 1
    # 500 expected of each, standard deviation sqrt(2000 · 1/4 · 3/4) = 19.4
    assert np.abs(counts - 500).max() < 4.5 * 19.4


@pytest.mark.parametrize("tables", [[], [pa.table({"x": pa.array([], pa.float64())})]])
def test_no_rows(tables: list[pa.Table]) -> None:
    assert sampled_table(tables, "a.csv", None, seed=0) is None


def test_categories_of_all_parts_are_united() -> None:
    """Each block of a file has a dictionary of its own."""
    towns = [["u", "v"] * 4, ["v", "w"] * 4, [None, "u"] * 4]
    tables = [
        pa.table(
            {
                "code": [3, 7, 7, 3] * 2,
                "town": pa.array(part).dictionary_encode(),
                "y": ["a", "b"] * 4,
            }
        )
        for part in towns
    ]
    given = sampled_table(tables, "a.parquet", "y", seed=0, categorical={"code"})
    assert given is not None
    table = labelled_rows(given)
    assert table.categorical == ("code", "town")
    assert table.categories == ((3, 7), ("u", "v", "w"))
    decoded = [None if code < 0 else table.categories[1][code] for code in table.rows.codes[:, 1]]
    assert decoded == [town for part in towns for town in part]
