"""Everything in the plane of two features: regions, densities, zones, errors, the truth."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis import novelty
from gaussbayes.analysis.decision import margins, rejected
from gaussbayes.apps.lab.datasets import Dataset, Store
from gaussbayes.apps.lab.messages import SceneRequest
from gaussbayes.apps.lab.work.answer import Answer, answered, single
from gaussbayes.apps.lab.work.errors import Mistakes, errors_record, mistakes
from gaussbayes.apps.lab.work.fits import Problem
from gaussbayes.apps.lab.work.outlines import axes, covariances, ellipses
from gaussbayes.apps.lab.work.sight import (
    Gaussians,
    Shown,
    Sight,
    predicted,
    shown,
    sight,
    spread_classes,
    true_sight,
)
from gaussbayes.apps.lab.work.window import Places, as_record, places
from gaussbayes.base.types import RealArray
from gaussbayes.families.gaussian import scores

_SURE = 255
"""A posterior of 1."""

_BY_POSTERIOR = {"label", "posterior", "margin"}


def answer_scene(request: SceneRequest, store: Store) -> Answer:
    """The layers that are asked for, and what goes with them."""
    dataset = store.dataset(request.data)
    seen = shown(dataset, request.pair, request.hide)
    found = sight(dataset, request.model, seen, store)
    points = places(dataset, request.pair, seen, request.view, store)
    head: dict[str, Any] = {
        "classes": dataset.classes,
        "parameters": None,
        "ellipses": [],
        "axes": [],
        "problem": None,
        "bounds": as_record(points.grid),
    }
    arrays: dict[str, NDArray[Any]] = {}
    if request.truth or "truth" in request.layers:
        arrays |= _truth(dataset, seen, points, store)
    if isinstance(found, Problem):
        errors = errors_record(dataset, seen, None, store)
        return answered(request, head | {"problem": found.text, "errors": errors}, arrays)
    counted = mistakes(dataset, request.model, seen, found, store)
    head |= {"classes": found.names, "errors": errors_record(dataset, seen, counted, store)}
    if isinstance(found, Gaussians):
        head |= _outlines(dataset, request, found, store)
    arrays |= _layers(request, found, points, counted)
    return answered(request, head, arrays)


def _outlines(
    dataset: Dataset, request: SceneRequest, found: Gaussians, store: Store
) -> dict[str, Any]:
    """Parameters, ellipses and axes of both features, also where one of them is hidden."""
    if request.pair[0] == request.pair[1]:
        return {}
    whole = found
    if request.hide is not None:
        both = sight(dataset, request.model, shown(dataset, request.pair), store)
        if not isinstance(both, Gaussians):
            return {}
        whole = both
    return {
        "parameters": parameters_record(whole),
        "ellipses": ellipses(whole),
        "axes": axes(whole),
    }


def parameters_record(found: Gaussians) -> dict[str, Any]:
    """Priors, means and covariances of all classes; None for those that the model knows not."""
    gaussians = found.parameters
    k = len(found.names)
    record: dict[str, Any] = {"priors": [0.0] * k, "means": [None] * k, "covariances": [None] * k}
    values = (gaussians.prior, gaussians.mean, covariances(gaussians))
    for name, each in zip(record, values, strict=True):
        for code, value in zip(found.classes.tolist(), each.tolist(), strict=True):
            record[name][code] = value
    return record | {"count": found.count}


def _truth(dataset: Dataset, seen: Shown, points: Places, store: Store) -> dict[str, NDArray[Any]]:
    """The label under the true model, which stays the same while others are moved."""
    truth = true_sight(dataset, seen, store)
    if truth is None:
        return {}
    grid = points.grid
    key = "true labels", truth.parameters, grid.extent, grid.x.size, grid.y.size
    codes = store.recall(key, lambda: predicted(truth, points.rows).astype(np.uint8))
    return {"truth": points.image(codes)}


def _layers(
    request: SceneRequest, found: Sight, points: Places, counted: Mistakes
) -> dict[str, NDArray[Any]]:
    rows, wanted = points.rows, request.layers
    arrays: dict[str, NDArray[Any]] = {}
    if wanted & _BY_POSTERIOR or request.reject is not None:
        arrays |= _by_posterior(request, found, found.log_posterior(rows))
    if isinstance(found, Gaussians):
        model = found.parameters
        if "evidence" in wanted:
            arrays["evidence"] = single(scores.log_evidence(model, rows))
        for layer, score in (("joint", scores.log_joint), ("density", scores.log_likelihood)):
            if layer in wanted:
                arrays[layer] = single(spread_classes(found, score(model, rows), -np.inf).T)
        if request.novelty is not None:
            p_values = novelty.class_p_values(model, rows)
            unlike = novelty.novel(p_values, request.novelty, model.prior)
            arrays["novel"] = unlike.astype(np.uint8)
    images = {name: points.image(values) for name, values in arrays.items()}
    if "errors" in wanted:
        images["wrong"] = counted.wrong.astype(np.uint8)
    return images


def _by_posterior(
    request: SceneRequest, found: Sight, log_posterior: RealArray
) -> dict[str, NDArray[Any]]:
    """Labels, margins, posteriors and the zone that is left open, all from one calculation."""
    arrays: dict[str, NDArray[Any]] = {}
    wanted = request.layers
    if "label" in wanted:
        arrays["label"] = found.classes.astype(np.uint8)[log_posterior.argmax(axis=1)]
    told = single(log_posterior.T).T  # class by class in memory, which is quicker from here on
    if "margin" in wanted:
        # Of the margins of all classes the best one's is the only one that is not negative.
        arrays["margin"] = single(margins(told).max(axis=1))
    if "posterior" in wanted:
        shares = np.zeros((len(found.names), told.shape[0]), dtype=np.uint8)
        shares[found.classes] = np.rint(_SURE * np.exp(told.T))
        arrays["posterior"] = shares
    if request.reject is not None:
        arrays["reject"] = rejected(np.exp(log_posterior), request.reject).astype(np.uint8)
    return arrays
