"""What the lab calculates: a request and the store → an answer; nothing here draws.

The functions that answer say what the heads and arrays of their answers hold; row 0 of a grid is
the lowest y. What cannot be calculated for these data, such as a covariance that is singular, is no
error: the head's ``problem`` says why and what to do, and arrays are left out.
"""

import tomllib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis import novelty
from gaussbayes.analysis.boundary import decision_boundaries
from gaussbayes.analysis.class_moments import class_outlines
from gaussbayes.analysis.decision import margins, rejected
from gaussbayes.analysis.ellipse import half_axes
from gaussbayes.analysis.grid import Grid, line_over
from gaussbayes.apps.lab import exports, messages
from gaussbayes.apps.lab.lab_tables import LabTable, ShownFeatures
from gaussbayes.apps.lab.model_views import (
    MOST_LEFT_OUT,
    NOTHING_TO_DRAW,
    AskedModel,
    ClassifierView,
    ModelView,
    asked_model,
    feature_limits,
    first_pair,
    least_error,
    recalled,
    true_view,
)
from gaussbayes.apps.lab.store import LabDataset, Store
from gaussbayes.apps.lab.wire_format import NO_CODE, Answer, MessageError, problem_noted, single
from gaussbayes.base.errors import DataError, GaussBayesError
from gaussbayes.base.spelling import meant
from gaussbayes.base.types import FloatArray
from gaussbayes.data.categories import MISSING
from gaussbayes.data.rows import Rows
from gaussbayes.families.gaussian.structure import STRUCTURES
from gaussbayes.model.evaluation import Evaluation

_SMALLEST = 1e-250  # of a size that is rounded: powers of ten end soon after
_MOST_VALUES = 1_000_000  # of rows by which errors of all features are counted beside a figure
_CERTAIN = 255  # a posterior of 1
_SIGMAS = (1, 2, 3)
_N_POINTS = 61  # of an ellipse, six degrees between neighbours: the page draws them smoothly
_DIGITS = 6  # of the coordinates of an ellipse, of its size along each axis


def answer(request: messages.Request, store: Store) -> Answer:
    """The answer; `MessageError` for what there is not: data that were let go, a feature, a row."""
    if isinstance(request, messages.DataRequest):
        return answer_data(request, store)
    if isinstance(request, messages.LessonRequest):
        return answer_lesson(request)
    if isinstance(request, messages.OpenRequest):
        return Answer({"state": msgspec.to_builtins(request.state)})
    if isinstance(request, messages.CancelRequest):
        return Answer({})  # what was under way is known to the conversation alone
    asked = asked_model(store.dataset(request.data), request.pair, request.model)
    return _OF_MODELS[request.kind](request, asked)


def answer_data(request: messages.DataRequest, store: Store) -> Answer:
    """The rows of a dataset: arrays points (n, g), codes (n,), test (n,) and categories (n, q).

    A class code of 255 is a row without label, a category code of 255 a missing one. The head has
    id, name, classes, features (those that hold numbers), categories (the others: name, values), n,
    unlabelled (rows without label), pair (of a file, the two features that tell its classes apart
    best), truth (the true parameters of the first two features),
    target, columns (of the file) and problem (what is left out, why no rows are held out although
    that was asked for).
    """
    dataset = store.dataset_of(request)
    table = dataset.table
    truth = true_view(dataset, ShownFeatures(tuple(dict.fromkeys(dataset.pair)), (0, 1)))
    named = zip(table.categorical, table.categories, strict=True)
    head = {
        "id": dataset.key,
        "name": table.name,
        "classes": dataset.classes,
        "features": table.features,
        "categories": [{"name": name, "values": list(map(str, each))} for name, each in named],
        "n": table.codes.size,
        "unlabelled": int(np.count_nonzero(~table.has_label)),
        "pair": first_pair(dataset),
        "truth": None if truth is None else truth.record(),
        "target": table.target,
        "columns": table.columns or (*table.names, table.target),
        "problem": dataset.note,
    }
    codes = {"codes": table.codes, "categories": table.rows.codes}
    arrays: dict[str, Any] = {"points": table.X, "test": dataset.test.astype(np.uint8)}
    for name, values in codes.items():
        arrays[name] = np.where(values < 0, NO_CODE, values).astype(np.uint8)
    return Answer(head, arrays)


