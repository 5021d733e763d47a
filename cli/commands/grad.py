"""``autodiff grad``: prints only gradients, for a pipe or a reader."""

from __future__ import annotations

from autodiff.cli.requests.session import Session


def command(session: Session) -> int | None:
    """Print gradients: bare numbers in a pipe, a table on a terminal, records in other formats.

    For rows of values there is a line for each of them.
    """
    if session.request.text("each") is not None or session.request.texts("sweep"):
        from autodiff.cli.requests.rows import write_rows

        return write_rows(session)
    report = session.report(order=session.request.number("order"))
    if session.format == "json":
        session.show_json(report)
    elif session.for_people or session.format == "table":
        from autodiff.cli.render.gradients import table_lines

        session.show(table_lines(report, session.page()))
    elif session.format not in ("auto", "plain"):
        from autodiff.cli.render.records import gradient_records

        session.show_records(gradient_records(report))
    else:
        from autodiff.cli.render.bare import bare_text

        session.show_text(bare_text(report.gradients))
    return None
