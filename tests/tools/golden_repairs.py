"""Judges the repairs that are shown for scripts, by values alone; nothing of ``grammar/repair`` is asked.

A repair of a gradient changes no value: where the original script is finite nearby, the repaired one has its
values, its value at the inputs is their limit, and its gradient is the slope that differences of values show.
A repair of an error lets the script go on past it, and each input that moves an output has its gradient.
The inputs are moved by what ``--set`` does: their names get other values.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from autodiff.core.base.errors import AutodiffError, Fix
from autodiff.core.base.limits import limits
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.core.engine.tensor import Tensor
from autodiff.core.report.records import ReportedPass
from autodiff.grammar.execution import execute
from autodiff.grammar.lint import is_error, lint
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.repair.gradient_remedies import add_remedies
from autodiff.grammar.session.run import Execution, Settings, differentiate, run_once
from shown_scripts import Shown

MOST_STEPS = 50_000
#: Words that take a value out of the graph on purpose: a leaf behind one may be without a gradient.
CUTS = ("detach", "no_grad", ".data", "grad = None", "zero_grad", "set_grad_enabled", "inference_mode")
#: Moves as parts of the inputs' size, and factors of the inputs for functions that overflow nearby.
MOVES, FACTORS = (1e-2, 1e-3, 1e-4), (0.5, 0.1, 0.03, 0.01, 0.003, 1e-3)
#: The smallest move shows the slope of what is steep; the original may have no digits left there.
SMALLEST = 1e-5
#: How far values of the original may be off by its own rounding, by the number type.
ROUNDING = {"float64": 1e-7, "float32": 1e-3}
DIRECTIONS = 4
RIGHT, WRONG, OPEN = "right", "wrong", "undecided"


@dataclass
class Repair:
    """A repair as the program shows it: for an ``error``, of the gradient by ``wrt``, or of a finding."""

    kind: str
    shown: Shown
    fix: Fix
    wrt: str = ""
    error: AutodiffError | None = None

    @property
    def text(self) -> str:
        return self.fix.apply(self.shown.text)


@dataclass
class Verdict:
    word: str
    reason: str = ""


# -- what the program shows ---------------------------------------------------------------------------------


@contextmanager
def few_steps() -> Iterator[None]:
    before = limits.steps
    limits.steps = MOST_STEPS
    try:
        yield
    finally:
        limits.steps = before


def shown_repairs(shown: Shown) -> list[Repair]:
    """The repairs that the program shows for a script: with its error, in ``explain`` or from ``lint``."""
    settings = Settings(of=shown.of, wrt=shown.wrt)
    source = Source(shown.text, "script.ad")
    found = []
    with few_steps():
        try:
            execution = execute(source, settings, discard_text, discard_warning)
            report = describe(differentiate(execution, settings), source, graph=False)
            if any(derivation.causes for derivation in report.derivations):
                add_remedies(report, execution, settings)
            for derivation in report.derivations:
                for fix in (fix for cause in derivation.causes for fix in cause.repairs):
                    found.append(Repair("gradient", shown, fix, derivation.wrt))
        except AutodiffError as error:
            for one in (error, *error.other_errors):
                found += [Repair("error", shown, fix, error=one) for fix in one.fixes if fix.edits]
        try:
            findings = lint(source)
        except AutodiffError:
            findings = []
        for one in findings:
            if not is_error(one):
                found += [Repair("lint", shown, fix, error=one) for fix in one.fixes if fix.edits]
    return found


# -- by values ----------------------------------------------------------------------------------------------


def judge(repair: Repair) -> Verdict:
    with few_steps(), np.errstate(all="ignore"):
        return judge_gradient(repair) if repair.kind == "gradient" else judge_error(repair)


class Function:
    """A script as a function of its inputs; its output has a name if the script need not record it."""

    def __init__(self, text: str, shown: Shown, wrt: str, output: str = "") -> None:
        self.text, self.of, self.wrt, self.output = text, shown.of, wrt, output

    def run(self, sets: dict[str, Any]) -> tuple[Execution, ReportedPass | None] | None:
        """The run with other values of inputs and its pass by ``wrt``, if there is one."""
        settings = Settings(sets=sets, of=self.of, wrt=[self.wrt])
        try:
            execution = run_once(Source(self.text, "script.ad"), settings, discard_text, discard_warning)
        except AutodiffError:
            return None
        try:
            return execution, differentiate(execution, settings)
        except AutodiffError:
            return execution, None

    def at(self, sets: dict[str, Any]) -> Any:
        """The value of the output where the inputs are moved; None if the script fails there."""
        made = self.run({name: value.tolist() for name, value in sets.items()})
        if made is None:
            return None
        execution, found = made
        if found is not None:
            return np.asarray(found.root.out, float)
        value = execution.names.get(self.output)
        return np.asarray(value.tolist(), float) if isinstance(value, Tensor) else None


def judge_gradient(repair: Repair) -> Verdict:
    """Compare values around the inputs, the value there with their limit, the gradient with differences."""
    after = Function(repair.text, repair.shown, repair.wrt)
    _, made = after.run({}) or (None, None)
    if made is None:
        return Verdict(WRONG, "the repaired script fails or has no gradient")
    before = Function(repair.shown.text, repair.shown, repair.wrt, made.name)
    inputs = inputs_of(repair)
    if repair.wrt not in inputs:
        return Verdict(OPEN, "the input has no name that can be set")
    [*_, (_, node)] = made.wrt
    gradient = made.cotangents.get(node)
    if gradient is None or not np.isfinite(np.asarray(gradient)).all():
        return Verdict(WRONG, f"the gradient is {gradient}")
    value = np.asarray(made.root.out)
    same = after.at(inputs)
    if same is None or not np.allclose(same, value, rtol=1e-12, equal_nan=True):
        return Verdict(OPEN, "the input has another value at the end than at first")
    around = Around(before, after, inputs, ROUNDING[value.dtype.name])
    for at in range(DIRECTIONS):
        together = len(inputs) > 1 and at == DIRECTIONS - 1
        random = np.random.default_rng(at)
        names = [*inputs] if together else [repair.wrt]
        ways = {name: direction(inputs[name], random) for name in names}
        fault = around.compare(ways)
        if not fault and not together:
            fault = around.compare_slope(gradient, made.seed, ways)
        if fault:
            return Verdict(WRONG, fault)
    if around.count:
        return Verdict(RIGHT, "nearby")
    return around.compare_scaled()


class Around:
    """Both scripts around their inputs; ``count`` is the number of places where the original was finite."""

    def __init__(self, before: Function, after: Function, inputs: dict[str, Any], rounding: float) -> None:
        self.before, self.after, self.inputs, self.rounding = before, after, inputs, rounding
        self.value = after.at(inputs)
        here = before.at(inputs)
        self.keeps_value = finite(here) and bool(np.allclose(here, self.value, rtol=rounding))
        self.count = 0

    def moved(self, ways: dict[str, Any], move: float) -> dict[str, Any]:
        return {name: x + move * ways[name] if name in ways else x for name, x in self.inputs.items()}

    def compare(self, ways: dict[str, Any]) -> str:
        """Return where the repaired script has another value than the original; an empty text if nowhere."""
        for sign in (1.0, -1.0):
            olds = [self.before.at(self.moved(ways, sign * size)) for size in MOVES]
            for size, old in zip(MOVES, olds, strict=True):
                if not finite(old):
                    continue
                self.count += 1
                new = self.after.at(self.moved(ways, sign * size))
                near = self.rounding * np.abs(old) + 0.05 * np.abs(old - self.value) + 1e-11
                if new is None or new.shape != old.shape or (np.abs(new - old) > near).any():
                    return f"nearby it is {new} and was {old}"
            if self.keeps_value or not finite(olds[0]) or not finite(olds[-1]):
                continue
            far, close = np.abs(olds[0] - self.value), np.abs(olds[-1] - self.value)
            if (close > 0.6 * far + self.rounding * np.abs(self.value) + 1e-11).any():
                return f"its value {self.value} is not the limit of {olds}"
        return ""

    def compare_slope(self, gradient: Any, weight: Any, ways: dict[str, Any]) -> str:
        """Return how the gradient differs from differences of the repaired values, on both sides."""
        [(name, way)] = ways.items()
        slope = float((np.asarray(gradient).reshape(way.shape) * way).sum())
        sides = []
        for sign in (1.0, -1.0):
            news = [
                (sign * size, self.after.at(self.moved(ways, sign * size))) for size in (*MOVES, SMALLEST)
            ]
            slopes = [float((weight * (new - self.value)).sum()) / size for size, new in news if finite(new)]
            steady = [
                near
                for far, near in pairwise(slopes)
                if abs(near - far) <= 0.03 * abs(near) + 1e-6 * np.abs(way).max(initial=0)
            ]
            sides += steady[-1:]
        room = 0.05 * max(map(abs, sides), default=0) + 1e-4 * float(np.abs(way).max(initial=0))
        if sides and not min(sides) - room <= slope <= max(sides) + room:
            return f"the gradient by {name} gives {slope}, differences {sides}"
        return ""

    def compare_scaled(self) -> Verdict:
        """Compare values of smaller inputs, where the original overflows nearby."""
        compared = 0
        for factor in FACTORS:
            old, new = self.scaled(factor)
            if not finite(old):
                continue
            compared += 1
            if new is None or not np.allclose(new, old, rtol=10 * self.rounding, atol=self.rounding):
                return Verdict(WRONG, f"at {factor} of the inputs it is {new} and was {old}")
        if compared < 2:
            return Verdict(OPEN, "the original has no value nearby")
        return self.compare_at_edge() if self.rounding < 1e-6 else Verdict(RIGHT, "scaled")

    def compare_at_edge(self) -> Verdict:
        """Compare the last values before the original overflows.

        There it may have few digits left: its own second differences show how few.
        """
        edge = self.last_finite_factor()
        pairs = [self.scaled(edge * (1 - 0.01 * k)) for k in (0.1, *range(1, 9))]
        if not all(finite(old) for old, _ in pairs):
            return Verdict(RIGHT, "scaled")
        olds = [old for old, _ in pairs]
        rough = max(np.abs(a - 2 * b + c).max() for a, b, c in zip(olds, olds[1:], olds[2:], strict=False))
        old, new = pairs[0]
        if new is None or (np.abs(new - old) > 4 * rough + self.rounding * (1 + np.abs(old))).any():
            return Verdict(WRONG, f"at the last factor before an overflow, {edge}, it is {new} and was {old}")
        return Verdict(RIGHT, "scaled")

    def scaled(self, factor: float) -> tuple[Any, Any]:
        there = {name: factor * value for name, value in self.inputs.items()}
        return self.before.at(there), self.after.at(there)

    def last_finite_factor(self) -> float:
        """The largest factor of the inputs, found by halves, up to which the original is finite."""
        low, high = 0.0, 1.0
        for _ in range(12):
            middle = (low + high) / 2
            low, high = (middle, high) if finite(self.scaled(middle)[0]) else (low, middle)
        return low


def inputs_of(repair: Repair) -> dict[str, Any]:
    """The values of the leaves of the original script that have names."""
    settings = Settings(of=repair.shown.of, wrt=[repair.wrt])
    execution = run_once(Source(repair.shown.text, "script.ad"), settings, discard_text, discard_warning)
    return {name: np.asarray(value.tolist(), float) for name, value in leaves(execution).items()}


def leaves(execution: Execution) -> dict[str, Tensor]:
    return {
        name: value
        for name, value in execution.names.items()
        if isinstance(value, Tensor) and value.requires_grad and value.is_leaf
    }


def has_gradients(shown: Shown) -> set[str]:
    """The leaves that have gradients at the end of the original script; none if it fails."""
    try:
        execution = run_once(Source(shown.text, "script.ad"), Settings(), discard_text, discard_warning)
    except AutodiffError:
        return set()
    return {name for name, value in leaves(execution).items() if value.grad is not None}


def direction(x: Any, random: np.random.Generator) -> Any:
    size = max(1.0, float(np.abs(x[np.isfinite(x)]).max(initial=0.0)))
    return random.uniform(0.5, 1.0, x.shape) * random.choice([-1.0, 1.0], x.shape) * size


def finite(value: Any) -> bool:
    return value is not None and bool(np.isfinite(value).all())


def judge_error(repair: Repair) -> Verdict:
    """Run the repaired script: it has to go on, and no input that moves an output may lack its gradient."""
    settings = Settings(wrt=repair.shown.wrt, of=repair.shown.of)
    error = repair.error
    assert error is not None
    source = Source(repair.text, "script.ad")
    try:
        execution = run_once(source, settings, discard_text, discard_warning)
    except AutodiffError as other:
        if repair.kind == "lint":
            return Verdict(OPEN, "the script does not run")
        if error.span is None or other.span is None:
            return Verdict(OPEN, "an error without a place")
        if other.code == error.code and other.message == error.message:
            place = source.position(min(max(repair.fix.moves(error.span.start), 0), len(repair.text)))
            if source.position(min(other.span.start, len(repair.text)))[0] == place[0]:
                return Verdict(WRONG, "the same error is still there")
        return Verdict(OPEN, "another mistake is further on")
    roots = execution.last_passes.backward.roots
    missing = {n for n, value in leaves(execution).items() if value.grad is None}
    if repair.kind == "lint":
        missing &= has_gradients(repair.shown)
    if not roots or not missing:
        return Verdict(RIGHT, "gradients" if roots else "runs")
    if any(word in repair.shown.text for word in CUTS):
        return Verdict(OPEN, "the script takes values out of the graph")
    for name in missing:
        value = np.asarray(leaves(execution)[name].tolist(), float)
        random = np.random.default_rng(0)
        moved = value + 1e-3 * direction(value, random)
        try:
            other = run_once(
                source, Settings(sets={name: moved.tolist()}), discard_text, discard_warning
            ).last_passes.backward.roots
        except AutodiffError:
            return Verdict(OPEN, f"`{name}` cannot be moved")
        pairs = zip(roots, other, strict=False)
        if any(not np.array_equal(a.out, b.out, equal_nan=True) for a, b in pairs):
            return Verdict(WRONG, f"`{name}` moves the output and has no gradient")
    return Verdict(RIGHT, "gradients")
