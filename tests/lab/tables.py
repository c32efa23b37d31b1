"""A table of numbers and categories, values and labels of which may be missing."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from gaussbayes.apps.lab.lab_tables import NamedTable, read_file
from gaussbayes.apps.lab.store import Store
from tests.lab.page import Page


def people(n: int = 150, missing: float = 0.0, unlabelled: float = 0.0) -> pd.DataFrame:
    """Two classes by three numbers, one of them a count, and two features of categories."""
    rng = np.random.default_rng(8)
    code = rng.integers(2, size=n)
    frame = pd.DataFrame(
        {
            "height": rng.normal(size=n) + code,
            "town": np.array(["u", "v", "w"], object)[(code + rng.integers(2, size=n)) % 3],
            "weight": rng.normal(size=n) * (1 + code),
            "visits": rng.poisson(2 + 3 * code),
            "smoker": np.array(["yes", "no"], object)[rng.integers(2, size=n)],
        }
    )
    frame["weight"] += 0.5 * frame["height"]
    frame = frame.mask(rng.random(frame.shape) < missing)
    kind = np.array(["ill", "well"], object)[code]
    kind[rng.random(n) < unlabelled] = None
    return frame.assign(kind=kind)


def open_page(frame: pd.DataFrame, **split: Any) -> tuple[Page, str]:
    """A page that shows a table, and the id of its data."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    page = Page(Store(NamedTable("people", table, "kind")))
    return page, page.ask("data", source={"from": "given"}, split=split).head["id"]


def read_bytes(name: str, body: bytes) -> NamedTable:
    """A file of this content, as the lab reads it."""
    with tempfile.TemporaryDirectory(prefix="gaussbayes-lab-") as folder:
        path = Path(folder, "table")
        path.write_bytes(body)
        return read_file(name, path)
