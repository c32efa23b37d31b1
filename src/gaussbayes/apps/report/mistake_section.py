"""The part of the page about the surest errors, written so that they can be checked by hand."""

from collections.abc import Callable

from gaussbayes.apps.report.contents import Contents
from gaussbayes.apps.report.look import MOST, Look, paragraph, section
from gaussbayes.apps.report.markup import Html, join, table, tag
from gaussbayes.apps.report.mistakes import Mistake, Side
from gaussbayes.apps.report.numbers import count, counted, fixed, small

_PLACES = 6


def mistake_section(contents: Contents, look: Look) -> Html:
    """The errors the model was surest of, or the news that there are none."""
    title = "Most confident errors"
    if not contents.mistakes:
        none = "There are none: each of the rows given to the report has the predicted class."
        return section("mistakes", title, paragraph(none))
    cards = [_card(contents, look, mistake) for mistake in contents.mistakes]
    n_errors = contents.evaluation.n_errors
    which = (
        f"{counted(n_errors, 'row')} got the wrong class."
        if n_errors == len(cards)
        else f"{count(n_errors)} rows got the wrong class; these are the {len(cards)} of which the "
        "model was surest."
    )
    return section(
        "mistakes",
        title,
        paragraph(
            which,
            "Each shows Bayes’ rule for the true and the predicted class, in natural logarithms: "
            "log prior + log likelihood = log joint; log joint − log evidence = log posterior; "
            "the posterior is e to that power. The evidence is the sum of the joint densities "
            "of all classes. The Mahalanobis distance is that to the class’s mean, counted in "
            "its standard deviations. Rows are numbered from 0.",
        ),
        tag("div", *cards, class_="cards"),
    )


def _card(contents: Contents, look: Look, mistake: Mistake) -> Html:
    true, predicted = (contents.classes[s.code] for s in (mistake.true, mistake.predicted))
    heading = tag("h3", f"Row {count(mistake.row)}", class_="row")
    rows = [
        ["prior", *_both(mistake, lambda side: small(side.prior))],
        ["log prior", *_both(mistake, lambda side: fixed(side.log_prior, _PLACES))],
        ["+ log likelihood", *_both(mistake, lambda side: fixed(side.log_likelihood, _PLACES))],
        ["= log joint", *_both(mistake, lambda side: fixed(side.log_joint, _PLACES))],
        ["− log evidence", *[fixed(mistake.log_evidence, _PLACES)] * 2],
        ["= log posterior", *_both(mistake, lambda side: fixed(side.log_posterior, _PLACES))],
        ["posterior", *_both(mistake, lambda side: small(side.posterior))],
        ["Mahalanobis distance", *_both(mistake, lambda side: fixed(side.mahalanobis, 4))],
    ]
    return tag(
        "article",
        heading,
        paragraph(join(["true ", look[true], ", predicted ", look[predicted]])),
        table(f"Bayes’ rule for row {count(mistake.row)}", ["", "true", "predicted"], rows),
        _values(contents, mistake),
    )


def _both(mistake: Mistake, written: Callable[[Side], str]) -> list[str]:
    return [written(mistake.true), written(mistake.predicted)]


def _values(contents: Contents, mistake: Mistake) -> Html:
    """The row itself; every digit of it, for those who compute."""
    pairs = zip(contents.features[:MOST], mistake.values[:MOST].tolist(), strict=True)
    items = [tag("div", tag("dt", name), tag("dd", repr(value))) for name, value in pairs]
    left = len(contents.features) - MOST
    more = [paragraph(f"and {counted(left, 'more feature')}")] if left > 0 else []
    return join([tag("dl", *items, class_="values"), *more])
