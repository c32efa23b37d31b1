"""JSON that is not of the form of a model file, and JSON that is meant to do harm."""

import tracemalloc

import pytest

from gaussbayes.base.errors import FileError
from gaussbayes.model.file import loads
from tests.model.file.broken import GIVEN, GOOD, POOLED, WEIGHT, text
from tests.model.file.files import members, resealed, seal_again

SHRINKAGE = '"shrinkage": null'
TARGET = '"target": null'
NUMBERS = r"statistics.weight"

TEXTS = {
    "a key twice": (
        text('"sharing": 0.0', '"sharing": 0.0, "sharing": 0.0'),
        "must have each member once, got 'sharing' twice",
    ),
    "a part twice": (text(TARGET, f"{TARGET},\n{TARGET}"), "each member once, got 'target' twice"),
    "an escaped key twice": (
        text('"sharing": 0.0', '"sharing": 0.0, "sh\\u0061ring": 0.0'),
        "got 'sharing' twice",
    ),
    "NaN": (text(WEIGHT, '"weight": [20.0,NaN]'), "must be JSON .*invalid character"),
    "Infinity": (text(WEIGHT, '"weight": [-Infinity,20.0]'), "must be JSON .*invalid"),
    "nan as number": (text(SHRINKAGE, '"shrinkage":NaN'), "must be JSON"),
    "1e999": (text(WEIGHT, '"weight": [20.0,1e999]'), rf"{NUMBERS}\[1\]: must be a finite number"),
    "1e999 alone": (text(SHRINKAGE, '"shrinkage":1e999'), "settings.shrinkage: .*got 1e999"),
    "many digits": (text(WEIGHT, f'"weight": [20.0,{"1" * 5000}]'), rf"{NUMBERS}\[1\]: .*finite"),
    "too many digits": (
        text(WEIGHT, f'"weight": [20.0,{"1" * 90000}]'),
        rf"{NUMBERS}\[0\]: .*at most 1000 characters",
    ),
    "many digits alone": (text(SHRINKAGE, f'"shrinkage":{"1" * 5000}'), "settings.shrinkage: "),
    "leading zero": (text(WEIGHT, '"weight": [20.0,020]'), "invalid number"),
    "plus": (text(WEIGHT, '"weight": [+20,20]'), "invalid character"),
    "point": (text(WEIGHT, '"weight": [20.,20]'), "invalid number"),
    "comma at the end": (text(WEIGHT, '"weight": [20,20,]'), "trailing comma"),
    "two commas": (text(WEIGHT, '"weight": [20,,20]'), "invalid character"),
    "two numbers": (text(WEIGHT, '"weight": [20 20,1]'), "expected ',' or ']'"),
    "hexadecimal": (text(WEIGHT, '"weight": [0x14,20]'), "expected ',' or ']'"),
    "deep": (text(SHRINKAGE, '"shrinkage":' + '{"a":' * 5000 + "0" + "}" * 5000), "too deeply"),
    "deep arrays": (text(SHRINKAGE, '"shrinkage":' + "[" * 9999 + "]" * 9999), "too deeply"),
    "object in array": (text('["age"', "[{}"), r"features\[0\]: must be a string, got an object"),
    "bad escape": (text('"age"', r'"a\ge"'), "invalid escape"),
    "half a pair": (text('"age"', r'"\ud800"'), "must be JSON"),
    "control character": (text('"age"', '"a\tge"'), "invalid character"),
    "long string": (text('"age"', f'"{"a" * 70000}"'), "a string has at most 65,536 bytes"),
    "single quotes": (text('"age"', "'age'"), "invalid character"),
    "comment": (text(TARGET, f"{TARGET} /* */"), "expected ',' or '}'"),
    "no colon": (text(TARGET, '"target" null'), "expected ':'"),
    "no name": (text(TARGET, "null"), "must be JSON"),
    "no comma": (text(f"{TARGET},", TARGET), "expected ',' or '}'"),
    "True": (text('"sharing": 0.0', '"sharing": True'), "invalid character"),
    "not UTF-8": (seal_again(GOOD.replace(b'"age"', b'"\xff"', 1)), "must be UTF-8: invalid start"),
    "version 0": (text('"version": 2', '"version": 0'), "version: must be 2, got 0"),
    "version 02": (text('"version": 2', '"version": 02'), "version: must be 2, got 02"),
    "version text": (text('"version": 2', '"version": "2"'), "not a model file"),
    "format": (text("gaussbayes model", "other model"), "not a model file"),
    "all after all": (GOOD.replace(b"{", b"{ {", 1), "not a model file"),
}


@pytest.mark.parametrize(("data", "message"), TEXTS.values(), ids=TEXTS.keys())
def test_json_that_is_not_of_this_form(data: bytes, message: str) -> None:
    with pytest.raises(FileError, match=message):
        loads(data)


