"""``autodiff diff``: the values and gradients of two scripts side by side."""

from __future__ import annotations

from autodiff.cli.process.exit_codes import NO, OK
from autodiff.cli.requests.session import Session


def command(session: Session) -> int:
    """Show what differs, on a terminal everything. Return exit code 1 if something differs."""
    from autodiff.cli.render import comparison
    from autodiff.cli.requests.compare import compare

    found = compare(session)
    if session.format == "json":
        session.show_numbers(
            found.new, {"old_script": found.old.script, "values": comparison.comparison_numbers(found)}
        )
    elif session.for_people or session.format == "table":
        session.show(comparison.comparison_lines(found, session.page()))
    elif session.format not in ("auto", "plain"):
        session.show_records(comparison.comparison_records(found))
    else:
        session.show_text(comparison.bare_comparison(found))
    if session.diagnostics != "text":
        from autodiff.cli.commands.check import mistake

        assert session.script is not None  # the new one
        source = session.script.source
        for text, line in comparison.difference_sentences(found, session.request.digits):
            session.say(mistake(text, line, source))
    return NO if found.has_differences else OK
