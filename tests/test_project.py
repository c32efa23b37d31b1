"""The project keeps its word: public names, light import, documents that agree with the code."""

import ast
import os
import re
import runpy
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from itertools import chain
from pathlib import Path

import pytest
from click.testing import CliRunner

import gaussbayes
from gaussbayes import kernels
from gaussbayes.families import FAMILIES

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.DOTALL | re.MULTILINE)


def run(*command: str, cwd: Path = ROOT) -> str:
    """What a command prints; it must succeed. A make that runs the tests is not passed on."""
    environment = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_public_names() -> None:
    assert gaussbayes.__all__ == [
        "AutoClassifier",
        "OptionError",
        "ClassMoments",
        "DataError",
        "GaussBayesError",
        "Gaussian",
        "GaussianClassifier",
        "DataError",
        "Model",
        "FileError",
        "DataError",
        "OptionError",
        "OptionError",
        "DataError",
        "DataError",
        "SingularCovarianceError",
        "SlidingWindow",
        "Solution",
        "__version__",
        "compare",
        "datasets",
        "decision_boundaries",
        "make_gaussian_dataset",
        "plots",
        "show_config",
        "write_report",
    ]


@pytest.mark.parametrize("name", gaussbayes.__all__)
def test_each_public_name_is_there(name: str) -> None:
    value = getattr(gaussbayes, name)
    assert name in dir(gaussbayes)
    assert name in {"__version__", getattr(value, "__name__", "").removeprefix("gaussbayes.")}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'GaussianRegressor'"):
        _ = gaussbayes.GaussianRegressor


def test_every_error_is_public() -> None:
    defined = {
        name for name, value in vars(gaussbayes.base.errors).items() if isinstance(value, type)
    }
    assert defined <= set(gaussbayes.__all__)


def test_import_is_light() -> None:
    loaded = run(sys.executable, "-c", "import sys, gaussbayes; print(*sys.modules)").split()
    assert "gaussbayes" in loaded
    heavy = {"numpy", "scipy", "sklearn", "narwhals", "pandas", "rich", "click", "matplotlib"}
    assert not heavy & set(loaded)


def test_matplotlib_is_loaded_by_the_first_figure_only() -> None:
    everything = "import sys; from gaussbayes import *; print(*sys.modules)"
    loaded = run(sys.executable, "-c", everything).split()
    assert "gaussbayes.plots" in loaded
    assert not {"matplotlib", "click"} & set(loaded)  # scikit-learn itself loads rich and pandas


def test_statistics_core_needs_neither_scikit_learn_nor_scipy() -> None:
    core = "import sys, gaussbayes; gaussbayes.ClassMoments, gaussbayes.show_config"
    loaded = run(sys.executable, "-c", f"{core}; print(*sys.modules)").split()
    assert "gaussbayes.families.gaussian.statistics" in loaded
    assert not {"scipy", "sklearn", "pandas"} & set(loaded)


def stripped(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().splitlines()]


def test_python_in_the_readme_prints_what_it_shows(tmp_path: Path) -> None:
    (block,) = blocks("python")
    printed = run(sys.executable, "-W", "error", "-c", block, cwd=tmp_path)
    assert stripped(printed) == stripped(blocks("text")[0])


def test_make_commands_in_the_readme_are_targets() -> None:
    commands = blocks("sh")[0].splitlines()
    assert commands == ["make demo", "make test"]
    for command in commands:
        assert run(*command.split(), "-n")


def test_gaussbayes_commands_in_the_readme_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gaussbayes.cli import gaussbayes as command

    (tmp_path / "src").symlink_to(ROOT / "src")
    monkeypatch.chdir(tmp_path)
    printed = []
    for block in blocks("sh")[1:]:
        printed.append("")
        for program, *arguments in map(str.split, block.splitlines()):
            assert program == "gaussbayes"
            # In this process, which has imported what each would take seconds to import.
            result = CliRunner().invoke(command, arguments, catch_exceptions=False)
            assert result.exit_code == 0, result.output
            printed[-1] += result.output
    assert stripped(printed[0]) == stripped(blocks("text")[1])
    assert (tmp_path / "iris.json").exists()
    assert (tmp_path / "iris.html").stat().st_size < 5_000_000


def test_ratios_in_the_readme_are_those_measured() -> None:
    measured = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")
    peers = {"Quadratic": "full, own", "Linear": "full, shared", "GaussianNB": "diagonal"}
    for peer, structure in peers.items():
        (shown,) = re.findall(rf"^\| `{peer}\w*` \|(.*)\|$", README, flags=re.MULTILINE)
        cells = {
            work: re.search(rf"^\| {work}, {structure} \|(.*)\|$", measured, flags=re.MULTILINE)
            for work in ("fit", "predict_proba")
        }
        ratios = {work: re.findall(r"(\S+×) \(", row[1]) for work, row in cells.items() if row}
        expected = [ratios[work][cell] for cell in (0, 4) for work in ("fit", "predict_proba")]
        assert [cell.strip() for cell in shown.split("|")] == expected


