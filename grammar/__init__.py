"""The language: scripts are parsed, resolved, compiled to closures and run.

May import core.base, core.engine, grammar.help.syntax, grammar.interpret, grammar.lints, grammar.objects,
grammar.repair, grammar.session, grammar.syntax, grammar.syntax.build, grammar.syntax.tree and
grammar.translate. Imported by cli.command_line, cli.commands, cli.requests and grammar.reference.

>>> from autodiff.grammar import run
>>> names = run("w = 3; L = w**2; L.backward()")
>>> names["w"].grad.item()
6.0
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import LazyModule, services

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.grammar.execution import run

#: What is known above is needed below when something goes wrong, and loads then.
services["bytes of numpy"] = LazyModule("autodiff.grammar.objects.numpy_bytes")
services["calls"] = LazyModule("autodiff.grammar.interpret.calls")
services["foreign syntax"] = LazyModule("autodiff.grammar.help.syntax.foreign")
services["lost target"] = LazyModule("autodiff.grammar.repair.missing_target")
services["script errors"] = LazyModule("autodiff.grammar.repair.complete_error")
services["syntax builders"] = LazyModule("autodiff.grammar.syntax.build")
services["syntax diagnosis"] = LazyModule("autodiff.grammar.help.syntax")
services["syntax recovery"] = LazyModule("autodiff.grammar.help.syntax.recovery")
services["token repairs"] = LazyModule("autodiff.grammar.help.syntax.tokens")
services["unknown names"] = LazyModule("autodiff.grammar.repair.unknown_names")

__all__ = ["run"]


def __getattr__(name: str) -> object:
    if name != "run":
        raise AttributeError(f"module 'autodiff.grammar' has no attribute {name!r}")
    from autodiff.grammar.execution import run

    return run
