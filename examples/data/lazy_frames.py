"""Scores of lazy frames
=====================

`predict_proba` of a lazy Polars frame, or of a DuckDB relation, is a table of the same kind with
more columns: formulas that the engine works out together with whatever else is asked of it, where
the rows are. What is missing is integrated out there, too.

It needs Polars and DuckDB: pip install polars duckdb 'gaussbayes[sql]'.
"""

import duckdb
import matplotlib.pyplot as plt
import numpy as np
import polars as pl

from gaussbayes import GaussianClassifier, datasets

iris = datasets.load_iris()
names = [name.removesuffix(" (cm)") for name in iris.feature_names]
flowers = pl.DataFrame(iris.rows, schema=names).with_row_index("flower")
model = GaussianClassifier(shared=True).fit(flowers.select(names), iris.labels)

lacking = flowers.lazy().with_columns(
    pl.when(pl.col("flower") % 2 == 0).then("petal length").alias("petal length")
)
scored = model.predict_proba(lacking)  # nothing has been calculated yet
doubtful = scored.filter(pl.max_horizontal(pl.selectors.starts_with("proba_")) < 0.9)
print(f"{type(scored).__name__}: {doubtful.collect().height} flowers are in doubt")

# %%
# The same of a relation of DuckDB, which counts the labels.
relation = duckdb.connect().from_arrow(flowers.to_arrow())
print(model.predict(relation).aggregate("prediction, count(*) AS n").order("prediction"))

# %%
# What Polars says, against what the model says of the same rows.
table = scored.collect()
own = model.predict_proba(table.select(names))
there = table.select(pl.selectors.starts_with("proba_")).to_numpy()
print(f"largest difference: {np.abs(own - there).max():.0e}")
figure, axes = plt.subplots(figsize=(5, 4), layout="constrained")
for odd, label in ((1, "complete"), (0, "petal length is null")):
    axes.scatter(own[odd::2, 1], there[odd::2, 1], s=14, label=label)
axes.set(xlabel="p(versicolor | x) by the model", ylabel="by Polars")
axes.legend()
