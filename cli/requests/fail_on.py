"""``--fail-on``: which results make the exit code 1, for pipelines that look at nothing else."""

from __future__ import annotations

from autodiff.cli.command_line.options import COMMANDS
from autodiff.cli.process.streams import visible
from autodiff.cli.requests.hints import is_finite, is_zero, the_gradients
from autodiff.core.base.errors import AutodiffError, UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.report.verdict import KINK, RIGHT_HERE, UNDECIDED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from autodiff.cli.command_line.fast_parser import Request
    from autodiff.cli.requests.answers import Answers
    from autodiff.cli.requests.session import Session
    from autodiff.core.base.source import Span
    from autodiff.core.report.records import GradientReport

    #: What fails, with the line of the script that it is about.
    Sentence = tuple[str, int | None]


def read_kinds(request: Request) -> tuple[str, ...]:
    """The kinds in ``--fail-on nan,zero``. Raises UsageError for those that the command lacks."""
    options = COMMANDS[request.command].options
    known = next((option.parts for option in options if option.name == "fail_on"), ())
    kinds = tuple(kind.strip() for text in request.texts("fail_on") for kind in text.split(","))
    for kind in kinds:
        if kind not in known:
            from autodiff.core.base.did_you_mean import closest_name

            near = closest_name(kind, known)
            help = (
                f"did you mean `--fail-on {near}`?"
                if near
                else f"separate them by commas: --fail-on {','.join(known[:2])}"
            )
            raise UsageError(f"--fail-on takes {', '.join(known)}, not `{kind}`", code="E0610", help=(help,))
    return kinds


def judge(
    session: Session, reports: Sequence[GradientReport], others: Mapping[str, Sentence] | None = None
) -> None:
    """Say what of reports, or of the warnings, is asked to fail; the session keeps it.

    ``others`` say what is no part of a report, by kind.
    """
    kinds = read_kinds(session.request)
    assert session.script is not None
    source = session.script.source
    sentences = [sentence for report in reports for sentence in failures(kinds, report)]
    sentences += [
        (f"--fail-on {kind}: {text}", line) for kind, (text, line) in (others or {}).items() if kind in kinds
    ]
    found: list[tuple[str, Span | None]] = [
        (text, None if line is None else source.line_span(line)) for text, line in sentences
    ]
    if "warning" in kinds and session.warnings:
        count = len(session.warnings)
        given = "a warning was given" if count == 1 else f"{count:,} warnings were given"
        found.append((f"--fail-on warning: {given}", session.warnings[0].span))
    for text, span in found:
        error = AutodiffError(text)
        error.code = ""  # nothing went wrong: this was asked for
        error.source, error.span = source, span
        session.failures.append(error)
        if not session.is_silent:
            session.say(error)


def failures(kinds: tuple[str, ...], report: GradientReport) -> Iterator[Sentence]:
    """What of a report is asked to fail, with the line of the first variable that is named."""
    if "nan" in kinds:
        if not is_finite(report.output.value):
            text = f"--fail-on nan: the output {report.output.name} is not finite"
            yield text, report.output.line
        broken = [variable for variable in report.gradients if not is_finite(variable.grad)]
        if broken:
            text = f"--fail-on nan: {the_gradients([one.name for one in broken])} not finite"
            yield text, broken[0].line
    if "zero" in kinds:
        zero = [variable for variable in report.gradients if is_zero(variable.grad)]
        if zero:
            yield f"--fail-on zero: {the_gradients([one.name for one in zero])} zero", zero[0].line
    if "zero-entry" in kinds:
        for variable in report.gradients:
            count, size = zero_entries(variable.grad), np.size(variable.grad)
            if count:
                where = f" in {count:,} of {size:,} entries" if size > 1 else ""
                yield f"--fail-on zero-entry: {the_gradients([variable.name])} zero{where}", variable.line


def zero_entries(grad: Any) -> int:
    return int(np.size(grad) - np.count_nonzero(grad))


def kinds_of_row(kinds: Sequence[str], value: Any, grads: Sequence[Any]) -> Iterator[str]:
    """Yield which of the kinds a row's value and gradients are."""
    if "nan" in kinds and not all(map(is_finite, (value, *grads))):
        yield "nan"
    if "zero" in kinds and any(map(is_zero, grads)):
        yield "zero"
    if "zero-entry" in kinds and any(map(zero_entries, grads)):
        yield "zero-entry"


def sentences_on_rows(failed: Mapping[str, int], count: int) -> dict[str, Sentence]:
    """What is asked to fail of ``count`` rows, with how many rows of each kind."""
    what = {
        "nan": "a value or gradient that is not finite",
        "zero": "a gradient of zero",
        "zero-entry": "a gradient with an entry of zero",
    }
    return {
        kind: (
            f"{failed[kind]:,} of {count:,} rows {'has' if failed[kind] == 1 else 'have'} {what[kind]}",
            None,
        )
        for kind in what
        if failed[kind]
    }


def sentences_on_answers(answers: Answers) -> dict[str, Sentence]:
    """What is asked to fail of the answers of ``check``; gradients at a kink are undecided too."""
    sentences: dict[str, Sentence] = {}
    checks = [check for check in answers.checks if check.verdict in (KINK, UNDECIDED)]
    if checks:
        text = f"{the_gradients([check.name for check in checks])} undecided"
        kink = next((kink for check in checks for kink in check.kinks), None)
        derivation = answers.derivations.get(checks[0].name)
        line = None if derivation is None else derivation.wrt_line
        sentences["undecided"] = (text, line) if kink is None else (f"{text}: {kink.text}", kink.line)
    for kind, verdict, what in (
        ("undecided", UNDECIDED, "undecided"),
        ("here", RIGHT_HERE, "right here only"),
    ):
        found = [formula for formula in answers.formulas if formula.verdict == verdict]
        if found:
            others = f" and {len(found) - 1} more are" if len(found) > 1 else " is"
            line = answers.output_lines.get(found[0].output)
            sentences[kind] = (f"{visible(found[0].spelled)}{others} {what}", line)
    return sentences
