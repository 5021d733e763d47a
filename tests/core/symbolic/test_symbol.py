"""Symbols: rules written down, shapes as the engine has them, and which values a rule reads."""

from __future__ import annotations

from typing import Any

import pytest
from autodiff.core import tensor
from autodiff.core.graph.op import OPS
from autodiff.core.symbolic.expr import name_expr, number_expr
from autodiff.core.symbolic.simplify import simplify
from autodiff.core.symbolic.symbol import Symbol, symbolic_derivative
from expression_reader import sym


def test_arithmetic_writes_itself_down() -> None:
    x, y = sym("x"), sym("y")
    assert str(((x + 1) * -y / 2 - y**2).expr) == "(x + 1)*(-y)/2 - y**2"
    assert str((2 - x).expr) == "2 - x"
    assert str(((x > 0) & ~(y <= 1)).expr) == "(x > 0) & ~(y <= 1)"
    assert str(OPS["cos"](x).expr) == "cos(x)"


@pytest.mark.parametrize(
    ("op", "shapes", "params", "spelled", "shape"),
    [
        ("add", [(2, 1), (3,)], {}, "a + b", (2, 3)),
        ("mm", [(2, 3), (3, 4)], {}, "a @ b", (2, 4)),
        ("matmul", [(5, 2, 3), (3,)], {}, "a @ b", (5, 2)),
        ("dot", [(3,), (3,)], {}, "a @ b", ()),
        ("mm", [(1, 1), (1, 1)], {}, "a*b", (1, 1)),
        ("outer", [(2,), (3,)], {}, "outer(a, b)", (2, 3)),
        ("sum", [(2, 3)], {"dim": None, "keepdim": False}, "sum(a)", ()),
        ("sum", [(2, 3)], {"dim": (0,), "keepdim": False}, "sum(a, dim=0)", (3,)),
        ("sum", [(2, 3)], {"dim": (-1,), "keepdim": True}, "sum(a, dim=-1, keepdim=True)", (2, 1)),
        ("mean", [(2, 3)], {"dim": None, "keepdim": False}, "mean(a)", ()),
        ("sum_to", [(2, 3)], {"shape": (2, 3)}, "a", (2, 3)),
        ("sum_to", [(2, 3)], {"shape": (3,)}, "sum(a, dim=0)", (3,)),
        ("sum_to", [(2, 3)], {"shape": ()}, "sum(a)", ()),
        ("expand", [()], {"shape": (2, 3)}, "a", (2, 3)),
        ("to", [(2,)], {"dtype": "float32"}, "a", (2,)),
        ("clone", [(2,)], {}, "a", (2,)),
        ("reshape", [(3, 2)], {"shape": (2, 3)}, "reshape(a, (2, 3))", (2, 3)),
        ("t", [(2, 3)], {}, "a.T", (3, 2)),
        ("transpose", [(2, 3)], {"dim0": 0, "dim1": 1}, "a.T", (3, 2)),
        ("transpose", [(4, 2, 3)], {"dim0": 1, "dim1": 2}, "a.mT", (4, 3, 2)),
        ("permute", [(2, 3)], {"dims": (1, 0)}, "a.T", (3, 2)),
        ("permute", [(2, 3, 4)], {"dims": (1, 0, 2)}, "permute(a, (1, 0, 2))", (3, 2, 4)),
        ("select", [(2, 3)], {"dim": 1, "index": 2}, "a[:, 2]", (2,)),
        ("slice", [(5,)], {"dim": 0, "start": 1, "stop": 5, "step": 2}, "a[1:5:2]", (2,)),
        ("where", [(2,), (2,), ()], {}, "where(a, b, c)", (2,)),
        ("vector_norm", [(2, 3)], {"ord": 2, "dim": None, "keepdim": False}, "norm(a)", ()),
        (
            *("vector_norm", [(2, 3)], {"ord": 2, "dim": (1,), "keepdim": True}),
            *("norm(a, dim=1, keepdim=True)", (2, 1)),
        ),
        (
            *("vector_norm", [(2, 3)], {"ord": 1, "dim": (0,), "keepdim": False}),
            *("norm(a, ord=1, dim=0)", (3,)),
        ),
        ("except_where", [(2,), (), (2,)], {}, "c", (2,)),
        ("square", [(2,)], {}, "a**2", (2,)),
        ("reciprocal", [(2,)], {}, "1/a", (2,)),
        ("cumsum", [(2, 3)], {"dim": 0, "reverse": False}, "cumsum(a, dim=0)", (2, 3)),
        ("softmax", [(2, 3)], {"dim": 1}, "softmax(a, dim=1)", (2, 3)),
        ("part", [(2, 3)], {"basic": (1,), "advanced": ()}, "a[1]", (3,)),
        ("part", [(2, 3)], {"basic": (1, 2), "advanced": ()}, "a[1, 2]", ()),
        ("part", [(2, 3)], {"basic": (slice(0, 1),), "advanced": ()}, "a[0:1]", (1, 3)),
        ("embed", [()], {"shape": (3,), "basic": (-1,), "advanced": ()}, "a*one_hot(2, 3)", (3,)),
        (
            *("embed", [(3,)], {"shape": (2, 3), "basic": (1,), "advanced": ()}),
            *("zeros(2, 3).select_scatter(a, 0, 1)", (2, 3)),
        ),
        ("einsum", [(2, 3), (3,)], {"equation": "ij,j->i"}, "a @ b", (2,)),
        ("einsum", [(2,), (2, 3)], {"equation": "k,kj->j"}, "a @ b", (3,)),
        ("einsum", [(2, 3), (3, 4)], {"equation": "xy,yz->xz"}, "a @ b", (2, 4)),
        ("einsum", [(2,), (3,)], {"equation": "i,j->ij"}, "outer(a, b)", (2, 3)),
        ("einsum", [(2, 3), (2, 3)], {"equation": "ij,ij->j"}, "einsum(a, b, equation='ij,ij->j')", (3,)),
    ],
)
def test_spellings_and_shapes(
    op: str, shapes: list[tuple[int, ...]], params: dict[str, Any], spelled: str, shape: tuple[int, ...]
) -> None:
    operands = [Symbol(name_expr(letter), s) for letter, s in zip("abc", shapes, strict=False)]
    written = OPS[op](*operands, **params)
    assert (str(written.expr), written.shape) == (spelled, shape)


