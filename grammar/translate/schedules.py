"""Writes learning rate schedules out: a function that counts the epochs and sets the step size.

The formulas are those of ``torch.optim.lr_scheduler``, as functions of the number of epochs.
"""

from __future__ import annotations

from autodiff.core.base.errors import Edit
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk
from autodiff.grammar.translate.layers import as_factor
from autodiff.grammar.translate.modules import argument_texts, shortened
from autodiff.grammar.translate.pasted_program import (
    CannotRewriteError,
    PastedProgram,
    statements_outside_classes,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.grammar.translate.optimizers import Optimizer

#: The settings of each schedule in torch's order, with torch's defaults; empty if it has to be given.
SCHEDULE_SETTINGS: dict[str, dict[str, str]] = {
    "StepLR": {"step_size": "", "gamma": "0.1"},
    "MultiStepLR": {"milestones": "", "gamma": "0.1"},
    "ExponentialLR": {"gamma": ""},
    "LambdaLR": {"lr_lambda": ""},
    "CosineAnnealingLR": {"T_max": "", "eta_min": "0.0"},
    "LinearLR": {"start_factor": "0.3333333333333333", "end_factor": "1.0", "total_iters": "5"},
    "ConstantLR": {"factor": "0.3333333333333333", "total_iters": "5"},
    "PolynomialLR": {"total_iters": "5", "power": "1.0"},
}


class Schedule:
    """One learning rate schedule of a program, with its optimizer."""

    __slots__ = ("call", "kind", "name", "optimizer", "pasted", "statement")

    def __init__(self, pasted: PastedProgram, statement: Any, call: tree.Call, optimizer: Optimizer) -> None:
        self.pasted = pasted
        self.statement = statement
        self.call = call
        self.name = statement.targets[0].id
        self.kind = pasted.full(call.function).rpartition(".")[2]
        self.optimizer = optimizer
        if self.kind not in SCHEDULE_SETTINGS:
            advice = f"set `{optimizer.name}_lr[0]` yourself at the end of an epoch"
            raise CannotRewriteError(call, f"`lr_scheduler.{self.kind}`", advice)

    def size(self, count: str, base: str) -> str:
        """Return the text of the step size after ``count`` epochs; ``base`` is the first step size."""
        given, more = argument_texts(self.call, self.pasted.text)
        known = ["optimizer", *SCHEDULE_SETTINGS[self.kind]]
        settings = SCHEDULE_SETTINGS[self.kind] | dict(zip(known, given, strict=False)) | more
        unknown = [name for name in settings if name not in (*known, "last_epoch", "verbose")]
        missing = [name for name in SCHEDULE_SETTINGS[self.kind] if not settings[name]]
        if unknown or missing or settings.get("last_epoch", "-1") != "-1":
            what = f"`{(unknown + missing + ['last_epoch'])[0]}` of `lr_scheduler.{self.kind}`"
            raise CannotRewriteError(self.call, what, "compute the step size from the number of the epoch")
        value = {name: as_factor(text) for name, text in settings.items()}
        if self.kind == "StepLR":
            return f"{base} * {value['gamma']} ** ({count} // {value['step_size']})"
        if self.kind == "MultiStepLR":
            passed = f"len([m for m in {settings['milestones']} if m <= {count}])"
            return f"{base} * {value['gamma']} ** {passed}"
        if self.kind == "ExponentialLR":
            return f"{base} * {value['gamma']} ** {count}"
        if self.kind == "LambdaLR":
            return f"{base} * {value['lr_lambda']}({count})"
        if self.kind == "CosineAnnealingLR":
            torch, low = self.pasted.short("torch"), settings["eta_min"]
            angle = f"{torch}.tensor({torch}.pi * {count} / {value['T_max']}, dtype={torch}.float64)"
            wave = f"(1 + {torch}.cos({angle}).item()) / 2"
            if low in ("0", "0.0"):
                return f"{base} * {wave}"
            return f"{as_factor(low)} + ({base} - {as_factor(low)}) * {wave}"
        turn = f"min({count}, {value['total_iters']}) / {value['total_iters']}"
        if self.kind == "LinearLR":
            start, end = value["start_factor"], value["end_factor"]
            return f"{base} * ({start} + ({end} - {start}) * {turn})"
        if self.kind == "PolynomialLR":
            return f"{base} * (1 - {turn}) ** {value['power']}"
        return f"{base} * ({value['factor']} if {count} < {value['total_iters']} else 1.0)"

    def edits(self) -> list[Edit]:
        pasted, name, rate = self.pasted, self.name, self.optimizer.rate
        count, step = pasted.new_name(f"{name}_epochs"), pasted.new_name(f"{name}_step")
        base = as_factor(self.optimizer.settings["lr"])
        if not pasted.is_constant(self.optimizer.settings["lr"]):
            base = pasted.new_name(f"{name}_first")
        size = self.size(f"{count}[0]", base)
        lines = [f"{count} = [0]"]
        if base.endswith("_first"):
            lines.append(f"{base} = {rate}[0]")
        lines += [f"def {step}():", f"    {count}[0] += 1", f"    {rate}[0] = {size}"]
        if self.kind in ("LinearLR", "ConstantLR", "LambdaLR"):  # these change the first step size too
            lines.append(f"{rate}[0] = {self.size('0', base)}")
        found = [pasted.replacement(self.statement, lines)]
        for node in walk(pasted.script):
            if not isinstance(node, tree.Name) or node.id != name or node in self.statement.targets:
                continue
            outer = pasted.parent(node)
            call = pasted.parent(outer)
            statement = pasted.statement(node)
            method = outer.name if isinstance(outer, tree.Attribute) else ""
            if method == "step" and isinstance(call, tree.Call) and not call.arguments:
                found.append(Edit(call.span, f"{step}()"))
            elif method in ("get_last_lr", "get_lr") and isinstance(call, tree.Call):
                found.append(Edit(call.span, rate))
            elif method in ("state_dict", "load_state_dict") and isinstance(
                statement, tree.ExpressionStatement
            ):
                found.append(pasted.removal(statement))
            else:
                text = shortened(pasted.text(statement))
                raise CannotRewriteError(statement, f"`{text}`", f"the step size is `{rate}[0]`")
        return found


def find_schedules(pasted: PastedProgram, optimizers: dict[str, Optimizer]) -> list[Schedule]:
    """Return the schedules of a program; each must belong to one of ``optimizers``."""
    found = []
    for statement in statements_outside_classes(pasted):
        call = statement.value if isinstance(statement, tree.Assign) else None
        if not isinstance(call, tree.Call) or ".lr_scheduler." not in pasted.full(call.function):
            continue
        first = call.arguments[0].value if call.arguments else None
        if not isinstance(first, tree.Name) or first.id not in optimizers:
            raise CannotRewriteError(
                call, f"`{shortened(pasted.text(call))}`", "name the optimizer it belongs to"
            )
        found.append(Schedule(pasted, statement, call, optimizers[first.id]))
    taken = [schedule.optimizer.name for schedule in found]
    if len(set(taken)) < len(taken):
        raise CannotRewriteError(found[-1].call, "two schedules of one optimizer", "write one that does both")
    return found
