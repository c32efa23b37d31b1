"""Answers about one feature: densities, joint densities, posteriors, and where they cross."""

from typing import Any

import numpy as np

from gaussbayes.analysis.grid import line_over
from gaussbayes.apps.lab.messages import LineRequest
from gaussbayes.apps.lab.model_views import (
    NOTHING_TO_DRAW,
    ModelView,
    Problem,
    all_classes,
    all_features,
    feature_limits,
    one_feature,
    view_of,
)
from gaussbayes.apps.lab.performance import errors_record, row_errors
from gaussbayes.apps.lab.store import Store
from gaussbayes.apps.lab.wire_format import Answer, single
from gaussbayes.data.rows import number_rows


def answer_line(request: LineRequest, store: Store) -> Answer:
    """Values, not logarithms, at equally spaced places; of neighbours the posterior alone.

    The head has classes, feature (its number), name, x, parameters and errors (of this feature
    alone), boundaries, sides (the class codes left and right of each) and problem.
    """
    dataset = store.dataset(request.data)
    feature = request.pair[0] if request.feature is None else request.feature
    dataset.check_features(*request.pair, feature)
    names = dataset.table.features
    low, high = request.x or feature_limits(dataset, feature, store)
    head: dict[str, Any] = {
        "classes": dataset.classes,
        "feature": feature,
        "name": names[feature] if names else "",
        "x": [low, high],
        "parameters": None,
        "errors": None,
        "boundaries": [],
        "sides": [],
        "problem": None,
    }
    if not names:
        every = all_features(dataset, request.model, request.pair)
        view = view_of(dataset, request.model, every, store)
        if isinstance(view, Problem):
            return Answer(head | {"problem": view.text})
        parameters = view.record() if isinstance(view, ModelView) else None
        return Answer(head | {"problem": NOTHING_TO_DRAW, "parameters": parameters})
    shown = one_feature(request.pair, feature, request.model)
    view = view_of(dataset, request.model, shown, store)
    if isinstance(view, Problem):
        return Answer(head | {"problem": view.text})
    errors = row_errors(dataset, request.model, shown, view, store)
    head |= {"classes": view.names, "errors": errors_record(dataset, shown, errors, store)}
    place = line_over(low, high, request.points)
    rows = number_rows(place[:, None])
    arrays = {"place": single(place)}
    if isinstance(view, ModelView):
        crossings = view.boundaries()
        head["parameters"] = view.record()
        head["boundaries"] = [position for position, _, _ in crossings]
        head["sides"] = [[left, right] for _, left, right in crossings]
        arrays["density"] = single(np.exp(view.log_likelihood(rows)).T)
        arrays["joint"] = single(np.exp(view.log_joint(rows)).T)
        arrays["evidence"] = single(np.exp(view.log_evidence(rows)))
    arrays["posterior"] = single(all_classes(view, np.exp(view.log_posterior(rows)), 0.0).T)
    return Answer(head, arrays)
