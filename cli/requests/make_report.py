"""Turns a request into a report: configures the run and calls the interpreter and the engine.

Options become Settings and limits here; what a script prints and warns is passed to the session.
"""

from __future__ import annotations

import re
from functools import partial
from time import perf_counter

from autodiff.cli.command_line.fast_parser import Request
from autodiff.cli.command_line.options import FORMATS
from autodiff.cli.process.supervisor import clock, set_wall
from autodiff.cli.render.numbers import is_array
from autodiff.cli.requests.session import Session
from autodiff.core.base.errors import AutodiffError, GradientError, UsageError
from autodiff.core.base.lazy_imports import LazyModule, np, numpy_preparations
from autodiff.core.base.limits import large_array_callbacks, limits, repair_callbacks
from autodiff.core.base.source import Source, Span
from autodiff.core.graph.node import OpNode
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate
from autodiff.grammar.session.target import gradient_names, is_from_functional
from autodiff.grammar.syntax.parser import parse_to_first_error
from autodiff.grammar.syntax.walk import compares_outside_tests

numpy_setup = LazyModule("autodiff.cli.process.numpy_setup")
extra_work = LazyModule("autodiff.core.base.extra_work")

#: The number of paths in a report if the command has no option for it.
MOST_SHOWN = 10
#: `trace` shows people the paths of so many inputs that their number times the nodes is at most this.
MOST_DERIVED = 6_000
#: `explain` without --wrt derives so many inputs that their number times the nodes is at most this, but some.
MOST_WORK_OF_EXPLAIN, LEAST_EXPLAINED = 100_000, 20
#: Whether digits are lost is judged in graphs of at most so many nodes.
MOST_JUDGED = 500
#: The nodes of a tape that has more entries are not made to see how many of them are in the pass.
MOST_COUNTED = 20_000
#: Larger graphs are not derived, and only so many of their nodes are drawn, unless --all asks for it.
MOST_NODES, MOST_OF_LARGE = 100_000, 2_000
CREATE_GRAPH_HELP = ("write create_graph=True in the call: then what it returns can be differentiated",)
#: Functions of whole numbers, which have no slope.
COUNTING_FUNCTIONS = ("factorial", "comb", "perm", "gcd", "lcm")
#: Scripts without these words draw and fill no arrays.
DRAWS = r"\b(?:rand\w*|normal|uniform|standard_normal|exponential|zeros|ones|full)\("
#: Scripts without these signs and words make no masks.
COMPARES = ("<", ">", "==", "!=")
#: Scripts without these words have no loss of arrays, and ops that could pair all entries of two.
REDUCING, PAIRING = ("mean", "sum", "norm"), ("sub", "mul")
#: Ops that have no kinks: a pass of these alone is not searched for them.
SMOOTH_OPS = frozenset(
    """
    add sub mul div neg exp sin cos tanh sigmoid erf square sum mean matmul mm mv dot view reshape transpose
    permute t expand select unsqueeze squeeze cat stack
    """.split()
)
#: Common ops whose kinks are all where their first operand is 0.
SMOOTH_BESIDE_ZERO = frozenset(["abs", "pow", "relu", "sign"])
#: These commands show what a script computes; the others answer for one gradient, which must be well-defined.
ADDING_UP = ("run", "graph", "trace")

#: After steps of training by hand these are about the loss; the others are about what the script ends in.
STEPPING = ("run", "grad", "explain", "graph", "trace", "check", "diff")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from typing import Any

    from autodiff.core.derivation.second_order import SecondDerivative
    from autodiff.core.report.kink import Kink
    from autodiff.core.report.records import GradientReport, ReportedPass
    from autodiff.grammar.session.rerun import Probe
    from autodiff.grammar.session.run import Execution
    from autodiff.grammar.syntax import tree


