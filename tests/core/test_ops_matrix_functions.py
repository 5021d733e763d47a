"""Functions of whole matrices against PyTorch."""

from __future__ import annotations

import math

import numpy as np
import pytest
from autodiff.core import grad, tensor
from autodiff.core.functions import FUNCTIONS
from autodiff.core.ops.matrix_functions import cheapest_split
from op_by_name import call, case, compare_errors, with_curved
from op_oracle import Case, cases_of, compare_with_torch, label

rng = np.random.default_rng(6)
A = rng.uniform(-1.0, 1.0, (3, 3)) + 2 * np.eye(3)
B = rng.uniform(-1.0, 1.0, (2, 3, 3)) + 2 * np.eye(3)
TALL = rng.uniform(-1.0, 1.0, (4, 2))
WIDE = rng.uniform(-1.0, 1.0, (2, 4))
CUBE = rng.uniform(-1.0, 1.0, (2, 3, 4))
ONE = np.asarray([[1.7]])
V = rng.uniform(-1.0, 1.0, 3)
SIDE = rng.uniform(-1.0, 1.0, (3, 2))

solve_least, lu = call("linalg.lstsq"), call("linalg.lu")


def words(op: str, name: str, *args, **kwargs) -> Case:
    """A sample with keywords."""
    function = call(name)
    return Case(op, lambda *a: function(*a, **kwargs), args, name=f"{name} {kwargs}", rtol=1e-8)


def samples() -> list[Case]:
    table = [case("matrix_exp", "matrix_exp", x, rtol=1e-8) for x in (A, B, ONE, -A, A * 0.0)]
    for n in (1, 2, 3, 5, -1, -2):
        table += [case("mm", "linalg.matrix_power", x, n, check_name=x.ndim == 2) for x in (A, B, ONE)]
    table += [case("mm", "matrix_power", x, 0, check_name=False, orders=1) for x in (A, B)]
    for x in (A, B, TALL, WIDE, CUBE, ONE):
        table += [
            case("pinv", "pinverse", x, rtol=1e-7, float32=x is not CUBE),
            case("pinv", "linalg.pinv", x, rtol=1e-7, float32=x is not CUBE),
        ]
    table += [
        words("pinv", "linalg.pinv", TALL, rtol=1e-3),
        Case("pinv", lambda a, b: solve_least(a, b)[0], (A, SIDE), name="lstsq", check_name=False, rtol=1e-7),
        Case(
            "pinv",
            lambda a, b: solve_least(a, b)[0],
            (TALL, TALL * 2 + 1),
            name="tall",
            check_name=False,
            rtol=1e-7,
        ),
        Case(
            "pinv",
            lambda a, b: solve_least(a, b, driver="gelsd")[1],
            (TALL, TALL**2),
            name="residuals",
            check_name=False,
            orders=0,
        ),
    ]
    for part in (1, 2):
        table += [
            Case(
                f"lu_{('lower', 'upper')[part - 1]}",
                lambda x, p=part: lu(x)[p],
                (x,),
                name=f"lu {part}",
                rtol=1e-8,
            )
            for x in (A, B, ONE, A[[2, 0, 1]])
        ]
    # torch's own gradient of vander fails: it multiplies in place
    table += [case("stack", "linalg.vander", x, check_name=False, orders=0) for x in (V, SIDE)]
    table += [words("stack", "linalg.vander", V, N=n)._replace(check_name=False, orders=0) for n in (2, 5)]
    for name in ("linalg.norm", "linalg.matrix_norm"):
        table += [case("vector_norm", name, x) for x in (A, B, TALL, CUBE)]
        for order in ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf):
            table += [words("vector_norm", name, x, ord=order) for x in (A, TALL, WIDE)]
            table.append(words("vector_norm", name, B, ord=order, dim=(0, 2))._replace(float32=False))
            table.append(
                words("vector_norm", name, B, ord=order, dim=(-1, 0), keepdim=True)._replace(float32=False)
            )
    table += [words("vector_norm", "linalg.norm", V, ord=p) for p in (0, 1, 2, 3, math.inf)]
    table.append(words("vector_norm", "linalg.norm", TALL, ord=3, dim=1))
    for p in (None, 2, -2, 1, "fro", "nuc", math.inf):
        cond = words("singular_values", "linalg.cond", A, p=p)
        # with an inverse in it torch's own gradient fails: it changes the inverse in place
        table.append(cond._replace(check_name=False, rtol=1e-7, orders=2 if p in (None, 2, -2) else 0))
    table.append(words("singular_values", "linalg.cond", TALL)._replace(check_name=False))
    return table


def chains() -> list[Case]:
    product = call("linalg.multi_dot")
    return [
        Case("mm", lambda *parts: product(list(parts)), parts, name="multi_dot", check_name=False)
        for parts in (
            (A, SIDE),
            (V, A, SIDE),
            (A, A, SIDE, TALL.T.copy()),
            (V, A, V),
            (TALL, WIDE, TALL, WIDE),
        )
    ]


@pytest.mark.oracle
@pytest.mark.parametrize(("sample", "variant"), cases_of(with_curved(samples() + chains())), ids=label)
def test_values_and_gradients(sample: Case, variant: str) -> None:
    compare_with_torch(sample, variant)


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
