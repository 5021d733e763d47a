"""Texts that could break an output or run in a page, and reports in which every text is one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from random import Random
from typing import Any

from autodiff.core.report.name_key import NameKey

#: Markup, ends of blocks, controls, marks that reorder or pile up, words of DOT and Mermaid.
HOSTILE = (
    *(
        "<script>alert(1)</script>",
        "</script><img src=x onerror=alert(1)>",
        "a&b<c>d",
        "]]>",
        "--><!--",
        "\"'",
        '\\"; n0 -> n1; "',
        "\\N\\G\\l\\",
        "n0[x]:::leaf --> n1",
        "`\\n#quot;#35;<br>%%{init: {}}%%",
        "\x1b[31mred\x9b1m",
        "a\x00b\x7f",
    ),
    *(
        "\u202ex\u2066\u200f",
        "e" + "\u0301" * 500,
        "日本語" * 20,
        "\ud800",
        "\ufffe\uffff\ufeff",
        "x" * 10_000,
        "",
        "\u2028\u2029\r\n\t",
        "&#0;&bad;&lt;",
        'javascript:alert(1)" onload="alert(1)',
    ),
)
SIGNS = "\"'<>&;#x]-!\\`{}|%$ \n\x00\x1b\x7f\x9b\u200b\u202e\u2028\u0301\ud83d\ufffe日é𝒙\U000e0001"
#: Fields whose texts are words of the program: code chooses by them.
WORDS = {("Expr", "head"), ("Cause", "kind"), ("Kink", "kind")}


def hostile_texts(seed: int) -> Iterator[str]:
    """Without end: the texts of HOSTILE and random ones in turn."""
    random = Random(seed)
    for text in cycle(HOSTILE):
        yield text
        yield "".join(random.choices(SIGNS, k=random.randint(0, 60)))


class Replaced:
    """A copy of records in which each text is the next one of ``texts``, and how many there were (``count``).

    Leaves stay leaves, so that there are both kinds of nodes.
    """

    def __init__(self, texts: Iterator[str]) -> None:
        self.texts = texts
        self.count = 0

    def copy(self, value: Any) -> Any:
        if isinstance(value, str):
            self.count += 1
            return next(self.texts)
        if isinstance(value, (tuple, list)):
            return type(value)(map(self.copy, value))
        if isinstance(value, dict):
            return {self.copy(key): self.copy(one) for key, one in value.items()}
        kind = type(value)
        if not kind.__module__.startswith("autodiff.") or isinstance(value, (Callable, NameKey)):
            return value
        made = object.__new__(kind)
        slots = [name for base in kind.__mro__ for name in vars(base).get("__slots__", ())]
        for name in (*slots, *getattr(value, "__dict__", ())):
            if hasattr(value, name):
                old = getattr(value, name)
                is_word = (kind.__name__, name) in WORDS or (isinstance(old, str) and old == "leaf")
                object.__setattr__(made, name, old if is_word else self.copy(old))
        return made
