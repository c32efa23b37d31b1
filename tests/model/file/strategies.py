"""Models that Hypothesis draws: all families, labels, priors, missing values, extreme floats."""

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gaussbayes.base.schema import Schema
from gaussbayes.data.rows import Rows, number_rows
from gaussbayes.families.bernoulli import Bernoulli
from gaussbayes.families.categorical import Categorical
from gaussbayes.families.gaussian.density import given
from gaussbayes.families.gaussian.family import Gaussian
from gaussbayes.families.gaussian.statistics import ClassMoments, GaussianStatistics
from gaussbayes.families.poisson import Poisson
from gaussbayes.model.model import Model
from gaussbayes.model.settings import Component, Settings
from gaussbayes.model.solution import Solution
from gaussbayes.model.statistics import Learnt
from tests.model.file.files import STRUCTURES, learn

INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
FLOATS = {"float16": 2**11, "float32": 2**24, "float64": 2**53}
ANY_FLOAT = st.one_of(
    st.floats(-1e300, 1e300),
    st.sampled_from([-0.0, 0.0, 5e-324, -5e-324, 2.2250738585072014e-308, 0.1, 1e16, 1e22]),
)
STRING = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)


@st.composite
def labels(draw: st.DrawFn, k: int) -> Any:
    """Arrays of k sorted labels of every type that can be saved."""
    kinds = ["str", "wide", "string", "object", "mixed", "bool", *INTEGERS, *FLOATS]
    kind = draw(st.sampled_from(kinds))
    if kind == "bool" and k <= 2:
        return np.array([False, True][:k])
    if kind in INTEGERS or kind in FLOATS:
        most = FLOATS.get(kind)
        limits = (-most, most) if most else (np.iinfo(kind).min, np.iinfo(kind).max)
        whole = draw(st.sets(st.integers(*limits), min_size=k, max_size=k))
        return np.array(sorted(whole), dtype=kind)
    if kind == "mixed":
        number = st.one_of(st.integers(-(2**63), 2**64 - 1), st.floats(-1e9, 1e9), st.booleans())
        return np.fromiter(sorted(draw(st.sets(number, min_size=k, max_size=k))), object, k)
    # NumPy takes off zero characters at the end of a string of fixed width.
    kept = STRING.map(lambda s: s.rstrip("\0")) if kind in {"str", "wide", "bool"} else STRING
    words = sorted(draw(st.sets(kept, min_size=k, max_size=k)))
    if kind == "object":
        return np.fromiter(words, object, k)
    if kind == "string":
        return np.array(words, dtype=np.dtypes.StringDType())
    return np.array(words, dtype="U20" if kind == "wide" else None).astype(str)


@st.composite
def gaussians(draw: st.DrawFn) -> Gaussian:
    """The family with any settings."""
    shrinkage = draw(st.one_of(st.none(), st.sampled_from(["oas", "ledoit-wolf"]), st.floats(0, 1)))
    structure = draw(st.sampled_from(STRUCTURES))
    return Gaussian.of(*structure, draw(st.sampled_from(["mle", "unbiased"])), shrinkage)


@st.composite
def with_settings(draw: st.DrawFn, model: Model) -> Model:
    """The same model with every kind of priors, names or none, a target or none."""
    k, d = len(model.classes), model.schema.n_features
    shares = np.array(draw(st.lists(st.floats(1e-3, 1.0), min_size=k, max_size=k)))
    exact = (shares / shares.sum()).tolist()
    by_label = dict(zip(model.classes.tolist(), exact, strict=True))
    priors = draw(st.sampled_from([None, "uniform", exact, by_label]))
    names = st.none() | st.lists(STRING, min_size=d, max_size=d, unique=True).map(tuple)
    settings = replace(model.settings, priors=priors, unlabelled_weight=draw(st.floats(0, 1e300)))
    schema = replace(model.schema, features=draw(names))
    return replace(model, settings=settings, schema=schema, target=draw(st.none() | STRING))


