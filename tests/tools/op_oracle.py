"""Samples of ops and their comparison with PyTorch: values, names, first and second gradients.

A case names a public function (or is a callable that works on both kinds of tensors) and its arguments;
arrays of floats become leaves. Family tests hold the tables, this file the one way of checking them.
"""

from __future__ import annotations

import warnings
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from autodiff.core import Tensor, grad, tensor
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.core.graph.op import OPS

NO_WORDS: dict[str, Any] = {}


class Case(NamedTuple):
    op: str  # the primitive this is a sample of
    function: Any  # "torch.exp", or a callable
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = NO_WORDS
    name: str = ""  # for callables
    orders: int = 2  # gradients torch has
    float32: bool = True
    check_name: bool = True
    rtol: float = 1e-9

    def __str__(self) -> str:
        function = self.function if isinstance(self.function, str) else self.name or "expression"
        shapes = ",".join(str(a.shape) if isinstance(a, np.ndarray) else repr(a) for a in self.args)
        words = "".join(f",{k}={v}" for k, v in self.kwargs.items())
        return f"{self.op}:{function}({shapes}{words})".replace(" ", "")


VARIANTS = ("plain", "transposed", "float32")


def ops_of(*modules: str) -> list[str]:
    """The primitives declared in these families, each of which declares some."""
    found = {family: [] for family in modules}
    for name, op in OPS.items():
        if not name.endswith("for_doctest"):
            found.get(op.forward.__module__.rpartition(".")[2], []).append(name)
    assert all(found.values()), f"families that declare nothing: {found}"
    return sorted(name for names in found.values() for name in names)


def arrange(value: Any, variant: str) -> Any:
    """An argument as the variant has it."""
    if not isinstance(value, np.ndarray):
        return value
    if variant == "float32" and value.dtype.kind == "f":
        return value.astype(np.float32)
    if variant == "transposed":
        return value.T.copy().T
    return value


def is_leaf(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"


def flat(result: Any) -> list[Any]:
    """The tensors of a result."""
    return list(result) if isinstance(result, (tuple, NamedResult)) else [result]


def weights(shape: tuple[int, ...], dtype: Any, start: float) -> np.ndarray:
    """Numbers to weigh entries with, so that no two gradients agree by accident."""
    return np.cos(start + np.arange(int(np.prod(shape)), dtype=np.float64)).reshape(shape).astype(dtype)


class Answers(NamedTuple):
    values: list[np.ndarray]
    names: list[str | None]
    first: list[np.ndarray]
    second: list[np.ndarray] | None


def ask_autodiff(case: Case, variant: str) -> Answers:
    args, leaves = [], []
    for value in case.args:
        value = arrange(value, variant)
        if isinstance(value, np.ndarray):
            leaf = Tensor.of(float(value) if value.dtype == np.float64 and not value.ndim else value)
            if is_leaf(value):
                leaf.set_requires_grad()
                leaves.append(leaf)
            value = leaf
        args.append(value)
    kwargs = {k: arrange(v, variant) for k, v in case.kwargs.items()}
    kwargs = {k: tensor(v) if isinstance(v, np.ndarray) else v for k, v in kwargs.items()}
    function = FUNCTIONS[case.function] if isinstance(case.function, str) else case.function
    with np.errstate(all="ignore"):
        outputs = flat(function(*args, **kwargs))
        values = [np.array(out.data) for out in outputs]
        names = [None if out.grad_fn is None else out.grad_fn.grad_fn_name for out in outputs]
        outputs = [out for out in outputs if out.requires_grad]
        if not case.orders or not outputs:
            return Answers(values, names, [], None)
        seeds = [Tensor.of(weights(out.shape, out.data.dtype, 1.0)) for out in outputs]
        seeds = [tensor(s.data) for s in seeds]
        first = grad(outputs, leaves, seeds, create_graph=True, allow_unused=True)
        plain = grad(outputs, leaves, seeds, retain_graph=True, allow_unused=True)
        gradients = [zeros_unless(g, leaf) for g, leaf in zip(plain, leaves, strict=True)]
        for lifted, array in zip(first, gradients, strict=True):
            np.testing.assert_allclose(
                array if lifted is None else lifted.data, array, rtol=1e-12 if variant == "plain" else 1e-5
            )
        if case.orders < 2 or variant == "float32":
            return Answers(values, names, gradients, None)
        again = [g for g in first if g is not None and g.requires_grad]
        if not again:
            return Answers(values, names, gradients, [np.zeros(leaf.shape) for leaf in leaves])
        seeds = [tensor(weights(g.shape, g.data.dtype, 2.0)) for g in again]
        second = grad(again, leaves, seeds, allow_unused=True)
    return Answers(
        values, names, gradients, [zeros_unless(g, leaf) for g, leaf in zip(second, leaves, strict=True)]
    )


def zeros_unless(gradient: Any, leaf: Any) -> np.ndarray:
    if gradient is None:
        return np.zeros(tuple(leaf.shape))
    return np.array(gradient.data) if isinstance(gradient, Tensor) else gradient.detach().numpy(force=True)


def find_in_torch(name: str) -> Any:
    import torch

    head, *rest = name.split(".")
    start = torch.nn.functional if head == "F" else torch if head == "torch" else getattr(torch, head)
    return reduce(getattr, rest, start)


def ask_torch(case: Case, variant: str) -> Answers:
    import torch

    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)  # as autodiff has it
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ask_torch_in_double(case, variant)
    finally:
        torch.set_default_dtype(before)


