"""Writes functions as a script does: ``torch.exp``, ``np.exp``, ``math.exp`` or ``exp``.

Where the script's libraries lack a function, its value is written in functions that they have.
"""

from __future__ import annotations

import builtins
import math
import re

from autodiff.core.base.errors import Edit
from autodiff.core.base.source import Span
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.grammar.help.failure_scene import Scene, called_name, negated, with_parentheses
from autodiff.grammar.objects.builtins.namespaces import plain_namespace
from autodiff.grammar.objects.values import UNBOUND
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.imports import FUNCTIONAL, imported_names, module_prefix
from autodiff.grammar.syntax.walk import walk

#: The libraries, each with the name by which scripts here know it without an import.
LIBRARIES = {"torch": "torch", "numpy": "np", "math": "math"}
SPECIAL = "scipy.special"
#: Where else functions come from, in the order in which they are looked for.
OTHER_HOMES = (FUNCTIONAL, "numpy.linalg", SPECIAL, "math")
#: numpy's and scipy's names of functions that torch calls otherwise.
NUMPY_NAMES = {"asin": "arcsin", "atan": "arctan", "asinh": "arcsinh", "atanh": "arctanh", "amax": "max"}
SCIPY_NAMES = {"lgamma": "gammaln", "sigmoid": "expit"}
#: Functions that a library lacks, by functions that it has. ``{n}`` is its prefix, ``{minus}`` is ``-x``.
NUMPY_FORMS = {
    "softplus": "{n}logaddexp(0, {x})",
    "logsigmoid": "-{n}logaddexp(0, {minus})",
    "sigmoid": "{n}exp(-{n}logaddexp(0, {minus}))",
}
MATH_FORMS = {
    "softplus": "({n}log1p({n}exp(-abs({x}))) + max({x}, 0))",
    "logsigmoid": "-({n}log1p({n}exp(-abs({x}))) + max({minus}, 0))",
    "sigmoid": "{n}exp(-{n}log1p({n}exp(-abs({x}))) - max({minus}, 0))",
    "logaddexp": "(max({x}, {y}) + {n}log1p({n}exp(-abs({x} - {bracketed}))))",
}
MODULE_MEMBERS = frozenset(["nn", "autograd", "linalg", "special", "optim", "random", "stats"])
CALLED = re.compile(r"(?<![\w.])([A-Za-z]\w*)\(")


