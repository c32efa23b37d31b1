"""A Spark cluster
===============

The partitions of a Spark DataFrame stay on their executors: each sends one record of statistics.
The model file is that of one machine which reads the same partitions, byte by byte.

It needs Spark and Java 17: pip install 'gaussbayes[spark]'. Nothing is shown here, for want of a
cluster; what it prints is

.. code-block:: text

    600 rows in 3 partitions
    the model file is that of one process, byte by byte: True
    right on 99.8% of the rows
"""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet
from pyspark.sql import SparkSession

from gaussbayes import GaussianClassifier, make_gaussian_dataset
from gaussbayes.data.spark import predictions

X, y = make_gaussian_dataset([200] * 3, [[-3, -3], [3, -3], [0, 3]], random_state=0, shuffle=True)
kinds = np.array(["ash", "elm", "oak"])[y]
folder = Path(tempfile.mkdtemp())
days = [folder / f"day{number}.parquet" for number in range(1, 4)]
for path, part in zip(days, np.array_split(np.arange(len(X)), 3), strict=True):
    columns = {"length": X[part, 0], "width": X[part, 1], "kind": kinds[part]}
    parquet.write_table(pa.table(columns), path)

spark = SparkSession.builder.getOrCreate()
frame = spark.read.parquet(str(days[0]))
for path in days[1:]:
    frame = frame.union(spark.read.parquet(str(path)))

model = GaussianClassifier().fit_source(frame, "kind")
alone = GaussianClassifier().fit_source(days, "kind")
written = [each.save(folder / "model.json").read_bytes() for each in (model, alone)]
print(f"{int(model.moments_.weight.sum())} rows in {frame.rdd.getNumPartitions()} partitions")
print("the model file is that of one process, byte by byte:", written[0] == written[1])

# Predictions are a column that Spark computes when it is asked for.
right = predictions(model, frame).where("prediction = kind").count() / len(X)
print(f"right on {right:.1%} of the rows")
