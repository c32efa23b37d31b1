"""Rows of files → a model record; more rows → the updated one; several models → the merged one.

The same steps as those of `GaussianClassifier.fit_source`, `partial_fit_source` and `merge`, on the
records that model files hold: the files are the same to the byte.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gaussbayes.cli import models, output, reading
from gaussbayes.errors import (
    DataError,
    GaussBayesError,
    SchemaError,
    SingularCovarianceError,
)

if TYPE_CHECKING:
    from gaussbayes.labelled import LabelledMoments
    from gaussbayes.settings import Settings
    from gaussbayes.sources import Summary
    from gaussbayes.storage.record import StoredModel


def checked(settings: Mapping[str, Any]) -> "Settings":
    """The settings of the options of a model."""
    from gaussbayes.settings import check_settings

    return check_settings(
        settings["covariance"],
        settings["shared"],
        settings["priors"],
        settings["divisor"],
        settings["shrinkage"],
    )


def summed(source: Any, target: str, **wanted: Any) -> "Summary":
    """The moments of a source's rows; see `gaussbayes.sources.moments_of`."""
    from gaussbayes.sources import moments_of

    return moments_of(source, target, **wanted)


def learn(found: "Summary", settings: "Settings") -> "StoredModel":
    """The model of the rows of a source; refused where no parameters follow from them."""
    from gaussbayes.schema import Schema
    from gaussbayes.storage.record import StoredModel

    learnt = found.learnt.with_rows()
    schema = Schema(learnt.classes, len(found.features), found.features)
    stored = StoredModel(settings, schema, found.target, learnt.moments, None)
    models.parameters_of(stored)
    return stored


def learn_more(stored: "StoredModel", name: str, found: "Summary", where: str) -> "StoredModel":
    """The model of the rows seen before and those of a source; `where` is what it is called."""
    before = learnt_by(stored, name)
    layout = before.moments.layout
    both = _added(before, name, found.learnt.with_rows(), where, layout)
    schema = replace(stored.schema, classes=both.classes)
    return replace(stored, schema=schema, moments=both.moments)


def merge(parts: Mapping[str, "StoredModel"], settings: "Settings") -> "StoredModel":
    """The model of the rows of all parts, in the order given; classes are united.

    Parameters
    ----------
    parts : the models by the names of their files
    settings : those of the result
    """
    (first_name, whole), *others = parts.items()
    layout = settings.structure.layout
    learnt = _able(whole, first_name, layout)
    for name, other in others:
        _refuse_other_features(whole, first_name, other, name)
        learnt = _added(learnt, first_name, _able(other, name, layout), name, layout)
        if whole.schema.features is None:
            whole = replace(whole, schema=replace(whole.schema, features=other.schema.features))
        if whole.target is None:
            whole = replace(whole, target=other.target)
    schema = replace(whole.schema, classes=learnt.classes)
    return replace(whole, settings=settings, schema=schema, moments=learnt.moments)


def tell(stored: "StoredModel", found: "Summary", name: str, *, as_json: bool) -> None:
    """Say what was learnt from, and where the model is."""
    if as_json:
        record = {
            "model": name,
            "target": found.target,
            "rows": found.n_rows,
            "classes": stored.schema.classes.tolist(),
            "features": list(models.feature_names(stored)),
            "bad_rows": reading.bad_rows_record(found.bad_rows),
        }
        output.write_json(record)
    rows = reading.counted(found.n_rows, "row")
    classes = reading.counted(len(stored.schema.classes), "class", "classes")
    features = reading.counted(stored.schema.n_features, "feature")
    place = "standard output" if name == models.STANDARD else name
    reading.tell(f"learnt from {rows}: {classes}, {features}; the model is in {place}")
    reading.tell_bad_rows(found.bad_rows)


def tell_unready(stored: "StoredModel") -> None:
    """Say so if a model cannot predict before it has seen more rows; other problems are errors."""
    try:
        models.parameters_of(stored)
    except SingularCovarianceError as error:
        reading.tell(f"the model cannot predict yet: {error}")


def learnt_by(stored: "StoredModel", name: str) -> "LabelledMoments":
    """What a model has learnt from rows; one made from parameters has not seen any."""
    from gaussbayes.labelled import LabelledMoments

    if stored.moments is None:
        msg = (
            f"the model {name} was made from parameters and has seen no rows, so that it can "
            "neither learn more nor be merged: fit one to rows"
        )
        raise DataError(msg)
    return LabelledMoments(stored.schema.classes, stored.moments)


def _added(
    ours: "LabelledMoments", our_name: str, theirs: "LabelledMoments", name: str, layout: Any
) -> "LabelledMoments":
    try:
        return ours.merged(theirs, layout)
    except GaussBayesError as error:
        msg = f"{name} does not fit {our_name}: {error}"
        raise type(error)(msg) from None


def _able(stored: "StoredModel", name: str, layout: Any) -> "LabelledMoments":
    try:
        return learnt_by(stored, name).able(layout)
    except GaussBayesError as error:
        msg = f"{name} has not kept what these settings need: {error}"
        raise type(error)(msg) from None


def _refuse_other_features(
    first: "StoredModel", first_name: str, other: "StoredModel", name: str
) -> None:
    ours, theirs = first.schema, other.schema
    if ours.same_features(theirs):
        return
    msg = (
        f"models of different features cannot be merged: {first_name} has "
        f"{ours.feature_list(range(ours.n_features))}; {name} has "
        f"{theirs.feature_list(range(theirs.n_features))}"
    )
    raise SchemaError(msg)
