"""Turns the requests of ``jacobian``, ``hessian``, ``jvp`` and ``hvp`` into matrices and vectors.

The script, the target and the inputs are those of ``grad``.
"""

from __future__ import annotations

from autodiff.cli.command_line.script_source import read_script
from autodiff.cli.process.streams import visible
from autodiff.cli.requests.hints import hints_on_kinks, is_finite, listed, the_gradients
from autodiff.cli.requests.make_report import (
    kinks_beside,
    note_constant_slope,
    note_reshaped,
    notes_on_losses,
    notes_on_reassigned,
    prepare_process,
    read_settings,
    refuse_inner_pass,
    run_request,
)
from autodiff.cli.requests.values import values_of
from autodiff.core.base.errors import UsageError
from autodiff.core.base.lazy_imports import LazyModule, np
from autodiff.core.derivation.describe import describe, notes_on_saved
from autodiff.core.graph.dtypes import float64
from autodiff.core.report.derivative_matrix import DerivativeMatrix
from autodiff.core.report.records import Variable
from autodiff.grammar.session import derivative_matrices
from autodiff.grammar.session.assignment_plan import given_tensor, unknown_name_error
from autodiff.grammar.session.run import EngineSetup, differentiate

broken_slopes = LazyModule("autodiff.cli.requests.broken_slopes")
minimum = LazyModule("autodiff.grammar.session.minimum")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from autodiff.cli.requests.session import Session
    from autodiff.core.report.records import GradientReport, ReportedPass, TensorFacts
    from autodiff.grammar.session.rerun import Probe
    from autodiff.grammar.session.run import Execution, Settings

#: The commands that print derivatives alone; others say themselves what a kink means for their answer.
DERIVATIVES = ("jacobian", "hessian", "jvp", "hvp")


