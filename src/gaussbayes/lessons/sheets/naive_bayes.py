"""Six rows and their membership of two classes."""

import numpy as np

from gaussbayes.lessons.lesson import Table

ROWS = ((1.0, 8.0), (2.5, 7.5), (2.0, 7.0), (8.5, 2.5), (9.0, 2.0), (8.0, 1.0))
MEMBERSHIP = ((0, 1), (0, 1), (0, 1), (1, 0), (1, 0), (1, 0))
"""The sheet's z: column 0 is its class 1, column 1 its class 2."""


def table() -> Table:
    """The rows with the sheet's names of the classes, 1 and 2."""
    labels = np.where(np.array(MEMBERSHIP)[:, 0] == 1, 1, 2)
    return Table("rows", np.array(ROWS), labels, ("feature 1", "feature 2"), "listed by the sheet")
