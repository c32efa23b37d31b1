"""Which Java the tests of Spark run on, and what happens where there is none."""

import os

from gaussbayes.data.spark import HOW_TO_GET_JAVA as HOW
from gaussbayes.data.spark import check_java

__all__ = ["HOW", "is_required", "is_there"]


def is_there() -> bool:
    """Whether there is a Java that Spark can run on."""
    try:
        check_java()
    except FileNotFoundError:
        return False
    return True


def is_required() -> bool:
    """Whether a Java that is not there is an error, as it is in continuous integration."""
    return os.environ.get("GAUSSBAYES_JAVA") == "required" or os.environ.get("CI") == "true"
