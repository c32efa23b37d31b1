"""The part of the page about right and wrong answers, on the rows given and on rows held out."""

import numpy as np

from gaussbayes.analysis.evaluation import Evaluation
from gaussbayes.apps.report.contents import Contents
from gaussbayes.apps.report.look import Look, figures, paragraph, section, tint
from gaussbayes.apps.report.markup import Html, cell, table, tag
from gaussbayes.apps.report.numbers import count, share
from gaussbayes.apps.report.wording import none_or_some, same, why_not
from gaussbayes.base.types import FloatArray

_MOST_CLASSES = 24
"""Whose confusion is written as a table."""
_MOST_BESIDE = 6
"""Whose two tables stand side by side."""


def confusion_section(contents: Contents, look: Look) -> Html:
    """True against predicted classes, on the rows given and on rows held out."""
    held_out = contents.held_out
    given = contents.evaluation
    return section(
        "confusion",
        "Right and wrong",
        paragraph(
            f"On the rows given to the report, the model errs in {none_or_some(given)}. Whether "
            "it was fitted to these rows cannot be known from a model; if it was, it looks "
            f"better here than it is. Therefore models {same(contents)} were also fitted to a part "
            "of the rows and asked about others, which they had not seen.",
            _held_out_words(contents),
        ),
        _matrices(contents, look, given, held_out),
        figures(contents, ["confusion"]),
        _by_class(look, given, held_out),
        paragraph(
            "Recall: of the rows of a class, the share that was recognised. Precision: of the "
            "rows that were given a class, the share that is of it.",
            "A dash: there are no such rows." if _has_gaps(given) else "",
        ),
    )


def _held_out_words(contents: Contents) -> str:
    found = contents.held_out
    if found is None:
        return f"This could not be done: {why_not(contents)}"
    return f"So asked, they err in {none_or_some(found)}."


def _has_gaps(found: Evaluation) -> bool:
    return bool(
        (found.confusion.sum(axis=0) == 0).any() or (found.confusion.sum(axis=1) == 0).any()
    )


def _matrices(
    contents: Contents, look: Look, given: Evaluation, held_out: Evaluation | None
) -> Html:
    if len(contents.classes) > _MOST_CLASSES:
        return _frequent(look, given)
    both = [_matrix(look, given, "On the rows given to the report")]
    if held_out is not None:
        both.append(_matrix(look, held_out, "On rows held out"))
    return tag("div", *both, class_="two" if len(contents.classes) <= _MOST_BESIDE else None)


def _matrix(look: Look, found: Evaluation, where: str) -> Html:
    labels = [look[label] for label in found.classes.tolist()]
    rows = [
        [label, *(_counted_cell(int(n), float(part)) for n, part in zip(line, shares, strict=True))]
        for label, line, shares in zip(labels, found.confusion, found.shares, strict=True)
    ]
    return table(where, ["true ↓  predicted →", *labels], rows, class_="matrix")


def _counted_cell(n: int, part: float) -> Html:
    return cell(count(n) if n else tag("span", "0", class_="faint"), tint=tint(part))


def _frequent(look: Look, found: Evaluation) -> Html:
    wrong = found.confusion - np.diag(np.diag(found.confusion))
    order = np.argsort(-wrong, axis=None, kind="stable")[:_MOST_CLASSES]
    places = [divmod(int(place), wrong.shape[0]) for place in order]
    labels = found.classes.tolist()
    rows = [
        [look[labels[i]], look[labels[j]], count(int(wrong[i, j]))]
        for i, j in places
        if wrong[i, j]
    ]
    head = ["true class", "predicted class", "rows"]
    return table("The most frequent confusions on the rows given to the report", head, rows)


def _by_class(look: Look, given: Evaluation, held_out: Evaluation | None) -> Html:
    head = ["class", "rows", "predicted", "recall", "precision"]
    shares = [given.recall, given.precision]
    if held_out is not None:
        head += ["recall, held out", "precision, held out"]
        shares += [
            _of_classes(given, held_out, part) for part in (held_out.recall, held_out.precision)
        ]
    rows = [
        [
            look[label],
            count(int(given.confusion[code].sum())),
            count(int(given.confusion[:, code].sum())),
            *(share(float(part[code])) for part in shares),
        ]
        for code, label in enumerate(given.classes.tolist())
    ]
    return table("Class by class", head, rows)


def _of_classes(given: Evaluation, held_out: Evaluation, part: FloatArray) -> FloatArray:
    """Shares of the held-out classes, put in the order of the classes given; NaN for others."""
    known = dict(zip(held_out.classes.tolist(), part.tolist(), strict=True))
    return np.array([known.get(label, np.nan) for label in given.classes.tolist()])
