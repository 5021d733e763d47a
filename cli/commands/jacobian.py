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

    documents = {"latex": matrices.latex_matrix, "markdown": matrices.markdown_matrix}
    if session.format in documents:
        session.show_text(documents[session.format](found, session.request.digits))
        return
    session.show_result(
        json=lambda: session.show_numbers(found.report, {key: matrices.blocks(found)}),
        lines=lambda page: matrices.matrix_lines(found, page),
        records=lambda: matrices.matrix_records(found),
        text=lambda: matrices.bare_matrix(found),
    )


TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.report.derivative_matrix import DerivativeMatrix
