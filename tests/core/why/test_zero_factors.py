"""A gradient that is 0 because of another operand: that operand is named, whatever the op."""

from __future__ import annotations

import pytest
from why_scripts import derivation_of

VECTOR, SQUARE, STACKED = "1., 2., 3.", "[1., 2., 3.], [3., 1., 2.], [2., 3., 1.]", "[[1., 2.], [3., 4.]]"
#: Each op with two factors ``x`` and ``w``, and the entries of both.
PRODUCTS = {
    "x * w": VECTOR,
    "x @ w": SQUARE,
    "x.unsqueeze(0) @ w.unsqueeze(0)": SQUARE,
    "torch.mv(x, w[0])": SQUARE,
    "torch.dot(x, w)": VECTOR,
    "torch.inner(x, w)": SQUARE,
    "torch.outer(x, w)": VECTOR,
    "torch.kron(x, w)": VECTOR,
    "torch.linalg.cross(x, w)": VECTOR,
    "torch.linalg.multi_dot([x, w])": SQUARE,
    "torch.tensordot(x, w, dims=1)": SQUARE,
    "torch.einsum('ij,jk->ik', x, w)": SQUARE,
    "torch.einsum('i,i,i->', x, w, ones)": VECTOR,
    "torch.bmm(x, w)": STACKED,
    "torch.baddbmm(ones[0], x, w)": STACKED,
    "torch.addbmm(ones[0], x, w)": STACKED,
    "torch.addmm(ones, x, w)": SQUARE,
    "torch.addmm(ones, x, w, beta=2, alpha=3)": SQUARE,
    "torch.addmv(ones[0], x, w[0])": SQUARE,
    "torch.addr(ones, x, w)": VECTOR,
    "torch.addcmul(ones, x, w)": VECTOR,
    "torch.lerp(ones, x, w)": VECTOR,
    "torch.xlogy(w, 2 + x)": VECTOR,
    "torch.linalg.solve(x + torch.eye(3), w[0])": SQUARE,
    "F.linear(x, w)": SQUARE,
    "F.linear(x, w, ones)": SQUARE,
    "F.linear(x.unsqueeze(0), w, ones)": SQUARE,
    "F.linear(x[0], w, ones[0])": SQUARE,
    "F.bilinear(x, w, torch.ones(2, 3, 3), torch.ones(2))": SQUARE,
    "F.conv1d(x.unsqueeze(0), w.unsqueeze(0), torch.ones(1))": SQUARE,
    "F.conv2d(x.reshape(1, 1, 3, 3), w.reshape(1, 1, 3, 3))": SQUARE,
    "F.conv_transpose1d(x.unsqueeze(0), w.unsqueeze(1), torch.ones(1))": SQUARE,
}
#: In these only the first operand gets a gradient of 0 from the other one.
ONE_SIDED = ("torch.lerp(ones, x, w)", "torch.xlogy(w, 2 + x)", "torch.linalg.solve(x + torch.eye(3), w[0])")
CASES = [
    (code, *factors)
    for code in PRODUCTS
    for factors in (("x", "w"), ("w", "x"))
    if factors[0] == "x" or code not in ONE_SIDED
]


def leaves(entries: str, first: str, zero: str, code: str) -> str:
    """A script in which ``first`` is the first leaf and the factor ``zero`` is 0 in all entries."""
    return (
        f"{first}_0 = torch.tensor([{entries}], requires_grad=True)\n{first} = 1.5 * {first}_0\n"
        f"{zero} = 0 * torch.tensor([{entries}])\nones = torch.ones_like({first})\n"
        f"y = {code}\n(2 * y + y**2).sum().backward()"
    )


@pytest.mark.parametrize(("code", "factor", "zero"), CASES)
def test_the_factor_that_is_zero_is_named(code: str, factor: str, zero: str) -> None:
    causes = derivation_of(leaves(PRODUCTS[code], factor, zero, code), "script.ad").causes
    [said] = [cause.text for cause in causes if cause.line == 5]
    factors = said.partition(" is multiplied by " if "multiplied" in said else " is 0 here: ")[2]
    assert "0 in all entries" in factors
    assert "entries from" not in factors


@pytest.mark.parametrize(
    ("call", "scale"),
    [("torch.addmm(ones, x, ones, alpha=0)", "alpha"), ("torch.addmm(x, ones, ones, beta=0)", "beta")],
)
def test_a_scale_of_zero_is_named(call: str, scale: str) -> None:
    leaf = "x = torch.tensor([[1., 2.], [2., 1.]], requires_grad=True)\nones = torch.ones(2, 2)\n"
    [cause] = derivation_of(f"{leaf}y = {call}\ny.sum().backward()", "script.ad").causes
    assert cause.text == f"x (entries from 1 to 2) is multiplied by {scale} = 0 in y"