def ask_torch_in_double(case: Case, variant: str) -> Answers:
    import torch

    args, leaves = [], []
    for value in case.args:
        value = arrange(value, variant)
        if isinstance(value, np.ndarray):
            leaf = torch.from_numpy(value.copy(order="K"))
            if is_leaf(value):
                leaf.requires_grad_()
                leaves.append(leaf)
            value = leaf
        args.append(value)
    kwargs = {k: arrange(v, variant) for k, v in case.kwargs.items()}
    kwargs = {k: torch.from_numpy(v) if isinstance(v, np.ndarray) else v for k, v in kwargs.items()}
    function = find_in_torch(case.function) if isinstance(case.function, str) else case.function
    outputs = flat(function(*args, **kwargs))
    values = [out.detach().numpy().copy() for out in outputs]
    names = [None if out.grad_fn is None else out.grad_fn.name() for out in outputs]
    outputs = [out for out in outputs if out.requires_grad]
    if not case.orders or not outputs:
        return Answers(values, names, [], None)
    seeds = [
        torch.from_numpy(np.asarray(weights(out.shape, out.detach().numpy().dtype, 1.0))) for out in outputs
    ]
    first = torch.autograd.grad(outputs, leaves, seeds, create_graph=case.orders > 1, allow_unused=True)
    gradients = [zeros_unless(g, leaf) for g, leaf in zip(first, leaves, strict=True)]
    if case.orders < 2 or variant == "float32":
        return Answers(values, names, gradients, None)
    again = [g for g in first if g is not None and g.requires_grad]
    if not again:
        return Answers(values, names, gradients, [np.zeros(leaf.shape) for leaf in leaves])
    # Among the gradients that ours carries further there may be some that torch knows to be constant.
    seeds = [
        torch.from_numpy(np.asarray(weights(g.shape, g.detach().numpy(force=True).dtype, 2.0))) for g in again
    ]
    second = torch.autograd.grad(again, leaves, seeds, allow_unused=True)
    return Answers(
        values, names, gradients, [zeros_unless(g, leaf) for g, leaf in zip(second, leaves, strict=True)]
    )


def compare_with_torch(case: Case, variant: str) -> None:
    """Everything a sample can be asked, on both sides."""
    theirs = ask_torch(case, variant)
    ours = ask_autodiff(case, variant)
    tolerance = {"rtol": 2e-5, "atol": 2e-6} if variant == "float32" else {"rtol": case.rtol, "atol": 1e-12}
    for mine, wanted in zip(ours.values, theirs.values, strict=True):
        assert mine.dtype == wanted.dtype, "type of the value"
        assert mine.shape == wanted.shape, "shape of the value"
        np.testing.assert_allclose(mine, wanted, **tolerance, err_msg="value")
    if case.check_name:
        assert ours.names == [name and name.replace("torch::autograd::", "") for name in theirs.names]
    for index, (mine, wanted) in enumerate(zip(ours.first, theirs.first, strict=True)):
        assert mine.shape == wanted.shape
        np.testing.assert_allclose(mine, wanted, **tolerance, err_msg=f"gradient of operand {index}")
    if ours.second is not None and theirs.second is not None:
        for index, (mine, wanted) in enumerate(zip(ours.second, theirs.second, strict=True)):
            np.testing.assert_allclose(
                mine, wanted, rtol=1e-8, atol=1e-10, err_msg=f"second gradient, operand {index}"
            )


def cases_of(table: list[Case]) -> list[tuple[Case, str]]:
    """Every case in every variant that means anything for it."""
    pairs = []
    for case in table:
        for variant in VARIANTS:
            if variant == "transposed" and not any(
                isinstance(a, np.ndarray) and a.ndim > 1 for a in case.args
            ):
                continue
            if variant == "float32" and not case.float32:
                continue
            pairs.append((case, variant))
    return pairs


def label(value: Any) -> str:
    return str(value)
