"""The formula for programs on samples of every function: it runs and gives the gradient, or is refused."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.core.engine.tensor import Tensor
from autodiff.core.paths.node_names import NodeNames
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.run import Settings, differentiate
from formula_evaluator import value_in_language, variables_of
from ops.engines import flat, with_prelude
from ops.operands import Operand, read
from ops.table import FAMILIES, samples_of
from seeds import MORE

#: So many samples of a function, and besides them each so manyth of those of special values.
MOST_SAMPLES, STRIDE = (4, 1) if MORE >= 1 else (1, 6)
#: What a formula is refused for that divides 0 by 0 where backward takes a limit.
UNDEFINED = "undefined at these values"
#: How many formulas are refused, and at which part; no other family refuses any.
REFUSED: dict[str, dict[str, int]] = {
    "arithmetic": {UNDEFINED: 1},
    "convolution": {"fold": 4, "unfold": 12},
    "extremes": {UNDEFINED: 2},
    "incomplete": {"betainc_by_shape": 8, "gammainc_by_shape": 8},
    "linalg": {UNDEFINED: 8},
    "losses": {"ctc_slope": 16},
    "normalization": {"unfold": 1},
    "pooling": {"fold": 8, "unfold": 4},
    "reduction": {UNDEFINED: 14},
    "scattering": {"scatter_reduce": 72},
    "spreads": {UNDEFINED: 2},
    "transcendental": {UNDEFINED: 2},
}


def leaf_text(operand: Operand) -> str:
    """The operand as a line of a script has it."""
    x = operand.array
    made = f"torch.tensor({x.tolist()}, dtype=torch.{x.dtype})" if x.size else f"torch.zeros({x.shape})"
    return f"{made}.requires_grad_()" if operand.is_leaf else made


def script_of(text: str) -> str | None:
    """A weighed sum of the first output that has a gradient; None where there is none."""
    call = read(text)
    lines = [f"{x} = {leaf_text(y)}" for x, y in zip(call.names.split(", "), call.operands, strict=False)]
    lines.append(f"made = {call.expression}")
    try:
        source = Source(with_prelude("\n".join(lines)), "s.ad")
        made = execute(source, Settings(), discard_text, discard_warning).names["made"]
    except AutodiffError:  # a sample of what is refused
        return None
    outputs = flat(made)
    at = next((i for i, x in enumerate(outputs) if isinstance(x, Tensor) and x.requires_grad), None)
    if at is None:
        return None
    shape = outputs[at].shape
    lines.append(f"out = made{'' if outputs[at] is made else f'[{at}]'}")
    lines.append(f"weight = torch.cos(1 + torch.arange({int(np.prod(shape))}.)).reshape({shape})")
    return with_prelude("\n".join([*lines, "L = (out*weight).sum()"]))


def formulas_of(text: str) -> list[tuple[str, str]]:
    """The formulas that are wrong and what they give, and the parts at which others are refused.

    Those that are right are empty.
    """
    script = script_of(text)
    if script is None:
        return []
    source = Source(script, "s.ad")
    subject = differentiate(execute(source, Settings(), discard_text, discard_warning), Settings())
    report = describe(subject, source, graph=False, max_paths=20, top=3)
    variables = variables_of(subject, NodeNames(subject.order, source))
    found = []
    for derivation in report.derivations:
        formula = derivation.complete
        if formula.missing:
            found.append(("", formula.missing))
            continue
        gradient = np.asarray(derivation.backward, dtype=float)
        try:
            value = np.broadcast_to(value_in_language(formula.text, variables), gradient.shape)
        except (AutodiffError, ValueError) as error:
            found.append((formula.text, str(error)))
            continue
        at = np.isfinite(gradient)
        close = np.allclose(value[at], gradient[at], rtol=1e-9, atol=1e-9)
        found.append(("", "") if close else (formula.text, f"{value} and not {gradient}"))
    return found


def chosen(texts: list[str]) -> list[str]:
    """Samples in double precision: the first ones, and some or all whose values are written out."""
    texts = [text for text in texts if " f4" not in text]
    return texts[:MOST_SAMPLES] + [text for text in texts[MOST_SAMPLES:] if "{=" in text][::STRIDE]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_formula_runs_or_is_refused(family: str) -> None:
    refused: Counter[str] = Counter()
    wrong: list[tuple[str, str, str]] = []
    count = 0
    for texts in samples_of(family).values():
        for text in chosen(texts):
            with np.errstate(all="ignore"):
                found = formulas_of(text)
            count += len(found)
            wrong += [(text, *one) for one in found if one[0]]
            parts = [says for formula, says in found if says and not formula]
            refused.update(part if part.isidentifier() else UNDEFINED for part in parts)
    assert not wrong, f"{len(wrong)} of {count}: {wrong[:5]}"
    expected = Counter(REFUSED.get(family, {}))
    assert refused == expected if MORE >= 1 else refused <= expected
