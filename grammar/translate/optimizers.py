"""Writes optimizers out: the lists they keep, a function for a step, one that clears the gradients.

The formulas are those of ``torch.optim`` for single tensors, in torch's order: weight decay, moments,
correction, step. As in torch, a leaf without a gradient is skipped. A step size that a schedule or the
program itself changes is kept in a list, which functions can read and statements can change.
"""

from __future__ import annotations

import re

from autodiff.grammar.syntax import tree
from autodiff.grammar.translate.layers import as_factor
from autodiff.grammar.translate.modules import argument_texts
from autodiff.grammar.translate.pasted_program import CannotRewriteError, PastedProgram

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The settings of each optimizer in torch's order, with torch's defaults.
OPTIMIZER_SETTINGS: dict[str, dict[str, str]] = {
    "SGD": {"lr": "0.001", "momentum": "0", "dampening": "0", "weight_decay": "0", "nesterov": "False"},
    "Adam": {"lr": "0.001", "betas": "(0.9, 0.999)", "eps": "1e-8", "weight_decay": "0", "amsgrad": "False"},
    "RMSprop": {
        **{"lr": "0.01", "alpha": "0.99", "eps": "1e-8", "weight_decay": "0", "momentum": "0"},
        "centered": "False",
    },
    "Adagrad": {
        **{
            "lr": "0.01",
            "lr_decay": "0",
            "weight_decay": "0",
            "initial_accumulator_value": "0",
            "eps": "1e-10",
        }
    },
}
OPTIMIZER_SETTINGS["AdamW"] = OPTIMIZER_SETTINGS["Adam"] | {"weight_decay": "0.01"}
#: Settings that only say how torch computes; they are dropped.
IGNORED_OPTIMIZER_SETTINGS = ("foreach", "fused", "capturable", "differentiable")
MOST_INLINE = 4
GRADIENT = re.compile(r"\bg\b")


