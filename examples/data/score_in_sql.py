"""
Score rows in a database
========================

`to_sql` writes a model as one SELECT. The database that holds the rows runs it, here SQLite, and
gives the posteriors that the model itself would give: also where a value is NULL.
"""

import sqlite3

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from gaussbayes import GaussianClassifier

iris = load_iris(as_frame=True)
petals = iris.data[["petal length (cm)", "petal width (cm)"]]
model = GaussianClassifier(covariance="diagonal").fit(petals, iris.target_names[iris.target])

rows = petals.assign(flower=np.arange(150))
rows.loc[::3, "petal width (cm)"] = None  # of every third flower only the length is known
connection = sqlite3.connect(":memory:")
rows.to_sql("flowers", connection, index=False)

statement = model.to_sql("flowers", "sqlite", keep=["flower"])
print(f"{len(statement):,} characters, which begin with\n{statement[:60]} …")
scored = np.array(
    connection.execute(f"SELECT flower, proba_versicolor FROM ({statement})").fetchall()
)

# %%
# What the database says, against what the model says of the same rows.
own = model.predict_proba(rows[petals.columns])[scored[:, 0].astype(int), 1]
print(f"largest difference: {np.abs(own - scored[:, 1]).max():.1e}")

lacks = rows["petal width (cm)"].isna().to_numpy()[scored[:, 0].astype(int)]
figure, axes = plt.subplots(figsize=(5, 4), layout="constrained")
for some, label in ((~lacks, "complete"), (lacks, "width is NULL")):
    axes.scatter(own[some], scored[some, 1], s=14, label=label)
axes.set(xlabel="p(versicolor | x) by the model", ylabel="by the SQL in SQLite")
axes.legend()
