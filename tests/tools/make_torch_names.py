"""Writes ``grammar/objects/torch_names.txt``: what torch has and the language lacks.

Run ``python tests/tools/make_torch_names.py`` with torch installed; ``tests/grammar/objects/test_absent.py``
fails when the file is not what it writes. A line has the names of one module, or of the methods of a tensor.
"""

from __future__ import annotations

from pathlib import Path
from types import BuiltinFunctionType, FunctionType
from typing import Any

import autodiff.core.ops  # noqa: F401  - declares every function
import torch
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.objects import absent_table
from autodiff.grammar.objects.attributes import ATTRIBUTE_READERS, find_method
from autodiff.grammar.objects.builtins.namespaces import namespace
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import UNBOUND

TARGET = Path(absent_table.__file__).with_name("torch_names.txt")
MODULES = {
    "torch": torch,
    "torch.nn.functional": torch.nn.functional,
    "torch.linalg": torch.linalg,
    "torch.special": torch.special,
}


def lacks(owner: str, name: str) -> bool:
    """Whether nothing in the language has the name, and no rewrite of its own says what to write."""
    if absent_table.absent_entry(f"{owner}.{name}") is not None:
        return False
    if owner == "Tensor":
        return (Tensor, name) not in ATTRIBUTE_READERS and find_method(Tensor.of(1.0), name) is None
    return namespace(owner).find(name) is UNBOUND


def public(module: Any) -> list[str]:
    """The functions of a module, without its classes."""
    return [
        name
        for name, value in sorted(vars(module).items())
        if not name.startswith("_") and isinstance(value, (FunctionType, BuiltinFunctionType))
    ]


def table() -> str:
    runtime.start()  # a script before may have been about numpy's arrays, whose methods are others
    names = {owner: public(module) for owner, module in MODULES.items()}
    names["Tensor"] = [
        name
        for name in dir(torch.Tensor)
        if not name.startswith("_") and callable(getattr(torch.Tensor, name))
    ]
    lines = [" ".join([owner, *filter(lambda name: lacks(owner, name), of)]) for owner, of in names.items()]
    return "".join(f"{line}\n" for line in lines)


if __name__ == "__main__":
    TARGET.write_text(table())
