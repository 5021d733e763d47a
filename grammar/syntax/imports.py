"""What a script's imports call modules and their members."""

from __future__ import annotations

from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

FUNCTIONAL = "torch.nn.functional"


def imported_names(script: tree.Script) -> dict[str, str]:
    """Return the first name of each imported module and member, by its full name; that of stars is empty."""
    names: dict[str, str] = {}
    for node in walk(script):
        if isinstance(node, tree.Import):
            for module, alias in node.names:
                bound = module if alias else module.partition(".")[0]
                names.setdefault(bound, alias or bound)
        elif isinstance(node, tree.ImportFrom):
            for name, alias in node.names:
                names.setdefault(f"{node.module}.{name}", "" if name == "*" else alias or name)
    return names


def module_prefix(names: dict[str, str], module: str) -> str:
    """Return what stands before members of a module, such as ``F.``; empty where it is not imported.

    ``names`` are those of ``imported_names``.
    """
    outer = module
    while outer:
        if names.get(outer):
            return f"{names[outer]}{module.removeprefix(outer)}."
        outer = outer.rpartition(".")[0]
    return ""


def functional_prefix(script: tree.Script) -> str:
    """Return ``F.`` or what the script's imports make of it; empty where it imports no torch.

    ``F`` is known here without an import, but the script may run under PyTorch too.
    """
    return module_prefix(imported_names(script), FUNCTIONAL)
