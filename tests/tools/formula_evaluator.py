"""Computes printed formulas: with plain numpy, in which the engine has no part, and as a line of a script."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.linalg
from autodiff.core.base.source import Source
from autodiff.core.paths.node_names import NodeNames
from autodiff.core.report.records import ReportedPass
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.run import Settings


def as_dims(dim: Any) -> Any:
    return tuple(dim) if isinstance(dim, (list, tuple)) else dim


def add_up(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return np.sum(x, axis=as_dims(dim), keepdims=keepdim)


def average(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return np.mean(x, axis=as_dims(dim), keepdims=keepdim)


def index_add(x: Any, dim: int, index: Any, source: Any) -> Any:
    """``x`` with slices added at places that may be named more than once."""
    made = np.array(x)
    np.add.at(made, (slice(None),) * dim + (index,), source)
    return made


def index_copy(x: Any, dim: int, index: Any, source: Any) -> Any:
    made = np.array(x)
    made[(slice(None),) * dim + (index,)] = source
    return made


def slice_scatter(x: Any, source: Any, dim: int, start: int, stop: int, step: int = 1) -> Any:
    made = np.array(x)
    made[(slice(None),) * dim + (slice(start, stop, step),)] = source
    return made


def select_scatter(x: Any, source: Any, dim: int, at: int) -> Any:
    made = np.array(x)
    made[(slice(None),) * dim + (at,)] = source
    return made


def softmax(x: Any, dim: int) -> Any:
    e = np.exp(x - np.max(x, axis=dim, keepdims=True))
    return e / e.sum(axis=dim, keepdims=True)


def log_softmax(x: Any, dim: int) -> Any:
    shifted = x - np.max(x, axis=dim, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=dim, keepdims=True))


def logsumexp(x: Any, dim: Any, keepdim: bool = False) -> Any:
    return np.log(np.sum(np.exp(x), axis=as_dims(dim), keepdims=keepdim))


def nll_loss(logs: Any, target: Any, reduction: str = "mean") -> Any:
    losses = -logs[np.arange(len(target)), target]
    return losses if reduction == "none" else getattr(losses, reduction)()


def mse_loss(x: Any, y: Any, reduction: str = "mean") -> Any:
    losses = (x - y) ** 2
    return losses if reduction == "none" else getattr(losses, reduction)()


def smooth_l1_loss(x: Any, y: Any, reduction: str = "mean", beta: float = 1.0) -> Any:
    apart = np.abs(x - y)
    losses = np.where(apart < beta, apart**2 / 2 / beta, apart - beta / 2)
    return losses if reduction == "none" else getattr(losses, reduction)()


def norm(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return np.sqrt(np.sum(np.square(x), axis=as_dims(dim), keepdims=keepdim))


NUMPY = (
    *("exp", "log", "sin", "cos", "tan", "tanh", "sqrt", "where", "reshape", "abs", "sign", "isnan"),
    *(
        "arange",
        "eye",
        "linspace",
        "s_",
        "nan",
        "inf",
        "einsum",
        "flip",
        "sinh",
        "cosh",
        "einsum",
        "flip",
        "clip",
        "maximum",
        "minimum",
    ),
)


def along_dims(reduce: Any) -> Any:
    """A reduction of numpy's with torch's words for its arguments."""

    def reduced(x: Any, dim: Any = None, keepdim: bool = False, **others: Any) -> Any:
        options = {"ddof": others.pop("correction")} if "correction" in others else {}
        assert not others
        return reduce(x, axis=as_dims(dim), keepdims=keepdim, **options)

    return reduced


FUNCTIONS: dict[str, Any] = {
    **{name: getattr(np, name) for name in NUMPY},
    **{name: along_dims(getattr(np, name)) for name in ("amax", "amin", "prod", "std", "var")},
    "sum": add_up,
    "mean": average,
    "ones": lambda *shape: np.ones(shape),
    "expand": np.broadcast_to,
    "cumsum": lambda x, dim: np.cumsum(x, axis=dim),
    "index_add": index_add,
    "index_copy": index_copy,
    "select_scatter": select_scatter,
    "slice_scatter": slice_scatter,
    "full": np.full,
    "zeros": lambda *shape: np.zeros(shape),
    "det": np.linalg.det,
    "inv": np.linalg.inv,
    "log_softmax": log_softmax,
    "logsumexp": logsumexp,
    "nll_loss": nll_loss,
    "mse_loss": mse_loss,
    "smooth_l1_loss": smooth_l1_loss,
    "gather": lambda x, dim, index: np.take_along_axis(x, index, axis=dim),
    "addmm": lambda x, a, b, beta, alpha: beta * x + alpha * (a @ b),
    "leaky_relu": lambda x, negative_slope: np.where(x > 0, x, negative_slope * x),
    "softplus": lambda x, beta, threshold: np.log1p(np.exp(beta * x)) / beta,
    "unsqueeze": lambda x, dim: np.expand_dims(x, dim),
    "squeeze": lambda x, dim: np.squeeze(x, dim),
    "solve": np.linalg.solve,
    "matrix_exp": scipy.linalg.expm,
    "erf": np.vectorize(math.erf),
    "gelu": lambda x: x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2,
    "silu": lambda x: x / (1 + np.exp(-x)),
    "elu": lambda x, alpha=1.0: np.where(x > 0, x, alpha * np.expm1(x)),
    "logsigmoid": lambda x: -np.logaddexp(0, -x),
    "tensor": np.asarray,
    "softmax": softmax,
    "norm": norm,
    "outer": np.outer,
    "repeat": np.tile,
    "stack": lambda tensors, dim: np.stack(tensors, axis=dim),
    "cat": lambda tensors, dim: np.concatenate(tensors, axis=dim),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "acos": np.arccos,
    "clamp_min": np.maximum,
    "clamp_max": np.minimum,
    "one_hot": lambda targets, classes: np.eye(classes)[targets],
}
FUNCTIONS["torch"] = SimpleNamespace(**FUNCTIONS)


def value_of_text(formula: str, values: Mapping[str, Any]) -> Any:
    """The value of a formula with these variables, by numpy alone."""
    formula, used = with_plain_names(formula, values)
    with np.errstate(all="ignore"):
        return eval(formula, {"__builtins__": {}}, {**FUNCTIONS, **used})


def value_in_language(formula: str, values: Mapping[str, Any]) -> Any:
    """The value of a formula that is the last line of a script, after one for each of its variables."""
    formula, used = with_plain_names(formula, values)
    lines = [f"{name} = torch.tensor({x.tolist()}, dtype=torch.{x.dtype})" for name, x in used.items()]
    source = Source("\n".join([*lines, f"value_of_the_formula = {formula}"]), "formula.ad")
    made = execute(source, Settings(), discard_text, discard_warning).names["value_of_the_formula"]
    return getattr(made, "data", made)


def with_plain_names(formula: str, values: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The formula with ``params_0_`` for ``params[0]``, and the values of the variables that it has."""
    used = {}
    for name, value in values.items():
        plain = re.sub(r"\W", "_", name)
        formula, count = re.subn(rf"(?<![\w.]){re.escape(name)}(?!\w)", plain, formula)
        if count:
            used[plain] = np.asarray(value)
    return formula, used


def variables_of(subject: ReportedPass, names: NodeNames) -> dict[str, Any]:
    """The variables a formula may have: those that have one value, and what weighs the output."""
    known = {
        name: node.out
        for node, name in names.of.items()
        if node.name is not None
        and not names.has_versions(node)
        and (subject.variables is None or re.split(r"[.\[]", name)[0] in subject.variables)
    }
    variables = subject.variables or ()
    constants = {name: value for name, value in subject.constants.items() if name in variables}
    return {**constants, **known, "G": subject.seed}


def assert_formula_gives(formula: str, gradient: Any, size: Any, variables: dict[str, Any]) -> None:
    """Computed with plain numpy, and as a line of a script that has the variables and no more."""
    bound = 1e-9 * size + 1e-13 * np.max(size, initial=0.0)
    for evaluate in (value_of_text, value_in_language):
        computed = np.broadcast_to(evaluate(formula, variables), gradient.shape)
        assert (np.abs(computed - gradient) <= bound).all(), (formula, computed, gradient)
