"""``autodiff propagate``: the standard deviation of the output, from those of the inputs."""

from __future__ import annotations

from autodiff.cli.requests.session import Session


def command(session: Session) -> None:
    """Print value and deviation in a pipe, and the share of every input on a terminal."""
    from autodiff.cli.render import propagation
    from autodiff.cli.requests.propagate import make_propagation

    found = make_propagation(session)
    if session.format == "json":
        session.show_numbers(found.report, propagation.propagation_numbers(found))
    elif session.for_people or session.format == "table":
        session.show(propagation.propagation_lines(found, session.page()))
    elif session.format not in ("auto", "plain"):
        session.show_records(propagation.propagation_records(found))
    else:
        session.show_text(propagation.bare_propagation(found))
        drawn = found.monte_carlo
        if drawn is not None:
            for at in range(len(found.sigma)):
                session.note(propagation.spell_draws(drawn, at, session.request.digits))
