"""Rewrites one object of a class with a ``forward``: its members as variables, its methods as functions.

The layers and sequences that ``__init__`` makes are taken apart by ``models``.
"""

from __future__ import annotations

from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk
from autodiff.grammar.translate.layers import as_factor
from autodiff.grammar.translate.modules import INIT, ModuleTranslator, argument_texts, shortened
from autodiff.grammar.translate.pasted_program import CannotRewriteError
from autodiff.grammar.translate.rewritten_module import RewrittenModule
from autodiff.grammar.translate.weight_init import init_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeGuard


REGISTERS = ("register_buffer", "register_parameter")


class ModelObject:
    """One object of a model class; ``part`` is what its ``__init__`` and methods are rewritten to."""

    __slots__ = (
        "call",
        "is_root",
        "known",
        "methods",
        "methods_to_write",
        "name",
        "node",
        "outer_text",
        "owner",
        "part",
        "pasted",
        "translator",
    )

    def __init__(
        self,
        shop: ModuleTranslator,
        node: tree.ClassDef,
        call: tree.Call,
        name: str,
        text: Callable[[Any], str],
    ) -> None:
        self.translator = shop
        self.pasted = shop.pasted
        self.node = node
        self.call = call
        self.name = name
        self.is_root = call is shop.root
        self.outer_text = text
        self.part = RewrittenModule()
        self.known: dict[str, str] = {}  # the texts that replace parameters and variables of __init__
        self.methods: dict[str, tree.FunctionDef] = {}
        self.methods_to_write: list[str] = []
        for member in node.body:
            if isinstance(member, tree.FunctionDef):
                self.methods[member.name] = member
            elif not has_no_effect(member):
                raise CannotRewriteError(member, "a variable of the class", "make it above the class")
        if "forward" not in self.methods:
            raise CannotRewriteError(node, f"`{node.name}` without a `forward`", "write a function")
        self.owner = "self"
        self.initialise()
        called = name if self.is_root else self.pasted.new_name(name, f"{shop.model_name}_{name}")
        self.part.function = called
        self.part.apply = lambda args: f"{called}({', '.join(args)})"
        self.part.methods["forward"] = called
        self.part.more = self.write_method
        self.methods_to_write.append("forward")
        self.write_requested()

    def write_requested(self) -> None:
        """Write the requested methods as functions, each after the methods that it calls."""
        written: list[str] = []
        while self.methods_to_write:
            written = [*self.definition(self.methods_to_write.pop()), *written]
        self.part.lines += written

    def write_method(self, name: str) -> bool:
        """Write one more method as a function; return False if there is none of that name."""
        if name not in self.methods or name == INIT:
            return False
        self.method(name)
        self.write_requested()
        return True

    # -- __init__ -----------------------------------------------------------------------------------

    def initialise(self) -> None:
        init = self.methods.get(INIT)
        if init is None:
            if self.call.arguments:
                raise CannotRewriteError(self.call, "arguments that no `__init__` takes", "leave them out")
            return
        self.bind(init)
        for statement in init.body:
            self.member(statement)

    def bind(self, init: tree.FunctionDef) -> None:
        """Choose a text for each parameter of ``__init__``: the argument itself, or a new variable."""
        positional, keywords = argument_texts(self.call, self.outer_text)
        names = [parameter.name for parameter in init.parameters[1:] if not parameter.star]
        self.owner = init.parameters[0].name if init.parameters else "self"
        given = dict(zip(names, positional, strict=False)) | keywords
        for parameter in init.parameters[1:]:
            if parameter.star:
                raise CannotRewriteError(
                    parameter, f"`*{parameter.name}` of `__init__`", "name the parameters"
                )
            if parameter.name not in given and parameter.default is None:
                what = f"`{self.node.name}` without its `{parameter.name}`"
                raise CannotRewriteError(self.call, what, "give all its arguments")
            value = given.get(parameter.name)
            if value is None:
                assert parameter.default is not None
                value = self.pasted.text(parameter.default)
            changes = any(
                isinstance(node, tree.Name) and node.id == parameter.name
                for target in assignment_targets(init)
                for node in walk(target)
            )
            if changes or not is_repeatable(value):
                variable = self.pasted.new_name(f"{self.translator.model_name}_{parameter.name}")
                self.part.lines.append(f"{variable} = {value}")
                value = variable
            self.known[parameter.name] = value

    def member(self, statement: Any) -> None:
        """Rewrite one statement of ``__init__``."""
        if has_no_effect(statement) or self.is_super(statement):
            return
        if isinstance(statement, tree.Assign) and len(statement.targets) == 1:
            target, value = statement.targets[0], statement.value
            if self.is_own(target):
                self.assign(target.name, value)
                return
            if isinstance(target, tree.Name):
                if target.id not in self.known:
                    self.known[target.id] = self.pasted.new_name(f"{self.translator.model_name}_{target.id}")
                self.part.lines.append(f"{self.known[target.id]} = {self.written(value)}")
                return
        if isinstance(statement, tree.ExpressionStatement) and isinstance(statement.value, tree.Call):
            call = statement.value
            if self.is_own(call.function) and call.function.name in REGISTERS and len(call.arguments) > 1:
                key, value = [argument.value for argument in call.arguments[:2]]
                if isinstance(key, tree.String):
                    if call.function.name == "register_buffer":
                        self.variable(key.value, self.written(value))
                        self.part.buffers.append((key.value, self.part.variables[key.value]))
                    else:
                        self.assign(key.value, value)
                    return
        makes = any(self.translator.module_kind(node) for node in walk(statement))
        if isinstance(statement, tree.Assign) and not makes and self.replace_leaf(statement):
            return
        if isinstance(statement, (tree.ExpressionStatement, tree.With)) and not makes:
            text = self.written(statement)
            self.write_requested()
            margin = self.pasted.indentation(statement)
            self.part.lines += [line.removeprefix(margin) for line in text.split("\n")]
            return
        what = f"`{shortened(self.pasted.text(statement))}` in `__init__`"
        advice = (
            "write the layers one by one" if isinstance(statement, tree.For) else "move it out of the class"
        )
        raise CannotRewriteError(statement, what, advice)

    def is_parameter(self, call: tree.Call) -> bool:
        return self.pasted.full(call.function) in ("torch.nn.Parameter", "torch.nn.parameter.Parameter")

    def replace_leaf(self, statement: tree.Assign) -> bool:
        """Rewrite ``self.fc.weight = nn.Parameter(t)`` for an existing leaf; return False otherwise."""
        target, value = statement.targets[0], statement.value
        owner = self.inner(target.object) if isinstance(target, tree.Attribute) else None
        if owner is None or not isinstance(target, tree.Attribute) or target.name not in owner.variables:
            return False
        if not isinstance(value, tree.Call) or not self.pasted.full(value.function).endswith("nn.Parameter"):
            return False
        self.part.lines.append(f"{owner.variables[target.name]} = {leaf_text(value, self.written)}")
        return True

    def is_super(self, statement: Any) -> bool:
        """Whether a statement is ``super().__init__()`` or ``nn.Module.__init__(self)``."""
        call = statement.value if isinstance(statement, tree.ExpressionStatement) else None
        if not isinstance(call, tree.Call) or not isinstance(call.function, tree.Attribute):
            return False
        return call.function.name == INIT

    def is_own(self, node: Any) -> TypeGuard[tree.Attribute]:
        """Whether an expression is ``self.name``."""
        return (
            isinstance(node, tree.Attribute)
            and isinstance(node.object, tree.Name)
            and node.object.id == self.owner
        )

    def inner_name(self, attribute: str) -> str:
        """Return the name for a member: its own in the model itself, with a prefix in an inner module."""
        return attribute if self.is_root else f"{self.name}_{attribute}"

    def variable(self, attribute: str, text: str) -> str:
        name = self.part.variables.get(attribute)
        if name is None:
            owner = "" if self.is_root else self.name
            name = self.translator.variable(owner, attribute)
        self.part.variables[attribute] = name
        self.part.lines.append(f"{name} = {text}")
        return name

    def assign(self, attribute: str, value: Any) -> None:
        """Rewrite ``self.attribute = value``."""
        if attribute in self.part.parts:
            raise CannotRewriteError(value, f"`self.{attribute}` made twice", "make it once")
        made = self.translator.constructor_call(value)
        if made is not None:
            self.part.add_submodule(
                attribute, self.translator.make(made, self.inner_name(attribute), self.written)
            )
            return
        if isinstance(value, tree.Call) and self.is_parameter(value):
            name = self.variable(attribute, leaf_text(value, self.written))
            self.part.own_leaves.append((attribute, name))
            return
        if any(self.translator.module_kind(node) for node in walk(value)):
            what = f"`{shortened(self.pasted.text(value))}`"
            raise CannotRewriteError(value, what, "make each layer in a line of its own")
        text = self.written(value)
        if is_repeatable(text) and self.pasted.is_constant(text):
            self.part.variables[attribute] = text
        else:
            self.variable(attribute, text)

    # -- methods ------------------------------------------------------------------------------------

    def definition(self, name: str) -> list[str]:
        """Return the lines of a method as a function, with variables in place of ``self.name``."""
        method = self.methods[name]
        if method.decorators or not method.parameters:
            raise CannotRewriteError(method, f"the method `{name}`", "make it a plain method with `self`")
        before, self.owner = self.owner, method.parameters[0].name
        known, self.known = self.known, {}
        parameters = method.parameters[1:]
        taken = ""
        if parameters:
            place = parameters[0].span.extend_to(parameters[-1].span)
            taken = self.pasted.source.excerpt(place)
        body = [statement for statement in method.body if not is_docstring(statement)]
        lines = [f"def {self.part.methods[name]}({taken}):"]
        if body:
            place = body[0].span.extend_to(body[-1].span)
            text = self.pasted.render_span(place, list(body), self.replaced)
            margin = self.pasted.indentation(body[0])
            first, *rest = text.split("\n")
            lines.append("    " + first)
            lines += ["    " + line.removeprefix(margin) if line.strip() else "" for line in rest]
        else:
            lines.append("    pass")
        self.owner, self.known = before, known
        return lines

    def written(self, node: Any) -> str:
        """Return the text of an expression or a statement without ``self``."""
        return self.pasted.render(node, self.replaced)

    def replaced(self, node: Any) -> str | None:
        if isinstance(node, (tree.Assign, tree.AugmentedAssign)):
            for target in node.targets if isinstance(node, tree.Assign) else (node.target,):
                if any(self.is_own(part) for part in walk(target)):
                    what = f"`{shortened(self.pasted.text(node))}`"
                    advice = "a function keeps nothing; return the value, or keep it in a list"
                    raise CannotRewriteError(node, what, advice)
        if isinstance(node, tree.ExpressionStatement) and isinstance(node.value, tree.Call):
            full = self.pasted.full(node.value.function)
            if full.startswith("torch.nn.init."):
                lines = init_lines(self.translator.torch, node.value, full.rpartition(".")[2], self.written)
                return ("\n" + self.pasted.indentation(node)).join(lines)
        if isinstance(node, tree.Call):
            found = self.call_text(node)
            if found is not None:
                return found
        if isinstance(node, (tree.Attribute, tree.Subscript)):
            found = self.replacement(node)
            if found is not None:
                return found
        if isinstance(node, tree.Name):
            if node.id == self.owner:
                outer = self.pasted.parent(node)
                what = f"`{shortened(self.pasted.text(outer))}`"
                raise CannotRewriteError(outer, what, "write out what it does")
            return self.known.get(node.id)
        return None

    def call_text(self, node: tree.Call) -> str | None:
        """Return the text of ``self.fc1(x)``, ``self.helper(x)`` or ``self(x)``; None for other calls."""
        arguments = [self.written_argument(argument) for argument in node.arguments]
        part = self.inner(node.function)
        if part is not None and part.apply is not None:
            return part.apply(arguments)
        if isinstance(node.function, tree.Name) and node.function.id == self.owner:
            return f"{self.part.methods['forward']}({', '.join(arguments)})"
        if not self.is_own(node.function):
            return None
        name = node.function.name
        if name in self.methods:
            return f"{self.method(name)}({', '.join(arguments)})"
        if name == "parameters":
            return f"[{', '.join([variable for _, variable in self.part.parameters])}]"
        return None

    def written_argument(self, argument: tree.Argument) -> str:
        value = self.written(argument.value)
        return f"{argument.keyword}={value}" if argument.keyword else f"{argument.star}{value}"

    def method(self, name: str) -> str:
        """Return the name of the function that a method becomes, and request the function."""
        if name not in self.part.methods:
            inner = name if self.is_root else f"{self.name}_{name}"
            self.part.methods[name] = self.pasted.new_name(inner, f"{self.translator.model_name}_{inner}")
            self.methods_to_write.append(name)
        return self.part.methods[name]

    def inner(self, node: Any) -> RewrittenModule | None:
        """Return the module that ``self.block.fc`` or ``self.layers[0]`` names, or None."""
        return find_submodule(self.part, node, self.is_own)

    def replacement(self, node: Any) -> str | None:
        part = self.inner(node)
        if part is not None:
            return part.as_function()
        if not isinstance(node, tree.Attribute):
            return None
        if self.is_own(node):
            if node.name == "training":
                return self.translator.mode()
            if node.name in self.methods:
                return self.method(node.name)
            return self.part.variables.get(node.name)
        owner = self.inner(node.object)
        if owner is None:
            return None
        found = owner.variables.get(node.name)
        return as_factor(found) if found else None


