"""A fresh installation fits a model: ``python tests/smoke.py native`` or ``reference``."""

import sys

from gaussbayes import AutoClassifier, __version__, datasets, kernels

if __name__ == "__main__":
    iris = datasets.load_iris()
    model = AutoClassifier().fit(iris.rows, iris.labels)
    assert model.score(iris.rows, iris.labels) > 0.9
    assert sys.argv[1] == kernels.active().NAME, kernels.active().NAME
    sys.stdout.write(f"gaussbayes {__version__}: {sys.argv[1]} kernels; irises fitted\n")
