"""``check`` on random scripts with functions of their own: right ones pass, planted errors are caught."""

from __future__ import annotations

import math
import random

from autodiff.cli.requests.verify import check_all
from autodiff.core.base.errors import GradientError
from autodiff.core.base.source import Source
from autodiff.core.report.verdict import OK, UNDECIDED, WRONG, GradientCheck
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.rerun import Probe, Rerun
from autodiff.grammar.session.run import EngineSetup, Settings, differentiate
from script_generator import generate
from seeds import seeds

#: Smooth functions with their derivatives, both of x.
RULES = [
    ("sin(x)", "cos(x)"),
    ("tanh(x)", "1 - tanh(x)**2"),
    ("exp(x/2)", "exp(x/2)/2"),
    ("x**3 + x", "3*x**2 + 1"),
    ("1/(2 + x**2)", "-2*x/(2 + x**2)**2"),
    ("torch.sigmoid(x)*x", "torch.sigmoid(x)*(1 + x*(1 - torch.sigmoid(x)))"),
    ("torch.log(3 + x**2)", "2*x/(3 + x**2)"),
    ("torch.sqrt(1 + x**2)", "x/torch.sqrt(1 + x**2)"),
]
BEFORE = ["{x}", "2*{x} + 0.3", "sin({x}) + {x}", "W @ {x}"]
AFTER = [
    "({y}**2).sum()",
    "({y}*c).sum() + {y}.sum()**2",
    "torch.log(1 + ({y}**2).sum())",
    "F.mse_loss({y}, c)",
]


def own_function(forward: str, backward: str) -> str:
    """A function of the script's own that keeps its operand; ``backward`` is what follows once it is back."""
    return f"""\
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return {forward}
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        {backward}
"""


def script(draw: random.Random, size: int, error: float) -> str:
    """A script with a function of its own, whose backward is off by the part ``error`` in one entry."""
    forward, slope = draw.choice(RULES)
    entry = draw.randrange(size)
    factors = [1 + error if at == entry else 1.0 for at in range(size)]
    numbers = [round(draw.choice([-1, 1]) * draw.uniform(0.4, 1.6), 3) for _ in range(2 * size + size * size)]
    rows = [numbers[2 * size + size * at :][:size] for at in range(size)]
    x = draw.choice(BEFORE).format(x="x")
    return f"""\
{own_function(forward, f"return g*({slope})*torch.tensor({factors})")}\
W = torch.tensor({rows})
c = torch.tensor({numbers[:size]})
x = torch.tensor({numbers[size : 2 * size]}, requires_grad=True)
y = Own.apply({x})
L = {draw.choice(AFTER).format(y="y")}
"""


def checks_of(text: str) -> list[GradientCheck]:
    """What ``autodiff check`` finds."""
    source, settings = Source(text), Settings()
    with Probe() as probe:
        execution = execute(source, settings, discard_text, discard_warning)
    subject = differentiate(execution, settings)
    with EngineSetup(settings):
        checks: list[GradientCheck] = []
        check_all(checks, subject, source, probe, Rerun(execution, settings, probe), 1, 0)
        return checks


def test_right_functions_raise_no_alarm() -> None:
    for seed in seeds(30):
        draw = random.Random(seed)
        text = script(draw, draw.randint(1, 4), 0.0)
        for found in checks_of(text):
            assert found.verdict == OK, (found.expected, found.given, text)


def test_errors_of_one_per_cent_and_more_are_caught() -> None:
    for seed in seeds(30):
        draw = random.Random(seed)
        size = draw.randint(1, 4)
        error = draw.choice([-1, 1]) * 10 ** draw.uniform(-2, math.log10(0.5))
        text = script(draw, size, error)
        [found] = checks_of(text)
        assert found.verdict == WRONG, (error, found.expected, found.given, text)


def test_errors_of_one_in_a_thousand_are_caught() -> None:
    """But for those in an entry that hardly reaches the output."""
    missed = 0
    for seed in seeds(30):
        draw = random.Random(seed)
        text = script(draw, draw.randint(1, 4), draw.choice([-1e-3, 1e-3]))
        [found] = checks_of(text)
        missed += found.verdict != WRONG
    assert missed <= len(seeds(30)) // 100


def hidden(text: str, draw: random.Random) -> str:
    """The same beside a gradient that is up to a million times as large, and in single precision."""
    loss = text.rpartition("L = ")[2].rstrip()
    large, small = draw.choice([0.0, 1e3, 1e6]), draw.choice([1.0, 1e-3, 1e-9])
    text = text.replace(f"L = {loss}", f"L = {large}*x.sum() + {small}*({loss})")
    return text if draw.random() < 0.5 else "torch.set_default_dtype(torch.float32)\n" + text


def test_errors_that_hardly_reach_the_output_are_caught() -> None:
    for seed in seeds(30):
        for error, verdict in ((0.0, OK), (draw_error(seed), WRONG)):
            draw = random.Random(seed)
            text = hidden(script(draw, draw.randint(1, 4), error), draw)
            [found] = checks_of(text)
            assert found.verdict == verdict, (error, found.expected, found.given, found.reason, text)


