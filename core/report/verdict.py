"""What was found about a gradient that was put to the test."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.check.custom_functions import FunctionFault
    from autodiff.core.why.kinks import Kink

OK, WRONG, KINK, NOT_FINITE, UNDECIDED = "ok", "wrong", "kink", "not finite", "undecided"
#: The verdict on an entry that stands for the whole gradient is the last of these.
ORDER = (OK, UNDECIDED, KINK, NOT_FINITE, WRONG)
LEAVES, BLURRED, CHANGES = "leaves the domain", "blurred by rounding", "changes"
LOST, INPUT, HIDDEN = "lost beside larger gradients", "is an input itself", "hidden beside larger gradients"
DISAGREE = "the ways of checking disagree"
INFINITE, ENDLESS = "is infinite", "goes to infinity"


class Check:
    """What was found about one gradient, or its gradient in turn: ``order`` 2.

    ``verdict`` is OK, WRONG, KINK (the slopes from the two sides differ, no gradient is right), NOT_FINITE
    or UNDECIDED, for the ``reason`` given: LEAVES (every step leaves the domain), BLURRED (rounding hides the
    slope), LOST (it is off, but so small beside those on the way that rounding may be all there is of it),
    DISAGREE (the complex step or Taylor's remainder says no where the differences say yes),
    CHANGES (the script comes to something else when it is run again), INFINITE (what is differentiated is
    infinite), ENDLESS (the gradient is, and the differences grow without end) or INPUT (the output is this
    input, so there is no rule to check). NOT_FINITE is nan, or an infinity where the differences are none.
    The caller makes WRONG what a Function has made so, though HIDDEN from the
    differences. ``worst`` is the entry
    furthest from the differences, () for a number; ``difference`` how far it is, relative to the largest
    entry; ``is_by_plane`` where the complex step has decided because differences are of no use there.
    ``expected`` and ``given`` are its two values, ``step`` the step believed, along the imaginary axis
    where ``is_complex``. ``complex_difference`` is the difference of the complex step, None where an op on
    the way is not analytic, or the step finds no slope.
    ``slope`` is the order of Taylor's remainder, None where there is none to measure: ``is_linear`` where the
    function has none, else rounding hides it.
    ``sides`` are the slopes from below and above at a kink, ``outputs`` the outputs at a jump; ``kinks``,
    which a caller who knows the script's names fills in, are the ops on the way that sit on one, whatever
    the verdict. ``leaps`` says that runs of the script beside this one have shown it, and ``ties``, which
    the caller fills in, are the lines that compare equal numbers. ``fault``, filled in by the caller too, is
    a Function of the script that is to blame. ``entries`` of ``size`` were stepped one by one.
    ``is_unconnected`` where nothing leads from the output to the input.
    """

    __slots__ = (
        *("complex_difference", "difference", "entries", "expected", "fault", "given", "is_by_plane"),
        *("is_complex", "is_linear", "is_unconnected", "kinks", "leaps", "name", "order", "outputs"),
        *("reason", "sides", "size", "slope", "step", "ties", "verdict", "worst"),
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
        self.is_by_plane = self.is_complex = False
        self.is_unconnected = False
        self.slope: float | None = None
        self.is_linear = False
        self.sides: tuple[float, float] | None = None
        self.outputs: tuple[float, float] | None = None
        self.leaps = False
        self.kinks: tuple[Kink, ...] = ()
        self.ties: tuple[int, ...] = ()
        self.reason = ""
        self.fault: FunctionFault | None = None
        self.entries = size
