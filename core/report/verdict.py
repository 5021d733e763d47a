"""The result of checking a gradient with ``core/check``, as plain data."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.check.custom_functions import FunctionFault, SavedConstant
    from autodiff.core.report.kink import Kink

OK, WRONG, KINK, NOT_FINITE, UNDECIDED = "ok", "wrong", "kink", "not finite", "undecided"
#: Rising severity. The verdict on a gradient is the most severe verdict on its entries.
SEVERITY = (OK, UNDECIDED, KINK, NOT_FINITE, WRONG)
LEAVES_DOMAIN, BLURRED, CHANGES = "leaves the domain", "blurred by rounding", "changes"
LOST, IS_INPUT, HIDDEN = (
    "lost beside larger gradients",
    "is an input itself",
    "hidden beside larger gradients",
)
DISAGREE = "the ways of checking disagree"
INFINITE, GROWS_WITHOUT_BOUND = "is infinite", "goes to infinity"


class GradientCheck:
    """The result of checking one gradient, or with ``order`` 2 the gradient of that gradient.

    ``verdict`` is OK, WRONG, KINK (the slopes on the two sides differ, so no gradient is right), NOT_FINITE
    (nan, or infinite although the differences are finite) or UNDECIDED. The ``reason`` for UNDECIDED is
    LEAVES (every step leaves the domain), BLURRED (rounding hides the slope), LOST (the gradient is off, but
    so small compared with those on the paths that rounding may explain it), DISAGREE (the complex step or
    Taylor's remainder contradicts the differences), CHANGES (the script computes something else when it is
    run again), INFINITE (the differentiated value is infinite), ENDLESS (the gradient is infinite and the
    differences grow without bound) or INPUT (the output is this input, so there is no rule to check).
    The caller sets WRONG with the reason HIDDEN if a custom Function is wrong but the differences do not
    show it.

    ``worst`` is the index of the entry with the most severe verdict and, among those, the largest deviation;
    () for a number. ``expected`` and ``given`` are its value by differences and its gradient; ``difference``
    is their distance relative to the largest entry. ``step`` is the step size used, along the imaginary axis
    if ``is_complex_step``. ``is_decided_by_complex_step`` says that the complex step decided because the
    differences are useless there. ``complex_difference`` is the deviation of the complex step, None if an op
    on the paths is not analytic or the step finds no slope. ``slope`` is the order of Taylor's remainder,
    None if it cannot be measured: because the function has no remainder (``is_linear``) or because rounding
    hides it. ``entries`` of ``size`` entries were stepped one by one. ``is_unconnected`` says that no path
    leads from the output to the input.

    ``sides`` are the slopes from below and above at a kink, ``outputs`` the outputs at a jump.
    ``is_shown_by_reruns`` says that runs of the script at neighbouring inputs have shown the kink or jump.
    The caller fills in the rest: ``kinks``, the ops on the paths that are at a kink, whatever the verdict;
    ``ties``, the lines that compare equal numbers; ``fault``, the custom Function that causes the error;
    ``constants``, what custom Functions saved without its graph. ``second`` is the other entry of a wrong
    second derivative, None if ``given`` and ``expected`` are first derivatives or weighted sums.
    """

    __slots__ = (
        *(
            "complex_difference",
            "difference",
            "entries",
            "expected",
            "fault",
            "given",
            "is_decided_by_complex_step",
        ),
        *(
            "is_complex_step",
            "is_linear",
            "is_unconnected",
            "kinks",
            "is_shown_by_reruns",
            "name",
            "order",
            "outputs",
        ),
        *("constants", "reason", "second", "sides", "size", "slope", "step", "ties", "verdict", "worst"),
    )

    def __init__(self, name: str, size: int, order: int) -> None:
        self.name = name
        self.order = order
        self.size = size
        self.verdict = OK
        self.worst: tuple[int, ...] = ()
        self.difference = 0.0
        self.expected = 0.0
        self.given = 0.0
        self.step = 0.0
        self.complex_difference: float | None = None
        self.is_decided_by_complex_step = self.is_complex_step = False
        self.is_unconnected = False
        self.slope: float | None = None
        self.is_linear = False
        self.sides: tuple[float, float] | None = None
        self.outputs: tuple[float, float] | None = None
        self.is_shown_by_reruns = False
        self.kinks: tuple[Kink, ...] = ()
        self.ties: tuple[int, ...] = ()
        self.reason = ""
        self.fault: FunctionFault | None = None
        self.constants: tuple[SavedConstant, ...] = ()
        self.second: tuple[int, ...] | None = None
        self.entries = size
