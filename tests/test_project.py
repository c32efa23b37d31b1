"""The project keeps its word: its surface, a light import, documents that agree with the code."""

import ast
import inspect
import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from importlib import import_module
from itertools import chain
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from sklearn.base import BaseEstimator

import gaussbayes
from gaussbayes import AutoClassifier, GaussianClassifier, kernels, plots
from gaussbayes import sklearn as drop_ins
from gaussbayes.cli import gaussbayes as command
from gaussbayes.families import FAMILIES
from tests import release_urls

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

ARGUMENTS = """covariance shared shrinkage shrinkage_target transforms families priors smoothing
    divisor calibrate columns n_jobs"""
METHODS = """fit partial_fit predict predict_proba predict_log_proba decision_function score
    score_samples scores log_odds negative_log_likelihood boundary explain importance decide
    predict_set evaluate leave_one_out with_priors estimate_priors marginal remove_class merge
    forget sample save load export report lab"""
ATTRIBUTES = """classes_ priors_ means_ covariances_ correlations_ category_probabilities_ columns_
    n_features_in_ feature_names_in_ n_parameters_ coef_ intercept_ selection_ notices_ model_"""
COMMANDS = "fit predict evaluate explain report plot show update export drift lab"
PLOTS = """dataset regions predictions ellipses densities posterior joint evidence scatter_matrix
    confusion calibration roc explanation importance qq comparison"""
NAMES = """AutoClassifier Columns DataError DroppedColumnsWarning FileError GaussBayesError Gaussian
    GaussianClassifier OptionError SingularCovarianceError __version__ compare datasets drift load
    make_gaussian_dataset plots read"""


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.DOTALL | re.MULTILINE)


def run(*arguments: str, cwd: Path = ROOT) -> str:
    """What a command prints; it must succeed. A make that runs the tests is not passed on."""
    environment = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    done = subprocess.run(
        arguments, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# The surface.


def test_public_names() -> None:
    assert sorted(gaussbayes.__all__) == sorted(NAMES.split())
    assert sorted(drop_ins.__all__) == [
        "GaussianNB",
        "LinearDiscriminantAnalysis",
        "QuadraticDiscriminantAnalysis",
    ]
    assert sorted(plots.__all__) == sorted(PLOTS.split())
    for name in gaussbayes.__all__:
        value = getattr(gaussbayes, name)
        assert name in dir(gaussbayes)
        assert name in {"__version__", getattr(value, "__name__", "").removeprefix("gaussbayes.")}
    with pytest.raises(AttributeError, match="no attribute 'GaussianRegressor'"):
        _ = gaussbayes.GaussianRegressor
    defined = {
        name for name, value in vars(gaussbayes.base.errors).items() if isinstance(value, type)
    }
    assert defined <= set(gaussbayes.__all__)


@pytest.mark.parametrize(
    ("estimator", "arguments", "own"),
    [
        (GaussianClassifier, ARGUMENTS.split(), {"from_parameters"}),
        (AutoClassifier, ["families", "priors", "columns", "n_jobs"], set()),
    ],
)
def test_members_of_the_estimators(estimator: type, arguments: list[str], own: set[str]) -> None:
    assert list(inspect.signature(estimator).parameters) == arguments
    members = {name for name in dir(estimator) if not name.startswith("_")}
    members -= {name for name in dir(BaseEstimator) if name != "set_params"} | {"set_params"}
    members = {name for name in members if not name.startswith("set_")}  # metadata routing
    attributes = {name for name in members if name.endswith("_")}
    assert members - attributes == set(METHODS.split()) | own
    assert attributes <= set(ATTRIBUTES.split())


def test_commands_and_extras() -> None:
    context = click.Context(command)
    assert sorted(command.list_commands(context)) == sorted(COMMANDS.split())
    listed = [command.get_command(context, name) for name in command.list_commands(context)]
    options = [p for each in listed if each for p in each.params if isinstance(p, click.Option)]
    assert len(options) <= 120
    extras = PROJECT["project"]["optional-dependencies"]
    assert list(extras) == ["plot", "files", "cli", "dask", "spark", "export"]


def test_import_is_light() -> None:
    loaded = run(sys.executable, "-c", "import sys, gaussbayes; print(*sys.modules)").split()
    assert "gaussbayes" in loaded
    heavy = {"numpy", "scipy", "sklearn", "narwhals", "pandas", "rich", "click", "matplotlib"}
    assert not heavy & set(loaded)
    everything = "import sys; from gaussbayes import *; print(*sys.modules)"
    loaded = run(sys.executable, "-c", everything).split()
    assert "gaussbayes.plots" in loaded
    assert not {"matplotlib", "click"} & set(loaded)  # scikit-learn itself loads rich and pandas


# README.


def stripped(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().splitlines()]


def assert_shown(printed: str, shown: str) -> None:
    """A block of the README is what is printed; ``…`` stands for lines that it leaves out."""
    start, _, end = shown.partition("…\n")
    lines, first, last = stripped(printed), stripped(start), stripped(end)
    assert lines[: len(first)] == first
    assert lines[len(lines) - len(last) :] == last
    assert "…\n" in shown or len(lines) == len(first)


def test_python_in_the_readme_prints_what_it_shows(tmp_path: Path) -> None:
    (tmp_path / "src").symlink_to(ROOT / "src")
    first, second = blocks("python")
    code = f"{first}\nprint('-- next --')\n{second}"
    printed = run(sys.executable, "-W", "error", "-c", code, cwd=tmp_path)
    for part, shown in zip(printed.split("-- next --\n"), blocks("text"), strict=False):
        assert_shown(part, shown)
    assert {path.name for path in tmp_path.iterdir()} == {
        *("src", "iris.json", "iris.html", "lab.html", "iris.sql"),
    }


def test_commands_in_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "src").symlink_to(ROOT / "src")
    monkeypatch.chdir(tmp_path)
    make, *shell = blocks("sh")
    assert make.splitlines() == ["make demo", "make test"]
    printed = []
    for block in shell:
        printed.append("")
        for program, *arguments in map(str.split, block.splitlines()):
            assert program == "gaussbayes"
            # In this process, which has imported what each would take seconds to import.
            result = CliRunner().invoke(command, arguments, catch_exceptions=False)
            assert result.exit_code == 0, result.output
            printed[-1] += result.output
    assert_shown(printed[0], blocks("text")[2])
    assert (tmp_path / "iris.html").stat().st_size < 5_000_000
    # Python and the shell show the same model.
    iris = "src/gaussbayes/datasets/iris.csv"
    AutoClassifier().fit(iris, "species").save("python.json")
    assert (tmp_path / "python.json").read_bytes() == (tmp_path / "iris.json").read_bytes()
    demo = [line.split() for line in run("make", "-n", "-B", "demo").splitlines()]
    shown = [line.split()[1:2] for line in shell[0].splitlines()]
    assert [words[3:4] for words in demo if words[1:3] == ["-m", "gaussbayes"]] == shown


