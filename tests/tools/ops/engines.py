"""A sample run by autodiff and by torch: values, names, and gradients of two orders.

The text of a sample is a function's body on either side, so both run the same spelling. The first gradient is
that of a weighed sum of the outputs; the second is that of a weighed sum of the first, with respect to the
operands and to the weights of the outputs, so that it tests how a rule depends on either.
"""

from __future__ import annotations

import re
import warnings
from typing import Any, NamedTuple

import numpy as np
from autodiff.core import Tensor, grad
from autodiff.core.base.errors import GradientError
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.graph.state import mode
from ops.operands import Call, read
from script_runner import run_script

#: How near single precision comes to torch's: a few roundings.
SINGLE = 2e-6

#: Functions that samples may call, in both languages: what does not depend on signs and phases of factors.
PRELUDE = """
def projector(u, count):
    part = u[..., :, :count]
    return part @ part.mT

def symmetric(x):
    return x + x.mT

def seeded(seed):
    torch.manual_seed(seed)
    return 0
"""


#: The calls of these functions.
PRELUDE_CALL = re.compile("|".join(rf"{name}\(" for name in re.findall(r"def (\w+)", PRELUDE)))


def with_prelude(script: str) -> str:
    """The script after the prelude if it calls one of its functions: the others are parsed sooner without.

    Its first line says that methods are those of torch where the rest has nothing else that does.
    """
    return f"import torch\n{PRELUDE if PRELUDE_CALL.search(script) else ''}{script}"


class Answers(NamedTuple):
    """``second`` is None where there is none, and ``why_not`` says why."""

    values: list[np.ndarray]
    names: list[str | None]
    first: list[np.ndarray]
    second: list[np.ndarray] | None
    why_not: str = ""


def flat(result: Any) -> list[Any]:
    """The tensors of a result, out of tuples, lists and named results."""
    if isinstance(result, (tuple, list, NamedResult)):
        return [tensor for part in result for tensor in flat(part)]
    return [result]


def weights(shape: tuple[int, ...], dtype: Any, start: float) -> np.ndarray:
    """Numbers to weigh entries with, so that no two gradients agree by accident."""
    return np.cos(start + np.arange(int(np.prod(shape)), dtype=np.float64)).reshape(shape).astype(dtype)


def script(texts: list[str]) -> str:
    """The samples as functions ``s0``, ``s1``, … of one script."""
    lines = []
    for number, text in enumerate(texts):
        call = read(text)
        lines.append(f"def s{number}({call.names}):\n    return {call.expression}\n")
    return with_prelude("\n".join(lines))


# -- autodiff ------------------------------------------------------------------------------------------


def compiled(texts: list[str]) -> list[Any]:
    """Each sample as a function of our tensors."""
    outcome = run_script(script(texts))
    if outcome.error is not None:
        raise outcome.error
    return [outcome.names[f"s{number}"] for number in range(len(texts))]


def leaf_of(array: np.ndarray, is_leaf: bool) -> Tensor:
    made = Tensor.of(float(array) if array.dtype == np.float64 and not array.ndim else array)
    if is_leaf:
        made.set_requires_grad()
    return made


