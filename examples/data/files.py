"""Files larger than memory
========================

Rows are read in blocks, and each block is reduced to its sufficient statistics.
"""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from gaussbayes import GaussianClassifier, make_gaussian_dataset, plots

X, y = make_gaussian_dataset(5000, [[0, 0], [3, 2]], [[2, 1], [1, 1]], random_state=0, shuffle=True)
rows = pd.DataFrame(X, columns=["height", "girth"]).assign(tree=np.array(["ash", "oak"])[y])

with tempfile.TemporaryDirectory() as folder:
    for day in range(4):
        rows[day::4].to_csv(Path(folder, f"day{day}.csv.gz"), index=False)
    model = GaussianClassifier().fit(folder, "tree")
    size = model.save(Path(folder, "trees.json")).stat().st_size
print(f"{len(rows):,} rows; the model file has {size:,} bytes")
plots.regions(model, rows[:300], "tree")
