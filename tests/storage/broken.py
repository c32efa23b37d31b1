"""Model files with one thing wrong, and what must be said of each."""

from collections.abc import Callable
from typing import Any

from tests.storage.files import file_of, fitted, given, lacking, members, seal_again

GOOD = file_of(fitted())
POOLED = file_of(fitted(shared=True))
DIAGONAL = file_of(fitted("diagonal"))
GIVEN = file_of(given())
LACKING = file_of(lacking())
LACKING_DIAGONAL = file_of(lacking("diagonal"))

Change = Callable[[dict[str, Any]], Any]


def put(path: str, value: Any) -> Change:
    """Put a value in the place of another; an empty path in a list is its end."""
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


DROP = object()

BROKEN: list[tuple[str, bytes, Change, str]] = [
    (
        "no settings",
        GOOD,
        put("settings", DROP),
        "the file: expected the members .*settings missing",
    ),
    ("another member", GOOD, put("date", "today"), r"the file: .*unknown \['date'\]"),
    (
        "settings no object",
        GOOD,
        put("settings", []),
        "settings: expected an object with covariance",
    ),
    ("a setting too many", GOOD, put("settings.n_jobs", 2), r"settings: .*unknown \['n_jobs'\]"),
    ("a setting missing", GOOD, put("settings.divisor", DROP), "settings: .*divisor missing"),
    (
        "covariance",
        GOOD,
        put("settings.covariance", "round"),
        "settings.covariance: expected one of",
    ),
    ("covariance null", GOOD, put("settings.covariance", None), "one of 'full'.*, got null"),
    ("shared", GOOD, put("settings.shared", 0), "settings.shared: expected true or false, got 0"),
    ("divisor", GOOD, put("settings.divisor", 1), "settings.divisor: expected one of 'mle'"),
    (
        "shrinkage",
        GOOD,
        put("settings.shrinkage", 1.5),
        "settings.shrinkage: .*from 0 to 1, got 1.5",
    ),
    ("shrinkage true", GOOD, put("settings.shrinkage", True), "settings.shrinkage: .*got true"),
    ("shrinkage list", GOOD, put("settings.shrinkage", []), "settings.shrinkage: .*an array of 0"),
    ("priors word", GOOD, put("settings.priors", "flat"), "settings.priors: expected .*got 'flat'"),
    ("priors sum", GOOD, put("settings.priors", [0.5, 0.6]), "settings.priors: .*sum to 1"),
    ("priors few", GOOD, put("settings.priors", [1.0]), "settings.priors: a prior|each of the 2"),
    (
        "priors below 0",
        GOOD,
        put("settings.priors", [1.5, -0.5]),
        "settings.priors: .*none below 0",
    ),
    (
        "priors texts",
        GOOD,
        put("settings.priors", ["a"]),
        "settings.priors: expected null, 'uniform'",
    ),
    ("priors true", GOOD, put("settings.priors", True), "settings.priors: expected null"),
    (
        "priors of another class",
        GOOD,
        put("settings.priors", {"labels": ["ash", "elm"], "values": [0.5, 0.5]}),
        "settings.priors.labels: expected a prior for each class, also 'oak'",
    ),
    (
        "priors twice",
        GOOD,
        put("settings.priors", {"labels": ["ash", "ash", "oak"], "values": [0.5, 0.25, 0.25]}),
        "settings.priors.labels: expected labels that are all different",
    ),
    (
        "priors of unlike length",
        GOOD,
        put("settings.priors", {"labels": ["ash", "oak"], "values": [1.0]}),
        "settings.priors.values: expected an array of 2 numbers",
    ),
    ("type", GOOD, put("classes.type", "pickle"), "classes.type: expected one of 'text'"),
    ("type of no NumPy", GOOD, put("classes.type", ["text"]), "classes.type: expected one of"),
    ("width null", GOOD, put("classes.width", None), "classes.width: expected the number of char"),
    ("width 0", GOOD, put("classes.width", 0), "classes.width: .*got 0"),
    ("width true", GOOD, put("classes.width", True), "classes.width: .*got true"),
    ("width float", GOOD, put("classes.width", 3.0), "classes.width: .*got 3.0"),
    ("width small", GOOD, put("classes.width", 2), r"classes.labels\[0\]: .*up to 2 characters"),
    ("width huge", GOOD, put("classes.width", 10**9), "classes.labels: expected at most"),
    ("width of numbers a text", GIVEN, put("classes.width", "3"), "classes.width: .*got '3'"),
    ("width of numbers", GIVEN, put("classes.width", 3), "classes.width: .*got 3"),
    ("labels no array", GOOD, put("classes.labels", "ash"), "classes.labels: expected an array"),
    ("labels not sorted", GOOD, put("classes.labels", ["oak", "ash"]), r"labels\[1\]: .*sorted"),
    ("labels twice", GOOD, put("classes.labels", ["ash", "ash"]), r"labels\[1\]: .*sorted"),
    ("a label null", GOOD, put("classes.labels", ["ash", None]), r"labels\[1\]: .*got null"),
    ("a label of a number", GOOD, put("classes.labels", ["ash", 1]), r"classes.labels\[1\]: "),
    ("a zero character", GOOD, put("classes.labels.1", "oa\0"), r"labels\[1\]: .*of type text"),
    ("a label too many", GOOD, put("classes.labels.+", "yew"), "moments.weight: .* 3 numbers"),
    ("a label out of range", GIVEN, put("classes.type", "bool"), r"labels\[0\]: .*of type bool"),
    ("a label of 70 bits", GIVEN, put("classes.labels.2", 2**70), r"labels\[2\]: .*of 64 bits"),
    ("a label over int64", GIVEN, put("classes.labels.2", 2**63), r"labels\[2\]: .*int64"),
    ("a label of a float", GIVEN, put("classes.labels.2", 2.0), r"labels\[2\]: .*int64"),
    (
        "half a label",
        GIVEN,
        put("classes", {"type": "float64", "width": None, "labels": [0, 1, 2.5]}),
        r"labels\[2\]: .*whole",
    ),
    (
        "a label float16 has not",
        GIVEN,
        put("classes", {"type": "float16", "width": None, "labels": [0, 1, 2049]}),
        r"labels\[2\]: .*float16",
    ),
    (
        "a label over float16",
        GIVEN,
        put("classes", {"type": "float16", "width": None, "labels": [0, 1, 10**6]}),
        r"labels\[2\]: .*float16",
    ),
    (
        "types no array",
        GOOD,
        put("features.types", 3),
        "features.types: expected an array of texts",
    ),
    ("types empty", GOOD, put("features.types", []), "features.types: .*at least one"),
    (
        "type of a feature",
        GOOD,
        put("features.types.1", "text"),
        r"features.types\[1\]: expected 'num",
    ),
    (
        "types of numbers",
        GOOD,
        put("features.types", [1, 2, 3]),
        r"features.types\[0\]: .*a text, got 1",
    ),
    ("names few", GOOD, put("features.names", ["age"]), "features.names: expected null or 3 names"),
    (
        "names twice",
        GOOD,
        put("features.names", ["a", "b", "a"]),
        r"features.names\[2\]: .*different",
    ),
    ("a name null", GOOD, put("features.names.1", None), r"features.names\[1\]: expected a text"),
    ("target", GOOD, put("target", 3), "target: expected a text or null, got 3"),
    ("no moments", GOOD, put("moments", None), "moments or parameters, one of them null"),
    ("layout", GOOD, put("moments.layout", "sparse"), "moments.layout: expected one of 'full'"),
    (
        "layout for naive Bayes",
        DIAGONAL,
        put("settings.covariance", "full"),
        "moments.layout: .*full",
    ),
    (
        "layout for own ones",
        POOLED,
        put("settings.shared", False),
        "moments.layout: .*got 'pooled'",
    ),
    ("weight long", GOOD, put("moments.weight.+", 1.0), "moments.weight: .* 2 numbers.*array of 3"),
    ("weight below 0", GOOD, put("moments.weight.1", -4.0), r"moments.weight\[1\]: .*got -4.0"),
    (
        "weights too large",
        GOOD,
        put("moments.weight", [1e308, 1e308]),
        "moments.weight: .*finite sum",
    ),
    ("anchor short", GOOD, put("moments.anchor.0", DROP), "moments.anchor: expected an array of 6"),
    ("anchor text", GOOD, put("moments.anchor.0", "1"), "moments.anchor: expected an array of 6"),
    ("anchor nested", GOOD, put("moments.anchor.0", [1]), r"moments.anchor\[0\]: not JSON of this"),
    ("offset no array", GOOD, put("moments.offset", 0.0), "moments.offset: expected an array of 6"),
    (
        "scatter short",
        GOOD,
        put("moments.scatter.0", DROP),
        "moments.scatter: .* 12 numbers, 2 lower",
    ),
    (
        "scatter below 0",
        GOOD,
        put("moments.scatter.8", -1.0),
        r"moments.scatter\[8\]: .*not negative",
    ),
    ("scatter of no rows", GOOD, put("moments.scatter.7", 1e6), r"moments.scatter\[7\]: .*at most"),
    ("pooled below 0", POOLED, put("moments.scatter.2", -1.0), r"moments.scatter\[2\]: .*not neg"),
    (
        "diagonal below 0",
        DIAGONAL,
        put("moments.scatter.4", -1.0),
        r"moments.scatter\[4\]: .*not neg",
    ),
    ("diagonal short", DIAGONAL, put("moments.scatter.4", DROP), "moments.scatter: .* 6 numbers"),
    ("no parameters", GIVEN, put("parameters", None), "moments or parameters, one of them null"),
    ("prior sum", GIVEN, put("parameters.prior.0", 0.3), "parameters.prior: .*sum to 1"),
    ("center long", GIVEN, put("parameters.center.+", 0.0), "parameters.center: .* 2 numbers"),
    ("offset short", GIVEN, put("parameters.offset.0", DROP), "parameters.offset: .* 6 numbers"),
    (
        "covariance short",
        GIVEN,
        put("parameters.covariance.0", DROP),
        "parameters.covariance: .*3 num",
    ),
    (
        "variance 0",
        GIVEN,
        put("parameters.covariance", [0, 0, 1]),
        "parameters.covariance: .*positive",
    ),
    (
        "variance below 0",
        GIVEN,
        put("parameters.covariance.0", -1),
        r"parameters.covariance\[0\]: ",
    ),
    (
        "correlation 1",
        GIVEN,
        put("parameters.covariance", [4, 4, 4]),
        "parameters.covariance: .*linear",
    ),
    (
        "correlation 2",
        GIVEN,
        put("parameters.covariance", [4, 8, 4]),
        r"parameters.covariance\[1\]: ",
    ),
    ("one class", GIVEN, put("classes.labels", [0]), "classes.labels: .*at least two classes"),
    ("checksum member", GOOD, put("checksum2", "x"), r"unknown \['checksum2'\]"),
    ("no class", GOOD, put("classes.labels", []), "classes.labels: expected at least one class"),
    (
        "incomplete null",
        GOOD,
        put("incomplete", None),
        "incomplete: expected an object, or no such",
    ),
    ("incomplete array", GOOD, put("incomplete", []), "incomplete: expected an object with layout"),
    (
        "incomplete short",
        LACKING,
        put("incomplete.observed", DROP),
        "incomplete: .*observed missing",
    ),
    ("incomplete more", LACKING, put("incomplete.rows", 3), r"incomplete: .*unknown \['rows'\]"),
    ("incomplete alone", LACKING, put("moments", None), "moments: expected those of the complete"),
    (
        "incomplete of parameters",
        GIVEN,
        put("incomplete", members(LACKING)["incomplete"]),
        "moments: expected those of the complete",
    ),
    (
        "pattern layout",
        LACKING,
        put("incomplete.layout", "pooled"),
        "incomplete.layout: expected one of 'full', got 'pooled'",
    ),
    (
        "pattern layout less",
        LACKING,
        put("incomplete.layout", "diagonal"),
        "incomplete.layout: expected one of 'full', got 'diagonal'",
    ),
    (
        "pattern layout more",
        LACKING_DIAGONAL,
        put("incomplete.layout", "full"),
        "incomplete.layout: expected one of 'diagonal', got 'full'",
    ),
    (
        "patterns none",
        LACKING,
        put("incomplete.observed", []),
        "incomplete.observed: expected 1 to .* patterns of 3 features with a full scatter, got '0'",
    ),
    (
        "patterns of numbers",
        LACKING,
        put("incomplete.observed", [11, 101]),
        r"incomplete.observed\[0\]: expected a text, got 11",
    ),
    (
        "pattern short",
        LACKING,
        put("incomplete.observed.1", "01"),
        r"incomplete.observed\[1\]: expected a text of 3 characters.*got '01'",
    ),
    (
        "pattern of letters",
        LACKING,
        put("incomplete.observed.1", "0x1"),
        r"incomplete.observed\[1\]: expected a text of 3 characters.*got '0x1'",
    ),
    (
        "pattern of other digits",
        LACKING,
        put("incomplete.observed.1", "0\u06611"),
        r"incomplete.observed\[1\]: expected a text of 3 characters",
    ),
    (
        "pattern complete",
        LACKING,
        put("incomplete.observed.1", "111"),
        r"incomplete.observed\[1\]: .*something is missing.*got '111'",
    ),
    (
        "pattern twice",
        LACKING,
        put("incomplete.observed.1", "011"),
        r"incomplete.observed\[1\]: .*different, got '011' of class 0 after '011' of class 0",
    ),
    (
        "patterns not sorted",
        LACKING,
        put("incomplete.observed.1", "001"),
        r"incomplete.observed\[1\]: .*sorted.* got '001' of class 0 after '011' of class 0",
    ),
    (
        "classes not sorted",
        LACKING,
        put("incomplete.classes.6", 0),
        r"incomplete.observed\[6\]: .*sorted.* got '101' of class 0 after '100' of class 1",
    ),
    (
        "no such class",
        LACKING,
        put("incomplete.classes.7", 2),
        r"incomplete.classes\[7\]: expected a whole number from 0 to 1, got 2",
    ),
    (
        "class below 0",
        LACKING,
        put("incomplete.classes.0", -1),
        r"incomplete.classes\[0\]: expected a whole number from 0 to 1, got -1",
    ),
    (
        "class of a float",
        LACKING,
        put("incomplete.classes.2", 1.0),
        r"incomplete.classes\[2\]: expected a whole number from 0 to 1, got 1.0",
    ),
    (
        "class by label",
        LACKING,
        put("incomplete.classes.2", "oak"),
        "incomplete.classes: expected an array of 8 whole numbers, one for each entry of observed",
    ),
    (
        "classes few",
        LACKING,
        put("incomplete.classes.2", DROP),
        "incomplete.classes: expected an array of 8 whole numbers.*got an array of 7",
    ),
    (
        "pattern weights few",
        LACKING,
        put("incomplete.weight.2", DROP),
        "incomplete.weight: expected an array of 8 numbers, one for each entry of observed",
    ),
    (
        "pattern weighs nothing",
        LACKING,
        put("incomplete.weight.2", 0),
        r"incomplete.weight\[2\]: expected a weight above 0, got 0.0",
    ),
    (
        "pattern weighs less",
        LACKING,
        put("incomplete.weight.2", -1.5),
        r"incomplete.weight\[2\]: expected a weight above 0, got -1.5",
    ),
    (
        "patterns weigh too much",
        LACKING,
        put("incomplete.weight", [1.7e308] * 8),
        "incomplete.weight: expected weights with a finite sum",
    ),
    (
        "pattern anchor long",
        LACKING,
        put("incomplete.anchor.+", 0.0),
        "incomplete.anchor: expected an array of 12 numbers, one for each feature that is there",
    ),
    (
        "pattern offset short",
        LACKING,
        put("incomplete.offset.3", DROP),
        "incomplete.offset: expected an array of 12 numbers, one for each feature that is there",
    ),
    (
        "pattern scatter short",
        LACKING,
        put("incomplete.scatter.3", DROP),
        "incomplete.scatter: expected an array of 17 numbers, a lower triangle of the features",
    ),
    (
        "pattern diagonal short",
        LACKING_DIAGONAL,
        put("incomplete.scatter.3", DROP),
        "incomplete.scatter: expected an array of 12 numbers, one for each feature that is there",
    ),
    (
        "pattern scatter below 0",
        LACKING,
        put("incomplete.scatter.9", -1.0),
        r"incomplete.scatter\[9\]: expected a sum of squares, which is not negative, got -1.0",
    ),
    (
        "pattern scatter of no rows",
        LACKING,
        put("incomplete.scatter.15", 1e3),
        r"incomplete.scatter\[15\]: expected at most .* got 1000.0",
    ),
    (
        "pattern diagonal below 0",
        LACKING_DIAGONAL,
        put("incomplete.scatter.8", -1.0),
        r"incomplete.scatter\[8\]: expected a sum of squares, which is not negative, got -1.0",
    ),
    (
        "pattern text in scatter",
        LACKING,
        put("incomplete.scatter.3", "1"),
        "incomplete.scatter: expected an array of 17 numbers",
    ),
]


WEIGHT = '"weight": [20.0,20.0]'


def text(old: str, new: str, data: bytes = GOOD) -> bytes:
    """A file with a part of its text changed once, and a new seal."""
    assert old.encode() in data, old
    return seal_again(data.replace(old.encode(), new.encode(), 1))