class Question:
    """A run of the script for a command, its pass (``subject``), and the report of its gradients."""

    __slots__ = ("execution", "report", "settings", "subject")

    def __init__(
        self, session: Session, *, weighed: bool, probe: Probe | None = None, wrt: Sequence[str] = ()
    ) -> None:
        """Run the script. ``weighed`` says that --grad-output weighs the output's entries.

        ``wrt`` are the inputs unless --wrt names some; ``probe`` observes the run.
        """
        session.script = session.script or read_script(session.request)
        prepare_process(session.request)
        self.settings: Settings = read_settings(session)
        self.settings.wrt = self.settings.wrt or list(wrt)
        twice = session.request.command in ("hessian", "hvp")
        self.execution: Execution = run_request(session, self.settings, twice, needed=True, probe=probe)
        note_reshaped(session, self.execution)
        note_constant_slope(session, self.execution)
        choose = differentiate if weighed else derivative_matrices.whole_subject
        self.subject: ReportedPass = choose(self.execution, self.settings)
        refuse_inner_pass(session.request.command, self.subject, self.execution)
        self.report: GradientReport = describe(
            self.subject, session.script.source, graph=False, derivations=False
        )
        asked_wrt = bool(session.request.texts("wrt") or wrt)
        others = (
            *notes_on_reassigned(self.execution, self.settings, self.subject, asked_wrt),
            *notes_on_losses(self.execution, self.subject),
        )
        saved: Sequence[str] = ()
        if twice:
            saved = notes_on_saved(self.subject, session.script.source)
        for note in (*self.report.notes, *others, *saved):
            session.note(note)
        if session.request.command in DERIVATIVES and session.diagnostics == "text":
            self.report.kinks = kinks_beside(self.subject, self.execution, self.settings, 1 + twice)
            for hint in hints_on_kinks(self.report, session.request):
                session.note(hint)

    def note_rows(self, session: Session) -> None:
        """Note rows of --data that are mixed with each other or with an array of the script."""
        if self.settings.data:
            from autodiff.cli.requests.row_by_row import note_mixed_rows

            note_mixed_rows(session, self)

    def compute(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The result of a function of the pass, in the state that the engine has for the script."""
        with EngineSetup(self.settings):
            return function(self.subject, *arguments)

    def warn_of_first(self, session: Session) -> None:
        """Warn of gradients that are not finite."""
        broken = [variable.name for variable in self.report.gradients if not is_finite(variable.grad)]
        if broken:
            session.note(f"{the_gradients(broken)} not finite", "warning")
            broken_slopes.note_row_of_broken_slope(session, self.settings, self.subject)

    def exact_jacobian(self, session: Session) -> Any:
        """The Jacobian; says which of its rows are not finite, and which are so by the chain rule alone."""
        jacobian, leaves_out = self.compute(derivative_matrices.exact_jacobian)
        is_broken = ~np.isfinite(jacobian).all(axis=1)
        if not all(is_finite(variable.grad) for variable in self.report.gradients):
            broken_slopes.enter_gradients(self.report, jacobian.sum(axis=0))
        if leaves_out:
            broken_slopes.note_slopes_left_out(session, self.settings, self.subject)
        flaw = minimum.flawed_data(self.settings) if is_broken.any() else ""
        if is_broken.any() and (flaw or not is_broken.all()):
            self.say_broken_rows(session, is_broken, flaw)
        else:
            self.warn_of_first(session)
        return jacobian

    def say_broken_rows(self, session: Session, is_broken: Any, flaw: str) -> None:
        """Say which entries of the output have slopes that are not finite, and which of the data are."""
        output, count = self.report.output, int(np.count_nonzero(is_broken))
        first = f"`{entry_name(output, int(np.argmax(is_broken)))}`"
        names = [one.name for one in self.report.gradients if not is_finite(one.grad)]
        by = f" by {listed(names)}" if names else ""
        text = f"the slopes of {first}{by} are not finite"
        if count > 1:
            text = f"the slopes of {count:,} entries of the output{by} are not finite, the first of {first}"
        if flaw and is_broken.all():
            session.note(f"{text}; {flaw}", "warning")
        elif flaw:
            session.note(f"{text}; {flaw}, and the other entries do not depend on such values")
        else:
            session.note(text, "warning")
            broken_slopes.note_row_of_broken_slope(session, self.settings, self.subject)

    def warn_of_second(self, session: Session, found: Any) -> None:
        """Warn of second derivatives that are not finite, and name equal eigenvalues as their cause."""
        if np.isfinite(np.asarray(found, dtype=float)).all():
            return
        from autodiff.cli.requests.hints import note_equal_values

        session.note("some second derivatives are not finite", "warning")
        note_equal_values(session, self.subject, self.execution.source)

    def vector(self, values: Mapping[str, object], option: str, *, needed: bool = True) -> Any:
        """The values given for inputs by name, as one vector; those of other inputs are 0.

        A number is that of every entry. Raises UsageError for other names and shapes.
        """
        inputs = self.report.gradients
        if needed and not values:
            example = inputs[0].name if inputs else "x"
            raise UsageError(
                f"{option} is missing: which vector?", code="E0610", help=(f"as in {option} {example}=1",)
            )
        for name in values:
            if name not in [variable.name for variable in inputs]:
                raise unknown_name_error(name, [variable.name for variable in inputs], "input", "E0601")
        parts = [entries_for(variable, values.get(variable.name, 0.0), option) for variable in inputs]
        return np.concatenate(parts) if parts else np.zeros(0)


def entry_name(output: TensorFacts, at: int) -> str:
    """The name of an entry, as in ``y[0,1]``; ``at`` is its flat position."""
    index = ",".join(map(str, np.unravel_index(at, output.shape)))
    return visible(output.name) + (f"[{index}]" if index else "")


def entries_for(variable: Variable, value: object, option: str) -> Any:
    """The entries of a value for one input, in one dimension."""
    where = f"{option} {variable.name}"
    array = np.asarray(given_tensor(value, float64, where, "E0605").value)
    if array.shape not in ((), (1,), variable.shape):
        raise UsageError(
            f"{where}: the value has shape {array.shape}, and the input has shape {variable.shape}",
            code="E0605",
            help=("give a value of that shape, or one number for all entries",),
        )
    return np.broadcast_to(array.reshape(-1) if array.size == 1 else array, variable.shape or (1,)).ravel()


def make_jacobian(session: Session) -> DerivativeMatrix:
    """The derivatives of every entry of the output by every entry of the inputs."""
    asked = Question(session, weighed=False)
    asked.note_rows(session)
    matrix = asked.exact_jacobian(session)
    return DerivativeMatrix(
        1, asked.report, (asked.report.output,), asked.report.gradients, matrix, sparse(session)
    )


def make_hessian(session: Session) -> DerivativeMatrix:
    """The second derivatives of the output by every pair of entries of the inputs."""
    asked = Question(session, weighed=True)
    matrix = asked.compute(derivative_matrices.exact_hessian)
    asked.warn_of_second(session, matrix)
    inputs = asked.report.gradients
    return DerivativeMatrix(2, asked.report, inputs, inputs, matrix, sparse(session))


def sparse(session: Session) -> bool:
    return bool(session.request.values.get("nonzero"))


def make_product(session: Session) -> tuple[GradientReport, Sequence[Variable]]:
    """The report, and the product of ``jvp`` or ``hvp`` as ``grad`` of the tensors that it belongs to."""
    is_second = session.request.command == "hvp"
    asked = Question(session, weighed=is_second)
    vector = asked.vector(read_vector(session, asked.report), "--vector")
    if not is_second:
        asked.warn_of_first(session)
        product = asked.compute(derivative_matrices.jvp, vector)
        return asked.report, (with_gradient(asked.report.output, product),)
    product = asked.compute(derivative_matrices.exact_hvp, vector)
    asked.warn_of_second(session, product)
    parts = []
    first = 0
    for variable in asked.report.gradients:
        size = int(np.size(variable.value))
        part = product[first : first + size].reshape(variable.shape)
        parts.append(with_gradient(variable, part if variable.shape else float(part)))
        first += size
    return asked.report, parts


def read_vector(session: Session, report: GradientReport) -> dict[str, object]:
    """The values of ``--vector`` by name; the only value for the only input needs no name."""
    values, texts = values_of(session), session.request.texts("vector")
    if len(texts) != 1 or "=" in texts[0] or len(report.gradients) != 1:
        return values.read_all("vector")
    name = report.gradients[0].name
    value = values.read(f"--vector {name}", texts[0], name)
    return {name: list(value) if isinstance(value, tuple) else value}


def with_gradient(variable: Variable, grad: Any) -> Variable:
    return Variable(variable.name, variable.line, variable.shape, variable.dtype, variable.value, grad, 0)
