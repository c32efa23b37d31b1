"""The rows that the lab looks at: examples, tables that were sent, and points that were painted.

`Store` keeps what was asked for lately and finds it again by its id; `dataset` says what a dataset
is, `presets` which examples there are, `tables` how a table becomes one, `split` which rows are
held out.
"""

from gaussbayes.apps.lab.datasets.dataset import Dataset
from gaussbayes.apps.lab.datasets.store import Store

__all__ = ["Dataset", "Store"]
