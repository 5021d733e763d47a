"""Lines that change an array which has two names: ``dz = dh`` and then ``dz *= 1 - h**2`` change ``dh`` too.

Steps are judged with the right values of the gradients before them, where names share nothing. The lines are
run here as they stand, as numpy and torch do, and steps that read a name so changed are judged by that.
"""

from __future__ import annotations

import re

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.by_hand.evaluate import run_text
from autodiff.grammar.by_hand.points import values_equal
from autodiff.grammar.by_hand.step_lines import CLIP, HELPER, IDLE, Line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.grammar.by_hand.check import HandCheck
    from autodiff.grammar.by_hand.formula import Formula
    from autodiff.grammar.by_hand.runs import ScriptRun, ScriptRuns
    from autodiff.grammar.by_hand.steps import Derivation

#: The right side of a line that may give an array another name: a name, a part of it, a view.
SHARING = re.compile(
    r"\(*\s*[\w.]+(?:\[.*\])?(?:\.T)?\s*\)*|.*\b(?:reshape|view|ravel|squeeze|unsqueeze|transpose|as\w*array|"
    r"expand_dims|detach)\(.*",
    re.DOTALL,
)


class SharedChange:
    """A ``line`` that changes ``name``, though it names ``changed``."""

    __slots__ = ("changed", "line", "name")

    def __init__(self, line: Line, changed: str, name: str) -> None:
        self.line, self.changed, self.name = line, changed, name

    def remark(self, copying: str) -> str:
        """Return what the line does, and the way out: a copy, by the method ``copying``."""
        pair = f"`{self.changed}` and `{self.name}` are one array"
        return (
            f"line {self.line.number} changes `{self.name}` too: {pair}; write `.{copying}()` where"
            f" `{self.changed}` gets its value"
        )


class LinesAsTheyStand:
    """The lines of a derivation, run in the first run of the script without replacing any value."""

    def __init__(self, derivation: Derivation, first: ScriptRun) -> None:
        repeated = derivation.computed.repeated(first)
        self.lines = [
            None if at in repeated or line.kind in (CLIP, IDLE) else line
            for at, line in enumerate(derivation.lines)
        ]
        read = set().union(*(line.reads for line in derivation.lines))
        self.names = first.names_with(read)
        self.known: dict[int, dict[str, Any]] = {}

    @property
    def may_share(self) -> bool:
        """Whether a line may give an array another name, and none draws random numbers."""
        lines = [line for line in self.lines if line is not None]
        if any("rand" in line.statement.text for line in lines):
            return False
        values = (line.statement.text.partition("=")[2].strip() for line in lines if line.binds)
        return any(map(SHARING.fullmatch, values)) and any(line.changes for line in lines)

    def values(self, count: int) -> dict[str, Any]:
        """Return the values of names after so many lines; raise an AutodiffError if they cannot be run."""
        if count not in self.known:
            texts = [line.statement.text for line in self.lines[:count] if line is not None]
            self.known[count] = run_text("\n".join(texts), self.names, False)[0] if texts else {}
        return self.known[count]

    def changes(self, at: int) -> list[SharedChange]:
        """Return which other names a line changes."""
        line = self.lines[at]
        if line is None or not line.changes:
            return []
        before, after = {**self.names, **self.values(at)}, self.values(at + 1)
        return [
            SharedChange(line, min(line.changes), name)
            for name, value in after.items()
            if name not in line.binds | line.changes
            and isinstance(value, Tensor)
            and isinstance(old := before.get(name), Tensor)
            and not np.array_equal(old.data, value.data, equal_nan=True)
        ]


def judge_shared_arrays(
    formulas: list[Formula], checks: list[HandCheck], runs: ScriptRuns
) -> set[Derivation]:
    """Change the results of steps that read a name which a line before changes under another name.

    Return the derivations that have such steps.
    """
    sharing: set[Derivation] = set()
    by_derivation: dict[Derivation, list[tuple[Formula, HandCheck]]] = {}
    for formula, check in zip(formulas, checks, strict=True):
        if formula.workings is not None and formula.workings.segment.key.isidentifier():
            by_derivation.setdefault(formula.workings.derivation, []).append((formula, check))
    for derivation, steps in by_derivation.items():
        ran = LinesAsTheyStand(derivation, runs.first)
        if derivation.turns or not ran.may_share:
            continue
        try:
            affected = affected_lines(ran)
            for formula, check in steps:
                assert formula.workings is not None
                segment = formula.workings.segment
                found = [affected[at] for at in segment.places if at in affected]
                if found and segment.turn is None and segment.overwrites is None and not check.is_jacobian:
                    value = ran.values(segment.places[-1] + 1).get(segment.key)
                    earlier = [one for _, one in steps[: steps.index((formula, check))]]
                    judge(check, found[0], value, earlier, runs)
                    sharing.add(derivation)
        except AutodiffError:
            continue  # the line that cannot be run is told
    return sharing


def affected_lines(ran: LinesAsTheyStand) -> dict[int, SharedChange]:
    """Return the places of the lines that read a name after another line has changed it with its own."""
    tainted: dict[str, SharedChange] = {}
    found: dict[int, SharedChange] = {}
    for at, line in enumerate(ran.lines):
        if line is None:
            continue
        read = sorted(line.reads & tainted.keys())
        if read:
            found[at] = tainted[read[0]]
        for name in line.binds | ({line.key} if line.kind != HELPER else set()):
            tainted.pop(name, None)
            if read and line.kind == HELPER:
                tainted[name] = found[at]
        tainted |= {one.name: one for one in ran.changes(at)}
    return found


def judge(
    check: HandCheck, change: SharedChange, value: Any, earlier: list[HandCheck], runs: ScriptRuns
) -> None:
    """Set the result of a step by the value that its lines give as they stand."""
    if not isinstance(value, Tensor):
        return
    is_same = value.shape == np.shape(check.gradient) and values_equal(value.data, check.gradient)
    remark = change.remark("copy" if runs.first.execution.without_tensors else "clone")
    if is_same and check.is_right is False:
        check.is_right = check.is_right_here = True
        check.value, check.remarks = check.gradient, [remark]
    elif not is_same and any(one.is_right is False for one in earlier):
        check.is_right = None if check.is_right else check.is_right
        check.remarks.insert(0, remark)
    elif not is_same:
        check.is_right = check.is_right_here = False
        check.value, check.remarks = np.asarray(value.data), [remark]
