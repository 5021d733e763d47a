"""Functions that a script writes out are derived by name: softmax and its loss, and nothing else."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.core.report.records import Derivation
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.run import Settings, differentiate

DATA = (
    "import numpy as np\nX = np.array([[1., 2.], [0.5, -1.], [3., 0.]])\n"
    "W = np.array([[0.1, 0.2, 0.3], [0.3, -0.1, 0.2]])\ny = np.array([0, 2, 1])\nz = X @ W\n"
)
SHIFTED = "e = np.exp(z - np.max(z, axis=1, keepdims=True))\n"
QUOTIENT = "p = e/e.sum(axis=1, keepdims=True)\n"
LOSS = "loss = -np.log(p[range(3), y]).mean()\n"
CLASSES = "(softmax(z, dim=1) - one_hot([0, 2, 1], 3))"


def derived(script: str, wrt: str = "W", *, by_name: bool = True) -> tuple[Derivation, tuple[str, ...]]:
    source, settings = Source(script, "script.py"), Settings(wrt=(wrt,))
    execution = execute(source, settings, discard_text, discard_warning)
    report = describe(differentiate(execution, settings), source, graph=False, by_name=by_name)
    [derivation] = report.derivations
    return derivation, report.notes


@pytest.mark.parametrize(
    ("script", "simplified"),
    [
        (SHIFTED + QUOTIENT + LOSS, f"X.T @ ({CLASSES}/3)"),
        ("e = np.exp(z)\n" + QUOTIENT + LOSS, f"X.T @ ({CLASSES}/3)"),
        (SHIFTED + "p = e/e.sum(axis=1)[:, None]\n" + LOSS, f"X.T @ ({CLASSES}/3)"),
        ("e = np.exp(z - np.max(z))\n" + QUOTIENT + LOSS, f"X.T @ ({CLASSES}/3)"),
        ("p = np.exp(z)/np.sum(np.exp(z), axis=1, keepdims=True)\n" + LOSS, f"X.T @ ({CLASSES}/3)"),
        (SHIFTED + QUOTIENT + "loss = np.mean(-np.log(p[range(3), y]))\n", f"X.T @ ({CLASSES}/3)"),
        (SHIFTED + QUOTIENT + "loss = -np.sum(np.log(p[range(3), y]))\n", f"X.T @ {CLASSES}"),
        (SHIFTED + QUOTIENT + "loss = -np.sum(np.log(p[range(3), y]))/3\n", f"X.T @ ({CLASSES}/3)"),
        (SHIFTED + QUOTIENT + "loss = -np.log(p[1, 2])\n", None),
        (SHIFTED + QUOTIENT + "loss = (p**2).sum()\n", None),
        (SHIFTED + QUOTIENT + "loss = -(np.eye(3)[y]*np.log(p)).sum()\n", None),
        ("e = np.exp(z)\np = e/e.sum(axis=0, keepdims=True)\nloss = (p**2).sum()\n", None),
        ("p = softmax(z, 1)\n" + LOSS, f"X.T @ ({CLASSES}/3)"),
    ],
)
def test_softmax_and_its_loss_are_one_path_that_gives_the_gradient(
    script: str, simplified: str | None
) -> None:
    derivation, notes = derived(DATA + script)
    plain, _ = derived(DATA + script, by_name=False)
    assert derivation.count == 1 if "p**2" not in script else derivation.count <= 2
    assert notes
    np.testing.assert_array_equal(derivation.backward, plain.backward)
    contributions = sum(np.asarray(path.contribution) for path in derivation.paths)
    np.testing.assert_allclose(contributions, derivation.backward, atol=1e-15)
    assert derivation.difference < 1e-15
    if simplified is not None:
        assert derivation.simplified == simplified
    assert len(derivation.simplified) < len(plain.simplified)


def test_what_cancels_is_said() -> None:
    _, notes = derived(DATA + SHIFTED + QUOTIENT + LOSS)
    assert notes == (
        "line 7: `e/e.sum(axis=1, keepdims=True)` is softmax along dimension 1, one step here; the paths"
        " through np.max(z, axis=1, keepdims=True) cancel",
        "line 8: `np.log(p[range(3), y])` is a logarithm of softmax, log_softmax in one step here",
    )


@pytest.mark.parametrize(
    ("script", "wrt"),
    [
        (SHIFTED + QUOTIENT + LOSS, "p"),
        (SHIFTED + QUOTIENT + LOSS, "e"),
        ("e = np.exp(z)\np = e/e.sum()\n" + LOSS, "W"),
        ("e = np.exp(z)\np = e/(e + 1).sum(axis=1, keepdims=True)\n" + LOSS, "W"),
        (
            "p = np.exp(z - z.max(axis=1, keepdims=True))"
            "/np.exp(z - (z*np.array([[0., 0., 1.], [0., 1., 0.], [0., 0., 1.]])).sum(axis=1, keepdims=True))"
            ".sum(axis=1, keepdims=True)\n" + LOSS,
            "W",
        ),
    ],
)
def test_what_only_looks_alike_is_derived_as_it_is(script: str, wrt: str) -> None:
    derivation, notes = derived(DATA + script, wrt)
    plain, _ = derived(DATA + script, wrt, by_name=False)
    assert (derivation.count, derivation.simplified) == (plain.count, plain.simplified)
    assert not any("softmax" in note for note in notes)


@pytest.mark.parametrize("shift", ["0.5*z", "np.max(z, axis=0, keepdims=True)"])
def test_what_differs_among_the_parts_of_a_sum_does_not_cancel(shift: str) -> None:
    derivation, notes = derived(DATA + f"e = np.exp(z - {shift})\n" + QUOTIENT + LOSS)
    assert derivation.count == 2
    assert "softmax(" in derivation.simplified
    assert not any("cancel" in note for note in notes)
    contributions = sum(np.asarray(path.contribution) for path in derivation.paths)
    np.testing.assert_allclose(contributions, derivation.backward, atol=1e-15)


def test_what_overflows_is_derived_as_it_is() -> None:
    script = DATA.replace("0.1, 0.2, 0.3", "1e3, 2e3, 3e3") + "e = np.exp(z)\n" + QUOTIENT + LOSS
    derivation, notes = derived(script)
    assert derivation.causes
    assert not notes


@pytest.mark.parametrize(
    "scores", ["z", "z.masked_fill(torch.tensor([False, True]), float('-inf'))"], ids=["rounded", "masked"]
)
def test_a_logarithm_of_a_probability_that_is_0_is_derived_as_it_is(scores: str) -> None:
    script = (
        f"z = tensor([0., 900.], requires_grad=True)\np = softmax({scores}, 0)\nloss = -torch.log(p)[0]\n"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        derivation, notes = derived(script, "z")
    plain, _ = derived(script, "z", by_name=False)
    assert not notes
    assert derivation.causes
    assert [cause.text for cause in derivation.causes] == [cause.text for cause in plain.causes]
