"""Tries changes of a script that give a gradient where it was zero or not finite.

Which changes may help depends on the op at fault: another branch of a choice, a function with a known slope,
a small number below a root. A change holds if the repaired script runs, the gradient in question is as it
should be, and the repaired script has the values of the original one, here and nearby, and their slope. If no
single change holds, another one is looked for in the repaired script.
"""

from __future__ import annotations

from contextlib import nullcontext
from difflib import SequenceMatcher

from autodiff.core.base.errors import AutodiffError, Edit, Fix
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import limits
from autodiff.core.base.source import Source, Span
from autodiff.core.paths.node_names import NodeNames
from autodiff.core.paths.use_contributions import max_abs
from autodiff.core.why.first_cause import causes_of
from autodiff.grammar.help.failure_scene import Scene
from autodiff.grammar.objects.runtime import discard_text, discard_warning, runtime
from autodiff.grammar.repair.missing_path import explain_disconnection, output_expression
from autodiff.grammar.repair.nan_history import explain_nonfinite_leaves
from autodiff.grammar.repair.nearby_values import NearbyValues
from autodiff.grammar.repair.proposals.domain_edges import (
    EXPONENTIALS,
    avoid_edge,
    choose_before_op,
    leave_out_nan,
)
from autodiff.grammar.repair.proposals.graph_cuts import FAILING_CODE, connecting_fix, find_cuts
from autodiff.grammar.repair.proposals.stable_functions import SameFunction, known_functions, known_quotients
from autodiff.grammar.repair.unneeded_lines import without_failed_line
from autodiff.grammar.session.run import Execution, Settings, differentiate, run_once
from autodiff.grammar.syntax.parser import parse_to_first_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from autodiff.core.report.cause import Cause
    from autodiff.core.report.records import Derivation, GradientReport, ReportedPass
    from autodiff.grammar.session.rerun import Probe

#: The most changes tried for one cause, the most that are kept, and the most that are combined.
MOST_TRIALS, MOST_KEPT, MOST_COMBINED = 8, 2, 3
#: The most changes tried for one report, and the most steps for all trials together. ENTRIES_PER_STEP
#: entries of tensors take about as long as one step.
MOST_REPORT_TRIALS, MOST_STEPS, ENTRIES_PER_STEP = 40, 2_000_000, 100
#: How far a repaired output may differ from the original one, absolutely and relatively.
OUTPUT_TOLERANCE = 1e-5
#: A gradient larger than this is no better than an infinite one.
STEEPEST = 1e9


def add_remedies(report: GradientReport, execution: Execution, settings: Settings) -> None:
    """Add to the causes of a report the changes that hold, and where the graph was left."""
    trials = Trials(settings, report.output.name)
    explain_nonfinite_leaves(report, execution, trials)
    for derivation in report.derivations:
        for cause in derivation.causes:
            if cause.kind == "unconnected":
                did_run = trials.places(execution.source, derivation.wrt)
                explain_disconnection(cause, derivation.wrt, report.output.name, execution, did_run)
        if derivation.causes:
            GradientRepair(derivation, report, execution, trials).store_repairs()


class Trials:
    """Runs repaired scripts, up to a number of trials and a number of steps."""

    def __init__(self, settings: Settings, output: str) -> None:
        self.settings = settings
        self.output = output
        self.count = 0
        self.steps = 0

    @property
    def are_over(self) -> bool:
        return self.count >= MOST_REPORT_TRIALS or self.steps >= MOST_STEPS

    def run(self, text: str, source: Source, wrt: str, probe: Probe | None = None) -> Trial | None:
        """Run a repaired script; None if it fails, or if there are no trials left.

        Runs under a probe, which moves the inputs, are limited in their steps only. They go on without a line
        that fails there and that the output does not need.
        """
        if self.are_over if probe is None else self.steps >= MOST_STEPS:
            return None
        given, all_steps = self.settings, limits.steps
        asked = given.copy(wrt=[wrt])
        repaired = Source(text, source.name)
        self.count += probe is None
        limits.steps = min(MOST_STEPS, all_steps or MOST_STEPS)
        try:
            execution, subject = self.execute(repaired, asked, nullcontext() if probe is None else probe)
        except AutodiffError:
            return None
        finally:
            limits.steps = all_steps
        self.steps += sum(int(np.size(node.out)) for node in subject.order) // ENTRIES_PER_STEP
        return Trial(repaired, execution, subject)

    def execute(
        self, source: Source, asked: Settings, probe: Probe | nullcontext[None]
    ) -> tuple[Execution, ReportedPass]:
        """Run a script and differentiate; under a probe without lines that fail and that are not needed."""
        try:
            with probe:
                execution = run_once(source, asked, discard_text, discard_warning)
            self.steps += runtime.used
            return execution, differentiate(execution, asked)
        except AutodiffError as error:
            self.steps += runtime.used
            needed = {self.output, *(asked.wrt or ())}
            if isinstance(probe, nullcontext) or error.span is None or self.steps >= MOST_STEPS:
                raise
            shorter = without_failed_line(source, error.span, needed)
            if shorter is None:
                raise
        return self.execute(shorter, asked, probe)

    def places(self, source: Source, wrt: str) -> Callable[[Edit], bool]:
        """Return a test whether a place ran, given an edit that makes the script fail there.

        If in doubt, the place counts as run.
        """
        return lambda failing: self.run(Fix("", failing).apply(source.text), source, wrt) is None


