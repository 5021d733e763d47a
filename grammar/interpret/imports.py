"""Resolves imports. Most importable names are builtins already; an import can give them another name."""

from __future__ import annotations

from autodiff.core.base.errors import CompileError, Edit, Fix
from autodiff.core.base.lazy_imports import LazyModule
from autodiff.core.base.source import Source, Span
from autodiff.grammar.objects.values import UNBOUND, Namespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

did_you_mean = LazyModule("autodiff.core.base.did_you_mean")
absent_table = LazyModule("autodiff.grammar.objects.absent_table")

MODULES = (
    "torch",
    "torch.autograd",
    "torch.autograd.function",
    "torch.autograd.functional",
    "torch.nn",
    "torch.nn.functional",
    "torch.nn.parameter",
    "torch.linalg",
    "torch.special",
    "torch.cuda",
    "torch.optim",
    "torch.testing",
    "torch.utils.checkpoint",
    "math",
    "numpy",
    "numpy.random",
    "numpy.testing",
    "random",
    "IPython",
    "IPython.display",
    "__future__",
)


#: What takes the place of a library for fits.
FIT_ADVICE = (
    "fits are a command: write what is fitted as numbers, as in `a = 1.0`, and the residuals in the last"
    " line, as in `r = model(t, a, b) - v`; then `autodiff minimize SCRIPT --wrt a,b` has values and errors"
)
FIT_MODULES = ("scipy.optimize", "lmfit", "iminuit")
#: What takes the place of a library that measures slopes.
CHECK_ADVICE = (
    "checks are a command: delete the import and its call; `autodiff check SCRIPT` compares the gradient of"
    " its result with differences, and with `--formula @` those that the script computes by hand"
)
CHECK_MODULES = ("autograd.test_util", "jax.test_util", "numdifftools")
#: The modules that the error message names.
SUGGESTED_MODULES = ("torch", "math", "numpy")
#: What takes the place of a library for formulas.
SYMBOLIC_ADVICE = "give each variable a number, as in `x = 2.0`: `autodiff explain` derives the formula"
#: Modules under a wrong name, with the right one.
MODULE_ALIASES = {
    "pytorch": "torch",
    "torch.functional": "torch.nn.functional",
    "nn": "torch.nn",
    "np": "numpy",
}


def import_value(module: str, name: str | None, span: Span, full_module: str, is_plain: bool) -> Any:
    """The namespace ``module``, or its member ``name``; ``*`` brings in what is there already.

    ``is_plain``: the script has no tensors and is not written as torch, so it may import scipy.
    """
    from autodiff.grammar.objects.builtins.namespaces import namespace, plain_namespace

    found = plain_namespace(module) if is_plain and plain_namespace(full_module) is not None else None
    if found is None and full_module not in MODULES:
        from autodiff.grammar.objects.side_modules import side_value

        aside = side_value(module, name, full_module)
        if aside is not None:
            return aside
        importable, absent_namespace = absent_table.IMPORTABLE, absent_table.absent_namespace
        if full_module in importable and name is None and module != full_module and module in MODULES:
            return namespace(module)  # `import torch.utils.data` binds torch
        if full_module in importable:
            return absent_namespace(module if name in (None, "*") else f"{module}.{name}")
        raise absent_module(full_module, span)
    if f"{module}.{name}" in FIT_MODULES:
        raise absent_module(f"{module}.{name}", span)
    if full_module in FIT_MODULES and (found is None or name is None or found.find(name) is UNBOUND):
        raise absent_module(full_module, span)
    if module == "__future__":
        return None
    if found is None:
        found = namespace(module)
    if name is None or name == "*":
        return found
    value = found.find(name)
    if value is UNBOUND and f"{module}.{name}" in MODULES:
        value = namespace(f"{module}.{name}")
    if value is UNBOUND:
        return missing_member(found, name, span)
    return value


def absent_module(name: str, span: Span) -> CompileError:
    """The error for a module that scripts cannot import."""
    helps = [f"scripts import from {', '.join(SUGGESTED_MODULES[:-1])} and {SUGGESTED_MODULES[-1]}"]
    if name.partition(".")[0] == "sympy":
        helps.append(SYMBOLIC_ADVICE)
    if name in FIT_MODULES:
        helps = [FIT_ADVICE]
    if name in CHECK_MODULES:
        helps = [CHECK_ADVICE]
    near = MODULE_ALIASES.get(name) or did_you_mean.closest_name(name, [*MODULES, *absent_table.IMPORTABLE])
    return CompileError(
        f"No module named '{name}'",
        code="E0211",
        caret=f"`{name}` cannot be imported",
        help=tuple(helps),
        fixes=() if name in (*FIT_MODULES, *CHECK_MODULES) else (Fix("delete the line", Edit(span, "pass")),),
        span=span,
        repair_context=(name, near),
    )


def missing_member(module: Namespace, name: str, span: Span) -> Namespace:
    """Return the stand-in that ``from torch.nn import Linear`` binds; reject unknown names."""
    from autodiff.grammar.objects.absent_table import absence_error, absent_namespace

    full = f"{module.name}.{name}"
    missing = absence_error(full)
    if missing is not None and module.name not in ("torch", "numpy"):
        return absent_namespace(full)
    meant = did_you_mean.closest_name(name, module.names())
    raise CompileError(
        f"cannot import name '{name}' from '{module.name}'",
        code="E0211",
        caret=f"`{module.name}` has no `{name}` here",
        help=missing.help if missing is not None and not meant else (),
        span=span,
        repair_context=(name, meant),
    )


def point_at_name(error: CompileError, source: Source) -> None:
    """Move the caret of a rejected import to the name, and propose a fix if the intended name is known."""
    import re

    name, meant = error.repair_context
    assert error.span is not None
    found = re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", source.excerpt(error.span).partition("#")[0])
    if found is None:  # there are blanks around the dots in the script
        return
    start = error.span.start + found.start()
    error.span = Span(start, start + len(name))
    if meant:
        uses = re.finditer(rf"(?<![\w.]){re.escape(name)}(?!\w)", source.text)
        edits = [Edit(Span(use.start(), use.end()), meant) for use in uses if use.start() >= start]
        error.fixes = (Fix(f"did you mean `{meant}`?", *edits),)


def star_import_names(module: str) -> list[str]:
    """Return the names that ``from module import *`` binds; the module's names differ from the builtins."""
    from autodiff.grammar.objects.builtins.namespaces import namespace, plain_namespace

    plain = plain_namespace(module)
    return sorted({*namespace(module).names(), *(plain.names() if plain is not None else ())})


def star_import_value(module: str, name: str, is_plain: bool, find_builtin: Callable[[str], Any]) -> Any:
    """Return the value that ``from module import *`` gives a name: the builtin where the module has none."""
    from autodiff.grammar.objects.builtins.namespaces import namespace, plain_namespace

    value = ((plain_namespace(module) if is_plain else None) or namespace(module)).find(name)
    return find_builtin(name) if value is UNBOUND else value
