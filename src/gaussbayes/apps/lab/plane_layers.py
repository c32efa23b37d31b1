"""Answers about the plane of two features: regions, densities, zones, ellipses, the surface."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.decision import margins, rejected
from gaussbayes.analysis.ellipse import ellipse, half_axes
from gaussbayes.analysis.grid import Grid, line_over
from gaussbayes.apps.lab.messages import SceneRequest, SurfaceRequest, Window
from gaussbayes.apps.lab.model_views import (
    ModelView,
    NeighbourView,
    Problem,
    View,
    feature_limits,
    shown_features,
    true_view,
    view_of,
)
from gaussbayes.apps.lab.performance import RowErrors, errors_record, row_errors
from gaussbayes.apps.lab.store import Store
from gaussbayes.apps.lab.training_data import Dataset, ShownFeatures
from gaussbayes.apps.lab.wire_format import Answer, single
from gaussbayes.base.types import RealArray
from gaussbayes.data.rows import Rows, number_rows

_BY_POSTERIOR = {"label", "posterior", "margin"}

_CERTAIN = 255
"""A posterior of 1."""

_SIGMAS = (1, 2, 3)

_N_POINTS = 61
"""Of an ellipse, six degrees between neighbours: the page draws them smoothly."""

_DIGITS = 6
"""Of the coordinates of an ellipse."""


@dataclass(frozen=True, slots=True, eq=False)
class GridRows:
    """The rows of a grid over a window, and how values of them cover it."""

    rows: Rows  # p, of the features shown
    grid: Grid
    shown: ShownFeatures

    def image(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values (p,) or (c, p) as images (h, w) or (c, h, w), the bottom line first.

        If one coordinate is hidden, nothing depends on it: all lines, or all columns, are alike.
        """
        h, w = self.grid.y.size, self.grid.x.size
        before = values.shape[:-1]
        if len(self.shown.axes) != 1:
            return values.reshape(*before, h, w)
        along = values[..., None, :] if self.shown.axes == (0,) else values[..., :, None]
        return np.ascontiguousarray(np.broadcast_to(along, (*before, h, w)))

    @property
    def bounds(self) -> dict[str, list[float]]:
        """The bounds of the window, as the page is told them."""
        left, right, bottom, top = self.grid.extent
        return {"x": [left, right], "y": [bottom, top]}


def grid_rows(
    dataset: Dataset, pair: tuple[int, int], shown: ShownFeatures, window: Window, store: Store
) -> GridRows:
    """The points of a window; bounds that it does not say are picked."""
    across, up = window.x, window.y
    if across is None or up is None:
        picked = [feature_limits(dataset, column, store) for column in pair]
        if pair[0] == pair[1]:
            picked[1] = (0.0, 1.0)
        across, up = across or picked[0], up or picked[1]
    grid = Grid(line_over(*across, window.width), line_over(*up, window.height))
    if len(shown.axes) != 1:
        return GridRows(number_rows(grid.rows), grid, shown)
    line = grid.x if shown.axes == (0,) else grid.y
    return GridRows(number_rows(line[:, None]), grid, shown)


def answer_scene(request: SceneRequest, store: Store) -> Answer:
    """The layers that are asked for, each an array of images, and what goes with them.

    The head has classes, parameters, ellipses, axes, errors (of the features shown), problem and
    bounds. A class without rows among those learnt from has null among means and covariances.
    """
    dataset = store.dataset(request.data)
    shown = shown_features(dataset, request.pair, request.hide)
    view = view_of(dataset, request.model, shown, store)
    places = grid_rows(dataset, request.pair, shown, request.window, store)
    head: dict[str, Any] = {
        "classes": dataset.classes,
        "parameters": None,
        "ellipses": [],
        "axes": [],
        "problem": None,
        "bounds": places.bounds,
    }
    arrays: dict[str, NDArray[Any]] = {}
    if request.truth or "truth" in request.layers:
        arrays |= _true_labels(dataset, shown, places, store)
    if isinstance(view, Problem):
        errors = errors_record(dataset, shown, None, store)
        return Answer(head | {"problem": view.text, "errors": errors}, arrays)
    errors_of_rows = row_errors(dataset, request.model, shown, view, store)
    errors = errors_record(dataset, shown, errors_of_rows, store)
    head |= {"classes": view.names, "errors": errors}
    if isinstance(view, ModelView):
        head |= _outlines(dataset, request, view, store)
    arrays |= _layers(request, view, places, errors_of_rows)
    return Answer(head, arrays)


