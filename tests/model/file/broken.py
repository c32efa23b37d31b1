"""Model files with one thing wrong, and what must be said of each."""

from collections.abc import Callable
from typing import Any

from tests.model.file.files import (
    average,
    calibrated,
    file_of,
    fitted,
    given,
    missing,
    mixed,
    pooled,
    seal_again,
)

GOOD = file_of(fitted())
POOLED = file_of(pooled())
DIAGONAL = file_of(fitted("diagonal"))
GIVEN = file_of(given())
MISSING = file_of(missing())
MISSING_DIAGONAL = file_of(missing("diagonal"))
MIXED = file_of(mixed())
UNLABELLED = file_of(mixed(10), unlabelled_rows=True)
WITHOUT_ROWS = file_of(mixed(10))
CALIBRATED = file_of(calibrated(fitted()))
AVERAGED = file_of(average())

Change = Callable[[dict[str, Any]], Any]
DROP = object()


def put(path: str, value: Any) -> Change:
    """Put a value in the place of another; "+" in a list is its end.

    "F", "S", "C" and "D" are the first family, its statistics, their cells and its density.
    """
    short = {"F": "families.0", "S": "families.0.statistics", "D": "families.0.density"}
    short["C"] = "families.0.statistics.cells"
    first, _, rest = path.partition(".")
    path = ".".join([short.get(first, first), rest]) if rest else short.get(first, first)
    *outer, last = [int(step) if step.isdigit() else step for step in path.split(".")]

    def change(parts: dict[str, Any]) -> None:
        place: Any = parts
        for step in outer:
            place = place[step]
        if value is DROP:
            del place[last]
        elif last == "+":
            place.append(value)
        else:
            place[last] = value

    return change


def classes(kind: str, labels: list[Any], width: int | None = None) -> Change:
    return put("classes", {"type": kind, "width": width, "labels": labels})


def priors(labels: Any, values: list[Any]) -> Change:
    return put("priors", {"labels": labels, "values": values})


def without_solution(parts: dict[str, Any]) -> None:
    """No parameters at all."""
    parts["solution"] = None
    for family in parts["families"]:
        family["density"] = None


Broken = tuple[str, bytes, Change, str]

