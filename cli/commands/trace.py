"""``autodiff trace``: shows step by step how values are made and how gradients flow back."""

from __future__ import annotations

import os

from autodiff.cli.requests.session import Session


def command(session: Session) -> None:
    """Play the story of a run on a terminal, or write it as tables or for programs."""
    report = session.report(graph=True, derivations=True, events=True)
    assert report.graph is not None
    assert report.events is not None
    if session.format == "json":
        session.show_json(report, events=True)
    elif session.format in ("csv", "tsv"):
        from autodiff.cli.render.trace_csv import render_csv

        separator = "," if session.format == "csv" else "\t"
        session.show_text(render_csv(report.graph, report.events, separator))
    elif can_play(session):
        from autodiff.cli.render.trace_frame import Frames
        from autodiff.cli.render.trace_story import Story
        from autodiff.cli.requests.player import play

        assert session.script is not None
        frames = Frames(Story(report, session.page()), session.script.source)
        play(session, frames, session.request.number("speed"))
    else:
        from autodiff.cli.render.trace import trace_lines

        session.show(trace_lines(report, session.page()))


def can_play(session: Session) -> bool:
    """Whether the story is played: for people at a terminal that takes escape sequences."""
    is_shown = session.for_people and session.out.color and not session.is_silent
    return is_shown and os.environ.get("TERM", "dumb") not in ("", "dumb")