@pytest.mark.parametrize(
    ("shape", "put", "taken", "spelled"),
    [
        ((3,), (1,), (1,), "a"),
        ((3,), (1,), (2,), "0"),
        ((2, 3), (1, 2), (1, 2), "a"),
        ((2, 3), (1, 2), (0, 2), "0"),
        ((2, 3), (1, 2), (1,), "zeros(2, 3).index_put((1, 2), a)[1]"),
    ],
)
def test_what_is_picked_where_it_was_put_is_itself(
    shape: tuple[int, ...], put: tuple[int, ...], taken: tuple[int, ...], spelled: str
) -> None:
    whole = OPS["embed"](sym("a"), shape=shape, basic=put, advanced=())
    for sign, x in (("", whole), ("-", -whole)):
        found = simplify(OPS["part"](x, basic=taken, advanced=()).expr)
        expected = spelled if not sign or spelled == "0" else f"-{spelled}"
        if sign and len(taken) < len(put):
            expected = "(-zeros(2, 3).index_put((1, 2), a))[1]"
        assert str(found) == expected


def test_an_entry_of_a_unit_vector_is_one_or_nothing() -> None:
    unit = OPS["embed"](sym("a"), shape=(3,), basic=(1,), advanced=())
    assert [str(simplify(OPS["select"](unit, dim=0, index=at).expr)) for at in (0, 1, -2)] == ["0", "a", "a"]
    assert str(OPS["select"](Symbol(name_expr("x"), (3,)), dim=0, index=-1).expr) == "x[-1]"


def test_a_number_times_a_unit_vector_adds_up_to_the_number() -> None:
    unit = OPS["embed"](Symbol(number_expr(0.25)), shape=(4,), basic=(1,), advanced=())
    assert str(simplify(OPS["sum"](unit, dim=None, keepdim=False).expr)) == "0.25"
    weighed = OPS["sum"](unit * sym("x", 4), dim=None, keepdim=False)
    assert str(simplify(weighed.expr)) == "sum(0.25*one_hot(1, 4)*x)"


def test_a_choice_between_numbers_that_is_made_already_is_no_choice() -> None:
    x = sym("x", 2)
    assert str(simplify(OPS["where"](Symbol(number_expr(0)), Symbol(number_expr(7)), x).expr)) == "x"
    assert str(simplify(OPS["where"](Symbol(number_expr(1)), x, Symbol(number_expr(7))).expr)) == "x"
    kept = OPS["where"](
        Symbol(number_expr(1)), Symbol(number_expr(7)), x
    )  # whose result has as many entries as x
    assert str(simplify(kept.expr)) == "where(1, 7, x)"


def test_a_copied_number_is_filled_up_only_where_it_must() -> None:
    one = OPS["expand"](Symbol(number_expr(1)), shape=(2, 3))
    assert str((one * sym("x", 2, 3)).expr) == "1*x"
    assert str((sym("X", 4, 2) @ one).expr) == "X @ ones(2, 3)"
    assert str(OPS["sum"](one, dim=None, keepdim=False).expr) == "6*1"


LOCALS = {
    "neg": ["-1"],
    "add": ["1", "1"],
    "sub": ["1", "-1"],
    "mul": ["y", "x"],
    "div": ["1/y", "-out/y"],
    "pow": ["y*x**(y - 1)", "out*log(x)"],
    "exp": ["out"],
    "log": ["1/x"],
    "sqrt": ["1/(2*out)"],
    "sin": ["cos(x)"],
    "cos": ["-sin(x)"],
    "tanh": ["1 - out**2"],
    "sigmoid": ["out*(1 - out)"],
    "relu": ["[x > 0]"],
    "abs": ["sign(x)"],
    "square": ["2*x"],
    "reciprocal": ["-out**2"],
}


@pytest.mark.parametrize("op", LOCALS)
def test_local_derivatives(op: str) -> None:
    operands = tuple(map(sym, "xy"[: len(LOCALS[op])]))
    value = tensor(1.0, requires_grad=True)
    node = OPS[op](*[value] * len(operands)).node
    written = [symbolic_derivative(node, index, sym("out"), operands) for index in range(len(operands))]
    assert [str(simplify(x.expr)) for x in written] == LOCALS[op]
