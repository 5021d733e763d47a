"""P1, P2, P2b: whole processes from start to exit, as a shell loop would start them."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.cases import Case, Side

REPOSITORY = Path(__file__).parents[1]
SCALAR = REPOSITORY / "examples" / "seeds" / "1_autograd.ad"
TENSOR = REPOSITORY / "examples" / "bias.ad"

TORCH = f"""\
import torch
x1, x2, w1, w2, w3 = (torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (1., 2., 1., 2., 3.))
{"".join(SCALAR.read_text(encoding="utf-8").partition("x3 = ")[1:])}
L.backward()
print(w1.grad.item())
"""
JAX = """\
import jax
print(jax.grad(lambda w1: 1 - (2 * (w1 * 1.0) + 3 * (w1 * 2.0)))(1.0))
"""
SYMPY = """\
import sympy
w1 = sympy.Symbol("w1")
print(sympy.diff(1 - (2 * (w1 * 1) + 3 * (w1 * 2)), w1).subs(w1, 1))
"""
AUTOGRAD = """\
import autograd
print(autograd.grad(lambda w1: 1 - (2 * (w1 * 1.0) + 3 * (w1 * 2.0)))(1.0))
"""
NAIVE = """\
from pathlib import Path
import click, numpy, rich.console, rich.table
from autodiff.grammar.syntax import make_parse_table
make_parse_table.compile_grammar(Path(make_parse_table.__file__).with_name("autodiff.lark").read_text(encoding="utf-8"))
"""
#: What a shell sets to ask for completions.
COMPLETION = ("_AUTODIFF_COMPLETE=bash_complete", "COMP_WORDS=autodiff gr", "COMP_CWORD=1")


def program() -> tuple[str, ...]:
    """How the command line starts here: the installed program where there is one."""
    installed = Path(sys.executable).with_name("autodiff")
    return (str(installed),) if installed.exists() else (sys.executable, "-m", "autodiff.cli")


def ours(*arguments: str, answers: bool = True) -> Side:
    return Side((*program(), *arguments), whole=True, is_program=True, answers=answers)


def python(code: str, needs: str = "", answers: bool = True) -> Side:
    return Side(("-c", code), needs, whole=True, answers=answers)


def cases(scale: float) -> list[Case]:
    del scale  # a start is a start
    numpy, click = (python(f"import {name}", answers=False) for name in ("numpy", "click"))
    importing = {"starts": 10, "anchor_name": "import numpy"}
    return [
        Case(
            "P1",
            "scalar script, `grad` in a pipe, whole process",
            0.65,
            ours("grad", "--wrt", "w1", str(SCALAR)),
            numpy,
            peers={
                "autograd": python(AUTOGRAD, "autograd"),
                "sympy": python(SYMPY, "sympy"),
                "jax": python(JAX, "jax"),
                "torch": python(TORCH, "torch"),
            },
            **importing,
        ),
        Case(
            "P2",
            "tensor script, `grad` in a pipe, whole process",
            1.1,
            ours("grad", "--wrt", "W", "--grad-output", "ones", str(TENSOR)),
            numpy,
            peers={"click, rich, numpy, Lark's text": python(NAIVE, answers=False)},
            **importing,
        ),
        *(
            Case(
                "P2b",
                f"`autodiff {flag}`, whole process",
                1.3,
                ours(flag, answers=False),
                click,
                starts=10,
                anchor_name="import click",
            )
            for flag in ("--help", "--version")
        ),
        Case(
            "P2b",
            "`autodiff gr<tab>`, whole process",
            1.3,
            Side(("/usr/bin/env", *COMPLETION, *program()), whole=True, is_program=True, answers=False),
            click,
            starts=10,
            anchor_name="import click",
        ),
    ]
