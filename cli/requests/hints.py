"""Hints on stderr beside a result: which ``explain`` command says more about an unusual gradient."""

from __future__ import annotations

from shlex import quote

from autodiff.cli.render.numbers import is_array
from autodiff.core.base.lazy_imports import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from autodiff.cli.command_line.fast_parser import Request
    from autodiff.cli.requests.session import Session
    from autodiff.core.base.source import Source
    from autodiff.core.report.records import GradientReport, ReportedPass

MOST_NAMED = 3
#: Code from the command line is repeated in a hint if it is at most this long.
LONGEST_CODE = 60
#: What stands for the script in a command line that leaves it out.
LEFT_OUT = "..."
PLACES = {
    "kink": "at a kink",
    "jump": "at a jump",
    "singular": "at a singular point",
    "gap": "where its formula has a gap",
    "repeated": "where a position is written to twice",
    "bend": "at a kink of its slope",
    "rounding": "made of rounding errors",
}
#: Options that affect the gradient, with their defaults.
DECISIVE = {"of": None, "columns": None, "grad_output": None, "dtype": "float64", "seed": 0}


def hints_on(report: GradientReport, request: Request) -> Iterator[tuple[str, str]]:
    """Yield at most one line on zero or non-finite gradients, and one on kinks and the like.

    Each has its kind: a gradient that is not finite is a ``warning``, what may be meant is a ``note``.
    """
    broken = [variable.name for variable in report.gradients if not is_finite(variable.grad)]
    zero = [variable.name for variable in report.gradients if is_zero(variable.grad)]
    for names, what, kind in ((broken, "not finite", "warning"), (zero, "zero", "note")):
        if names and request.command != "explain":
            yield f"{the_gradients(names)} {what}; `{ask(request, names, report)}` says why", kind
            break
    for hint in hints_on_kinks(report, request):
        yield hint, "note"


def hints_on_kinks(report: GradientReport, request: Request) -> Iterator[str]:
    """Yield a hint on kinks; ``explain`` shows them itself, except with ``--format formula``."""
    if request.command == "explain":
        if request.text("format") == "formula":
            from autodiff.cli.render.paths import simplified_away  # imported here: only this case needs it

            for derivation in report.derivations:
                for kink in derivation.kinks:
                    if kink.formula:
                        yield (
                            "the formula does not give the value here: that of"
                            f" {kink.function}{in_line(kink.line)} gives {kink.formula}"
                        )
                        return
                if simplified := simplified_away(derivation):
                    yield f"the formula does not give the value here: {simplified}"
                    return
        return
    derived = {derivation.wrt: derivation.kinks for derivation in report.derivations}
    kinks = {name: found for name, found in {**report.kinks, **derived}.items() if found}
    if names := list(kinks):
        first = kinks[names[0]][0]
        kind = "kink" if first.kind == "jump" and is_of_second_order(request) else first.kind
        place = f"{first.function}{in_line(first.line)} is {PLACES[kind]}"
        yield f"{place}; `{ask(request, names, report)}` says what that means"


def hints_on_unread(
    report: GradientReport, request: Request, subject: ReportedPass
) -> Iterator[tuple[str, str]]:
    """Yield a note if gradients are not finite by entries alone that the output does not read."""
    is_asked = request.command == "grad" and not report.output.shape and is_finite(report.output.value)
    if not is_asked or all(is_finite(variable.grad) for variable in report.gradients):
        return
    from autodiff.grammar.session.derivative_matrices import row_without_unread

    if np.isfinite(row_without_unread(subject, subject.seed, {})).all():
        exact = command_line("jacobian", request, report)
        yield (
            f"the output does not depend on the entries that make it so: `{exact}` leaves them out, which is"
            " exact; PyTorch multiplies their slopes by 0, which gives nan",
            "note",
        )


