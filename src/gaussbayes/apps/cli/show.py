"""``gaussbayes show MODEL``: what a model file holds, for people or as JSON."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.apps.cli import models, options, output
from gaussbayes.base.errors import GaussBayesError

if TYPE_CHECKING:
    from gaussbayes.analysis.bayes_error import BayesError
    from gaussbayes.families.gaussian.parameters import Parameters
    from gaussbayes.model.mixed import MixedParameters
    from gaussbayes.model.model import Model


@click.command("show")
@click.argument("model", type=options.MODEL)
@click.option(
    "--bayes-error",
    "wants_error",
    is_flag=True,
    help="How often the best rule would be wrong if the model were right: simulated, with its "
    "standard error, and an upper bound.",
)
@options.json_option("Write everything as JSON, every number exact.")
def command(model: str, wants_error: bool, as_json: bool) -> None:
    """Show a model: settings, classes, priors, means, covariances, correlations, categories.

    Tables of many classes or features are shortened; --json has all of them.

    \b
    gaussbayes show iris.json
    gaussbayes show iris.json --bayes-error
    """
    stored = models.read(model)
    try:
        parameters, problem = stored.estimate_any(), None
    except GaussBayesError as error:
        parameters, problem = None, str(error)
    least = None
    if wants_error and parameters is not None:
        from gaussbayes.analysis.bayes_error import bayes_error

        least = bayes_error(parameters, n_jobs=None)
    if as_json:
        record = _record(stored, parameters, problem)
        if wants_error:
            record["bayes_error"] = None if least is None else asdict(least)
        output.write_json(record)
        return

    from gaussbayes.apps.cli import model_tables

    console = output.console()
    model_tables.print_model(console, model, stored, parameters, problem)
    if least is not None:
        console.print()
        output.paragraph(console, _least_error(least))


def _least_error(least: "BayesError") -> str:
    simulated = f"{100 * least.error:.4g} % ± {100 * least.standard_error:.1g} % (simulated)"
    return f"Bayes error {simulated}; Bhattacharyya bound {100 * least.bound:.4g} %"


def _record(
    stored: "Model", parameters: "Parameters | MixedParameters | None", problem: str | None
) -> dict[str, Any]:
    """Everything about a model as plain values.

    Covariances and correlations are (k, d, d), or (d, d) when shared; a diagonal or spherical model
    has variances instead, (k, d) or (k,), without the first axis when shared. They are those of the
    features that hold numbers. Of each that holds categories there are weights and probabilities
    (k, m).
    """
    schema, lacking = stored.schema, stored.incomplete
    weights = None if stored.moments is None else stored.learnt("show").weight.tolist()
    record: dict[str, Any] = {
        "settings": models.settings_record(stored),
        "target": stored.target,
        "classes": schema.classes.tolist(),
        "features": None if schema.features is None else list(schema.features),
        "n_features": schema.n_features,
        "kinds": [
            "category" if column in schema.categorical else "number"
            for column in range(schema.n_features)
        ],
        "weights": weights,
        "problem": problem,
    }
    if lacking is not None:
        weight = float(lacking.moments.weight.sum())
        record["incomplete"] = {"weight": weight, "patterns": lacking.n_patterns}
    if stored.counts is not None:
        record["categories"] = _categories(stored, parameters)
    if parameters is None:
        return record
    own = models.gaussians(parameters)
    record |= {"priors": own.prior.tolist(), "means": own.mean.tolist()}
    from gaussbayes.families.gaussian.shapes import Full, correlation

    shape = own.covariance
    if isinstance(shape, Full):
        spread = {"covariances": shape.covariance, "correlations": correlation(shape.covariance)}
    else:
        spread = {"variances": shape.variance}
    shared = stored.settings.structure.shared
    record |= {name: (each[0] if shared else each).tolist() for name, each in spread.items()}
    record["n_parameters"] = models.parameter_counts(parameters)
    return record


def _categories(stored: "Model", parameters: Any) -> list[dict[str, Any]]:
    """The categories of each feature that holds some."""
    counts, every = stored.counts, []
    assert counts is not None
    for j, name in enumerate(stored.schema.of_categories.titles):
        one = {
            "feature": name,
            "categories": list(counts.categories[j]),
            "weights": counts.of(j).tolist(),
            "missing": counts.missing[:, j].tolist(),
        }
        if parameters is not None:
            one["probabilities"] = parameters.categorical.probability(j).tolist()
        every.append(one)
    return every
