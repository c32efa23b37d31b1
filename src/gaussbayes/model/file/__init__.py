"""The model file: JSON that holds everything a model consists of, and nothing that could be run.

The format is described in docs/model-format.md.
"""

from gaussbayes.model.file.codec import dumps, load_estimator, loads, save

__all__ = ["dumps", "load_estimator", "loads", "save"]
