"""Clouds that differ in their correlation only."""

import numpy as np

from gaussbayes.lessons.lesson import Table

FALLING = ((-2.0, 1.0), (-1.0, 2.0), (1.0, -2.0), (2.0, -1.0))
LEVEL = ((-2.0, -1.0), (-1.0, 2.0), (1.0, -2.0), (2.0, 1.0))
RISING = ((-2.0, -1.0), (-1.0, -2.0), (1.0, 2.0), (2.0, 1.0))


def table() -> Table:
    """Three clouds of four points with mean (0, 0) and variances 2.5."""
    labels = np.repeat(["falling", "level", "rising"], 4)
    source = "made for this lesson: the sheet shows pictures and no numbers"
    return Table("clouds", np.array(FALLING + LEVEL + RISING), labels, ("x1", "x2"), source)
