"""``autodiff grad``: prints only gradients, for a pipe or a reader."""

from __future__ import annotations

from autodiff.cli.command_line.options import ROW_FORMATS
from autodiff.cli.requests.session import Session
from autodiff.core.base.errors import UsageError
from autodiff.core.base.lazy_imports import LazyModule

bare = LazyModule("autodiff.cli.render.bare")
gradients = LazyModule("autodiff.cli.render.gradients")
records = LazyModule("autodiff.cli.render.records")


def command(session: Session) -> int | None:
    """Print gradients: bare numbers in a pipe, a table on a terminal, records in other formats.

    For rows of values there is a line for each of them; ``--batch`` adds them up.
    """
    if session.request.text("each") is not None or session.request.texts("sweep"):
        from autodiff.cli.requests.rows import write_rows

        return write_rows(session)
    refuse_options_of_rows(session)
    if session.request.number("batch"):
        from autodiff.cli.requests.batches import batch_report

        report = batch_report(session)
    else:
        report = session.report(order=session.request.number("order"))
    if (
        session.request.values.get("value")
        and session.format not in ("json", "table")
        and not session.for_people
    ):
        from autodiff.cli.render.row_lines import single_line

        session.show_text(single_line(report, session.format, session.request.digits))
        return None
    session.show_result(
        json=lambda: session.show_json(report),
        lines=lambda page: gradients.table_lines(report, page),
        records=lambda: records.gradient_records(report),
        text=lambda: bare.bare_text(report.gradients),
    )
    return None


def refuse_options_of_rows(session: Session) -> None:
    """Raise UsageError for options about rows without an option that gives rows."""
    request = session.request
    for name in ("keep", "fail_fast"):
        if request.values.get(name):
            option = "--" + name.replace("_", "-")
            raise UsageError(
                f"{option} is about the rows of --each, and there are none",
                code="E0610",
                help=(f"leave {option} out, or name a file of rows: --each rows.csv",),
            )
    if request.values.get("value") and session.format not in ("auto", "json", *ROW_FORMATS):
        raise UsageError(
            f"--value writes one line, and --format {session.format} has none",
            code="E0610",
            help=(f"its formats are json, {', '.join(ROW_FORMATS)}",),
        )
    if request.values.get("value") and request.number("order") > 1:
        raise UsageError("--order does not go with --value", code="E0610", help=("leave one out",))
    if request.number("batch"):
        return
    if request.text("reduce") is not None:
        raise UsageError("--reduce is about --batch", code="E0610", help=("add --batch 10000",))
    for name, is_given in (("jobs", request.number("jobs") > 1), ("cluster", "cluster" in request.values)):
        if is_given and request.values[name] is not None:
            raise UsageError(
                f"--{name} says who answers rows, and there are none",
                code="E0610",
                help=("--each, --sweep and --batch give rows",),
            )