OUTER: list[Broken] = [
    ("a member missing", GOOD, put("families", DROP), "missing required field `families`"),
    ("another member", GOOD, put("date", "today"), "contains unknown field `date`"),
    (
        "families no array",
        GOOD,
        put("families", {}),
        "families: must be an array, got an object",
    ),
    ("no family", GOOD, put("families", []), "families: .*at least one family, unless models"),
    ("family no object", GOOD, put("F", 3), r"families\[0\]: must be an object, got 3"),
    (
        "family short",
        GOOD,
        put("F.density", DROP),
        r"families\[0\]: object missing required field `density`",
    ),
    ("family more", GOOD, put("F.rows", 3), r"families\[0\]: object contains unknown field `rows`"),
    ("no such family", GOOD, put("F.family", "os"), r"families\[0\].family: must be one of 'gaus"),
    ("family null", GOOD, put("F.family", None), r"families\[0\].family: must be a string, got nu"),
    (
        "family another",
        GOOD,
        put("F.family", "poisson"),
        r"families\[0\].settings: object contains unknown",
    ),
    ("columns none", GOOD, put("F.columns", []), r"families\[0\].columns: must be at least one"),
    ("columns text", GOOD, put("F.columns", "all"), r"families\[0\].columns: must be an array of"),
    ("columns float", GOOD, put("F.columns.1", 1.0), r"families\[0\].columns\[1\]: must be an int"),
    ("column twice", GOOD, put("F.columns.1", 0), r"families\[0\].columns\[1\]: must be one of th"),
    (
        "column too far",
        GOOD,
        put("F.columns.1", 3),
        r"families\[0\].columns\[1\]: .*3 features, ea",
    ),
    ("column below 0", GOOD, put("F.columns.1", -1), r"columns\[1\]: must be an integer from 0 to"),
    (
        "column of another",
        MIXED,
        put("F.columns.0", 0),
        r"families\[1\].columns\[0\]: .*one family",
    ),
    ("column too many", GOOD, put("F.columns.+", 3), "features: must be null or 4 names, as many"),
    ("settings no object", GOOD, put("F.settings", []), r"families\[0\].settings: must be an obj"),
    ("settings null", GOOD, put("F.settings", None), r"families\[0\].settings: must be an object"),
    (
        "a setting too many",
        GOOD,
        put("F.settings.n_jobs", 2),
        "settings: object contains unknown field `n",
    ),
    (
        "a setting missing",
        GOOD,
        put("F.settings.divisor", DROP),
        "missing required field `divisor`",
    ),
    (
        "covariance",
        GOOD,
        put("F.settings.covariance", "round"),
        'must be one of .*, got "round',
    ),
    ("covariance null", GOOD, put("F.settings.covariance", None), "must be a string, got null"),
    (
        "sharing",
        GOOD,
        put("F.settings.sharing", True),
        "sharing: must be a number, got true",
    ),
    ("sharing too far", GOOD, put("F.settings.sharing", 1.5), "a number <= 1.0, got 1.5"),
    (
        "divisor",
        GOOD,
        put("F.settings.divisor", 1),
        r"settings.divisor: must be a string, got 1",
    ),
    (
        "shrinkage",
        GOOD,
        put("F.settings.shrinkage", 1.5),
        "settings.shrinkage: .*<= 1.0, got 1.5",
    ),
    ("shrinkage true", GOOD, put("F.settings.shrinkage", True), "settings.shrinkage: .*got true"),
    ("shrinkage list", GOOD, put("F.settings.shrinkage", []), "shrinkage: .*null, got an array"),
    (
        "smoothing",
        MIXED,
        put("families.1.settings.smoothing", -1),
        r"families\[1\].*number >= 0.0, got -1",
    ),
    ("smoothing text", MIXED, put("families.3.settings.smoothing", "1"), r"\[3\].*a number, got "),
    ("names few", GOOD, put("features", ["age"]), "features: must be null or 3 names, as many"),
    ("names twice", GOOD, put("features", ["a", "b", "a"]), r"features\[2\]: .*all different"),
    ("a name null", GOOD, put("features.1", None), r"features\[1\]: must be a string, got null"),
    ("target", GOOD, put("target", 3), "target: must be a string or null, got 3"),
    (
        "weight of rows",
        GOOD,
        put("unlabelled_weight", -1),
        "unlabelled_weight: must be a number >= 0.0, got -1",
    ),
    (
        "priors word",
        GOOD,
        put("priors", "flat"),
        'priors: must be one of .*, got "flat"',
    ),
    (
        "priors array",
        GOOD,
        put("priors", [0.5, 0.5]),
        "priors: must be a string or an object or null",
    ),
    ("priors sum", GOOD, priors(None, [0.5, 0.6]), "priors.values: .*sum to 1"),
    ("priors few", GOOD, priors(None, [1.0]), "priors.values: must be a prior for each of the 2"),
    ("priors below 0", GOOD, priors(None, [1.5, -0.5]), "priors.values: .*none below 0"),
    ("priors texts", GOOD, priors(None, ["a", "b"]), r"priors.values\[0\]: must be a number"),
    ("priors of others", GOOD, priors(["ash", "elm"], [0.5, 0.5]), "priors.labels: .*also 'oak'"),
    (
        "priors twice",
        GOOD,
        priors(["a", "a", "oak"], [0.5, 0.2, 0.3]),
        "priors.labels: .*different",
    ),
    (
        "priors unlike",
        GOOD,
        priors(["ash", "oak"], [1.0]),
        "priors.values: must be an array of 2 nu",
    ),
    (
        "priors null",
        GOOD,
        priors(["ash", None], [0.5, 0.5]),
        r"priors.labels\[1\]: must be a string",
    ),
    (
        "type",
        GOOD,
        put("classes.type", "pickle"),
        'classes.type: must be one of .*, got "pickle"',
    ),
    (
        "type no string",
        GOOD,
        put("classes.type", ["str"]),
        "classes.type: must be a string, got an array",
    ),
    (
        "width null",
        GOOD,
        put("classes.width", None),
        "classes.width: must be the number of charact",
    ),
    ("width 0", GOOD, put("classes.width", 0), "classes.width: must be an integer >= 1, got 0"),
    ("width true", GOOD, put("classes.width", True), "classes.width: .*got true"),
    ("width float", GOOD, put("classes.width", 3.0), "classes.width: .*got 3.0"),
    ("width small", GOOD, put("classes.width", 2), r"classes.labels\[0\]: .*up to 2 characters"),
    (
        "width large",
        GOOD,
        put("classes.width", 1 << 22),
        "classes.labels: .* at most 4,194,304",
    ),
    ("width of numbers", GIVEN, put("classes.width", 3), "classes.width: .*got 3"),
    (
        "labels no array",
        GOOD,
        put("classes.labels", "ash"),
        "classes.labels: must be an array of l",
    ),
    ("no class", GOOD, put("classes.labels", []), "classes.labels: must be at least one class"),
    ("labels not sorted", GOOD, put("classes.labels", ["oak", "ash"]), r"labels\[1\]: .*sorted"),
    ("labels twice", GOOD, put("classes.labels", ["ash", "ash"]), r"labels\[1\]: .*different"),
    ("a label null", GOOD, put("classes.labels", ["ash", None]), r"classes.labels\[1\]: must be a"),
    ("a label nested", GOOD, put("classes.labels", ["ash", ["oak"]]), r"classes.labels\[1\]: must"),
    ("a label a number", GOOD, put("classes.labels", ["ash", 1]), r"classes.labels\[1\]: .*sorted"),
    ("a zero character", GOOD, put("classes.labels.1", "oa\0"), r"labels\[1\]: .*of type str"),
    (
        "a label too many",
        GOOD,
        put("classes.labels.+", "yew"),
        "statistics.weight: .* 3 numbers, on",
    ),
    ("a label of 70 bits", GIVEN, put("classes.labels.2", 2**70), r"labels\[2\]: .*of 64 bits"),
    ("labels of bool", GIVEN, put("classes.type", "bool"), r"labels\[0\]: .*of type bool, got 0"),
    ("a label over int64", GIVEN, put("classes.labels.2", 2**63), r"labels\[2\]: .*type int64"),
    ("a label of a float", GIVEN, put("classes.labels.2", 2.0), r"labels\[2\]: .*int64, got 2.0"),
    ("half a label", GIVEN, classes("float64", [0, 1, 2.5]), r"labels\[2\]: must be an integer"),
    ("no float16", GIVEN, classes("float16", [0, 1, 2049]), r"labels\[2\]: .*float16, got 2049"),
    ("over float16", GIVEN, classes("float16", [0, 1, 10**6]), r"labels\[2\]: .*float16"),
    ("one class", GIVEN, put("classes.labels", [0]), r"density.offset: .* 2 numbers|null where"),
]

