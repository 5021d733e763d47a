"""Runs a script in this process and catches what it prints, warns of and fails with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings

#: The first line of a script that chooses float64: float32 means another type then, as in PyTorch.
CHOOSES_DOUBLE = "torch.set_default_dtype(torch.float64)\n"


@dataclass
class Outcome:
    """What a run left behind; ``error`` is set instead of raised."""

    stdout: str = ""
    warnings: list[str] = field(default_factory=list)
    names: dict[str, Any] = field(default_factory=dict)
    error: AutodiffError | None = None
    execution: Any = None


def run_script(text: str, *, dtype: str = "float64", seed: int = 0) -> Outcome:
    """Run ``text`` as ``autodiff run`` would, without a command line's wishes."""
    outcome = Outcome()
    written: list[str] = []
    settings = Settings(dtype=dtype, seed=seed)
    try:
        outcome.execution = execute(
            Source(text), settings, written.append, lambda message, span: outcome.warnings.append(message)
        )
        outcome.names = outcome.execution.names
    except AutodiffError as error:
        outcome.error = error
    outcome.stdout = "".join(written)
    return outcome


def printed(text: str, **options: Any) -> str:
    """What a script prints; its error, if it has one, is raised."""
    outcome = run_script(text, **options)
    if outcome.error is not None:
        raise outcome.error
    return outcome.stdout
