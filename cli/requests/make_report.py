"""Turns a request into a report: configures the run and calls the interpreter and the engine.

Options become Settings and limits here; what a script prints and warns is passed to the session.
"""

from __future__ import annotations

from contextlib import nullcontext
from time import perf_counter

from autodiff.cli.command_line.fast_parser import Request
from autodiff.cli.process.blas_threads import start_alone
from autodiff.cli.process.heap import keep_freed_memory
from autodiff.cli.process.numpy_import import leave_texts_out
from autodiff.cli.process.supervisor import set_wall
from autodiff.cli.requests.session import Session
from autodiff.core.base.errors import AutodiffError, CompileError, GradientError, UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import limits
from autodiff.core.base.source import Span
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate
from autodiff.grammar.session.target import gradient_names, is_from_functional
from autodiff.grammar.syntax.parser import parse_literal

#: The number of paths in a report if the command has no option for it.
MOST_SHOWN = 10

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.core.report.records import GradientReport, ReportedPass
    from autodiff.grammar.session.rerun import Probe
    from autodiff.grammar.session.run import Execution


def make_report(
    session: Session, *, graph: bool, derivations: bool, tensors: bool, needed: bool, twice: bool = False
) -> GradientReport | None:
    """Run the script and backward, and describe the result; ``tensors`` also stores the states of tensors.

    ``twice`` requests the derivations of second derivatives.

    Return None if the report is not ``needed``, no output or input was named, and nothing can be
    differentiated and no backward() ran.
    """
    request = session.request
    script = session.script
    assert script is not None
    set_limits(request)
    start_alone()
    leave_texts_out()
    keep_freed_memory()
    settings = read_settings(request)
    entry = read_entry(request.text("entry"))
    asked_wrt = bool(settings.wrt)
    started = perf_counter()
    with nullcontext() if twice or not derivations else watched() as probe:
        execution = execute(
            script.source, settings, session.print_from_script, lambda *what: warn(session, *what), twice
        )
        if execution.reassigned and (needed or settings.of or settings.grad_output is not None):
            from autodiff.grammar.repair.reassigned_inputs import with_reassigned_inputs

            execution = with_reassigned_inputs(execution, settings)
    ran = perf_counter()
    note_reshaped(session, execution)
    note_constant_slope(session, execution)
    asked = settings.of or settings.wrt or settings.grad_output is not None
    try:
        if twice:
            from autodiff.grammar.session.second_order import differentiate_twice

            subject, seconds = differentiate_twice(execution, settings, entry)
        else:
            shown = derivatives_shown(session, execution, settings)
            subject = differentiate(execution, settings) if shown is None else shown
        if not (needed or asked) and is_from_functional(subject.root, execution):
            raise own_derivatives()
    except (UsageError, GradientError) as error:
        if needed or asked or execution.last_passes.backwards:
            raise
        session.note(f"there is no gradient to show: {error.caret or error.message}")
        for label in error.labels:
            line, _ = script.source.position(label.span.start)
            session.note(f"line {line}, `{script.source.excerpt(label.span)}`: {label.text}")
        for proposal in error.advice:
            session.note(proposal)
        if tensors:
            keep_states(session, execution, None)
        return None
    swept = perf_counter()
    if tensors:
        keep_states(session, execution, subject)
    from autodiff.core.derivation.describe import describe, describe_second_order

    top = request.number("top") or MOST_SHOWN
    if entry is not None:
        check_entry(entry, subject, asked_wrt)
    if twice:
        report = describe_second_order(
            subject, script.source, seconds, max_paths=limits.paths, top=top, entry=entry
        )
    else:
        report = describe(
            subject,
            script.source,
            graph=graph,
            derivations=derivations,
            max_paths=limits.paths,
            top=top,
            entry=entry,
            called=gradient_names(execution),
        )
    if probe is not None and probe.ties and report.derivations:
        from autodiff.grammar.session.script_kinks import add_script_kinks

        add_script_kinks(report, subject, execution, settings, probe)
    if not twice and any(derivation.causes for derivation in report.derivations):
        from autodiff.grammar.repair.gradient_remedies import add_remedies

        add_remedies(report, execution, settings)
    described = perf_counter()
    for note in report.notes:
        session.note(note)
    if execution.reassigned:
        from autodiff.grammar.repair.reassigned_inputs import reassigned_notes

        for note in reassigned_notes(execution, settings, subject, asked_wrt):
            session.note(note)
    if session.diagnostics == "text" and not subject.without_pass:
        for hint in odd_things(report, request):
            session.note(hint)
    if request.number("verbose"):
        times = ((ran - started, "script"), (swept - ran, "backward"), (described - swept, "report"))
        session.note("  ".join(f"{what} {seconds * 1000:.1f} ms" for seconds, what in times))
    return report