@cache
def lessons() -> list[dict[str, Any]]:
    """Name, title and steps of each guided lesson, in the order of the course.

    A step has a text, a state of the page, controls, and a goal or None; what the state does not
    name is as the page begins, so that it does not depend on the steps before it.
    ``guided_lessons.toml`` has them, and says what they may hold.
    """
    text = Path(__file__).with_name("guided_lessons.toml").read_text("utf-8")
    return [_lesson(**lesson) for lesson in tomllib.loads(text)["lesson"]]


def _lesson(
    name: str, title: str, steps: list[Any], models: dict[str, Any] | None = None, **common: Any
) -> dict[str, Any]:
    read = []
    for step in steps:
        state = {"pair": [0, 1], "model": {}} | common | step
        if isinstance(state["model"], str):
            state["model"] = (models or {})[state["model"]]
        text, controls = " ".join(state.pop("text").split()), state.pop("controls", [])
        goal = state.pop("goal", None)
        read.append({"text": text, "state": state, "controls": controls, "goal": goal})
    return {"name": name, "title": title, "steps": read}


def answer_lesson(request: messages.LessonRequest) -> Answer:
    """The lesson: name, title and steps."""
    known = {lesson["name"]: lesson for lesson in lessons()}
    if request.name not in known:
        close = meant(request.name, known)
        msg = f"there is no lesson {request.name!r:.80}{close}; there are {', '.join(known)}"
        raise MessageError(msg)
    return Answer(known[request.name])


def _at_places(
    points: FloatArray, codes: NDArray[np.int32], shown: ShownFeatures, table: LabTable
) -> Rows:
    """Rows of numbers (p, g) that all have the same categories, those of the features shown."""
    chosen = list(shown.categories)
    some = np.broadcast_to(codes[chosen], (points.shape[0], len(chosen)))
    return Rows(points, np.ascontiguousarray(some), tuple(table.categories[j] for j in chosen))


