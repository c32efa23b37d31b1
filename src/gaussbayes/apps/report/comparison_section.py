"""The part of the page about other models of the same rows."""

import numpy as np

from gaussbayes.analysis.comparison import Candidate
from gaussbayes.apps.report.contents import Contents
from gaussbayes.apps.report.look import figures, paragraph, section
from gaussbayes.apps.report.markup import Html, table, tag
from gaussbayes.apps.report.numbers import count, share, small
from gaussbayes.apps.report.wording import sampled, why_not
from gaussbayes.families.gaussian.structures import sharing_of


def comparison_section(contents: Contents) -> Html:
    """The other structures, and nearest neighbours, on the same rows."""
    compared = contents.comparison
    if compared is None:
        return section(
            "comparison",
            "Other models",
            paragraph(f"The models could not be compared: {why_not(contents)}"),
        )
    infinite = any(
        one.evaluation is not None and np.isinf(one.evaluation.log_loss)
        for one in compared.candidates
    )
    this = " this one" if contents.model.structure_.toward_shared else ""
    return section(
        "comparison",
        "Other models",
        paragraph(
            f"How rows were held out: {compared.how}.",
            contents.fewer_folds,
            sampled(contents.n_compared, contents.data.n_rows, "They were compared on"),
            "All models were fitted to the same rows and asked about the same ones. A model with "
            "more parameters can follow the data more closely, and needs more rows to do so well.",
        ),
        table(
            f"Six structures of the Gaussian model,{this} and nearest neighbours",
            ["model", "covariance", "parameters", "errors", "error", "log loss", "Brier score"],
            (_candidate(contents, one) for one in compared.candidates),
            class_="candidates",
        ),
        paragraph(
            "∞: a class that was given probability 0 was the true one." if infinite else "",
            *(f"{one.name}: {one.problem}." for one in compared.candidates if one.problem),
        ),
        figures(contents, ["neighbours"]),
    )


def _candidate(contents: Contents, one: Candidate) -> list[object]:
    own = contents.own is not None and one is contents.own
    name = tag("strong", one.name, " (this model)") if own else one.name
    shape = "–"
    if one.structure is not None:
        shape = f"{one.structure.covariance}, {sharing_of(one.structure)}"
    parameters = "–" if one.n_parameters is None else count(one.n_parameters)
    found = one.evaluation
    if found is None:
        return [name, shape, parameters, *["–"] * 4]
    return [
        name,
        shape,
        parameters,
        count(found.n_errors),
        share(found.error),
        small(found.log_loss),
        small(found.brier),
    ]
