"""The table of `tests.model.tables` as records of the package, for rows that are held out."""

from typing import Any

import numpy as np

from gaussbayes.base.schema import Schema
from gaussbayes.data.rows import LabelledRows, Rows, Targets
from gaussbayes.model.options import internal_options
from gaussbayes.model.settings import Settings

CLASSES = np.array(["dry", "mild", "wet"])
SCHEMA = Schema(CLASSES, 5, ("pressure", "wind", "warmth", "storms", "month"), (1, 4))
"""Two numbers, a count and two categories."""

FAMILIES = {"storms": "poisson"}
CATEGORIES = (("gale", "high", "low"), ("april", "may"))


def weather(
    n: int = 60,
    seed: int = 0,
    missing: float = 0.0,
    unlabelled: float = 0.0,
    weighted: bool = False,
) -> LabelledRows:
    """Rows of three classes in turn."""
    random = np.random.default_rng(seed)
    y = np.arange(n, dtype=np.int32) % 3
    X = random.normal(size=(n, 2)) @ [[1.0, 0.5], [0.0, 1.0]] + np.outer(y, [1.0, -0.7])
    numbers = np.column_stack([X, random.poisson(1.0 + y)])
    numbers[random.random(numbers.shape) < missing] = np.nan
    wind = (3 * random.beta(1.0 + y, 2.0)).astype(np.int32)
    codes = np.column_stack([wind, random.random(n) < 0.3 + 0.2 * y]).astype(np.int32)
    codes[random.random(codes.shape) < missing] = -2
    y[random.random(n) < unlabelled] = -1
    weights = random.choice([0.5, 1.0, 2.0], n) if weighted else None
    targets = Targets(y, 3, weights, int((y < 0).sum()))
    return LabelledRows(Rows(numbers, codes, CATEGORIES), targets, CLASSES)


def taken(table: LabelledRows, which: Any) -> LabelledRows:
    """Some rows of a table."""
    return LabelledRows(table.rows[which], table.targets[which], table.classes)


def settings_of(**options: Any) -> Settings:
    """Settings for this table."""
    return internal_options(**{"families": FAMILIES, **options}).settings(SCHEMA)