GAUSSIAN: list[Broken] = [
    ("no statistics", GOOD, put("S", None), r"families\[0\]: must be one with statistics or a"),
    (
        "statistics array",
        GOOD,
        put("S", [1]),
        r"families\[0\].statistics: must be an object, got an array",
    ),
    (
        "statistics short",
        GOOD,
        put("S.anchor", DROP),
        "statistics: object missing required field `anchor`",
    ),
    (
        "statistics more",
        GOOD,
        put("S.mean", []),
        "statistics: object contains unknown field `mean`",
    ),
    (
        "layout",
        GOOD,
        put("S.layout", "sparse"),
        'statistics.layout: must be one of .*, got "sparse"',
    ),
    ("diagonal for full", DIAGONAL, put("F.settings.covariance", "full"), "layout: .*'diagonal'"),
    ("pooled for own", POOLED, put("F.settings.sharing", 0.5), "layout: .*each class.*'pooled'"),
    ("weight long", GOOD, put("S.weight.+", 1.0), "statistics.weight: .* 2 numbers.*an array of 3"),
    ("weight below 0", GOOD, put("S.weight.1", -4.0), r"weight\[1\]: .*not negative, got -4.0"),
    ("weights large", GOOD, put("S.weight", [1e308, 1e308]), "statistics.weight: .*finite sum"),
    ("anchor short", GOOD, put("S.anchor.0", DROP), "statistics.anchor: must be an array of 6 num"),
    ("anchor text", GOOD, put("S.anchor.0", "1"), r"statistics.anchor\[0\]: must be a number"),
    ("anchor true", GOOD, put("S.anchor.3", True), r"statistics.anchor\[3\]: must be a number"),
    ("anchor null", GOOD, put("S.anchor.3", None), r"statistics.anchor\[3\]: must be a number"),
    ("anchor nested", GOOD, put("S.anchor.0", [1]), r"statistics.anchor\[0\]: must be a number"),
    ("offset no array", GOOD, put("S.offset", 0.0), "offset: must be an array of 6 .*, got 0.0"),
    ("offset object", GOOD, put("S.offset", {}), "offset: must be an array of 6 .*, got an object"),
    ("scatter short", GOOD, put("S.scatter.0", DROP), "scatter: .* 12 numbers, 2 lower triangles"),
    ("scatter below 0", GOOD, put("S.scatter.8", -1.0), r"statistics.scatter\[8\]: .*not negative"),
    ("scatter of no rows", GOOD, put("S.scatter.7", 1e6), "scatter: .*semi-definite.*matrix 1"),
    ("pooled below 0", POOLED, put("S.scatter.2", -1.0), r"scatter\[2\]: .*not negative"),
    ("pooled long", POOLED, put("S.scatter.+", 1.0), "scatter: .* 6 numbers, 1 lower triangle of"),
    ("diagonal below 0", DIAGONAL, put("S.scatter.4", -1.0), r"scatter\[4\]: .*not negative"),
    ("diagonal short", DIAGONAL, put("S.scatter.4", DROP), "statistics.scatter: .* 6 numbers"),
    ("cells array", MISSING, put("C", []), r"statistics.cells: must be an object or null"),
    (
        "cells short",
        MISSING,
        put("C.observed", DROP),
        "cells: object missing required field `observed`",
    ),
    ("cells more", MISSING, put("C.rows", 3), "cells: object contains unknown field `rows`"),
    ("patterns none", MISSING, put("C.observed", []), "cells.observed: .*at least one pattern"),
    (
        "patterns numbers",
        MISSING,
        put("C.observed.0", 11),
        r"observed\[0\]: must be a string, got 1",
    ),
    (
        "pattern short",
        MISSING,
        put("C.observed.1", "01"),
        r"observed\[1\]: .*of 3 characters.*'01'",
    ),
    ("pattern letters", MISSING, put("C.observed.1", "0x1"), r"observed\[1\]: .*'0x1'"),
    ("pattern digits", MISSING, put("C.observed.1", "0²1"), r"observed\[1\]: .*'0²1'"),
    ("pattern complete", MISSING, put("C.observed.1", "111"), r"observed\[1\]: .*value is missing"),
    ("pattern twice", MISSING, put("C.observed.1", "011"), r"\[1\]: .*different, got '011' of cla"),
    (
        "not sorted",
        MISSING,
        put("C.observed.1", "001"),
        r"\[1\]: .*sorted.* got '001' of class 0 a",
    ),
    (
        "classes unsorted",
        MISSING,
        put("C.classes.6", 0),
        r"observed\[6\]: .*sorted.* of class 0 aft",
    ),
    ("no such class", MISSING, put("C.classes.7", 2), r"cells.classes\[7\]: .*from 0 to 1, got 2"),
    (
        "class below 0",
        MISSING,
        put("C.classes.0", -1),
        r"cells.classes\[0\]: .*from 0 to 1, got -1",
    ),
    (
        "class of a float",
        MISSING,
        put("C.classes.2", 1.0),
        r"cells.classes\[2\]: must be an integer",
    ),
    (
        "class by label",
        MISSING,
        put("C.classes.2", "oak"),
        r"cells.classes\[2\]: must be an integer",
    ),
    ("classes few", MISSING, put("C.classes.2", DROP), "cells.classes: .*8 integers, one for each"),
    ("varied too far", MISSING, put("C.varied.0", 8), r"cells.varied\[0\]: .*from 0 to 7, got 8"),
    ("varied unsorted", MISSING, put("C.varied.1", 0), "cells.varied: .*in increasing order"),
    ("cell weights few", MISSING, put("C.weight.2", DROP), "cells.weight: .*8 numbers, one for ea"),
    ("cell of nothing", MISSING, put("C.weight.2", 0), r"cells.weight\[2\]: .*above 0, got 0.0"),
    ("cell below 0", MISSING, put("C.weight.2", -1.5), r"cells.weight\[2\]: .*above 0, got -1.5"),
    ("cells too heavy", MISSING, put("C.weight", [1.7e308] * 8), "cells.weight: .*finite sum"),
    ("cell anchor long", MISSING, put("C.anchor.+", 0.0), "cells.anchor: .*12 numbers, one for ea"),
    ("cell offset short", MISSING, put("C.offset.3", DROP), "cells.offset: .*12 numbers, one for"),
    ("cell scatter short", MISSING, put("C.scatter.3", DROP), "cells.scatter: .*a lower triangle"),
    ("cell squares", MISSING, put("C.scatter.2", -1.0), r"cells.scatter\[2\]: .*not negative"),
    ("cell scatter", MISSING, put("C.scatter.1", 1e3), "cells.scatter: .*semi-definite"),
    ("cell diagonal", MISSING_DIAGONAL, put("C.scatter.3", DROP), "cells.scatter: .*each observed"),
    ("cell variance", MISSING_DIAGONAL, put("C.scatter.3", -1.0), r"scatter\[3\]: .*not negative"),
    ("no parameters", GIVEN, put("D", None), "solution: must be there if the families have dens"),
    ("no solution", GIVEN, put("solution", None), "solution: must be there if the families have"),
    (
        "neither",
        GIVEN,
        lambda p: (put("D", None)(p), put("solution", None)(p)),
        "statistics or a d",
    ),
    ("prior sum", GIVEN, put("solution.prior.0", 0.3), "solution.prior: .*sum to 1"),
    ("prior long", GIVEN, put("solution.prior.+", 0), "solution.prior: must be an array of 3 num"),
    ("weight negative", MISSING, put("solution.weight.0", -1), r"solution.weight\[0\]: .*negative"),
    ("weight nothing", MISSING, put("solution.weight", [0, 0]), "solution.weight: .*not all 0"),
    ("center long", GIVEN, put("D.center.+", 0.0), "density.center: must be an array of 2 numbers"),
    ("offset short", GIVEN, put("D.offset.0", DROP), "density.offset: must be an array of 6 numb"),
    ("covariance short", GIVEN, put("D.covariance.0", DROP), "covariance: .*3 numbers, 1 full cov"),
    (
        "variance 0",
        GIVEN,
        put("D.covariance", [0, 0, 1]),
        "density.covariance: .*positive definite",
    ),
    ("variance below 0", GIVEN, put("D.covariance.0", -1), r"density.covariance\[0\]: .*negative"),
    ("correlation 1", GIVEN, put("D.covariance", [4, 4, 4]), "density.covariance: .*linear"),
    ("correlation 2", GIVEN, put("D.covariance", [4, 8, 4]), "density.covariance: .*positive def"),
]