def watched() -> Probe:
    """A Probe that records choices between equal numbers in a run; imported only if it is needed."""
    from autodiff.grammar.session.rerun import Probe

    return Probe()


def derivatives_shown(session: Session, execution: Execution, settings: Settings) -> ReportedPass | None:
    """The derivatives that jacobian() or hessian() returned to a script that ends in them, for ``grad``."""
    if session.request.command != "grad" or execution.last_passes.derivatives is None:
        return None
    from autodiff.grammar.session.given_derivatives import given_derivatives

    return given_derivatives(execution, settings)


def own_derivatives() -> GradientError:
    """The error for a script whose only derivatives are those of jacobian() and similar functions."""
    return GradientError(
        "jacobian() and its kin differentiate graphs of their own, and the script has no other result",
        code="E0410",
        help=("assign a result that is made from the inputs, as in `y = f(x)`, to see where it comes from",),
    )


def note_reshaped(session: Session, execution: Execution) -> None:
    """Note which tensors ``--set`` has turned into single numbers, and which numbers into tensors."""
    for name, (before, now) in execution.reshaped.items():
        if before and now:
            continue
        if before:
            session.note(f"--set {name}: `{name}` has shape {before} in the script, and is one number now")
        else:
            session.note(
                f"--set {name}: `{name}` is one number in the script, and has shape {now} now;"
                " a decimal fraction is written with a point"
            )


def note_constant_slope(session: Session, execution: Execution) -> None:
    """Note that the script was ended before a statement that differentiates a constant derivative."""
    if execution.stopped_before is not None:
        line, _ = execution.source.position(execution.stopped_before.start)
        session.note(
            f"line {line} differentiates a derivative that is constant, which is an error in PyTorch: the"
            " derivative of a constant is 0; the script was run up to there"
        )


def odd_things(report: GradientReport, request: Request) -> Iterator[str]:
    """Yield hints on unusual gradients; for ordinary ones nothing is imported."""
    if request.command == "graph":
        return
    if any(derivation.kinks for derivation in report.derivations) or any(
        looks_odd(variable.grad) for variable in report.gradients
    ):
        from autodiff.cli.requests.hints import hints_on

        yield from hints_on(report, request)


def looks_odd(grad: Any) -> bool:
    """Whether a gradient is zero, infinite or nan."""
    if grad.__class__ is float:
        return grad == 0 or grad - grad != 0
    return not grad.any() or not bool(np.isfinite(grad).all())


def keep_states(session: Session, execution: Execution, subject: ReportedPass | None) -> None:
    """Store the states of the script's tensors in the session, for ``run --show tensors``."""
    from autodiff.grammar.session.tensor_states import collect_tensor_states

    session.tensors = collect_tensor_states(execution, subject)


def warn(session: Session, text: str, span: Span) -> None:
    """Pass on a warning of the script."""
    from autodiff.grammar.help.warnings import warning_help

    source = None if session.script is None else session.script.source
    session.warn(AutodiffError(text, code="W0100", span=span, help=warning_help(text, source, span)))


def set_limits(request: Request) -> None:
    """Apply the limits of the command line."""
    limits.steps = request.number("max_steps")
    limits.nodes = request.number("max_nodes")
    limits.memory = request.number("max_memory")
    limits.depth = request.number("max_depth")
    limits.paths = request.number("max_paths")
    limits.digits = request.digits
    set_wall(limits.memory)


