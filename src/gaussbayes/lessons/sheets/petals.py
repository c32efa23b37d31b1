"""Petals of two species."""

import numpy as np

from gaussbayes.lessons.lesson import Table

SPECIES_A = (1.8, 2.1, 2.5, 3.2, 3.8)
SPECIES_B = (5.8, 6.7, 7.0)


def table() -> Table:
    """Eight petals and their species."""
    lengths = np.array(SPECIES_A + SPECIES_B)
    species = np.repeat(["A", "B"], [len(SPECIES_A), len(SPECIES_B)])
    return Table("petals", lengths[:, None], species, ("petal length (cm)",), "listed by the sheet")
