"""Arguments in torch's words and in numpy's, and the errors about them where the caret is no golden."""

from __future__ import annotations

import pytest
from script_runner import printed, run_script

NUMPY_NAMES = [
    "x.sum(axis=0)",
    "x.sum(0, keepdims=True)",
    "torch.mean(x, axis=1, keepdims=True)",
    "torch.softmax(x, axis=1)",
    "torch.cat([x, x], axis=1)",
    "torch.unsqueeze(x, axis=0)",
    "torch.logsumexp(x, axis=0)",
    "torch.argmax(x, axis=0)",
    "torch.sin(x=x)",
    "torch.add(x1=x, x2=x)",
    "F.softmax(x, axis=1)",
    "torch.norm(x, axis=0)",
    "torch.flip(x, axis=[0])",
    "torch.split(x, 1, axis=0)",
    "F.mse_loss(x=x, target=x)",
    "torch.sum(x, dim=0, axis=0)",
]


@pytest.mark.oracle
@pytest.mark.parametrize("call", NUMPY_NAMES)
def test_numpys_names_go_where_torch_takes_them(call: str) -> None:
    from torch_prelude import run_with_torch

    text = f"x = torch.tensor([[1., 2.], [3., 5.]])\nprint({call})"
    ours, theirs = run_script(text), run_with_torch(text)
    assert (ours.error is None) == (theirs.error is None)
    assert ours.stdout == theirs.stdout


@pytest.mark.oracle
@pytest.mark.parametrize(
    "call",
    [
        "torch.dot(v, 3)",
        "v.dot(3)",
        "torch.sin()",
        "torch.sin(v, v)",
        "v.transpose()",
        "torch.softmax(v)",
        "torch.zeros(2, dtype='float')",
        "v.sum(0, dim=0)",
        "torch.tensor(1, 2)",
        "torch.sigmoid([1., 2.])",
        "torch.exp(None)",
        "torch.exp(torch.sin)",
    ],
)
def test_the_message_is_torchs(call: str) -> None:
    from torch_prelude import run_with_torch

    text = f"v = torch.ones(3)\ny = {call}"
    error = run_script(text).error
    assert error is not None
    assert error.message == str(run_with_torch(text).error)


@pytest.mark.parametrize(
    ("text", "under"),
    [
        ("y = torch.zeros(2, requires_gard=True)", "requires_gard"),
        ("y = torch.sin(torch.ones(2), 5)", "5"),
        ("y = torch.ones(2).view(2, 1.5)", "1.5"),
        ("y = torch.matmul(torch.ones(2), [1., 2.])", "[1., 2.]"),
        ("def f(a, b=1): return a\ny = f(torch.ones(1), c=3)", "c"),
        ("y = print(1, edn='')", "edn"),
    ],
)
def test_the_caret_is_at_the_argument(text: str, under: str) -> None:
    error = run_script(text).error
    assert error is not None
    assert error.span is not None
    assert text[error.span.start : error.span.end] == under


def test_what_is_shown_of_a_signature_has_no_kinds() -> None:
    from autodiff.core.engine.public_functions import FUNCTIONS

    printed("torch.ones(1)")
    assert FUNCTIONS["torch.sum"].usage() == "sum(input, dim=None, keepdim=False, *, dtype=None)"
    assert FUNCTIONS["torch.sum"].usage(skipped=1) == "sum(dim=None, keepdim=False, *, dtype=None)"
    assert FUNCTIONS["torch.ones"].usage().startswith("ones(*size, dtype=None")


def test_an_overflow_is_repaired_in_floats() -> None:
    text = "big = 10**20\nx = torch.ones(1) * big"
    error = run_script(text).error
    assert error is not None
    assert [fix.apply(text) for fix in error.fixes] == [text.replace("10", "10.0")]
