"""Run scikit-learn's own tests of three classes with ours in their place; prints outcomes as JSON.

A test counts if one of the three is made in it, or if it fails. Run by
`test_drop_in_suites.py` in a process of its own: modules of scikit-learn are changed.
"""

import json
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import pytest
import sklearn
from sklearn import discriminant_analysis, naive_bayes

import gaussbayes.sklearn

TESTS = Path(sklearn.__file__).parent / "tests"
SUITES = [TESTS / "test_discriminant_analysis.py", TESTS / "test_naive_bayes.py"]


class Outcomes:
    """How each test ended, and which of them made one of the three."""

    def __init__(self) -> None:
        self.running = ""
        self.concerned: set[str] = set()
        self.outcome: dict[str, str] = {}

    def noted(self, init: Callable[..., None]) -> Callable[..., None]:
        """A constructor that tells."""

        @wraps(init)
        def noting(*arguments: Any, **settings: Any) -> None:
            self.concerned.add(self.running)
            init(*arguments, **settings)

        return noting

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self.running = item.nodeid

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            self.outcome[report.nodeid] = report.outcome

    def of_ours(self) -> dict[str, str]:
        """The tests that count, by name."""
        return {
            test.split("::", 1)[1]: outcome
            for test, outcome in self.outcome.items()
            if test in self.concerned or outcome == "failed"
        }


def main() -> None:
    outcomes = Outcomes()
    for module in (discriminant_analysis, naive_bayes):
        for name in gaussbayes.sklearn.__all__:
            if hasattr(module, name):
                drop_in = getattr(gaussbayes.sklearn, name)
                drop_in.__init__ = outcomes.noted(drop_in.__init__)
                setattr(module, name, drop_in)
    options = ["-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", str(TESTS.parent)]
    # The drop-ins take and return NumPy's arrays only.
    options += ["-k", "not array_api"]
    pytest.main([*options, *map(str, SUITES)], plugins=[outcomes])
    sys.stdout.write(f"\n{json.dumps(outcomes.of_ours())}\n")


if __name__ == "__main__":
    main()
