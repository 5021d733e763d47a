"""The typed stubs of ``autodiff.core`` and the modules of functions, written from the registry for editors.

``python -m autodiff.core.interface`` writes them. A stub stands beside its module, and type checkers read it
instead of the module, so its class ``Tensor`` has what Python programs use and nothing of the engine.
"""

from __future__ import annotations

import inspect
import re
from inspect import Parameter, Signature
from keyword import iskeyword

from autodiff.core.engine.public_functions import FUNCTIONS, IN_PLACE, METHODS, PublicFunction
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.dtypes import DTYPES
from autodiff.core.graph.op import Op
from autodiff.core.interface.functions import as_method, signature_of
from autodiff.core.interface.methods import install_methods
from autodiff.core.interface.names import DEFINED, SEARCHED, public_names
from autodiff.core.interface.operators import OPERATORS
from autodiff.core.methods.bookkeeping import TENSOR_ATTRIBUTES
from autodiff.core.methods.lookup import TENSOR_METHODS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

WRITTEN = "# Written by `python -m autodiff.core.interface` from the registry of functions.\n"

#: The file of each module of functions, below the package ``autodiff``.
PATHS = {module: f"{module.replace('.', '/')}.pyi" for module in SEARCHED} | {"core": "core/__init__.pyi"}

#: The type of a parameter, by its kind.
KIND_TYPES = {
    "value": "Tensor | float",
    "tensor": "Tensor",
    "tensors": "Sequence[Tensor]",
    "int": "int",
    "float": "float",
    "bool": "bool",
    "ints": "int | Sequence[int]",
    "size": "Sequence[int]",
    "sizes": "int | Sequence[int]",
    "dtype": "DType | type[Any]",
    "str": "str",
    "any": "Any",
}

#: The types of parameters that take any number of arguments.
VARIADIC_TYPES = KIND_TYPES | {"tensors": "Tensor | Sequence[Tensor]"}

#: The types of results that implementations declare; ``Any`` stands for the others.
RESULT_TYPES = frozenset(["Tensor", "tuple[Tensor, ...]", "NamedResult", "bool", "DType", "None"])

#: The methods and attributes of the engine's class that belong to the language.
OWN_METHODS = ("backward", "detach", "item", "retain_grad", "tolist")
OWN_ATTRIBUTES = ("T", "data", "dtype", "grad_fn", "is_leaf", "ndim", "retains_grad", "shape")

#: The signatures of operators and conversions that do not take one operand and return a tensor.
OPERATOR_SIGNATURES = {
    **dict.fromkeys(("__abs__", "__invert__", "__neg__", "__pos__"), "(self) -> Tensor"),
    "__array__": "(self, dtype: Any = ..., copy: bool | None = ...) -> np.ndarray[Any, Any]",
    "__bool__": "(self) -> bool",
    "__contains__": "(self, value: Tensor | float) -> bool",
    "__float__": "(self) -> float",
    "__format__": "(self, spec: str, /) -> str",
    "__getitem__": "(self, index: Any) -> Tensor",
    "__index__": "(self) -> int",
    "__int__": "(self) -> int",
    "__iter__": "(self) -> Iterator[Tensor]",
    "__len__": "(self) -> int",
    "__matmul__": "(self, other: Tensor) -> Tensor",
    "__setitem__": "(self, index: Any, value: Tensor | float) -> None",
}

CORE_HEAD = """
import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from autodiff.core import linalg as linalg
from autodiff.core import nn as nn
from autodiff.core import special as special
from autodiff.core.engine.custom_function import Function as Function
from autodiff.core.engine.hooks import HookHandle
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.graph.device import Device
from autodiff.core.graph.dtypes import DType
from autodiff.core.graph.node import Node
from autodiff.core.graph.state import enable_grad as enable_grad
from autodiff.core.graph.state import no_grad as no_grad
from autodiff.core.graph.state import set_grad_enabled as set_grad_enabled

class Tensor:
"""

HEAD = """
import builtins
from collections.abc import Sequence
from typing import Any

from autodiff.core import Tensor
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.graph.dtypes import DType

"""


def stub(module: str) -> str:
    """Return the text of the stub of a module of functions, such as ``core.linalg``."""
    install_methods()
    lines = [*class_lines(), ""] if module == "core" else []
    for name in public_names(module):
        if module == "core" and name in DTYPES:
            lines.append(f"{name}: DType")
        elif module == "core" and name in DEFINED:
            if name in ("grad", "tensor"):
                lines += python_lines(name, DEFINED[name], Signature.from_callable(DEFINED[name]))
        else:
            lines += function_lines(name, first_found(module, name), signature_of(first_found(module, name)))
    return WRITTEN + (CORE_HEAD if module == "core" else HEAD) + "\n".join(lines) + "\n"


def first_found(module: str, name: str) -> PublicFunction:
    """Return the function that ``name`` is in a module of functions."""
    keys = [f"{namespace}.{name}" for namespace in SEARCHED[module]]
    return FUNCTIONS[next(key for key in keys if key in FUNCTIONS)]


