"""``autodiff propagate``: the standard deviation of the output, from those of the inputs."""

from __future__ import annotations

from autodiff.cli.requests.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.report.propagation import Propagation


def command(session: Session) -> None:
    """Print value and deviation in a pipe, and the share of every input on a terminal."""
    from autodiff.cli.render import propagation
    from autodiff.cli.requests.propagate import make_propagation

    def show(found: Propagation) -> None:
        session.show_result(
            json=lambda: session.show_numbers(found.report, propagation.propagation_numbers(found)),
            lines=lambda page: propagation.propagation_lines(found, page),
            records=lambda: propagation.propagation_records(found),
            text=lambda: propagation.bare_propagation(found),
        )

    found = make_propagation(session, show)
    show(found)
    drawn = found.monte_carlo
    is_shown = session.for_people or session.format in ("json", "table")
    if drawn is not None and not is_shown:
        for at in range(len(found.sigma)):
            session.note(propagation.spell_draws(drawn, at, session.request.digits))
