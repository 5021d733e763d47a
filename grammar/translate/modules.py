"""Takes the modules of a program apart: calls of layers, sequences of layers, classes with a ``forward``.

The single layers are in ``layers``, objects of classes in ``classes``; ``uses`` rewrites the places of use.
"""

from __future__ import annotations

from autodiff.grammar.syntax import tree
from autodiff.grammar.translate.layers import LAYER_ADVICE, LAYERS, LayerCall
from autodiff.grammar.translate.pasted_program import UNDERSCORE_LETTER, CannotRewriteError, PastedProgram
from autodiff.grammar.translate.rewritten_module import RewrittenModule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

INIT = f"{UNDERSCORE_LETTER}_init__"
#: Methods that set a model's device or mode. Chained to the call that makes the model, they change nothing.
CHAINED_METHODS = ("to", "cuda", "cpu", "double", "float", "train")
#: What to write for layers that a loop makes.
LIST_OF_LEAVES = (
    "write its layers one by one, or a list of leaves, `[torch.randn(8, 8, requires_grad=True) for i in"
    " range(10)]`, and a loop over it"
)
MODULE_BASES = ("torch.nn.Module", "torch.nn.modules.Module")


class ModuleTranslator:
    """Takes modules apart, one model at a time; ``training`` is the list that holds its mode."""

    __slots__ = ("F", "model_name", "pasted", "root", "torch", "training", "used_classes")

    def __init__(self, pasted: PastedProgram) -> None:
        self.pasted = pasted
        self.torch = pasted.short("torch")
        self.F = pasted.short("torch.nn.functional")
        self.model_name = ""
        self.root: Any = None  # the call that makes the model
        self.training = ""
        self.used_classes: set[str] = set()

    # -- what is a module ---------------------------------------------------------------------------

    def is_model_class(self, node: Any) -> bool:
        """Whether a class of the program derives from ``nn.Module``."""
        return isinstance(node, tree.ClassDef) and any(
            self.pasted.full(base) in MODULE_BASES for base in node.bases
        )

    def module_kind(self, node: Any) -> str:
        """Return what an expression makes: ``class``, ``layer``, or an empty string."""
        if not isinstance(node, tree.Call):
            return ""
        full = self.pasted.full(node.function)
        if self.is_model_class(self.pasted.classes.get(full)):
            return "class"
        module, _, name = full.rpartition(".")
        return "layer" if module in ("torch.nn", "torch.nn.modules") and name != "Parameter" else ""

    def constructor_call(self, node: Any) -> Any:
        """Return the call that makes the module in ``Net().to(device)``; None if none is made."""
        while (
            isinstance(node, tree.Call)
            and isinstance(node.function, tree.Attribute)
            and node.function.name in CHAINED_METHODS
        ):
            node = node.function.object
        return node if self.module_kind(node) else None

    # -- making -------------------------------------------------------------------------------------

    def make(self, node: tree.Call, name: str, text: Callable[[Any], str]) -> RewrittenModule:
        """Take apart the module that a call makes, under the name ``name``; ``text`` writes its arguments."""
        full = self.pasted.full(node.function)
        if full in self.pasted.classes:
            return self.translate_class(self.pasted.classes[full], node, name, text)
        kind = full.rpartition(".")[2]
        if kind in ("Sequential", "ModuleList"):
            return self.translate_sequence(kind, node, name, text)
        if kind not in LAYERS:
            advice = LAYER_ADVICE.get(kind, "write what it does with functions of `F` and leaves of your own")
            raise CannotRewriteError(node, f"`nn.{kind}`", advice)
        positional, keywords = argument_texts(node, text)
        order = LayerCall(
            node,
            kind,
            positional,
            keywords,
            lambda attribute: self.variable(name, attribute),
            (self.torch, self.F),
            self.mode,
        )
        return LAYERS[kind](order)

    def variable(self, owner: str, attribute: str) -> str:
        """Return a new variable for ``fc1.weight``, without the model's name if that is free."""
        joined = f"{owner}_{attribute}" if owner else attribute
        if owner == self.model_name or not owner:
            return self.pasted.new_name(joined, f"{self.model_name}_{attribute}")
        return self.pasted.new_name(joined, f"{self.model_name}_{joined}")

    def mode(self) -> str:
        """Return the text that says whether the model is being trained.

        It is an entry of a list, which functions can read and statements can change.
        """
        if not self.training:
            self.training = self.pasted.new_name("training", f"{self.model_name}_training")
        return f"{self.training}[0]"

    def translate_sequence(
        self, kind: str, node: tree.Call, name: str, text: Callable[[Any], str]
    ) -> RewrittenModule:
        """Take apart ``nn.Sequential(a, b)`` or ``nn.ModuleList([a, b])``."""
        made = RewrittenModule()
        inner: list[Any] = [argument.value for argument in node.arguments if not argument.star]
        if len(inner) != len(node.arguments):
            is_before = any(one.star and isinstance(one.value, tree.Name) for one in node.arguments)
            where = "a list made before" if is_before else "layers made in a loop"
            raise CannotRewriteError(node, f"`nn.{kind}` of {where}", LIST_OF_LEAVES)
        if kind == "ModuleList" or (
            inner and self.pasted.full(callee_of(inner[0])) == "collections.OrderedDict"
        ):
            held = inner[0] if inner else None
            if kind == "Sequential" and isinstance(held, tree.Call):
                held = held.arguments[0].value if held.arguments else None
            inner = list(display_elements(held))
            if not inner:
                what = f"`nn.{kind}` of layers made in a loop"
                raise CannotRewriteError(node, what, LIST_OF_LEAVES)
        for number, child in enumerate(inner):
            key, module = str(number), child
            if isinstance(child, tree.TupleDisplay) and len(child.elements) == 2:
                first, module = child.elements
                key = first.value if isinstance(first, tree.String) else key
            called = f"{name}_{key}" if name else key
            if self.module_kind(module):
                made.add_submodule(key, self.make(module, called, text))
            elif kind == "Sequential" and isinstance(module, tree.Name):
                made.add_submodule(key, existing_function(module.id))
            else:
                raise CannotRewriteError(
                    child, f"`{shortened(self.pasted.text(child))}` as a layer", "write its layers one by one"
                )
        parts = list(made.parts.values())
        if kind == "ModuleList":
            made.function = self.pasted.new_name(name, f"{self.model_name}_{name}")
            held = [part.as_function() for part in parts]
            made.lines += f"{made.function} = {list_text(held)}".split("\n")
            return made
        made.function = name if node is self.root else self.pasted.new_name(name, f"{self.model_name}_{name}")
        made.lines += [f"def {made.function}(x):", *chained_calls(parts)]
        function = made.function

        def apply(args: list[str]) -> str:
            return f"{function}({', '.join(args)})"

        made.apply = apply
        return made

    def translate_class(
        self, node: tree.ClassDef, call: tree.Call, name: str, text: Callable[[Any], str]
    ) -> RewrittenModule:
        from autodiff.grammar.translate.model_classes import ModelObject

        if node.name in self.used_classes and self.pasted.inside(call, tree.ClassDef) is node:
            raise CannotRewriteError(call, f"`{node.name}` inside of itself", "write the layers one by one")
        self.used_classes.add(node.name)
        return ModelObject(self, node, call, name, text).part


