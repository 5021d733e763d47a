"""Rewrites models where they are made and used: every place in the program that has to change.

The models themselves are taken apart by ``models``.
"""

from __future__ import annotations

from autodiff.core.base.errors import Edit
from autodiff.core.base.source import Span
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk
from autodiff.grammar.translate.layers import as_factor
from autodiff.grammar.translate.modules import INIT, ModuleTranslator, list_text, shortened
from autodiff.grammar.translate.pasted_program import (
    CannotRewriteError,
    PastedProgram,
    assigned_pairs,
    separate_functions,
    statements_outside_classes,
)
from autodiff.grammar.translate.rewritten_module import RewrittenModule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Methods of a model that have no effect here; their calls are removed.
NO_EFFECT_METHODS = ("to", "cuda", "cpu", "double", "float", "share_memory", "compile", "load_state_dict")
LIST_METHODS = ("parameters", "named_parameters", "buffers", "state_dict", "named_buffers")


class Model:
    """A model of the program: the statement and the call that make it, its name, and its Part."""

    __slots__ = ("call", "name", "part", "statement", "training")

    def __init__(self, name: str, statement: Any, call: tree.Call) -> None:
        self.name = name
        self.statement = statement
        self.call = call
        self.part = RewrittenModule()
        self.training = ""


