"""Scripts meant to hang, to fill the memory or to crash: each ends soon, with an error of ours.

What they say is tested where the messages are; here stand the exit code and the error's code.
"""

from __future__ import annotations

import pytest
from seeds import MORE

LIMIT = 5
DEEP = 100_000 if MORE >= 1 else 20_000

# (script, error code, exit code); "" and 0 where it simply works
TEXTS = {
    "parentheses": ("x = " + "(" * DEEP + "1" + ")" * DEEP, ("", "E0501")),
    "brackets": ("x = " + "[" * DEEP + "1" + "]" * DEEP, ("", "E0501")),
    "signs": ("x = " + "-" * DEEP + "1", ("", "E0501")),
    "nots": ("x = " + "not " * DEEP + "1", ("", "E0501")),
    "powers": ("x = " + "1**" * DEEP + "1", ("", "E0501")),
    "attributes": ("x = torch" + ".a" * DEEP, ("E0204", "E0501")),
    "calls": ("x = abs" + "()" * DEEP, ("E0310", "E0501")),
    "lambdas": ("x = " + "lambda: " * DEEP + "1", ("", "E0501")),
    "blocks": ("".join(" " * i + "if 1:\n" for i in range(2000)) + " " * 2000 + "x = 1", ("", "E0501")),
    "functions": (
        "".join(" " * i + "def f():\n" for i in range(2000)) + " " * 2000 + "return 1",
        ("", "E0501"),
    ),
    "open brackets": ("(" * DEEP, ("E0103", "E0101", "E0501")),
    "a long line": ("x = 1;" * 30_000, ("",)),
    "a long name": ("a" * 10_000_000 + " = 1", ("",)),
    "a long number": ("x = " + "1" * 1_000_000, ("E0207", "E0109")),
    "5000 digits": ("x = " + "1" * 5000, ("E0207", "E0109")),
    "a long comment": ("#" * 10_000_000, ("",)),
    "nothing": ("", ("",)),
    "only a mark": ("\ufeff", ("",)),
    "an open string": ("x = 'abc", ("E0106",)),
    "an open long string": ("x = '''" + "a" * 1_000_000, ("E0106",)),
    "a bidi override": ("x = 1 # \u202e", ("E0107",)),
    "a zero-width name": ("a\u200bb = 1", ("E0107",)),
    "foreign digits": ("x = \u0661", ("E0107", "E0109")),
    "a line separator": ("x = 1\u2028y = 2", ("E0107",)),
    "a form feed": ("\x0cx = 1\n", ("",)),
    "tabs and spaces": ("if 1:\n\tx = 1\n        y = 2", ("E0104",)),
    "a keyword as a name": ("lambda = 3", ("E0107",)),
    "a builtin as a name": ("sum = 3\ny = sum * 2", ("",)),
    "an unclosed attribute": ("x = 1.e", ("E0109",)),
}

