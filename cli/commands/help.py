"""``autodiff help``: topics and error codes."""

from __future__ import annotations

from autodiff.cli.requests.session import Session


def command(session: Session) -> None:
    """Explain a topic, a command or an error code; without one, list the topics."""
    from autodiff.cli.commands.help_topics import find_topic

    session.show_text(find_topic(session.request.argument, session.out.width))
