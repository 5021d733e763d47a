"""The language: scripts are parsed, resolved, compiled to closures and run.

>>> names = run("w = 3; L = w**2; L.backward()")
>>> names["w"].grad.item()
6.0
"""

# At once rather than on demand: the module `run` would otherwise hide the function of that name.
from autodiff.grammar.session.run import run

__all__ = ["run"]
