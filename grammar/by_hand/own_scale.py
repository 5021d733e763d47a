"""Derivations whose gradients are all times one factor, which later lines divide out.

With ``dz = a - y`` and ``dW = x.T @ dz / m``, ``dz`` is m times the gradient of a mean, and ``dW`` is right.
Judged by the right value of ``dz`` both lines would be wrong. Here each line is judged with the values that
the lines before give it, as multiples of the right ones. Where no line divides, those that are off by the
factor as well follow from the first one.
"""

from __future__ import annotations

from copy import copy

from autodiff.core.base.lazy_imports import np
from autodiff.grammar.by_hand.corrections import CorrectionSearch
from autodiff.grammar.by_hand.formula import ShapeMismatchError
from autodiff.grammar.by_hand.points import (
    NEAR_SPREAD,
    SamplePoints,
    broadcasts_to,
    formula_values,
    values_equal,
)
from autodiff.grammar.by_hand.runs import MOST_SPREAD, SCALE, SPREAD, ScriptRun
from autodiff.grammar.by_hand.sentences import constant_ratio, format_number, ratio_remark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.grammar.by_hand.check import HandCheck
    from autodiff.grammar.by_hand.formula import Formula
    from autodiff.grammar.by_hand.runs import ScriptRuns
    from autodiff.grammar.by_hand.steps import Derivation

#: How far a ratio may be from a factor that it is taken for.
RATIO_TOLERANCE = 1e-6


def judge_by_own_values(
    formulas: list[Formula], checks: list[HandCheck], runs: ScriptRuns, without: Collection[Derivation]
) -> None:
    """Change the results of the steps of each derivation that goes on with multiples of the gradients.

    Those ``without`` are left as they are: their lines change arrays under two names.
    """
    by_derivation: dict[Derivation, list[tuple[Formula, HandCheck]]] = {}
    for formula, check in zip(formulas, checks, strict=True):
        if formula.workings is not None:
            by_derivation.setdefault(formula.workings.derivation, []).append((formula, check))
    for derivation, steps in by_derivation.items():
        if derivation in without or sum(check.is_right is False for _, check in steps) < 2:
            continue
        tried = [ScaledSteps(steps, runs, factor) for factor in possible_factors(steps, runs)]
        for judged in tried:
            if judged.have_compensation():
                judged.enter_results()
                break
        else:
            for judged in tried[:1]:
                judged.enter_followers()


def is_right_for_a_multiple(formula: Formula, runs: ScriptRuns, keys: Collection[str]) -> bool:
    """Whether a formula is right where the gradients with these names in it are times some factor."""
    points = SamplePoints(runs, formula, runs.around(SPREAD))
    scaled = [*map(ScaledRun, points.runs)]
    for upstream in formula.all_upstream:
        nodes = upstream.nodes(runs.first.subject, runs.first.execution)
        for one, (_, *by) in zip(upstream.found, nodes, strict=True):
            for run in scaled if one.written in keys and len(by) == 1 else ():
                run.enter_scale(by[0], 2.0)
    with_scale = copy(runs)
    with_scale.first = scaled[0]
    once, twice = (
        values_at(points, formula),
        values_at(SamplePoints(with_scale, formula, list(scaled)), formula),
    )
    if not once or len(once) != len(twice):
        return False
    part = [
        np.broadcast_to(b - a, np.shape(g)) for a, b, g in zip(once, twice, points.gradients, strict=True)
    ]
    rest = [2 * a - b for a, b in zip(once, twice, strict=True)]
    size = sum(np.vdot(a, a) for a in part)
    if not size:
        return False
    factor = sum(np.vdot(a, g - b) for a, b, g in zip(part, rest, points.gradients, strict=True)) / size
    return all(points.compare([b + factor * a for a, b in zip(part, rest, strict=True)]))


def possible_factors(steps: list[tuple[Formula, HandCheck]], runs: ScriptRuns) -> list[float]:
    """Return the factors that wrong steps are off by, in the order of the lines.

    A step that is off by -m may have two mistakes: later lines divide by m, and the sign is wrong.
    """
    found: list[float] = []
    for formula, check in steps:
        if check.is_right is False and can_be_scaled(formula, check):
            points = SamplePoints(runs, formula, runs.around(SPREAD))
            computed = values_at(points, formula)
            ratio = constant_ratio(computed, points.gradients) if computed else None
            for factor in () if ratio is None else (ratio, abs(ratio)):
                if not any(is_near(factor, one) for one in (1.0, *found)):
                    found.append(factor)
    return found


