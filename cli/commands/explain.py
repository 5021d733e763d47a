"""``autodiff explain``: derives a gradient path by path."""

from __future__ import annotations

from autodiff.cli.requests.session import Session


def command(session: Session) -> None:
    """Derive gradients in five steps; ``--format formula`` prints only the simplified formula.

    ``equation`` is that formula in LaTeX; ``latex`` and ``markdown`` are standalone documents.
    """
    order = session.request.number("order")
    report = session.report(derivations=True, order=order, events=session.format == "json")
    if session.format == "json":
        session.show_json(report)
        return
    from autodiff.cli.render.reports import explain_lines, formula_text

    if session.format == "formula":
        session.show_text(formula_text(report))
    elif session.format == "equation":
        from autodiff.cli.render.latex import equation_text

        session.show_text(equation_text(report))
    elif session.format == "latex":
        from autodiff.cli.render.latex import latex_document

        session.show_text(latex_document(report, session.page()))
    elif session.format == "markdown":
        from autodiff.cli.render.markdown import markdown_document

        session.show_text(markdown_document(report, session.page()))
    elif report.gradients and not report.derivations:  # the graph is too large, as a note says
        from autodiff.cli.render.gradients import gradient_lines

        session.show(gradient_lines(report, session.page()))
    else:
        session.show(explain_lines(report, session.page(), bool(session.request.texts("wrt"))))