def make_report(
    session: Session, *, graph: bool, derivations: bool, tensors: bool, needed: bool, order: int, events: bool
) -> GradientReport | None:
    """Run the script and backward, and describe the result; ``tensors`` also stores the states of tensors.

    ``events`` are those of the nodes in the ``graph``. ``order`` 2 or more requests derivatives of that
    order; with ``events`` they have their graphs.

    Return None if the report is not ``needed``, no output or input was named, and nothing can be
    differentiated and no backward() ran.
    """
    request, script = session.request, session.script
    assert script is not None
    prepare_process(request)
    settings = read_settings(session)
    entry = read_entry(request.text("entry"))
    asked_wrt = bool(settings.wrt)
    is_needed = needed or asked_wrt or bool(settings.of) or settings.grad_output is not None
    started = perf_counter()
    probe = None if order > 2 or not derivations else new_probe()
    execution = run_request(session, settings, order > 1, needed, probe)
    ran = perf_counter()
    note_reshaped(session, execution)
    note_constant_slope(session, execution)
    try:
        subject, seconds = run_backward(session, execution, settings, entry, order)
        check_not_own_derivatives(request.command, subject, execution, is_needed)
    except (UsageError, GradientError) as error:
        if is_needed or execution.last_passes.backwards:
            raise
        note_missing_gradient(session, error, script.source)
        if tensors:
            keep_states(session, execution, None)
        return None
    swept = perf_counter()
    if tensors:
        keep_states(session, execution, subject)
    check_entry(entry, subject, asked_wrt)
    options: Any = {
        "max_paths": limits.paths,
        "top": request.number("top") or MOST_SHOWN,
        "entry": entry,
        "derivations": derivations,
    }
    if order > 1:
        from autodiff.core.derivation.describe import describe_second_order

        report = describe_second_order(subject, script.source, seconds, graphs=events, **options)
        if order == 2 and probe is not None:
            from autodiff.grammar.session.script_kinks import add_second_kinks

            add_second_kinks(report, subject, seconds, execution, settings, probe)
    else:
        called = gradient_names(execution)
        report = describe_within_limits(session, subject, graph, events=events, called=called, **options)
        add_findings(report, subject, execution, settings, probe)
    reassigned = notes_on_reassigned(execution, settings, subject, asked_wrt)
    note_in_time(session, report, subject, execution, settings, reassigned)
    note_times(session, script=ran - started, backward=swept - ran, report=perf_counter() - swept)
    return report


def notes_on_values(session: Session, execution: Execution, subject: ReportedPass) -> Iterator[str]:
    """Yield the notes on inputs that are taken for constants, and on lists that are taken for arrays."""
    assert session.script is not None
    if any(f"{name}(" in session.script.source.text for name in COUNTING_FUNCTIONS):
        from autodiff.grammar.repair.noted_cuts import notes_on_counting

        yield from notes_on_counting(execution, subject)
    if execution.without_tensors and "[" in session.script.source.text:
        from autodiff.grammar.repair.noted_lists import notes_on_lists

        yield from notes_on_lists(execution, subject)
    if (
        execution.without_tensors
        and not session.request.texts("wrt")
        and "(" in session.script.source.text
        and re.search(DRAWS, session.script.source.text)
    ):
        from autodiff.grammar.repair.noted_draws import notes_on_draws

        yield from notes_on_draws(execution, subject)
    yield from notes_on_losses(execution, subject)
    if session.request.command == "explain":
        from autodiff.grammar.repair.noted_cuts import notes_on_cuts

        yield from notes_on_cuts(execution, subject)


def notes_on_losses(execution: Execution, subject: ReportedPass) -> Iterator[str]:
    """Yield the note on a loss of all pairs of two arrays; without a matrix nothing is imported."""
    if not any(word in execution.source.text for word in REDUCING) or subject.size > MOST_COUNTED:
        return
    if any(op is not None and op.name in PAIRING and is_matrix(out) for op, out, _ in recorded(subject)):
        from autodiff.grammar.repair.noted_pairs import notes_on_pairs

        yield from notes_on_pairs(execution, subject)


