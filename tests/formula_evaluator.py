"""Computes printed formulas with plain numpy: the engine has no part in what it is compared with."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

VERSION = re.compile(r"(\w)'(\d+)")


def as_dims(dim: Any) -> Any:
    return tuple(dim) if isinstance(dim, (list, tuple)) else dim


def add_up(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return np.sum(x, axis=as_dims(dim), keepdims=keepdim)


def average(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return np.mean(x, axis=as_dims(dim), keepdims=keepdim)


def embed(value: Any, at: Any, shape: tuple[int, ...]) -> Any:
    """Zeros with ``value`` at one place."""
    made = np.zeros(shape)
    made[at] = value
    return made


def embed_add(value: Any, at: Any, shape: tuple[int, ...]) -> Any:
    """Zeros with ``value`` added at places that may be named more than once."""
    made = np.zeros(shape)
    np.add.at(made, at if isinstance(at, tuple) else (at,), value)
    return made


def cumsum(x: Any, dim: int, reverse: bool = False) -> Any:
    if reverse:
        return np.flip(np.cumsum(np.flip(x, dim), axis=dim), dim)
    return np.cumsum(x, axis=dim)


def softmax(x: Any, dim: int) -> Any:
    e = np.exp(x - np.max(x, axis=dim, keepdims=True))
    return e / e.sum(axis=dim, keepdims=True)


def standardize(x: Any, dim: int, eps: float) -> Any:
    centred = x - np.mean(x, axis=dim, keepdims=True)
    return centred / np.sqrt(np.mean(centred**2, axis=dim, keepdims=True) + eps)


def norm(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return np.sqrt(np.sum(np.square(x), axis=as_dims(dim), keepdims=keepdim))


NUMPY = (
    *("exp", "log", "sin", "cos", "tan", "tanh", "sqrt", "where", "reshape", "abs", "sign", "isnan"),
    *("arange", "eye", "linspace", "s_", "nan", "inf"),
)
FUNCTIONS: dict[str, Any] = {
    **{name: getattr(np, name) for name in NUMPY},
    "sum": add_up,
    "mean": average,
    "ones": lambda *shape: np.ones(shape),
    "expand": np.broadcast_to,
    "embed": embed,
    "embed_add": embed_add,
    "cumsum": cumsum,
    "einsum": lambda *operands, equation: np.einsum(equation, *operands),
    "unsqueeze": lambda x, dim: np.expand_dims(x, dim),
    "index": lambda x, indices: np.asarray(x)[indices],
    "solve": np.linalg.solve,
    "cofactor": lambda x: np.linalg.det(x) * np.linalg.inv(x).T,
    "erf": np.vectorize(math.erf),
    "tensor": lambda x, **_: np.asarray(x),
    "softmax": softmax,
    "norm": norm,
    "outer": np.outer,
    "standardize": standardize,
    "stack": lambda *x, dim: np.stack(x, axis=dim),
    "zero": np.zeros_like,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "acos": np.arccos,
    "one_hot": lambda targets, classes: np.eye(classes)[targets],
}
FUNCTIONS["torch"] = SimpleNamespace(**FUNCTIONS)


def value_of_text(formula: str, values: Mapping[str, Any], where: Mapping[str, str] | None = None) -> Any:
    """The value of a formula; ``where`` has the meanings of names that it invents for what is written so."""
    formula = VERSION.sub(r"\1_\2", formula)
    names = {**FUNCTIONS, **{VERSION.sub(r"\1_\2", name): np.asarray(x) for name, x in values.items()}}
    with np.errstate(all="ignore"):
        for name, meaning in (where or {}).items():
            if re.search(rf"\b{re.escape(name)}\b", formula):
                names[name] = eval(VERSION.sub(r"\1_\2", meaning), {"__builtins__": {}}, names)
        return eval(formula, {"__builtins__": {}}, names)
