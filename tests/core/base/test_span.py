"""Positions: lines and columns count from 1, in characters, whatever ends the lines."""

from __future__ import annotations

import pytest
from autodiff.core.base.source import Source, Span


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_every_line_ending_counts_once(ending: str) -> None:
    source = Source(ending.join(["a = 1", "b = 2", "c"]))
    assert source.position(source.text.index("b")) == (2, 1)
    assert source.position(source.text.index("c")) == (3, 1)
    assert [source.line(n) for n in (1, 2, 3)] == ["a = 1", "b = 2", "c"]


def test_columns_count_characters() -> None:
    source = Source("λ = 1\nθ = λ + ε")
    assert source.position(source.text.index("ε")) == (2, 9)


def test_the_end_of_the_text_has_a_position() -> None:
    assert Source("a\n").position(2) == (2, 1)
    assert Source("").position(0) == (1, 1)


def test_excerpts_and_joined_spans() -> None:
    source = Source("a + bb")
    assert source.excerpt(Span(0, 1).extend_to(Span(4, 6))) == "a + bb"
