"""Scripts in which the interpreter once differed from Python or torch, smallest form each."""

from __future__ import annotations

import pytest
from language_comparison import compare
from language_generator import Script

pytestmark = pytest.mark.oracle

SCRIPTS = {
    "a list times= a number changes the list": "x = [1, 2]\ny = x\nx *= 2\nprint(y, x is y)",
    "del takes a tuple of targets": "a, b, c = 1, [2, 3], 4\ndel (a, [b[0], c])\nprint(b)",
    "shifts may be augmented": "x = 5\nx <<= 3\nx >>= 1\nprint(x)",
    "numpy() under no_grad": "w = ones(2, requires_grad=True)\nwith no_grad(): w.numpy()\nw.numpy()",
    "in wants something to look in": "print(1 in 5)",
    "a string is indexed by an int": "print('abc'['a'])",
    "index() names the list": "print(['a'].index('b'))",
    "index() of a tuple": "print((1, 2).index(3))",
    "a lone brace": "print('{'.format(1))",
    "an open brace": "print('{0'.format(1))",
}


@pytest.mark.parametrize("text", SCRIPTS.values(), ids=SCRIPTS)
def test_the_script_agrees_with_python(text: str) -> None:
    pytest.importorskip("torch")
    assert compare(Script(0, f"shown = tensor([1.5])\n{text}\n")).differences == []