def note_equal_values(session: Session, subject: ReportedPass, source: Source) -> None:
    """Note the equal eigenvalues or singular values that derivatives which are not finite come from."""
    from autodiff.core.paths.node_names import NodeNames
    from autodiff.core.why.equal_values import equal_values_remark

    remark = equal_values_remark(subject.order, NodeNames(subject.order, source))
    if remark:
        session.note(remark)


def hints_on_rounding(report: GradientReport, request: Request, subject: ReportedPass) -> Iterator[str]:
    """Yield a hint on gradients that the rounding of a value can change by their own size."""
    from autodiff.core.why.rounded_gradients import rounded_gradient

    names = [
        spelled
        for spelled, node in subject.wrt
        if rounded_gradient(subject.order, subject.root, subject.seed, node) is not None
    ]
    if names:
        yield f"{the_gradients(names)} made of rounding errors; `{ask(request, names, report)}` says why"


def is_finite(grad: Any) -> bool:
    """Whether every entry is finite; also true for None, where there is no gradient."""
    if is_array(grad):
        return bool(np.isfinite(grad).all())
    return grad is None or grad - grad == 0


def is_zero(grad: Any) -> bool:
    """Whether there are entries and all of them are 0."""
    return bool(grad.size and not grad.any()) if is_array(grad) else grad == 0


def the_gradients(names: Sequence[str]) -> str:
    return (
        f"the gradient for {listed(names)} is"
        if len(names) == 1
        else f"the gradients for {listed(names)} are"
    )


def listed(names: Sequence[str]) -> str:
    """The first names as a list in words, and how many more there are."""
    left = len(names) - MOST_NAMED
    shown = list(names[:MOST_NAMED]) + ([f"{left:,} more"] if left > 0 else [])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def in_line(line: int | None) -> str:
    return "" if line is None else f" in line {line}"


def ask(request: Request, names: Sequence[str], report: GradientReport) -> str:
    """The command line that explains these gradients, quoted for the shell; prose puts it in backticks."""
    order = ("--order", "2") * is_of_second_order(request)
    return command_line("explain", request, report, *order, "--wrt", ",".join(names[:MOST_NAMED]))


def is_of_second_order(request: Request) -> bool:
    """Whether a command prints second derivatives, in which a jump of the slope is a kink of the output."""
    is_asked = request.command == "grad" and request.number("order") == 2
    return is_asked or request.command in ("hessian", "hvp")


def command_line(command: str, request: Request, report: GradientReport, *others: str) -> str:
    """A command line about the same output, quoted for the shell, with ``others`` as its last words.

    Without others it is about the same inputs.
    """
    words = ["autodiff", command]
    if not others:
        others = tuple(word for text in request.texts("wrt") for word in ("--wrt", text))
    # Code of several lines is given line by line: a line break in a hint would look like a fold.
    lines = [line for text in request.texts("e") for line in text.split("\n") if line.strip()]
    code = [word for line in lines for word in ("-e", line)]
    is_plain = all(map(str.isprintable, code))
    if not is_plain or sum(map(len, code)) > LONGEST_CODE or (not code and request.argument in ("", "-")):
        words.append(LEFT_OUT)
    else:
        words += ([request.argument] if request.argument else []) + code
    for option, usual in DECISIVE.items():
        value = request.values.get(option)
        if value is not None and value != usual:
            words += [f"--{option.replace('_', '-')}", str(value)]
    if report.adds_up:
        words += ["--grad-output", "ones"]
    for option in ("set", "data"):
        for text in request.texts(option):
            words += [f"--{option}", text]
    words += others
    return " ".join(word if word == LEFT_OUT else quote(word) for word in words)


def similar_command(command: str, request: Request, report: GradientReport, *others: str) -> str:
    """As ``command_line``, or how to write it where the script is too long to be repeated."""
    line = command_line(command, request, report, *others)
    if LEFT_OUT not in line.split():
        return line
    return f"the same line with `{command}` in place of `{request.command}`"
