"""One module per command: it reads options, calls one function and passes the report to a renderer.

May import cli.codes, cli.command_line, cli.pictures, cli.process, cli.render, cli.requests, core.base,
grammar, grammar.help, grammar.reference and grammar.session. Imported by cli.
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import LazyModule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from autodiff.cli.requests.session import Session

#: The module of each command, imported when the command is called; its function ``command`` does the work.
MODULES = {
    "run": LazyModule("autodiff.cli.commands.run"),
    "grad": LazyModule("autodiff.cli.commands.grad"),
    "jacobian": LazyModule("autodiff.cli.commands.jacobian"),
    "hessian": LazyModule("autodiff.cli.commands.hessian"),
    "jvp": LazyModule("autodiff.cli.commands.jvp"),
    "hvp": LazyModule("autodiff.cli.commands.hvp"),
    "propagate": LazyModule("autodiff.cli.commands.propagate"),
    "minimize": LazyModule("autodiff.cli.commands.minimize"),
    "diff": LazyModule("autodiff.cli.commands.diff"),
    "explain": LazyModule("autodiff.cli.commands.explain"),
    "graph": LazyModule("autodiff.cli.commands.graph"),
    "trace": LazyModule("autodiff.cli.commands.trace"),
    "plot": LazyModule("autodiff.cli.commands.plot"),
    "check": LazyModule("autodiff.cli.commands.check"),
    "lint": LazyModule("autodiff.cli.commands.lint"),
    "watch": LazyModule("autodiff.cli.commands.watch"),
    "ops": LazyModule("autodiff.cli.commands.ops"),
    "completion": LazyModule("autodiff.cli.commands.completion"),
    "examples": LazyModule("autodiff.cli.commands.examples"),
    "version": LazyModule("autodiff.cli.commands.version"),
    "help": LazyModule("autodiff.cli.commands.help"),
}


def command(name: str) -> Callable[[Session], int | None]:
    """The function of a command; it returns an exit code or None."""
    run: Callable[[Session], int | None] = MODULES[name].command
    return run
