"""Lines on stderr about gradients that look odd: what they say, where they go, and that they can be typed."""

from __future__ import annotations

import math
import os
import shlex
import subprocess
import sys

import numpy as np
import pytest
from autodiff.cli.requests.hints import PLACES
from autodiff.cli.requests.make_report import SMOOTH_BESIDE_ZERO, SMOOTH_OPS
from autodiff.core.graph.op import OPS
from autodiff.core.report import kink
from autodiff.core.why.kink_table import KINK_RULES, TIE_OPS

LEAF = "x = torch.tensor({}, requires_grad=True)\n"


def says(*lines: str, kind: str = "note") -> str:
    return "".join(f"{kind}: {line}\n" for line in lines)


def test_every_kind_of_kink_has_words() -> None:
    kinds = {value for name, value in vars(kink).items() if name.isupper() and isinstance(value, str)}
    assert set(PLACES) == kinds


def test_what_is_not_searched_for_kinks_has_none() -> None:
    assert not SMOOTH_OPS & {*KINK_RULES, *TIE_OPS}
    x = np.array([-2.0, -1e-300, 0.5, 1.0, 3.0])
    for name in SMOOTH_BESIDE_ZERO:
        given = (x, np.full(5, 3.0)) if name == "pow" else (x,)
        for row in KINK_RULES[name]:
            assert not np.any(row.find_points(OPS[name].forward(*given), *given))


CASES = [
    ("grad", "w = 3; L = w**2", ""),
    ("grad", "w = 0; L = w**2", says("the gradient for w is zero; `{} --wrt w` says why")),
    (
        "grad",
        "w = 0; L = w/w",
        says("the gradient for w is not finite; `{} --wrt w` says why", kind="warning"),
    ),
    ("grad", "w = 0; v = 0; L = v*w", says("the gradients for w and v are zero; `{} --wrt w,v` says why")),
    (
        "grad",
        "a = 0; b = 0; c = 0; d = 0; L = a**2 + b**2 + c**2 + d**2",
        says("the gradients for a, b, c and 1 more are zero; `{} --wrt a,b,c` says why"),
    ),
    # one line: what is broken comes first
    (
        "grad",
        "w = 0; v = 0; L = v**2 + sqrt(w)",
        says("the gradient for w is not finite; `{} --wrt w` says why", kind="warning"),
    ),
    *[
        (command, code, says(f"{function} in line 1 is at a kink; `{{}} --wrt w` says what that means"))
        for command in ("run", "grad", "jacobian")
        for function, code in [
            ("relu", "w = 3; L = relu(w - 3) + w"),
            ("clamp", "w = [3., 1.]; L = (w.clamp(0, 1)*w).sum()"),
            ("norm", "w = [3., 0.]; L = (w - w).norm() + (w**2).sum()"),
        ]
    ],
    (
        "hessian",
        "w = 0.; L = abs(w) + w**2",
        says("abs in line 1 is at a kink; `{} --order 2 --wrt w` says what that means"),
    ),
    *[
        (command, code, says(f"{tie} in line 1 is at a kink; `{{}} --wrt w` says what that means"))
        for command in ("grad", "run", "jacobian", "jvp --vector 1")
        for tie, code in [
            ("max(w, 0)", "w = 0.; L = max(w, 0)*3"),
            ("min(w, 2*w)", "w = 0.; L = min(w, 2*w)"),
            ("w > 2", "w = 2.; L = 3*w if w > 2 else w**2 + 2"),
            ("w > 0", "w = 0.; L = w*(w > 0) + w"),
            ("w < 0", "w = zeros((), requires_grad=True); L = w*(w < 0) + w"),
        ]
    ],
    *[
        (command, code, says(f"{tie} in line 1 is at a kink; `{{}} --order 2 --wrt w` says what that means"))
        for command in ("hessian", "hvp --vector 1", "grad --order 2")
        for tie, code in [
            ("max(w,0)", "w = 0.; L = max(w,0)**2"),
            ("w < 1", "w = 1.; L = w**2 if w < 1 else 2*w - 1"),
            ("relu", "w = 0.; L = relu(w)**2"),
            ("relu", "w = zeros((), requires_grad=True); L = F.relu(w)*w"),
        ]
    ],
    *[
        (command, "w = 1.; L = max(w, 0)**2 + (w if w > 2 else 2*w) + w*(w > 0) + relu(w)**2", "")
        for command in ("grad", "jacobian", "jvp --vector 1", "hessian", "hvp --vector 1", "grad --order 2")
    ],
    # equal numbers are compared, and either way the slope is the same
    ("grad", "w = 1.; L = w**2 if w > 1 else 2*w - 1", ""),
    ("hessian", "w = 0.; L = relu(w)**3 + (w**3 if w > 0 else 2*w**3)", ""),
    ("grad", "w = [3., 0.5]; L = (w.clamp(0, 1)*relu(w)).sum() + max(w)", ""),
    ("hessian", "w = [3., 1.]; L = (relu(w)*w).norm()", ""),
    (
        "run",
        "w = 0; L = abs(w)",
        says(
            "the gradient for w is zero; `{} --wrt w` says why",
            "abs in line 1 is at a kink; `{} --wrt w` says what that means",
        ),
    ),
    ("graph", "w = 0; L = abs(w)", ""),
    ("explain", "w = 0; L = abs(w)", ""),
]