def find_submodule(part: RewrittenModule, node: Any, is_own: Callable[[Any], bool]) -> RewrittenModule | None:
    """Return the module inside ``part`` that an expression names; ``is_own`` recognises ``self.name``."""
    keys: list[str] = []
    while True:
        if is_own(node):
            keys.append(node.name)
            break
        if isinstance(node, tree.Attribute):
            keys.append(node.name)
            node = node.object
        elif isinstance(node, tree.Subscript) and isinstance(node.index, tree.Number):
            keys.append(str(node.index.value))
            node = node.object
        else:
            return None
    found: RewrittenModule | None = part
    for key in reversed(keys):
        found = found.parts.get(key) if found is not None else None
    return found


def leaf_text(call: tree.Call, text: Callable[[Any], str]) -> str:
    """Return the text that makes a leaf of ``nn.Parameter(t)``."""
    given, more = argument_texts(call, text)
    value = given[0] if given else more.get("data", "")
    is_call = bool(call.arguments) and isinstance(call.arguments[0].value, tree.Call)
    value = value if is_call or value.isidentifier() else f"({value})"
    if more.get("requires_grad", given[1] if len(given) > 1 else "True") == "False":
        return value
    return f"{value}.requires_grad_()" if is_call else f"{value}.detach().requires_grad_()"


def is_repeatable(text: str) -> bool:
    """Whether a text is a name, a number or a word, which may be repeated wherever it is used."""
    return text.replace(".", "").replace("_", "").replace("-", "").isalnum()


def is_docstring(node: Any) -> bool:
    return isinstance(node, tree.ExpressionStatement) and isinstance(node.value, tree.String)


def has_no_effect(node: Any) -> bool:
    return isinstance(node, tree.Pass) or is_docstring(node)


def assignment_targets(node: tree.SyntaxNode) -> list[Any]:
    """Return all targets of assignments in a node."""
    found: list[Any] = []
    for part in walk(node):
        if isinstance(part, tree.Assign):
            found += part.targets
        elif isinstance(part, tree.AugmentedAssign):
            found.append(part.target)
    return found
