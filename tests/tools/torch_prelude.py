"""Runs an `.ad` script as plain Python with PyTorch, which is the reference every script is held to.

The names the language has in reach are put where Python keeps its builtins, so what a script binds is
exactly what is left in its globals. Not modelled, because these rules are the language's own and not
Python's: a script without tensors (name its leaves with `leaves`), the error for a name bound nowhere
before anything runs, 64-bit checked ints, the random numbers themselves.
"""

from __future__ import annotations

import ast
import builtins
import io
import math
import re
import types
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

SCRIPT_NAME = "<script>"
# These are torch's where the first argument is a Tensor; every other builtin stays Python's.
SHARED_WITH_PYTHON = ("sum", "max", "min", "abs", "round", "pow", "all", "any")
FUNCTIONAL_API = ("jacobian", "hessian", "jvp", "vjp", "hvp", "vhp")
_MODULES = (torch, F, torch.linalg, torch.special)


@dataclass
class OracleResult:
    """What one run printed, warned about, bound and, if it failed, raised."""

    stdout: str = ""
    warnings: list[str] = field(default_factory=list)
    names: dict[str, Any] = field(default_factory=dict)
    error: BaseException | None = None


class Math:
    """Stand-in for ``IPython.display.Math``: the LaTeX text, shown outside a notebook by its type only."""

    def __init__(self, data: str) -> None:
        self.data = data

    def __repr__(self) -> str:
        return "<IPython.core.display.Math object>"


def display(*values: object) -> None:
    """Stand-in for ``IPython.display.display`` where there is no notebook: one repr to a line."""
    for value in values:
        print(repr(value))


def run_with_torch(
    source_text: str, *, dtype: str = "float64", seed: int = 0, leaves: Collection[str] | None = None
) -> OracleResult:
    """Run a script and report what it did; nothing of the run stays behind in torch's global state.

    ``leaves`` names top-level assignments of numbers or lists that become tensors with
    ``requires_grad=True``, which is how the language reads a script that builds no tensor.

    >>> result = run_with_torch("x = tensor([2.], requires_grad=True); (x * x).backward(); print(x.grad)")
    >>> result.stdout
    'tensor([4.])\\n'
    """
    result = OracleResult()
    script: dict[str, Any] = {"__name__": "__main__", "__builtins__": vars(builtins) | names_in_reach()}
    out = io.StringIO()
    # "default" is one warning per line, which is what somebody at a terminal sees.
    with pristine_torch(dtype, seed), warnings.catch_warnings(record=True) as seen, redirect_stdout(out):
        warnings.simplefilter("default")
        try:
            exec(compile(_parse(source_text, leaves or ()), SCRIPT_NAME, "exec"), script)
        except Exception as error:  # whatever the script raises is the result
            result.error = error
    result.stdout = out.getvalue()
    # What Python's compiler thinks of the script's style is no warning of the run.
    result.warnings = [str(warning.message) for warning in seen if warning.category is not SyntaxWarning]
    result.names = {name: value for name, value in script.items() if not name.startswith("__")}
    return result


def _parse(source_text: str, leaves: Collection[str]) -> ast.Module:
    # The lines are blanked rather than removed, so that line numbers in errors stay true. A __future__
    # import is legal only at the top of a file and changes nothing in this Python.
    text = re.sub(r"^(%.*|from __future__ import .*)$", "", source_text, flags=re.MULTILINE)
    tree = ast.parse(text, SCRIPT_NAME)
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]) if name in leaves:
                call = ast.Call(ast.Name("__leaf__", ast.Load()), [statement.value], [])
                statement.value = ast.copy_location(call, statement.value)
    return ast.fix_missing_locations(tree)


def _leaf(value: Any) -> torch.Tensor:
    return torch.tensor(value, dtype=torch.float64, requires_grad=True)


@contextmanager
def pristine_torch(dtype: str, seed: int) -> Iterator[None]:
    """Torch as a fresh process has it, and afterwards as it was found."""
    before = torch.get_default_dtype(), torch.is_grad_enabled(), torch.is_warn_always_enabled()
    rng_state = torch.get_rng_state()
    backward = torch.Tensor.backward
    torch.set_num_threads(1)  # sums in one order, run after run
    torch.set_default_dtype(getattr(torch, dtype))
    torch.set_grad_enabled(True)
    torch.set_warn_always(True)  # else what warns depends on the scripts that ran before
    torch.manual_seed(seed)
    torch.set_printoptions(profile="default")
    torch.autograd.set_detect_anomaly(False)
    torch.Tensor.backward = _with_retain_variables(backward)
    try:
        yield
    finally:
        torch.Tensor.backward = backward
        torch.set_printoptions(profile="default")
        torch.autograd.set_detect_anomaly(False)
        torch.set_rng_state(rng_state)
        torch.set_default_dtype(before[0])
        torch.set_grad_enabled(before[1])
        torch.set_warn_always(before[2])


def _with_retain_variables(backward: Callable[..., None]) -> Callable[..., None]:
    """``backward`` that also takes ``retain_variables``, the spelling torch had before ``retain_graph``."""

    def both_spellings(self: torch.Tensor, *args: Any, **kwargs: Any) -> None:
        if "retain_variables" in kwargs:
            kwargs["retain_graph"] = kwargs.pop("retain_variables")
        backward(self, *args, **kwargs)

    return both_spellings