class LibraryWords:
    """The functions of a script's libraries, as the script writes them.

    ``module`` is the library: ``torch``, ``numpy``, ``math``, or empty for a script that calls functions
    without one. ``prefix`` stands before its functions.
    """

    __slots__ = ("imported", "module", "owners", "prefix", "scene")

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.imported = imported_names(scene.script)
        self.owners = {
            node.object.id
            for node in walk(scene.script)
            if isinstance(node, tree.Attribute) and isinstance(node.object, tree.Name)
        }
        prefixes = {module: self.prefix_of(module) for module in LIBRARIES}
        used = [module for module, prefix in prefixes.items() if prefix is not None]
        self.module = used[0] if used and (used[0] == "torch" or not self.calls_without_import()) else ""
        self.prefix = prefixes[self.module] or "" if self.module else ""

    def prefix_of(self, module: str) -> str | None:
        """Return what stands before a module's functions, empty if they are imported; None without them."""
        if prefix := module_prefix(self.imported, module):
            return prefix
        if self.members_of(module):
            return ""
        usual = LIBRARIES.get(module, module.rpartition(".")[2])
        return f"{usual}." if usual in self.owners else None

    def members_of(self, module: str) -> list[str]:
        """Return the members that are imported from a module, by their names in it; ``*`` for all."""
        parts = [name.rpartition(".") for name in self.imported]
        return [name for home, _, name in parts if home == module and name not in MODULE_MEMBERS]

    def calls_without_import(self) -> bool:
        """Whether the script calls a function that it neither defines nor imports."""
        if any(name.endswith(".*") for name in self.imported):
            return False
        known = {*self.imported.values(), *self.scene.bindings.functions, *vars(builtins)}
        return any(
            isinstance(node, tree.Call)
            and isinstance(node.function, tree.Name)
            and node.function.id not in known
            and node.function.id not in self.scene.bindings.assigned
            and has_function("torch", node.function.id)
            for node in walk(self.scene.script)
        )

    @property
    def is_of_tensors(self) -> bool:
        """Whether values have the methods of torch's tensors."""
        return self.module in ("torch", "")

    @property
    def forms(self) -> dict[str, str]:
        """What has the values of functions that the library lacks."""
        return {"numpy": NUMPY_FORMS, "math": MATH_FORMS}.get(self.module, {})

    @property
    def functional(self) -> str:
        """What stands before a function of ``torch.nn.functional``."""
        if prefix := module_prefix(self.imported, FUNCTIONAL):
            return prefix
        return "F." if "F" in self.owners else f"{FUNCTIONAL}." * bool(self.prefix)

    def name(self, function: str) -> str:
        """Return a function of torch as the script writes it; empty if its libraries lack it."""
        if self.is_of_tensors:
            return f"{self.prefix if has_function('torch', function) else self.functional}{function}"
        own = NUMPY_NAMES.get(function, function) if self.module == "numpy" else function
        return f"{self.prefix}{own}" if has_function(self.module, own) else self.name_elsewhere(function)

    def name_elsewhere(self, function: str) -> str:
        """Return a function that another library of the script has; empty if none has it."""
        for node in walk(self.scene.script):
            is_call = isinstance(node, tree.Call) and called_name(node) == function
            if (
                is_call and node.function not in self.scene.path
            ):  # which is there where there is no such member
                return self.scene.text(node.function)
        special = self.special(SCIPY_NAMES.get(function, function))
        if special and (function not in self.forms or self.prefix_of(SPECIAL) is not None):
            return special
        prefix = self.prefix_of("math")
        return f"{prefix}{function}" if prefix is not None and has_function("math", function) else ""

    def special(self, function: str) -> str:
        """Return a function of ``torch.special`` or ``scipy.special``; empty where the script has neither."""
        if self.module == "torch":
            return f"{module_prefix(self.imported, 'torch.special') or 'torch.special.'}{function}"
        prefix = self.prefix_of(SPECIAL) if self.imported else "special."  # without imports all is there
        return f"{prefix}{function}" if prefix is not None and has_function(SPECIAL, function) else ""

    def call(self, function: str, *operands: str) -> str:
        """Return a call of a function of torch, or what has its value; empty if neither can be written."""
        if name := self.name(function):
            return f"{name}({', '.join(operands)})"
        form = self.forms.get(function, "")
        x, y = (*operands, "0")[:2]
        return form.format(n=self.prefix, x=x, y=y, minus=negated(x), bracketed=with_parentheses(y))

    def filled(self, template: str, **parts: str) -> str:
        """Return a template with the functions that it calls, as in ``{sin}({x})``; empty if it lacks one."""
        names = {name: self.name(name) for name in re.findall(r"\{(\w+)\}\(", template)}
        return template.format(**names, **parts) if all(names.values()) else ""

    def bounded(self, x: str, side: str, bound: str) -> str:
        """Return ``x`` where it is at least (``side`` is ``min``) or at most (``max``) a bound, else this."""
        if self.is_of_tensors:
            return f"{with_parentheses(x)}.clamp({side}={bound})"
        if self.module == "math":
            return f"{'max' if side == 'min' else 'min'}({x}, {bound})"
        return f"{self.prefix}{'maximum' if side == 'min' else 'minimum'}({x}, {bound})"

    def norm(self, x: str, options: list[tuple[str, str]]) -> str:
        """Return the norm of an array; empty for scripts without arrays."""
        if self.module == "math":
            return ""
        if self.is_of_tensors:
            return f"{with_parentheses(x)}.norm({arguments(options, 'dim', 'keepdim')})"
        given = arguments([("", x), *options], "axis", "keepdims")
        home = module_prefix(self.imported, "numpy.linalg") or f"{self.prefix}linalg."
        return f"{home if self.prefix or '*' in self.members_of('numpy') else ''}norm({given})"

    def deviation(self, x: str) -> str:
        """Return the root of the mean square distance from the mean; empty for scripts without arrays."""
        if self.module == "numpy":
            return f"{self.prefix}std({x})"
        return f"{with_parentheses(x)}.std(correction=0)" if self.is_of_tensors else ""

    # -- functions of exponentials along a dimension ------------------------------------------------------

    def softmax(self, x: str, dim: str) -> str:
        if self.is_of_tensors:
            return f"{self.prefix}softmax({x}, {dim or 0})"
        options = [("dim", dim), ("keepdim", "True")] if dim else []
        shifted = f"{self.prefix}exp({x} - {self.reduced('max', x, options)})"
        return f"({shifted}/{self.reduced('sum', shifted, options)})" if self.module == "numpy" else ""

    def log_softmax(self, x: str, dim: str) -> str:
        if self.is_of_tensors:
            return f"{self.prefix}log_softmax({x}, {dim or 0})"
        total = self.logsumexp(x, [("dim", dim), ("keepdim", "True")] if dim else [])
        return f"({x} - {total})" if total else ""

    def logsumexp(self, x: str, options: list[tuple[str, str]]) -> str:
        """Return the logarithm of a sum of exponentials, over all entries where no option names some."""
        if self.is_of_tensors:
            return f"{self.prefix}logsumexp({x}, {arguments(options, '', 'keepdim') or 0})"
        if self.module == "math":
            return ""
        kept = [*[one for one in options if one[0] == "dim"], ("keepdim", "True")] if options else []
        shifted = f"{self.prefix}exp({x} - {self.reduced('max', x, kept)})"
        total = f"{self.prefix}log({self.reduced('sum', shifted, options)})"
        return f"({self.reduced('max', x, options)} + {total})"

    def logsumexp_of_list(self, x: str) -> str:
        """Return the logarithm of the sum of the exponentials of a list of numbers."""
        if self.module != "math":
            return self.logsumexp(x, [])
        exponentials = f"{self.prefix}exp(each - max({x})) for each in {x}"
        return f"(max({x}) + {self.prefix}log(sum({exponentials})))"

    def reduced(self, function: str, x: str, options: list[tuple[str, str]]) -> str:
        return f"{self.prefix}{function}({arguments([('', x), *options], 'axis', 'keepdims')})"

    # -- imports --------------------------------------------------------------------------------------------

    def import_edits(self, text: str) -> list[Edit]:
        """Return the edits that import what a text calls by its name alone, if others are imported so."""
        nodes = [node for node in walk(self.scene.script) if isinstance(node, tree.ImportFrom)]
        if not self.module or not nodes:
            return []
        starred = {node.module for node in nodes if ("*", None) in node.names}
        known = {*self.imported.values(), *self.scene.bindings.functions, *vars(builtins)}
        edits = []
        for name in dict.fromkeys(CALLED.findall(text)):
            homes = [home for home in (self.module, *OTHER_HOMES) if has_function(home, name)]
            if name in known or not homes or homes[0] in starred:
                continue
            given = next((node for node in nodes if node.module == homes[0]), None)
            if given is None:
                edits.append(Edit(end_of(nodes[-1]), f"\nfrom {homes[0]} import {name}"))
            else:
                inside = self.scene.text(given).rstrip(") \n,")
                at = given.span.start + len(inside)
                edits.append(Edit(Span(at, at), f", {name}"))
        return edits


def end_of(node: tree.SyntaxNode) -> Span:
    return Span(node.span.end, node.span.end)


def has_function(module: str, name: str) -> bool:
    """Whether a module has a function of this name."""
    if module == "math":
        return hasattr(math, name)
    if module.startswith("torch"):
        return f"{'F' if module == FUNCTIONAL else module}.{name}" in FUNCTIONS
    if module == "numpy.linalg":
        return name == "norm"
    namespace = plain_namespace(module)
    return namespace is not None and namespace.find(name) is not UNBOUND


def arguments(options: list[tuple[str, str]], dim: str, keepdim: str) -> str:
    """Return the text of arguments, ``(name, value)`` with torch's names; an empty name is for a position."""
    names = {"dim": dim, "keepdim": keepdim}
    return ", ".join(f"{names.get(name, name)}={value}".removeprefix("=") for name, value in options)
