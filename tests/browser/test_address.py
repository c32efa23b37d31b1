"""The whole state is in the address: it comes back by it, and controls are hidden by it."""

from playwright.sync_api import expect

from tests.browser.lab import Lab, hash_of


def test_the_default_has_no_address_of_its_own(lab: Lab) -> None:
    lab.open({"neighbours": 9})
    assert lab.page.url == f"{lab.address}#{hash_of({'neighbours': 9})}"
    lab.open({})
    lab.press("data-new")
    assert "#" in lab.page.url
    lab.press("undo")
    assert lab.page.url == lab.address


def test_controls_are_hidden(lab: Lab) -> None:
    without = ["data-file", "data-new", "tab-model", "undo", "views", "model-priors-uniform"]
    lab.open({"without": without})
    for name in without:
        expect(lab.find(name)).to_be_hidden()
    expect(lab.find("data-preset")).to_be_visible()
    lab.open(after=f"{hash_of({'neighbours': 3})}&hide=undo,data-preset")
    assert lab.state["without"] == ["undo", "data-preset"]
    assert lab.state["neighbours"] == 3
    expect(lab.find("undo")).to_be_hidden()
    expect(lab.find("data-preset")).to_be_hidden()
    expect(lab.page.get_by_text("Example", exact=True)).to_be_hidden()  # its label
    expect(lab.find("data-file")).to_be_attached()
    lab.open({})
    expect(lab.find("data-preset")).to_be_visible()


def test_a_broken_address(lab: Lab) -> None:
    default = lab.open({}).state
    lab.open(after="@@@", fresh=True)
    expect(lab.find("toast")).to_contain_text("This address could not be read")
    assert lab.state == default
    for after in (
        "bm8ganNvbg",  # "no json"
        hash_of({"model": {"from": "hand", "priors": 1, "means": [], "covariances": 0}}),
        hash_of({"model": {"covariance": "round"}}),
        hash_of({"view": "sideways"}),
        hash_of({"bounds": {"x": [1, 0], "y": [0, 1]}}),
    ):
        lab.open({"neighbours": 9})
        lab.open(after=after)
        assert lab.state == default


def test_an_address_that_the_server_refuses(lab: Lab) -> None:
    """It can be read, but there is no such table or model: that is said, and the page goes on."""
    lab.load(hash_of({"data": {"upload": "gone"}}))
    expect(lab.find("problem")).to_be_visible()
    lab.panel("data")
    lab.press("data-preset-three")
    lab.settle()
    expect(lab.find("problem")).to_be_hidden()
    for state in (
        {"data": {"preset": "no such example", "seed": 0, "n": 10}},
        {"model": {"priors": [0.5, 0.6]}},
        {"model": {"shared": 7}},
        {"layers": {"reject": 2}},
        {"neighbours": -3, "model": {"from": "neighbours"}},
        {"stream": -1},
    ):
        lab.open(state)
        expect(lab.find("problem")).to_be_visible()
        assert len(str(lab.find("problem").text_content())) > 20, state
        lab.open({"data": {"preset": "shared", "seed": 0, "n": 30}})
        expect(lab.find("problem")).to_be_hidden()
