"""Curves over one feature: densities, joint densities, posteriors, and where they cross."""

from typing import Any

import numpy as np

from gaussbayes.analysis.boundary import decision_boundaries
from gaussbayes.analysis.grid import line_over
from gaussbayes.apps.lab.datasets import Store
from gaussbayes.apps.lab.messages import LineRequest
from gaussbayes.apps.lab.work.answer import Answer, answered, single
from gaussbayes.apps.lab.work.errors import errors_record, mistakes
from gaussbayes.apps.lab.work.fits import Problem
from gaussbayes.apps.lab.work.scene import parameters_record
from gaussbayes.apps.lab.work.sight import Gaussians, column_of, sight, spread_classes
from gaussbayes.apps.lab.work.window import feature_limits
from gaussbayes.families.gaussian import scores


def answer_line(request: LineRequest, store: Store) -> Answer:
    """Plain values, not logarithms, at equally spaced places."""
    dataset = store.dataset(request.data)
    dataset.refuse_strange(*request.pair, request.feature)
    low, high = request.x or feature_limits(dataset, request.feature, store)
    head: dict[str, Any] = {
        "classes": dataset.classes,
        "feature": request.feature,
        "name": dataset.table.features[request.feature],
        "x": [low, high],
        "parameters": None,
        "errors": None,
        "boundaries": [],
        "sides": [],
        "problem": None,
    }
    seen = column_of(request.pair, request.feature, request.model)
    found = sight(dataset, request.model, seen, store)
    if isinstance(found, Problem):
        return answered(request, head | {"problem": found.text})
    head["classes"] = found.names
    counted = mistakes(dataset, request.model, seen, found, store)
    head["errors"] = errors_record(dataset, seen, counted, store)
    place = line_over(low, high, request.points)
    rows = place[:, None]
    arrays = {"place": single(place)}
    if isinstance(found, Gaussians):
        model = found.parameters
        head["parameters"] = parameters_record(found)
        if model.prior.size > 1:
            crossings = decision_boundaries(model)
            head["boundaries"] = [one.position for one in crossings]
            head["sides"] = [
                [int(found.classes[one.left]), int(found.classes[one.right])] for one in crossings
            ]
        densities = {
            "density": scores.likelihood(model, rows),
            "joint": scores.joint(model, rows),
        }
        for name, values in densities.items():
            arrays[name] = single(spread_classes(found, values, 0.0).T)
        arrays["evidence"] = single(scores.evidence(model, rows))
    posterior = spread_classes(found, np.exp(found.log_posterior(rows)), 0.0)
    arrays["posterior"] = single(posterior.T)
    return answered(request, head, arrays)