def can_be_scaled(formula: Formula, check: HandCheck) -> bool:
    """Whether a step is about a whole gradient, and no line overwrites another part of it."""
    assert formula.workings is not None
    is_whole = formula.place is None and not (formula.is_second or formula.others or check.is_jacobian)
    segment = formula.workings.segment
    return is_whole and segment.overwrites is None and segment.turn is None


def values_at(points: SamplePoints, formula: Formula) -> list[Any]:
    """Return the values of a formula; none if it has no value of the gradient's shape."""
    try:
        computed = formula_values(points, formula)
    except ShapeMismatchError:
        return []
    return computed if broadcasts_to(computed[0].shape, np.shape(points.gradients[0])) else []


def is_near(ratio: float, other: float) -> bool:
    return abs(ratio - other) <= RATIO_TOLERANCE * abs(other)


class OwnScale:
    """What a step's value is: ``factor`` times the gradient, 1 or that of the derivation, spelled ``text``.

    ``sentence`` says it of all steps of the derivation.
    """

    __slots__ = ("factor", "sentence", "text")

    def __init__(self, factor: float, text: str, sentence: str) -> None:
        self.factor, self.text, self.sentence = factor, text, sentence


class ScaledStep:
    """A step with the value that it has after the lines before.

    ``scale`` is 1 or the factor of the derivation, None for a value that is neither times the gradient;
    ``is_opposite`` says that the derivation begins with it, and that it is the factor but for the sign.
    ``reads`` are the steps from whose values it is computed, ``sources`` those among them with the factor.
    """

    __slots__ = (
        *("check", "computed", "formula", "is_opposite", "key", "points", "reads", "scale", "sources"),
        "was_right",
    )

    def __init__(
        self, formula: Formula, check: HandCheck, reads: list[ScaledStep], sources: list[ScaledStep]
    ) -> None:
        assert formula.workings is not None
        self.formula, self.check, self.reads, self.sources = formula, check, reads, sources
        self.key = formula.workings.segment.key
        self.was_right = check.is_right
        self.points: SamplePoints | None = None
        self.computed: list[Any] = []
        self.scale: float | None = None
        self.is_opposite = False

    def is_exact(self) -> bool:
        """Whether the value is the gradient, or it times the factor: no step that leads to it is wrong.

        The sign does not count.
        """
        return (self.scale is not None or self.is_opposite) and all(one.is_exact() for one in self.reads)


