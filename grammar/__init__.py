"""The language: scripts are parsed, resolved, compiled to closures and run.commands, cli.requests and grammar.reference.

May import core.base, core.engine, grammar.help.syntax, grammar.interpret, grammar.lints, grammar.objects,
grammar.objects.builtins, grammar.repair, grammar.session, grammar.syntax, grammar.syntax.build,
grammar.syntax.tree and grammar.translate. Imported by cli.commands, cli.requests and grammar.reference.

>>> names = run("w = 3; L = w**2; L.backward()")
>>> names["w"].grad.item()
6.0
"""

from __future__ import annotations

from autodiff.core.base.lazy import Later, services

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.grammar.execution import run

#: What is known above is needed below when something goes wrong, and loads then.
services["calls"] = Later("autodiff.grammar.interpret.calls")
services["foreign syntax"] = Later("autodiff.grammar.help.syntax.foreign")
services["lost target"] = Later("autodiff.grammar.repair.no_target")
services["script errors"] = Later("autodiff.grammar.repair.complete_error")
services["syntax builders"] = Later("autodiff.grammar.syntax.build")
services["syntax diagnosis"] = Later("autodiff.grammar.help.syntax")
services["syntax recovery"] = Later("autodiff.grammar.help.syntax.recovery")
services["token repairs"] = Later("autodiff.grammar.help.syntax.tokens")
services["unknown names"] = Later("autodiff.grammar.repair.unknown_names")

__all__ = ["run"]


def __getattr__(name: str) -> object:
    if name != "run":
        raise AttributeError(f"module 'autodiff.grammar' has no attribute {name!r}")
    from autodiff.grammar.execution import run

    return run