NUMBERS = {
    "1e400": ("x = 1e400", ("",)),
    "1e-400": ("x = 1e-400", ("",)),
    "2**62*4": ("2**62*4", ("E0207",)),
    "10**400": ("10**400", ("E0207",)),
    "9**9**9": ("9**9**9", ("E0207",)),
    "7 TiB": ("torch.zeros(10**6, 10**6)", ("E0502",)),
    "a negative size": ("torch.zeros(-1)", ("E0304",)),
    "a broken size": ("torch.zeros(1.5)", ("E0310",)),
    "65 dims": ("torch.zeros((1,) * 65)", ("E0308",)),
    "doubling": ("x = torch.ones(10)\nwhile True: x = torch.cat([x, x])", ("E0502",)),
    "broadcast": ("x = torch.ones(10**5); x[:, None] + x", ("E0502",)),
    "outer": ("x = torch.ones(10**5); torch.outer(x, x)", ("E0502",)),
    "einsum": ("x = torch.ones(10**4); torch.einsum('i,j,k->ijk', x, x, x)", ("E0502",)),
    "repeat": ("torch.ones(10).repeat(10**9, 10**9)", ("E0502",)),
    "list times": ("[0] * 10**9", ("E0502",)),
    "range to list": ("list(range(10**9))", ("E0502",)),
    "list doubling": ("xs = [1]\nwhile True: xs = xs + xs", ("E0502",)),
    "spread doubling": ("xs = [1]\nwhile True: xs = [*xs, *xs]", ("E0502",)),
    "extend doubling": ("xs = [1]\nwhile True: xs.extend(xs)", ("E0502",)),
    "string times": ("'a' * 10**9", ("E0502",)),
    "string doubling": ("s = 'a'\nwhile True: s += s", ("E0502",)),
    "f-string doubling": ("s = 'a'\nwhile True: s = f'{s}{s}'", ("E0502",)),
    "percent doubling": ("s = 'a'\nwhile True: s = '%s%s' % (s, s)", ("E0502",)),
    "format doubling": ("s = 'a'\nwhile True: s = '{}{}'.format(s, s)", ("E0502",)),
    "replace doubling": ("s = 'a'\nwhile True: s = s.replace('a', 'aa')", ("E0502",)),
    "f-string width": ("x = 1; f'{x:>1000000000}'", ("E0502",)),
    "format width": ("'{:>1000000000}'.format(1)", ("E0502",)),
    "percent width": ("'%1000000000d' % 1", ("E0502",)),
    "f-string precision": ("x = 1.5; f'{x:.1000000000f}'", ("E0502",)),
    "ljust": ("'a'.ljust(10**9)", ("E0502",)),
    "shared lists as text": ("xs = [0]\nfor i in range(40): xs = [xs, xs]\nprint(xs)", ("E0502", "E0503")),
    "shared lists as numbers": ("xs = [0]\nfor i in range(40): xs = [xs, xs]\ntorch.tensor(xs)", ("E0502",)),
    "deep lists as text": ("xs = [0]\nfor i in range(140000): xs = [xs]\nprint(xs)", ("E0501",)),
    "a list in itself": ("xs = [0]\nxs.append(xs)\nprint(xs)", ("",)),
}

CONTROL = {
    "while True": ("while True: pass", ("E0503",)),
    "a long for": ("for i in range(10**9): pass", ("E0503",)),
    "a long comprehension": ("[i for i in range(10**9)]", ("E0503",)),
    "a long sum": ("sum(range(10**9))", ("E0503",)),
    "mutual recursion": ("def f(n): return g(n)\ndef g(n): return f(n)\nf(1)", ("E0501",)),
    "deep recursion": ("def f(n): return 0 if n == 0 else f(n - 1)\nf(1000000)", ("E0501",)),
    "2**200 paths": (
        "x = w = tensor(1., requires_grad=True)\nfor i in range(200): x = x + x\nx.backward()",
        ("",),
    ),
    "a graph without end": ("x = w = tensor(1., requires_grad=True)\nwhile True: x = x * w", ("E0504",)),
    "backward twice": (
        "x = tensor(1., requires_grad=True)\ny = x * x\ny.backward()\ny.backward()",
        ("E0402",),
    ),
    "saved and changed": (
        "x = tensor([1.], requires_grad=True)\ny = x.exp()\ny += 1\ny.sum().backward()",
        ("E0403",),
    ),
    "lists kept for ever": ("xs = []\nwhile True: xs.append('a' * 10**6 + 'b')", ("E0502",)),
}


@pytest.mark.parametrize(
    ("text", "codes"),
    [pytest.param(*case, id=name) for table in (TEXTS, NUMBERS, CONTROL) for name, case in table.items()],
)
def test_it_ends_soon_with_a_code(autodiff, write, text, codes):
    # The usual limit of 60 seconds is met on a machine with much else to do.
    small = ("--max-steps", "300000", "--max-memory", "256M", "--max-nodes", "100000", "--timeout", "600")
    done = autodiff("run", "-q", *small, write(text))
    found = done.err.partition("error[")[2].partition("]")[0]
    assert found in codes, done.err[:500]
    assert (done.returncode == 0) == (found == "")
    assert (done.returncode == LIMIT) == found.startswith("E05")


def test_nodes_that_are_let_go_of_count_no_more(autodiff, write):
    loop = (
        "w = tensor(1., requires_grad=True)\nfor i in range(1000):\n    L = (w - 3) ** 2\n    L.backward()\n"
    )
    assert autodiff("run", "-q", "--max-nodes", "100", write(loop)).returncode == 0


def test_as_many_steps_as_allowed(autodiff):
    for turns, code in ((1000, 0), (1001, LIMIT)):
        done = autodiff("run", "-q", "--max-steps", "1000", "-e", f"for i in range({turns}): pass")
        assert done.returncode == code