def test_figures_in_the_readme_are_those_that_are_drawn(tmp_path: Path) -> None:
    drawn = runpy.run_path(str(ROOT / "docs/readme_figures.py"))
    drawn["draw"](tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {path.name for path in (ROOT / "docs/figures").iterdir()}
    shown = set(re.findall(r"docs/figures/([\w.]+)", README))
    assert shown == names


def test_make_demo_runs_the_demonstration() -> None:
    # `make demo` may install; what it runs after that is run here.
    last = run("make", "-n", "demo").splitlines()[-1].split()
    assert last == [".venv/bin/python", "-m", "gaussbayes.apps.demo"]
    report = run(sys.executable, "-W", "error", *last[1:])
    assert f"gaussbayes {gaussbayes.__version__}" in report
    assert "leave-one-out" in report


@pytest.mark.parametrize("target", ["demo", "test", "lint", "docs", "bench", "build", "clean"])
def test_targets_of_make(target: str) -> None:
    assert run("make", "-n", "-B", target)


def test_continuous_integration_runs_lint_test_and_docs() -> None:
    assert (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()[-1] == "make lint test docs"


def test_continuous_integration_has_native_kernels() -> None:
    assert os.environ.get("CI") != "true" or kernels.native is not None


@pytest.mark.parametrize(
    "document",
    [
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
    ],
)
def test_links_lead_somewhere(document: str) -> None:
    path = ROOT / document
    targets = re.findall(r'\]\(([^)#]+)|src="([^"]+)', path.read_text(encoding="utf-8"))
    missing = [
        t
        for pair in targets
        for t in pair
        if t and "://" not in t and not (path.parent / t).exists()
    ]
    assert not missing


def test_one_version_everywhere() -> None:
    version = PROJECT["project"]["version"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## \[([\d.]+)\] - (\S+)", changes, flags=re.MULTILINE)[0]
    assert gaussbayes.__version__ == version
    assert released[0] == version
    assert re.findall(r"^version: (.*)$", citation, flags=re.MULTILINE) == [version]
    assert re.findall(r'^date-released: "(.*)"$', citation, flags=re.MULTILINE) == [released[1]]


def test_constraints_name_versions_only() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    pattern = re.compile(r'[\w.-]+==[\d.]+(; python_version (<|>=) "3\.\d+")?')
    assert [pin for pin in pins if not pattern.fullmatch(pin)] == []


def test_the_oldest_versions_that_are_tested_are_the_lower_bounds() -> None:
    project = PROJECT["project"]
    bounds: dict[str, list[int]] = {}
    for requirement in chain(project["dependencies"], *project["optional-dependencies"].values()):
        if match := re.fullmatch(r"([\w-]+)(?:\[.*\])?>=([\d.]+)", requirement):
            bound = [int(part) for part in match[2].split(".")]
            bounds[match[1].lower()] = max(bounds.get(match[1].lower(), []), bound)
    lines = (ROOT / "oldest.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.lower().split("==") for line in lines if not line.startswith("#"))
    assert {name.partition(">=")[0] for name in project["dependencies"]} <= set(pins)
    for name in pins.keys() & bounds.keys():
        version = [int(part) for part in pins[name].split(".")]
        assert version[: len(bounds[name])] == bounds[name], name


def test_no_path_of_a_machine_in_the_sources() -> None:
    made = {line.strip("/") for line in (ROOT / ".gitignore").read_text().splitlines()}
    pattern = re.compile(r"/(work|farm|root|home|Users)/[\w.]")
    found = []
    for folder, inner, names in os.walk(ROOT):
        inner[:] = {*inner} - {".git", *made}  # where there are many files, of others
        for path in (Path(folder, name) for name in names if name not in made):
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            found += [f"{path.relative_to(ROOT)}: {each}" for each in lines if pattern.search(each)]
    assert found == []


# Rooms and names: docs/design.md.

PACKAGE = ROOT / "src/gaussbayes"
MODULES = sorted(PACKAGE.rglob("*.py"))
DESIGN = (ROOT / "docs/design.md").read_text(encoding="utf-8")
LAYERS = PROJECT["tool"]["importlinter"]["contracts"][0]["layers"]

PROTOCOL = {"family", "statistics", "density", "left_out", "record", "pushdown"}
"""Modules that each family may have."""

UNCLEAR_NAMES = {
    *("changing", "choosing", "compared", "deciding", "explained", "fitting", "given", "holding"),
    *("judged", "learning", "missing", "passing", "reading", "serving", "shifting", "streamed"),
    *("summarise", "telling", "writing"),
}
"""Bare gerunds and participles: they say that something is done, not what is inside."""


def test_design_lists_the_rooms_in_the_order_of_the_layers() -> None:
    rooms = re.findall(r"^\| `([\w.]+?)(?:/|\.py)` \|", DESIGN, flags=re.MULTILINE)
    layers = [name for layer in LAYERS[::-1] for name in layer.split(" | ")[::-1]]
    assert rooms == [name for name in layers if name not in {"datasets", "__main__"}]
    inside = {path.name.removesuffix(".py") for path in PACKAGE.iterdir() if path.suffix == ".py"}
    inside |= {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert inside - {"__init__"} == set(layers)
    for name in ("datasets/", "__init__.py"):
        assert f"`{name}`" in DESIGN


def test_no_name_of_a_module_occurs_twice() -> None:
    families = [path for path in MODULES if path.parent.parent.name == "families"]
    names = Counter(
        path.stem
        for path in MODULES
        if path.stem != "__init__" and not (path in families and path.stem in PROTOCOL)
    )
    assert [name for name, count in names.items() if count > 1] == []


BENCHMARKS = sorted((ROOT / "benchmarks").glob("*.py"))


@pytest.mark.parametrize("path", BENCHMARKS, ids=lambda path: path.name)
def test_benchmarks_import_what_there_is(path: Path) -> None:
    """They are not run here, and would otherwise break unseen when modules move."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] == "gaussbayes":
            module = import_module(str(node.module))
            for alias in node.names:
                if not hasattr(module, alias.name):
                    import_module(f"{node.module}.{alias.name}")


def test_modules_are_called_by_what_is_in_them() -> None:
    assert [path.name for path in MODULES if path.stem in UNCLEAR_NAMES] == []


def branches(tree: ast.AST) -> Iterator[ast.expr]:
    """What is asked by every ``if``, ``while`` and conditional expression."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            yield node.test


def attributes(test: ast.expr) -> set[str]:
    """The attributes that a question is about; not those in which it looks for something."""
    looked_in = {
        id(part)
        for node in ast.walk(test)
        if isinstance(node, ast.Compare)
        for operator, place in zip(node.ops, node.comparators, strict=True)
        if isinstance(operator, ast.In | ast.NotIn)
        for part in ast.walk(place)
    }
    return {
        node.attr
        for node in ast.walk(test)
        if isinstance(node, ast.Attribute) and id(node) not in looked_in
    }


def test_hardly_anything_asks_whether_there_are_categories_or_missing_values() -> None:
    """Families and the encoder know that; whoever asks beside them forgets a case one day."""
    kinds = {"categorical", "categories", "is_complete", "incomplete", "n_incomplete"}
    knowing = {"families", "data", "base"}
    asked = [
        f"{path.relative_to(PACKAGE)}:{test.lineno}: {ast.unparse(test)}"
        for path in MODULES
        if path.relative_to(PACKAGE).parts[0] not in knowing
        for test in branches(ast.parse(path.read_text(encoding="utf-8")))
        if attributes(test) & kinds
    ]
    assert len(asked) <= 8, asked


def is_of_a_family(path: Path) -> bool:
    """Whether a module is a family, or in the package of one."""
    in_package = path.parent.parent.name == "families"
    return in_package or (path.parent.name == "families" and path.stem in FAMILIES)


def test_nothing_asks_for_the_type_of_what_a_family_has() -> None:
    """A capability is asked for by its protocol: families may come that nobody knows yet."""
    found = []
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in MODULES}
    of_families = {
        node.name
        for path, tree in trees.items()
        if is_of_a_family(path)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    for path, tree in trees.items():
        if is_of_a_family(path):
            continue
        imported = {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and "gaussbayes.families" in str(node.module)
            for alias in node.names
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
                types = {part.id for part in ast.walk(node.args[1]) if isinstance(part, ast.Name)}
                if types & imported & of_families:
                    found.append(f"{path.relative_to(PACKAGE)}:{node.lineno}")
    assert found == []


def test_python_on_the_page_of_the_automatic_model_runs(tmp_path: Path) -> None:
    page = (ROOT / "docs/automatic.md").read_text(encoding="utf-8")
    cell = r"^```{code-cell}\n(?:---\n.*?^---\n)?(.*?)^```"
    code = "\n".join(re.findall(cell, page, flags=re.DOTALL | re.MULTILINE))
    printed = run(sys.executable, "-W", "error", "-c", code, cwd=tmp_path)
    assert printed.count("predictive, ") > 10
    assert "Calibration(temperature=" in printed
