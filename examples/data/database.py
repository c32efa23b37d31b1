"""A database
==========

The database or lazy frame computes the sufficient statistics, and only these leave it.

It needs DuckDB and Polars: pip install duckdb polars.
"""

import duckdb
import numpy as np
import polars as pl

from gaussbayes import GaussianClassifier, plots

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

# A table, or any query; DuckDB works it out and hands over one row for each class.
trees = database.table("trees")
model = GaussianClassifier().fit_source(trees, "kind", features=["height", "position"])
for name, prior, mean in zip(model.classes_, model.priors_, model.means_, strict=True):
    print(f"{name}: prior {prior:.3f}, mean height {mean[0]:.2f}")

# A position that is the same to eight digits loses none: the sums are taken about the means.
rows = trees.df()
at_once = GaussianClassifier().fit(rows[["height", "position"]], rows["kind"])
apart = np.abs(model.covariances_ - at_once.covariances_).max()
print(f"covariances differ from those of the rows in memory by {apart:.1e} at most")

# Weights, a filter, another engine: a lazy Polars frame.
tall = pl.from_pandas(rows).lazy().filter(pl.col("height") > 18)
model = GaussianClassifier("diagonal").fit_source(tall, "kind", features=["height"], weights="seen")
for name, weight in zip(model.classes_, model.moments_.weight, strict=True):
    print(f"tall {name}: weight {weight:.0f}")

# %%
plots.densities(model)
