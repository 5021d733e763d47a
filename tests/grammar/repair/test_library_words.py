"""Repairs use functions that the script's own libraries have: the repaired script runs in Python too."""

from __future__ import annotations

import re
import warnings

import pytest
from autodiff.core.base.errors import AutodiffError, Fix
from autodiff.core.base.source import Source
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.run import Settings, differentiate
from why_scripts import derivation_of

#: Formulas that have no gradient at the value given, or overflow there. ``@`` marks functions of a library.
NUMBERS: dict[str, float] = {
    "@sin(x)/x": 0,
    "(@exp(x) - 1)/x": 0,
    "(1 - @cos(x))/x**2": 0,
    "@tan(x)/x": 0,
    "@log(1 + x)/x": 0,
    "(@sin(x) - x)/x**3": 0,
    "1/@tanh(x) - 1/x": 0,
    "@atan(x)/x": 0,
    "@erf(x)/x": 0,
    "@sqrt(x**2)": 0,
    "x**2/@sqrt(x**2)": 0,
    "@log(@cosh(x))": 800,
    "@log(@sinh(x))": 800,
    "@log(1 + @exp(x))": 800,
    "@log(@exp(x) - 1)": 800,
    "@log(@exp(x) + @exp(2*x))": 800,
    "@log(1/(1 + @exp(-x)))": -800,
    "1/(1 + @exp(-x))": -800,
    "(@exp(x) - @exp(-x))/(@exp(x) + @exp(-x))": 800,
    "@log(@gamma(x))": 200,
}
ARRAYS: dict[str, list[float]] = {
    "@sum(@sin(x)/x)": [0.0, 1.0],
    "@sum((1 - @exp(-x))/x)": [0.0, 2.0],
    "@sqrt(@sum(x**2))": [0.0, 0.0],
    "@sum(@sqrt(x**2))": [0.0, 2.0],
    "@log(@sum(@exp(x)))": [800.0, 1.0],
    "@sum(@log(1 + @exp(x)))": [800.0, 1.0],
    "@sum(1/(1 + @exp(-x)))": [-800.0, 1.0],
    "(@exp(x)/@sum(@exp(x)))[1]": [800.0, 1.0],
    "@log((@exp(x)/@sum(@exp(x)))[1])": [800.0, 1.0],
    "@sum(@where(x > 0, @sqrt(x), 0))": [0.0, 2.0],
    "@sum(@where(x > 0, @log(x), 0))": [0.0, 2.0],
}
#: By the kind of script: its imports, how it calls a function, and how it makes a number and an array.
KINDS = {
    "np": ("import numpy as np\nimport math", "np.{}", "{}", "np.array({})"),
    "numpy": ("import numpy\nimport math", "numpy.{}", "{}", "numpy.array({})"),
    "from numpy": ("from numpy import array, {names}", "{}", "{}", "array({})"),
    "numpy *": ("from numpy import *\nfrom math import erf, gamma", "{}", "{}", "array({})"),
    "math": ("import math", "math.{}", "{}", ""),
    "from math": ("from math import {names}", "{}", "{}", ""),
    "torch": ("import torch", "torch.{}", *("torch.tensor({}, requires_grad=True)",) * 2),
    "th": ("import torch as th", "th.{}", *("th.tensor({}, requires_grad=True)",) * 2),
    "from torch": ("from torch import tensor, {names}", "{}", *("tensor({}, requires_grad=True)",) * 2),
}
#: What numpy lacks is taken from ``math`` for numbers.
OF_MATH = ("erf", "gamma")


def script_of(kind: str, formula: str, value: float | list[float]) -> str:
    start, spelled, number, array = KINDS[kind]
    names = {}
    for name in re.findall(r"@(\w+)", formula):
        own = "arctan" if name == "atan" and "num" in start else name
        names[own] = f"math.{own}" if own in OF_MATH and "import math" in start else spelled.format(own)
        formula = formula.replace(f"@{name}(", f"{names[own]}(")
    made = array.format(value) if isinstance(value, list) else number.format(float(value))
    return f"{start.format(names=', '.join(names))}\nx = {made}\nL = {formula}\n"


def proposals(script: str) -> tuple[Fix, ...]:
    """The repairs of the error of a script, or of its gradient."""
    try:
        causes = derivation_of(script, "s.ad").causes
    except AutodiffError as error:
        return error.fixes
    return tuple(fix for cause in causes for fix in cause.repairs)


