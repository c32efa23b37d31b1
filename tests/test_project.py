"""The project keeps its word: public names, light import, documents that agree with the code."""

import os
import re
import runpy
import subprocess
import sys
import tomllib
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner

import gaussbayes
from gaussbayes import kernels

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
        "ClassMoments",
        "DataError",
        "GaussBayesError",
        "GaussianClassifier",
        "MissingLabelError",
        "ModelFileError",
        "NonFiniteError",
        "ParameterError",
        "Parameters",
        "PriorError",
        "RemovalError",
        "SchemaError",
        "SingularCovarianceError",
        "__version__",
        "compare",
        "datasets",
        "lessons",
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


def test_matplotlib_is_loaded_by_the_first_picture_only() -> None:
    everything = "import sys; from gaussbayes import *; print(*sys.modules)"
    loaded = run(sys.executable, "-c", everything).split()
    assert "gaussbayes.plots.regions" in loaded
    assert not {"matplotlib", "click"} & set(loaded)  # scikit-learn itself loads rich and pandas


def test_statistics_core_needs_neither_scikit_learn_nor_scipy() -> None:
    core = "import sys, gaussbayes; gaussbayes.ClassMoments, gaussbayes.show_config"
    loaded = run(sys.executable, "-c", f"{core}; print(*sys.modules)").split()
    assert "gaussbayes.families.gaussian.moments" in loaded
    assert not {"scipy", "sklearn", "pandas"} & set(loaded)


def test_python_in_the_readme_runs(tmp_path: Path) -> None:
    (block,) = blocks("python")
    printed = run(sys.executable, "-W", "error", "-c", block, cwd=tmp_path)
    assert "setosa" in printed
    assert "15 nearest neighbours" in printed
    assert (tmp_path / "iris.html").stat().st_size < 5_000_000


def test_make_commands_in_the_readme_are_targets() -> None:
    commands = blocks("sh")[0].splitlines()
    assert commands == ["make demo", "make test"]
    for command in commands:
        assert run(*command.split(), "-n")


def test_gaussbayes_commands_in_the_readme_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gaussbayes.apps.cli.group import gaussbayes as command

    commands = [line.split() for block in blocks("sh")[1:] for line in block.splitlines()]
    (tmp_path / "src").symlink_to(ROOT / "src")
    monkeypatch.chdir(tmp_path)
    for program, *arguments in commands:
        assert program == "gaussbayes"
        if arguments[0] == "lab":
            assert_serves(*arguments, cwd=tmp_path)
        else:  # in this process, which has imported what each of them would take seconds to import
            result = CliRunner().invoke(command, arguments, catch_exceptions=False)
            assert result.exit_code == 0, result.output
    assert (tmp_path / "iris.json").exists()
    assert len((tmp_path / "predictions.csv").read_text().splitlines()) == 151
    assert len(list((tmp_path / "pictures").glob("*.png"))) == 7
    assert (tmp_path / "iris.html").stat().st_size < 5_000_000


def assert_serves(*arguments: str, cwd: Path) -> None:
    """The command of the lab runs until it is stopped: its page must be there meanwhile."""
    command = [sys.executable, "-W", "error", "-m", "gaussbayes", *arguments, "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=cwd) as server:
        try:
            assert server.stdout is not None
            with urllib.request.urlopen(server.stdout.readline().strip()) as page:
                assert b"<title>" in page.read()
        finally:
            server.terminate()


def test_pictures_in_the_readme_are_those_that_are_drawn(tmp_path: Path) -> None:
    drawn = runpy.run_path(str(ROOT / "docs/readme_pictures.py"))
    drawn["draw"](tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {path.name for path in (ROOT / "docs/pictures").iterdir()}
    shown = set(re.findall(r"docs/pictures/([\w.]+)", README))
    assert shown == names


def test_make_demo_runs_the_demonstration() -> None:
    # `make demo` may install; what it runs after that is run here.
    last = run("make", "-n", "demo").splitlines()[-1].split()
    assert last == [".venv/bin/python", "-m", "gaussbayes.apps.demo"]
    report = run(sys.executable, "-W", "error", *last[1:])
    assert f"gaussbayes {gaussbayes.__version__}" in report
    assert "leave-one-out" in report


@pytest.mark.parametrize("target", ["demo", "test", "lint", "bench", "build", "clean"])
def test_targets_of_make(target: str) -> None:
    assert run("make", "-n", "-B", target)


def test_continuous_integration_runs_lint_and_test() -> None:
    assert (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()[-1] == "make lint test"


def test_continuous_integration_has_native_kernels() -> None:
    assert os.environ.get("CI") != "true" or kernels.native is not None


@pytest.mark.parametrize(
    "document",
    [
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "docs/course.md",
        "docs/design.md",
        "docs/reliability.md",
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


def test_no_path_of_a_machine_in_the_sources() -> None:
    made = {line.strip("/") for line in (ROOT / ".gitignore").read_text().splitlines()}
    pattern = re.compile(r"/(work|farm|root|home|Users)/[\w.]")
    found = [
        f"{path.relative_to(ROOT)}: {line}"
        for path in ROOT.rglob("*")
        if path.is_file() and not {".git", *made} & set(path.relative_to(ROOT).parts)
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
        if pattern.search(line)
    ]
    assert found == []


def test_design_names_every_module() -> None:
    design = (ROOT / "docs/design.md").read_text(encoding="utf-8")
    package = ROOT / "src/gaussbayes"
    modules = [path.name for path in package.glob("*.py")]
    packages = [f"{path.parent.name}/" for path in package.glob("*/__init__.py")]
    assert [name for name in modules + packages if f"`{name}`" not in design] == []
