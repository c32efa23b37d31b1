"""Models that Hypothesis draws: all structures, layouts, labels, priors, and extreme floats."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gaussbayes.base.schema import Schema
from gaussbayes.families.gaussian.learning import learn
from gaussbayes.families.gaussian.moments import ClassMoments
from gaussbayes.families.gaussian.parameters import Parameters, Structure, given
from gaussbayes.model.model import Model
from gaussbayes.model.settings import Settings
from tests.strategies import LAYOUTS, STRUCTURES, covariances, rows

WHOLE = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
FLOATS = {"float16": 2**11, "float32": 2**24, "float64": 2**53}
ANY_FLOAT = st.one_of(
    st.floats(-1e300, 1e300),
    st.sampled_from([-0.0, 0.0, 5e-324, -5e-324, 2.2250738585072014e-308, 0.1, 1e16, 1e22]),
)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)


@st.composite
def labels(draw: st.DrawFn, k: int) -> Any:
    """Arrays of k sorted labels of every type that can be saved."""
    kind = draw(
        st.sampled_from(["text", "wide", "string", "object", "mixed", "bool", *WHOLE, *FLOATS])
    )
    if kind == "bool" and k <= 2:
        return np.array([False, True][:k])
    if kind in WHOLE or kind in FLOATS:
        most = FLOATS.get(kind)
        limits = (-most, most) if most else (np.iinfo(kind).min, np.iinfo(kind).max)
        whole = draw(st.sets(st.integers(*limits), min_size=k, max_size=k))
        return np.array(sorted(whole), dtype=kind)
    if kind == "mixed":
        number = st.one_of(st.integers(-(2**63), 2**64 - 1), st.floats(-1e9, 1e9), st.booleans())
        found = draw(st.sets(number, min_size=k, max_size=k))
        return np.fromiter(sorted(found), object, k)
    # NumPy takes off zero characters at the end of a text of fixed width.
    kept = TEXT.map(lambda text: text.rstrip("\0")) if kind in {"text", "wide", "bool"} else TEXT
    words = sorted(draw(st.sets(kept, min_size=k, max_size=k)))
    if kind == "object":
        return np.fromiter(words, object, k)
    if kind == "string":
        return np.array(words, dtype=np.dtypes.StringDType())
    return np.array(words, dtype="U20" if kind == "wide" else None).astype(str)


@st.composite
def settings(draw: st.DrawFn, classes: Any, layout: str) -> Settings:
    """Settings that the layout can serve, with every kind of priors."""
    able = [s for s in STRUCTURES if layout in {"full", s.layout}]
    k = len(classes)
    shares = np.array(draw(st.lists(st.floats(1e-3, 1.0), min_size=k, max_size=k)))
    exact = shares / shares.sum()
    priors = draw(
        st.sampled_from(
            [
                None,
                "uniform",
                exact,
                exact.tolist(),
                dict(zip(classes.tolist(), exact.tolist(), strict=True)),
            ]
        )
    )
    shrinkage = draw(st.one_of(st.none(), st.just("oas"), st.floats(0, 1)))
    return Settings(
        draw(st.sampled_from(able)), priors, draw(st.sampled_from(["mle", "unbiased"])), shrinkage
    )


def names(d: int) -> st.SearchStrategy[tuple[str, ...] | None]:
    return st.one_of(st.none(), st.lists(TEXT, min_size=d, max_size=d, unique=True).map(tuple))


@st.composite
def learnt_models(draw: st.DrawFn) -> Model:
    """Models with moments of any rows."""
    some = draw(rows())
    layout = draw(st.sampled_from(LAYOUTS))
    moments = some.summarise(layout)
    classes = draw(labels(some.n_classes))
    schema = Schema(classes, some.X.shape[1], draw(names(some.X.shape[1])))
    target = draw(st.one_of(st.none(), TEXT))
    return Model(draw(settings(classes, layout)), schema, target, moments, None)


@st.composite
def incomplete_models(draw: st.DrawFn) -> Model:
    """Models of rows some of which lack features, some perhaps all of them."""
    some = draw(rows())
    n, d = some.X.shape
    missing = draw(hnp.arrays(np.bool_, (n, d)))
    layout = draw(st.sampled_from(LAYOUTS))
    classes = draw(labels(some.n_classes))
    table = np.where(missing, np.nan, some.X)
    learnt = learn(table, some.codes, some.weights, classes, layout)
    schema = Schema(classes, d, draw(names(d)))
    chosen = draw(settings(classes, layout))
    target = draw(st.one_of(st.none(), TEXT))
    found = draw(parameters(schema, chosen.structure)) if some.n_classes > 1 else None
    return Model(chosen, schema, target, learnt.moments, found, incomplete=learnt.incomplete)


@st.composite
def extreme_models(draw: st.DrawFn) -> Model:
    """Models with any floats where any are possible, down to the least and up to 1e300."""
    k, d = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    table = hnp.arrays(np.float64, (k, d), elements=ANY_FLOAT)
    positive = hnp.arrays(np.float64, (k, d), elements=ANY_FLOAT.map(abs))
    weight = draw(hnp.arrays(np.float64, k, elements=ANY_FLOAT.map(abs)))
    moments = ClassMoments(weight, draw(table), draw(table), draw(positive), "diagonal")
    classes = np.arange(k)
    chosen = Settings(Structure("diagonal"), None, "mle", None)
    return Model(chosen, Schema(classes, d), None, moments, None)


@st.composite
def parameters(draw: st.DrawFn, schema: Schema, structure: Structure) -> Parameters:
    """Parameters of any kind that classes and features like these can have."""
    k, d = len(schema.classes), schema.n_features
    full = draw(covariances(1 if structure.shared else k, d))
    values = {
        "full": full,
        "diagonal": np.einsum("mii->mi", full),
        "spherical": full[:, 0, 0],
    }[structure.covariance]
    means = draw(hnp.arrays(np.float64, (k, d), elements=st.floats(-1e6, 1e6)))
    values = values[0] if structure.shared else values
    return given(schema, structure, "uniform", means, values)


@st.composite
def given_models(draw: st.DrawFn) -> Model:
    """Models from parameters, of every structure."""
    k, d = draw(st.integers(2, 3)), draw(st.integers(1, 3))
    structure = draw(st.sampled_from(STRUCTURES))
    schema = Schema(draw(labels(k)), d, draw(names(d)))
    found = draw(parameters(schema, structure))
    chosen = Settings(structure, found.prior, "mle", None)
    return Model(chosen, schema, None, None, found)