def answer_surface(request: SurfaceRequest, store: Store) -> Answer:
    """Evidence and joint densities, not their logarithms, on a grid: heights over the plane.

    The head has classes, bounds and problem.
    """
    dataset = store.dataset(request.data)
    shown = shown_features(dataset, request.pair)
    places = grid_rows(dataset, request.pair, shown, request.window, store)
    head = {"classes": dataset.classes, "bounds": places.bounds, "problem": None}
    view = view_of(dataset, request.model, shown, store)
    if isinstance(view, NeighbourView):
        view = Problem("nearest neighbours have no densities: choose a Gaussian model")
    elif len(shown.axes) == 1:
        view = Problem("a surface needs two features: see the curves of this one")
    if isinstance(view, Problem):
        return Answer(head | {"problem": view.text})
    rows = places.rows
    arrays = {
        "x": single(places.grid.x),
        "y": single(places.grid.y),
        "evidence": places.image(single(np.exp(view.log_evidence(rows)))),
        "joint": places.image(single(np.exp(view.log_joint(rows)).T)),
    }
    return Answer(head | {"classes": view.names}, arrays)


def _outlines(
    dataset: Dataset, request: SceneRequest, view: ModelView, store: Store
) -> dict[str, Any]:
    """Parameters, ellipses and axes of both features, also where one of them is hidden."""
    if request.pair[0] == request.pair[1]:
        return {}
    if request.hide is not None:
        both = view_of(dataset, request.model, shown_features(dataset, request.pair), store)
        if not isinstance(both, ModelView):
            return {}
        view = both
    outlines: list[dict[str, Any]] = []
    axes: list[dict[str, Any]] = []
    for code, mean, covariance in zip(
        view.classes.tolist(), view.means, view.covariances, strict=True
    ):
        # All ellipses of a class are the first one, stretched.
        unit = ellipse(np.zeros(2), covariance, 1.0, _N_POINTS)
        digits = _decimals(float(np.abs(unit).max()))
        for sigma in _SIGMAS:
            x, y = (mean + sigma * unit).round(digits).T.tolist()
            outlines.append({"class": code, "sigma": sigma, "x": x, "y": y})
        ends = mean + half_axes(covariance)
        axes.append({"class": code, "center": mean.tolist(), "ends": ends.tolist()})
    return {"parameters": view.record(), "ellipses": outlines, "axes": axes}


def _decimals(size: float) -> int:
    """Decimals that show so many digits of numbers of this size."""
    return _DIGITS - int(np.floor(np.log10(size))) if size > 0 else _DIGITS


def _true_labels(
    dataset: Dataset, shown: ShownFeatures, places: GridRows, store: Store
) -> dict[str, NDArray[Any]]:
    """The label under the true model, which stays the same while others are moved."""
    truth = true_view(dataset, shown, store)
    if truth is None:
        return {}
    grid = places.grid
    key = "true labels", truth, shown, grid.extent, grid.x.size, grid.y.size
    codes = store.recall(key, lambda: truth.labels(places.rows).astype(np.uint8))
    return {"truth": places.image(codes)}


def _layers(
    request: SceneRequest, view: View, places: GridRows, errors: RowErrors
) -> dict[str, NDArray[Any]]:
    rows, layers = places.rows, request.layers
    arrays: dict[str, NDArray[Any]] = {}
    if layers & _BY_POSTERIOR or request.reject is not None:
        arrays |= _by_posterior(request, view, view.log_posterior(rows))
    if isinstance(view, ModelView):
        if "evidence" in layers:
            arrays["evidence"] = single(view.log_evidence(rows))
        if "joint" in layers:
            arrays["joint"] = single(view.log_joint(rows).T)
        if "density" in layers:
            arrays["density"] = single(view.log_likelihood(rows).T)
        if request.novelty is not None:
            arrays["novel"] = view.is_novel(rows, request.novelty).astype(np.uint8)
    images = {name: places.image(values) for name, values in arrays.items()}
    if "errors" in layers:
        images["wrong"] = errors.wrong.astype(np.uint8)
    return images


def _by_posterior(
    request: SceneRequest, view: View, log_posterior: RealArray
) -> dict[str, NDArray[Any]]:
    """Labels, margins, posteriors and the zone that is left open, all from one calculation."""
    arrays: dict[str, NDArray[Any]] = {}
    layers = request.layers
    if "label" in layers:
        arrays["label"] = view.classes.astype(np.uint8)[log_posterior.argmax(axis=1)]
    by_class = single(log_posterior.T).T  # class by class in memory, which is quicker from here on
    if "margin" in layers:
        # Of the margins of all classes the best one's is the only one that is not negative.
        arrays["margin"] = single(margins(by_class).max(axis=1))
    if "posterior" in layers:
        posterior = np.zeros((len(view.names), by_class.shape[0]), dtype=np.uint8)
        posterior[view.classes] = np.rint(_CERTAIN * np.exp(by_class.T))
        arrays["posterior"] = posterior
    if request.reject is not None:
        arrays["reject"] = rejected(np.exp(log_posterior), request.reject).astype(np.uint8)
    return arrays
