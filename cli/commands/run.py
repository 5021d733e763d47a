"""``autodiff run``: shows the gradients, the graph and the derivations of a script."""

from __future__ import annotations

from autodiff.cli.command_line.options import SHOW
from autodiff.cli.requests.session import Session
from autodiff.core.base.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.report.records import GradientReport

CHOICES = SHOW.parts
PARTS, TENSORS = CHOICES[:-1], CHOICES[-1]


def command(session: Session) -> None:
    """Run a script and show the requested parts of the report."""
    parts = read_parts(session.request.text("show"))
    in_json = session.format == "json"
    report = session.report_if_any(
        graph="graph" in parts,
        derivations="paths" in parts,
        tensors=TENSORS in parts,
        events=in_json,
        needed=in_json or (session.request.text("show") is not None and parts != (TENSORS,)),
    )
    if in_json and report is not None:
        session.show_json(report)
        return
    hint: tuple[str, str] | None = None
    if report is not None and report.gradients:
        from autodiff.cli.render.reports import why_hint
        from autodiff.cli.requests.hints import ask, hints_on

        if not any(hints_on(report, session.request)):  # which name the same command
            why, name = why_hint(report)
            hint = why, ask(session.request, [name], report)
    if report is not None:
        show(session, report, parts, hint)
    if session.tensors is not None:
        from autodiff.cli.render.page import EMPTY
        from autodiff.cli.render.states import state_lines

        session.show(() if report is None else (EMPTY,))
        session.show(state_lines(session.tensors, session.page()))
    if hint is not None:
        session.hint(*hint)


def show(
    session: Session, report: GradientReport, parts: tuple[str, ...], hint: tuple[str, str] | None
) -> None:
    """Show the parts that were asked for, or what fits the screen beside the notes and the ``hint``."""
    if not session.is_brief:
        from autodiff.cli.render.reports import run_lines

        session.show(run_lines(report, session.page(), parts))
        return
    from autodiff.cli.render.screen import screen_lines
    from autodiff.cli.requests.hints import similar_command

    tree, explain = (similar_command(name, session.request, report) for name in ("graph", "explain"))
    below = session.err.lines_waiting + len(session.hint_lines(*hint) if hint else ()) + 1  # the prompt
    session.show(screen_lines(report, session.page(), tree, explain, below))


def read_parts(text: str | None) -> tuple[str, ...]:
    """The parts named by ``--show``; by default those about gradients."""
    if text is None:
        return PARTS
    parts = tuple(part.strip() for part in text.split(","))
    for part in parts:
        if part not in CHOICES:
            raise UsageError(
                f"--show takes {', '.join(CHOICES)}, not `{part}`",
                code="E0610",
                help=("separate them by commas, as in --show gradients,graph",),
            )
    return parts
