"""A Dask cluster
==============

Data on a cluster of processes: the model is the same, to the last bit, as on one machine.

It needs Dask: pip install 'gaussbayes[dask]'.
"""

import logging
import tempfile
from pathlib import Path

import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client, LocalCluster

from gaussbayes import GaussianClassifier, make_gaussian_dataset, read


def main() -> None:
    """Run the example; workers are new processes that import this file, so imports must not."""
    X, y = make_gaussian_dataset(
        [30_000, 20_000, 10_000], [[-3, -3], [3, -3], [0, 3]], random_state=0, shuffle=True
    )
    rows = pd.DataFrame(X, columns=["length", "width"])
    rows["kind"] = np.array(["ash", "elm", "oak"])[y]

    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.ERROR
        ) as cluster,
        Client(cluster) as client,
    ):
        days = [Path(folder, f"day{number}.parquet") for number in range(1, 7)]
        for path, part in zip(days, np.array_split(np.arange(len(rows)), 6), strict=True):
            rows.iloc[part].to_parquet(path, index=False)

        # Files: each worker reads some, and sends a small summary of each class.
        model = GaussianClassifier().fit(read(days, client=client), "kind")
        alone = GaussianClassifier().fit(days, "kind")
        written = [each.save(Path(folder, "model.json")).read_bytes() for each in (model, alone)]
        print(f"{len(rows):,} rows on {len(cluster.workers)} workers")
        print("the model file is that of one process, byte by byte:", written[0] == written[1])

        # A DataFrame: its partitions stay where they are, and so do the predictions.
        frame = dd.from_map(pd.read_parquet, days)
        frame["prediction"] = frame.map_partitions(model.predict, meta=("prediction", "object"))
        right = (frame["prediction"] == frame["kind"]).mean().compute()
        print(f"accuracy {right:.1%}")


if __name__ == "__main__":
    main()
