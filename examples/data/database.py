"""A database
==========

Rows of a DuckDB relation or a lazy frame are read in batches, so that they need not fit into
memory.

It needs DuckDB and Polars: pip install duckdb polars.
"""

import duckdb
import numpy as np
import polars as pl

from gaussbayes import Columns, GaussianClassifier, plots

database = duckdb.connect()  # in memory; give a path for a database on disk
database.execute(
    """
    CREATE TABLE trees AS
    SELECT
        CASE WHEN i % 3 = 0 THEN 'oak' ELSE 'ash' END AS kind,
        20 + 5 * sin(i) + CASE WHEN i % 3 = 0 THEN 8 ELSE 0 END AS height,
        1e8 + cos(2 * i) + 0.2 * sin(i) AS position,
        1 + i % 4 AS seen
    FROM range(300_000) AS numbers(i)
    """
)

# A table, or any query; each batch is reduced to the statistics of its classes.
trees = database.table("trees")
measured = Columns(features=["height", "position"])
model = GaussianClassifier(columns=measured).fit(trees, "kind")
for name, prior, mean in zip(model.classes_, model.priors_, model.means_, strict=True):
    print(f"{name}: prior {prior:.3f}, mean height {mean[0]:.2f}")

# Positions that agree to eight digits lose no accuracy: the sums are relative to the means.
rows = trees.df()
at_once = GaussianClassifier(columns=measured).fit(rows, "kind")
apart = np.abs(model.covariances_ - at_once.covariances_).max()
print(f"covariances differ from those of the rows in memory by {apart:.1e} at most")

# Weights, a filter, another engine: a lazy Polars frame.
tall = pl.from_pandas(rows).lazy().filter(pl.col("height") > 18)
height = Columns(features=["height"])
model = GaussianClassifier("diagonal", columns=height).fit(tall, "kind", sample_weight="seen")
for name, prior in zip(model.classes_, model.priors_, strict=True):
    print(f"tall {name}: prior {prior:.3f}")

# %%
plots.densities(model)
