"""``autodiff plot``: draws the output over an input with its slope, or a loop's values over its steps."""

from __future__ import annotations

from autodiff.cli.requests.session import Session


def command(session: Session) -> int:
    """Draw a chart on a terminal, write numbers in a pipe, or a picture."""
    from autodiff.cli.render import curve as numbers
    from autodiff.cli.requests.curve import make_curve

    is_chart = session.format == "chart" or session.for_people
    is_drawn = is_chart or session.format in ("svg", "png")
    curve, status = make_curve(session, is_drawn)
    if is_drawn:
        from autodiff.cli.pictures.axes import note_of_range

        for note in note_of_range(curve):
            session.note(note)
    if session.format in ("svg", "png"):
        from autodiff.cli.pictures.curve_picture import draw_curve

        session.show_made(draw_curve(curve, session.format, session.request.digits))
    elif is_chart:
        from autodiff.cli.pictures.chart import chart_lines

        session.show(chart_lines(curve, session.page(), session.out.height))
    elif session.format == "json":
        session.show_curve(numbers.curve_numbers(curve))
    elif session.format in ("auto", "plain"):
        session.show_text(numbers.bare_curve(curve))
    else:
        session.show_records(numbers.curve_records(curve))
    return status