MEMBER = "average.members.1"
CALIBRATIONS: list[Broken] = [
    ("hot", CALIBRATED, put("calibration.temperature", 1.5), "temperature: .*<= 1.0, got 1.5"),
    ("cold", CALIBRATED, put("calibration.temperature", 0), "temperature: must be a number > 0"),
    ("more prior", CALIBRATED, put("calibration.prior_proportion", 1.1), "<= 1.0, got 1.1"),
    ("offsets few", CALIBRATED, put("calibration.offsets", [0]), "offsets: must be an array of 2"),
    ("offset null", CALIBRATED, put("calibration.offsets.0", None), r"offsets\[0\]: must be a num"),
    ("scores few", CALIBRATED, put("calibration.scores.0", DROP), "scores: .*6 numbers, as many"),
    ("scores of whom", CALIBRATED, put("calibration.left_out.+", 0), "left_out: .*2 integers, one"),
    ("rows below 0", CALIBRATED, put("calibration.left_out.0", -3), r"left_out\[0\]: .*from 0 to"),
    (
        "scores unsorted",
        CALIBRATED,
        put("calibration.scores.2", -3),
        r"scores\[2\]: .*not below",
    ),
    ("score null late", CALIBRATED, put("calibration.scores.5", None), r"scores\[5\]: .*got -inf"),
    (
        "score above 0",
        CALIBRATED,
        put("calibration.scores.5", 0.5),
        r"scores\[5\]: .*at most 0",
    ),
    ("calibration array", CALIBRATED, put("calibration", []), "calibration: must be an object or"),
    ("no members", AVERAGED, put("average.members", []), "average.members: .*length >= 1"),
    (
        "weight 0",
        AVERAGED,
        put(f"{MEMBER}.weight", 0),
        r"members\[1\].weight: .*number > 0",
    ),
    ("weights sum", AVERAGED, put(f"{MEMBER}.weight", 0.2), "average.members: .*sum to 1, the la"),
    ("weights order", AVERAGED, put("average.members.0.weight", 0.1), "weights sum to 1"),
    ("prior few", AVERAGED, put("average.prior", [1.0]), "average.prior: must be an array of 2"),
    ("prior sum", AVERAGED, put("average.prior", [0.5, 0.6]), "average.prior: .*sum to 1"),
    (
        "a member's statistics",
        AVERAGED,
        put(f"{MEMBER}.families.0.statistics.weight.1", -1),
        r"average.members\[1\].families\[0\].statistics.weight\[1\]: must be a weight",
    ),
    (
        "a member without rows",
        AVERAGED,
        put(f"{MEMBER}.families.0.statistics.weight.1", 0),
        r"average.members\[1\]: class 'oak' has no ",
    ),
    (
        "a member of fewer features",
        AVERAGED,
        put(f"{MEMBER}.families.0.columns", [0, 1]),
        r"average.members\[1\]\.features: must be null or 2 names",
    ),
    (
        "families beside members",
        AVERAGED,
        lambda parts: parts["families"].extend(parts["average"]["members"][1]["families"]),
        "families: must be an empty array where models are averaged",
    ),
    (
        "a solution beside members",
        AVERAGED,
        put("solution", {"prior": [0.5, 0.5], "weight": None}),
        "solution: must be null where models are averaged",
    ),
]