class Optimizer:
    """One optimizer of a program: the statement that makes it, its leaves and its settings as texts.

    ``models`` has the name of each model's list of parameters. ``step`` is the name of the step function.
    """

    __slots__ = (
        *(
            "call",
            "kind",
            "leaves",
            "lists",
            "models",
            "name",
            "pasted",
            "rate",
            "settings",
            "statement",
            "step",
            "torch",
        ),
    )

    def __init__(
        self, pasted: PastedProgram, statement: Any, call: tree.Call, models: dict[str, str]
    ) -> None:
        self.pasted = pasted
        self.models = models
        self.statement = statement
        self.call = call
        self.name = statement.targets[0].id
        self.kind = pasted.full(call.function).rpartition(".")[2]
        self.torch = pasted.short("torch")
        self.step = pasted.new_name(f"{self.name}_step")
        self.lists: list[str] = []  # the lines that make the lists kept from step to step
        self.rate = ""
        if self.kind not in OPTIMIZER_SETTINGS:
            advice = "write its steps out, or take SGD, Adam, AdamW, RMSprop or Adagrad"
            raise CannotRewriteError(call, f"`optim.{self.kind}`", advice)
        self.read()

    def read(self) -> None:
        """Read the arguments into ``leaves`` and ``settings``."""
        given, more = argument_texts(self.call, self.written)
        names = ["params", *OPTIMIZER_SETTINGS[self.kind]]
        given_now = dict(zip(names, given, strict=False)) | more
        given_now = {name: text for name, text in given_now.items() if name not in IGNORED_OPTIMIZER_SETTINGS}
        self.leaves = given_now.pop("params", "")
        value = next((a.value for a in self.call.arguments if a.keyword in (None, "params")), None)
        if isinstance(value, (tree.ListDisplay, tree.TupleDisplay)) and any(
            self.pasted.source.text.startswith("{", part.span.start) for part in value.elements
        ):
            advice = "make one optimizer for each group, with its own step size"
            raise CannotRewriteError(self.call, "groups of parameters", advice)
        unknown = [
            name for name in given_now if name not in OPTIMIZER_SETTINGS[self.kind] and name != "maximize"
        ]
        if unknown or not self.leaves:
            what = (
                f"`{unknown[0]}` of `optim.{self.kind}`" if unknown else f"`optim.{self.kind}` without leaves"
            )
            raise CannotRewriteError(self.call, what, "leave it out, or write the steps out")
        self.settings = OPTIMIZER_SETTINGS[self.kind] | {"maximize": "False"} | given_now
        for name in ("nesterov", "amsgrad", "centered", "maximize"):
            if self.settings.get(name, "False") not in ("True", "False"):
                raise CannotRewriteError(
                    self.call, f"`{name}={self.settings[name]}`", "write True or False there"
                )

    def written(self, node: Any) -> str:
        """Return the text of an argument; ``filter(lambda p: ..., leaves)`` becomes a list."""
        if (
            isinstance(node, tree.Call)
            and self.pasted.full(node.function) == "filter"
            and len(node.arguments) == 2
        ):
            test, leaves = node.arguments[0].value, node.arguments[1].value
            if isinstance(test, tree.Lambda) and len(test.parameters) == 1:
                name = test.parameters[0].name
                return f"[{name} for {name} in {self.written(leaves)} if {self.pasted.text(test.body)}]"
        if isinstance(node, tree.Call) and self.pasted.full(node.function) == "list" and node.arguments:
            return self.written(node.arguments[0].value)
        return self.pasted.render(node, self.replaced)

    def replaced(self, node: Any) -> str | None:
        """Return the name of the list that replaces ``model.parameters()``; None for other nodes."""
        method = node.function if isinstance(node, tree.Call) else None
        if isinstance(method, tree.Attribute) and method.name == "parameters":
            return self.models.get(self.pasted.text(method.object))
        return None

    def is_nonzero(self, name: str) -> bool:
        """Whether a setting is anything but zero, False or None."""
        text = self.settings[name]
        return text not in ("False", "None") and text.strip("0.") != ""

    def value(self, name: str) -> str:
        """Return a setting as a text that can be a factor of a product."""
        text = self.settings[name]
        return as_factor(text) if not text.startswith("1e-") else text

    def keep(self, name: str, text: str) -> str:
        """Add a list that is kept from step to step; return the text of its entry for the leaf ``i``."""
        variable = self.pasted.new_name(f"{self.name}_{name}")
        self.lists.append(f"{variable} = [{text} for p in {self.leaves}]")
        return f"{variable}[i]"

    # -- the step -----------------------------------------------------------------------------------

    def is_inlined(self) -> bool:
        """Whether a step is only ``w -= lr * w.grad``, for a few leaves that are listed by name."""
        value = next((a.value for a in self.call.arguments if a.keyword in (None, "params")), None)
        return (
            self.kind == "SGD"
            and not self.rate
            and not any(self.is_nonzero(name) for name in ("momentum", "weight_decay", "maximize"))
            and isinstance(value, (tree.ListDisplay, tree.TupleDisplay))
            and len(value.elements) <= MOST_INLINE
            and all(isinstance(leaf, tree.Name) for leaf in value.elements)
        )

    def names(self) -> list[str]:
        """Return the names of the leaves, where they are listed by name."""
        return [part.strip() for part in self.leaves.strip("[()]").split(",") if part.strip()]

    def step_lines(self) -> list[str]:
        """Return the lines that update the leaf ``p`` with the index ``i``."""
        sign = "-" if self.is_nonzero("maximize") else ""
        wide = self.is_nonzero("weight_decay") and self.kind != "AdamW"
        decay = f" + {self.value('weight_decay')} * p" if wide else ""
        gradient = f"{sign}p.grad{decay}"
        rules = {"SGD": self.sgd_lines, "RMSprop": self.rmsprop, "Adagrad": self.adagrad}
        lines = rules.get(self.kind, self.adam)()
        if gradient == "p.grad":
            return [GRADIENT.sub("p.grad", line) for line in lines]
        return [f"g = {gradient}", *lines]

    def sgd_lines(self) -> list[str]:
        rate = self.step_size()
        if not self.is_nonzero("momentum"):
            return [f"p -= {rate} * g"]
        momentum, lines = self.value("momentum"), []
        if self.is_nonzero("dampening"):
            v = self.keep("velocity", "None")
            new = f"{momentum} * {v} + (1 - {self.value('dampening')}) * g"
            lines.append(f"{v} = g.clone() if {v} is None else {new}")
        else:
            v = self.keep("velocity", f"{self.torch}.zeros_like(p)")
            lines.append(f"{v} = {momentum} * {v} + g")
        step = f"(g + {momentum} * {v})" if self.is_nonzero("nesterov") else v
        return [*lines, f"p -= {rate} * {step}"]

    def adam(self) -> list[str]:
        rate, betas = self.step_size(), self.settings["betas"]
        first, second = f"{betas}[0]", f"{betas}[1]"
        inside = betas.strip("()[]").split(",")
        if betas[:1] in "([" and len(inside) == 2 and "(" not in betas[1:]:
            first, second = (as_factor(text.strip()) for text in inside)
        m = self.keep("mean", f"{self.torch}.zeros_like(p)")
        s = self.keep("square", f"{self.torch}.zeros_like(p)")
        t = self.keep("steps", "0")
        lines = [f"{t} += 1"]
        if self.kind == "AdamW" and self.is_nonzero("weight_decay"):
            lines.append(f"p *= 1 - {rate} * {self.value('weight_decay')}")
        lines.append(f"{m} = {first} * {m} + (1 - {first}) * g")
        lines.append(f"{s} = {second} * {s} + (1 - {second}) * g ** 2")
        root = s
        if self.is_nonzero("amsgrad"):
            root = self.keep("largest", f"{self.torch}.zeros_like(p)")
            lines.append(f"{root} = {self.torch}.maximum({root}, {s})")
        lines.append(f"size = {rate} / (1 - {first} ** {t})")
        lines.append(f"scale = {root}.sqrt() / (1 - {second} ** {t}) ** 0.5 + {self.settings['eps']}")
        return [*lines, f"p -= size * {m} / scale"]

    def rmsprop(self) -> list[str]:
        rate, alpha = self.step_size(), self.value("alpha")
        s = self.keep("square", f"{self.torch}.zeros_like(p)")
        lines = [f"{s} = {alpha} * {s} + (1 - {alpha}) * g ** 2"]
        spread = s
        if self.is_nonzero("centered"):
            a = self.keep("mean", f"{self.torch}.zeros_like(p)")
            lines.append(f"{a} = {alpha} * {a} + (1 - {alpha}) * g")
            spread = f"({s} - {a} ** 2)"
        step = f"g / ({spread}.sqrt() + {self.settings['eps']})"
        if not self.is_nonzero("momentum"):
            return [*lines, f"p -= {rate} * {step}"]
        v = self.keep("velocity", f"{self.torch}.zeros_like(p)")
        return [*lines, f"{v} = {self.value('momentum')} * {v} + {step}", f"p -= {rate} * {v}"]

    def adagrad(self) -> list[str]:
        rate = self.step_size()
        start = self.settings["initial_accumulator_value"]
        s = self.keep("square", f"{self.torch}.full_like(p, {start})")
        lines = []
        if self.is_nonzero("lr_decay"):
            t = self.keep("steps", "0")
            lines.append(f"{t} += 1")
            rate = f"{rate} / (1 + ({t} - 1) * {self.value('lr_decay')})"
        return [*lines, f"{s} = {s} + g ** 2", f"p -= {rate} * g / ({s}.sqrt() + {self.settings['eps']})"]

    def step_size(self) -> str:
        return f"{self.rate}[0]" if self.rate else self.value("lr")

    def function(self) -> list[str]:
        """Return the lines of ``def opt_step():``; ``lists`` then has the lines to put before it."""
        step = self.step_lines()
        loop = f"for i, p in enumerate({self.leaves}):" if self.lists else f"for p in {self.leaves}:"
        inside = [loop, "    if p.grad is not None:", *[f"        {line}" for line in step]]
        body = [f"    with {self.torch}.no_grad():", *[f"        {line}" for line in inside]]
        return [f"def {self.step}():", *body]
