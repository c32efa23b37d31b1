"""A report taken apart: its elements, its tables, its words."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

VOID = {"img", "meta", "wbr"}


@dataclass(eq=False)
class Element:
    """A tag with its attributes, what is in it, and what it is in."""

    tag: str
    attributes: dict[str, str]
    parent: "Element | None" = None
    children: list["Element | str"] = field(default_factory=list)

    def all(self, *tags: str) -> list["Element"]:
        """Every element of these kinds within, in order."""
        elements = []
        for child in self.children:
            if isinstance(child, Element):
                elements += [child] if not tags or child.tag in tags else []
                elements += child.all(*tags)
        return elements

    @property
    def text(self) -> str:
        """The words within."""
        return "".join(c if isinstance(c, str) else c.text for c in self.children)

    @property
    def words(self) -> str:
        """The same, with one space between words."""
        return " ".join(self.text.split())


class _Reader(HTMLParser):
    """Builds the tree; raises if an element is not closed in its place."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = self.place = Element("", {})

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), f"{tag} has an attribute twice"
        new = Element(tag, {name: value or "" for name, value in attrs}, self.place)
        self.place.children.append(new)
        if tag not in VOID:
            self.place = new

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag == self.place.tag, f"</{tag}> in <{self.place.tag}>"
        assert self.place.parent is not None
        self.place = self.place.parent

    def handle_data(self, data: str) -> None:
        self.place.children.append(data)


@dataclass(eq=False)
class Report:
    """A report as text and as a tree."""

    path: Path
    html: str
    root: Element

    @property
    def words(self) -> str:
        """Everything a reader reads."""
        return self.root.all("body")[0].words

    def section(self, name: str) -> Element:
        """The part of the report with this identifier."""
        return next(one for one in self.root.all("section") if one.attributes["id"] == name)

    def table(self, caption: str) -> list[list[str]]:
        """The lines of the table whose caption begins so, the head first."""
        captioned = [table for table in self.root.all("table") if table.all("caption")]
        tables = [t for t in captioned if t.all("caption")[0].words.startswith(caption)]
        assert len(tables) == 1, caption
        return [[c.words for c in line.all("th", "td")] for line in tables[0].all("tr")]


def read_report(path: Path) -> Report:
    """Take a report apart; every element must be closed in its place."""
    html = path.read_text(encoding="utf-8")
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert reader.place is reader.root, f"<{reader.place.tag}> is not closed"
    return Report(path, html, reader.root)
