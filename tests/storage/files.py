"""Model files to try things on: a small one, its parts as Python reads them, and new seals."""

import json
from hashlib import sha256
from typing import Any

import numpy as np

from gaussbayes import GaussianClassifier
from gaussbayes.families.gaussian.moments import ClassMoments
from gaussbayes.families.gaussian.parameters import Parameters
from gaussbayes.families.gaussian.pattern_moments import PatternMoments
from gaussbayes.model.file import dumps
from gaussbayes.model.file.document import sealed
from gaussbayes.model.model import Model
from gaussbayes.model.settings import Settings
from tests.models import tree_frame, trees


def fitted(covariance: str = "full", **settings: Any) -> GaussianClassifier:
    """A model of two kinds of trees and three named features."""
    X, y = trees()
    return GaussianClassifier(covariance, **settings).fit(tree_frame(X), y)


def gaps(X: Any) -> Any:
    """The same rows; some lack features, in a few ways that both kinds of trees have."""
    X = X.copy()
    X[::5, 1], X[1::7, 0], X[3::8, 2], X[21] = np.nan, np.nan, np.nan, np.nan
    return X


def lacking(covariance: str = "full", **settings: Any) -> GaussianClassifier:
    """A model of the same trees, of some of which features are missing."""
    X, y = trees()
    return GaussianClassifier(covariance, **settings).fit(tree_frame(gaps(X)), y)


def given() -> GaussianClassifier:
    """A model from parameters: three classes called by numbers, two features without names."""
    return GaussianClassifier.from_parameters(
        [0.25, 0.25, 0.5], [[0, 0], [2, 2], [-2, -2]], [[4, -3], [-3, 4]]
    )


def stored(model: GaussianClassifier) -> Model:
    """What `save` keeps of a model."""
    return model._fitted()


def file_of(model: GaussianClassifier) -> bytes:
    """The file that `save` writes."""
    return dumps(stored(model))


def members(data: bytes) -> dict[str, Any]:
    """The members of a file, as Python's own reader has them."""
    found: dict[str, Any] = json.loads(data)
    return found


def resealed(parts: dict[str, Any]) -> bytes:
    """A file with these members and a checksum that is right, whatever the rest is."""
    lines = [f"{json.dumps(name)}: {json.dumps(part)},\n" for name, part in parts.items()]
    return sealed("".join(["{\n", *[line for line in lines if "sha256:" not in line]]).encode())


def seal_again(data: bytes) -> bytes:
    """A file whose text was changed, with the checksum of the new text."""
    body = data[: data.rindex(b'"checksum"')]
    return body + b'"checksum": "sha256:' + sha256(body).hexdigest().encode() + b'"\n}\n'


def assert_same_record(a: Model, b: Model) -> None:
    """All of two records alike: settings in value, arrays to the bit and in their types."""
    assert a.schema.features == b.schema.features
    assert a.schema.n_features == b.schema.n_features
    assert a.target == b.target
    assert a.schema.classes.dtype == b.schema.classes.dtype
    assert [(type(x), x) for x in a.schema.classes.tolist()] == [
        (type(x), x) for x in b.schema.classes.tolist()
    ]
    assert_same_settings(a.settings, b.settings)
    assert (a.moments is None, a.parameters is None) == (b.moments is None, b.parameters is None)
    assert (a.incomplete is None) == (b.incomplete is None)
    for name in ("moments", "parameters", "incomplete"):
        one, other = arrays(getattr(a, name)), arrays(getattr(b, name))
        assert one.keys() == other.keys()
        for key, value in one.items():
            assert value.dtype == other[key].dtype, key
            assert value.shape == other[key].shape, key
            assert value.tobytes() == other[key].tobytes(), key


def assert_same_settings(a: Settings, b: Settings) -> None:
    assert (a.structure, a.divisor, a.shrinkage) == (b.structure, b.divisor, b.shrinkage)
    one, other = (
        priors if priors is None or isinstance(priors, str | dict) else [float(p) for p in priors]
        for priors in (a.priors, b.priors)
    )
    assert one == other


def arrays(part: ClassMoments | PatternMoments | Parameters | None) -> dict[str, Any]:
    """The arrays of moments or parameters, by name."""
    if part is None:
        return {}
    if isinstance(part, PatternMoments):
        return {"codes": part.codes, "observed": part.observed, **arrays(part.moments)}
    if isinstance(part, ClassMoments):
        return {name: getattr(part, name) for name in ("weight", "anchor", "offset", "scatter")}
    shape = part.covariance
    own = {name: getattr(shape, name) for name in type(shape).__slots__}
    return {"prior": part.prior, "center": part.center, "offset": part.offset, **own}
