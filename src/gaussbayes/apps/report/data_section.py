"""The part of the page about the rows."""

from collections.abc import Iterator

from gaussbayes.apps.report.contents import Contents
from gaussbayes.apps.report.look import MOST, Look, first_of, paragraph, section
from gaussbayes.apps.report.markup import Html, enumerated, join, name, table, tag
from gaussbayes.apps.report.numbers import aligned, count, counted, share
from gaussbayes.base.types import FloatArray

_MOST_FEATURES = 50
_RATIO = 100.0


def data_section(contents: Contents, look: Look) -> Html:
    """Rows, classes and features as they came."""
    data = contents.data
    return section(
        "data",
        "Data",
        paragraph(
            f"{counted(data.n_rows, 'row')} of {counted(len(contents.features), 'feature')}, "
            f"in {counted(len(contents.classes), 'class', 'classes')}.",
            _source(contents),
            _absent(contents),
        ),
        _classes(contents, look),
        _features(contents, look),
        paragraph(
            first_of(len(contents.features), "features", _MOST_FEATURES),
            first_of(len(contents.classes), "classes’ means"),
            _constant(contents),
        ),
    )


def _source(contents: Contents) -> str:
    return f"They come from {contents.recipe.source}." if contents.recipe.source else ""


def _absent(contents: Contents) -> str:
    labels = [
        label for label, n in zip(contents.classes, contents.data.count, strict=True) if n == 0
    ]
    if not labels:
        return ""
    who = enumerated([f"“{label}”" for label in labels])
    return f"No row is of class {who}, which the model knows."


def _constant(contents: Contents) -> str:
    names = [
        name
        for name, constant in zip(contents.features, contents.data.constant, strict=True)
        if constant
    ]
    if not names:
        return ""
    shown = enumerated([f"“{name}”" for name in names[:MOST]])
    rest = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return f"Constant in these rows: {shown}{rest}; they tell no class from another here."


def _classes(contents: Contents, look: Look) -> Html:
    data = contents.data
    rows = zip(contents.classes, data.count, data.share, strict=True)
    return table(
        "Classes",
        ["class", "rows", "share"],
        ([look[label], count(int(n)), share(part)] for label, n, part in rows),
    )


def _features(contents: Contents, look: Look) -> Html:
    head = ["feature", "smallest", "mean", "standard deviation", "largest"]
    classes = [tag("span", "mean of ", look[label]) for label in contents.classes[:MOST]]
    return table(
        "Features, over all rows and by class; the standard deviation is divided by N",
        [*head, *classes],
        _feature_rows(contents),
    )


def _common(deviations: FloatArray) -> float:
    """The smallest deviation, if all are so alike that numbers have the same decimal places."""
    spread = deviations[deviations > 0]
    alike = spread.size and spread.max() < _RATIO * spread.min()
    return float(spread.min()) if alike else 0.0


def _feature_rows(contents: Contents) -> Iterator[list[object]]:
    data = contents.data
    common = _common(data.deviation)
    for j, title in enumerate(contents.features[:_MOST_FEATURES]):
        deviation = float(data.deviation[j])
        values = [data.smallest[j], data.mean[j], data.largest[j], *data.class_mean[:MOST, j]]
        low, mean, high, *means = aligned(values, digits=3, size=common or deviation or None)
        (spread,) = aligned([deviation], digits=3, size=common or None)
        note = tag("span", "constant", class_="flag") if data.constant[j] else ""
        yield [join([name(title), " ", note]), low, mean, spread, high, *means]