FILLERS = {
    "empty arrays": '"weight": [{}]'.format("[]," * 2_000_000 + "[]"),
    "empty objects": '"weight": [{}0]'.format("{}," * 2_000_000),
    "nested arrays": '"weight": ' + "[" * 3_000_000 + "]" * 3_000_000,
    "tiny numbers": '"weight": [{}0]'.format("0," * 3_000_000),
    "strings": '"weight": [{}"ab"]'.format('"ab",' * 1_200_000),
    "booleans": '"weight": [{}true]'.format("true," * 1_200_000),
    "members": '"weight": {{{}"x":0}}'.format("".join(f'"m{i}":0,' for i in range(500_000))),
    "many members": '"weight": {{{}"x":0}}'.format("".join(f'"m{i}":0,' for i in range(30_000))),
    "a long string": '"weight": "{}"'.format("a" * 6_000_000),
    "short escapes": '"weight": [{}"b"]'.format(r'"\u0041",' * 600_000),
    "escapes": '"weight": "{}"'.format(r"\"" * 3_000_000),
    "spaces": '"weight": [{}1,1]'.format(" " * 6_000_000),
    "nothing but spaces": '"weight": [{}]'.format(" " * 6_000_000),
    "a long number": '"weight": [1.{},20]'.format("1" * 6_000_000),
    "wide characters": '"weight": ["{}"]'.format('","'.join(["\U0001f600" + "a" * 1000] * 6000)),
}

PLACES = {
    "numbers for labels": (
        '["ash","oak"]',
        "[{}0]".format("0," * 12_000_000),
        "at most 500,000 lab",
    ),
    "long labels": (
        '["ash","oak"]',
        "[{}0]".format("12345678," * 2_000_000),
        "at most 500,000 lab",
    ),
    "numbers for names": (
        '["age","girth","height"]',
        "[{}0]".format("0," * 12_000_000),
        r"es\[0\]",
    ),
    "names": ('["age","girth","height"]', '[{}"a"]'.format('"ab",' * 2_000_000), "500,000 strings"),
    "numbers for families": ('"families": [', '"families": [' + "0," * 9_000_000, r"families\[0\]"),
    "families": (
        '"families": [',
        '"families": [' + '{"family":"a","columns":0,"settings":0},' * 20_000,
        r"families\[0\]: object missing required field `statistics`",
    ),
    "columns": (
        '"columns": [0,1,2]',
        '"columns": [{}0]'.format("0," * 9_000_000),
        "at most 500,000",
    ),
}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [(WEIGHT, filler, "must be|has at most") for filler in FILLERS.values()]
    + list(PLACES.values()),
    ids=[*FILLERS, *PLACES],
)
def test_no_file_fills_the_memory(old: str, new: str, message: str) -> None:
    """At most 50 MB beyond twice the file's size."""
    data = text(old, new)
    tracemalloc.start()
    try:
        with pytest.raises(FileError, match=message):
            loads(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= len(data) + 50_000_000  # and the data, which were there before


@pytest.mark.parametrize(("part", "times"), [("statistics", 2), ("density", 3)])
def test_short_numbers_take_the_matrices_and_little_more(part: str, times: int) -> None:
    """The file has 2 bytes for an entry that takes 16 in memory; see the page about the format."""
    d = 1_200
    parts = members(POOLED if part == "statistics" else GIVEN)
    parts["features"] = None
    parts["families"][0]["columns"] = list(range(d))
    k = len(parts["classes"]["labels"])
    matrix = [1 if j == i else 0 for i in range(d) for j in range(i + 1)]
    vectors = {"anchor": [0] * k * d, "offset": [0] * k * d, "center": [0] * d}
    vectors |= {"scatter": matrix, "covariance": matrix}
    record = parts["families"][0][part]
    record |= {name: vectors[name] for name in vectors if name in record}
    data = seal_again(resealed(parts).replace(b", ", b","))
    tracemalloc.start()
    try:
        loads(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= len(data) + times * 8 * d * d


def test_cells_do_not_fill_the_memory() -> None:
    """A pattern of 700 features takes 4 MB as a matrix, whether or not it has any values."""
    parts = members(POOLED)
    d, q = 700, 200
    parts["features"] = None
    family = parts["families"][0]
    family["columns"] = list(range(d))
    observed = [f"{at:0{d}b}" for at in range(1, q + 1)]
    n = sum(pattern.count("1") for pattern in observed)
    cells = {"classes": [0] * q, "observed": observed, "weight": [1] * q, "anchor": [0] * n}
    cells |= {"offset": [0] * n, "varied": list(range(q)), "scatter": [0] * n}
    nothing = {"weight": [0, 0], "anchor": [0] * 2 * d, "offset": [0] * 2 * d, "products": None}
    triangle = [0] * (d * (d + 1) // 2)
    family["statistics"] = {"layout": "pooled", **nothing, "scatter": triangle, "cells": cells}
    data = resealed(parts)
    tracemalloc.start()
    try:
        with pytest.raises(FileError, match=r"cells.observed: must be fewer patterns: .*512"):
            loads(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= 2 * len(data) + 2 * 8 * d * d
