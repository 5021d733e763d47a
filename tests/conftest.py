"""Fixtures for every test: sibling helpers can be imported, and no test may leak the engine's state."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

TESTS = Path(__file__).parent
REPOSITORY = TESTS.parent
sys.path[:0] = [str(TESTS), str(TESTS / "tools")]

# Every run tries the same examples; HYPOTHESIS_PROFILE=nightly searches among others.
settings.register_profile("fixed", derandomize=True, database=None, deadline=None)
settings.register_profile("nightly", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write golden files instead of comparing")
    parser.addoption("--programs", type=int, default=60, help="how many random scripts `check` is tried on")


@pytest.fixture
def programs(request: pytest.FixtureRequest) -> int:
    """How many random scripts of each kind ``check`` is tried on."""
    return int(request.config.getoption("--programs"))


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written from what the program says now."""
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture(autouse=True)
def sealed_state():
    """Grad mode, the running site, the recorder and the default dtype are as they were after each test."""
    from autodiff.core.graph import dtypes
    from autodiff.core.graph.state import mode

    yield
    leaked = {
        "grad mode": not mode.enabled,
        "site": mode.site is not None,
        "recorder": mode.recorder is not None,
        "default dtype": dtypes.default_dtype() is not dtypes.float64,
    }
    mode.enabled, mode.site, mode.recorder = True, None, None
    dtypes.set_default_dtype(dtypes.float64)
    assert not any(leaked.values()), f"this test leaked {[name for name, is_so in leaked.items() if is_so]}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests marked ``oracle`` need PyTorch; without it they are skipped, with it they run."""
    try:
        import torch  # noqa: F401 - only whether it can be imported
    except ImportError:
        for item in items:
            if item.get_closest_marker("oracle"):
                item.add_marker(pytest.mark.skip(reason="PyTorch is not installed (pip install '.[oracle]')"))
