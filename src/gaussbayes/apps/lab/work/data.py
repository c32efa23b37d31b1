"""The rows of a dataset, as the page draws them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.apps.lab.datasets import Dataset, Store
from gaussbayes.apps.lab.messages import DataRequest
from gaussbayes.apps.lab.work.answer import Answer, answered, single
from gaussbayes.apps.lab.work.scene import parameters_record
from gaussbayes.apps.lab.work.sight import shown, true_sight


def answer_data(request: DataRequest, store: Store) -> Answer:
    """Points, classes, and which of them are held out."""
    dataset = store.dataset_of(request)
    table = dataset.table
    head = {
        "id": dataset.key,
        "name": table.name,
        "classes": dataset.classes,
        "features": table.features,
        "n": table.codes.size,
        "pair": dataset.pair,
        "truth": _truth(dataset, store),
        "target": table.target,
        "columns": table.columns or (*table.features, table.target),
        "problem": dataset.problem,
    }
    arrays: dict[str, NDArray[Any]] = {
        "points": single(table.X),
        "codes": table.codes.astype(np.uint8),
        "test": dataset.test.astype(np.uint8),
    }
    return answered(request, head, arrays)


def _truth(dataset: Dataset, store: Store) -> dict[str, Any] | None:
    """The true parameters of the first two features."""
    truth = true_sight(dataset, shown(dataset, dataset.pair), store)
    return None if truth is None else parameters_record(truth)
