"""``autodiff run``: the gradients, the graph and the derivations of a script."""

from __future__ import annotations

from autodiff.cli.session import Session
from autodiff.core.errors import UsageError

PARTS = ("gradients", "graph", "paths")


def run(session: Session) -> None:
    """Run a script and show all there is to say about its gradients."""
    parts = read_parts(session.request.text("show"))
    in_json = session.format == "json"
    report = session.report_if_any(
        graph="graph" in parts,
        derivations="paths" in parts,
        needed=in_json or session.request.text("show") is not None,
    )
    if report is None:
        return
    if in_json:
        session.show_json(report)
        return
    from autodiff.cli.render.reports import run_lines, why_hint

    session.show(run_lines(report, session.page(), parts))
    session.hint(why_hint(report, session.script))


def read_parts(text: str | None) -> tuple[str, ...]:
    """The parts of the report that were asked for."""
    if text is None:
        return PARTS
    parts = tuple(part.strip() for part in text.split(","))
    for part in parts:
        if part not in PARTS:
            raise UsageError(
                f"--show takes {', '.join(PARTS)}, not `{part}`",
                code="E0610",
                help=("separate them by commas, as in --show gradients,graph",),
            )
    return parts
