"""``autodiff check``: checks gradients, or derivatives that were worked out by hand."""

from __future__ import annotations

from autodiff.cli.command_line.script_source import read_script
from autodiff.cli.process.exit_codes import NO, OK
from autodiff.cli.requests.session import Session


def command(session: Session) -> int:
    """Check and show the results. Return exit code 1 if a gradient or a formula is wrong, else 0.

    Undecided results also give 0. At a kink no number is right, so none is wrong.
    """
    session.script = read_script(session.request)
    from autodiff.cli.requests.verify import make_answers

    answers = make_answers(session)
    if session.format == "json":
        from autodiff.cli.render.answers_json import render_answers

        session.show_text(
            render_answers(answers, session.script.data, session.warnings, session.script.source)
        )
    else:
        from autodiff.cli.render.answers import answer_lines

        session.show(answer_lines(answers, session.page()))
    return NO if answers.is_right is False else OK
