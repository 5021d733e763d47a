"""The result of checking a gradient with ``core/check``, as plain data."""

from __future__ import annotations

from autodiff.core.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.check.custom_functions import FunctionFault
    from autodiff.core.report.kink import Kink
    from autodiff.core.why.saved_constants import SavedConstant

OK, WRONG, KINK, NOT_FINITE, UNDECIDED = "ok", "wrong", "kink", "not finite", "undecided"
#: A formula that was worked out by hand may be right, or right here: a number at the script's values only, a
#: formula on one side of a kink or in one branch. It may also be no formula, or need a line that is none.
RIGHT, RIGHT_HERE, UNREADABLE, NOT_JUDGED = "right", "right here", "cannot be read", "not judged"
#: Rising severity. The verdict on a gradient is the most severe verdict on its entries.
SEVERITY = (OK, UNDECIDED, KINK, NOT_FINITE, WRONG)
LEAVES_DOMAIN, BLURRED, CHANGES = "leaves the domain", "blurred by rounding", "changes"
LOST, IS_INPUT, HIDDEN = (
    "lost beside larger gradients",
    "is an input itself",
    "hidden beside larger gradients",
)
DISAGREE = "the ways of checking disagree"
TOO_LARGE = "the graph is too large"
ROUNDED = "is made of rounding errors"
INFINITE, GROWS_WITHOUT_BOUND = "is infinite", "goes to infinity"
RIGHT_HERE_ONLY = "right for this incoming gradient only"
EQUAL_VALUES = "divides by the difference of equal values"


class GradientCheck(Record):
    """The result of checking one gradient, or with ``order`` 2 the gradient of that gradient.

    ``verdict`` is OK, WRONG, KINK (the slopes on the two sides differ, so no gradient is right), NOT_FINITE
    (nan, or infinite although the differences are finite) or UNDECIDED. The ``reason`` for UNDECIDED is
    LEAVES_DOMAIN (every step leaves the domain), BLURRED (rounding hides the slope), LOST (the gradient is
    off, but so small compared with those on the paths that rounding may explain it), DISAGREE (the complex
    step or Taylor's remainder contradicts the differences), CHANGES (the script computes something else when
    it is run again), INFINITE (the differentiated value is infinite), GROWS_WITHOUT_BOUND (the gradient is
    infinite and the differences grow without bound), IS_INPUT (the output is this input, so there is no rule
    to check), ROUNDED (the rounding of a value in the forward pass can change it by its own size) or
    TOO_LARGE (replaying the graph hundreds of times would take too long). The caller sets WRONG
    with the reason HIDDEN if a custom Function is wrong but the differences do not show it, with the reason
    RIGHT_HERE_ONLY if its ``backward`` is right for the cotangent that it received but not for others, and
    UNDECIDED with EQUAL_VALUES if a second derivative is not finite because eigenvalues or singular values
    are equal.

    ``worst`` is the index of the entry with the most severe verdict and, among those, the largest deviation;
    () for a number. ``expected`` and ``given`` are its value by differences and its gradient; ``difference``
    is their distance relative to the largest entry. ``step`` is the step size used, along the imaginary axis
    if ``is_complex_step``. ``is_decided_by_complex_step`` says that the complex step decided because the
    differences are useless there. ``complex_difference`` is the deviation of the complex step, None if an op
    on the paths is not analytic or the step finds no slope. ``slope`` is the order of Taylor's remainder,
    None if it cannot be measured: because the function has no remainder (``is_linear``) or because rounding
    hides it. ``entries`` of ``size`` entries were stepped one by one, and ``grouped`` entries only
    together with others. ``is_unconnected`` says that no path
    leads from the output to the input.

    ``sides`` are the slopes from below and above at a kink, ``outputs`` the outputs at a jump.
    ``is_shown_by_reruns`` says that runs of the script at neighbouring inputs have shown the kink or jump.
    The caller fills in the rest: ``kinks``, the ops on the paths that are at a kink, whatever the verdict;
    ``ties``, the lines that compare equal numbers; ``fault``, the custom Function that causes the error;
    ``constants``, what custom Functions saved without its graph; ``equal_values``, a sentence on equal
    eigenvalues or singular values if the gradient is not finite; ``cuts``, what is made from the input and
    left the graph, if the gradient is right with that as a constant and may be another with it, and
    ``whole_slope``, the slope of the script with it, None if unknown or not a number. ``second`` is the other
    entry of a wrong second derivative, None if ``given`` and ``expected`` are first derivatives or weighted
    sums.
    """

    name: str
    size: int
    order: int
    entries: int
    verdict: str = OK
    worst: tuple[int, ...] = ()
    difference: float = 0.0
    expected: float = 0.0
    given: float = 0.0
    step: float = 0.0
    complex_difference: float | None = None
    is_decided_by_complex_step: bool = False
    is_complex_step: bool = False
    is_unconnected: bool = False
    slope: float | None = None
    is_linear: bool = False
    sides: tuple[float, float] | None = None
    outputs: tuple[float, float] | None = None
    is_shown_by_reruns: bool = False
    kinks: tuple[Kink, ...] = ()
    ties: tuple[int, ...] = ()
    reason: str = ""
    fault: FunctionFault | None = None
    constants: tuple[SavedConstant, ...] = ()
    equal_values: str = ""
    cuts: tuple[str, ...] = ()
    whole_slope: float | None = None
    second: tuple[int, ...] | None = None
    grouped: int = 0
