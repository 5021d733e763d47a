"""The examples that ``autodiff help CODE`` shows: a whole script as an example makes exactly that mistake."""

from __future__ import annotations

import pytest
from autodiff.cli.codes import CODES
from script_runner import run_script

WHOLE_SCRIPTS = [
    code
    for code in CODES
    if "E0101" <= code < "E0200" or code in ("E0201", "E0202", "E0203", "E0205", "E0206", "E0207", "E0208")
]


@pytest.mark.parametrize("code", WHOLE_SCRIPTS)
def test_the_example_makes_the_mistake(code: str) -> None:
    error = run_script(CODES[code][2]).error
    assert error is not None
    assert error.code == code
