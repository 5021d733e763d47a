"""``autodiff jacobian``: the derivatives of every entry of the output by every entry of the inputs."""

from __future__ import annotations

from autodiff.cli.requests.session import Session


def command(session: Session) -> None:
    """Print the matrix: bare rows in a pipe, a table with names on a terminal."""
    from autodiff.cli.requests.derivatives import make_jacobian

    show_matrix(session, make_jacobian(session), "jacobian")


def show_matrix(session: Session, found: DerivativeMatrix, key: str) -> None:
    """Write a matrix of derivatives; ``key`` is that of its blocks in JSON."""
    from autodiff.cli.render import matrices

    if session.format == "json":
        session.show_numbers(found.report, {key: matrices.blocks(found)})
    elif session.for_people or session.format == "table":
        session.show(matrices.matrix_lines(found, session.page()))
    elif session.format not in ("auto", "plain"):
        session.show_records(matrices.matrix_records(found))
    else:
        session.show_text(matrices.bare_matrix(found))


TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.report.derivative_matrix import DerivativeMatrix
