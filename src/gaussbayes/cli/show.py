"""``gaussbayes show MODEL``: what a model file holds, for people or as JSON."""

from typing import TYPE_CHECKING, Any

import click

from gaussbayes.cli import models, options, output
from gaussbayes.errors import GaussBayesError

if TYPE_CHECKING:
    from gaussbayes.model import Model
    from gaussbayes.parameters import Parameters


@click.command("show")
@click.argument("model", type=options.MODEL)
@options.json_option("Write everything as JSON, every number exact.")
def command(model: str, as_json: bool) -> None:
    """Show a model: settings, classes, priors, means, covariances, correlations.

    Tables of many classes or features are shortened; --json has all of them.

    \b
    gaussbayes show iris.json
    """
    stored = models.read(model)
    try:
        parameters, problem = stored.estimate(), None
    except GaussBayesError as error:
        parameters, problem = None, str(error)
    if as_json:
        output.write_json(_record(stored, parameters, problem))
        return

    from gaussbayes.cli import model_tables

    model_tables.print_model(output.console(), model, stored, parameters, problem)


def _record(
    stored: "Model", parameters: "Parameters | None", problem: str | None
) -> dict[str, Any]:
    """Everything about a model as plain values.

    Covariances and correlations are (k, d, d), or (d, d) when shared; a diagonal or spherical model
    has variances instead, (k, d) or (k,), without the first axis when shared.
    """
    schema, moments = stored.schema, stored.moments
    record: dict[str, Any] = {
        "settings": models.settings_record(stored),
        "target": stored.target,
        "classes": schema.classes.tolist(),
        "features": None if schema.features is None else list(schema.features),
        "n_features": schema.n_features,
        "weights": None if moments is None else moments.weight.tolist(),
        "problem": problem,
    }
    if parameters is None:
        return record
    record |= {"priors": parameters.prior.tolist(), "means": parameters.mean.tolist()}
    from gaussbayes.covariance import Full, correlation

    shape = parameters.covariance
    if isinstance(shape, Full):
        spread = {"covariances": shape.covariance, "correlations": correlation(shape.covariance)}
    else:
        spread = {"variances": shape.variance}
    shared = stored.settings.structure.shared
    record |= {name: (own[0] if shared else own).tolist() for name, own in spread.items()}
    record["n_parameters"] = models.parameter_counts(parameters)
    return record
