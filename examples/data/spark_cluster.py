"""A Spark cluster
===============

The partitions of a Spark DataFrame stay on their executors: each sends one record of statistics.
The model file is that of one machine which reads the same partitions, byte by byte.

It needs Spark and Java 17: pip install 'gaussbayes[spark]'. It is not run for this page; it prints

.. code-block:: text

    600 rows in 3 partitions
    the model file is that of one process, byte by byte: True
    accuracy 99.8%
"""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet
from pyspark.sql import SparkSession

from gaussbayes import GaussianClassifier, make_gaussian_dataset

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

model = GaussianClassifier().fit(frame, "kind")
alone = GaussianClassifier().fit(days, "kind")
written = [each.save(folder / "model.json").read_bytes() for each in (model, alone)]
print(f"{len(X)} rows in {frame.rdd.getNumPartitions()} partitions")
print("the model file is that of one process, byte by byte:", written[0] == written[1])

# Executors predict, too: the model is sent to them with the function.
schema = "kind string, prediction string"
predicted = frame.mapInPandas(
    lambda parts: (p[["kind"]].assign(prediction=model.predict(p)) for p in parts), schema
)
right = predicted.where("prediction = kind").count() / len(X)
print(f"accuracy {right:.1%}")
