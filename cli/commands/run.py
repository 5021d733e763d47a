"""``autodiff run``: shows the gradients, the graph and the derivations of a script."""

from __future__ import annotations

from autodiff.cli.command_line.options import SHOW
from autodiff.cli.requests.session import Session
from autodiff.core.base.errors import UsageError

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
        needed=in_json or (session.request.text("show") is not None and parts != (TENSORS,)),
    )
    if in_json and report is not None:
        session.show_json(report)
        return
    if report is not None:
        from autodiff.cli.render.reports import run_lines, why_hint

        session.show(run_lines(report, session.page(), parts))
    if session.tensors is not None:
        from autodiff.cli.render.page import EMPTY
        from autodiff.cli.render.states import state_lines

        session.show(() if report is None else (EMPTY,))
        session.show(state_lines(session.tensors, session.page()))
    if report is not None:
        session.hint(why_hint(report, session.script))


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
