"""Pasted sessions: prompts and answers are passed over, and errors keep their place in what was pasted."""

from __future__ import annotations

import pytest
from autodiff.core.base.source import Source
from autodiff.grammar.syntax.prompts import strip_prompts
from script_runner import printed, run_script

PYTHON = """\
>>> import torch
>>> w = torch.tensor(2.0, requires_grad=True)
>>> for x in [1.0, 2.0]:
...     (w * x).backward()
...     if x > 1:
...         print(w.grad)
...
tensor(3.)
>>> w.grad
tensor(3.)
>>>
>>> print("done")
"""
NOTEBOOK = """\
# from a notebook

In [1]: def f(x):
   ...:     return x ** 2
   ...:

In [2]: w = torch.tensor(2.0, requires_grad=True)

In [3]: f(w)
Out[3]: tensor(4., grad_fn=<PowBackward0>)
and more of it

In [4]: print(f(w).item())
"""
CELLS = "In [1]:\nx = 2.0\nprint(x)\nOut[1]:\n2.0\nIn [2]:\nprint(x * 2)\n"
TIMED = "%%time\nx = 2.0\n%time y = x * 2\n%matplotlib inline\nprint(y)\n"


@pytest.mark.parametrize(
    ("session", "shown"),
    [
        (PYTHON, "tensor(3.)\ndone\n"),
        (PYTHON.replace("\n", "\r\n"), "tensor(3.)\ndone\n"),
        ("".join(f"    {line}\n" for line in PYTHON.splitlines()), "tensor(3.)\ndone\n"),
        ("\ufeff" + PYTHON, "tensor(3.)\ndone\n"),
        (NOTEBOOK, "4.0\n"),
        ("torch.tensor(1)\n" + CELLS[8:].replace("Out[1]:\n2.0\nIn [2]:\n", ""), "2.0\n4.0\n"),
        (">>> torch.tensor(1)\n>>> print('>>> kept')  # >>> too\n", ">>> kept\n"),
    ],
)
def test_a_session_runs(session: str, shown: str) -> None:
    assert printed(session) == shown


def test_cells_and_timed_lines_run() -> None:
    assert printed("torch.tensor(1)\n" + TIMED[7:]) == "4.0\n"
    assert printed(TIMED.replace("x = 2.0", "x = torch.tensor(2.0)")) == "tensor(4.)\n"
    assert printed(CELLS.replace("x = 2.0", "x = torch.tensor(2.0)")) == "tensor(2.)\ntensor(4.)\n"


@pytest.mark.parametrize("session", [PYTHON, NOTEBOOK, CELLS, TIMED])
def test_every_character_keeps_its_place(session: str) -> None:
    source = Source(session)
    script = strip_prompts(source)
    assert script is not source
    assert len(script.text) == len(session)
    assert [n for n, c in enumerate(script.text) if c in "\r\n"] == [
        n for n, c in enumerate(session) if c in "\r\n"
    ]
    assert ">>>" not in script.text
    assert "In [" not in script.text


@pytest.mark.parametrize(
    ("session", "code", "marked"),
    [
        (">>> x = 1.0\n>>> y = x + zz\n", "E0201", "zz"),
        (">>> x = ones(2, 3)\n>>> for i in range(2):\n...     y = x @ x\n", "E0302", "x @ x"),
        ("In [1]: x = 1.0\nOut[1]: 2 +* 3\n\nIn [2]: y = x[1, 2, 3\n", "E0103", "[1"),
        (">>> x = 1.0\n>>> y = x + * 3\n", "E0101", "*"),
        (">>> if True:\n... x = 1\n", "E0105", "x"),
    ],
)
def test_errors_stand_where_they_stand_in_the_session(session: str, code: str, marked: str) -> None:
    error = run_script(session).error
    assert error is not None
    assert error.code == code
    assert error.span is not None
    assert session[error.span.start :].startswith(marked)


@pytest.mark.parametrize(
    "text",
    ["x = 1\n>>> y = 2\n", "In = [3]\nprint(In [0])\n", "y = '''\n>>> x\n'''\nprint(y)\n", "x = 9 >> 1\n"],
)
def test_other_scripts_are_left_as_they_are(text: str) -> None:
    source = Source(text)
    assert strip_prompts(source) is source
