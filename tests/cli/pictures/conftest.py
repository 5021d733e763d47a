"""Chromium for the tests of pages. Where it is not installed they are skipped."""

from __future__ import annotations

import shutil

import pytest

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
#: It asks for nothing by itself, and draws the same letters whatever the machine's screen is.
FLAGS = (
    *("headless=new", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-dev-shm-usage"),
    *("disable-background-networking", "disable-component-update", "disable-sync", "window-size=1200,1400"),
    *("force-color-profile=srgb", "font-render-hinting=none", "disable-lcd-text", "hide-scrollbars"),
)


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    """One Chromium for all tests of a process."""
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("Chromium is not installed (apt-get install chromium chromium-driver)")
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for argument in (*FLAGS, f"user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(f"--{argument}")
    made = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield made
    made.quit()


@pytest.fixture
def browser(chromium):
    """An empty window of 1200 by 1400 px on white paper, whose log is empty."""
    yield chromium
    chromium.get("about:blank")
    chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    chromium.get_log("browser")