class Trial:
    """A repaired script that has run: its output, and the gradient in question."""

    def __init__(self, source: Source, execution: Execution, subject: ReportedPass) -> None:
        [*_, (self.wrt, self.node)] = subject.wrt
        self.source = source
        self.execution = execution
        self.subject = subject
        self.gradient = subject.cotangents.get(self.node)

    def causes(self) -> tuple[Cause, ...]:
        """Return what is still wrong with the gradient."""
        subject = self.subject
        order = subject.order or [subject.root]
        names = NodeNames(order, self.source, numbers_first=subject.numbers_first)
        return causes_of(subject, self.wrt, self.node, names, ())


class GradientRepair:
    """Looks for changes that repair one gradient."""

    def __init__(
        self, derivation: Derivation, report: GradientReport, execution: Execution, trials: Trials
    ) -> None:
        self.derivation = derivation
        self.output = report.output
        self.execution = execution
        self.trials = trials
        kinds = {cause.kind for cause in derivation.causes}
        self.is_flat = derivation.causes[0].kind in ("flat", "unconnected", "vanished", "cancelled")
        self.is_rounding = bool(kinds & {"rounding", "cancelled"})
        source = execution.source
        self.nearby = NearbyValues(
            source.text,
            lambda text, probe: trials.run(text, source, derivation.wrt, probe),
            has_lost_value="forward" in kinds,
            is_rounding=self.is_rounding,
        )

    def store_repairs(self) -> None:
        """Store the repairs that hold in the causes: single changes, else several that hold together."""
        source = self.execution.source
        begun: list[tuple[Fix, Cause, Trial]] = []
        for cause in self.derivation.causes:
            kept: list[Fix] = []
            did_run = self.trials.places(source, self.derivation.wrt)
            for fix in distinct_fixes(cause, source, self.execution, self.output.name, did_run):
                trial = self.trials.run(fix.apply(source.text), source, self.derivation.wrt)
                if trial is None:
                    continue
                if self.holds([fix], cause, trial):
                    if fix_summary(fix) not in map(fix_summary, kept):
                        kept.append(fix)
                    is_best = isinstance(fix, SameFunction) and cause.kind != "singular"
                    if len(kept) == MOST_KEPT or is_best or cause.kind == "masked":
                        break
                else:
                    begun.append((fix, cause, trial))
            cause.repairs = tuple(kept)
        if not any(cause.repairs for cause in self.derivation.causes):
            last = self.derivation.causes[-1]
            for fix, cause, trial in begun:
                together = self.combined_fix([fix], cause, trial)
                if together is not None:
                    last.repairs = (together,)
                    break
        for fix in (fix for cause in self.derivation.causes for fix in cause.repairs):
            fix.lines = changed_line_numbers(fix, source)
        self.tell_limit()

    def tell_limit(self) -> None:
        """Say at the first value that is not finite which limit the output has, or that it has none."""
        lost = [cause for cause in self.derivation.causes if cause.kind == "forward"]
        limit = self.nearby.limit() if lost else None
        if limit is not None:
            lost[0].text += f"; the values of {self.output.name} nearby tend to {limit:.5g}"
            return
        has_repair = any(cause.repairs for cause in self.derivation.causes)
        apart = self.nearby.values_without_limit() if lost and not has_repair else None
        if apart is not None:
            low, high = apart
            lost[0].text += (
                f"; however little the inputs are moved, {self.output.name} takes values as different as"
                f" {low:.3g} and {high:.3g}: it has no limit here"
            )

    def combined_fix(self, made: list[Fix], mended: Cause, trial: Trial) -> Fix | None:
        """Return one fix of the changes already made and others that make them hold.

        None if the last change did not remove its cause ``mended``, or if no others are found.
        """
        causes = trial.causes()
        if len(made) == MOST_COMBINED or cause_key(mended) in map(cause_key, causes):
            return None
        for cause in causes:
            did_run = self.trials.places(trial.source, self.derivation.wrt)
            for fix in distinct_fixes(cause, trial.source, trial.execution, self.output.name, did_run):
                further = self.trials.run(fix.apply(trial.source.text), trial.source, self.derivation.wrt)
                if further is None:
                    continue
                if self.holds([*made, fix], cause, further):
                    words = list(dict.fromkeys(one.text for one in (*made, fix)))
                    edits = changed_lines(self.execution.source.text, further.source.text)
                    return Fix("together: " * (len(words) > 1) + ", and ".join(words), *edits)
                together = self.combined_fix([*made, fix], cause, further)
                if together is not None:
                    return together
        return None

    def holds(self, made: list[Fix], cause: Cause, trial: Trial) -> bool:
        """Whether the script with the fixes made has the gradient that was missing, and no other value."""
        g = trial.gradient
        if g is None or not np.isfinite(np.asarray(g)).all() or max_abs(g) > STEEPEST:
            return False
        before, now = np.asarray(self.output.value), np.asarray(trial.subject.root.out)
        if before.shape != now.shape or not np.isfinite(now).all():
            return False
        is_same_function = all(isinstance(fix, SameFunction) for fix in made)
        if self.is_flat and not np.any(g):
            return False
        was_number = np.isfinite(before) & (not (self.is_rounding and is_same_function))
        is_equal = np.allclose(
            now[was_number], before[was_number], rtol=OUTPUT_TOLERANCE, atol=OUTPUT_TOLERANCE
        )
        return bool(is_equal) and self.nearby.admits(trial.source.text, is_same_function)


