"""Finds the optimizers of a program with their schedules, and makes the edits that write their steps out.

The formulas are in ``optimizers`` and ``schedules``.
"""

from __future__ import annotations

from autodiff.core.base.errors import Edit
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk
from autodiff.grammar.translate.modules import ModuleTranslator, shortened
from autodiff.grammar.translate.name_uses import PassedName, element_removal, uses_of_name
from autodiff.grammar.translate.optimizers import Optimizer
from autodiff.grammar.translate.pasted_program import (
    CannotRewriteError,
    PastedProgram,
    assigned_pairs,
    statements_outside_classes,
)
from autodiff.grammar.translate.schedules import find_schedules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class OptimizerEdits:
    """All optimizers of a program with their schedules, and the edits that write them out."""

    __slots__ = ("edits", "optimizers", "pasted")

    def __init__(self, pasted: PastedProgram) -> None:
        self.pasted = pasted
        self.edits: list[Edit] = []
        self.optimizers: dict[str, Optimizer] = {}

    def rewrite(self) -> None:
        """Collect the edits in ``edits``."""
        shop = ModuleTranslator(self.pasted)
        models = dict.fromkeys(
            target.id
            for statement in statements_outside_classes(self.pasted)
            for target, value in assigned_pairs(statement)
            if isinstance(target, tree.Name) and shop.constructor_call(value) is not None
        )
        lists = {name: self.pasted.list_name(name, "parameters") for name in models}
        for statement in statements_outside_classes(self.pasted):
            call = statement.value if isinstance(statement, tree.Assign) else None
            made = call.elements if isinstance(call, tree.TupleDisplay) else ()
            functions = [one.function for one in made if isinstance(one, tree.Call)]
            if any(is_optimizer(self.pasted.full(function)) for function in functions):
                advice = "write an assignment of its own for each, as in `optimizer = torch.optim.SGD(...)`"
                raise CannotRewriteError(statement, "optimizers in a tuple", advice)
            if isinstance(call, tree.Call) and is_optimizer(self.pasted.full(call.function)):
                target = statement.targets[0]
                if not isinstance(target, tree.Name):
                    raise CannotRewriteError(statement, "an optimizer without a name", "give it a name")
                if target.id in self.optimizers:
                    raise CannotRewriteError(
                        statement, f"`{target.id}` made twice", "give each a name of its own"
                    )
                self.optimizers[target.id] = Optimizer(self.pasted, statement, call, lists)
        schedules = find_schedules(self.pasted, self.optimizers)
        for optimizer in self.optimizers.values():
            rated = [schedule for schedule in schedules if schedule.optimizer is optimizer]
            is_one = is_simple_text(optimizer.settings["lr"]) and self.pasted.is_constant(
                optimizer.settings["lr"]
            )
            if rated or self.uses_param_groups(optimizer) or not is_one:
                optimizer.rate = self.pasted.new_name(f"{optimizer.name}_lr", f"{optimizer.name}_rate")
            self.write(optimizer)
        for schedule in schedules:
            self.edits += schedule.edits()

    def uses_param_groups(self, optimizer: Optimizer) -> bool:
        return any(is_attribute_of(node, optimizer.name, "param_groups") for node in walk(self.pasted.script))

    def write(self, optimizer: Optimizer) -> None:
        pasted, name = self.pasted, optimizer.name
        plain = optimizer.is_inlined()
        lines: list[str] = []
        if not plain:
            if not optimizer.leaves.isidentifier():
                listed = pasted.new_name(f"{name}_leaves")
                lines.append(f"{listed} = {as_list(optimizer.leaves)}")
                optimizer.leaves = listed
            if optimizer.rate:
                lines.append(f"{optimizer.rate} = [{optimizer.settings['lr']}]")
            step = optimizer.function()
            lines += optimizer.lists + step
        zero_grad = ""
        places, passings = uses_of_name(pasted, name)
        self.edits += {edit.span: edit for one in passings for edit in argument_removals(one)}.values()
        for node in places:
            if node in optimizer.statement.targets:
                continue
            outer = pasted.parent(node)
            call = pasted.parent(outer)
            statement = pasted.statement(node)
            method = outer.name if isinstance(outer, tree.Attribute) else ""
            whole = isinstance(statement, tree.ExpressionStatement) and statement.value is call
            if method == "step" and whole and not call.arguments:
                self.edits.append(
                    Edit(statement.span, self.inline_step(optimizer, statement))
                    if plain
                    else Edit(call.span, f"{optimizer.step}()")
                )
            elif method == "zero_grad" and whole:
                if plain:
                    cleared = "; ".join([f"{leaf}.grad = None" for leaf in optimizer.names()])
                    self.edits.append(Edit(statement.span, cleared))
                else:
                    zero_grad = zero_grad or pasted.new_name(f"{name}_zero_grad")
                    self.edits.append(Edit(call.span, f"{zero_grad}()"))
            elif method == "param_groups":
                self.rewrite_param_groups(optimizer, outer)
            elif method in ("state_dict", "load_state_dict") and isinstance(
                statement, tree.ExpressionStatement
            ):
                self.edits.append(pasted.removal(statement))
            elif not self.is_schedule_argument(node):
                text = shortened(pasted.text(statement))
                advice = "write the step where it is taken: `with torch.no_grad(): w -= lr * w.grad`"
                raise CannotRewriteError(statement, f"`{text}`", advice)
        if zero_grad:
            lines += [
                "",
                f"def {zero_grad}():",
                f"    for p in {optimizer.leaves}:",
                "        p.grad = None",
            ]
        self.edits.append(pasted.replacement(optimizer.statement, lines))

    def is_schedule_argument(self, node: tree.Name) -> bool:
        """Whether an optimizer is the argument of a schedule."""
        argument = self.pasted.parent(node)
        call = self.pasted.parent(argument)
        return isinstance(call, tree.Call) and "lr_scheduler" in self.pasted.full(call.function)

    def inline_step(self, optimizer: Optimizer, statement: Any) -> str:
        margin = "\n" + self.pasted.indentation(statement) + "    "
        rate = optimizer.value("lr")
        lines = [f"{leaf} -= {rate} * {leaf}.grad" for leaf in optimizer.names()]
        return f"with {optimizer.torch}.no_grad():" + margin + margin.join(lines)

    def rewrite_param_groups(self, optimizer: Optimizer, groups: Any) -> None:
        """Rewrite ``optimizer.param_groups[0]["lr"]``, and loops over the groups that change it."""
        pasted, parent = self.pasted, self.pasted.parent(groups)
        if isinstance(parent, tree.Subscript):
            entry = pasted.parent(parent)
            if (
                isinstance(entry, tree.Subscript)
                and isinstance(entry.index, tree.String)
                and entry.index.value == "lr"
            ):
                self.edits.append(Edit(entry.span, f"{optimizer.rate}[0]"))
                return
        if (
            isinstance(parent, tree.For)
            and parent.iterable is groups
            and isinstance(parent.target, tree.Name)
        ):
            group = parent.target.id
            uses = [node for node in walk(*parent.body) if isinstance(node, tree.Name) and node.id == group]
            entries = [pasted.parent(node) for node in uses]
            if all(
                isinstance(e, tree.Subscript) and isinstance(e.index, tree.String) and e.index.value == "lr"
                for e in entries
            ):
                place = parent.body[0].span.extend_to(parent.body[-1].span)
                text = pasted.render_span(
                    place,
                    list(parent.body),
                    lambda node: f"{optimizer.rate}[0]" if any(node is e for e in entries) else None,
                )
                margin, outer = pasted.indentation(parent.body[0]), pasted.indentation(parent)
                text = text.replace("\n" + margin, "\n" + outer)
                self.edits.append(Edit(parent.span, text))
                return
        raise CannotRewriteError(
            groups, f"`{optimizer.name}.param_groups`", f"the step size is `{optimizer.rate}[0]`"
        )


def argument_removals(passing: PassedName) -> list[Edit]:
    """Return the edits that remove an optimizer from a call and from the function's parameters."""
    return [
        element_removal(passing.call.arguments, passing.argument),
        element_removal(passing.function.parameters, passing.parameter),
    ]


def is_optimizer(full: str) -> bool:
    """Whether a full name names an optimizer: ``torch.optim.SGD``, ``torch.optim.adam.Adam``."""
    module, _, name = full.rpartition(".")
    return module.startswith("torch.optim") and "lr_scheduler" not in module and name != "lr_scheduler"


def is_attribute_of(node: Any, name: str, attribute: str) -> bool:
    return (
        isinstance(node, tree.Attribute)
        and node.name == attribute
        and isinstance(node.object, tree.Name)
        and node.object.id == name
    )


def as_list(text: str) -> str:
    """Return the text of the leaves as a list, which can be iterated over repeatedly."""
    return text if text[:1] == "[" else f"[{text[1:-1].rstrip(', ')}]" if text[:1] == "(" else f"list({text})"


def is_simple_text(text: str) -> bool:
    """Whether a text is a number, a name or an attribute."""
    return text.replace(".", "").replace("_", "").replace("e-", "").replace("e+", "").isalnum()
