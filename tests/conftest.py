"""Fixtures for every test: sibling helpers can be imported, and no test may leak the engine's state."""

from __future__ import annotations

import gc
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

TESTS = Path(__file__).parent
REPOSITORY = TESTS.parent
#: Seconds after which a process counts as hanging: far more than any takes, on a loaded machine too.
HANGS = 600
sys.path[:0] = [str(TESTS), str(TESTS / "tools")]

import seeds  # noqa: E402 - from tests/tools

# Collecting the tests makes a million objects that stay. A search for garbage among them finds nothing.
gc.disable()

# Nothing here depends on time: no deadline for an example, and none for making ten of them (`too_slow`).
# The examples come from the seed below, also where the variable `CI` makes hypothesis choose its own.
settings.register_profile(
    "autodiff",
    database=None,
    deadline=None,
    derandomize=False,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("autodiff")
# Hypothesis takes some of its numbers and texts from the source of modules that happen to be loaded, which
# depends on the tests that ran before in this process.
providers._get_local_constants = providers.Constants


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write golden files instead of comparing")


def pytest_configure(config: pytest.Config) -> None:
    """Hypothesis starts from the same seed as the other generators."""
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = str(seeds.SEED)


def pytest_collection_finish() -> None:
    """Searches for garbage leave out what has been collected: with it they take a quarter of all time.

    They are rare, as the program has none at all: trees and graphs are large and leave no cycles.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written from what the program says now."""
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture(autouse=True)
def sealed_state():
    """The engine's state is as it was after each test."""
    yield
    check_state()


def check_state() -> None:
    """Grad mode, the running site, the recorder and the default dtype are as they were, or are put back."""
    from autodiff.core.base.incoming import incoming
    from autodiff.core.graph import dtypes
    from autodiff.core.graph.state import mode

    leaked = {
        "grad mode": not mode.enabled,
        "site": mode.site is not None,
        "recorder": mode.recorder is not None,
        "default dtype": dtypes.default_dtype() is not dtypes.float64,
    }
    mode.enabled, mode.site, mode.recorder = True, None, None
    incoming.choose("")
    dtypes.set_default_dtype(dtypes.float64)
    assert not any(leaked.values()), f"this test leaked {[name for name, is_so in leaked.items() if is_so]}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests marked ``oracle`` need PyTorch; without it they are left out, with it they run."""
    if not has_torch():
        # Thousands: a report that each is skipped would take as long as many a test.
        items[:] = [item for item in items if not item.get_closest_marker("oracle")]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not has_torch():
        terminalreporter.write_line(
            "PyTorch is not installed: tests that compare with it are left out (pip install '.[oracle]')"
        )


def has_torch() -> bool:
    return find_spec("torch") is not None
