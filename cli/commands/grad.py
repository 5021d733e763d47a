"""``autodiff grad``: prints only gradients, for a pipe or a reader."""

from __future__ import annotations

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
    for name in ("value", "keep", "fail_fast"):
        if request.values.get(name):
            option = "--" + name.replace("_", "-")
            raise UsageError(
                f"{option} is about the lines of --each and --sweep",
                code="E0610",
                help=("--format csv has the value of each input, --format json that of the output",),
            )
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
