"""``autodiff check``: checks gradients, or derivatives that were worked out by hand."""

from __future__ import annotations

from autodiff.cli.process.exit_codes import NO, OK, USAGE
from autodiff.cli.requests.session import Session
from autodiff.cli.requests.several_scripts import (
    FAILED_ON,
    NOTHING,
    Outcome,
    has_files_of_formulas,
    work_on_each,
)
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.cli.requests.answers import Answers

#: What a script is called of which a gradient or a formula is wrong.
WRONG = "wrong"


def command(session: Session) -> int:
    """Check and show the results. Return exit code 1 if a gradient or a formula is wrong, else 0.

    If a formula cannot be read, the exit code is 2 whatever the others are.
    Undecided results also give 0, unless ``--fail-on`` names them. At a kink no number is right, so none is
    wrong. Of several scripts the worst exit code counts.
    """
    return work_on_each(session, check_script, bad=WRONG)


def check_script(session: Session) -> Outcome:
    """Check the script of the session."""
    from autodiff.cli.render.answers import answer_lines, in_a_line, lines_so_far, mistakes
    from autodiff.cli.requests.verify import make_answers

    def begin(answers: Answers) -> None:
        """Have the answers shown as far as they are there, if the time is over."""
        session.show_so_far = lambda: session.show(lines_so_far(answers, session.page()))

    answers = make_answers(session, begin)
    session.show_so_far = None
    script = session.script
    assert script is not None

    def show() -> None:
        if session.format == "json":
            from autodiff.cli.render.answers_json import render_answers

            seed = session.request.number("seed")
            session.show_text(
                render_answers(answers, script.data, seed, session.warnings, session.failures, script.source)
            )
        elif session.format == "verdict":
            from autodiff.cli.render.verdicts import verdict_text

            name = session.request.argument if session.has_several else None
            session.show_text(verdict_text(answers, name, has_files_of_formulas(session.request)))
        else:
            session.show(answer_lines(answers, session.page()))
        if session.diagnostics != "text":
            for text, source, line in mistakes(answers, session.page()):
                session.say(mistake(text, line, source or script.source))

    words, called = in_a_line(answers), ""
    if session.failures:
        words = "; ".join([words, *(failure.message for failure in session.failures)])
        called = "" if answers.errors else FAILED_ON
    if not answers.checks and not answers.formulas:
        called = NOTHING
    if answers.is_right is False:
        called = WRONG
    status = NO if answers.is_right is False or session.failures else OK
    if answers.errors:
        status = USAGE
    is_well = answers.is_right is True and not answers.errors  # what --fail-on says stands in the line
    return Outcome(status, words, is_well, show, called=called)


def mistake(text: str, line: int | None, source: Source) -> AutodiffError:
    """The diagnostic for a wrong gradient or formula, which has no code."""
    error = AutodiffError(text, span=None if line is None else source.line_span(line))
    error.source = source
    error.code = ""
    return error
