"""The old place of remedies."""

from gaussbayes.base.notices import AUTOMATIC_MODEL as AUTOMATIC_CHOICE
from gaussbayes.base.notices import Remedy

__all__ = ["AUTOMATIC_CHOICE", "Remedy"]