class ModelEdits:
    """All models of a program, and the edits that make functions and leaves of them."""

    __slots__ = ("edits", "lists", "models", "pasted", "translator", "unnamed_calls", "unused_classes")

    def __init__(self, pasted: PastedProgram) -> None:
        self.pasted = pasted
        self.translator = ModuleTranslator(pasted)
        self.edits: list[Edit] = []
        self.models: dict[str, Model] = {}
        self.lists: dict[tuple[str, str], str] = {}
        self.unnamed_calls: list[tree.Call] = []
        self.unused_classes: set[str] = set()  # they are replaced in place
        self.find_models()

    def find_models(self) -> None:
        """Find the modules that are made outside of other modules."""
        for statement in statements_outside_classes(self.pasted):
            for target, value in assigned_pairs(statement):
                call = self.translator.constructor_call(value)
                if call is None or not isinstance(target, tree.Name) or not self.has_weights(call):
                    continue
                if target.id in self.models:
                    what = f"`{target.id}` made twice"
                    raise CannotRewriteError(call, what, "give each model a name of its own")
                self.models[target.id] = Model(target.id, statement, call)
        known = {id(part) for model in self.models.values() for part in walk(model.call)}
        for node in walk(self.pasted.script):
            if (
                self.translator.module_kind(node)
                and id(node) not in known
                and self.pasted.inside(node, tree.ClassDef) is None
            ):
                known |= {id(part) for part in walk(node)}
                if self.has_weights(node):
                    self.unnamed_calls.append(node)

    def has_weights(self, call: tree.Call) -> bool:
        """Whether a module is more than one function; a loss or an activation is not."""
        from autodiff.grammar.translate.layers import FUNCTION_LAYERS

        return (
            self.translator.module_kind(call) == "class"
            or self.pasted.full(call.function).split(".")[-1] not in FUNCTION_LAYERS
        )

    def is_about(self, span: Span | None) -> bool:
        """Whether a place is the name of a model class, or is in a call that makes a model."""
        if span is None:
            return False
        calls = [*(model.call for model in self.models.values()), *self.unnamed_calls]
        return any(self.pasted.classes[name].name_span == span for name in self.classes()) or any(
            call.span.start <= span.start and span.end <= call.span.end for call in calls
        )

    # -- the whole ----------------------------------------------------------------------------------

    def rewrite(self) -> None:
        """Collect the edits in ``edits``."""
        self.name_unnamed_models()
        for model in self.models.values():
            self.take_apart(model)
        for model in self.models.values():
            self.rewrite_uses(model)
        for statement in dict.fromkeys(model.statement for model in self.models.values()):
            lines = []
            for target, value in assigned_pairs(statement):
                made = self.models.get(target.id) if isinstance(target, tree.Name) else None
                if made is not None and made.statement is statement:
                    lines += self.creation_lines(made)
                else:
                    lines.append(f"{self.pasted.text(target)} = {self.pasted.text(value)}")
            self.edits.append(self.pasted.replacement(statement, lines))
        for name in self.classes() - self.unused_classes:
            self.edits.append(self.pasted.removal(self.pasted.classes[name]))
        self.import_functions()

    def classes(self) -> set[str]:
        """Return the names of the program's model classes."""
        return {name for name, node in self.pasted.classes.items() if self.translator.is_model_class(node)}

    def name_unnamed_models(self) -> None:
        """Rewrite modules that are made and used without a name, and classes that are never made."""
        made = {self.pasted.full(model.call.function) for model in self.models.values()}
        for call in self.unnamed_calls:
            statement = self.pasted.statement(call)
            kind = self.pasted.full(call.function).rpartition(".")[2]
            name = self.pasted.new_name(kind.lower() if kind.lower() != kind else f"{kind}_of")
            model = Model(name, None, call)
            self.take_apart(model)
            made.add(kind)
            lines = separate_functions(self.creation_lines(model))
            if not isinstance(
                self.pasted.parent(statement), (tree.Script, tree.FunctionDef, tree.For, tree.With)
            ):
                raise CannotRewriteError(
                    call, f"`{shortened(self.pasted.text(call))}`", "give it a name first"
                )
            margin = self.pasted.indentation(statement)
            text = "".join([f"{line}\n{margin}" for line in lines])
            self.edits.append(Edit(Span(statement.span.start, statement.span.start), text))
            self.edits.append(Edit(call.span, name))
        for name in sorted(self.classes() - made - self.translator.used_classes):
            node = self.pasted.classes[name]
            inner = any(
                isinstance(part, tree.Call) and self.pasted.full(part.function) == name
                for part in walk(self.pasted.script)
            )
            if not inner:
                self.replace_unused_class(node)

    def replace_unused_class(self, node: tree.ClassDef) -> None:
        """Replace a class that is never made by a function, if it can be made without arguments."""
        init = next(
            (part for part in node.body if isinstance(part, tree.FunctionDef) and part.name == INIT), None
        )
        if init is not None and any(p.default is None and not p.star for p in init.parameters[1:]):
            advice = f"make one with its sizes, as in `model = {node.name}(...)`"
            raise CannotRewriteError(node, f"`{node.name}`, which is never made,", advice)
        self.unused_classes.add(node.name)
        name = node.name.lower() if node.name.lower() != node.name else f"{node.name}_of"
        model = Model(
            self.pasted.new_name(name),
            None,
            tree.Call(node.name_span, tree.Name(node.name_span, node.name), ()),
        )
        self.take_apart(model)
        self.edits.append(Edit(node.span, "\n".join(separate_functions(self.creation_lines(model)))))

    def take_apart(self, model: Model) -> None:
        shop = self.translator
        shop.model_name, shop.root, shop.training = model.name, model.call, ""
        model.part = shop.make(model.call, model.name, self.pasted.text)
        model.training = shop.training
        if not model.part.function:
            model.part.function = model.name

    def creation_lines(self, model: Model) -> list[str]:
        """Return the lines that replace the statement that made the model."""
        part = model.part
        lines = [f"{model.training} = [True]"] if model.training else []
        lines += part.lines
        if (
            part.function == model.name
            and part.apply is not None
            and not any(line.startswith(f"def {model.name}(") for line in lines)
        ):
            lines += [f"def {model.name}(x):", f"    return {part.apply(['x'])}"]
        elif part.function != model.name:
            lines.append(f"{model.name} = {part.as_function()}")
        for (of, kind), name in self.lists.items():
            if of == model.name:
                lines += f"{name} = {self.leaf_list_text(part, kind)}".split("\n")
        return lines

    def leaf_list_text(self, part: RewrittenModule, kind: str) -> str:
        pairs = part.buffers if "buffers" in kind else part.parameters
        if kind.startswith("named"):
            return list_text([f'("{path}", {name})' for path, name in pairs])
        return list_text([name for _, name in pairs])

    def import_functions(self) -> None:
        """Import ``F`` after the last import, if the rewrite uses it and the program has imports."""
        shop = self.translator
        if any(full == "torch.nn.functional" for name, full in self.pasted.aliases.items() if name != "F"):
            return
        imports = [
            node for node in self.pasted.script.body if isinstance(node, (tree.Import, tree.ImportFrom))
        ]
        has = any(
            (isinstance(node, tree.Import) and ("torch.nn.functional", "F") in node.names)
            or (isinstance(node, tree.ImportFrom) and ("functional", "F") in node.names)
            for node in imports
        )
        if imports and not has and any(f"{shop.F}." in edit.text for edit in self.edits):
            end = imports[-1].span.end
            self.edits.append(Edit(Span(end, end), "\nimport torch.nn.functional as F"))

    # -- uses ---------------------------------------------------------------------------------------

    def rewrite_uses(self, model: Model) -> None:
        """Rewrite every use of a model outside of its class."""
        pasted = self.pasted
        done: set[int] = set()
        for node in walk(pasted.script):
            if not isinstance(node, tree.Name) or node.id != model.name or id(node) in done:
                continue
            if pasted.inside(node, tree.ClassDef) is not None:
                continue
            statement = pasted.statement(node)
            if statement is model.statement:
                continue
            outer: Any = node
            while isinstance(pasted.parent(outer), (tree.Attribute, tree.Subscript)) and (
                pasted.parent(outer).object is outer
            ):
                outer = pasted.parent(outer)
            if outer is node:
                self.bare(model, node, statement)
            else:
                self.member(model, node, outer, statement)

    def bare(self, model: Model, node: tree.Name, statement: Any) -> None:
        """Rewrite a use of the model itself.

        Called or passed on it is a function, so its name stays; lines that only move or print it are removed.
        """
        parent = self.pasted.parent(node)
        if isinstance(statement, tree.Assign) and node in statement.targets:
            made = statement.value
            while isinstance(made, tree.Call) and isinstance(made.function, tree.Attribute):
                made = made.function.object
            if isinstance(made, tree.Name) and made.id == model.name:
                self.edits.append(self.pasted.removal(statement))
                return
            what = f"`{shortened(self.pasted.text(statement))}`"
            raise CannotRewriteError(statement, what, "give the second model a name of its own")
        if isinstance(parent, tree.Argument):
            call = self.pasted.parent(parent)
            function = self.pasted.full(call.function)
            if function in ("print", "display", "torch.save", "torch.compile"):
                if statement.value is call:
                    self.edits.append(self.pasted.removal(statement))
                elif function == "torch.compile":
                    self.edits.append(Edit(call.span, model.name))

    def member(self, model: Model, node: tree.Name, outer: Any, statement: Any) -> None:
        """Rewrite ``model.parameters()``, ``model.fc1.weight.grad``, ``model.eval()`` and the like."""
        pasted, part = self.pasted, model.part
        chain: list[Any] = []
        at: Any = node
        while at is not outer:
            at = pasted.parent(at)
            chain.append(at)
        first = chain[0]
        call = pasted.parent(first)
        name = first.name if isinstance(first, tree.Attribute) else ""
        is_called = isinstance(call, tree.Call) and call.function is first
        own = self.pasted.classes.get(pasted.full(model.call.function))
        has_own = own is not None and any(
            isinstance(method, tree.FunctionDef) and method.name == name for method in own.body
        )
        if has_own and part.more is not None and part.more(name):
            self.edits.append(Edit(first.span, part.methods[name]))
            return
        if is_called and name in ("train", "eval"):
            self.switch(model, name, call, statement)
        elif (
            is_called
            and name in ("state_dict", "load_state_dict")
            and isinstance(statement, tree.ExpressionStatement)
        ):
            self.edits.append(pasted.removal(statement))
        elif is_called and name in LIST_METHODS:
            self.edits.append(Edit(call.span, self.list_name(model, name, call)))
        elif is_called and name in NO_EFFECT_METHODS:
            self.leave_out(node, call, statement)
        elif is_called and name == "zero_grad":
            leaf = "p" if "p" not in pasted.names else pasted.new_name("leaf")
            loop = f"for {leaf} in {self.list_name(model, 'parameters', call)}:"
            self.edits.append(pasted.replacement(statement, [loop, f"    {leaf}.grad = None"]))
        elif name == "training":
            self.edits.append(Edit(first.span, f"{model.training}[0]" if model.training else "True"))
        else:
            self.inner(model, node, chain)

    def inner(self, model: Model, node: tree.Name, chain: list[Any]) -> None:
        """Rewrite a weight of a model, or a module inside of it, by its present name."""
        if isinstance(chain[0], tree.Subscript) and isinstance(chain[0].index, tree.Number):
            key = str(chain[0].index.value)
            part = model.part.parts.get(key)
        else:
            key = chain[0].name if isinstance(chain[0], tree.Attribute) else ""
            part = model.part.parts.get(key)
        if part is None and key in model.part.variables:
            self.edits.append(Edit(chain[0].span, as_factor(model.part.variables[key])))
            return
        for outer in chain[1:]:
            if part is None:
                break
            if isinstance(outer, tree.Attribute) and outer.name in part.variables:
                self.edits.append(Edit(outer.span, as_factor(part.variables[outer.name])))
                return
            inner_key = outer.name if isinstance(outer, tree.Attribute) else ""
            if isinstance(outer, tree.Subscript) and isinstance(outer.index, tree.Number):
                inner_key = str(outer.index.value)
            part = part.parts.get(inner_key)
        if part is None:
            what = f"`{shortened(self.pasted.text(chain[-1]))}`"
            advice = "write out what it does with the leaves of the model"
            raise CannotRewriteError(chain[-1], what, advice)
        self.named(chain[-1], part)

    def named(self, place: Any, part: RewrittenModule) -> None:
        """Rewrite a module inside of a model that is called, passed on, or given a name of its own."""
        statement = self.pasted.statement(place)
        target = statement.targets[0] if isinstance(statement, tree.Assign) else None
        value = part.as_function()
        if isinstance(target, tree.Name) and statement.value is place and self.pasted.is_constant(target.id):
            alias = Model(target.id, statement, tree.Call(place.span, place, ()))
            alias.part = part
            self.rewrite_uses(alias)
            self.edits.append(Edit(place.span, value))
        else:
            self.edits.append(Edit(place.span, value if value.isidentifier() else f"({value})"))

    def list_name(self, model: Model, kind: str, call: tree.Call) -> str:
        """Return the name of the list of leaves, which is made once, beside the model."""
        if kind == "state_dict":
            raise CannotRewriteError(
                call,
                "`state_dict()`",
                "keep copies of the leaves: `best = [p.detach().clone() for p in leaves]`",
            )
        key = model.name, kind
        if key not in self.lists:
            self.lists[key] = self.pasted.list_name(*key)
        return self.lists[key]

    def switch(self, model: Model, name: str, call: tree.Call, statement: Any) -> None:
        """Rewrite ``model.train()`` and ``model.eval()``."""
        if not isinstance(statement, tree.ExpressionStatement) or statement.value is not call:
            raise CannotRewriteError(call, f"`{self.pasted.text(call)}`", "write it on a line of its own")
        if not model.training:
            self.edits.append(self.pasted.removal(statement))
            return
        value = "True" if name == "train" else "False"
        if call.arguments:
            value = self.pasted.text(call.arguments[0].value)
        self.edits.append(Edit(statement.span, f"{model.training}[0] = {value}"))

    def leave_out(self, node: tree.Name, call: tree.Call, statement: Any) -> None:
        if isinstance(statement, tree.ExpressionStatement) and statement.value is call:
            self.edits.append(self.pasted.removal(statement))
        elif not (
            isinstance(statement, tree.Assign)
            and any(target.__class__ is tree.Name and target.id == node.id for target in statement.targets)
        ):
            self.edits.append(Edit(call.span, node.id))
