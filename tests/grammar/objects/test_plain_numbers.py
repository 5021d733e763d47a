"""Scripts without tensors, as somebody types them who knows Python and not torch."""

from __future__ import annotations

import math

import pytest
from autodiff.core.base.source import Source
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.run import Settings, differentiate
from script_runner import printed, run_script

COUNTS = {
    "print([0]*n, n*[1], 'ab'*n, (1,)*n)": "[0, 0, 0] [1, 1, 1] ababab (1, 1, 1)\n",
    "v = [1., 2., 4., 8.]\nprint(v[n], v[n - 1], v[-n], v[:n], v[n - 2:n])": (
        "8.0 4.0 2.0 [1.0, 2.0, 4.0] [2.0, 4.0]\n"
    ),
    "m = [[1., 2.], [3., 4.]]\nprint(m[n - 2, n - 3].item(), m[n - 2][0].item())": "3.0 3.0\n",
    "print([k*k for k in range(n + 1)][n])": "9\n",
    "print(f'{n:d} {n:03d} {n:.1f}', '{:x}'.format(n), '%d' % n)": "3 003 3.0 3 3\n",
    "x = 2.34567\nprint(round(x, n).item(), round(x, 1).item(), round(number=x, ndigits=2).item())": (
        "2.346 2.3 2.35\n"
    ),
}


@pytest.mark.parametrize("code", COUNTS)
def test_a_whole_number_serves_where_an_integer_is_needed(code: str) -> None:
    assert printed("n = 3\n" + code) == COUNTS[code]


@pytest.mark.parametrize("code", ["print([0]*n)", "v = [1., 2.]\nprint(v[n])", "print(f'{n:d}')"])
def test_a_number_that_is_not_whole_is_no_integer(code: str) -> None:
    assert run_script("n = 1.5\n" + code).error is not None


def test_in_other_scripts_floats_are_no_integers() -> None:
    script = "n = torch.tensor(3.)\nv = torch.arange(4.)\nprint({})"
    for expression in ("v[n]", "[0]*n", "f'{n:d}'"):
        assert run_script(script.format(expression)).error is not None


#: Calls of math's functions with where they are tried.
CALLS = {
    **{
        f"math.{name}(x)": (0.4,)
        for name in """
        sqrt cbrt exp expm1 exp2 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh atanh
        fabs degrees radians erf erfc gamma lgamma
        """.split()
    },
    "math.acosh(x)": (1.4,),
    "math.gamma(x) + math.cbrt(x)": (-0.6,),
    "math.log(x, y)": (3.0, 2.5),
    "math.log(x, 10)": (3.0,),
    "math.atan2(x, y)": (0.5, -2.0),
    "math.pow(x, y)": (1.5, 2.5),
    "math.pow(2, x)": (1.5,),
    "math.hypot(x, y)": (3.0, 4.0),
    "math.hypot(x, 2, y)": (3.0, 4.0),
    "math.hypot(x)": (-3.0,),
    "math.fmod(x, y)": (7.5, 2.0),
    "math.copysign(x, y)": (3.0, -2.0),
    "math.fsum([x, 2, x*y])": (3.0, -2.0),
    "math.prod([x, 2, y])": (3.0, -2.0),
}


@pytest.mark.parametrize("call", CALLS)
def test_functions_of_math_are_differentiated(call: str) -> None:
    at = CALLS[call]
    names = ["x", "y"][: len(at)]
    script = "".join(f"{name} = {value}\n" for name, value in zip(names, at, strict=True))
    told: list[str] = []
    settings = Settings()
    execution = execute(
        Source(f"{script}L = {call}"), settings, discard_text, lambda message, span: told.append(message)
    )
    subject = differentiate(execution, settings)
    assert not told

    def value(*point: float) -> float:
        return float(eval(call, {"math": math}, dict(zip(names, point, strict=True))))

    assert float(subject.root.out) == pytest.approx(value(*at), rel=1e-14)
    for k, name in enumerate(names):
        step = 1e-5
        above, below = (value(*(x + sign * step * (j == k) for j, x in enumerate(at))) for sign in (1, -1))
        [node] = [node for spelled, node in subject.wrt if spelled == name]
        given = float(subject.cotangents.get(node, 0.0))
        assert given == pytest.approx((above - below) / (2 * step), rel=1e-6, abs=1e-9)


def test_functions_with_steps_give_numbers_without_a_warning() -> None:
    outcome = run_script("x = 5.5\nprint(math.floor(x/2), math.ceil(x), math.trunc(-x), math.isnan(x*2))")
    assert (outcome.stdout, outcome.warnings) == ("2 6 -5 False\n", [])


def test_a_length_does_not_underflow() -> None:
    script = "x = 3e-200\ny = 4e-200\nr = math.hypot(x, y)\nr.backward()\nprint(r.item(), x.grad.item())"
    assert printed(script) == "5e-200 0.6\n"


@pytest.mark.parametrize("call", ["math.sqrt(-x)", "math.log(x - x)", "math.acos(x)", "math.exp(x*1e3)"])
def test_outside_of_its_domain_a_function_of_math_is_an_error(call: str) -> None:
    error = run_script(f"x = 2.\nL = {call}").error
    assert error is not None
    assert error.message in ("math domain error", "math range error")


def test_in_other_scripts_functions_of_math_give_numbers() -> None:
    outcome = run_script("x = torch.tensor(4., requires_grad=True)\nprint(math.sqrt(x))")
    assert (outcome.stdout, len(outcome.warnings)) == ("2.0\n", 1)
    settings = Settings(wrt=["n"])
    written: list[str] = []
    execute(
        Source("n = 4.\nt = torch.ones(1)\nprint(math.sqrt(n))"), settings, written.append, discard_warning
    )
    assert written == ["2.0\n"]


@pytest.mark.parametrize("number", ["10**400", "2**1024", "10.**400", "9**9**9"])
def test_a_number_beyond_floats_has_a_way_out_of_another_kind(number: str) -> None:
    error = run_script(f"x = 2.\ny = x*{number}").error
    assert error is not None
    assert [line for line in error.advice if "choose a larger unit" in line]
