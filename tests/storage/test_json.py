"""JSON that is not of the form of a model file, and JSON that is meant to do harm."""

import tracemalloc

import pytest

from gaussbayes import ModelFileError
from gaussbayes.model.file import loads
from tests.storage.broken import GIVEN, GOOD, WEIGHT, text
from tests.storage.files import file_of, fitted, members, resealed, seal_again

TEXTS = {
    "a key twice": (
        text('"shared": false', '"shared": false, "shared": false'),
        "settings.shared: .*twice",
    ),
    "a part twice": (text('"target": null', '"target": null,\n"target": null'), "target: .*twice"),
    "NaN": (text(WEIGHT, '"weight": [20.0,NaN]'), "expected a text, a finite number"),
    "Infinity": (text(WEIGHT, '"weight": [-Infinity,20.0]'), r"moments.weight\[0\]"),
    "nan as number": (text('"shrinkage": null', '"shrinkage": NaN'), "settings.shrinkage: "),
    "1e999": (
        text(WEIGHT, '"weight": [20.0,1e999]'),
        r"moments.weight\[1\]: .*finite number, got inf",
    ),
    "1e999 alone": (
        text('"shrinkage": null', '"shrinkage": 1e999'),
        "settings.shrinkage: .*got inf",
    ),
    "many digits": (
        text(WEIGHT, f'"weight": [20.0,{"1" * 5000}]'),
        r"moments.weight\[1\]: .*got inf",
    ),
    "too many digits": (
        text(WEIGHT, f'"weight": [20.0,{"1" * 90000}]'),
        "moments.weight: a number of more",
    ),
    "many digits alone": (
        text('"shrinkage": null', f'"shrinkage": {"1" * 5000}'),
        "settings.shrinkage: ",
    ),
    "leading zero": (text(WEIGHT, '"weight": [20.0,020]'), r"moments.weight\[0\] and following"),
    "plus": (text(WEIGHT, '"weight": [+20,20]'), r"moments.weight\[0\] and following"),
    "point": (text(WEIGHT, '"weight": [20.,20]'), r"moments.weight\[0\] and following"),
    "comma at the end": (text(WEIGHT, '"weight": [20,20,]'), "moments.weight: .*array of 3"),
    "two commas": (text(WEIGHT, '"weight": [20,,20]'), "moments.weight: .*array of 3"),
    "comma alone": (text(WEIGHT, '"weight": [20,]'), r"moments.weight\[0\] and following"),
    "two numbers": (text(WEIGHT, '"weight": [20 20,1]'), r"moments.weight\[0\] and following"),
    "hexadecimal": (text(WEIGHT, '"weight": [0x14,20]'), r"moments.weight: .*got 'x14"),
    "deep": (
        text('"shrinkage": null', '"shrinkage": ' + '{"a":' * 500 + "0" + "}" * 500),
        "at most 3 deep",
    ),
    "deep arrays": (
        text('"shrinkage": null', '"shrinkage": ' + "[" * 9999 + "]" * 9999),
        "settings.shrinkage",
    ),
    "object in array": (text('"names": ["age"', '"names": [{}'), r"features.names\[0\]: "),
    "many members": (
        text('"shrinkage": null', ", ".join(f'"m{i}": 0' for i in range(99))),
        "at most 32 members",
    ),
    "bad escape": (text('"age"', r'"a\ge"'), r"features.names\[0\]: .*JSON's escapes"),
    "half a pair": (text('"age"', r'"\ud800"'), r"features.names\[0\]: .*JSON's escapes"),
    "control character": (text('"age"', '"a\tge"'), r"features.names\[0\]: .*in quotes"),
    "long text": (text('"age"', f'"{"a" * 70000}"'), r"features.names\[0\]: .*65,536 bytes"),
    "single quotes": (text('"age"', "'age'"), r"features.names\[0\]: "),
    "comment": (text('"target": null', '"target": null /* */'), "expected ',' or '}'"),
    "no colon": (text('"target": null', '"target" null'), "target: .*expected ':'"),
    "no name": (text('"target": null', "null"), "expected the name of a member"),
    "no comma": (text('"target": null,', '"target": null'), "expected ',' or '}'"),
    "True": (text('"shared": false', '"shared": False'), "settings.shared: .*got 'False"),
    "not UTF-8": (
        seal_again(GOOD.replace(b'"age"', b'"\xff"', 1)),
        r"features.names\[0\]: .*UTF-8",
    ),
    "version 0": (text('"version": 1', '"version": 0'), "version: expected 1, got '0'"),
    "version 01": (text('"version": 1', '"version": 01'), "version: expected 1, got '01'"),
    "version text": (text('"version": 1', '"version": "1"'), "not a model file"),
    "format": (text("gaussbayes model", "other model"), "not a model file"),
}


