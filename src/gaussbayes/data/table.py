"""Old names; goes when nobody imports it."""

from gaussbayes.data.labels import read_weights as as_weights  # noqa: F401
from gaussbayes.data.tables import *
from gaussbayes.data.tables import check_not_empty as refuse_empty  # noqa: F401
