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

    For rows of values there is a line for each of them.
    """
    if session.request.text("each") is not None or session.request.texts("sweep"):
        from autodiff.cli.requests.rows import write_rows

        return write_rows(session)
    for name in ("value", "keep", "fail_fast", "jobs"):
        if session.request.number(name) > (name == "jobs"):  # one job is the default
            option = "--" + name.replace("_", "-")
            raise UsageError(
                f"{option} is about the lines of --each and --sweep",
                code="E0610",
                help=("--format csv has the value of each input, --format json that of the output",),
            )
    report = session.report(order=session.request.number("order"))
    session.show_result(
        json=lambda: session.show_json(report),
        lines=lambda page: gradients.table_lines(report, page),
        records=lambda: records.gradient_records(report),
        text=lambda: bare.bare_text(report.gradients),
    )
    return None
