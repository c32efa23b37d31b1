"""The plot in any units: drawn ellipses, handles and digits do not depend on them."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import expect
from sklearn.datasets import load_wine

from tests.browser.lab import Lab, State

SAMPLED = """async () => {
    const { planeSvg } = await import(new URL("static/panels/figure_export.js", location.href));
    const figure = new DOMParser().parseFromString(planeSvg(lab), "image/svg+xml");
    return [...figure.querySelectorAll("path[d*=C]")].map((path) => {
        const length = path.getTotalLength();
        return Array.from({ length: 150 }, (_, i) => path.getPointAtLength((i * length) / 150))
            .map(({ x, y }) => [x, y]);
    });
}"""
"""Places on outlines of the exported figure, in pixels of the plot, class by class and σ by σ."""


def wine() -> tuple[NDArray[Any], NDArray[Any]]:
    """Proline, in the hundreds, beside hue, about 1."""
    table = load_wine()
    columns = [table.feature_names.index(name) for name in ("proline", "hue")]
    return table.data[:, columns], table.target


def rates(scale: float) -> tuple[NDArray[Any], NDArray[Any]]:
    """Two classes that are alike in all units; the first feature is `scale` times as wide."""
    rng = np.random.default_rng(3)
    codes = np.arange(40) % 2
    rows = rng.normal(size=(40, 2)) @ np.array([[1.0, 0.7], [0.0, 0.5]]) + codes[:, None]
    return rows * [scale, 1.0], codes


def state_of(rows: NDArray[Any], codes: NDArray[Any]) -> State:
    points = [[*row, int(code)] for row, code in zip(rows.tolist(), codes, strict=True)]
    classes = [f"class {code}" for code in range(int(codes.max()) + 1)]
    return {"data": {"points": points, "classes": classes, "features": ["first", "second"]}}


def on_screen(lab: Lab, covariance: Any) -> NDArray[Any]:
    """A covariance in pixels, to the right and upwards."""
    units = np.array(lab.units())
    return np.asarray(covariance) / np.outer(units, units)


TABLES = {"square": rates(1.0), "a million": rates(1e6), "a millionth": rates(1e-6), "wine": wine()}


@pytest.mark.parametrize("units", TABLES)
def test_outlines_and_handles(lab: Lab, units: str) -> None:
    rows, codes = TABLES[units]
    lab.open(state_of(rows, codes))
    drawn = lab.page.evaluate(SAMPLED)
    k = int(codes.max()) + 1
    assert len(drawn) == 3 * k
    for number, places in enumerate(drawn):
        code, sigma = divmod(number, 3)
        own = rows[codes == code]
        mean = np.subtract(lab.pixel(*own.mean(axis=0)), lab.corner())
        inverse = np.linalg.inv(on_screen(lab, np.cov(own.T, bias=True)))
        away = (np.array(places) - mean) * [1, -1]
        distance = np.sqrt(np.einsum("ni,ij,nj->n", away, inverse, away))
        slope = np.linalg.norm(away @ inverse, axis=1) / distance  # of the distance, by pixel
        assert np.abs((distance - sigma - 1) / slope).max() < 1  # pixels from the true ellipse

    before = on_screen(lab, np.cov(rows[codes == k - 1].T, bias=True))
    lengths, directions = np.linalg.eigh(before)
    center, end = (
        np.array(lab.middle(f"handle-mean-{k - 1}")),
        np.array(lab.middle(f"handle-axis-{k - 1}-0")),
    )
    arm = (end - center) * [1, -1]
    assert np.linalg.norm(arm) == pytest.approx(np.sqrt(lengths[1]), abs=0.6)
    assert abs(arm @ directions[:, 1]) == pytest.approx(np.linalg.norm(arm), rel=1e-4)
    lab.drag((end[0], end[1]), (4.0, -6.0))
    moved = np.subtract(lab.middle(f"handle-axis-{k - 1}-0"), end)
    np.testing.assert_allclose(moved, [4, -6], atol=0.1)  # it follows the pointer
    now = on_screen(lab, lab.state["model"]["covariances"][-1])
    arm += [4, 6]
    np.testing.assert_allclose(now @ arm, (arm @ arm) * arm, rtol=0.03, atol=0.01 * (arm @ arm))
    assert np.linalg.det(now) == pytest.approx((arm @ arm) * lengths[0], rel=0.03)
    # Into the middle: as thin as can be, and still a covariance.
    lab.drag(
        lab.middle(f"handle-axis-{k - 1}-1"), tuple(center - lab.middle(f"handle-axis-{k - 1}-1"))
    )
    covariance = np.array(lab.state["model"]["covariances"][-1])
    assert np.linalg.eigvalsh(on_screen(lab, covariance))[0] > 0
    assert lab.head("scene")["problem"] is None


def test_numbers_tell_neighbours_apart(lab: Lab) -> None:
    """A clock in seconds and very small masses: no tick is cut, and none is written twice."""
    rows, codes = rates(1.0)
    lab.open({**state_of(rows * [1, 1e-12] + [1.7e9, 0], codes), "at": [1.7e9 + 1.25, 1e-12]})
    for axis in ("axes", "line"):
        texts = lab.page.locator(f"#{axis} text.number").all_text_contents()
        if axis == "axes":
            assert len(texts) == len(set(texts)) > 5
        cut = lab.get(
            f"""(() => {{
                const box = document.getElementById("stage").getBoundingClientRect();
                return [...document.querySelectorAll("#{axis} text")].filter((one) => {{
                    const {{ left, right }} = one.getBoundingClientRect();
                    return left < box.left || right > box.right;
                }}).map((one) => one.textContent);
            }})()"""
        )
        assert cut == []
        if axis == "axes":
            names = lab.page.locator("#axes text.name").all_text_contents()
            assert names[0].startswith("first − 17000000") or names[0].startswith(
                "first − 16999999"
            )
            assert names[1] == "second in 10⁻¹²"
            expect(lab.find("card-place")).to_contain_text("first = 1700000001.25")
            lab.press("view-line")
    lab.press("view-plane")
    lab.by_hand()
    lab.panel("model")
    assert float(lab.find("model-hand-0-mean-0").input_value()) == pytest.approx(
        1.7e9 + rows[codes == 0, 0].mean(), abs=0.01
    )


def test_the_window_is_bounded(lab: Lab) -> None:
    """No address, wheel or key leads where numbers end."""
    for bounds in (
        {"x": [-1e300, 1e300], "y": [0, 5e-324]},
        {"x": [1e15, 1e15 + 1], "y": [-1e-290, 1e-290]},
        {"x": [-1.7e308, 1.7e308], "y": [-1, 1]},
    ):
        lab.open({"bounds": bounds})
        expect(lab.find("problem")).to_be_hidden()
        assert 0 < lab.page.locator("#axes .tick").count() < 60
    lab.open()
    x = np.array(lab.get("lab.view().x"))
    lab.find("inner").focus()
    for key, factor in (("-", 1.25), ("+", 0.8)):
        zoom = f"""() => {{
            const key = () => new KeyboardEvent("keydown", {{ key: "{key}", bubbles: true }});
            for (let i = 0; i < 200; i++) inner.dispatchEvent(key());
            for (let i = 0; i < 99; i++) inner.dispatchEvent(
                new WheelEvent("wheel", {{ deltaY: {1e5 if factor > 1 else -1e5} }}));
        }}"""
        lab.page.evaluate(zoom)
        lab.until("!lab.dragging")
        lab.settle()
        wide = np.ptp(lab.get("lab.view().x")) / np.ptp(x)
        assert 1e-4 < wide < 1e4
        assert (wide > 100) == (factor > 1)
        expect(lab.find("problem")).to_be_hidden()
        lab.press("fit")
        np.testing.assert_array_equal(lab.get("lab.view().x"), x)
