"""Chapters of the course as notebooks: one with empty cells and asserts, one with solutions.

As an extension it links each chapter to its notebooks; as a program it writes them beside the built
pages, with stills of the live figures: python docs/_extensions/notebooks.py build/docs
"""

import base64
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
from answers import check, choices
from blocks import Block, blocks
from specs import assignments, still, value

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx

COURSE = Path(__file__).parent.parent / "course"
VERSIONS = {"": "with empty cells", "-solutions": "with solutions"}
"""How the names of the files end, and what they are called on the page."""

_EMPTY = "# Your code: assign the answer.\nanswer = ..."
_BOXES = {"admonition", "note", "tip", "important", "warning", "hint", "seealso", "attention"}
_ROLE = re.compile(r"\{([\w:-]+)\}`([^`]*)`")
_LINK = re.compile(r"(?<!!)\[([^]]*)\]\(([^)#]*)\.md(#[^)]*)?\)")


def chapters() -> list[Path]:
    """The pages of the course, in order."""
    return sorted(COURSE.glob("[0-9][0-9]-*.md"))


def notebook(path: Path, ending: str, images: Path | None = None) -> nbformat.NotebookNode:
    """A chapter in Jupyter's format, without outputs; stills come from this directory."""
    text = re.sub(r"\A---\n.*?\n---\n", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    book = nbformat.v4.new_notebook(
        metadata={
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    book.cells = list(_cells(text, path.stem, ending, images))
    for number, cell in enumerate(book.cells):
        cell["id"] = f"cell-{number}"  # the same file from the same page
    return book


def _cells(
    text: str, stem: str, ending: str, images: Path | None
) -> Iterator[nbformat.NotebookNode]:
    """Cells of a page. The cell of a solution is followed by one that checks the answer."""
    end, count, pending = 0, 0, None
    for block in blocks(text):
        yield from _prose(text[end : block.start], ending)
        end = block.end
        if block.name == "code-cell":
            if "solution" in block.tags and pending:
                yield from _answered(pending, block.body.strip("\n"), ending)
                pending = None
            elif "remove-cell" not in block.tags:
                yield nbformat.v4.new_code_cell(block.body.strip("\n"))
        elif block.name == "live":
            yield _figure(block, stem, images)
        elif block.name == "exercise":
            count += 1
            yield from _exercise(block, f"{int(stem[:2])}.{count}", ending)
            has_solution = "answer" in block.options or _is_solved(text[end:])
            pending = block if has_solution else None
            if not has_solution:
                yield from _chosen(block, ending)
        elif block.name in _BOXES:
            title = block.argument or block.name.capitalize()
            lines = [f"**{title}**", "", *block.body.strip().splitlines()]
            yield from _prose("\n".join(f"> {line}".rstrip() for line in lines), ending)
        elif block.name == "math":
            yield from _prose(f"$$\n{block.body.strip()}\n$$", ending)
        else:
            yield from _prose(text[block.start : block.end], ending)
    yield from _prose(text[end:], ending)


def _is_solved(text: str) -> bool:
    """Whether the next block after an exercise is its solution."""
    following = next(blocks(text, "code-cell", "exercise"), None)
    return following is not None and "solution" in following.tags


def _exercise(block: Block, title: str, ending: str) -> Iterator[nbformat.NotebookNode]:
    question, given = choices(block.body) if "choice" in block.options else (block.body, {})
    listed = "".join(f"\n- {letter}) {text}" for letter, text in given.items())
    yield from _prose(f"**Exercise {title}.** {question.strip()}\n{listed}", ending)


def _answered(block: Block, solution: str, ending: str) -> Iterator[nbformat.NotebookNode]:
    """The cell for the answer, and the one that checks it."""
    yield nbformat.v4.new_code_cell(solution if ending else _EMPTY)
    yield nbformat.v4.new_code_cell(check(block, _hint(block)))


def _chosen(block: Block, ending: str) -> Iterator[nbformat.NotebookNode]:
    """A choice that needs no calculation."""
    if ending:
        reason = f" {block.options['why']}" if "why" in block.options else ""
        yield from _prose(f"Answer: **{block.options['choice']}**.{reason}", ending)
    else:
        yield from _answered(block, "", ending)


def _hint(block: Block) -> str:
    hint = _plain(block.options.get("hint", ""), "").replace("`", "").replace("$", "")
    return f"Not yet. {hint}".strip()


def _figure(block: Block, stem: str, images: Path | None) -> nbformat.NotebookNode:
    """The still of a live figure, its text and its caption."""
    alt, caption = block.options.get("alt", ""), block.options.get("caption", "")
    name = still(f"course/{stem}", block.argument)
    note = f"*{_plain(caption, '')}* (The figure can be moved on the page of this chapter.)"
    if images is None or not (images / name).exists():
        return nbformat.v4.new_markdown_cell(f"[Figure: {alt}]\n\n{note}")
    data = base64.b64encode((images / name).read_bytes()).decode()
    source = f"![{alt.replace('[', '(').replace(']', ')')}](attachment:{name})\n\n{note}"
    return nbformat.v4.new_markdown_cell(source, attachments={name: {"image/png": data}})


def _prose(text: str, ending: str) -> Iterator[nbformat.NotebookNode]:
    if written := _plain(text, ending).strip():
        yield nbformat.v4.new_markdown_cell(written)


def _plain(text: str, ending: str) -> str:
    """Markdown without roles and targets; links lead to the other chapters' notebooks."""

    def role(match: re.Match[str]) -> str:
        name, content = match.groups()
        if name == "live-value":
            return value(content)[2]
        if name == "live-set":
            return assignments(content)[2]
        return re.sub(r"\s*<[^>]*>$", "", content)

    def link(match: re.Match[str]) -> str:
        words, page, _ = match.groups()
        is_chapter = re.fullmatch(r"\d\d-[\w-]+", page)
        return f"[{words}]({page}{ending}.ipynb)" if is_chapter else words

    text = re.sub(r"^\([\w-]+\)=\n|^%.*\n|^\+\+\+.*\n", "", text, flags=re.MULTILINE)
    return _LINK.sub(link, _ROLE.sub(role, text))


def add_links(app: "Sphinx", document: "nodes.document") -> None:
    """A line under the title of each chapter that leads to its notebooks."""
    from docutils import nodes

    folder, _, stem = app.env.docname.rpartition("/")
    title = next(document.findall(nodes.title), None)
    if folder != "course" or not stem[:2].isdigit() or title is None:
        return
    links = " · ".join(
        f'<a href="notebooks/{stem}{ending}.ipynb" download>{words}</a>'
        for ending, words in VERSIONS.items()
    )
    line = nodes.raw("", f'<p class="notebooks">Notebook: {links}</p>\n', format="html")
    title.parent.insert(title.parent.index(title) + 1, line)


def main(folder: str) -> None:
    site = Path(folder)
    (site / "course" / "notebooks").mkdir(parents=True, exist_ok=True)
    for path in chapters():
        for ending in VERSIONS:
            book = notebook(path, ending, site / "_images")
            nbformat.validate(book)
            nbformat.write(book, site / "course" / "notebooks" / f"{path.stem}{ending}.ipynb")


def setup(app: "Sphinx") -> dict[str, Any]:
    app.connect("doctree-read", add_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    main(sys.argv[1])
