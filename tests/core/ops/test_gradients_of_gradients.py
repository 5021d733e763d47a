"""Whether a first gradient has a gradient in turn: as in torch, where that asks the whole derivative."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import numpy as np
import pytest
from ops.engines import Run, compiled, compiled_by_torch, flat, weights
from ops.operands import Call, read
from ops.table import FAMILIES, samples_of
from script_runner import printed

ONE_NODE = "torch has one node for the gradients of all operands, which reads all of them"
NO_ENTRIES = "of no entries, or of one: torch does not look further"
POSITION_LESS = "the norm of order 0, which passes nothing on: torch gives no gradient at all"
#: The functions that differ, in so many of their samples, and why.
DIFFERENT = {
    "F.conv1d": (8, ONE_NODE),
    "F.conv2d": (4, ONE_NODE),
    "F.conv3d": (2, ONE_NODE),
    "F.conv_transpose1d": (3, ONE_NODE),
    "F.conv_transpose2d": (3, ONE_NODE),
    "F.conv_transpose3d": (2, ONE_NODE),
    "F.layer_norm": (8, ONE_NODE),
    "F.batch_norm": (13, ONE_NODE),
    "F.instance_norm": (8, ONE_NODE),
    "torch.pow": (2, "to the power 0 torch answers zeros without a look at the base"),
    "torch.cat": (1, "an operand without entries gets zeros in torch, and nothing here"),
    "torch.cummax": (4, NO_ENTRIES),
    "torch.cummin": (4, NO_ENTRIES),
    "torch.prod": (3, NO_ENTRIES),
    "torch.cumprod": (4, NO_ENTRIES),
    "torch.logcumsumexp": (7, NO_ENTRIES),
    "torch.var": (2, NO_ENTRIES),
    "torch.var_mean": (2, NO_ENTRIES),
    "linalg.det": (6, "of 1x1 matrices, or of none"),
    "torch.frexp": (21, "the power of two is read off the value, which torch does not record"),
    "linalg.norm": (1, POSITION_LESS),
    "torch.norm": (1, POSITION_LESS),
    "linalg.vector_norm": (2, POSITION_LESS),
    "torch.scatter_reduce": (28, "as index_reduce; and " + NO_ENTRIES),
    "torch.index_reduce": (24, "torch does not record the comparison with the extremes"),
}


def ours(function: Any, call: Call) -> list[bool | None]:
    with np.errstate(all="ignore"):
        run = Run(function, call)
        first = run.first(create_graph=True) if run.differentiable else []
    return [None if g is None else g.requires_grad for g in first]


def theirs(function: Any, call: Call) -> list[bool | None]:
    import torch

    args = [torch.from_numpy(x.array.copy()).requires_grad_(x.is_leaf) for x in call.operands]
    outputs = [out for out in flat(function(*args)) if isinstance(out, torch.Tensor) and out.requires_grad]
    if not outputs:
        return []
    seeds = [
        torch.from_numpy(np.asarray(weights(tuple(out.shape), out.detach().numpy().dtype, 1.0)))
        for out in outputs
    ]
    leaves = [x for x in args if x.requires_grad]
    first = torch.autograd.grad(outputs, leaves, seeds, create_graph=True, allow_unused=True)
    return [None if g is None else g.requires_grad for g in first]


@pytest.mark.oracle
@pytest.mark.parametrize("family", FAMILIES)
def test_a_gradient_requires_a_gradient_where_it_does_in_torch(family: str) -> None:
    import torch

    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    different: Counter[str] = Counter()
    failures = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name, texts in samples_of(family).items():
                for text, mine, reference in zip(
                    texts, compiled(texts), compiled_by_torch(texts), strict=True
                ):
                    call = read(text)
                    try:
                        wanted = theirs(reference, call)
                    except (RuntimeError, NotImplementedError):  # it has no derivative there
                        continue
                    found = ours(mine, call)
                    if found != wanted:
                        different[name] += 1
                        failures.append(f"{text}: {found}, wanted {wanted}")
    finally:
        torch.set_default_dtype(before)
    expected = {name: DIFFERENT[name][0] for name in samples_of(family) if name in DIFFERENT}
    assert dict(different) == expected, "\n".join(failures)


@pytest.mark.parametrize(
    "call",
    [
        *("torch.relu(x)", "F.relu6(x)", "F.hardtanh(x)", "F.hardsigmoid(x)", "F.leaky_relu(x)"),
        *("F.softshrink(x)", "F.hardshrink(x)", "F.threshold(x, 0.5, 2.0)", "F.max_pool2d(x, 2)"),
        *("F.avg_pool2d(x, 2)", "F.adaptive_max_pool2d(x, 1)", "F.pad(x, (1, 1), mode='reflect')"),
    ],
)
def test_the_gradient_of_a_piecewise_linear_function_has_a_gradient_of_zeros(call: str) -> None:
    script = (
        "x = torch.tensor([[[1.0, -2.0], [0.25, 3.0]]], requires_grad=True)\n"
        f"g, = torch.autograd.grad({call}.sum(), x, create_graph=True)\n"
        "print(g.requires_grad, torch.autograd.grad(g.sum(), x)[0].flatten().tolist())"
    )
    assert printed(script) == "True [0.0, 0.0, 0.0, 0.0]\n"


def test_a_gradient_penalty_of_a_relu_gives_the_input_zeros() -> None:
    script = (
        "x = torch.tensor([[1.0, -2.0]], requires_grad=True)\n"
        "W = torch.tensor([[0.5, 1.0], [2.0, -1.0]], requires_grad=True)\n"
        "g, = torch.autograd.grad(torch.relu(x @ W).sum(), x, create_graph=True)\n"
        "((g.norm() - 1) ** 2).backward()\n"
        "print(x.grad, bool(W.grad.abs().sum() > 0))"
    )
    assert printed(script) == "tensor([[0., 0.]]) True\n"


def test_the_second_gradient_of_a_relu_of_a_number_is_zero() -> None:
    script = (
        "x = torch.tensor(2.0, requires_grad=True)\n"
        "g, = torch.autograd.grad(torch.relu(x) * x, x, create_graph=True)\n"
        "print(torch.autograd.grad(g, x)[0])"
    )
    assert printed(script) == "tensor(2.)\n"