@pytest.mark.parametrize(("command", "code", "expected"), CASES, ids=lambda value: value[:30])
def test_hints(autodiff, command, code, expected):
    done = autodiff(*command.split(), "-e", code)
    assert done.returncode == 0
    assert done.err == expected.replace("{}", f"autodiff explain -e {shlex.quote(code)}")


def test_the_command_of_a_hint_can_be_typed(autodiff, write):
    path = write(
        "w = torch.tensor([1.0, 2.0], requires_grad=True)\nh = (w - w).sum()\nL = h + w.sum()\n", "a b.ad"
    )
    done = autodiff("grad", path, "--of", "h", "--set", "w=[3, 4]", "--dtype", "float32", "--seed", "7")
    assert done.out == "0\t0\n"
    command = done.err.partition("; ")[2].removesuffix("` says why\n").removeprefix("`")
    assert command.startswith(
        f"autodiff explain {shlex.quote(str(path))} --of h --dtype float32 --seed 7 --set"
    )
    typed = shlex.split(command)
    assert "what reaches w cancels" in " ".join(autodiff(*typed[1:]).out.split())


def test_the_row_of_a_slope_that_is_not_finite_is_told(autodiff, write):
    write("0;1\n4;3\n", "d.csv")
    code = ("-e", "a = 1.; L = (a*sqrt(a*t) - v).sum()", "--data", "d.csv", "--columns", "t,v")
    done = autodiff("grad", *code)
    command = "autodiff explain -e 'a = 1.; L = (a*sqrt(a*t) - v).sum()' --columns t,v --data d.csv --wrt a"
    told = (
        f"warning: the gradient for a is not finite; `{command}` says why\nnote: sqrt in line 1: the slope of"
    )
    assert (done.out, done.returncode) == ("nan\n", 0)
    assert done.err.startswith(told)
    assert done.err.endswith("entry [0] of a*t = 0 (row 1 of d.csv: t = 0 and v = 1)\n")
    assert "why " in autodiff(*shlex.split(command)[1:]).out
    # A place in an array of another shape is no row of the data.
    write("0,1\n", "d.csv")
    assert "row" not in autodiff("grad", "-e", "a = [0., 4.]; L = sqrt(a).sum() + t.sum()", *code[2:]).err


def test_slopes_by_entries_that_are_read_alone_are_offered(autodiff):
    """PyTorch's pass multiplies 0 by the slopes of the others."""
    done = autodiff(
        "grad", "-e", "a = 2.; y = sqrt(a*x)", "--set", "x=[1, nan, 3]", "--of", "y[0]", "--wrt", "a"
    )
    assert done.out == "nan\n"
    _, note = done.err.splitlines()
    assert note.startswith("note: the output does not depend on the entries that make it so: ")
    exact = autodiff(*shlex.split(note.split("`")[1])[1:])
    assert (float(exact.out), exact.err) == (pytest.approx(1 / 8**0.5), "")
    chosen = "a = 2.; t = tensor([-1., 2.]); L = where(t > 0, a*log(t), 0).sum()"
    exact = autodiff("jacobian", "-e", chosen, "--wrt", "a")
    assert (float(exact.out), exact.err) == (pytest.approx(math.log(2)), "")
    assert "does not depend" in autodiff("grad", "-e", chosen, "--wrt", "a").err
    assert "does not depend" not in autodiff("grad", "-e", "x = 0.; L = x/x").err


