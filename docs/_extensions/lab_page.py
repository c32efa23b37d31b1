"""The lab without data, and the script and style of live figures, among the site's static files."""

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

from gaussbayes.lab import page
from gaussbayes.lab.script import STATIC, script

MADE = Path(__file__).parents[2] / "build" / "lab"


def write(_app: Sphinx, config: Config) -> None:
    """Write lab.html, gaussbayes.js and gaussbayes.css; what did not change stays as it is."""
    MADE.mkdir(parents=True, exist_ok=True)
    files = {
        "lab.html": page(),
        "gaussbayes.js": script(),
        "gaussbayes.css": (STATIC / "figure.css").read_text(encoding="utf-8"),
    }
    for name, text in files.items():
        path = MADE / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    config.html_static_path.append(str(MADE))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("config-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
