"""Every snippet does in the language what it does in Python with PyTorch: text, warnings, errors.

The snippets stand in ``tests/golden/snippets``, one to a line; ``\\n`` in a line breaks it.
"""

from __future__ import annotations

import pytest
from conftest import TESTS
from exception_names import PYTHON_NAMES
from script_runner import printed, run_script
from transcript import normalise

pytestmark = pytest.mark.oracle

SNIPPETS = TESTS / "golden" / "snippets"


def entries(name: str) -> list[str]:
    """The snippets of one file; a backslash before an n is written twice where it stands in a string."""
    lines = (SNIPPETS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [line.replace(r"\\n", "\0").replace(r"\n", "\n").replace("\0", r"\n") for line in lines]


# Keeps snippets of plain numbers out of the convenience that makes leaves of them.
BUILDS_A_TENSOR = "torch.tensor(0)\n"


def oracle(text: str):
    from torch_prelude import run_with_torch

    return run_with_torch(text)


@pytest.mark.parametrize("snippet", entries("python") + entries("torch"))
def test_prints_the_same(snippet: str) -> None:
    theirs = oracle(BUILDS_A_TENSOR + snippet)
    assert theirs.error is None, "the snippet itself is wrong"
    ours = run_script(BUILDS_A_TENSOR + snippet)
    assert ours.error is None
    assert normalise(ours.stdout) == normalise(theirs.stdout)
    assert [first_line(text) for text in ours.warnings] == [first_line(text) for text in theirs.warnings]


def first_line(text: str) -> str:
    return text.partition("\n")[0].partition(" (Triggered")[0]


# Python says nothing, or less: an assertion without a message, and a subclass of the error we name.
OUR_OWN_WORDS = {"assert 1 == 2": "assertion failed"}
SUBCLASSES = {"UnboundLocalError": "NameError"}


@pytest.mark.parametrize("snippet", entries("errors"))
def test_fails_with_the_same_words(snippet: str) -> None:
    theirs = oracle(BUILDS_A_TENSOR + snippet).error
    assert theirs is not None, "the snippet itself is wrong"
    ours = run_script(BUILDS_A_TENSOR + snippet).error
    assert ours is not None
    assert ours.message == OUR_OWN_WORDS.get(snippet, str(theirs).partition("\n")[0])
    kind = type(theirs).__name__
    assert SUBCLASSES.get(kind, kind) in PYTHON_NAMES.get(ours.code, "RuntimeError").split(" or ")


@pytest.mark.parametrize("snippet", entries("errors"))
def test_errors_say_where_they_stand(snippet: str) -> None:
    error = run_script(BUILDS_A_TENSOR + snippet).error
    assert error is not None
    assert error.span is not None
    assert error.span.start >= len(BUILDS_A_TENSOR)


def test_numbers_are_64_bit() -> None:
    for text in ("2**62 * 4", "10**400", "9**9**9", "-2**63 - 1", "1 << 63", "int('9' * 100)"):
        error = run_script(BUILDS_A_TENSOR + text).error
        assert error is not None, text
        assert error.code == "E0207"


def test_identity_of_nodes_is_stable() -> None:
    text = "x = torch.tensor(1., requires_grad=True)\ny = x * 2\nprint(y.grad_fn is y.grad_fn, y is y)"
    assert printed(text) == "True True\n"
