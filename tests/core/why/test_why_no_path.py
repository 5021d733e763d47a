"""Why no path leads from the output to an input: what is said of the place where it ends."""

from __future__ import annotations

import pytest
from why_scripts import LEAF, causes, derivation_of


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("def f(a):\n    return w * w\ny = f(x) + x.detach()", "5: detach() leaves the graph: x.detach()"),
        ("def f(a):\n    return w * a\ny = w * w\nprint(f(x))", "1: nothing uses x"),
        ("def f(a):\n    return w * w\ny = f(x)", "3: f does not use its parameter a"),
        ("def f(a, b):\n    return b * w\ny = f(b=w, a=x)", "3: f does not use its parameter a"),
        ("k = w.detach()\ny = w * w * k\nprint(x)", "1: nothing uses x"),
        (
            "def f(a):\n    return w * w\nk = x * 2\ny = f(x) * 1",
            "5: nothing uses k, which is made from it",
        ),
        (
            "def f(a):\n    return w * w\ny = f(x) * 1\nk = x * 2",
            "6: nothing uses k, which is made from it",
        ),
        (  # f reads it when it is called
            "def f():\n    return h + 1\nh = x * 2\nf()\nh = w\ny = h * w",
            "5: nothing that was made from it here was used for y",
        ),
        ("y = x * w\ny.backward()\ny = w * x.detach()", "5: detach() leaves the graph: x.detach()"),
        ("h = x * 2\nk = h + w\nh = w\ny = h * w", "4: nothing uses k, which is made from it"),
        (
            "h = x * 2\nh = w\ny = h * w",
            "4: h, made from it in line 3, is given another value before it is used",
        ),
        (
            "h = x * 2\ndef f():\n    return h + 1\nf()\nh = w\ny = h * w",
            "3: nothing that was made from it here was used for y",
        ),
        (  # the outer one of two
            "y = w * w\nif w < 5:\n    y = y * w\nelse:\n    for i in range(3):\n        y = y * x",
            "4: the else branch of `if w < 5` did not run",
        ),
        (
            "y = w * w\nif w < 2:\n    y = y * w\nelif w < 2.5:\n    y = y * x",
            "6: the branch under `elif w < 2.5` did not run",
        ),
        ("y = w * w\nif w > 5: y = y * x", "4: the branch under `if w > 5` did not run"),
        ("y = w * w\nfor i in range(0): y = y * x", "4: the loop `for i in range(0)` did not run"),
        ("y = w * w\nwhile y < 2:\n    y = y * x", "4: the loop `while y < 2` did not run"),
        ("y = w * x if w > 5 else w * w", "3: `w * x` was not computed"),
        ("y = w * w if w > 2 else w * x", "3: `else w * x` was not computed"),
        (
            "def f(v):\n    if v > 5:\n        return v * w\n    return w * 2\ny = f(x) * 1",
            "4: the branch under `if v > 5` did not run",
        ),
        ("y = w * w\nif w > 5:\n    y = y * x.detach()", "4: the branch under `if w > 5` did not run"),
        ("y = w * w\nif w > 2:\n    y = y * x.detach()", "5: detach() leaves the graph: x.detach()"),
        (  # what stands behind the second switch is recorded
            "torch.set_grad_enabled(False)\nh = w * 3\ntorch.set_grad_enabled(True)\nk = x * 2\ny = w + h",
            "6: nothing uses k, which is made from it",
        ),
        (
            "torch.set_grad_enabled(False)\nwith torch.enable_grad():\n    h = x * 3\n"
            "torch.set_grad_enabled(True)\ny = w + h.detach()",
            "7: detach() leaves the graph: h.detach()",
        ),
        (  # f was given w there
            "def f(a):\n    with torch.set_grad_enabled(False):\n        return a * 3\nk = x * 2\n"
            "y = f(w) + w",
            "6: nothing uses k, which is made from it",
        ),
        (
            "def f(a):\n    with torch.set_grad_enabled(False):\n        return a * 3\ny = f(x) + w",
            "4: nothing is recorded under this: torch.set_grad_enabled(False)",
        ),
        (  # it ran once, and that once counts for nothing
            "y = w * w\nfor i in range(2):\n    if i == 1:\n        h = y * x\n        y = w * 2",
            "6: nothing uses h, which is made from it",
        ),
    ],
)
def test_why_there_is_no_path(script: str, reason: str) -> None:
    text = LEAF.format("2.") + "w = torch.tensor(3., requires_grad=True)\n" + script + "\ny.backward()"
    line, _, words = reason.partition(": ")
    assert causes(text) == [f"{line}: no path leads from y to x: {words}"]


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (  # the pass that is explained is the last one
            "(x * w).backward()\n(w * x.detach()).backward()",
            "4: no path leads from w * x.detach() to x: detach() leaves the graph: x.detach()",
        ),
        (  # nothing reads the output itself
            "h = [x, w]\ny = w * h[1]",
            "3: no path leads from y to x: nothing that was made from it here was used for y",
        ),
    ],
)
def test_why_there_is_no_path_to_another_output(script: str, said: str) -> None:
    assert causes(LEAF.format("2.") + "w = torch.tensor(3., requires_grad=True)\n" + script) == [said]


def test_a_cut_on_the_way_to_another_output_is_no_reason() -> None:
    code = "w = torch.tensor(3., requires_grad=True)\ny = w * x.detach()\nk = w * 2\ny.backward()"
    [cause] = derivation_of(LEAF.format("2.") + code, "script.ad", of="k").causes
    assert cause.text == "no path leads from k to x: nothing that was made from it here was used for k"
