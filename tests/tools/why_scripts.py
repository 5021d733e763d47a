"""What is said of the gradient of a script's first leaf, for the tests of causes, words and repairs."""

from __future__ import annotations

from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.core.report.records import Derivation
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.repair.gradient_remedies import add_remedies
from autodiff.grammar.session.run import Settings, differentiate

LEAF = "x = torch.tensor({}, requires_grad=True)\n"
LOOP = """for i in range(8):
    w.grad = None
    loss = {}
    loss.backward()
    with torch.no_grad():
        {}
"""


def derivation_of(text: str, name: str, of: str | None = None) -> Derivation:
    """The derivation for the first leaf of a script, with the repairs of its causes."""
    settings = Settings()
    source = Source(text, name)
    execution = execute(source, settings, discard_text, discard_warning)
    leaf = next(n for n, value in execution.names.items() if getattr(value, "is_leaf", False))
    settings = Settings(wrt=[leaf], of=of)
    execution = execute(source, settings, discard_text, discard_warning)
    report = describe(differentiate(execution, settings), source, graph=False)
    add_remedies(report, execution, settings)
    [derivation] = report.derivations
    return derivation


def causes(text: str) -> list[str]:
    """Line and words of every cause of a script."""
    return [f"{cause.line}: {cause.text}" for cause in derivation_of(text, "script.ad").causes]


def repairs(text: str) -> list[str]:
    """What every repair of a script's causes is called."""
    return [fix.text for cause in derivation_of(text, "script.ad").causes for fix in cause.repairs]