def run_request(
    session: Session,
    settings: Settings,
    twice: bool,
    needed: bool,
    probe: Probe | None,
    part: tree.Script | None = None,
    write: Callable[[str], None] | None = None,
) -> Execution:
    """Run the script, or a ``part`` of it, watched by ``probe``; ``write`` gets what it prints, if given.

    It runs again with more inputs if the report is ``needed`` and inputs are assigned again.
    """
    if probe is not None:
        with probe:
            return run_request(session, settings, twice, needed, None, part, write)
    assert session.script is not None
    request = session.request
    if request.texts("fail_on"):
        from autodiff.cli.requests.fail_on import read_kinds

        read_kinds(request)  # before the run: a mistake in the option need not wait for its end
    try:
        execution = execute(
            session.script.source,
            settings,
            write or session.print_from_script,
            lambda *what: warn(session, *what),
            twice,
            part,
        )
    except UsageError as error:
        if error.code == "E0618" and settings.data.intersection(error.reshaped):
            from autodiff.cli.requests.row_by_row import advice_for_rows

            error.help = (*error.help, advice_for_rows(session, settings.data))
        raise
    is_stepping = request.command in STEPPING and not request.texts("formula")
    if is_stepping and execution.may_end_in_steps():
        from autodiff.grammar.session.last_turn import with_loss_of_steps

        execution = with_loss_of_steps(execution, settings)
    if execution.reassigned and (needed or settings.of or settings.grad_output is not None):
        from autodiff.grammar.repair.reassigned_inputs import with_reassigned_inputs

        execution = with_reassigned_inputs(execution, settings)
    session.has_run = True
    for text, span in execution.skipped.values():
        line, _ = session.script.source.position(span.start)
        session.note(f"line {line}: {text}")
    return execution


def run_backward(
    session: Session, execution: Execution, settings: Settings, entry: tuple[int, ...] | None, order: int
) -> tuple[ReportedPass, list[SecondDerivative]]:
    """The pass to report, and for an ``order`` of 2 or more the derivatives from passes over its graph."""
    if order > 1:
        from autodiff.grammar.session.second_order import differentiate_again

        return differentiate_again(execution, settings, entry, order)
    shown = derivatives_shown(session, execution, settings)
    return (differentiate(execution, settings) if shown is None else shown), []


