"""What the page may ask, read strictly: `read` turns a text into a frozen record or refuses it.

A request is a JSON object with ``"number"`` (a whole number that the answer repeats), ``"kind"``
and the members of its kind. Members with a default may be left out; others may not, and a member
that the kind does not have is refused by its name.

=========== ======================================================================================
kind        members
=========== ======================================================================================
data        source; target = null; split = {"test": 0, "seed": 0}
scene       data, pair, model; view = null; layers = ["label"]; hide = null; reject = null;
            novelty = null; truth = false
line        data, pair, model; feature = pair[0]; x = null; points = 400
point       data, pair, model, at; hide = null
numbers     data, pair, model
multiples   data, pair, model; view = null; neighbours = 5; hide = null
surface     data, pair, model; view = null
take_away   what ("csv", "model", "python", "command"), data, pair, model
lesson      name
=========== ======================================================================================

source : {"preset", "seed" = 0, "n" = the preset's} or {"upload": id, "features" = null} or
    {"given": true, "features" = null} or {"points": [[x, y, class number], …], "classes": [texts],
    "features": [text, text]}, in which a coordinate that is null is missing
data : the id that the answer to ``data`` gave
pair : two feature numbers; the same one twice where there is one feature only, which is then the
    first coordinate, and the second says nothing
model : {"from": "data", "covariance" = "full", "shared" = false, "divisor" = "mle",
    "shrinkage" = null, "priors" = null, "first" = null} with priors null, "uniform" or a number
    for each class, and `first` how many training rows are learnt from; or {"from": "hand",
    "priors", "means", "covariances"} of the pair; or {"from": "neighbours", "k"}
view : {"x": [low, high] = null, "y": [low, high] = null, "width" = 160, "height" = 120}; bounds
    that are null are picked, and the answer's ``bounds`` says which they are
layers : of "label", "posterior", "margin", "evidence", "joint", "density", "errors", "truth";
    the zones "reject" and "novel" come when their thresholds are given, whether named here or not
hide : which coordinate of the pair is hidden, 0 or 1
at : [x, y] or the number of a row

Answers have the head that the kind says and arrays beside it, row 0 of grids being the lowest y:

data : id, name, classes, features, n, pair, truth, target, columns, problem (why no rows are held
    out although that was asked for, and which columns are not taken); arrays points, codes, test
scene : classes, parameters, ellipses, axes, errors, problem, bounds; arrays by layer. A class that
    has no rows among those learnt from has null among means and covariances, and posterior 0. The
    errors are those of the picture: of the pair, the other features integrated out.
line : classes, feature (its number), name, x, parameters and errors (of this feature alone),
    boundaries (places), sides ([left, right] class numbers of each), problem; arrays place,
    density, joint, posterior, evidence; of neighbours, which have no densities, place and posterior
point : at, explanation, prediction, classes, posterior, p_values, hidden, neighbours, problem
numbers : classes, features, parameters, count, train, test, leave_one_out, problem; of all features
multiples : models (their errors are those of all features), bounds; array label, 255 where a model
    could not be fitted
surface : classes, bounds, problem; arrays x, y, evidence, joint
take_away : text or base64, file, type
lesson : name, title, steps

What cannot be calculated for these data, such as a covariance that is singular, is no error: the
head's ``problem`` says why and what to do, and arrays are left out.
"""

from gaussbayes.apps.lab.messages.error import MessageError
from gaussbayes.apps.lab.messages.models import ByHand, FromData, ModelChoice, Neighbours
from gaussbayes.apps.lab.messages.reading import read
from gaussbayes.apps.lab.messages.requests import (
    DataRequest,
    LessonRequest,
    LineRequest,
    MultiplesRequest,
    NumbersRequest,
    PointRequest,
    Request,
    SceneRequest,
    SurfaceRequest,
    TakeAwayRequest,
    Window,
)
from gaussbayes.apps.lab.messages.sources import (
    GivenSource,
    PointsSource,
    PresetSource,
    Source,
    Split,
    UploadSource,
)

__all__ = [
    "ByHand",
    "DataRequest",
    "FromData",
    "GivenSource",
    "LessonRequest",
    "LineRequest",
    "MessageError",
    "ModelChoice",
    "MultiplesRequest",
    "Neighbours",
    "NumbersRequest",
    "PointRequest",
    "PointsSource",
    "PresetSource",
    "Request",
    "SceneRequest",
    "Source",
    "Split",
    "SurfaceRequest",
    "TakeAwayRequest",
    "UploadSource",
    "Window",
    "read",
]