@pytest.mark.parametrize(("data", "said"), TEXTS.values(), ids=TEXTS.keys())
def test_json_that_is_not_of_this_form(data: bytes, said: str) -> None:
    with pytest.raises(ModelFileError, match=said):
        loads(data)


FILLERS = {
    "empty arrays": '"weight": [{}]'.format("[]," * 2_000_000),
    "empty objects": '"weight": [{}0]'.format("{}," * 2_000_000),
    "nested arrays": '"weight": ' + "[" * 3_000_000 + "]" * 3_000_000,
    "tiny numbers": '"weight": [{}0]'.format("0," * 3_000_000),
    "texts": '"weight": [{}"ab"]'.format('"ab",' * 1_200_000),
    "truth values": '"weight": [{}true]'.format("true," * 1_200_000),
    "members": '"weight": {{{}"x":0}}'.format("".join(f'"m{i}":0,' for i in range(500_000))),
    "a long text": '"weight": "{}"'.format("a" * 6_000_000),
    "short escapes": '"weight": [{}"b"]'.format(r'"\u0041",' * 600_000),
    "escapes": '"weight": "{}"'.format(r"\"" * 3_000_000),
    "spaces": '"weight": [{}1,1]'.format(" " * 6_000_000),
    "a long number": '"weight": [1.{},20]'.format("1" * 6_000_000),
    "wide characters": '"weight": ["{}"]'.format('","'.join(["\U0001f600" + "a" * 1000] * 6000)),
}


@pytest.mark.parametrize("name", FILLERS)
def test_no_file_fills_the_memory(name: str) -> None:
    """At most 50 MB beyond twice the file's size."""
    data = text(WEIGHT, FILLERS[name])
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError):
            loads(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= len(data) + 50_000_000  # and the data, which were there before


@pytest.mark.parametrize(("part", "times"), [("moments", 2), ("parameters", 3)])
def test_short_numbers_take_the_matrices_and_little_more(part: str, times: int) -> None:
    """The file has 2 bytes for an entry that takes 16 in memory; see the page about the format."""
    d = 1_200
    parts = members(file_of(fitted(shared=True)) if part == "moments" else GIVEN)
    parts["features"] = {"names": None, "types": ["number"] * d}
    parts["settings"] |= {"covariance": "full", "shared": True}
    k = len(parts["classes"]["labels"])
    one = [1 if j == i else 0 for i in range(d) for j in range(i + 1)]
    vectors = {"anchor": [0] * k * d, "offset": [0] * k * d, "center": [0] * d}
    vectors |= {"scatter": one, "covariance": one}
    parts[part] |= {name: vectors[name] for name in vectors if name in parts[part]}
    data = resealed(parts).replace(b", ", b",")
    data = seal_again(data)
    tracemalloc.start()
    try:
        loads(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= len(data) + times * 8 * d * d


@pytest.mark.parametrize("old", ['["ash", "oak"]', '["age", "girth", "height"]'])
def test_no_numbers_in_the_place_of_texts_fill_the_memory(old: str) -> None:
    """How many there are is known before they are read."""
    data = text(old, "[{}0]".format("0," * 12_000_000))
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match="expected at most 500,000 entries"):
            loads(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= len(data) + 50_000_000