def of_many(draw: random.Random, error: float) -> str:
    """A script whose function has hundreds of entries, one of them off."""
    forward, slope = draw.choice(RULES)
    size = draw.choice([300, 900])
    single = "torch.set_default_dtype(torch.float32)\n" * draw.randint(0, 1)
    entry = draw.randrange(size)
    factors = f"factors = torch.ones({size}); factors[{entry}] = {1 + error}"
    return f"""\
{single}{own_function(forward, f"{factors}; return g*({slope})*factors")}\
torch.manual_seed(0)
c = torch.randn({size})
x = torch.randn({size}).clamp(-2, 2).requires_grad_()
y = Own.apply(x)
L = {draw.choice(AFTER).format(y="y")}
"""


def test_an_error_in_one_of_hundreds_of_entries_is_caught() -> None:
    for seed in seeds(4):
        for error, verdict in ((0.0, OK), (draw_error(seed), WRONG)):
            text = of_many(random.Random(seed), error)
            [found] = checks_of(text)
            assert found.verdict == verdict, (error, found.expected, found.given, found.reason, text)


def draw_error(seed: int) -> float:
    return random.Random(seed).choice([-0.03, 0.03, -0.01, 0.01, -1e-3, 1e-3])


def test_generated_scripts_raise_no_alarm() -> None:
    """Loops, branches, functions, changes in place, views and training, clear of kinks."""
    checked = 0
    for seed in seeds(30):
        text = generate(seed)
        try:
            found = checks_of(text)
        except GradientError:  # what its graph needs was changed in place, after a backward() of its own
            continue
        assert not [check for check in found if check.verdict not in (OK, UNDECIDED)], text
        checked += len(found)
        assert sum(check.verdict == UNDECIDED for check in found) <= len(found) // 2, text
    assert checked >= 0.9 * len(seeds(30))


#: Functions of which all outputs depend on all entries, with what their backward returns.
MIXING = [
    ("torch.softmax(x, 0)", "s = torch.softmax(x, 0)\n        return s*(g - (g*s).sum())"),
    ("x*x.norm()", "n = x.norm()\n        return g*n + (g*x).sum()*x/n"),
    ("x - x.mean()", "return g - g.mean()"),
    ("x.cumsum(0)", "return g.flip(0).cumsum(0).flip(0)"),
    ("x.prod()*x", "return g*x.prod() + (g*x).sum()*x.prod()/x"),
]
POWERS = [("x**2", "2*x"), ("1/x", "-1/x**2"), ("torch.log(x.abs())", "1/x"), ("x**3", "3*x**2")]


def spread_out(draw: random.Random, size: int) -> list[float]:
    """Numbers whose sizes have up to twelve orders of magnitude between them."""
    digits = draw.choice([1, 3, 6])
    return [draw.choice([-1, 1]) * 10 ** draw.uniform(-digits, digits) for _ in range(size)]


def test_entries_of_all_sizes_raise_no_alarm() -> None:
    for seed in seeds(30):
        draw = random.Random(seed)
        forward, backward = draw.choice(
            [*MIXING, *((f, f"return g*({slope})") for f, slope in RULES + POWERS)]
        )
        numbers = spread_out(draw, draw.randint(2, 6))
        if "exp" in forward or "softmax" in forward:
            numbers = [max(-30.0, min(30.0, number)) for number in numbers]
        kind = draw.choice(["float64", "float32"])
        text = (
            f"{own_function(forward, backward)}x = torch.tensor({numbers}, dtype=torch.{kind})\n"
            f"x.requires_grad_()\nL = (Own.apply(x)*torch.tensor({spread_out(draw, len(numbers))})).sum()\n"
        )
        [found] = checks_of(text)
        assert found.verdict in (OK, UNDECIDED), (found.expected, found.given, found.fault, text)


def test_an_error_in_an_entry_beside_larger_ones_is_caught() -> None:
    for seed in seeds(15):
        draw = random.Random(seed)
        forward, slope, last = draw.choice(
            [("x**2", "2*x", 3e6), ("torch.exp(x/1e5)*x", "torch.exp(x/1e5)*(1 + x/1e5)", -3e5)]
        )
        kind, factor = draw.choice(["float64", "float32"]), draw.choice([1.1, 0.9, 1.01, 0.0])
        numbers = [1e5 if last < 0 else 1e6, draw.uniform(0.2, 2), last]
        text = (
            f"{own_function(forward, f'return g*({slope})*torch.tensor([1., {factor}, 1.])')}"
            f"x = torch.tensor({numbers}, dtype=torch.{kind}, requires_grad=True)\nL = Own.apply(x).sum()\n"
        )
        [found] = checks_of(text)
        assert found.verdict == WRONG, text
        assert found.fault is not None
        assert found.fault.check.worst == (1,), text
