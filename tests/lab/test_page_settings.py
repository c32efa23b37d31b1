"""What the page is told has the colours of all pictures, and more light in the dark."""

import asyncio
import json

import numpy as np
import pytest

from gaussbayes.apps.lab.backend import DARK_COLOURS, LIGHT_COLOURS, SHAPES, Backend
from gaussbayes.apps.lab.wire_format import as_json
from gaussbayes.plots.style import class_styles


def luminance(color: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_the_colours_are_those_of_the_pictures() -> None:
    assert [style.color for style in class_styles(np.arange(12))] == list(LIGHT_COLOURS)


@pytest.mark.parametrize("color", DARK_COLOURS)
def test_colours_can_be_seen_on_dark_ground(color: str) -> None:
    assert (luminance(color) + 0.05) / (luminance("#15181d") + 0.05) >= 4.5


def test_classes_next_to_each_other_differ_in_both() -> None:
    assert len(set(zip(DARK_COLOURS, SHAPES * 2, strict=False))) == len(set(LIGHT_COLOURS)) == 12


def test_the_record() -> None:
    with Backend() as backend:
        record = json.loads(as_json(asyncio.run(backend.about())))
    assert record["given"] is None
    assert record["colours"]["dark"] == list(DARK_COLOURS)
    assert {".csv", ".jsonl", ".feather", ".gz", ".txt"} < set(record["endings"])
