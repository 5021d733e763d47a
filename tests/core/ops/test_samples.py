"""Every public function on its samples: against torch, what torch said, and finite differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from ops import facts, stand_ins
from ops.engines import (
    Answers,
    Run,
    ask_autodiff,
    ask_torch,
    check_same,
    compiled,
    compiled_by_torch,
)
from ops.operands import Call, read
from ops.slopes import check_slopes
from ops.table import FAMILIES, every, family_of
from seeds import MORE

#: Functions whose samples torch answers less exactly than its type allows, and how exactly it does.
LOOSE = {
    "F.hardsigmoid": 1e-7,  # its gradient is multiplied by 1/6 in single precision
    # torch's second derivative of lgamma, which the stand-ins have, is good to 7 digits or so.
    **dict.fromkeys(("special.gammainc", "special.gammaincc", "special.betainc"), 5e-7),
}

#: Samples of no entries or of one, whose second gradient is 0/0 here and was never asked for in torch.
UNDEFINED_SECOND = {
    "torch.var({()})",
    "torch.var({()}, 0)",
    "torch.var_mean({()})",
    "torch.var_mean({()}, 0)",
}

#: Samples whose gradient is, as in torch, not the slope of their value; by what the text contains.
NO_SLOPE = {
    "cholesky": "of a symmetric matrix or a triangle one half is read, and the gradient is that of both",
    "hermitian": "the same",
    "eps=1.0, reduction": "a variance below eps is raised to it unseen by the gradient",
    "padding_idx": "rows at this index take no gradient",
    "hard=True": "the gradient of a choice is that of the probabilities it is made by",
    ", 1, True)][1]": "the same",
}


def is_random(text: str) -> bool:
    """Whether the numbers drawn decide, which are not those of torch."""
    return "seeded(" in text


def is_single(call: Call) -> bool:
    return any(x.array.dtype == np.float32 for x in call.operands)


def asked(text: str, function: Any, call: Call) -> Answers:
    """Our answers, without those that nobody has."""
    answers = ask_autodiff(function, call)
    return answers._replace(second=[]) if text in UNDEFINED_SECOND else answers


def asked_of_torch(text: str, function: Any, call: Call) -> Answers:
    """torch's answers, or those of its stand-in, without those that nobody has."""
    answers = ask_torch(function, call)
    answers = answers._replace(names=stand_ins.names_of(text, call) or answers.names)
    return answers._replace(second=[]) if text in UNDEFINED_SECOND else answers


def collect(name: str, check: Callable[[str, Call, Any], None], texts: list[str]) -> None:
    """Run ``check(text, call, function)`` for every sample and say of all that fail which and why."""
    failures = []
    for text, function in zip(texts, compiled(texts), strict=True):
        try:
            check(text, read(text), function)
        except Exception as error:
            failures.append(f"{text}\n    {type(error).__name__}: {getattr(error, 'message', error)}")
    assert not failures, f"{len(failures)} of {len(texts)} samples of {name}\n" + "\n".join(failures)


@pytest.mark.parametrize("name", sorted(every()))
def test_gradients_are_slopes_and_values_what_torch_said(name: str, update_golden: bool) -> None:
    known = None if update_golden or name.endswith("_") else facts.facts_of(family_of(name))
    # A usual run asks every other sample, and for the slopes of an eighth: torch's answer has been compared.
    step, step_of_slopes = (1, 1) if MORE >= 1 else (2, 8)
    with_slopes = set(every()[name][::step_of_slopes])

    def check(text: str, call: Call, function: Any) -> None:
        answers = asked(text, function, call)
        is_known = known is not None and not is_random(text)
        if is_known:
            facts.check_fact(answers, known[facts.key_of(text)], is_single(call))
        has_slope = not any(part in text for part in NO_SLOPE) and text not in UNDEFINED_SECOND
        if has_slope and (text in with_slopes or not is_known):
            check_slopes(function, call, answers)

    collect(name, check, every()[name][::step])


@pytest.mark.oracle
@pytest.mark.parametrize("family", FAMILIES)
def test_as_torch(family: str, update_golden: bool) -> None:
    from ops.table import samples_of

    kept = facts.facts_of(family)
    said = {}
    failures = []
    for name, texts in samples_of(family).items():
        for text, ours, theirs in zip(texts, compiled(texts), compiled_by_torch(texts), strict=True):
            call = read(text)
            answers = asked_of_torch(text, theirs, call)
            key = facts.key_of(text)
            said[key] = facts.kept_or_new(answers, kept.get(key), is_single(call))
            try:
                if is_random(text):
                    check_random(asked(text, ours, call), answers)
                else:
                    check_same(asked(text, ours, call), answers, is_single(call), LOOSE.get(name, 1e-9))
            except Exception as error:
                failures.append(f"{text}\n    {type(error).__name__}: {getattr(error, 'message', error)}")
    assert not failures, f"{len(failures)} samples\n" + "\n".join(failures)
    if update_golden:
        facts.write(family, said)
    else:
        assert kept.keys() == said.keys(), "run pytest tests/core/ops --update-golden"


@pytest.mark.oracle
def test_in_place_as_torch() -> None:
    failures = []
    for name, texts in every().items():
        if not name.endswith("_"):
            continue
        for text, ours, theirs in zip(texts, compiled(texts), compiled_by_torch(texts), strict=True):
            call = read(text)
            try:
                check_same(
                    ask_autodiff(ours, call), ask_torch(theirs, call), is_single(call), LOOSE.get(name, 1e-9)
                )
            except Exception as error:
                failures.append(f"{text}\n    {type(error).__name__}: {getattr(error, 'message', error)}")
    assert not failures, f"{len(failures)} samples\n" + "\n".join(failures)


def check_random(mine: Answers, theirs: Answers) -> None:
    """Other numbers are drawn, but shapes, types and names are the same."""
    assert mine.names == theirs.names
    for x, y in zip(mine.values + mine.first, theirs.values + theirs.first, strict=True):
        assert (x.shape, x.dtype) == (y.shape, y.dtype)


DROPPING = [
    text
    for name in ("F.dropout", "F.dropout1d", "F.dropout2d", "F.dropout3d")
    for text in every()[name]
    if is_random(text)
]


@pytest.mark.parametrize("text", DROPPING)
def test_dropout_by_its_mask(text: str) -> None:
    """What is kept grows by 1 / (1 - p); the gradient passes there and grows as much."""
    (function,) = compiled([text])
    call = read(text)
    run = Run(function, call)
    x = run.leaves[0].data
    factors = run.values[0] / x
    kept = np.unique(np.round(factors[factors != 0], 5))
    assert len(kept) == 1
    assert kept[0] > 1
    (slope,) = run.first([run.seeds()[0] * 0.0 + 1.0])
    np.testing.assert_allclose(slope.data, factors, rtol=1e-5)