def class_lines() -> Iterator[str]:
    """Yield the body of the class Tensor."""
    yield from ("    grad: Tensor | None", "    requires_grad: builtins.bool")
    for name in sorted({*OWN_ATTRIBUTES, *TENSOR_ATTRIBUTES}):
        read = TENSOR_ATTRIBUTES.get(name) or vars(Tensor)[name].fget
        result = in_builtins(read.__annotations__["return"])
        yield from ("    @property", f"    def {name}(self) -> {result}: ...")
    for name in sorted(name for name in {*vars(Tensor), *OPERATORS} if is_operator(name)):
        usual = "(self, other: Tensor | float) -> Tensor"
        ignored = "  # type: ignore[override]" if name in ("__eq__", "__ne__") else ""
        yield f"    def {name}{in_builtins(OPERATOR_SIGNATURES.get(name, usual))}: ...{ignored}"
    for name in sorted({*OWN_METHODS, *TENSOR_METHODS, *METHODS, *IN_PLACE}):
        if name in OWN_METHODS or name in TENSOR_METHODS:
            method = vars(Tensor)[name]
            lines = python_lines(name, method, Signature.from_callable(method))
        else:
            function = METHODS.get(name) or IN_PLACE[name]
            lines = function_lines(name, function, as_method(signature_of(function)), name in IN_PLACE)
        yield from ("    " + line for line in lines)


def is_operator(name: str) -> bool:
    """Whether a name of the class is that of an operator or a conversion; ``__repr__`` and others are not."""
    if name in OPERATORS or name in OPERATOR_SIGNATURES:
        return True
    defined = vars(Tensor)[name]
    return name[:2] == "__" and inspect.isfunction(defined) and name not in ("__repr__", "__hash__")


def function_lines(
    name: str, function: PublicFunction, signature: Signature, is_in_place: bool = False
) -> list[str]:
    """Return the stub of a public function or of a method made from it."""
    types = {}
    for parameter in function.parameters:
        table = VARIADIC_TYPES if parameter.variadic else KIND_TYPES
        types[parameter.name] = table[parameter.kind]
    types["device"] = "Any"
    parameters = [p.replace(annotation=types.get(p.name, p.empty)) for p in signature.parameters.values()]
    result = "Tensor" if is_in_place else result_type(function)
    return definition(name, Signature(parameters), result, function.doc)


def result_type(function: PublicFunction) -> str:
    """Return the type of a function's results, as far as its implementation declares it."""
    if isinstance(function.implementation, Op):
        return "Tensor"
    declared = str(getattr(function.implementation, "__annotations__", {}).get("return"))
    return declared if declared in RESULT_TYPES else "Any"


def python_lines(name: str, function: Callable[..., Any], signature: Signature) -> list[str]:
    """Return the stub of a function of Python, whose annotations are texts."""
    first, *others = signature.parameters.values()
    if name in TENSOR_METHODS:
        first = first.replace(name="self", annotation=Parameter.empty)
    result = signature.return_annotation
    declared = str(result) if result is not Signature.empty else "Tensor"
    return definition(name, Signature([first, *others]), declared, function.__doc__ or "")


def definition(name: str, signature: Signature, result: str, doc: str) -> list[str]:
    """Return the lines of a function with its signature and the first line of its docstring."""
    shown: list[str] = []
    kinds = [parameter.kind for parameter in signature.parameters.values()]
    for place, parameter in enumerate(signature.parameters.values()):
        if parameter.kind is Parameter.KEYWORD_ONLY and not {
            Parameter.KEYWORD_ONLY,
            Parameter.VAR_POSITIONAL,
        } & {*kinds[:place]}:
            shown.append("*")
        shown.append(parameter_text(parameter))
        is_last_by_position = parameter.kind not in kinds[place + 1 :]
        if parameter.kind is Parameter.POSITIONAL_ONLY and is_last_by_position:
            shown.append("/")
    head = f"def {name}({', '.join(shown)}) -> {in_builtins(result)}:"
    sentence = doc.strip().partition("\n")[0]
    return [head, f"    {docstring(sentence)}"] if sentence else [f"{head} ..."]


def parameter_text(parameter: Parameter) -> str:
    """Return a parameter with its type and default; a keyword of Python gets an underscore behind it."""
    name = parameter.name + "_" * iskeyword(parameter.name)
    text = "*" * (parameter.kind is Parameter.VAR_POSITIONAL) + name
    if parameter.annotation is Parameter.empty:
        return text if parameter.default is Parameter.empty else f"{text}: Any = {parameter.default!r}"
    declared = in_builtins(str(parameter.annotation))
    if parameter.default is Parameter.empty:
        return f"{text}: {declared}"
    is_wider = parameter.default is None and "None" not in declared and declared != "Any"
    return f"{text}: {declared}{' | None' if is_wider else ''} = {parameter.default!r}"


def docstring(sentence: str) -> str:
    """Return a sentence as a docstring."""
    return ("r" if "\\" in sentence else "") + f'"""{sentence}"""'


def in_builtins(annotation: str) -> str:
    """Return an annotation with Python's types by full name: a method or a dtype may have the short one."""
    return re.sub(r"(?<![\w.])(bool|float|int|str|tuple|type)\b", r"builtins.\1", annotation)
