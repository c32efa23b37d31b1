"""Contents → one HTML page that needs nothing from outside."""

from importlib.resources import files

from gaussbayes.apps.report.calibration_section import calibration_section
from gaussbayes.apps.report.comparison_section import comparison_section
from gaussbayes.apps.report.confusion_section import confusion_section
from gaussbayes.apps.report.contents import Contents
from gaussbayes.apps.report.data_section import data_section
from gaussbayes.apps.report.look import look_of, paragraph, section
from gaussbayes.apps.report.markup import Html, enumerated, tag
from gaussbayes.apps.report.mistake_section import mistake_section
from gaussbayes.apps.report.numbers import counted, share, small
from gaussbayes.apps.report.parameter_section import parameter_section
from gaussbayes.apps.report.picture_section import picture_section
from gaussbayes.apps.report.recipe import DIGEST_CODE
from gaussbayes.apps.report.wording import none_or_some, same, why_not

_PARTS = (
    ("data", "Data"),
    ("parameters", "Parameters"),
    ("pictures", "Pictures"),
    ("confusion", "Right and wrong"),
    ("calibration", "Are the probabilities right?"),
    ("mistakes", "Most confident errors"),
    ("comparison", "Other models"),
    ("reproduction", "How to make this page again"),
)

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
"""The browser, too, makes sure that nothing is loaded from anywhere."""

_MOST_NAMED = 6


def page(contents: Contents) -> str:
    """The whole page."""
    look = look_of(contents)
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="generator", content=f"gaussbayes {_version(contents)}"),
        tag("title", contents.title),
        tag("style", Html("\n" + _style())),
    )
    body = tag(
        "body",
        _header(contents),
        _table_of_contents(),
        tag(
            "main",
            data_section(contents, look),
            parameter_section(contents, look),
            picture_section(contents),
            confusion_section(contents, look),
            calibration_section(contents),
            mistake_section(contents, look),
            comparison_section(contents),
            _reproduction(contents),
        ),
    )
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}"


def _style() -> str:
    return files("gaussbayes.apps.report").joinpath("page.css").read_text(encoding="utf-8")


def _version(contents: Contents) -> str:
    return dict(contents.recipe.versions)["gaussbayes"]


def _header(contents: Contents) -> Html:
    made = [
        "Made on ",
        tag("time", contents.made, datetime=contents.made),
        f" by gaussbayes {_version(contents)}.",
    ]
    return tag(
        "header",
        tag("h1", contents.title),
        tag("p", _summary(contents), class_="summary"),
        _key_numbers(contents),
        tag("p", *made, class_="made"),
    )


def _summary(contents: Contents) -> str:
    found, held_out = contents.evaluation, contents.held_out
    k, d = len(contents.classes), len(contents.features)
    named = enumerated([f"“{label}”" for label in contents.classes]) if k <= _MOST_NAMED else ""
    which = f" ({named})" if named else ""
    later = (
        f"Models {same(contents)} that had not seen the rows they were asked about err in "
        f"{none_or_some(held_out)}."
        if held_out is not None
        else f"How it fares on rows it has not seen could not be found out: {why_not(contents)}"
    )
    return (
        f"{contents.name}, a Gaussian classifier with {_whose(contents)}, tells "
        f"{counted(k, 'class', 'classes')} apart{which} by {counted(d, 'feature')}. On the rows "
        f"given to this report, it errs in {none_or_some(found)}. {later}"
    )


def _whose(contents: Contents) -> str:
    structure = contents.model.structure_
    shape = structure.covariance
    if contents.model.parameters_.shared:
        return f"one {shape} covariance for all classes"
    drawn = " that is drawn towards a shared one"
    return f"a {shape} covariance for each class{drawn * bool(structure.toward_shared)}"


def _key_numbers(contents: Contents) -> Html:
    found, held_out = contents.evaluation, contents.held_out
    pairs = [
        ("error on the rows given", share(found.error)),
        ("error on rows held out", "–" if held_out is None else share(held_out.error)),
        ("log loss on the rows given", small(found.log_loss)),
        (
            "log loss on rows held out",
            "–" if held_out is None else small(held_out.log_loss),
        ),
    ]
    items = [tag("div", tag("dt", name), tag("dd", number)) for name, number in pairs]
    return tag("dl", *items, class_="key")


def _table_of_contents() -> Html:
    links = [tag("li", tag("a", title, href=f"#{name}")) for name, title in _PARTS]
    return tag("nav", tag("ol", *links), aria_label="Contents")


def _reproduction(contents: Contents) -> Html:
    recipe = contents.recipe
    versions = ", ".join(f"{name} {number}" for name, number in recipe.versions)
    pairs = [
        ("versions", versions),
        ("seed", str(recipe.seed)),
        ("data", tag("code", recipe.digest, class_="digest")),
    ]
    if recipe.source:
        pairs.insert(0, ("source", recipe.source))
    items = [tag("div", tag("dt", name), tag("dd", text)) for name, text in pairs]
    command = (
        [paragraph("The command that made it:"), tag("pre", tag("code", recipe.command))]
        if recipe.command
        else []
    )
    return section(
        "reproduction",
        "How to make this page again",
        *command,
        paragraph("In Python:"),
        tag("pre", tag("code", recipe.code)),
        tag("dl", *items, class_="settings"),
        paragraph(
            "The data are the same if this gives the same digits: SHA-256 of the rows as 64-bit "
            "floats and of the labels as text."
        ),
        tag("pre", tag("code", DIGEST_CODE)),
    )