def value_here(script: str) -> float:
    settings = Settings(wrt=["x"])
    execution = execute(Source(script, "s.ad"), settings, discard_text, discard_warning)
    return float(differentiate(execution, settings).root.out)


def value_in_python(script: str) -> float:
    names: dict[str, float] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(script, "script.py", "exec"), names)
        return float(names["L"])


def check(kind: str, formula: str, value: float | list[float]) -> None:
    script = script_of(kind, formula, value)
    fixes = proposals(script)
    assert fixes, script
    for fix in fixes:
        repaired = fix.apply(script)
        assert value_in_python(repaired) == pytest.approx(value_here(repaired), rel=1e-6, abs=1e-6), repaired


@pytest.mark.parametrize("kind", ["np", "from math"])
def test_of_numbers(kind: str) -> None:
    for formula, value in NUMBERS.items():
        check(kind, formula, value)


@pytest.mark.parametrize("kind", ["np", "from numpy"])
def test_of_arrays(kind: str) -> None:
    for formula, value in ARRAYS.items():
        check(kind, formula, value)


@pytest.mark.parametrize("kind", ["numpy", "numpy *", "math"])
def test_of_other_imports(kind: str) -> None:
    """The forms are those of the tests above; only how they are called differs."""
    for formula, value in list(NUMBERS.items())[::4]:
        check(kind, formula, value)


@pytest.mark.oracle
@pytest.mark.parametrize("kind", ["torch", "th", "from torch"])
def test_of_tensors(kind: str) -> None:
    formulas: list[tuple[str, float | list[float]]] = [*NUMBERS.items(), *ARRAYS.items()]
    for formula, value in formulas[:: 1 if kind == "from torch" else 4]:
        if "gamma" not in formula:  # torch has none
            check(kind, formula, value)


@pytest.mark.parametrize(
    ("script", "repaired"),
    [
        (
            "from math import (exp,\n    log)\nx = 800.\nL = log(1 + exp(x))",
            "from math import (exp,\n    log, log1p)\nx = 800.\nL = (log1p(exp(-abs(x))) + max(x, 0))",
        ),
        (
            "from torch import tensor, exp, log\nx = tensor(800., requires_grad=True)\nL = log(1 + exp(x))",
            "from torch import tensor, exp, log\nfrom torch.nn.functional import softplus\n"
            "x = tensor(800., requires_grad=True)\nL = softplus(x)",
        ),
        (
            "from numpy import array, sqrt, sum\nx = array([0., 0.])\nL = sqrt(sum(x**2))",
            "from numpy import array, sqrt, sum\nfrom numpy.linalg import norm\nx = array([0., 0.])\n"
            "L = norm(x)",
        ),
        (
            "import numpy as np\nfrom scipy.special import erf\nx = np.array([-40., 1.])\n"
            "L = np.sum(np.log((1 + erf(x/np.sqrt(2)))/2))",
            "import numpy as np\nfrom scipy.special import erf, log_ndtr\nx = np.array([-40., 1.])\n"
            "L = np.sum(log_ndtr(x))",
        ),
        (
            "import numpy as np\nfrom scipy import special\nx = np.array([[800., 1.], [2., 3.]])\n"
            "L = np.log(np.exp(x)/np.exp(x).sum(axis=1, keepdims=True))[0, 0]",
            "import numpy as np\nfrom scipy import special\nx = np.array([[800., 1.], [2., 3.]])\n"
            "L = (x - (np.max(x, axis=1, keepdims=True) + np.log(np.sum(np.exp(x - np.max(x, axis=1, "
            "keepdims=True)), axis=1, keepdims=True))))[0, 0]",
        ),
        (
            "import math\nx = [800., 1.]\nL = math.log(sum(math.exp(v) for v in x))",
            "import math\nx = [800., 1.]\n"
            "L = (max(x) + math.log(sum(math.exp(each - max(x)) for each in x)))",
        ),
        ("x = 800.\nL = log(1 + exp(x))", "x = 800.\nL = softplus(x)"),  # without imports all names are there
    ],
)
def test_what_is_written_and_imported(script: str, repaired: str) -> None:
    assert repaired in [fix.apply(script) for fix in proposals(script)]
