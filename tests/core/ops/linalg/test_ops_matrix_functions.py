"""Functions of whole matrices against PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core import grad, tensor
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.core.ops.linalg.matrix_functions import cheapest_split
from op_by_name import case, compare_errors
from op_oracle import compare_with_torch

rng = np.random.default_rng(6)
A = rng.uniform(-1.0, 1.0, (3, 3)) + 2 * np.eye(3)
B = rng.uniform(-1.0, 1.0, (2, 3, 3)) + 2 * np.eye(3)
TALL = rng.uniform(-1.0, 1.0, (4, 2))
V = rng.uniform(-1.0, 1.0, 3)


@pytest.mark.oracle
@pytest.mark.parametrize("x", [A, B, TALL, A * 0.0], ids=lambda x: str(x.shape))
def test_rank(x) -> None:
    compare_with_torch(case("rank", "linalg.matrix_rank", x, orders=0), "plain")


def test_powers_of_vander_have_the_slopes_of_powers() -> None:
    x = tensor(V, requires_grad=True)
    (slope,) = grad(FUNCTIONS["linalg.vander"](x), x, tensor(np.ones((3, 3))))
    np.testing.assert_allclose(slope.data, 1 + 2 * V)


@pytest.mark.oracle
@pytest.mark.parametrize("driver", ["gels", "gelsy", "gelsd", "gelss"])
def test_what_least_squares_answers_beside_the_solution(driver: str) -> None:
    import torch

    mine = FUNCTIONS["linalg.lstsq"](tensor(TALL), tensor(TALL**2), driver=driver)
    theirs = torch.linalg.lstsq(torch.tensor(TALL), torch.tensor(TALL**2), driver=driver)
    for field in mine.fields:
        wanted = getattr(theirs, field).numpy()
        assert mine.field(field).data.shape == wanted.shape
        np.testing.assert_allclose(mine.field(field).data, wanted, atol=1e-12)


def test_the_parts_of_lu_give_the_matrix_back() -> None:
    for x in (A, B):
        p, lower, upper = (part.data for part in FUNCTIONS["linalg.lu"](tensor(x)))
        np.testing.assert_allclose(p @ lower @ upper, x, atol=1e-12)


def test_a_chain_is_multiplied_in_the_cheapest_order() -> None:
    assert cheapest_split([10, 1000, 2, 1000]) == {(0, 1): 0, (1, 2): 1, (0, 2): 1}


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("linalg.matrix_power", (TALL, 2)),
        ("linalg.matrix_exp", (TALL,)),
        ("linalg.norm", (B, "nuc")),
        ("linalg.matrix_norm", (A, 3)),
        ("linalg.matrix_norm", (V,)),
        ("linalg.multi_dot", ([A],)),
        ("linalg.cond", (TALL, 1)),
        ("linalg.pinv", (V,)),
        ("linalg.lstsq", (A, TALL)),
    ],
    ids=str,
)
def test_refusals(name: str, args: tuple) -> None:
    compare_errors(name, args)