def existing_function(name: str) -> RewrittenModule:
    """Return the Part of a function that exists already."""
    return RewrittenModule(lambda args: f"{name}({', '.join(args)})", name)


def chained_calls(parts: list[RewrittenModule]) -> list[str]:
    """Return the body of a function that applies modules one after the other."""
    lines = [f"    x = {part.apply(['x'])}" for part in parts if part.apply is not None]
    if not lines:
        return ["    return x"]
    return [*lines[:-1], lines[-1].replace("x = ", "return ", 1)]


def list_text(elements: list[str]) -> str:
    """Return a list in one line, or with one element per line where that would be too long."""
    text = f"[{', '.join(elements)}]"
    if len(text) <= 80:
        return text
    return "\n".join(["[", *[f"    {element}," for element in elements], "]"])


def display_elements(node: Any) -> tuple[Any, ...]:
    return node.elements if isinstance(node, (tree.ListDisplay, tree.TupleDisplay)) else ()


def callee_of(node: Any) -> Any:
    """Return the expression that a call calls, or None if ``node`` is no call."""
    return node.function if isinstance(node, tree.Call) else None


def argument_texts(node: tree.Call, text: Callable[[Any], str]) -> tuple[list[str], dict[str, str]]:
    """Return the arguments of a call as texts: the positional ones, and the others by keyword."""
    positional, keywords = [], {}
    for argument in node.arguments:
        if argument.star:
            raise CannotRewriteError(node, "arguments from a list", "write the arguments one by one")
        if argument.keyword is None:
            positional.append(text(argument.value))
        else:
            keywords[argument.keyword] = text(argument.value)
    return positional, keywords


def shortened(text: str) -> str:
    """Return the first line of a text, cut to a length that fits into a message."""
    line = text.split("\n")[0]
    return line if len(line) <= 50 else line[:47] + "..."
