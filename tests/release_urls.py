"""Write the addresses of the project into a checkout to be released, or check distributions.

    python tests/release_urls.py write https://github.com/OWNER/gaussbayes
    python tests/release_urls.py check dist/*

The sources name no owner. The release workflow knows the repository in which it runs, and passes
its address: the one place where it is set.
"""

import re
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Sequence
from email import message_from_string
from pathlib import Path

ROOT = Path(__file__).parent.parent
TABLE = re.compile(r"(?<=^\[project\.urls\]\n)(?:^\w.*\n)*", flags=re.MULTILINE)
LINK = re.compile(r"(?P<image>!?)(?P<text>\[[^]]*\])\((?![#a-z]+:|#)(?P<path>[^)]+)\)")


def urls(repository: str) -> dict[str, str]:
    """Addresses in the metadata, given that of the repository."""
    return {
        "Source": repository,
        "Issues": f"{repository}/issues",
        "Changelog": f"{repository}/blob/main/CHANGELOG.md",
    }


def with_urls(project: str, repository: str) -> str:
    """The text of pyproject.toml with the addresses of a repository."""
    lines = "".join(f'{name} = "{url}"\n' for name, url in urls(repository).items())
    written, count = TABLE.subn(lines, project)
    if count != 1:
        message = f"pyproject.toml has {count} tables [project.urls]; it must have one"
        raise SystemExit(message)
    return written


def with_absolute_links(readme: str, repository: str, version: str) -> str:
    """The text of README.md with links that also work where the package is listed."""

    def absolute(link: re.Match[str]) -> str:
        kind = "raw" if link["image"] else "blob"
        return f"{link['image']}{link['text']}({repository}/{kind}/v{version}/{link['path']})"

    return LINK.sub(absolute, readme)


def write(root: Path, repository: str) -> None:
    """Write the address of the repository into pyproject.toml, README.md and CITATION.cff."""
    if not re.fullmatch(r"https://[\w.-]+(/[\w.-]+)+", repository):
        message = f"{repository!r} must be the address of a repository, https://HOST/OWNER/NAME"
        raise SystemExit(message)
    project, readme, citation = (
        root / name for name in ("pyproject.toml", "README.md", "CITATION.cff")
    )
    text = project.read_text(encoding="utf-8")
    version = tomllib.loads(text)["project"]["version"]
    project.write_text(with_urls(text, repository), encoding="utf-8")
    text = readme.read_text(encoding="utf-8")
    readme.write_text(with_absolute_links(text, repository, version), encoding="utf-8")
    lines = [
        line
        for line in citation.read_text(encoding="utf-8").splitlines()
        if not line.startswith("repository-code:")
    ]
    citation.write_text(
        "\n".join([*lines, f'repository-code: "{repository}"', ""]), encoding="utf-8"
    )


def metadata(distribution: Path) -> str:
    """The core metadata of a wheel or a source distribution."""
    if distribution.suffix == ".whl":
        with zipfile.ZipFile(distribution) as wheel:
            name = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
            return wheel.read(name).decode()
    with tarfile.open(distribution) as archive:
        name = f"{distribution.name.removesuffix('.tar.gz')}/PKG-INFO"
        file = archive.extractfile(name)
        assert file is not None
        return file.read().decode()


def check(distributions: Sequence[Path]) -> int:
    """Print distributions whose version or addresses differ from pyproject.toml, and count them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    expected = (
        project["version"],
        sorted(f"{name}, {url}" for name, url in project["urls"].items()),
    )
    different = 0
    for distribution in distributions:
        headers = message_from_string(metadata(distribution))
        found = (headers["Version"], sorted(headers.get_all("Project-URL", [])))
        if found != expected:
            sys.stdout.write(f"{distribution.name}: {found}, but pyproject.toml has {expected}\n")
            different += 1
    addresses = ", ".join(expected[1]) or "none; the release workflow writes them"
    sys.stdout.write(
        f"{len(distributions)} distributions of version {expected[0]}; addresses: {addresses}\n"
    )
    return different


if __name__ == "__main__":
    if sys.argv[1:2] == ["write"] and len(sys.argv) == 3:
        write(ROOT, sys.argv[2])
    elif sys.argv[1:2] == ["check"] and len(sys.argv) > 2:
        sys.exit(bool(check([Path(name) for name in sys.argv[2:]])))
    else:
        sys.exit(__doc__)
