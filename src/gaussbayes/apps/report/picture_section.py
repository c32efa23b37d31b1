"""The part of the page with the pictures of the model."""

from gaussbayes.apps.report import pictures
from gaussbayes.apps.report.contents import Contents
from gaussbayes.apps.report.look import figures, paragraph, section
from gaussbayes.apps.report.markup import Html, enumerated
from gaussbayes.apps.report.numbers import counted
from gaussbayes.apps.report.wording import none_or_some, sampled


def picture_section(contents: Contents) -> Html:
    """What the model looks like."""
    crowded = len(contents.classes) > pictures.MOST_CLASSES
    left_out = (
        f"Pictures of {counted(len(contents.classes), 'class', 'classes')} could not be read, and "
        "are left out."
    )
    return section(
        "pictures",
        "Pictures",
        paragraph(
            left_out if crowded else "A class has the same colour everywhere on this page.",
            "" if crowded else _which_features(contents),
            "" if crowded else sampled(contents.n_drawn, contents.data.n_rows, "The points are"),
        ),
        figures(contents, ["line", "regions", "pairs", "best-pair", "posteriors", "evidence"]),
    )


def _which_features(contents: Contents) -> str:
    telling = contents.telling
    if telling is None:
        return ""
    d = len(contents.features)
    pair = enumerated([f"“{contents.features[j]}”" for j in telling.pair])
    found = telling.pair_evaluation
    said = (
        f"The pair with the fewest errors on the rows drawn is {pair}: seen alone, it errs in "
        f"{none_or_some(found)} (of equal errors, the smaller log loss decides)."
    )
    if d > len(telling.features):
        shown = enumerated([f"“{contents.features[j]}”" for j in telling.features])
        said = (
            f"Of {d} features, the {len(telling.features)} are shown that err least on the rows "
            f"drawn when the model sees one alone: {shown}. {said}"
        )
    return said