def distinct_fixes(
    cause: Cause, source: Source, execution: Execution, output: str, did_run: Callable[[Edit], bool]
) -> list[Fix]:
    """Return the changes that might help against a cause, most likely first, each change once."""
    if cause.span is None:
        return []
    scene = Scene(AutodiffError(""), cause.span, parse_to_first_error(source), source, [], execution.names)
    found: dict[str, Fix] = {}
    for fix in possible_fixes(cause, scene, output, did_run):
        found.setdefault(fix.apply(source.text), fix)
        if len(found) == MOST_TRIALS:
            break
    return list(found.values())


def possible_fixes(cause: Cause, scene: Scene, output: str, did_run: Callable[[Edit], bool]) -> Iterator[Fix]:
    """Yield changes that might help, most likely first."""
    if cause.kind == "unconnected":
        yield from connecting_fixes(scene, output, did_run)
    elif cause.kind in ("masked", "singular", "forward"):
        yield from choose_before_op(cause, scene)
        known = [*known_functions(scene), *known_quotients(scene)]
        yield from known
        if not known or cause.op not in EXPONENTIALS:  # for exponentials a known function suffices
            yield from avoid_edge(cause, scene)
    elif cause.kind == "data":
        yield from leave_out_nan(cause, scene)
    elif cause.kind in ("rounding", "cancelled"):
        yield from known_quotients(scene, is_near_0=True)


def connecting_fixes(scene: Scene, output: str, did_run: Callable[[Edit], bool]) -> Iterator[Fix]:
    """Yield the repair that keeps the output in the graph, at the cuts that ran."""
    made = [statement.value for statement in scene.assignments(output)] or [output_expression(scene, output)]
    for value in made:
        found = [] if value is None else find_cuts(scene, value)
        if len(found) > 1:
            found = [cut for cut in found if did_run(Edit(cut.node.span, FAILING_CODE))]
        yield from connecting_fix(found)


def cause_key(cause: Cause) -> tuple[str, str, int | None]:
    """Return what goes wrong where, to compare causes.

    An op is identified by its start, since changes are made only within it or after it.
    """
    return cause.kind, cause.op, None if cause.span is None else cause.span.start


def fix_summary(fix: Fix) -> str:
    """Return what a fix does, without the code that it writes."""
    return fix.text.partition(": ")[0]


def changed_line_numbers(fix: Fix, source: Source) -> tuple[int, ...]:
    """Return the numbers of the lines that the edits of a fix touch."""
    numbers: set[int] = set()
    for edit in fix.edits:
        last = max(edit.span.start, edit.span.end - 1)  # the end of a whole line is the next line's start
        numbers.update(range(source.position(edit.span.start)[0], source.position(last)[0] + 1))
    return tuple(sorted(numbers))


def changed_lines(before: str, after: str) -> list[Edit]:
    """Return the line edits that turn one text into another."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [
        Edit(Span(starts[i], starts[j]), "".join(new[k:m]))
        for what, i, j, k, m in matcher.get_opcodes()
        if what != "equal"
    ]
