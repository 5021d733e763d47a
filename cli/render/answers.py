"""The output of ``check``: one line per gradient; for a formula, the verdict and where it is wrong."""

from __future__ import annotations

from autodiff.cli.process.streams import harmless, visible
from autodiff.cli.render import roles
from autodiff.cli.render.formula_answers import formula_answers
from autodiff.cli.render.numbers import short, spell_count
from autodiff.cli.render.page import EMPTY, NAME, PLAIN, TITLE, Table, fit, prose
from autodiff.cli.render.paths import at_line
from autodiff.cli.render.prose import in_words
from autodiff.core.report.kink import REPEATED
from autodiff.core.report.verdict import (
    BLURRED,
    CHANGES,
    DISAGREE,
    EQUAL_VALUES,
    GROWS_WITHOUT_BOUND,
    HIDDEN,
    INFINITE,
    IS_INPUT,
    KINK,
    LEAVES_DOMAIN,
    LOST,
    NOT_FINITE,
    NOT_JUDGED,
    OK,
    RIGHT_HERE,
    RIGHT_HERE_ONLY,
    ROUNDED,
    TOO_LARGE,
    UNDECIDED,
    UNREADABLE,
    WRONG,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodiff.cli.render.page import Line, Page
    from autodiff.cli.requests.answers import Answers
    from autodiff.core.base.source import Source
    from autodiff.core.report.verdict import GradientCheck

WIDEST_NAME = 24
MOST_KINKS = 3
MOST_NAMES = 4
HEADER = ("input", "answer", "paths", "differences", "complex step", "Taylor")
UNDECIDED_BECAUSE = {
    LEAVES_DOMAIN: "every step leaves the function's domain, so there is nothing to compare with",
    BLURRED: "rounding blurs the differences so much that a mistake of 1 % would not be seen",
    LOST: (
        "the differences give another gradient, but it is so small beside those on the way to it that"
        " all of it may be rounding"
    ),
    DISAGREE: (
        "the differences agree with it, but the complex step or Taylor's remainder does not: it may be off by"
        " a part that is too small for the differences"
    ),
    INFINITE: "what is differentiated is infinite here, so there are no differences to compare with",
    GROWS_WITHOUT_BOUND: (
        "the gradient is infinite here, and the differences grow without end as the step shrinks: there is no"
        " number to compare with"
    ),
    IS_INPUT: (
        "this is an input, and the output itself: nothing is computed from it, so there is no gradient to"
        " check"
    ),
    ROUNDED: (
        "rounding of the values it is computed from can change it by its own size, so that no digit of it is"
        " certain; explain says which value"
    ),
    TOO_LARGE: (
        "the graph is so large that computing it again for every difference would take minutes (--all does)"
    ),
    CHANGES: (
        "the script gives another result when it is run again with the same inputs: it draws random"
        " numbers or keeps a state outside of the graph"
    ),
}
#: What is said of one input alone.
REASONS_OF_ONE = (LOST, DISAGREE, IS_INPUT, ROUNDED)
ROLES = {OK: roles.RIGHT, WRONG: roles.WRONG, NOT_FINITE: roles.WRONG}
ROLES |= {KINK: roles.UNDECIDED, UNDECIDED: roles.UNDECIDED}
STYLES = (NAME, ROLES, PLAIN, PLAIN, PLAIN, PLAIN)


def answer_lines(answers: Answers, page: Page) -> Iterator[Line]:
    """The table of checked gradients, explanations and a summary; or the results of the formulas."""
    if answers.formulas:
        yield from formula_answers(answers.formulas, page)
        return
    of = "second derivative" if answers.order == 2 else "gradient"
    count = len(answers.checks)
    yield ((TITLE, f"{fit(answers.output, WIDEST_NAME)}: {count} {of}{'s' * (count != 1)} checked"),)
    yield EMPTY
    rows = [[[cell] for cell in row_of(check, answers)] for check in answers.checks]
    used = [at for at in range(len(HEADER)) if at < 2 or any(row[at][0] for row in rows)]
    table = Table(
        [HEADER[at] for at in used],
        [[row[at] for at in used] for row in rows],
        [STYLES[at] for at in used],
        [False] * len(used),
    )
    if table.width <= page.width:
        yield from table.lines()
    else:
        for row in rows:
            rest = ", ".join(f"{HEADER[at]} {row[at][0]}" for at in used[2:] if row[at][0])
            yield ((NAME, f"  {row[0][0]}: "), (ROLES[row[1][0]], row[1][0]))
            yield from prose(rest, page.width, 4)
    for text in explanations(answers, page):
        yield EMPTY
        yield from prose(text, page.width)
    for check in answers.checks:
        if check.cuts:
            yield EMPTY
            yield from prose(cuts_remark(check, page.digits), page.width)
    for check in answers.checks:
        if check.grouped:
            of = f"{check.grouped:,} of {check.size:,} entries"
            yield EMPTY
            yield from prose(f"{visible(check.name)}: {of} were moved in groups only", page.width)
    yield EMPTY
    yield from prose(summary(answers), page.width, role=TITLE)


def lines_so_far(answers: Answers, page: Page) -> Iterator[Line]:
    """The answers that are there when the time is over; nothing if there are none."""
    if answers.formulas or answers.checks:
        yield from answer_lines(answers, page)
        yield EMPTY


def row_of(check: GradientCheck, answers: Answers) -> tuple[str, ...]:
    """The table cells of one gradient: its verdict and how far each check is from it."""
    derivation = answers.derivations.get(check.name)
    paths = ""
    if derivation is not None:
        count = spell_count(derivation.count)
        apart = derivation.difference
        paths = f"{count}, not all followed" if apart is None else f"{count}, {far(apart)}"
    if check.verdict in (NOT_FINITE, UNDECIDED):
        return (fit(check.name, WIDEST_NAME), check.verdict, paths, "", "", "")
    plane = "" if check.complex_difference is None else far(check.complex_difference)
    slope = f"{check.slope:.2f}" if check.slope is not None else "linear" if check.is_linear else "of no use"
    stepped = far(check.difference) if check.verdict != KINK else "two slopes"
    if check.verdict == WRONG and check.reason not in (HIDDEN, RIGHT_HERE_ONLY):
        stepped = far(of_the_larger(check))
    if check.verdict == OK and check.is_decided_by_complex_step:
        stepped = "of no use"
    return (fit(check.name, WIDEST_NAME), check.verdict, paths, stepped, plane, slope)


def far(difference: float) -> str:
    return "exact" if difference == 0 else f"{difference:.0e}"


def entry_name(check: GradientCheck) -> str:
    if not check.worst:
        return check.name
    return f"{check.name}[{', '.join(map(str, check.worst))}]"


def explanations(answers: Answers, page: Page) -> Iterator[str]:
    """Why gradients are not simply right; those with one reason that they share are told together."""
    groups: dict[str | int, list[GradientCheck]] = {}
    for at, check in enumerate(answers.checks):
        if check.verdict != OK or check.kinks or check.is_unconnected:
            reason = "" if check.reason in REASONS_OF_ONE else shared_reason(check, answers)
            groups.setdefault(reason or at, []).append(check)
    for group in groups.values():
        yield shared_explanation(group, answers) if len(group) > 1 else explanation(group[0], answers, page)


def shared_explanation(checks: Sequence[GradientCheck], answers: Answers) -> str:
    """The reason of several inputs, with their names."""
    first = checks[0]
    names = [visible(entry_name(check) if is_not_finite(first) else check.name) for check in checks]
    text = f"{in_words(first_of(names))}: {shared_reason(first, answers)}"
    if not is_not_finite(first):
        return text
    second = " --order 2" * (answers.order == 2)
    second += " --grad-output ones" * (answers.order == 2 and any(check.size > 1 for check in checks))
    asked = ",".join(check.name for check in checks[:MOST_NAMES])
    more = "says why" if answers.cause_of(first) is None else "says more"
    return f"{text}; `explain --wrt {asked}{second}` {more}"


def first_of(names: list[str]) -> list[str]:
    """The first of many names, and how many more there are."""
    left = len(names) - MOST_NAMES
    return names if left <= 0 else [*names[:MOST_NAMES], f"{left:,} more"]


def is_not_finite(check: GradientCheck) -> bool:
    return check.verdict == NOT_FINITE or (check.verdict == UNDECIDED and check.reason == EQUAL_VALUES)


def shared_reason(check: GradientCheck, answers: Answers) -> str:
    """A reason that several inputs can have, without their names; empty if there is none."""
    if check.verdict == WRONG or (check.verdict == KINK and check.sides is not None):
        return ""
    if check.verdict == OK:
        return "no path leads to the output, so there is nothing to check" if check.is_unconnected else ""
    if not is_not_finite(check):
        return UNDECIDED_BECAUSE[check.reason]
    text = "the output or its gradient is not finite"
    if check.reason == EQUAL_VALUES:
        text = "the second derivative is not finite here and may not exist"
    cause = answers.cause_of(check)
    because = f": {visible(check.equal_values)}" if check.equal_values else ""
    if cause is not None and not because:
        because = f": {visible(at_line(cause.line, cause.text))}"
    return text + because


def explanation(check: GradientCheck, answers: Answers, page: Page) -> str:
    """Why a gradient is not simply right."""
    order, output = answers.order, answers.output
    name = visible(entry_name(check))
    if check.verdict == WRONG:
        first = "" if check.order == order else "the first derivative is wrong already: "
        if check.reason == HIDDEN:
            small = "a mistake on the way to it is too small beside the rest for differences of the output"
            return f"{visible(check.name)}: {small}. {blamed(check, page)}"
        if check.reason == RIGHT_HERE_ONLY:
            accident = "right for the gradient that comes in here, and not for others"
            return f"{visible(check.name)}: {accident}. {blamed(check, page)}"
        if check.second is not None:
            name = visible(second_derivative_name(check, output))
        text = f"{name}: {first}{compared(check, page)}"
        if check.constants:
            return f"{text}. {saved_in_words(check)}"
        if check.fault is not None:
            return f"{text}. {blamed(check, page)}"
        if check.kinks:
            if any(kink.kind != REPEATED for kink in check.kinks):
                text += ". The values chosen at kinks need not add up to a slope"
            text += f". {reasons(check)}"
        elif check.ties:
            text += f". {reasons(check)}"
        return text
    if check.verdict == OK and not check.is_unconnected:  # the kinks cancel, or are choices that reruns keep
        return f"{visible(check.name)}: the differences do not show this. {reasons(check)}"
    if check.verdict == KINK and check.sides is not None:
        return two_slopes(check, output, page)
    return shared_explanation([check], answers)


def two_slopes(check: GradientCheck, output: str, page: Page) -> str:
    """What is at a kink or a jump: the output, or for a second derivative the first."""
    name = visible(entry_name(check))
    left, right, given = (short(value, page.digits) for value in (*(check.sides or ()), check.given))
    text = f"slope is {left} from below and {right} from above; backward takes {given}"
    first = visible(f"d{output}/d{check.name}") if check.size == 1 else "the gradient"
    if check.outputs is None:
        what = "at a kink: the" if check.order == 1 else f"at a kink of {first}: its"
        return f"{name} is {what} {text}, and no number is right. {reasons(check)}"
    before, after = (short(value, page.digits) for value in check.outputs)
    of = "the output" if check.order == 1 else first
    is_weighed = check.order == 2 and check.size > 1  # the values are then those of a sum with random weights
    jump = f"a jump of {of}" + ("" if is_weighed else f", from {before} to {after}")
    if before == after:
        jump = f"a jump at a single point of {of}" + ("" if is_weighed else f", which is {before} beside it")
    return f"{name} is at {jump}: {'the' if check.order == 1 else 'its'} {text}. {reasons(check)}"


def cuts_remark(check: GradientCheck, digits: int = 6) -> str:
    """What a right gradient takes for a constant, and the slope of the script with that."""
    those = "it" if len(check.cuts) == 1 else "them"
    text = f"{check.name}: right, with {in_words(check.cuts)} as {constants(check.cuts)}"
    if check.whole_slope is not None:
        text += f"; with {those} the slope is {short(check.whole_slope, digits)}"
    elif check.order == 1:
        text += f"; with {those} the slope may be another"
    return visible(text)


def constants(cuts: Sequence[str]) -> str:
    return "a constant" if len(cuts) == 1 else "constants"


def all_cuts(answers: Answers) -> list[str]:
    """What right gradients take for constants, each once."""
    return list(dict.fromkeys(cut for check in answers.checks for cut in check.cuts))


def second_derivative_name(check: GradientCheck, output: str) -> str:
    """The notation of a second derivative by two entries, as ``d2L/dx[0]2``."""
    assert check.second is not None
    first, second = entry_name(check), check.name
    if check.second:
        second += f"[{', '.join(map(str, check.second))}]"
    return f"d2{output}/d{first}2" if first == second else f"d2{output}/d{first} d{second}"


def saved_in_words(check: GradientCheck) -> str:
    """Which intermediate results Functions saved without the graph that second derivatives need."""
    return "; ".join(visible(one.sentence) for one in check.constants[:MOST_KINKS])


def compared(check: GradientCheck, page: Page) -> str:
    """The two values of the worst entry, and which method gave the second."""
    given, expected = (short(value, page.digits) for value in (check.given, check.expected))
    stepped = f"differences with a step of {check.step:.0e} give"
    way = "the complex step gives" if check.is_complex_step else stepped
    return f"backward gives {given}, {way} {expected}; they are {percentage(check)} % apart"


def blamed(check: GradientCheck, page: Page) -> str:
    """Which Function has the wrong backward, and for which operand and call that was found."""
    fault = check.fault
    assert fault is not None
    of = visible(fault.spelled) + entry_name(fault.check).removeprefix(fault.name)
    line = "" if fault.line is None else f", which ends in line {fault.line},"
    call = "" if fault.called is None else f" in the call of line {fault.called}"
    other = ", with another gradient coming in," if fault.is_right_here else ""
    text = (
        f"The backward of {visible(fault.name)}{line} is wrong: for {of}{call}{other}"
        f" {compared(fault.check, page)}"
    )
    return f"{text}. It does not use the gradient that comes in." if fault.ignores_cotangent else text


def percentage(check: GradientCheck) -> str:
    return f"{100 * of_the_larger(check):.3g}"


def of_the_larger(check: GradientCheck) -> float:
    """The difference of the worst entry's two values, relative to the larger one."""
    largest = max(abs(check.given), abs(check.expected))
    return abs(check.given - check.expected) / largest if largest else 0.0


def reasons(check: GradientCheck) -> str:
    """Which ops have a kink, or which lines compare equal numbers."""
    if not check.kinks and check.ties:
        lines = " and ".join(f"line {line}" for line in check.ties[:MOST_KINKS])
        return f"Equal numbers are compared in {lines}, and the result depends on it"
    if not check.kinks:
        return "No op on the way is known to have one here; a Function or a branch of the script may"
    texts: list[str] = []
    for kink in check.kinks[:MOST_KINKS]:
        place = "" if kink.line is None else f"{'in' if texts else 'In'} line {kink.line}, "
        texts.append(place + visible(kink.text))
    left = len(check.kinks) - MOST_KINKS
    return "; ".join(texts) + (f"; and {left:,} more" if left > 0 else "")


def mistakes(answers: Answers, page: Page) -> Iterator[tuple[str, Source | None, int | None]]:
    """What is wrong, in sentences for diagnostics, each with its text, None for the script's, and its line.

    The line is that of a wrong ``backward`` or of a step, else the one that assigns the input, or for a
    formula the one that computes the output.
    """
    for check in answers.checks:
        if check.verdict in (WRONG, NOT_FINITE):
            derivation = answers.derivations.get(check.name)
            line = None if derivation is None else derivation.wrt_line
            if check.fault is not None:
                line = check.fault.line or check.fault.called or line
            elif cause := answers.cause_of(check):
                line = cause.line or line
            yield f"wrong gradient: {explanation(check, answers, page)}", None, line
    for formula in answers.formulas:
        if formula.is_right is False:
            line = answers.output_lines.get(formula.output) if formula.step is None else formula.step[1]
            text = "; ".join((f"wrong: {formula.spelled}", *formula.remarks))
            yield harmless(text), formula.step_source, line


def in_a_line(answers: Answers) -> str:
    """The result for one of several scripts in a few words."""
    count = len(answers.checks) + len(answers.formulas)
    what = "formula" if answers.formulas else "second derivative" if answers.order == 2 else "gradient"
    what += "s" * (count != 1)
    if not count:
        return "nothing to check"
    counted = {
        WRONG: answers.count(WRONG),
        NOT_FINITE: answers.count(NOT_FINITE),
        UNREADABLE: answers.count(UNREADABLE),
        NOT_JUDGED: answers.count(NOT_JUDGED),
        "undecided": answers.open_questions,
    }
    if answers.is_right is False:
        del counted["undecided"]
    bad = [f"{number} of {count} {what} {verdict}" for verdict, number in counted.items() if number]
    if not bad:
        cuts, here = all_cuts(answers), answers.count(RIGHT_HERE)
        if here:
            return f"{count} {what} right" + (f", {here} of them" if here < count else "") + " here only"
        return f"{count} {what} right" + (f", with {in_words(cuts)} as {constants(cuts)}" if cuts else "")
    whole = next((verdict for verdict, number in counted.items() if number == count), None)
    return ", ".join(bad) if whole is None else f"{count} {what} {whole}"


def summary(answers: Answers) -> str:
    count = len(answers.checks)
    if answers.is_right is False:
        bad = [(verdict, answers.count(verdict)) for verdict in (WRONG, NOT_FINITE)]
        said = [f"{number} {'is' if number == 1 else 'are'} {verdict}" for verdict, number in bad if number]
        return ", ".join(said).replace(" ", f" of {count} ", 1)
    if not count or all(check.reason == IS_INPUT for check in answers.checks):
        return "there is nothing to check"
    if answers.open_questions:
        return f"{answers.count(OK)} of {count} are right, {answers.open_questions} cannot be decided"
    by_plane = [fit(check.name, WIDEST_NAME) for check in answers.checks if check.is_decided_by_complex_step]
    ways = ["backward", "the complex step" if by_plane else "the differences"]
    if answers.derivations:
        ways.insert(1, "the sum over the paths")
    cuts = all_cuts(answers)
    right = f"right, with {visible(in_words(cuts))} as {constants(cuts)}" if cuts else "right"
    text = f"{right}: {', '.join(ways[:-1])} and {ways[-1]} agree"
    if not by_plane:
        return text
    return f"{text}; for {in_words(first_of(by_plane))} rounding or fast changes make the differences useless"
