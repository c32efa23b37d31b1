"""The part of the page about the model: its settings and every parameter it has."""

import numpy as np

from gaussbayes.apps.report.contents import Contents
from gaussbayes.apps.report.look import BLUE, MOST, ORANGE, Look, first_of, paragraph, section, tint
from gaussbayes.apps.report.markup import Html, cell, join, name, table, tag
from gaussbayes.apps.report.numbers import aligned, count, fixed, small
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.parameters import Structure
from gaussbayes.families.gaussian.shapes import Full, correlation

_SHAPES = {
    "full": "full: each feature has a variance, each pair of features a covariance",
    "diagonal": "diagonal: each feature has a variance, features of a class are uncorrelated",
    "spherical": "spherical: one variance for all features, which are uncorrelated",
}
_RATIO = 1e4
"""Variances further apart than this are not written with the same decimal places."""


def parameter_section(contents: Contents, look: Look) -> Html:
    """Settings, priors, means and covariances."""
    return section(
        "parameters",
        "Parameters",
        paragraph(
            "The model says that the rows of a class are spread around its mean like a Gaussian "
            "(bell) distribution, and that a class turns up as often as its prior says. By Bayes’ "
            "rule, a class is the more probable for a row, the larger its prior times its density "
            "there."
        ),
        _settings(contents),
        _means(contents, look),
        paragraph(*_notes(contents)),
        *_covariances(contents, look),
    )


def _settings(contents: Contents) -> Html:
    model = contents.model
    k, d = model.means_.shape
    n_covariance = model.parameters_.covariance.n_parameters
    total = (
        f"{count(model.n_parameters_)}: {count(k - 1)} for the priors, {count(k * d)} for the "
        f"means, {count(n_covariance)} for the covariances"
    )
    pairs = [
        ("model", contents.name),
        ("covariance", _SHAPES[model.structure_.covariance]),
        ("shared", _sharing(model.structure_)),
        ("priors", _priors(contents)),
        *_estimation(contents),
        ("free parameters", total),
    ]
    items = [tag("div", tag("dt", key), tag("dd", text)) for key, text in pairs]
    return tag("dl", *items, class_="settings")


def _sharing(structure: Structure) -> str:
    if structure.toward_shared:
        share = f"{100 * structure.toward_shared:g} %"
        return f"{share}: each class its own, drawn so far towards the one of all classes"
    return "yes: one covariance for all classes" if structure.shared else "no: each class its own"


def _priors(contents: Contents) -> str:
    priors = contents.model.priors
    if not hasattr(contents.model, "moments_"):
        return "given"
    if priors is None:
        return "estimated: each class’s share of the rows the model was fitted to"
    return "uniform: the same for each class" if isinstance(priors, str) else "given"


def _estimation(contents: Contents) -> list[tuple[str, str]]:
    model = contents.model
    if not hasattr(model, "moments_"):
        return [("means and covariances", "given, not estimated from rows")]
    structure = model.structure_
    lost = "N − k" if structure.shared else "N − 1"
    if structure.toward_shared:
        lost += ", the shared one N − k"
    divisor = {"mle": "N (maximum likelihood)", "unbiased": f"{lost} (unbiased)"}[model.divisor]
    words = {"None": "none", "oas": "oracle approximating shrinkage (OAS)"}
    shrinkage = words.get(str(model.shrinkage), str(model.shrinkage))
    return [("divisor", divisor), ("shrinkage", shrinkage)]


def _means(contents: Contents, look: Look) -> Html:
    model = contents.model
    columns = [
        aligned(model.means_[:MOST, j], digits=3, size=_size(contents, j))
        for j in range(min(MOST, len(contents.features)))
    ]
    rows = [
        [
            look[label],
            small(float(model.priors_[code])),
            *(column[code] for column in columns),
        ]
        for code, label in enumerate(contents.classes[:MOST])
    ]
    head = [
        "class",
        "prior",
        *(join(["mean of ", name(title)]) for title in contents.features[:MOST]),
    ]
    return table("Priors and means", head, rows)


def _size(contents: Contents, j: int) -> float | None:
    """What the digits of a mean are counted from: the spread of the feature, if it has any."""
    return float(contents.model.parameters_.deviation[:, j].min())


def _notes(contents: Contents) -> list[str]:
    return [
        first_of(len(contents.features), "features"),
        first_of(len(contents.classes), "classes"),
    ]


def _covariances(contents: Contents, look: Look) -> list[Html]:
    parameters = contents.model.parameters_
    everyone = tag("span", "all classes together")
    owners = [everyone] if parameters.shared else [look[label] for label in contents.classes[:MOST]]
    covariances = parameters.covariance.dense()[: len(owners), :MOST, :MOST]
    if isinstance(parameters.covariance, Full) and covariances.shape[1] > 1:
        correlations = correlation(covariances)
        return [
            tag(
                "div",
                _covariance(contents, owner, covariance),
                _correlation(contents, owner, scaled),
                class_="two",
            )
            for owner, covariance, scaled in zip(owners, covariances, correlations, strict=True)
        ]
    return [_variances(contents, owners, covariances)]


def _variances(contents: Contents, owners: list[Html], covariances: FloatArray) -> Html:
    """Of shapes without correlations: the variances say it all."""
    variances = np.einsum("mii->mi", covariances)
    if contents.model.structure_.covariance == "spherical":
        head, variances = ["variance of every feature"], variances[:, :1]
    else:
        head = [join(["variance of ", name(title)]) for title in contents.features[:MOST]]
    columns = [aligned(column, digits=4, size=float(column.min())) for column in variances.T]
    rows = [[owner, *(column[m] for column in columns)] for m, owner in enumerate(owners)]
    alone = len(contents.features) == 1
    caption = "Variances" if alone else "Variances; covariances between features are 0"
    return table(caption, ["class", *head], rows)


def _covariance(contents: Contents, owner: Html, covariance: FloatArray) -> Html:
    names = [name(title) for title in contents.features[:MOST]]
    rows = [[title, *values] for title, values in zip(names, _written(covariance), strict=True)]
    return table(tag("span", "Covariances of ", owner), ["", *names], rows, class_="matrix")


def _written(covariance: FloatArray) -> list[list[str]]:
    variances = np.diag(covariance)
    if variances.max() < _RATIO * variances.min():
        d = variances.size
        flat = aligned(covariance.ravel(), digits=3, size=float(variances.min()))
        return [flat[start : start + d] for start in range(0, d * d, d)]
    return [[aligned([value], digits=4)[0] for value in line] for line in covariance]


def _correlation(contents: Contents, owner: Html, correlations: FloatArray) -> Html:
    names = [name(title) for title in contents.features[:MOST]]
    rows = [
        [title, *(_tinted(float(value)) for value in line)]
        for title, line in zip(names, correlations, strict=True)
    ]
    return table(tag("span", "Correlations of ", owner), ["", *names], rows, class_="matrix")


def _tinted(value: float) -> Html:
    return cell(fixed(value, 2), tint=tint(abs(value), BLUE if value > 0 else ORANGE))