def describe_within_limits(
    session: Session, subject: ReportedPass, graph: bool, derivations: bool, **options: Any
) -> GradientReport:
    """The report on a pass, with what the command has room for.

    Of a large graph only a part is drawn, and nothing is derived, unless --all asks for it.
    """
    from autodiff.core.derivation.describe import describe

    request, script = session.request, session.script
    assert script is not None
    is_whole = request.values.get("all")
    is_data = any(form.is_data for form in FORMATS if form.name == session.format)
    cut = ""
    if request.command == "trace" and not is_whole and not is_data:
        options["most_derived"] = MOST_DERIVED // max(subject.size, 1)
        derivations = options["most_derived"] > 0
    elif (request.command == "explain" or is_data) and not is_whole and not request.texts("wrt"):
        most = options["most_derived"] = max(MOST_WORK_OF_EXPLAIN // max(subject.size, 1), LEAST_EXPLAINED)
        count = len(subject.wrt)
        if derivations and most < count and session.format not in ("auto", "plain"):  # those say so below
            cut = f"{most:,} of {count:,} inputs are derived (--all derives all, --wrt NAME chooses)"
    elif request.command == "run" and session.format != "json":
        from autodiff.cli.render.screen import parts_that_fit

        options["formulas"] = len(subject.wrt) * derivations
        if session.is_brief:
            nodes = subject.size if subject.size > MOST_COUNTED else len(subject.drawn)
            fit = parts_that_fit(session.page(), nodes, len(subject.wrt))
            graph, derivations, options["formulas"] = fit
    if (graph or derivations) and not request.values.get("all") and subject.exceeds(MOST_NODES):
        large = cut_of(subject, graph, derivations)
        cut = large or cut
        if large:
            derivations, options["most_drawn"], options["formulas"] = False, MOST_OF_LARGE, 0
    options["by_name"] = request.command in ("explain", "run") and not is_data
    options["is_whole"] = session.format not in ("auto", "plain")
    report = describe(subject, script.source, graph=graph, derivations=derivations, **options)
    report.notes += (cut,) * bool(cut)
    return report


def cut_of(subject: ReportedPass, graph: bool, derivations: bool) -> str:
    """What is not shown of a large graph, as a sentence; empty if what is drawn is not so large.

    The nodes of a tape are made only to be drawn.
    """
    said = []
    if graph or subject.has_nodes:
        count = len(subject.drawn)
        if count <= MOST_NODES:
            return ""
        said = [f"of its {count:,} nodes the last {MOST_OF_LARGE:,} are shown"] * graph
    said += [f"paths are followed in graphs of at most {MOST_NODES:,} nodes"] * derivations
    return f"the graph is large: {' and '.join(said)} (--all shows everything)"


def prepare_process(request: Request) -> None:
    """Apply the limits of the command line, and have numpy set up if the run imports it."""
    set_limits(request)
    numpy_preparations.append(lambda: numpy_setup.prepare())
    large_array_callbacks.append(import_numpy)


def import_numpy() -> None:
    """Import numpy before the first large array is made, so that the setup knows of that array."""
    np.ndarray  # noqa: B018 - reading any name imports numpy


def note_missing_gradient(session: Session, error: AutodiffError, source: Source) -> None:
    """Note why a script without a backward pass has no gradient."""
    session.note(f"there is no gradient to show: {error.caret or error.message}")
    for label in error.labels:
        line, _ = source.position(label.span.start)
        session.note(f"line {line}, `{source.excerpt(label.span)}`: {label.text}")
    for advice in error.advice:
        session.note(advice, "help")


def add_findings(
    report: GradientReport,
    subject: ReportedPass,
    execution: Execution,
    settings: Settings,
    probe: Probe | None,
) -> None:
    """Add to the derivations what running the script again shows: its own kinks, and remedies."""
    if not report.derivations:
        return
    extra_work.try_extra(
        "the search for remedies", partial(find_in_reruns, report, subject, execution, settings, probe), None
    )


def find_in_reruns(
    report: GradientReport,
    subject: ReportedPass,
    execution: Execution,
    settings: Settings,
    probe: Probe | None,
) -> None:
    if probe is not None and (probe.ties or not is_smooth(subject)):
        from autodiff.grammar.session.script_kinks import add_script_kinks

        add_script_kinks(report, subject, execution, settings, probe)
    if any(derivation.causes for derivation in report.derivations):
        from autodiff.grammar.repair.gradient_remedies import add_remedies

        add_remedies(report, execution, settings)


def notes_on_reassigned(
    execution: Execution, settings: Settings, subject: ReportedPass, asked_wrt: bool
) -> Iterable[str]:
    """The notes on names that are assigned more than once; imported only if there are such names."""
    counted = execution.scopes.module.assignment_count
    is_again = any(counted(name) > 1 for name, _ in subject.wrt)
    if execution.without_tensors:
        is_again = is_again or bool(
            execution.first_leaves or execution.reassigned or execution.ends_in_steps()
        )
    if not is_again or not (asked_wrt or execution.without_tensors):
        return ()
    from autodiff.grammar.repair.reassigned_inputs import reassigned_notes

    return reassigned_notes(execution, settings, subject, asked_wrt)


def note_in_time(*given: Any) -> None:
    """Write the notes of ``note_remarks`` unless the time is over."""
    extra_work.try_extra("the search for remarks", partial(note_remarks, *given), None)


def note_remarks(
    session: Session,
    report: GradientReport,
    subject: ReportedPass,
    execution: Execution,
    settings: Settings,
    others: Iterable[str],
) -> None:
    """Write the notes of a report and ``others``, and for people also hints on unusual gradients."""
    for note in (*report.notes, *others, *notes_on_values(session, execution, subject)):
        session.note(note)
    if session.diagnostics == "text" and not subject.without_pass:
        assert session.script is not None
        order = session.request.number("order")
        if session.request.command == "grad" and order <= 2:
            report.kinks = kinks_beside(subject, execution, settings, order)
        for hint, kind in odd_things(report, session.request, subject):
            session.note(hint, kind)
            if kind == "warning":
                from autodiff.cli.requests.hints import note_equal_values

                note_equal_values(session, subject, session.script.source)
                if settings.data and subject.size <= MOST_JUDGED:
                    from autodiff.cli.requests.broken_slopes import note_row_of_broken_slope

                    note_row_of_broken_slope(session, settings, subject)


def new_probe() -> Probe:
    """A Probe that records choices between equal numbers in a run; imported only if it is needed."""
    from autodiff.grammar.session.rerun import Probe

    return Probe()


def derivatives_shown(session: Session, execution: Execution, settings: Settings) -> ReportedPass | None:
    """The derivatives that jacobian() or hessian() returned to a script that ends in them, for ``grad``."""
    if session.request.command != "grad" or execution.last_passes.derivatives is None:
        return None
    from autodiff.grammar.session.given_derivatives import given_derivatives

    return given_derivatives(execution, settings)


def check_not_own_derivatives(
    command: str, subject: ReportedPass, execution: Execution, is_needed: bool
) -> None:
    """Raise GradientError if the output is made from what jacobian() and similar functions returned."""
    # The root is looked at only if there are such passes: on a tape, making it makes every node.
    is_own = bool(execution.last_passes.functional.roots)
    if is_own and is_from_functional(subject.root, execution):
        is_made_of = command == "grad" and execution.last_passes.derivatives is not None
        if is_made_of or not is_needed:
            raise own_derivatives(CREATE_GRAPH_HELP * is_made_of)


def refuse_inner_pass(command: str, subject: ReportedPass, execution: Execution) -> None:
    """Raise GradientError if the output belongs to a pass inside jacobian() and similar functions.

    ``command`` would differentiate that pass again. Only ``jacobian`` of a pass of jacobian() is the same.
    """
    passes = execution.last_passes
    is_same = command == "jacobian" and passes.derivatives is not None and passes.derivatives.order == 1
    if passes.functional.roots and not is_same and is_from_functional(subject.root, execution):
        raise own_derivatives(
            ("choose the function's value: --of 'f(x)'", "`autodiff grad` prints what the function returned")
        )


def own_derivatives(help: tuple[str, ...] = ()) -> GradientError:
    """The error for a script whose only derivatives are those of jacobian() and similar functions."""
    return GradientError(
        "jacobian() and similar functions differentiate graphs of their own, and the script has no other"
        " result",
        code="E0410",
        help=help
        or ("assign a result that is made from the inputs, as in `y = f(x)`, to see where it comes from",),
    )


def note_reshaped(
    session: Session, execution: Execution, option: str = "--set", names: Collection[str] = ()
) -> None:
    """Note which tensors ``--set`` has turned into single numbers, and which numbers into tensors.

    ``option`` is the one that gave the values of ``names``.
    """
    for name, (before, now) in execution.reshaped.items():
        if (before and now) or name in execution.data:
            continue
        given = f"{option if name in names else '--set'} {name}: `{name}`"
        if before:
            session.note(f"{given} has shape {before} in the script, and is one number now")
        else:
            session.note(f"{given} is one number in the script, and has shape {now} now")


def note_constant_slope(session: Session, execution: Execution) -> None:
    """Note that the script was ended before a statement that differentiates a constant derivative."""
    if execution.stopped_before is not None:
        line, _ = execution.source.position(execution.stopped_before.start)
        session.note(
            f"line {line} is an error in PyTorch, since a derivative is constant there: the derivative of a"
            " constant is 0; the script was run up to there"
        )


def note_times(session: Session, **seconds: float) -> None:
    """Note how long each part took, in milliseconds, if ``--verbose`` asks for it."""
    if session.request.number("verbose"):
        session.note("  ".join(f"{part} {time * 1000:.1f} ms" for part, time in seconds.items()))


def odd_things(report: GradientReport, request: Request, subject: ReportedPass) -> Iterator[tuple[str, str]]:
    """Yield hints on unusual gradients, each with its kind; for ordinary ones nothing is imported."""
    if request.command in ("graph", "trace"):
        return  # `explain` has other hints for graphs
    if request.command == "grad" and request.number("order") > 1:
        if report.kinks:
            from autodiff.cli.requests.hints import hints_on_kinks

            for hint in hints_on_kinks(report, request):
                yield hint, "note"
        return
    has_kinks = any(report.kinks.values()) or any(derivation.kinks for derivation in report.derivations)
    if has_kinks or any(looks_odd(variable.grad) for variable in report.gradients):
        from autodiff.cli.requests.hints import hints_on, hints_on_unread

        yield from hints_on(report, request)
        yield from hints_on_unread(report, request, subject)
    if request.command != "explain" and subject.size <= MOST_JUDGED and loses_digits(subject):
        from autodiff.cli.requests.hints import hints_on_rounding

        for hint in hints_on_rounding(report, request, subject):
            yield hint, "note"


def kinks_beside(
    subject: ReportedPass, execution: Execution, settings: Settings, order: int
) -> Mapping[str, tuple[Kink, ...]]:
    """The kinks of a small pass by input: of ops, else of choices; for order 2 also those of the slope."""
    known = kinks_on_the_way(subject, execution.source)
    if known or subject.size > MOST_JUDGED:
        return known
    compares = execution.made_choice
    if not compares and any(sign in execution.source.text for sign in COMPARES):
        compares = compares_outside_tests(execution.script or parse_to_first_error(execution.source))
    if not compares and is_smooth(subject):
        return known
    from autodiff.grammar.session.script_kinks import kinks_without_derivation

    return kinks_without_derivation(subject, execution, settings, order, compares)


def kinks_on_the_way(subject: ReportedPass, source: Source) -> Mapping[str, tuple[Kink, ...]]:
    """The kinks between the output and each input of a small pass; for smooth ops nothing is imported."""
    if subject.size > MOST_JUDGED or is_smooth(subject):
        return {}
    from autodiff.core.why.kink_search import kinks_by_input

    return kinks_by_input(subject, source)


def is_smooth(subject: ReportedPass) -> bool:
    """Whether all ops of a pass are surely smooth where they are."""
    return all(
        op is None
        or op.name in SMOOTH_OPS
        or (op.name in SMOOTH_BESIDE_ZERO and is_nowhere_zero(operands[0]))
        for op, _, operands in recorded(subject)
    )


def is_nowhere_zero(x: Any) -> bool:
    return bool(x.all()) if is_array(x) else x is not None and x != 0


def loses_digits(subject: ReportedPass) -> bool:
    """Whether some number is a sum or a logarithm far smaller than what it was made from."""
    return any(
        op is not None
        and op.name in ("add", "sub", "log")
        and is_one_number(out)
        and abs(out) < 1e-3 * max([abs(x) for x in operands if is_one_number(x)], default=0.0)
        for op, out, operands in recorded(subject)
    )


def recorded(subject: ReportedPass) -> list[tuple[Any, Any, Any]]:
    """The op, the result and the operands of each node, or of each entry of a tape.

    Entries are read as they are: making nodes of them takes longer than the pass.
    """
    if subject.has_nodes:
        return [(node.op, node.out, node.operands) for node in subject.order if isinstance(node, OpNode)]
    return [(entry[0], entry[5], entry[3:5]) for tape in subject.tapes for entry in tape[1:]]


def is_one_number(value: Any) -> bool:
    return value.__class__ is float or getattr(value, "shape", None) == ()


def is_matrix(value: Any) -> bool:
    """Whether a value is a square matrix of more than one entry."""
    shape: tuple[int, ...] = getattr(value, "shape", ())
    return len(shape) == 2 and shape[0] == shape[1] > 1


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
    from autodiff.grammar.help.warnings import is_of_torch, warning_help

    source = None if session.script is None else session.script.source
    if source is not None and not is_of_torch(text, source, span):
        return
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
    repair_callbacks[:] = [lambda: clock.start(request.seconds("timeout"))]


def read_settings(session: Session) -> Settings:
    """The Settings that the command line gives."""
    request = session.request
    output = request.text("grad_output")
    settings = Settings(
        of=request.text("of"),
        wrt=read_names(request.texts("wrt")),
        grad_output=output,
        dtype=request.text("dtype") or "float64",
        seed=request.number("seed"),
        adds_up=request.command in ADDING_UP,
    )
    if request.texts("set") or request.texts("data") or output not in (None, "ones"):
        from autodiff.cli.requests.values import give_values

        give_values(session, settings)
    return settings


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


def check_entry(place: tuple[int, ...] | None, subject: ReportedPass, is_asked: bool) -> None:
    """Raise UsageError if an input named by ``--wrt``, or else every input, lacks this entry."""
    if place is None:
        return
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