COUNTS = "families.1.statistics"
OTHERS: list[Broken] = [
    ("statistics of some", MIXED, put(COUNTS, None), r"families\[1\].statistics: must be there if"),
    (
        "sizes few",
        MIXED,
        put(f"{COUNTS}.categories.sizes", [3]),
        "sizes: must be an array of 2 int",
    ),
    (
        "size text",
        MIXED,
        put(f"{COUNTS}.categories.sizes.0", "3"),
        r"sizes\[0\]: must be an integer",
    ),
    ("size below 0", MIXED, put(f"{COUNTS}.categories.sizes.0", -3), r"sizes\[0\]: .*from 0 to"),
    ("size huge", MIXED, put(f"{COUNTS}.categories.sizes.0", 10**9), r"sizes\[0\]: .*from 0 to"),
    (
        "size else",
        MIXED,
        put(f"{COUNTS}.categories.sizes.0", 2),
        "labels: must be an array of 5 ca",
    ),
    (
        "category null",
        MIXED,
        put(f"{COUNTS}.categories.labels.1", None),
        r"labels\[1\]: must be a s",
    ),
    ("category float", MIXED, put(f"{COUNTS}.categories.labels.4", 2.0), r"labels\[4\]: .*got 2.0"),
    (
        "category bits",
        MIXED,
        put(f"{COUNTS}.categories.labels.5", 2**70),
        r"labels\[5\]: must be a",
    ),
    ("category type", MIXED, put(f"{COUNTS}.categories.labels.4", "2"), r"\[4\]: .*same type"),
    ("category true", MIXED, put(f"{COUNTS}.categories.labels.3", True), r"\[4\]: .*same type"),
    ("unsorted", MIXED, put(f"{COUNTS}.categories.labels.0", "now"), r"\[1\]: .*comes after 'now'"),
    ("category twice", MIXED, put(f"{COUNTS}.categories.labels.0", "mid"), r"\[1\]: .*different"),
    ("category more", MIXED, put(f"{COUNTS}.categories.labels.+", 9), "labels: .*6 categories, as"),
    ("count short", MIXED, put(f"{COUNTS}.count.0", DROP), "statistics.count: .*of 12 numbers"),
    ("count below 0", MIXED, put(f"{COUNTS}.count.7", -1), r"statistics.count\[7\]: .*got -1.0"),
    ("counts large", MIXED, put(f"{COUNTS}.missing", [1.7e308] * 4), r"families\[1\].statistics"),
    (
        "category of nothing",
        MIXED,
        put(f"{COUNTS}.count", [1, 0] * 6),
        r"labels\[1\]: .*weighs some",
    ),
    (
        "rates below 0",
        MIXED,
        put("families.2.density.rate.0", -1),
        r"families\[2\].density.rate\[0\]",
    ),
    ("events of no rows", MIXED, put("families.2.statistics.observed.0", 0), r"\[2\].statistics"),
    (
        "probability above 1",
        MIXED,
        put("families.3.density.log_probability.0", 1),
        r"\[3\].density",
    ),
    (
        "rows of nothing",
        GOOD,
        put("unlabelled", {"n_rows": 3, "rows": None}),
        "unlabelled: must be",
    ),
    ("rows null", UNLABELLED, put("unlabelled", None), "unlabelled: must be there if the families"),
    (
        "rows together",
        UNLABELLED,
        put("F.unlabelled", None),
        r"families\[0\].unlabelled: must be th",
    ),
    (
        "rows without density",
        WITHOUT_ROWS,
        without_solution,
        "solution: must be there",
    ),
    ("no rows", UNLABELLED, put("unlabelled.n_rows", 0), "unlabelled.n_rows: .*>= 1, got 0"),
    ("other rows", UNLABELLED, put("unlabelled.n_rows", 9), "unlabelled.rows.weights: .*of 9 num"),
    ("many rows", UNLABELLED, put("unlabelled.n_rows", 10**12), "unlabelled.rows: .*at most 64 MB"),
    (
        "rows dtype",
        UNLABELLED,
        put("unlabelled.rows.dtype", "float16"),
        "rows.dtype: must be one of",
    ),
    (
        "a value text",
        UNLABELLED,
        put("unlabelled.rows.numbers.4", "1"),
        r"rows.numbers\[4\]: .*null",
    ),
    (
        "a value less",
        UNLABELLED,
        put("unlabelled.rows.numbers.0", DROP),
        "rows.numbers: .*of 30 num",
    ),
    (
        "a code too far",
        UNLABELLED,
        put("unlabelled.rows.codes.0", 3),
        r"rows.codes\[0\]: must be the",
    ),
    (
        "a code below",
        UNLABELLED,
        put("unlabelled.rows.codes.0", -3),
        r"rows.codes\[0\]: .*from -2 to",
    ),
    (
        "a row of nothing",
        UNLABELLED,
        put("unlabelled.rows.weights.1", 0),
        r"weights\[1\]: .*above 0",
    ),
]


BROKEN = [*OUTER, *GAUSSIAN, *CALIBRATIONS, *OTHERS]

WEIGHT = '"weight": [20.0,20.0]'


def text(old: str, new: str, data: bytes = GOOD) -> bytes:
    """A file with a part of its text changed once, and a new seal."""
    assert old.encode() in data, old
    return seal_again(data.replace(old.encode(), new.encode(), 1))
