"""The evidence as heights over the plane."""

from typing import Any

from gaussbayes.apps.lab.datasets import Store
from gaussbayes.apps.lab.messages import SurfaceRequest
from gaussbayes.apps.lab.work.answer import Answer, answered, single
from gaussbayes.apps.lab.work.fits import Problem
from gaussbayes.apps.lab.work.sight import Votes, shown, sight, spread_classes
from gaussbayes.apps.lab.work.window import as_record, places
from gaussbayes.families.gaussian import scores


def answer_surface(request: SurfaceRequest, store: Store) -> Answer:
    """Plain values of evidence and joint densities on a grid."""
    dataset = store.dataset(request.data)
    seen = shown(dataset, request.pair)
    points = places(dataset, request.pair, seen, request.view, store)
    head: dict[str, Any] = {
        "classes": dataset.classes,
        "bounds": as_record(points.grid),
        "problem": None,
    }
    found = sight(dataset, request.model, seen, store)
    if isinstance(found, Votes):
        found = Problem("nearest neighbours have no densities: choose a Gaussian model")
    elif len(seen.axes) < 2:
        found = Problem("a surface needs two features: see the curves of this one")
    if isinstance(found, Problem):
        return answered(request, head | {"problem": found.text})
    head["classes"] = found.names
    model, rows = found.parameters, points.rows
    joint = spread_classes(found, scores.joint(model, rows), 0.0)
    arrays = {
        "x": single(points.grid.x),
        "y": single(points.grid.y),
        "evidence": points.image(single(scores.evidence(model, rows))),
        "joint": points.image(single(joint.T)),
    }
    return answered(request, head, arrays)
