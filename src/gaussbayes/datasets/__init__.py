"""Small tables that come with the package, for the demonstration and for trying things out."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from gaussbayes.base.types import LabelArray, RealArray


@dataclass(frozen=True, slots=True)
class Dataset:
    """A labelled table: one row of numbers and one label for each thing that was measured.

    Examples
    --------
    >>> load_iris().feature_names[0], load_iris().labels.shape
    ('sepal length (cm)', (150,))
    """

    rows: RealArray  #: (n, d) numbers
    labels: LabelArray  #: (n,) label of each row
    feature_names: tuple[str, ...]  #: d of them
    class_names: tuple[str, ...]  #: k of them, in order of first appearance
    source: str  #: where the table is from


def load_iris() -> Dataset:
    """Fisher's irises: 150 flowers, four lengths in centimetres, three species of 50 each.

    The values are those of Fisher (1936), Table I, as scikit-learn distributes them; the copy of
    the UCI repository differs in two flowers. The data are in the public domain.

    References
    ----------
    R. A. Fisher, "The use of multiple measurements in taxonomic problems", Annals of Eugenics 7
    (1936), pages 179-188.

    Examples
    --------
    >>> iris = load_iris()
    >>> iris.rows.shape, iris.class_names
    ((150, 4), ('setosa', 'versicolor', 'virginica'))
    >>> iris.rows[0].tolist(), str(iris.labels[0])
    ([5.1, 3.5, 1.4, 0.2], 'setosa')
    """
    text = files("gaussbayes.datasets").joinpath("iris.csv").read_text(encoding="utf-8")
    header, *lines = csv.reader(text.splitlines())
    labels = [line[-1] for line in lines]
    return Dataset(
        rows=np.array([line[:-1] for line in lines], dtype=np.float64),
        labels=np.array(labels),
        feature_names=tuple(header[:-1]),
        class_names=tuple(dict.fromkeys(labels)),
        source="R. A. Fisher, Annals of Eugenics 7 (1936), 179-188",
    )


def load_sentences() -> Dataset:
    """Vectors of 480 short requests to a service desk: 24 classes, 384 features in float32.

    A class is the subject of a request (parcel, invoice, account, booking, repair, lesson) and what
    is to be done (status, cancel, change, complain). The sentences come from a grammar written for
    this package, `benchmarks/sentences.py`; the vectors, of length 1, from the network
    all-MiniLM-L6-v2 (Apache License 2.0), rounded to half precision.

    Examples
    --------
    >>> requests = load_sentences()
    >>> requests.rows.shape, requests.rows.dtype.name, requests.class_names[:2]
    ((480, 384), 'float32', ('parcel status', 'parcel cancel'))
    """
    with files("gaussbayes.datasets").joinpath("sentences.npz").open("rb") as file:
        table = np.load(file, allow_pickle=False)
        vectors, labels = table["vectors"].astype(np.float32), table["labels"]
    return Dataset(
        rows=vectors,
        labels=labels,
        feature_names=tuple(f"feature {number}" for number in range(vectors.shape[1])),
        class_names=tuple(dict.fromkeys(labels.tolist())),
        source="benchmarks/sentences.py, embedded by all-MiniLM-L6-v2",
    )
