"""Score rows in a database
========================

`export` writes a model as one SELECT. The database that holds the rows runs it, here SQLite, and
returns the posteriors of the model, also for rows with NULL.
"""

import sqlite3
import tempfile
from pathlib import Path

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

path = Path(tempfile.mkdtemp(), "score.sql")
model.export(path, table="flowers", dialect="sqlite", keep=["flower"])
statement = path.read_text()
print(f"{len(statement):,} characters, which begin with\n{statement[:60]} …")
scored = np.array(
    connection.execute(f"SELECT flower, proba_versicolor FROM ({statement})").fetchall()
)

# %%
# The posteriors of the database against those of the model.
own = model.predict_proba(rows[petals.columns])[scored[:, 0].astype(int), 1]
print(f"largest difference: {np.abs(own - scored[:, 1]).max():.1e}")

missing = rows["petal width (cm)"].isna().to_numpy()[scored[:, 0].astype(int)]
figure, axes = plt.subplots(figsize=(5, 4), layout="constrained")
for shown, label in ((~missing, "complete"), (missing, "width is NULL")):
    axes.scatter(own[shown], scored[shown, 1], s=14, label=label)
axes.set(xlabel="p(versicolor | x) by the model", ylabel="by the SQL in SQLite")
axes.legend()
