"""What verbs that learn say: which file does not fit which, and what was learnt.

The steps themselves are those of `model`, as the estimator takes them: model files are
the same to the byte.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from gaussbayes.apps.cli import candidates, models, output, reading
from gaussbayes.base.errors import DataError, SchemaError, SingularCovarianceError

if TYPE_CHECKING:
    from gaussbayes.data.sources import Summary
    from gaussbayes.model.model import Model
    from gaussbayes.model.selection import Selection
    from gaussbayes.model.settings import Settings


def merge(parts: Mapping[str, "Model"], settings: "Settings") -> "Model":
    """The model of the rows of all parts, in the order given; classes are united.

    Parameters
    ----------
    parts : the models by the names of their files
    settings : those of the result
    """
    (first, whole), *others = parts.items()
    whole = _under(settings, whole, first)
    for name, part in others:
        _refuse_other_features(whole, first, part, name)
        other = _under(settings, part, name)
        with reading.naming(f"{name} does not fit {first}"):
            whole = whole.merged(other)
    return whole


def tell(
    stored: "Model",
    found: "Summary",
    name: str,
    *,
    as_json: bool,
    done: str = "learnt from",
    selection: "Selection | None" = None,
) -> None:
    """Say what was done with which rows, what was chosen, and where the model is."""
    if as_json:
        record = {
            "model": name,
            "target": found.target,
            "rows": found.n_rows,
            "classes": stored.schema.classes.tolist(),
            "features": list(models.feature_names(stored)),
            "incomplete": {"rows": found.n_incomplete, "patterns": found.n_patterns},
            "bad_rows": reading.bad_rows_record(found.bad_rows),
        }
        if found.learnt.counts is not None:
            record["categorical"] = [
                {"feature": name, "categories": n, "missing": weight}
                for name, n, weight in _categories(found)
            ]
        if selection is not None:
            record["selection"] = candidates.record(selection)
        output.write_json(record)
    if selection is not None:
        reading.tell(f"chosen: {candidates.described(selection)}")
    rows = reading.counted(found.n_rows, "row")
    classes = reading.counted(len(stored.schema.classes), "class", "classes")
    features = reading.counted(stored.schema.n_features, "feature")
    place = "standard output" if name == models.STANDARD else name
    reading.tell(f"{done} {rows}: {classes}, {features}; the model is in {place}")
    if found.n_incomplete:
        lack = "lacks" if found.n_incomplete == 1 else "lack"
        ways = reading.counted(found.n_patterns, "way")
        what = "numbers" if found.categorical else "features"
        reading.tell(f"{found.n_incomplete:,} of them {lack} {what}, in {ways}")
    for feature, n, weight in _categories(found):
        gaps = f", missing in rows of weight {weight:g}" if weight else ""
        reading.tell(f"{feature}: {reading.counted(n, 'category', 'categories')}{gaps}")
    reading.tell_bad_rows(found.bad_rows)


def _categories(found: "Summary") -> list[tuple[str, int, float]]:
    """Each categorical feature of the rows, its categories, and the weight of those without one."""
    counts = found.learnt.counts
    if counts is None:
        return []
    names = (found.features[column] for column in found.categorical)
    missing = counts.missing.sum(axis=0).tolist()
    return list(zip(names, map(len, counts.categories), missing, strict=True))


def ready(stored: "Model") -> "Model":
    """The model with the parameters that incomplete rows take a while to find.

    Says so if it cannot predict before it has seen more rows; other problems are errors.
    """
    try:
        solved, _ = stored.solved()
        solved.estimate_any()
    except (SingularCovarianceError, DataError) as error:  # as one of a single class
        reading.tell(f"the model cannot predict yet: {error}")
        return stored
    return solved


def refuse_json_into_the_model(name: str, *, as_json: bool) -> None:
    """Raise if JSON about a model is wanted where the model itself goes."""
    if as_json and name == models.STANDARD:
        msg = "--json writes to standard output, where the model goes: give it a file with -o"
        raise click.UsageError(msg)


def refuse_given(stored: "Model", name: str) -> None:
    """Raise for a model that was made from parameters: it has seen no rows to go on from."""
    if stored.moments is None:
        msg = (
            f"the model {name} was made from parameters and has seen no rows, so that it can "
            "neither learn more nor be merged: fit one to rows"
        )
        raise DataError(msg)


def _under(settings: "Settings", stored: "Model", name: str) -> "Model":
    refuse_given(stored, name)
    with reading.naming(f"{name} has not kept what these settings need"):
        return stored.with_settings(settings, "merge")


def _refuse_other_features(first: "Model", first_name: str, other: "Model", name: str) -> None:
    ours, theirs = first.schema, other.schema
    if ours.same_features(theirs):
        return
    msg = (
        f"models of different features cannot be merged: {first_name} has "
        f"{ours.feature_list(range(ours.n_features))}; {name} has "
        f"{theirs.feature_list(range(theirs.n_features))}"
    )
    raise SchemaError(msg)
