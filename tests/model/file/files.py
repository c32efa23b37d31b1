"""Models to save, their files as Python reads them, and new seals for files that were changed."""

import dataclasses
import json
from hashlib import sha256
from typing import Any

import numpy as np

from gaussbayes.base.schema import Schema
from gaussbayes.data.rows import LabelledRows, Rows, Targets, number_rows
from gaussbayes.families.bernoulli import Bernoulli
from gaussbayes.families.categorical import Categorical
from gaussbayes.families.gaussian.density import given as given_density
from gaussbayes.families.gaussian.family import Gaussian
from gaussbayes.families.poisson import Poisson
from gaussbayes.families.transformed import Transformed
from gaussbayes.model.average import AveragedModel, averaged
from gaussbayes.model.calibration import Calibration
from gaussbayes.model.file import dumps
from gaussbayes.model.file.writer import sealed
from gaussbayes.model.model import Model, learnt_model
from gaussbayes.model.settings import Component, Settings
from gaussbayes.model.solution import Solution
from gaussbayes.model.statistics import observe

TREES = np.array(["ash", "oak"])
NAMES = ("age", "girth", "height")

STRUCTURES = [
    (covariance, sharing)
    for covariance in ("full", "diagonal", "spherical")
    for sharing in (0.0, 0.5, 1.0)
]


def trees(n: int = 40, d: int = 3) -> Rows:
    """Two kinds of trees in turn, a standard deviation apart in each feature."""
    rng = np.random.default_rng(0)
    return number_rows(rng.normal(size=(n, d)) + (np.arange(n) % 2)[:, None])


def gaps(rows: Rows) -> Rows:
    """The same rows; some values are missing, in a few patterns that both kinds of trees have."""
    X = rows.matrix.copy()
    X[::5, 1], X[1::7, 0], X[3::8, 2], X[21] = np.nan, np.nan, np.nan, np.nan
    return dataclasses.replace(rows, numbers=X)


def learn(
    rows: Rows,
    codes: Any,
    components: Any,
    classes: Any = TREES,
    names: tuple[str, ...] | None = NAMES,
    categorical: tuple[int, ...] = (),
    weights: Any = None,
    **settings: Any,
) -> Model:
    """A model of rows, the class codes of some of which are −1."""
    codes = np.asarray(codes, dtype=np.int32)
    chosen = Settings(tuple(Component(*each) for each in components), **settings)
    n_features = sum(len(component.columns) for component in chosen.components)
    schema = Schema(np.asarray(classes), n_features, names, categorical)
    targets = Targets(codes, len(classes), weights, int((codes < 0).sum()))
    table = LabelledRows(rows, targets, schema.classes)
    return learnt_model(chosen, schema, observe(table, chosen, schema))


def fitted(covariance: str = "full", sharing: float = 0.0, **options: Any) -> Model:
    """A model of two kinds of trees and three named features."""
    family = {key: options.pop(key) for key in ("divisor", "shrinkage") if key in options}
    rows = options.pop("rows", trees())
    codes = options.pop("codes", np.arange(rows.n_rows) % 2)
    gaussian = Gaussian.of(covariance, sharing, **family)
    return learn(rows, codes, [(gaussian, (0, 1, 2))], **options)


def missing(covariance: str = "full", sharing: float = 0.0, **options: Any) -> Model:
    """A model of the same trees, of which some values are missing."""
    return fitted(covariance, sharing, rows=gaps(trees()), **options)


def mixed_rows(n: int = 60) -> Rows:
    """Rows of three numbers, the last two of them counts and booleans, and two categories."""
    rng = np.random.default_rng(4)
    labels = np.arange(n) % 2
    numbers = np.stack(
        [rng.normal(labels), rng.poisson(2 + labels), rng.random(n) < 0.3 + 0.4 * labels], axis=1
    )
    codes = np.stack([rng.integers(-2, 3, n), rng.integers(0, 3, n)], axis=1).astype(np.int32)
    codes[codes == -1] = -2  # missing
    return Rows(numbers.astype(np.float64), codes, (("low", "mid", "strong"), (1, 2, 7)))