@cache
def names_in_reach() -> dict[str, Any]:
    """Every name a script may use without an import, and the import function that binds the same ones."""
    names: dict[str, Any] = {}
    # Later ones win: torch's documented functions come before F's, F's before torch's bare kernels of the
    # same name (`torch.dropout` wants every argument), and those before linalg's and special's.
    for module in reversed(_MODULES):
        names |= {name: value for name, value in vars(module).items() if _is_public(value, name)}
    names |= {
        name: function
        for name, function in vars(F).items()
        if _is_public(function, name) and not getattr(torch, name, function).__doc__
    }
    # torch keeps stubs of these that only say where they went.
    names |= {name: getattr(torch.linalg, name) for name in ("solve", "lstsq", "eig", "matrix_rank")}
    names = {name: value for name, value in names.items() if not hasattr(builtins, name)}
    names |= {name: _shared(getattr(builtins, name), getattr(torch, name)) for name in SHARED_WITH_PYTHON}
    torch_here = _torch_with_zeros()
    names |= {name: getattr(torch_here, name) for name in _ZEROED}
    names |= {name: getattr(torch.autograd.functional, name) for name in FUNCTIONAL_API}
    names |= {
        "torch": torch_here,
        "F": F,
        "linalg": torch.linalg,
        "special": torch.special,
        "fft": torch.fft,
        "autograd": torch.autograd,
        "math": math,
        "np": np,
        "grad": torch.autograd.grad,
        "Function": torch.autograd.Function,
        "Variable": torch.autograd.Variable,
        "Math": Math,
        "display": display,
        "inf": math.inf,
        "nan": math.nan,
        "pi": math.pi,
        "e": math.e,
        "__leaf__": _leaf,
    }
    names["__import__"] = _importer(torch_here, dict(names))
    return names


def _is_public(value: object, name: str) -> bool:
    if name.startswith("_") or isinstance(value, types.ModuleType):
        return False
    return callable(value) or isinstance(value, torch.dtype)


def _shared(pythons: Callable[..., Any], torchs: Callable[..., Any]) -> Callable[..., Any]:
    """Python's function, and torch's where the first argument is a Tensor.

    max() and min() of several single numbers are Python's, whichever comes first.
    """

    def either(*args: Any, **kwargs: Any) -> Any:
        first = args[0] if args else kwargs.get("input")
        are_single = len(args) > 1 and kwargs.keys() <= {"key"} and all(map(_is_single_number, args))
        is_torchs = isinstance(first, torch.Tensor) and not (pythons in (max, min) and are_single)
        return (torchs if is_torchs else pythons)(*args, **kwargs)

    either.__name__ = pythons.__name__
    return either


def _is_single_number(value: object) -> bool:
    return not value.dim() if isinstance(value, torch.Tensor) else isinstance(value, (int, float))


# What torch leaves uninitialised is zeros in the language, since scripts have to repeat.
_ZEROED = ("Tensor", "FloatTensor", "DoubleTensor", "empty", "empty_like")


def _torch_with_zeros() -> types.ModuleType:
    """The torch a script sees: the real one but for the constructors that would leave memory unset."""
    module = types.ModuleType("torch")
    module.__path__ = []
    module.__getattr__ = lambda name: getattr(torch, name)
    module.Tensor = _old_constructor(torch.Tensor, None)
    module.FloatTensor = _old_constructor(torch.FloatTensor, torch.float32)
    module.DoubleTensor = _old_constructor(torch.DoubleTensor, torch.float64)
    module.empty = _filled(torch.empty)
    module.empty_like = _filled(torch.empty_like)
    return module


def _filled(make: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    def filled(*args: Any, **kwargs: Any) -> torch.Tensor:
        with torch.no_grad():
            return make(*args, **kwargs).zero_()

    return filled


def _old_constructor(constructor: Callable[..., Any], dtype: torch.dtype | None) -> Callable[..., Any]:
    def construct(*args: Any, **kwargs: Any) -> torch.Tensor:
        made = constructor(*args, **kwargs)
        sizes = args[0] if args and isinstance(args[0], torch.Size) else args
        is_unfilled = sizes and builtins.all(type(size) is int for size in sizes)
        return torch.zeros(*sizes, dtype=dtype) if is_unfilled else made

    return construct


def _importer(torch_here: types.ModuleType, names: dict[str, Any]) -> Callable[..., Any]:
    """``__import__`` for scripts: the torch above, a display module without IPython, the rest as it is."""
    star = types.ModuleType("torch")  # ``from torch import *`` binds what is in reach already
    vars(star).update(names)
    ipython = types.ModuleType("IPython")
    ipython.display = types.ModuleType("IPython.display")
    ipython.display.display = display
    ipython.display.Math = Math

    def import_module(
        name: str, globals: Any = None, locals: Any = None, fromlist: Collection[str] = (), level: int = 0
    ) -> Any:
        top, _, rest = name.partition(".")
        stand_in = {"torch": torch_here, "IPython": ipython}.get(top)
        if stand_in is None or level:
            return builtins.__import__(name, globals, locals, fromlist, level)
        if name == "torch" and "*" in (fromlist or ()):
            return star
        if not fromlist:
            return stand_in
        module = stand_in
        for part in filter(None, rest.split(".")):
            module = getattr(module, part)
        return module

    return import_module
