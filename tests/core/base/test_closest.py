"""Names that may be meant by a mistyped one, and names that may not."""

from __future__ import annotations

import pytest
from autodiff.core.base.did_you_mean import closest_name, similar_names


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("lenght", ["length", "len"], "length"),
        ("tahn", ["tan", "tanh"], "tanh"),
        ("siin", ["sign", "sin"], "sin"),
        ("x_3", ["X3", "x3", "x1"], "x3"),
        ("W", ["w", "W1"], "w"),
        ("LearningRate", ["learning_rate", "rate"], "learning_rate"),
        ("required_grad", ["requires_grad", "grad"], "requires_grad"),
        ("retain_graf", ["retain_graph", "retain_grad"], "retain_grad"),
        ("none", ["nonzero"], "None"),
        ("lrr", ["w", "lr"], "lr"),
        ("bs", ["b", "bss"], "bss"),
    ],
)
def test_the_nearest(name: str, known: list[str], meant: str) -> None:
    assert closest_name(name, known) == meant


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("w3", ["w1", "w2", "w13"]),
        ("x", ["w", "y", "xs"]),
        ("xx", ["x"]),
        ("w11", ["w1"]),
        ("ab", ["ba", "b"]),
        ("input", ["int"]),
        ("n" * 99, ["n" * 98]),
    ],
)
def test_what_is_too_far(name: str, known: list[str]) -> None:
    assert similar_names(name, known) == []