class Run:
    """One forward run of a sample by autodiff, at its operands or at others."""

    def __init__(self, function: Any, call: Call, arrays: list[np.ndarray] | None = None) -> None:
        moved = iter(arrays or ())
        args = [
            leaf_of(next(moved) if arrays is not None and x.is_leaf else x.array, x.is_leaf)
            for x in call.operands
        ]
        self.leaves = [a for a in args if a.requires_grad]
        self.outputs = flat(function(*args))
        mode.site = None  # which the last line of the sample left
        self.values = [np.array(getattr(out, "data", out)) for out in self.outputs]
        self.differentiable = [out for out in self.outputs if isinstance(out, Tensor) and out.requires_grad]

    @property
    def names(self) -> list[str | None]:
        nodes = [out.grad_fn if isinstance(out, Tensor) else None for out in self.outputs]
        return [None if node is None else node.grad_fn_name for node in nodes]

    def seeds(self, asked: bool = False) -> list[Tensor]:
        return [leaf_of(weights(out.shape, out.data.dtype, 1.0), asked) for out in self.differentiable]

    def first(self, seeds: list[Tensor] | None = None, create_graph: bool = False) -> list[Any]:
        return list(
            grad(
                self.differentiable,
                self.leaves,
                seeds or self.seeds(),
                create_graph=create_graph,
                retain_graph=True,
                allow_unused=True,
            )
        )

    def second(self, seeds: list[Tensor], first: list[Any]) -> list[np.ndarray]:
        """Of the weighed first gradients, with respect to the operands and then to the seeds."""
        wanted = [*self.leaves, *seeds]
        weighed = [(g, i) for i, g in enumerate(first) if g is not None and g.requires_grad]
        if not weighed:
            return [np.zeros(x.shape) for x in wanted]
        again = grad(
            [g for g, _ in weighed],
            wanted,
            [leaf_of(weights(g.shape, g.data.dtype, 2.0 + i), False) for g, i in weighed],
            allow_unused=True,
        )
        return [array_of(g, x) for g, x in zip(again, wanted, strict=True)]


def array_of(gradient: Any, leaf: Any) -> np.ndarray:
    if gradient is None:
        return np.zeros(tuple(leaf.shape))
    return np.array(gradient.data) if isinstance(gradient, Tensor) else gradient.detach().numpy(force=True)


def ask_autodiff(function: Any, call: Call) -> Answers:
    """What autodiff has to say about a sample."""
    with np.errstate(all="ignore"):
        run = Run(function, call)
        if not run.differentiable:
            return Answers(run.values, run.names, [], [])
        plain = run.first()
        for g, x in zip(plain, run.leaves, strict=True):
            assert g is None or g.dtype is x.dtype, f"gradient of type {g.dtype.name}, of {x.dtype.name}"
        first = [array_of(g, x) for g, x in zip(plain, run.leaves, strict=True)]
        seeds = run.seeds(asked=True)
        try:
            lifted = run.first(seeds, create_graph=True)
            for once, g, leaf in zip(first, lifted, run.leaves, strict=True):
                check_close(array_of(g, leaf), once, "gradient that can be differentiated again")
            return Answers(run.values, run.names, first, run.second(seeds, lifted))
        except GradientError as error:
            return Answers(run.values, run.names, first, None, error.message)


# -- torch ---------------------------------------------------------------------------------------------


def compiled_by_torch(texts: list[str]) -> list[Any]:
    """Each sample as a function of torch's tensors."""
    import torch
    from ops.stand_ins import with_stand_ins

    names: dict[str, Any] = {"F": torch.nn.functional, "math": __import__("math")}
    exec(script(texts), names)
    names["torch"] = with_stand_ins()  # in place of what the script imports
    return [names[f"s{number}"] for number in range(len(texts))]


def ask_torch(function: Any, call: Call) -> Answers:
    """What torch has to say about a sample, with float64 as the default type, as autodiff has it."""
    import torch

    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ask_torch_in_double(function, call)
    finally:
        torch.set_default_dtype(before)


