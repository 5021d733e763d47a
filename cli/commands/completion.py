"""``autodiff completion``: prints the script that a shell reads to complete command lines."""

from __future__ import annotations

from autodiff.cli.requests.session import Session
from autodiff.core.base.errors import UsageError


def command(session: Session) -> None:
    """Print the script of one shell."""
    from autodiff.cli.command_line.click_parser import build_group
    from autodiff.cli.command_line.completion import SHELLS, completion_script

    shell = session.request.argument
    if shell not in SHELLS:
        known = ", ".join(SHELLS)
        raise UsageError(
            f"completion takes one of {known}, not `{shell}`" if shell else f"which shell: {known}?",
            code="E0610",
            help=("for bash, put this into ~/.bashrc:  source <(autodiff completion bash)",),
        )
    session.show_text(completion_script(shell, build_group()).strip("\n") + "\n")
