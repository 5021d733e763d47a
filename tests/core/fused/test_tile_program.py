"""Programs for tiles answer what numpy answers op by op, with fewer instructions."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from autodiff.core.fused.tile_program import UFUNCS, TileCell, TileProgram
from one_test import in_one_test
from seeds import seeds

#: Where signs show: zeros of both kinds, what overflows, what is nan.
SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -3.0, 1e200, -1e200, np.inf, -np.inf, np.nan, 5e-324])
WITH_SIGNS = ("neg", "add", "sub", "mul", "div", "square", "exp")


def random_formula(seed: int) -> tuple[TileProgram, list[TileCell], list[Any]]:
    """The same formula written down and computed at once: cells, and what numpy gives for them."""
    choose = random.Random(seed)
    arrays = [np.array(choose.sample(list(SPECIAL), len(SPECIAL))) for _ in range(3)]
    program = TileProgram(SPECIAL.shape, SPECIAL.dtype)
    cells = [*map(program.array, arrays), program.constant(-2.0)]
    values: list[Any] = [*arrays, -2.0]
    with np.errstate(all="ignore"):
        for _ in range(12):
            name = choose.choice(WITH_SIGNS)
            places = [choose.randrange(len(cells)) for _ in range(UFUNCS[name].nin)]  # type: ignore[attr-defined]
            cells.append(program.apply(name, *(cells[place] for place in places)))
            values.append(UFUNCS[name](*(values[place] for place in places)))
    return program, cells, values


@in_one_test("seed", seeds(200))
def test_signs_are_left_out_to_the_same_bits(seed: int) -> None:
    program, cells, values = random_formula(seed)
    for cell in cells:
        program.request(cell)
    for found, expected in zip(program.run(), values, strict=True):
        expected = np.broadcast_to(expected, SPECIAL.shape)
        np.testing.assert_array_equal(found, expected)
        is_number = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(found[is_number]), np.signbit(expected[is_number]))


def instructions(program: TileProgram) -> list[str]:
    return [program.functions[at] or "" for at in program.needed()]


def test_the_slope_of_a_quotient_needs_one_sign() -> None:
    """That in exp(-x): the two of the rules, of -x and of q/d by d, are opposite to each other."""
    program = TileProgram(SPECIAL.shape, SPECIAL.dtype)
    x, q = program.array(SPECIAL), program.array(SPECIAL[::-1])
    e = program.apply("exp", program.apply("neg", x))
    out = program.apply("div", q, e)
    by_e = program.apply("div", program.apply("neg", out), e)
    program.request(program.apply("neg", program.apply("mul", by_e, e)))
    assert sorted(instructions(program)) == ["div", "div", "exp", "mul", "neg"]


def test_sums_with_an_opposite_are_differences() -> None:
    program = TileProgram(SPECIAL.shape, SPECIAL.dtype)
    x, y = program.array(SPECIAL), program.array(SPECIAL[::-1])
    minus_x, minus_y = program.apply("neg", x), program.apply("neg", y)
    for cells in ((x, minus_y), (minus_x, y)):
        program.request(program.apply("add", *cells))
    program.request(program.apply("sub", x, minus_y))
    program.request(program.apply("square", minus_x))
    assert instructions(program) == ["sub", "sub", "add", "square"]


def test_a_constant_that_is_too_large_for_the_type_is_infinite() -> None:
    program = TileProgram((3,), np.dtype("float32"))
    x = program.array(np.array([1, -1, 0], "float32"))
    program.request(program.apply("mul", x, program.constant(1e300)))
    [found] = program.run()
    assert found.dtype == "float32"
    np.testing.assert_array_equal(found, np.array([np.inf, -np.inf, np.nan], "float32"))
