"""The language: scripts are parsed, resolved, compiled to closures and run.

>>> names = run("w = 3; L = w**2; L.backward()")
>>> names["w"].grad.item()
6.0
"""

# Not imported on demand: the module `run` would hide the function of the same name.
from autodiff.grammar.session.run import run

__all__ = ["run"]
