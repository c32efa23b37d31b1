"""The part of docs/benchmarks.md about the automatic choice: written apart, kept by the rest."""

START = "<!-- the automatic choice, written by benchmarks/selection.py -->"
END = "<!-- end of the automatic choice -->"


def section_of(page: str) -> str:
    """What the page says of the automatic choice, with the marks around it; or nothing.

    Examples
    --------
    >>> section_of(f"before {START} table {END} after") == f"{START} table {END}"
    True
    """
    if START not in page:
        return ""
    return START + page.split(START)[1].split(END, maxsplit=1)[0] + END


def with_section(page: str, text: str) -> str:
    """The page with another text about the automatic choice, at its end if it had none.

    Examples
    --------
    >>> with_section(with_section("page", "old"), "new") == with_section("page", "new")
    True
    """
    section = f"{START}\n\n{text.strip()}\n\n{END}"
    before = section_of(page)
    return page.replace(before, section) if before else f"{page.rstrip()}\n\n{section}\n"
