"""``autodiff hvp``: the Hessian of the output times a vector."""

from __future__ import annotations

from autodiff.cli.commands.jvp import command

__all__ = ["command"]
