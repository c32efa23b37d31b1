"""The search of the site: keywords of pages, and pages that it leaves out.

A page lists its keywords, in the words of users, at its head::

    ```{keywords}
    imbalance, class weights
    ```
"""

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

NOT_SEARCHED = (
    "benchmarks",
    "changelog",
    "command-options",
    "contributing",
    "course/items",
    "options",
)
"""Pages with many words that nobody looks for: beginnings of their names."""


class Keywords(SphinxDirective):
    """Entries of the index, which the search ranks like titles, and the words of the page."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        text = " ".join(self.content)
        target = nodes.target("", "", ids=["keywords"])
        entries = [("single", word.strip(), "keywords", "main", None) for word in text.split(",")]
        meta = nodes.meta(name="keywords", content=text)
        return [addnodes.index(entries=entries), target, meta]


def leave_out(_app: Sphinx, env: BuildEnvironment) -> None:
    """Leave pages out of the search, as `:nosearch:` does."""
    for page in env.found_docs:
        if page.startswith(NOT_SEARCHED):
            env.metadata[page]["nosearch"] = ""


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("keywords", Keywords)
    app.connect("env-updated", leave_out)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
