"""What a model file holds: everything that makes a model, as plain records."""

from dataclasses import dataclass

from gaussbayes.moments import ClassMoments
from gaussbayes.parameters import Parameters
from gaussbayes.schema import Schema
from gaussbayes.settings import Settings


@dataclass(frozen=True, slots=True, eq=False)
class StoredModel:
    """A model as it is kept: what it learnt from rows or, if it saw none, its parameters."""

    settings: Settings
    schema: Schema  # classes, features
    target: str | None  # the column that the labels came from, if it has a name
    moments: ClassMoments | None
    parameters: Parameters | None  # None if there are moments