def mixed(unlabelled: int = 0, rows: Rows | None = None, **options: Any) -> Model:
    """A model of four families; of some rows the labels are missing."""
    rows = mixed_rows() if rows is None else rows
    codes = np.arange(rows.n_rows) % 2
    codes[:unlabelled] = -1
    components = [
        (Gaussian(), (1,)),
        (Categorical(0.5), (0, 3)),
        (Poisson(), (4,)),
        (Bernoulli(1.0), (2,)),
    ]
    names = ("wind", "pressure", "cloudy", "month", "calls")
    return learn(
        dataclasses.replace(rows, numbers=rows.matrix[:, [0, 2, 1]]),
        codes,
        components,
        ("dry", "wet"),
        names,
        (0, 3),
        **options,
    )


def given() -> Model:
    """A model from parameters: three classes called by numbers, two features without names."""
    gaussian = Gaussian.of("full", True)
    schema = Schema(np.arange(3), 2)
    means, covariance = [[0, 0], [2, 2], [-2, -2]], [[4, -3], [-3, 4]]
    density = given_density(schema, gaussian.structure, means, covariance)
    prior = np.array([0.25, 0.25, 0.5])
    settings = Settings((Component(gaussian, (0, 1)),), prior)
    return Model(settings, schema, None, Solution(prior, (density,)))


def pooled() -> Model:
    """A model whose scatter is summed over the classes, as of many classes and features."""
    model = fitted(sharing=1.0)
    assert model.learnt is not None
    part = model.learnt.parts[0].with_layout("pooled")
    return dataclasses.replace(model, learnt=dataclasses.replace(model.learnt, parts=(part,)))


CALIBRATION = Calibration(
    0.75,
    np.array([0.1, -0.1]),
    0.125,
    (np.array([-np.inf, -2.5, -0.1]), np.array([-0.3, -0.3, 0.0])),
)


def calibrated(model: Model, calibration: Calibration = CALIBRATION) -> Model:
    """The same model with calibrated posteriors."""
    settings = dataclasses.replace(model.settings, calibration=calibration)
    return dataclasses.replace(model, settings=settings, solution=None)


def transformed(**options: Any) -> Model:
    """A model of trees whose features are made symmetric, without covariances to estimate."""
    rows, codes = trees(), np.arange(40) % 2
    schema, targets = Schema(TREES, 3, NAMES), Targets(codes.astype(np.int32), 2)
    inner = Gaussian.of(shared=0.3, shrinkage=0.1, estimate="predictive")
    family = Transformed(("yeo-johnson",) * 3, inner).prepared(rows, targets, schema)
    return learn(rows, codes, [(family, (0, 1, 2))], **options)


def average(calibration: Calibration | None = CALIBRATION, **options: Any) -> AveragedModel:
    """Three models of the same trees, whose posteriors are averaged."""
    members = [fitted(**options), transformed(**options), missing(**options)]
    weights = np.array([0.3, 0.6, 0.1])
    return averaged([member.solved() for member in members], weights, calibration)


def members(data: bytes) -> dict[str, Any]:
    """The members of a file, as Python's own reader has them."""
    parts: dict[str, Any] = json.loads(data)
    return parts


def resealed(parts: dict[str, Any]) -> bytes:
    """A file with these members and a checksum that is right, whatever the rest is."""
    lines = [f"{json.dumps(name)}: {json.dumps(part)},\n" for name, part in parts.items()]
    return sealed("".join(["{\n", *[line for line in lines if "sha256:" not in line]]).encode())


def seal_again(data: bytes) -> bytes:
    """A file whose text was changed, with the checksum of the new text."""
    body = data[: data.rindex(b'"checksum"')]
    return body + b'"checksum": "sha256:' + sha256(body).hexdigest().encode() + b'"\n}\n'


def assert_same(a: Any, b: Any, place: str = "model") -> None:
    """Two records alike: arrays to the bit and in their types, all else in type and value."""
    assert type(a) is type(b), place
    if isinstance(a, np.ndarray):
        assert (a.dtype, a.shape) == (b.dtype, b.shape), place
        if a.dtype.kind in "OT":
            assert_same(a.tolist(), b.tolist(), place)
        else:
            assert a.tobytes() == b.tobytes(), place
    elif dataclasses.is_dataclass(a):
        for field in dataclasses.fields(a):
            if field.name not in {"convergence", "unseen"}:
                one, other = getattr(a, field.name), getattr(b, field.name)
                assert_same(one, other, f"{place}.{field.name}")
    elif isinstance(a, tuple | list):
        assert len(a) == len(b), place
        for at, (one, other) in enumerate(zip(a, b, strict=True)):
            assert_same(one, other, f"{place}[{at}]")
    else:
        assert a == b, place


def file_of(model: Model, **options: Any) -> bytes:
    """The file of a model."""
    return dumps(model, **options)
