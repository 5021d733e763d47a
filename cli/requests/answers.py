"""What ``check`` found: the checks of gradients, or the results for derivatives worked out by hand."""

from __future__ import annotations

from autodiff.cli.requests.make_report import notes_on_losses
from autodiff.core.report.verdict import KINK, NOT_FINITE, NOT_JUDGED, UNDECIDED, UNREADABLE, WRONG
from autodiff.grammar.repair.noted_cuts import noted_cuts, notes_on_counting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.cli.command_line.fast_parser import Request
    from autodiff.cli.requests.session import Session
    from autodiff.core.base.errors import UsageError
    from autodiff.core.report.cause import Cause
    from autodiff.core.report.records import Derivation, ReportedPass
    from autodiff.core.report.verdict import GradientCheck
    from autodiff.grammar.by_hand.check import HandCheck
    from autodiff.grammar.repair.noted_cuts import NotedCut
    from autodiff.grammar.session.run import Execution

#: Larger graphs are not replayed a few hundred times, unless --all asks for it.
MOST_REPLAYED = 50_000


class Answers:
    """The results of ``check``: ``checks`` with ``derivations``, or ``formulas``; ``notes`` apply to all.

    ``output`` is what is differentiated, of formulas about several outputs the first. ``output_lines`` has
    the line of each output that formulas are about, where it is known.
    """

    __slots__ = ("checks", "derivations", "formulas", "notes", "order", "output", "output_lines", "script")

    def __init__(self, script: str, output: str, order: int) -> None:
        self.script = script
        self.output = output
        self.order = order
        self.checks: list[GradientCheck] = []
        self.derivations: dict[str, Derivation] = {}
        self.formulas: list[HandCheck] = []
        self.output_lines: dict[str, int] = {}
        self.notes: tuple[str, ...] = ()

    @property
    def is_right(self) -> bool | None:
        """False if something is wrong, None if nothing is wrong but not everything was decided."""
        if self.count(WRONG, NOT_FINITE):
            return False
        return None if self.count(KINK, UNDECIDED, UNREADABLE, NOT_JUDGED) else True

    def count(self, *verdicts: str) -> int:
        """The number of gradients and formulas with one of these verdicts."""
        found = [check.verdict for check in self.checks] + [formula.verdict for formula in self.formulas]
        return sum(verdict in verdicts for verdict in found)

    def cause_of(self, check: GradientCheck) -> Cause | None:
        """Why a gradient is not finite, if that is known."""
        derivation = self.derivations.get(check.name)
        if check.verdict != NOT_FINITE or derivation is None:
            return None
        return next(iter(derivation.causes), None)

    @property
    def open_questions(self) -> int:
        """The number of gradients and formulas that are neither right nor wrong."""
        return self.count(KINK, UNDECIDED)

    @property
    def errors(self) -> list[UsageError]:
        """The errors about formulas that cannot be read, each once."""
        found = {one.error.message: one.error for one in self.formulas if one.error is not None}
        return list(found.values())

    def enter_notes(self, session: Session, execution: Execution, subject: ReportedPass) -> list[NotedCut]:
        """Enter and show what is remarked on a pass; return what left its graph on the way to the output."""
        cuts = list(noted_cuts(execution, subject))
        found = (*subject.notes, *notes_on_counting(execution, subject), *notes_on_losses(execution, subject))
        found += tuple(cut.note for cut in cuts)
        new = [note for note in dict.fromkeys(found) if note not in self.notes]
        for note in new:
            session.note(note)
        self.notes += tuple(new)
        return cuts


def is_too_large(request: Request, subject: ReportedPass) -> bool:
    """Whether a graph is too large to be replayed."""
    return subject.exceeds(MOST_REPLAYED) and not request.values.get("all")