@dataclass(frozen=True, slots=True, eq=False)
class GridRows:
    """The rows of a grid over a window, and how values of them cover it."""

    rows: Rows  # p, of the features shown
    grid: Grid
    shown: ShownFeatures

    @classmethod
    def of(
        cls, request: messages.SurfaceRequest, asked: AskedModel, hide: int | None = None
    ) -> "GridRows":
        """The points of a window; bounds that it does not say are picked."""
        window, known = request.view or messages.Window(), request.known_categories
        codes = _codes(asked.dataset.table, known)
        shown = asked.conditioned(asked.shown(hide), known)
        across, up = (feature_limits(asked.dataset, column) for column in asked.pair)
        if asked.pair[0] == asked.pair[1]:
            up = (0.0, 1.0)
        grid = Grid(
            line_over(*(window.x or across), window.width),
            line_over(*(window.y or up), window.height),
        )
        points = grid.rows
        if len(shown.axes) == 1:
            points = (grid.x if shown.axes == (0,) else grid.y)[:, None]
        return cls(_at_places(points, codes, shown, asked.dataset.table), grid, shown)

    def image(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values (p,) or (c, p) as images (h, w) or (c, h, w), the bottom line first.

        If one coordinate is hidden, nothing depends on it: all lines, or all columns, are alike.
        """
        shape = (*values.shape[:-1], self.grid.y.size, self.grid.x.size)
        if len(self.shown.axes) != 1:
            return values.reshape(shape)
        along = values[..., None, :] if self.shown.axes == (0,) else values[..., :, None]
        return np.ascontiguousarray(np.broadcast_to(along, shape))

    @property
    def units(self) -> tuple[float, float]:
        """How far apart neighbouring points of the grid are: as far on the screen either way."""
        left, right, bottom, top = self.grid.extent
        return (right - left) / self.grid.x.size, (top - bottom) / self.grid.y.size

    @property
    def bounds(self) -> dict[str, list[float]]:
        """The bounds of the window, as the page is told them."""
        left, right, bottom, top = self.grid.extent
        return {"x": [left, right], "y": [bottom, top]}


def answer_scene(request: messages.SceneRequest, asked: AskedModel) -> Answer:
    """The layers that are asked for, each an array of images, and what goes with them.

    The head has classes, parameters, ellipses, axes (the center of the ellipse of 1 σ and the ends
    of its half axes, which are perpendicular on the screen), errors (see `errors_record`), problem,
    sampled, waiting (see `AskedModel.notes`) and bounds. A class without rows among those learnt
    from has null among means and covariances. Categories that are known are those of the whole
    plane, and errors are those of the rows that have them.
    """
    places = GridRows.of(request, asked, request.hide)
    head: dict[str, Any] = {
        "classes": asked.dataset.classes,
        "parameters": None,
        "ellipses": [],
        "axes": [],
        "errors": errors_record(asked, places.shown, request.known_categories),
        "sampled": None,
        "waiting": [],
        "bounds": places.bounds,
    }
    arrays: dict[str, NDArray[Any]] = {}
    truth = true_view(asked.dataset, places.shown)
    if truth is not None and (request.truth or "truth" in request.layers):
        # It stays the same while models are moved.
        key = (
            "true labels",
            places.shown,
            *places.grid.extent,
            places.grid.x.size,
            places.grid.y.size,
        )
        codes = asked.dataset.recall(key, lambda: truth.labels(places.rows).astype(np.uint8))
        arrays["truth"] = places.image(codes)
    with problem_noted(head):
        view = asked.view(places.shown)
        wrong, rates = row_errors(asked, places.shown, request.known_categories)
        head |= {"classes": view.names} | asked.notes()
        head["errors"] |= rates | {"all": all_errors(asked, places.shown)}
        if request.pair[0] != request.pair[1]:
            # Those of both features stay where one of them is hidden.
            head |= _outlines(asked.view(asked.shown()), places.units)
        layers = _layers(request, view, places.rows)
        arrays |= {name: places.image(values) for name, values in layers.items()}
        if "errors" in request.layers:
            arrays["wrong"] = wrong.astype(np.uint8)
        if request.novelty is not None and isinstance(view, ModelView):
            # Not every model has distances: the rest is there then.
            p_values = novelty.class_p_values(view.model, places.rows)
            is_novel = novelty.novel(p_values, request.novelty, view.model.prior)
            arrays["novel"] = places.image(is_novel.astype(np.uint8))
    return Answer(head, arrays)


def answer_surface(request: messages.SurfaceRequest, asked: AskedModel) -> Answer:
    """Evidence and joint densities, not their logarithms, on a grid: heights over the plane.

    The head has classes, bounds and problem.
    """
    places = GridRows.of(request, asked)
    head: dict[str, Any] = {"classes": asked.dataset.classes, "bounds": places.bounds}
    arrays: dict[str, NDArray[Any]] = {}
    with problem_noted(head):
        view = asked.view(places.shown)
        if isinstance(request.model, messages.Neighbours):
            msg = "nearest neighbours have no densities: choose a Gaussian model"
            raise DataError(msg)
        if len(places.shown.axes) == 1:
            msg = "a surface needs two features: see the curves of this one"
            raise DataError(msg)
        heights = _exponentials(view, places.rows, ("evidence", "joint"))
        arrays = {name: places.image(values) for name, values in heights.items()}
        arrays |= {"x": places.grid.x, "y": places.grid.y}
        head["classes"] = view.names
    return Answer(head, arrays)


def answer_line(request: messages.LineRequest, asked: AskedModel) -> Answer:
    """Values, not logarithms, at equally spaced places; of neighbours the posterior alone.

    The head has classes, feature (its number), name, x, parameters and errors (of this feature
    alone), boundaries, sides (the class codes left and right of each), problem, sampled, waiting.
    """
    dataset, names = asked.dataset, asked.dataset.table.features
    feature = request.pair[0] if request.feature is None else request.feature
    dataset.check_features(feature)
    low, high = request.x or feature_limits(dataset, feature)
    head: dict[str, Any] = {
        "classes": dataset.classes,
        "feature": feature,
        "name": names[feature] if names else "",
        "x": [low, high],
        "parameters": None,
        "errors": None,
        "sampled": None,
        "waiting": [],
        "boundaries": [],
        "sides": [],
    }
    arrays: dict[str, NDArray[Any]] = {}
    known = request.known_categories
    codes = _codes(dataset.table, known)
    with problem_noted(head):
        shown = asked.all_features
        if names:
            shown = asked.conditioned(asked.one_feature(feature), known)
        view = asked.view(shown)
        head["parameters"] = view.record()
        if not names:
            raise DataError(NOTHING_TO_DRAW)
        _, rates = row_errors(asked, shown, known)
        errors = errors_record(asked, shown, known) | rates | {"all": all_errors(asked, shown)}
        head |= {"classes": view.names, "errors": errors} | asked.notes()
        if isinstance(view, ModelView) and view.classes.size > 1 and not shown.categories:
            crossings = decision_boundaries(view.model)
            head["boundaries"] = [each.position for each in crossings]
            head["sides"] = [view.classes[[each.left, each.right]].tolist() for each in crossings]
        place = line_over(low, high, request.points)
        rows = _at_places(place[:, None], codes, shown, dataset.table)
        arrays = {"place": place}
        arrays |= _exponentials(view, rows, ("density", "joint", "evidence"))
        arrays["posterior"] = single(np.exp(view.log_posterior(rows)).T)
    return Answer(head, arrays)


def answer_multiples(request: messages.MultiplesRequest, asked: AskedModel) -> Answer:
    """The six structures and nearest neighbours side by side: regions, and errors by all features.

    The head has models and bounds; the array label holds an image for each model, 255 where there
    is none.
    """
    places = GridRows.of(request, asked, request.hide)
    choices = _choices(request, asked.dataset)
    records = []
    labels = np.full((len(choices), places.rows.n_rows), NO_CODE, dtype=np.uint8)
    for label, (name, choice) in zip(labels, choices.items(), strict=True):
        asked = asked_model(asked.dataset, request.pair, choice)
        record = dict.fromkeys(("train", "test", "leave_one_out", "structure", "neighbours"))
        record |= {"name": name, "sampled": None}
        if isinstance(choice, messages.Neighbours):
            record["neighbours"] = choice.k
        elif isinstance(choice, messages.FitSettings):
            record["structure"] = {"covariance": choice.covariance, "shared": choice.shared}
        with problem_noted(record):
            _, rates = row_errors(asked, asked.all_features, None)
            left_out = asked.left_out()
            record |= rates | {"leave_one_out": left_out and left_out[0].error}
            record |= asked.notes()
        with suppress(GaussBayesError):
            places = GridRows.of(request, asked, request.hide)
            label[:] = asked.view(places.shown).labels(places.rows)
        records.append(record)
    return Answer({"models": records, "bounds": places.bounds}, {"label": places.image(labels)})


def _choices(request: messages.MultiplesRequest, dataset: LabDataset) -> dict[str, Any]:
    """The models by name; priors, divisor and the like are those of the request's model.

    The automatic one is among them if it was asked for before.
    """
    settings, k = request.model, request.neighbours
    choices: dict[str, Any] = {}
    if isinstance(settings, messages.AutomaticSettings):
        choices = {"automatic": settings}
        settings = messages.FitSettings(priors=settings.priors, first=settings.first)
    elif not isinstance(settings, messages.FitSettings):
        settings = messages.FitSettings()
    if not dataset.table.features:
        return choices | {"discrete naive Bayes": settings}  # structures are those of numbers
    choices |= {
        name: msgspec.structs.replace(settings, covariance=each.covariance, shared=each.shared)
        for name, each in STRUCTURES.items()
    }
    return choices | {f"{k} nearest neighbour{'s' if k > 1 else ''}": messages.Neighbours(k)}


def _exponentials(
    view: ClassifierView, rows: Rows, names: Sequence[str]
) -> dict[str, NDArray[Any]]:
    """Densities, not their logarithms, as the page gets them."""
    return {name: single(np.exp(each)) for name, each in view.logarithms(rows, names).items()}


def _outlines(view: ClassifierView, units: tuple[float, float]) -> dict[str, Any]:
    """Parameters, ellipses and axes of two features, perpendicular where these units are square."""
    if not isinstance(view, ModelView):
        return {}
    outlines: list[dict[str, Any]] = []
    codes = view.classes.tolist()
    of_classes = np.stack([class_outlines(view.model, s, _N_POINTS) for s in _SIGMAS], axis=1)
    for code, of_class in zip(codes, of_classes, strict=True):
        for sigma, points in zip(_SIGMAS, of_class, strict=True):
            x, y = map(_rounded, points.T)
            outlines.append({"class": code, "sigma": sigma, "x": x, "y": y})
    axes = [
        {
            "class": code,
            "center": mean.tolist(),
            "ends": (mean + half_axes(covariance, units)).tolist(),
        }
        for code, mean, covariance in zip(codes, view.means, view.covariances, strict=True)
    ]
    return {"parameters": view.record(), "ellipses": outlines, "axes": axes}


def _rounded(coordinates: FloatArray) -> list[float]:
    """Coordinates to some digits of their own range, whatever that of the other axis is."""
    size = float(np.ptp(coordinates))
    if _SMALLEST < size < 1 / _SMALLEST:
        coordinates = coordinates.round(_DIGITS - int(np.floor(np.log10(size))))
    listed: list[float] = coordinates.tolist()
    return listed


def _layers(
    request: messages.SceneRequest, view: ClassifierView, rows: Rows
) -> dict[str, NDArray[Any]]:
    """Values (p,) or (c, p); those that follow from the posterior by one calculation."""
    layers = request.layers
    arrays: dict[str, NDArray[Any]] = {}
    if layers & {"label", "posterior", "margin"} or request.reject is not None:
        log_posterior = view.log_posterior(rows)
        by_class = single(log_posterior.T).T  # class by class in memory, quicker from here on
        if "label" in layers:
            arrays["label"] = log_posterior.argmax(axis=1).astype(np.uint8)
        if "margin" in layers:
            # Of the margins of all classes the best one's is the only one that is not negative.
            arrays["margin"] = single(margins(by_class).max(axis=1))
        if "posterior" in layers:
            arrays["posterior"] = np.rint(_CERTAIN * np.exp(by_class.T)).astype(np.uint8)
        if request.reject is not None:
            arrays["reject"] = rejected(np.exp(log_posterior), request.reject).astype(np.uint8)
    densities = [name for name in ("evidence", "joint", "density") if name in layers]
    logarithms = view.logarithms(rows, densities) if densities else {}
    arrays |= {name: single(values) for name, values in logarithms.items()}
    return arrays


def answer_point(request: messages.PointRequest, asked: AskedModel) -> Answer:
    """What the model says of a place in the plane of the pair, or of a row.

    Categories that are known there count, too, if the model was fitted to them. The head has at,
    categories (the code of each, or null), explanation, prediction, classes, posterior, p_values,
    hidden, neighbours (the numbers of the rows that vote) and problem.
    """
    table, shown = asked.dataset.table, asked.shown()
    place, codes = np.full(2, np.nan), np.full(len(table.categories), MISSING, np.int32)
    if not isinstance(request.at, int):
        place[:] = request.at
    elif not 0 <= request.at < table.codes.size:
        msg = f"there is no row {request.at}: there are {table.codes.size}, numbered from 0"
        raise MessageError(msg)
    else:
        place[list(shown.axes)] = table.X[request.at, list(shown.numbers)]
        codes = np.array(table.rows.codes[request.at])
    if request.known_categories is not None:
        codes = _codes(table, request.known_categories)
    if request.hide is not None and len(shown.axes) == 2:
        place[request.hide] = np.nan
    names = ("explanation", "prediction", "posterior", "p_values", "neighbours")
    head: dict[str, Any] = dict.fromkeys(names) | {
        "at": [None if np.isnan(value) else value for value in place.tolist()],
        "categories": [None if code < 0 else code for code in codes.tolist()],
        "classes": asked.dataset.classes,
        "hidden": request.hide,
    }
    row = place[list(shown.axes)]
    with problem_noted(head):
        if asked.knows_categories:
            # Without numbers the model is seen through all categories, be they known or not.
            known = np.flatnonzero((codes >= 0) | (not shown.numbers))
            shown = replace(shown, categories=tuple(known.tolist()))
        elif isinstance(request.model, messages.Neighbours):
            # They are looked for among the coordinates that are known.
            known = np.flatnonzero(~np.isnan(row))
            if row.size and not known.size:
                msg = "nothing is known of this point"
                raise DataError(msg)
            shown = replace(shown, numbers=tuple(shown.numbers[axis] for axis in known.tolist()))
            row = row[known]
        view = asked.view(shown)
        head |= {"classes": view.names} | view.at(_at_places(row[None], codes, shown, table))
    return Answer(head)


def _codes(table: LabTable, known: messages.KnownCategories) -> NDArray[np.int32]:
    """The code of each feature that holds categories (q,), below 0 where it is not known."""
    if known is None:
        return np.full(len(table.categories), MISSING, np.int32)
    if len(known) != table.rows.codes.shape[1]:
        msg = (
            f"known_categories must be an array of {len(table.categories)} entries, one for each "
            f"feature that holds categories, got {len(known)}"
        )
        raise MessageError(msg)
    for code, values in zip(known, table.categories, strict=True):
        if code is not None and code >= len(values):
            msg = f"there is no category {code}: they are numbered from 0 to {len(values) - 1}"
            raise MessageError(msg)
    return np.array([MISSING if code is None else code for code in known], np.int32)


@recalled
def row_errors(
    asked: AskedModel, shown: ShownFeatures, known: messages.KnownCategories
) -> tuple[NDArray[np.bool_], dict[str, float | None]]:
    """Which rows (n,) the features shown get wrong, and the proportions, None without such rows.

    Only rows that have the categories that are known count.
    """
    table = asked.dataset.table
    agree = table.agree(known)
    wrong = np.zeros(table.codes.size, dtype=np.bool_)
    numbers = asked.usable(np.flatnonzero(agree), shown)
    if numbers.size:
        labels = asked.view(shown).labels(table.part(shown)[numbers])
        wrong[numbers] = labels != table.codes[numbers]
    parts = {name: part[agree[part]] for name, part in _parts(asked, shown).items()}
    return wrong, {
        name: float(wrong[part].mean()) if part.size else None for name, part in parts.items()
    }


def _parts(asked: AskedModel, shown: ShownFeatures) -> dict[str, NDArray[np.intp]]:
    """The numbers of the rows learnt from and of those held out, those that can be judged."""
    parts = {"train": asked.training, "test": np.flatnonzero(asked.dataset.test)}
    return {name: asked.usable(numbers, shown) for name, numbers in parts.items()}


def errors_record(
    asked: AskedModel, shown: ShownFeatures, known: messages.KnownCategories
) -> dict[str, Any]:
    """The errors of a figure, as the page is told them, before there is a model.

    They are train, test, bayes (the least that there can be, if that is known), of (which features
    they are errors of, in words) and all (train, test and of, for all features).
    """
    table = asked.dataset.table
    truth = true_view(asked.dataset, shown)
    least = truth and least_error(truth)
    bayes = least and {"error": least.error, "standard_error": least.standard_error}
    of = _of_features(len(shown.numbers), len(table.names))
    named = zip(table.categorical, table.categories, known or (), strict=False)
    where = [f"{name} = {values[code]}" for name, values, code in named if code is not None]
    if where:
        of += f" where {' and '.join(where)}"
    return {"train": None, "test": None, "bayes": bayes, "of": of, "all": None}


def all_errors(asked: AskedModel, shown: ShownFeatures) -> dict[str, Any] | None:
    """The errors by all features; None where these are shown, or it would take long."""
    table, every = asked.dataset.table, asked.all_features
    n_features = len(every.numbers) + len(every.categories)
    if n_features <= len(shown.numbers) or table.codes.size * n_features > _MOST_VALUES:
        return None
    _, rates = row_errors(asked, every, None)
    return rates | {"of": _of_features(n_features, n_features)}


def _of_features(n: int, n_all: int) -> str:
    """Which features errors are those of, in the words that the page uses everywhere."""
    if n == n_all:
        return f"of all {n} features" if n > 1 else "of the only feature"
    return f"of these {n} features" if n > 1 else "of this feature"


def answer_curve(request: messages.CurveRequest, asked: AskedModel) -> Answer:
    """Errors by the number of points learnt from, the first of those that are not held out.

    The head has n (numbers of points), train and test (errors, null where there is no model yet),
    of (which features, in words), tested (on which rows), bayes (the least error there can be),
    sampled and problem.
    """
    dataset, choice, note = asked.dataset, request.model, None
    if isinstance(choice, messages.AutomaticSettings):
        choice = messages.FitSettings(priors=choice.priors)
        note = "the curve is that of the plain model: the automatic one takes long to choose"
    shown = asked.all_features
    training, held_out = dataset.training(), np.flatnonzero(dataset.test)
    head: dict[str, Any] = errors_record(asked, shown, None) | {
        "n": [],
        "train": [],
        "test": [],
        "tested": "rows that come later" if not held_out.size else "rows held out",
        "sampled": note,
    }
    with problem_noted(head):
        if not isinstance(choice, messages.FitSettings):
            msg = "only a model that is fitted has a learning curve: choose Fitted or Automatic"
            raise DataError(msg)
        sizes = np.geomspace(min(2, training.size), max(training.size, 1), request.steps)
        for n in np.unique(sizes.round().astype(np.intp)).tolist():
            part = asked_model(dataset, request.pair, msgspec.structs.replace(choice, first=n))
            rates: dict[str, float | None] = {"train": None, "test": None}
            with suppress(GaussBayesError):
                wrong, rates = row_errors(part, shown, None)
                if not held_out.size:
                    later = part.usable(training[n:], shown)
                    rates["test"] = float(wrong[later].mean()) if later.size else None
            head["n"].append(n)
            for name in ("train", "test"):
                head[name].append(rates[name])
    return Answer(head)


def answer_numbers(_: messages.NumbersRequest, asked: AskedModel) -> Answer:
    """Everything that can be said of a model of all features in numbers.

    The head has classes, features, parameters (of the numbers), categories (probabilities), count
    (of free parameters), chosen (what, if that was automatic), iterations (of EM), train, test,
    leave_one_out (an evaluation each, or null; the last with the number of folds, if rows are left
    out in folds, and in sampled how many rows were drawn, if not all were left out), of (which
    features, in words), problem, sampled and waiting.
    """
    dataset, shown = asked.dataset, asked.all_features
    names = ("parameters", "count", "chosen", "iterations", "train", "test", "leave_one_out")
    head: dict[str, Any] = dict.fromkeys(names) | {
        "classes": dataset.classes,
        "features": [dataset.table.features[column] for column in shown.numbers],
        "categories": [],
        "of": errors_record(asked, shown, None)["of"],
        "sampled": None,
        "waiting": [],
    }
    with problem_noted(head):
        view = asked.view(shown)
        head |= {"classes": view.names} | asked.notes()
        if isinstance(view, ModelView):
            head |= view.full_record()
        for name, numbers in _parts(asked, shown).items():
            if numbers.size:
                log_posterior = view.log_posterior(dataset.table.part(shown)[numbers])
                head[name] = _evaluation_record(asked.evaluated(log_posterior, numbers))
        left_out = asked.left_out()
        if left_out is not None:
            evaluation, n_folds = left_out
            folds = None if n_folds == evaluation.n_rows else n_folds
            drawn, n = None, asked.training.size
            if evaluation.n_rows <= min(MOST_LEFT_OUT, n - 1):
                drawn = f"{evaluation.n_rows:,} of {n:,} rows, drawn at random"
            more = {"folds": folds, "sampled": drawn if n > MOST_LEFT_OUT else None}
            head["leave_one_out"] = _evaluation_record(evaluation) | more
    return Answer(head)


def _evaluation_record(evaluation: Evaluation) -> dict[str, Any]:
    """An evaluation, as the page is told it."""
    groups = evaluation.calibration
    columns = () if groups is None else (groups.stated, groups.observed, groups.count)
    return {
        "n": evaluation.n_rows,
        "error": evaluation.error,
        "log_loss": evaluation.log_loss if np.isfinite(evaluation.log_loss) else None,
        "brier": evaluation.brier,
        "confusion": evaluation.confusion.tolist(),
        "calibration": [
            {"mean": stated, "proportion": observed, "n": count}
            for stated, observed, count in zip(*(each.tolist() for each in columns), strict=True)
        ],
    }


_OF_MODELS: dict[str, Callable[[Any, AskedModel], Answer]] = {
    "scene": answer_scene,
    "line": answer_line,
    "point": answer_point,
    "numbers": answer_numbers,
    "multiples": answer_multiples,
    "curve": answer_curve,
    "surface": answer_surface,
    "take_away": exports.answer_export,
}
