"""Numbers of any size and units are told apart, and figures do not depend on units."""

from typing import Any

import numpy as np
import pytest

from gaussbayes.apps.lab.messages import read
from tests.lab.page import FITTED, Page

CLASSES = ["a", "b"]
ROWS = np.random.default_rng(3).normal(size=(40, 2)) @ [[1.0, 0.6], [0.0, 0.5]]
CODES = np.arange(40) % 2
UNITS = [(1.0, 1.0), (1e6, 1.0), (1e-12, 1e9), (1.0, 1e-6)]


def scene(page: Page, rows: Any, **members: Any) -> dict[str, Any]:
    points = [[*row, code] for row, code in zip(rows.tolist(), CODES.tolist(), strict=True)]
    data = page.points(points, CLASSES)
    head: dict[str, Any] = page.ask("scene", data=data, pair=[0, 1], model=FITTED, **members).head
    return head


@pytest.mark.parametrize("base", [1e9, 1.7e9, 52.520008, 1e-12, 0.1])
def test_neighbours_are_told_apart_and_edits_keep_them(page: Page, base: float) -> None:
    """Timestamps, degrees, large and tiny numbers come as they are, to the last digit."""
    x = np.nextafter(base, np.inf, dtype=np.float64)
    points = [[base, x, 0], [x, base, 1]]
    source = {"from": "points", "points": points, "classes": CLASSES, "features": ["a", "b"]}
    sent = page.ask("data", source=source).arrays["points"]
    assert sent.tolist() == [[base, x], [x, base]]


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("origin", [(0.0, 0.0), (1e9, -3e5)])
def test_outlines_and_axes_in_any_units(page: Page, units: Any, origin: Any) -> None:
    shift = np.array(origin) * units
    rows = ROWS * units + shift
    x, y = ([low, high] for low, high in zip(rows.min(axis=0), rows.max(axis=0), strict=True))
    head = scene(page, rows, view={"x": x, "y": y, "width": 90, "height": 60})
    # The reference is NumPy's covariance of the rows as they were before units and origin.
    for code in (0, 1):
        plain = ROWS[code == CODES]
        mean, covariance = plain.mean(axis=0), np.cov(plain.T, bias=True)
        for outline in (each for each in head["ellipses"] if each["class"] == code):
            points = (np.stack([outline["x"], outline["y"]], axis=1) - shift) / units - mean
            square = np.einsum("ni,ij,nj->n", points, np.linalg.inv(covariance), points)
            np.testing.assert_allclose(square, outline["sigma"] ** 2, rtol=1e-4, atol=1e-4)
        axes = head["axes"][code]
        halves = (np.array(axes["ends"]) - axes["center"]) / units
        np.testing.assert_allclose(halves.T @ halves, covariance, rtol=1e-5, atol=1e-5)
        seen = halves / (np.ptp(ROWS, axis=0) / [90, 60])
        cosine = seen[0] @ seen[1] / np.prod(np.linalg.norm(seen, axis=1))
        np.testing.assert_allclose(cosine, 0, atol=1e-4)


def test_windows_of_very_few_floats_are_refused() -> None:
    start = (
        '{"number": 1, "kind": "scene", "data": "x", "pair": [0, 1], "model": {"from": "data"}, '
    )
    read(start + '"view": {"x": [1700000000, 1700000000.001]}}')
    with pytest.raises(ValueError, match="x must begin below where it ends"):
        read(start + '"view": {"x": [1700000000, 1700000000.0001]}}')
