"""The model file: JSON that holds everything a model has learnt, and nothing that could be run.

The format is described in docs/model-format.md and docs/model.schema.json.
"""

from gaussbayes.model.file.document import LARGEST_FILE
from gaussbayes.model.file.reader import load, load_estimator, loads
from gaussbayes.model.file.writer import dumps, save

__all__ = ["LARGEST_FILE", "dumps", "load", "load_estimator", "loads", "save"]
