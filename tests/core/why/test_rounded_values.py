"""Operands that are 0 but for rounding, where the slope has no bound: found, and no others are."""

from __future__ import annotations

import pytest
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.core.report.kink import ROUNDING
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.run import Settings, differentiate

ANGLE = (
    "th = torch.tensor([0., math.pi], requires_grad=True)\nim = (torch.sin(th)*0.5).sum()\n"
    "re = (torch.cos(th)*0.5).sum()\nL = torch.atan2(im, re)"
)
ROUNDED = {
    ANGLE: "atan2",
    "x = 0.1; L = 1/(x + 0.2 - 0.3)": "div",
    "x = 0.1; L = sqrt(1 - cos(x)**2 - sin(x)**2)": "sqrt",
    "x = 0.1; y = 3.0; L = log((x*y - 0.3)**2 + 1e-40)": "log",
    "x = 0.1; L = log(3*x - 0.3)": "log",
    "x = 0.1; L = rsqrt(abs(3*x - 0.3))": "rsqrt",
    "x = 0.1; y = 0.2; L = hypot(x + y - 0.3, 3*x - 0.3)": "hypot",
}
MEANT = [
    "x = 1e-18; L = log(x*2)",
    "x = 1e-18; y = 2e-18; L = atan2(x*2, y*3)",
    "x = 1e-200; L = 1/(x + x)",
    "x = 0.1; L = log(3*x - 0.29999)",
    "x = 0.0; L = sqrt(x*2)",
    "x = 1e-9; L = sqrt(1 + x - 1)",
    "x = 3.0; L = 1/x",
    "x = 1e-18; L = abs(2*x)",
    "x = 0.1; L = relu(3*x - 0.29999)",
]


def roundings(script: str) -> list[str]:
    source = Source(script, "script.ad")
    settings = Settings()
    subject = differentiate(execute(source, settings, discard_text, discard_warning), settings)
    (derivation, *_) = describe(subject, source, graph=False).derivations
    return [kink.text for kink in derivation.kinks if kink.kind == ROUNDING]


@pytest.mark.parametrize("script", ROUNDED)
def test_rounding_is_found(script: str) -> None:
    [found] = [text for text in roundings(script) if not text.startswith("abs has a kink")]
    assert found.startswith(f"{ROUNDED[script]} has a slope without a bound at 0, and ")
    assert found.endswith("the slope has no meaning")


@pytest.mark.parametrize("script", MEANT)
def test_small_numbers_that_are_meant_are_not_rounding(script: str) -> None:
    assert roundings(script) == []


def test_the_sentence_names_what_is_rounding() -> None:
    assert roundings(ANGLE) == [
        "atan2 has a slope without a bound at 0, and im = 6.12323e-17 and re = 0 are rounding errors of what"
        " they are made of: the slope has no meaning"
    ]
