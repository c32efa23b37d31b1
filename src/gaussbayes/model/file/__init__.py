"""The model file: JSON with all parts of a model and no executable content.

The format is described in docs/model-format.md.
"""

from gaussbayes.model.file.codec import dumps, load_estimator, loads, save

__all__ = ["dumps", "load_estimator", "loads", "save"]