def read_settings(request: Request) -> Settings:
    """The Settings that the command line gives."""
    output = request.text("grad_output")
    return Settings(
        of=request.text("of"),
        wrt=read_names(request.texts("wrt")),
        sets=read_sets(request.texts("set")),
        grad_output=output if output is None or output == "ones" else read_weight(output),
        dtype=request.text("dtype") or "float64",
        seed=request.number("seed"),
    )


def read_weight(text: str) -> object:
    """The value of ``--grad-output`` other than ``ones``."""
    try:
        value = read_literal("--grad-output", text)
    except UsageError as error:
        if text.isidentifier():
            error.help = ("did you mean `--grad-output ones`?",)
        raise
    return list(value) if isinstance(value, tuple) else value


def read_entry(text: str | None) -> tuple[int, ...] | None:
    """The index in ``--entry 0,1``."""
    if text is None:
        return None
    parts = text.strip().removeprefix("[").removesuffix("]").split(",")
    try:
        return tuple(int(part) for part in parts)
    except ValueError:
        raise UsageError(
            f"--entry takes the place of an entry, not `{text[:40]}`",
            code="E0610",
            help=("write it as in --entry 0,1",),
        ) from None


def check_entry(place: tuple[int, ...], subject: ReportedPass, is_asked: bool) -> None:
    """Raise UsageError if an input named by ``--wrt``, or else every input, lacks this entry."""
    from autodiff.core.derivation.derive import has_place

    misfits = [(spelled, node.shape) for spelled, node in subject.wrt if not has_place(node.shape, place)]
    if not misfits or (not is_asked and len(misfits) < len(subject.wrt)):
        return
    spelled, shape = misfits[0]
    given = ",".join(map(str, place))
    if not shape:
        message, help = f"--entry {given}: `{spelled}` is a single number", "leave --entry out"
    else:
        message = f"--entry {given}: `{spelled}` has shape {shape}"
        first = ",".join("0" for _ in shape)
        last = ",".join(str(n - 1) for n in shape)
        help = f"its entries go from --entry {first} to --entry {last}" if all(shape) else "it has no entries"
    raise UsageError(message, code="E0616", help=(help,))


def read_names(texts: tuple[str, ...]) -> tuple[str, ...]:
    """The names in ``--wrt a --wrt b,c``; commas in brackets are part of a name."""
    names = [""]
    for text in texts:
        depth = 0
        for letter in text:
            depth += (letter in "([") - (letter in ")]")
            if letter == "," and depth <= 0:
                names.append("")
            else:
                names[-1] += letter
        names.append("")
    return tuple(filter(None, map(str.strip, names)))


def read_sets(texts: tuple[str, ...]) -> dict[str, object]:
    """The values in ``--set NAME=VALUE``; the last value for a name counts."""
    inputs: dict[str, object] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals or not name.isidentifier():
            raise UsageError(
                f"--set takes NAME=VALUE, not `{text}`",
                code="E0610",
                help=("give a name and a number or list, as in --set w1=2.5 or --set 'W=[[1, 2], [3, 4]]'",),
            )
        if value.startswith("@"):
            raise UsageError(
                f"--set {name}: values cannot be read from files yet",
                code="E0610",
                help=(f'let the shell read it: --set "{name}=$(cat FILE)"',),
            )
        if value.startswith("="):
            raise UsageError(
                f"--set takes one `=`, not two: `{text}`",
                code="E0610",
                help=(f"did you mean `--set {name}={value.lstrip('=')}`?",),
            )
        inputs[name] = read_literal(f"--set {name}", value)
    return inputs


def read_literal(option: str, text: str) -> object:
    """The value of an option: a number or nested lists of numbers. Raises UsageError for anything else."""
    try:
        return parse_literal(text)
    except CompileError as error:
        at = f" at character {error.span.start + 1}" if error.span is not None and text.strip() else ""
        raise UsageError(
            f"{option} takes a number or a list of numbers, and `{text[:40]}` is neither{at}",
            code="E0610",
            help=("write it as in 2.5, -1e3, inf or [[1, 2], [3, 4]]",),
        ) from None
