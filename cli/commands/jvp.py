"""``autodiff jvp``: the Jacobian times a vector, the derivative of the output in a direction."""

from __future__ import annotations

from autodiff.cli.requests.session import Session


def command(session: Session) -> None:
    """Print the product of ``jvp``, or of ``hvp``: bare numbers in a pipe, a table on a terminal."""
    from autodiff.cli.render.bare import bare_text
    from autodiff.cli.render.matrices import product_records, record_lines
    from autodiff.cli.requests.derivatives import make_product

    report, parts = make_product(session)
    name = session.request.command
    session.show_result(
        json=lambda: session.show_numbers(report, {name: {part.name: part.grad for part in parts}}),
        lines=lambda page: record_lines(product_records(parts, name), page),
        records=lambda: product_records(parts, name),
        text=lambda: bare_text(parts),
    )