def test_figures_in_the_readme(tmp_path: Path) -> None:
    assert len(README.splitlines()) <= 120
    runpy.run_path(str(ROOT / "docs/readme_figures.py"))["draw"](tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {path.name for path in (ROOT / "docs/figures").iterdir()}
    assert set(re.findall(r"docs/figures/([\w.]+)", README)) == names


def test_numbers_in_the_readme_are_those_measured() -> None:
    measured = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")
    for row, work in (("time to fit", "fit"), ("time of their", "predict_proba")):
        (shown,) = re.findall(rf"^\| {row}.*\| 1 \|(.*)$", README, flags=re.MULTILINE)
        expected = [
            re.findall(rf"^\| {work}, {structure} \|\s*(\S+)×", measured, flags=re.MULTILINE)[0]
            for structure in ("full, own", "full, shared", "diagonal")
        ]
        assert re.findall(r"\d+\.\d", shown) == expected
    quality = (ROOT / "docs/benchmarks-quality.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^\| log loss, 76 tables(.*)$", README, flags=re.MULTILINE)
    models = ("`AutoClassifier..`", "QDA", "LDA", "GaussianNB", "gradient boosting")
    numbers = [re.search(rf"^\| {model} \| (\S+)", quality, re.MULTILINE) for model in models]
    assert re.findall(r"\d+\.\d+", shown) == [number and number[1] for number in numbers]


# The project's files.


@pytest.mark.parametrize("target", ["demo", "test", "lint", "docs", "bench", "build", "clean"])
def test_targets_of_make(target: str) -> None:
    assert run("make", "-n", "-B", target)


def test_scripts_name_tests_that_there_are() -> None:
    for script in (ROOT / "tests").glob("*.sh"):
        named = re.findall(r"tests/[\w/]+(?:\.\w+)?", script.read_text(encoding="utf-8"))
        assert [path for path in named if not (ROOT / path).exists()] == [], script.name


def test_continuous_integration() -> None:
    assert (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()[-1] == "make lint test docs"
    assert os.environ.get("CI") != "true" or kernels.native is not None


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_lead_somewhere(document: str) -> None:
    targets = re.findall(r"\]\(([^)#]+)", (ROOT / document).read_text(encoding="utf-8"))
    assert [t for t in targets if "://" not in t and not (ROOT / t).exists()] == []


def test_one_version_everywhere() -> None:
    version = PROJECT["project"]["version"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## \[([\w.]+)\] - (\S+)", changes, flags=re.MULTILINE)[0]
    assert gaussbayes.__version__ == version
    assert released[0] == version
    assert re.findall(r"^version: (.*)$", citation, flags=re.MULTILINE) == [version]
    assert re.findall(r'^date-released: "(.*)"$', citation, flags=re.MULTILINE) == [released[1]]


def test_addresses_are_written_for_a_release(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "README.md", "CITATION.cff"):
        shutil.copy(ROOT / name, tmp_path)
    repository = "https://example.org/somebody/gaussbayes"
    release_urls.write(tmp_path, "https://example.org/before/gaussbayes")
    shutil.copy(ROOT / "README.md", tmp_path)
    release_urls.write(tmp_path, repository)
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project == PROJECT["project"] | {"urls": release_urls.urls(repository)}
    citation = (tmp_path / "CITATION.cff").read_text(encoding="utf-8")
    assert citation.endswith(f'repository-code: "{repository}"\n')
    links = re.findall(r"\]\(([^)]+)\)", (tmp_path / "README.md").read_text(encoding="utf-8"))
    assert all(link.startswith("https://") for link in links)
    version = PROJECT["project"]["version"]
    assert f"{repository}/raw/v{version}/docs/figures/regions.png" in links
    with pytest.raises(SystemExit, match="must be the address of a repository"):
        release_urls.write(tmp_path, "somebody/gaussbayes")


def test_constraints_name_versions_only() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    pattern = re.compile(r'[\w.-]+==[\d.]+(; python_version (<|>=) "3\.\d+")?')
    assert [pin for pin in pins if not pattern.fullmatch(pin)] == []


def test_the_oldest_versions_that_are_tested_are_the_lower_bounds() -> None:
    project = PROJECT["project"]
    groups = (project["optional-dependencies"], PROJECT["dependency-groups"])
    listed = chain(project["dependencies"], *(chain(*group.values()) for group in groups))
    bounds: dict[str, list[int]] = {}
    for requirement in listed:
        if match := re.fullmatch(r"([\w-]+)(?:\[.*\])?>=([\d.]+)", str(requirement)):
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
            found += [f"{path.relative_to(ROOT)}: {line}" for line in lines if pattern.search(line)]
    assert found == []


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


# Rooms and names: docs/design.md.

PACKAGE = ROOT / "src/gaussbayes"
MODULES = sorted(PACKAGE.rglob("*.py"))
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in MODULES}
DESIGN = (ROOT / "docs/design.md").read_text(encoding="utf-8")
LAYERS = PROJECT["tool"]["importlinter"]["contracts"][0]["layers"]

PROTOCOL = {"family", "statistics", "density", "left_out", "record"}
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


def test_the_command_line_imports_only_names_of_the_reference() -> None:
    pages = "\n".join(page.read_text("utf-8") for page in (ROOT / "docs/reference").glob("*.md"))
    module, public = "gaussbayes", {f"gaussbayes.{name}" for name in gaussbayes.__all__}
    for directive, name in re.findall(
        r"^\.\. (currentmodule|auto\w+):: (\S+)", pages, re.MULTILINE
    ):
        if directive == "currentmodule":
            module = name
        else:
            public |= {name, f"{module}.{name}"}
    imported = {
        f"{node.module}.{alias.name}"
        for path in (PACKAGE / "cli").glob("*.py")
        for node in ast.walk(TREES[path])
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if re.match(r"gaussbayes(?!\.cli)", str(node.module))
    }
    assert imported <= public


def test_names_of_modules() -> None:
    families = [path for path in MODULES if path.parent.parent.name == "families"]
    names = Counter(
        path.stem
        for path in MODULES
        if path.stem != "__init__" and not (path in families and path.stem in PROTOCOL)
    )
    assert [name for name, count in names.items() if count > 1] == []
    assert names.keys() & UNCLEAR_NAMES == set()


def is_of_a_family(path: Path) -> bool:
    """Whether a module is a family, or in the package of one."""
    in_package = path.parent.parent.name == "families"
    return in_package or (path.parent.name == "families" and path.stem in FAMILIES)


def test_nothing_asks_for_the_type_of_what_a_family_has() -> None:
    """A capability is asked for by its protocol: families may come that nobody knows yet."""
    found = []
    of_families = {
        node.name
        for path, tree in TREES.items()
        if is_of_a_family(path)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    for path, tree in TREES.items():
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
