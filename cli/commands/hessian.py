"""``autodiff hessian``: the second derivatives of the output by every pair of entries of the inputs."""

from __future__ import annotations

from autodiff.cli.commands.jacobian import show_matrix
from autodiff.cli.requests.session import Session


def command(session: Session) -> None:
    """Print the matrix: bare rows in a pipe, a table with names on a terminal."""
    from autodiff.cli.requests.derivatives import make_hessian

    show_matrix(session, make_hessian(session), "hessian")