@st.composite
def learnt_models(draw: st.DrawFn) -> Model:
    """Models of numbers, some of which may be missing."""
    n, d, k = draw(st.integers(1, 10)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    X = draw(hnp.arrays(np.float64, (n, d), elements=st.floats(-1e3, 1e3)))
    X = X + draw(hnp.arrays(np.float64, d, elements=st.sampled_from([0.0, -1e8, 2.0**50])))
    if draw(st.booleans()):
        X[draw(hnp.arrays(np.bool_, (n, d)))] = np.nan
    codes = draw(hnp.arrays(np.int32, n, elements=st.integers(0, k - 1)))
    weights = draw(st.none() | hnp.arrays(np.float64, n, elements=st.floats(1e-3, 1e3)))
    component = (draw(gaussians()), tuple(range(d)))
    classes = draw(labels(k))
    model = learn(number_rows(X), codes, [component], classes, None, weights=weights)
    return draw(with_settings(model))


@st.composite
def extreme_models(draw: st.DrawFn) -> Model:
    """Models with any floats where any are possible, down to the least and up to 1e300."""
    k, d = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    table = hnp.arrays(np.float64, (k, d), elements=ANY_FLOAT)
    positive = hnp.arrays(np.float64, (k, d), elements=ANY_FLOAT.map(abs))
    weight = draw(hnp.arrays(np.float64, k, elements=ANY_FLOAT.map(abs)))
    moments = ClassMoments(weight, draw(table), draw(table), draw(positive), "diagonal")
    classes = np.arange(k)
    settings = Settings((Component(Gaussian.of("diagonal"), tuple(range(d))),))
    learnt = Learnt(classes, (GaussianStatistics(moments),))
    return Model(settings, Schema(classes, d), learnt)


@st.composite
def mixed_models(draw: st.DrawFn) -> Model:
    """Models of any of the families but the Gaussian, some values missing, any categories."""
    n, k = draw(st.integers(1, 8)), draw(st.integers(1, 3))
    kinds = st.sampled_from([STRING, st.integers(-(2**63), 2**64 - 1), st.booleans()])
    q = draw(st.integers(1, 2))
    categories = tuple(
        tuple(sorted(draw(st.sets(draw(kinds), min_size=1, max_size=3)))) for _ in range(q)
    )
    columns = [
        draw(hnp.arrays(np.int32, n, elements=st.sampled_from([-2, *range(len(column))])))
        for column in categories
    ]
    counts = draw(hnp.arrays(np.float64, n, elements=st.sampled_from([0.0, 1.0, 7.0, 1e9, np.nan])))
    binary = draw(hnp.arrays(np.float64, n, elements=st.sampled_from([0.0, 1.0, np.nan])))
    rows = Rows(np.stack([counts, binary], axis=1), np.stack(columns, axis=1), categories)
    codes = draw(hnp.arrays(np.int32, n, elements=st.integers(0, k - 1)))
    smoothing = st.one_of(st.just(0.0), st.floats(1e-300, 1e300))
    components = [
        (Categorical(draw(smoothing)), tuple(range(q))),
        (Bernoulli(draw(smoothing)), (q + 1,)),
        (Poisson(draw(smoothing)), (q,)),
    ]
    model = learn(rows, codes, components, draw(labels(k)), None, tuple(range(q)))
    return draw(with_settings(model))


@st.composite
def given_models(draw: st.DrawFn) -> Model:
    """Models from parameters, of every structure."""
    k, d = draw(st.integers(2, 3)), draw(st.integers(1, 3))
    gaussian = draw(gaussians())
    schema = Schema(draw(labels(k)), d)
    m = 1 if gaussian.structure.shared else k
    roots = draw(hnp.arrays(np.int64, (m, d, d), elements=st.integers(-3, 3)))
    full = (roots @ roots.mT + np.eye(d)).astype(np.float64)
    values = {"full": full, "diagonal": np.einsum("mii->mi", full), "spherical": full[:, 0, 0]}
    covariance = values[gaussian.structure.covariance]
    means = draw(hnp.arrays(np.float64, (k, d), elements=st.floats(-1e6, 1e6)))
    values = covariance[0] if m == 1 else covariance
    density = given(schema, gaussian.structure, means, values)
    weight = draw(st.none() | hnp.arrays(np.float64, k, elements=st.floats(0.1, 1e9)))
    solution = Solution(np.full(k, 1 / k), (density,), weight)
    model = Model(Settings((Component(gaussian, tuple(range(d))),)), schema, None, solution)
    return draw(with_settings(model))
