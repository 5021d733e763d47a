"""The results of ``check --formula``: each formula with its value, the steps of a derivation in a table."""

from __future__ import annotations

from autodiff.cli.process.streams import visible
from autodiff.cli.render import roles
from autodiff.cli.render.numbers import inline
from autodiff.cli.render.page import EMPTY, GRADIENT, MUTED, NAME, PLAIN, TITLE, Table, fit, prose
from autodiff.cli.render.prose import WIDEST_PROSE
from autodiff.cli.render.steps import folded_around_code
from autodiff.core.base.lazy_imports import np
from autodiff.core.report.verdict import NOT_JUDGED, RIGHT, RIGHT_HERE, UNDECIDED, UNREADABLE, WRONG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodiff.cli.render.page import Line, Page
    from autodiff.grammar.by_hand.check import HandCheck

WIDEST_NAME = 24
ROLES = {RIGHT: roles.RIGHT, RIGHT_HERE: roles.RIGHT, WRONG: roles.WRONG}
ROLES |= {UNDECIDED: roles.UNDECIDED, NOT_JUDGED: roles.UNDECIDED, UNREADABLE: roles.ERROR}
STEP_STYLES = (MUTED, NAME, ROLES)


def formula_answers(checks: Sequence[HandCheck], page: Page) -> Iterator[Line]:
    """The formulas one by one; those of a file as a table, with the first one that is not right explained."""
    for check in checks:
        if check.step is None:
            yield from formula_lines(check, page)
    steps = [check for check in checks if check.step is not None]
    if steps:
        yield from step_lines(steps, page)


def step_lines(steps: Sequence[HandCheck], page: Page) -> Iterator[Line]:
    """A table of the steps, the first mistake, and what is wrong in the other steps."""
    files = list(dict.fromkeys(check.step[0] for check in steps if check.step is not None))
    count = f"{len(steps)} step{'s' * (len(steps) != 1)}"
    yield ((TITLE, f"{', '.join(files)}: {count}"),)
    yield EMPTY
    rows = [
        [
            [place_of(check, len(files) > 1)],
            [fit(check.left or check.formula, WIDEST_NAME)],
            [short_answer(check)],
        ]
        for check in steps
    ]
    yield from Table(["line", "step", "answer"], rows, STEP_STYLES, [True, False, False]).lines()
    yield EMPTY
    own_scales = [check.own_scale for check in steps if check.own_scale is not None]
    remarked = [
        check
        for check in steps
        if check.own_scale is None and check.error is None and (check.is_right is not True or check.remarks)
    ]
    remarked.sort(key=lambda check: check.is_right is not False)
    for at, check in enumerate(remarked):
        if not at:
            yield from formula_lines(check, page)
        else:
            remark = check.remarks[-1] if check.remarks else without_reason(check, page)
            step = f"{check.left} == {check.formula}" if check.is_member else check.left
            said = f"line {place_of(check, len(files) > 1)}, {step}: {remark}"
            yield from prose(visible(said), page.width)
        yield EMPTY
    for sentence in dict.fromkeys(one.sentence for one in own_scales):
        yield from prose(visible(sentence), page.width)
        yield EMPTY
    yield from prose(count_verdicts(steps), page.width)


def without_reason(check: HandCheck, page: Page) -> str:
    """The sentence on a step of which no more than its value is known."""
    if check.is_right is None:
        return "neither value is finite"
    gradient = inline(check.gradient, page.digits)
    return f"the formula gives {inline(check.value, page.digits)}, and the gradient is {gradient}"


def count_verdicts(steps: Sequence[HandCheck]) -> str:
    """How many steps cannot be read, are not judged, wrong or undecided; that all are right if none is."""
    verdicts = [check.verdict for check in steps]
    count = f"{len(steps)} step{'s' * (len(steps) != 1)}"
    wrong, undecided, here, failed = map(verdicts.count, (WRONG, UNDECIDED, RIGHT_HERE, UNREADABLE))
    unjudged = verdicts.count(NOT_JUDGED)
    is_said = [(unjudged, NOT_JUDGED), (wrong, WRONG)]
    bad = [(failed, UNREADABLE), *((n, f"{'is' if n == 1 else 'are'} {said}") for n, said in is_said)]
    parts = [f"{n} {said}" for n, said in bad if n]
    if parts:
        number, _, said = parts[0].partition(" ")
        return ", ".join([f"{number} of {count} {said}", *parts[1:]])
    if undecided:
        return f"{len(steps) - undecided} of {count} are right, {undecided} cannot be decided"
    times = sum(check.own_scale is not None and check.own_scale.factor != 1.0 for check in steps)
    but = f" ({times} of them times a factor that others divide by)" if times else ""
    if here:
        but += f" ({here} of them here only)"
    around = " and at points drawn at random around them"
    if not here and all(check.points == 1 for check in steps):
        around = " alone: it runs with no others"
    return f"right: {count}{but}, at the script's values{around}"


def count_points(count: int) -> str:
    return f"{count} point{'s' * (count != 1)}"


def short_answer(check: HandCheck) -> str:
    """The verdict, with the factor of a value that is a multiple of the gradient."""
    scale = check.own_scale
    return check.verdict + ("" if scale is None or scale.factor == 1.0 else f", times {scale.text}")


def place_of(check: HandCheck, with_file: bool) -> str:
    """The line of a step, with its file if there are several."""
    assert check.step is not None
    name, line = check.step
    return f"{name}:{line}" if with_file else str(line)


def formula_lines(check: HandCheck, page: Page) -> Iterator[Line]:
    """One formula: its verdict, both values, and remarks on the mistake."""
    left = fit(check.left, 2 * WIDEST_NAME) + " == " * bool(check.left)
    yield (
        (ROLES[check.verdict], check.verdict),
        (TITLE, ": "),
        (NAME, f"{left}{fit(check.formula, max(page.width - 20, 20))}"),
    )
    yield EMPTY
    if check.error is not None:
        yield from prose(visible(check.error.message.removeprefix("--formula: ")), page.width, 2)
        return
    formula = "nothing" if check.value is None else inline(check.value, page.digits)
    gradient = inline(check.gradient, page.digits)
    yield ((MUTED, "  the formula gives  "), (GRADIENT, formula))
    what = "gradient" if len(check.by) == 1 else "derivative"
    what = f"the {'Jacobian' if check.is_jacobian else what} is"
    yield ((MUTED, f"  {what:19}"), (GRADIENT, gradient))
    if check.is_right is None and not check.remarks:
        tried = "the same, but neither is finite, here or at any point around it: that shows nothing"
        if np.isfinite(check.gradient).any():
            tried = (
                "rounding can change the derivative by its own size, here and at every point around it: no"
                " formula is right or wrong by that"
            )
        yield from prose(tried, page.width, 2)
    elif check.is_right:
        tried = f"the same here and at {count_points(check.points - 1)} drawn at random around it"
        if check.is_right_here is None:
            unknown = "made of rounding" if np.isfinite(check.gradient).any() else "not finite"
            tried = f"{unknown} here, and the same at {count_points(check.points)} drawn at random around it"
        elif check.points == 1 and check.remarks:
            tried = "the same here"
        elif check.points == 1:
            tried = "the same here; with other values the script stops or takes another branch"
        if check.varied:
            tried += f", and with other values of {' and '.join(check.varied)}"
        yield from prose(tried, page.width, 2)
    for remark in check.remarks:
        yield EMPTY
        for line in folded_around_code(visible(remark), min(page.width - 2, WIDEST_PROSE)):
            yield ((PLAIN, f"  {line}"),)
