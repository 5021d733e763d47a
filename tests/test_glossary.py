"""Formulas name functions of the language; one that it has not is explained below the formula."""

from __future__ import annotations

import re

import pytest
from autodiff.core.engine.public_functions import FUNCTIONS, METHODS
from autodiff.core.graph.op import OPS
from autodiff.core.symbolic.op_names import INTERNAL_FUNCTIONS
from why_scripts import derivation_of

MATRIX = "A = torch.tensor([[2., 1.], [1., 3.]], requires_grad=True)\n"
VECTOR = "x = torch.tensor([0.5, 2., 1.], requires_grad=True)\n"
KNOWN = {name.rpartition(".")[2] for name in FUNCTIONS} | set(METHODS)


@pytest.mark.parametrize(
    "script",
    [
        MATRIX + "L = torch.linalg.det(A)\nL.backward()",
        MATRIX + "P, lower, U = torch.linalg.lu(A)\nL = U.sum()\nL.backward()",
        MATRIX + "L = torch.linalg.svd(A)[1].sum()\nL.backward()",
        VECTOR + "L = F.interpolate(x.view(1, 1, 3), size=5, mode='linear').sum()\nL.backward()",
        VECTOR + "p = x.view(3, 1, 1).expand(3, 1, 3).log_softmax(2)\n"
        "L = F.ctc_loss(p, torch.tensor([[1]]), torch.tensor([3]), torch.tensor([1]))\nL.backward()",
    ],
)
def test_every_function_of_a_formula_is_one_of_the_language_or_explained(script: str) -> None:
    derivation = derivation_of(script, "<test>")
    explained = {name.partition("(")[0] for name, _ in derivation.where}
    called = set(re.findall(r"(?<![\w.])(?:\w+\.)*(\w+)\(", derivation.simplified))
    assert called <= KNOWN | explained
    assert explained <= called


def test_what_is_explained_is_an_op_and_no_function() -> None:
    assert set(INTERNAL_FUNCTIONS) <= set(OPS)
    assert not set(INTERNAL_FUNCTIONS) & KNOWN
