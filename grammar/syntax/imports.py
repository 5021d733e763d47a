"""What a script's imports call ``torch.nn.functional``."""

from __future__ import annotations

from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

FUNCTIONAL = "torch.nn.functional"


def functional_prefix(script: tree.Script) -> str:
    """Return ``F.`` or what the script's imports make of it; empty where it imports no torch.

    ``F`` is known here without an import, but the script may run under PyTorch too.
    """
    names: dict[str, str] = {}  # of each imported module
    for node in walk(script):
        if isinstance(node, tree.Import):
            for module, alias in node.names:
                bound = module if alias else module.partition(".")[0]
                names.setdefault(bound, alias or bound)
        elif isinstance(node, tree.ImportFrom):
            for name, alias in node.names:
                names.setdefault(f"{node.module}.{name}", alias or name)
    for module in (FUNCTIONAL, "torch.nn", "torch"):
        if module in names:
            return f"{names[module]}{FUNCTIONAL.removeprefix(module)}."
    return ""
