"""A model in another runtime
==========================

An ONNX file scores rows where there is no gaussbayes; missing values are integrated out there, too.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import onnxruntime

from gaussbayes import GaussianClassifier, datasets

iris = datasets.load_iris()
model = GaussianClassifier().fit(iris.rows, iris.labels)
folder = Path(tempfile.mkdtemp())

generator = np.random.default_rng(0)
rows = iris.rows.copy()
rows[generator.random(rows.shape) < 0.25] = np.nan
expected = model.predict_proba(rows)

figure, ax = plt.subplots(layout="constrained")
for dtype in ("float64", "float32"):
    session = onnxruntime.InferenceSession(model.export(folder / "iris.onnx", dtype=dtype))
    label, posterior, _ = session.run(None, {"X": rows.astype(dtype)})
    print(f"{dtype}: {(label == model.predict(rows)).mean():.0%} of the labels are the same")
    ax.semilogy(np.sort(np.abs(posterior - expected).max(axis=1)) + 1e-18, label=dtype)
ax.set(xlabel="row, sorted", ylabel="difference of posteriors")
ax.legend()