def ask_torch_in_double(function: Any, call: Call) -> Answers:
    import torch

    def tensor(array: np.ndarray, is_leaf: bool) -> Any:
        has_negative_strides = any(stride < 0 for stride in array.strides)
        made = torch.from_numpy(array.copy() if has_negative_strides else array)
        return made.requires_grad_() if is_leaf else made

    args = [tensor(x.array, x.is_leaf) for x in call.operands]
    leaves = [a for a in args if a.requires_grad]
    outputs = flat(function(*args))
    values = [
        out.detach().numpy().copy() if isinstance(out, torch.Tensor) else np.array(out) for out in outputs
    ]
    nodes = [out.grad_fn if isinstance(out, torch.Tensor) else None for out in outputs]
    names = [None if node is None else node.name().replace("torch::autograd::", "") for node in nodes]
    outputs = [out for out in outputs if isinstance(out, torch.Tensor) and out.requires_grad]
    if not outputs:
        return Answers(values, names, [], [])
    seeds = [
        torch.from_numpy(
            np.asarray(weights(tuple(out.shape), out.detach().numpy().dtype, 1.0))
        ).requires_grad_()
        for out in outputs
    ]
    plain = torch.autograd.grad(outputs, leaves, seeds, retain_graph=True, allow_unused=True)
    gradients = [array_of(g, leaf) for g, leaf in zip(plain, leaves, strict=True)]
    wanted = [*leaves, *seeds]
    try:
        first = torch.autograd.grad(outputs, leaves, seeds, create_graph=True, allow_unused=True)
        again = [(g, i) for i, g in enumerate(first) if g is not None and g.requires_grad]
        if not again:
            return Answers(values, names, gradients, [np.zeros(tuple(x.shape)) for x in wanted])
        starts = [
            torch.from_numpy(np.asarray(weights(tuple(g.shape), g.detach().numpy(force=True).dtype, 2.0 + i)))
            for g, i in again
        ]
        second = torch.autograd.grad([g for g, _ in again], wanted, starts, allow_unused=True)
    except (RuntimeError, NotImplementedError) as error:
        return Answers(values, names, gradients, None, str(error))
    return Answers(values, names, gradients, [array_of(g, x) for g, x in zip(second, wanted, strict=True)])


# -- comparing -----------------------------------------------------------------------------------------


def check_close(mine: np.ndarray, wanted: np.ndarray, what: str, relative: float = 1e-9) -> None:
    """Agreement to ``relative`` of the largest entry, or to what single precision gives."""
    assert mine.shape == wanted.shape, f"{what}: shape {mine.shape}, wanted {wanted.shape}"
    if wanted.dtype.kind not in "fc":
        assert np.array_equal(mine, wanted), f"{what}: {mine.tolist()}, wanted {wanted.tolist()}"
        return
    finite = np.isfinite(wanted)
    assert np.array_equal(mine[~finite], wanted[~finite], equal_nan=True), f"{what}: {mine}, wanted {wanted}"
    difference = float(np.max(np.abs(mine[finite] - wanted[finite]), initial=0.0))
    if np.float32 in (mine.dtype, wanted.dtype):
        relative = max(relative, SINGLE)
    absolute = 1e-12 if relative < 1e-6 else relative / 5
    allowed = relative * float(np.max(np.abs(wanted[finite]), initial=0.0)) + absolute
    assert difference <= allowed, f"{what}: off by {difference:.3g}\n{mine}\nwanted\n{wanted}"


def check_same(mine: Answers, theirs: Answers, is_single: bool = False, relative: float = 1e-9) -> None:
    """Everything a sample can be asked is the same on both sides."""
    if is_single:
        relative = SINGLE
    assert len(mine.values) == len(theirs.values), "number of outputs"
    for number, (x, y) in enumerate(zip(mine.values, theirs.values, strict=True)):
        assert x.dtype == y.dtype, f"type of output {number}: {x.dtype}, wanted {y.dtype}"
        check_close(x, y, f"output {number}", relative)
    assert mine.names == theirs.names, f"names: {mine.names}, wanted {theirs.names}"
    for number, (x, y) in enumerate(zip(mine.first, theirs.first, strict=True)):
        check_close(x, y, f"gradient of leaf {number}", relative)
    if mine.second is None:
        assert theirs.second is None, f"no second gradient: {mine.why_not}"
        assert mine.why_not == theirs.why_not
    elif theirs.second is not None:
        for number, (x, y) in enumerate(zip(mine.second, theirs.second, strict=True)):
            check_close(x, y, f"second gradient {number}", 1e-3 if is_single else relative)
