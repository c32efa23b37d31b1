"""The course as a PDF: its built chapters joined into one page, which Chromium prints.

Run after the build: python docs/_extensions/course_pdf.py build/docs. Live figures are stills,
solutions are collected at the end, and lines that would be clipped are made smaller or
broken. Without Chromium there is no PDF; where a browser is required, that is an error.
"""

import re
import shutil
import sys
from html import escape
from pathlib import Path
from tempfile import mkdtemp

from notebooks import chapters
from PIL import Image

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.page import chromium

TITLE = "Classification with Gaussians"
SUBTITLE = "The gaussbayes course"

HERE = Path(__file__).parent
MOST_PIXELS = 1440  # across: 210 to the inch on paper


def article(page: Path) -> str:
    """What a built page has between navigation and footer."""
    text = page.read_text(encoding="utf-8")
    found = re.search(r'<article class="bd-article">(.*?)</article>', text, flags=re.DOTALL)
    assert found is not None, page
    return found[1]


def joined(site: Path) -> str:
    """One page with all chapters; it stands beside them, so that their images are found."""
    pages = [path.stem for path in chapters()]
    bodies = {page: article(site / "course" / f"{page}.html") for page in pages}
    titles = {
        page: re.sub(r"<a.*?</a>|<[^>]+>", "", re.findall(r"<h1>(.*?)</h1>", body, re.DOTALL)[0])
        for page, body in bodies.items()
    }
    listed = "".join(f'<li><a href="#{page}">{titles[page]}</a></li>' for page in pages)
    parts = "".join(
        f'<article class="chapter bd-article" id="{page}" data-page="{page}">{body}</article>'
        for page, body in bodies.items()
    )
    style = (HERE / "course_pdf.css").read_text(encoding="utf-8")
    styles = re.findall(
        r'<link[^>]*rel="stylesheet"[^>]*>',
        (site / "course" / f"{pages[0]}.html").read_text(encoding="utf-8"),
    )
    return (
        f'<!doctype html><html lang="en" data-theme="light"><meta charset="utf-8">'
        f"<title>{escape(TITLE)}</title>{''.join(styles)}<style>{style}</style>"
        f'<body><div class="title-page"><h1>{TITLE}</h1><p>{SUBTITLE}</p></div>'
        f'<nav class="chapters"><h2>Contents</h2><ul>{listed}'
        f'<li><a href="#solutions">Solutions</a></li></ul></nav>'
        f'{parts}<section id="solutions"><h1>Solutions</h1></section></body></html>'
    )


def with_small_images(page: str, site: Path, folder: Path) -> str:
    """The page with its figures as JPEG on white: a fifth of the size that PNG has in a PDF."""

    def small(match: re.Match[str]) -> str:
        source = site / "_images" / match[1]
        if not source.exists():
            return match[0]
        target = folder / f"{source.stem}.jpg"
        with Image.open(source) as opened:
            image = opened.convert("RGBA")
            flat = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
            flat.thumbnail((MOST_PIXELS, MOST_PIXELS))
            flat.convert("RGB").save(target, quality=84, subsampling=0)
        return f'src="{target.as_uri()}"'

    return re.sub(r'src="\.\./_images/([^"]+\.png)"', small, page)


def main(folder: str) -> int:
    site = Path(folder)
    target, sources = (
        site / "course.pdf",
        [*site.glob("course/[0-9]*.html"), *HERE.glob("course_pdf*")],
    )
    sources += site.glob("_images/live-course-*.png")
    newest = max(source.stat().st_mtime for source in sources)
    if target.exists() and target.stat().st_mtime > newest:
        return 0
    path = chromium.find()
    if path is None:
        sys.stderr.write(f"the course is not printed: {chromium.HOW}\n")
        return int(chromium.is_required())
    from playwright.sync_api import sync_playwright

    page_file = site / "course" / "print.html"
    images = Path(mkdtemp())
    page_file.write_text(with_small_images(joined(site), site, images), encoding="utf-8")
    foot = (
        '<div style="font: 8pt sans-serif; color: #555; width: 100%; padding: 0 18mm; '
        'display: flex; justify-content: space-between">'
        f'<span>{TITLE}</span><span class="pageNumber"></span></div>'
    )
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(chromium.OPTIONS))
        # As wide as the text of a printed page (A4 without margins, at 96 px to the inch).
        page = browser.new_page(viewport={"width": 658, "height": 1000}, color_scheme="light")
        page.emulate_media(media="print")
        page.goto(page_file.resolve().as_uri())
        problems = page.evaluate((HERE / "course_pdf.js").read_text(encoding="utf-8"))
        page.pdf(
            path=target,
            prefer_css_page_size=True,
            print_background=True,
            display_header_footer=True,
            header_template="<span></span>",
            footer_template=foot,
            outline=True,
            tagged=True,
        )
        browser.close()
    page_file.unlink()
    shutil.rmtree(images)
    sys.stderr.writelines(f"too wide for the PDF: {problem}\n" for problem in problems)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