def test_long_code_and_standard_input_are_not_repeated(autodiff):
    assert "; `autodiff explain ... --wrt w` says" in autodiff("grad", "-e", "w = 0; L = w**2" + " " * 60).err
    assert "; `autodiff explain ... --wrt w` says" in autodiff("grad", "-", input="w = 0; L = w**2").err


@pytest.mark.parametrize("option", [("-q",), ("--diagnostics", "json"), ("--diagnostics", "github")])
def test_what_silences_them(autodiff, option):
    assert autodiff("run", *option, "-e", "w = 0; L = abs(w)").err == ""


def test_a_formula_that_is_not_the_value_is_told(autodiff):
    product = LEAF.format([0.0, 2.0]) + "L = x.prod()\n"
    done = autodiff("explain", "--format", "formula", "-", input=product)
    assert done.out == ""
    assert "E0617" in done.err
    assert "`prod(x)/x` has no expression that gives a number here" in done.err
    for other in ("latex", "markdown"):
        document = autodiff("explain", "--format", other, "-", input=product)
        assert document.err == ""
        assert "step 3 leaves that out: there its formula comes to 0/0" in document.out
    done = autodiff("explain", "--format", "formula", "-", input=product.replace("0.0", "1.0"))
    assert done.err == ""


@pytest.mark.parametrize(
    ("code", "formula"),
    [("L = sqrt((x*x).sum()*0)", "0"), ("L = (sqrt(x)*0 + 3*x).sum()", "3"), ("L = (1/x - 1/x).sum()", "0")],
)
def test_what_was_simplified_away_is_told(autodiff, code, formula):
    told = f"step 3 leaves that out: simplified, it is {formula} everywhere"
    for form in ("plain", "latex", "markdown"):
        done = autodiff("explain", "--format", form, "-", input=LEAF.format([0.0, 2.0]) + code)
        assert done.out.count(told) == 1
    done = autodiff("explain", "--format", "formula", "-", input=LEAF.format([0.0, 2.0]) + code)
    assert done.err == says(
        f"the formula does not give the value here: simplified, it is {formula} everywhere"
    )
    for finite in ("L = (sqrt(x)*0 + 3*x).sum()", "L = (x*0).sum()"):
        done = autodiff("explain", "-", input=LEAF.format([1.0, 2.0]) + finite)
        assert "step 3 leaves" not in done.out


def test_arrays_are_tested_entry_by_entry(autodiff):
    for values, code, hint in [
        ([0.0, 1.0], "L = (x * x).sum()", ""),
        ([0.0, 0.0], "L = (x * x).sum()", "is zero"),
        ([0.0, 1.0], "L = x.sqrt().sum()", "is not finite"),
        ([], "L = x.sum()", ""),
    ]:
        err = autodiff("grad", "-", input=LEAF.format(values) + code).err
        assert (hint in err) if hint else not err


def test_gradients_like_any_other_load_no_more_than_before():
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "autodiff.cli", "grad", "-e", "w = 3; L = abs(w)"],
        capture_output=True,
        text=True,
        env={**os.environ, "AUTODIFF_FAST": "1"},  # the plain engine computes numbers with numpy
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "|" in line}
    assert "autodiff.core.derivation.describe" in loaded
    assert not loaded & {
        "autodiff.cli.requests.hints",
        "autodiff.core.why.kinks",
        "autodiff.core.why.kink_table",
        "numpy",
        "shlex",
    }


def test_a_formula_beside_the_value_is_told_once(autodiff):
    told = "note: the formula does not give the value here: that of norm in line 2 gives 0/0\n"
    for at, count in ((0.0, 1), (2.0, 0)):
        code = LEAF.format([at, 0.0]) + "L = x.norm() + 2*x.norm()"
        done = autodiff("explain", "--format", "formula", "-", input=code)
        assert done.err.count(told) == count


def test_the_command_of_a_hint_is_not_folded(on_terminal, write):
    """A line break in it would run the first half alone."""
    script = write(
        "x_in_metres = 0.\nspeed_in_metres_per_second = sqrt(x_in_metres)\n", "a_long_name_of_a_script.ad"
    )
    _, seen = on_terminal("run", script.name, columns=80, env={"NO_COLOR": "1"})
    [command] = [line for line in seen.splitlines() if "--wrt" in line and "`" in line]
    assert command.strip().startswith("`autodiff explain a_long_name_of_a_script.ad --wrt x_in_metres`")
