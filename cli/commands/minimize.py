"""``autodiff minimize``: the inputs at which the output is least, with their standard errors."""

from __future__ import annotations

from autodiff.cli.process.exit_codes import NO, OK
from autodiff.cli.requests.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.report.minimum import Minimum


def command(session: Session) -> int:
    """Print names, values and standard errors; the exit code is 1 if the search has not converged."""
    from autodiff.cli.render import minimum
    from autodiff.cli.requests.minimize import make_minimum

    def show(found: Minimum) -> None:
        session.show_result(
            json=lambda: session.show_numbers(found.report, minimum.minimum_numbers(found)),
            lines=lambda page: minimum.minimum_lines(found, page),
            records=lambda: minimum.minimum_records(found),
            text=lambda: minimum.bare_minimum(found),
        )

    found = make_minimum(session, show)
    show(found)
    return OK if found.has_converged else NO