class ScaledSteps:
    """The steps of a derivation, each computed from gradients or ``factor`` times these."""

    def __init__(self, steps: list[tuple[Formula, HandCheck]], runs: ScriptRuns, factor: float) -> None:
        self.factor = factor
        first = runs.first
        far = runs.around(SPREAD)
        near = runs.around(NEAR_SPREAD[np.asarray(first.subject.root.out).dtype.name])
        large = [] if runs.are_of_order_one else runs.moved(MOST_SPREAD, kept=SCALE)
        known = {run: ScaledRun(run) for run in dict.fromkeys([*far, *near, *large])}
        self.scaled = list(known.values())
        self.samples = [[known[run] for run in sample] for sample in (far, near)]
        #: The runs where small and large inputs are of the order of 1, which tell more formulas apart.
        self.large = [known[run] for run in large]
        self.right_runs, self.runs = runs, copy(runs)
        self.runs.first = known[first]
        #: The steps so far, and those of the factor, also wrong ones that are computed from its values.
        self.known: dict[Node, ScaledStep] = {}
        self.current: dict[Node, ScaledStep] = {}
        self.steps = [self.judged(formula, check) for formula, check in steps]
        compensating = [one for one in self.steps if one.scale == 1.0 and one.sources]
        #: Where none compensates, the steps whose mistake is found from the derivation's own values only. A
        #: wrong sign needs more: a later step that makes up for it.
        is_sign = factor < 0
        self.explained = [] if compensating or is_sign else list(filter(self.is_explained, self.steps))
        compensating += self.explained
        #: The steps of the factor from which right values are computed.
        self.used: set[ScaledStep] = set()
        todo = [source for one in compensating for source in one.sources]
        while todo:
            one = todo.pop()
            if one not in self.used:
                self.used.add(one)
                todo += one.sources

    def have_compensation(self) -> bool:
        """Whether a step is right with the derivation's own values, and wrong with the right ones."""
        is_exact = any(one.sources and one.was_right is False and one.is_exact() for one in self.steps)
        return (is_exact or bool(self.explained)) and any(
            one.scale == self.factor or one.is_opposite for one in self.used
        )

    def is_explained(self, step: ScaledStep) -> bool:
        """Whether a mistake in a wrong step is found with the derivation's own values, not otherwise."""
        if not step.sources or step.was_right is not False or step.scale is not None or not step.computed:
            return False
        assert step.points is not None
        node = dict(step.points.subject.wrt)[step.check.by[-1]]
        from_right = SamplePoints(self.right_runs, step.formula, self.right_runs.around(SPREAD))
        own, right = (
            CorrectionSearch(step.formula, points, node).find_remark() for points in (step.points, from_right)
        )
        return bool(own) and not right

    def judged(self, formula: Formula, check: HandCheck) -> ScaledStep:
        read = self.nodes_read(formula)
        step = ScaledStep(formula, check, chosen(self.known, read), chosen(self.current, read))
        node = dict(self.runs.first.subject.wrt)[check.by[-1]]
        self.known[node] = step
        if not can_be_scaled(formula, check):
            return step
        self.current.pop(node, None)
        self.enter_scale(node, 1.0)
        if check.is_right is None or not (step.sources or check.is_right is False):
            step.scale = 1.0 if check.is_right else None
            return step
        for sample in self.samples:
            step.points = SamplePoints(self.runs, formula, list(sample))
            step.computed = values_at(step.points, formula)
            scales = (1.0, self.factor, *(() if step.sources else (-self.factor,)))
            for scale in scales if step.computed else ():
                right = step.points.compare([x / scale for x in step.computed])
                if all(one is True for one in right) and self.is_right_at_large(formula, scale):
                    step.is_opposite = scale == -self.factor
                    step.scale = None if step.is_opposite else scale
                    break
            if step.scale is not None or step.is_opposite:
                break
        if step.scale == self.factor or step.is_opposite or (step.scale is None and step.sources):
            self.current[node] = step
            self.enter_scale(node, self.factor)
        return step

    def is_right_at_large(self, formula: Formula, scale: float) -> bool:
        if not self.large:
            return True
        points = SamplePoints(self.runs, formula, list(self.large))
        computed = [value / scale for value in values_at(points, formula)]
        return all(right is not False for right in points.compare(computed))

    def nodes_read(self, formula: Formula) -> list[Node]:
        """Return the values whose gradients a formula reads, or the lines that it uses."""
        assert formula.workings is not None
        unfolded = formula.workings.unfolded
        read = [formula.upstream, *([] if unfolded is None else [unfolded.upstream])]
        subject, execution = self.runs.first.subject, self.runs.first.execution
        found = [ends for one in read for ends in one.nodes(subject, execution) if len(ends) == 2]
        nodes = [node for root, node in found if root is subject.root]
        before = formula.workings.segment.before
        return nodes + ([] if before is None else [before])

    def enter_scale(self, node: Node, scale: float) -> None:
        """Let the lines behind a step read ``scale`` times the gradient of a node."""
        for run in self.scaled:
            run.enter_scale(node, scale)

    # -- results --------------------------------------------------------------------------------------

    def enter_results(self) -> None:
        """Set the results of the steps that the derivation's own values change."""
        text = self.spelled_factor()
        times = [
            one for one in self.steps if one in self.used and (one.scale == self.factor or one.is_opposite)
        ]
        right = [one for one in self.steps if one.scale == 1.0 and one.sources]
        goes_on = "is {} times its gradient. With this value"
        if len(times) > 1:
            goes_on = "are {} times their gradients. With these values"
        are = "is" if len(right) == 1 else "are"
        opposite = [one for one in times if one.is_opposite]
        but = f"But for the sign of {joined(opposite)}, " if opposite else ""
        sentence = f"{but}{joined(times)} {goes_on.format(text)} of yours {joined(right or self.explained)}"
        sentence += f" {are} right" if right else " has one mistake"
        for one in self.steps:
            check = one.check
            if one.is_opposite:
                check.remarks = [f"the sign is wrong: it is -{text.partition(' = ')[0]} times its gradient"]
            elif one in times or one in right:
                assert one.scale is not None
                check.own_scale = OwnScale(one.scale, text.partition(" = ")[0], sentence)
                check.is_right, check.is_right_here = True, one.scale == 1.0
                check.remarks, check.varied = [sentence], []
            elif not one.sources or one.points is None:
                continue
            elif remark := self.remark(one, text):
                check.is_right, check.remarks = False, [remark]
                check.is_right_here = bool(one.computed) and one.points.compare(one.computed[:1])[0]
            else:
                continue
            if one.computed:
                check.value, check.points = one.computed[0], len(one.computed)

    def enter_followers(self) -> None:
        """Set the remarks on steps that are wrong by the factor of an earlier one, or beside it."""
        text = format_number(self.factor)
        for one in self.steps:
            if one.was_right is not False or not one.sources or not one.computed:
                continue
            if values_equal(one.computed[0], self.factor * one.check.value):
                continue  # all of it has the factor of its sources: its own mistake is told already
            source = one.sources[0].check
            place = "" if source.step is None else f" (line {source.step[1]})"
            theirs = f"{joined(one.sources[:1])}{place}"
            if one.scale == self.factor:
                one.check.remarks = [f"it follows from {theirs}: all of it is {text} times the gradient, too"]
            elif one.scale is None and one.points is not None:
                node = dict(one.points.subject.wrt)[one.check.by[-1]]
                points = SamplePoints(self.runs, one.formula, list(self.samples[0]))
                found = CorrectionSearch(one.formula, points, node).find_remark()
                if found:
                    found = one.formula.upstream.spell(found)
                    one.check.remarks = [f"beside the factor {text} of {theirs}: {found}"]

    def remark(self, step: ScaledStep, text: str) -> str:
        """Return the remark on a step that is wrong with the derivation's own values.

        It is ``""`` if the step is wrong with the right ones as well, and only that can be explained.
        """
        assert step.points is not None
        short = text.partition(" = ")[0]
        theirs = "its gradient" if len(step.sources) == 1 else "their gradients"
        yours = f"from your {joined(step.sources)}, {text} times {theirs}"
        if step.scale == self.factor:
            return f"{yours}, it is {short} times what it should be: a division by {short} is missing"
        ratio = constant_ratio(step.computed, step.points.gradients) if step.computed else None
        if ratio is not None:
            is_as_far = abs(np.log(abs(ratio))) <= abs(np.log(abs(ratio / self.factor)))
            if is_as_far or step.was_right:
                return f"{yours}: {ratio_remark(ratio, 'the sign is wrong')}"
            return ""
        node = dict(step.points.subject.wrt)[step.check.by[-1]]
        found = CorrectionSearch(step.formula, step.points, node).find_remark() if step.computed else ""
        if found:
            return f"{yours}: {step.formula.upstream.spell(found)}"
        remark = f"{yours}, it is not the gradient; from the gradient itself it would be right"
        return remark if step.was_right else ""

    def spelled_factor(self) -> str:
        """Return the factor with the script's name for it if the steps read that: ``m = 4``."""
        names = self.runs.first.names
        read = set().union(*(one.formula.names_read for one in self.steps))
        for name in sorted(read & names.keys()):
            if names[name].__class__ in (int, float) and names[name]:
                for spelled, value in ((name, names[name]), (f"1/{name}", 1 / names[name])):
                    if is_near(value, self.factor):
                        return f"{spelled} = {format_number(value)}"
        return format_number(self.factor)


def chosen(steps: dict[Node, ScaledStep], nodes: list[Node]) -> list[ScaledStep]:
    return list(dict.fromkeys(steps[node] for node in nodes if node in steps))


class ScaledRun(ScriptRun):
    """A run of the script in which steps of a derivation read multiples of gradients."""

    def __init__(self, run: ScriptRun) -> None:
        self.right_gradients = run.subject.cotangents
        subject = copy(run.subject)
        subject.received = dict(self.right_gradients)
        super().__init__(subject, run.execution, run.first)

    def enter_scale(self, node: Node, scale: float) -> None:
        """Let formulas read ``scale`` times the gradient of a node."""
        here = self.known.get(node, node)
        right = self.right_gradients.get(here)
        if right is not None:
            self.subject.cotangents[here] = right * scale


def joined(steps: list[ScaledStep]) -> str:
    """Return the names of steps in words: ``dz2, da1 and dz1``."""
    *most, last = dict.fromkeys(one.key for one in steps)
    return f"{', '.join(most)} and {last}" if most else last
