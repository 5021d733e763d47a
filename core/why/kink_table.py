"""The table of kinks, jumps and singular points of ops, and the derivative that each is given there.

A row says which entries of which op it is about, what is answered there, and what other engines answer.
Every answer is PyTorch's (2.13) unless the row says otherwise; ``tests/test_kink_remarks.py`` checks the
rows. JAX stands for 0.10, HIPS autograd for 1.9, MyGrad for 2.5.
"""

from __future__ import annotations

from math import inf

from autodiff.core.why.kink_rules import (
    BEND,
    GAP,
    JUMP,
    NEARLY,
    SINGULAR,
    Row,
    at_whole,
    at_whole_but_zero,
    at_zero,
    both_zero,
    equal,
    is_of_tensors,
    is_of_two,
    largest_coordinates,
    met_by_several,
    norm_at,
    norm_of,
    nothing_to_add,
    result_is_zero,
    slope_in,
    tied,
    tied_sizes,
    whole_quotient,
    whole_quotient_but_zero,
    zero_norm,
)

INSIDE = "the bound counts as inside, so its slope is 1; PyTorch 2.14 answers 0"
CLAMPS = "JAX answers 0.5, HIPS autograd and MyGrad 0"
FLAT = "the slope is 0, as everywhere else"
ALL_FLAT = "JAX, HIPS autograd and MyGrad answer 0 too"
SHARED = "entries that tie share the gradient equally"
WITHOUT_JUMP = "the slope is that beside the jump"
NEGATIVE_SIDE = "the slope is that of the negative side"
ZERO = "the slope is 0"
SLOPE_OUTSIDE = "the slope's own slope is that of the outside, 0"
BOUND_GETS = "the bound itself receives nothing"
OF_A_TIE = "JAX and HIPS autograd share it as well, MyGrad gives it to the first"
NAN_ELSEWHERE = "JAX, HIPS autograd and MyGrad answer nan"

TABLE: dict[str, tuple[Row, ...]] = {
    # sides of a number
    "abs": (Row(at_zero, ZERO, "HIPS autograd and MyGrad answer 0 too, JAX 1"),),
    "relu": (Row(at_zero, ZERO, "JAX and MyGrad answer 0 too, HIPS autograd, by way of maximum, 0.5"),),
    "sign": (Row(at_zero, FLAT, "JAX and HIPS autograd answer 0 too, MyGrad has no sign", kind=JUMP),),
    "leaky_relu": (
        Row(
            lambda out, x, negative_slope: (x == 0) & (negative_slope != 1),
            f"{NEGATIVE_SIDE}, {{negative_slope:g}}",
            "JAX answers 1, MyGrad 0",
        ),
    ),
    "prelu": (
        Row(lambda out, x, weight: (x == 0) & (weight != 1), NEGATIVE_SIDE, shows=(0, 1), operands=(0,)),
    ),
    "elu": (
        Row(
            lambda out, x, alpha, scale, input_scale: (x == 0) & (abs(alpha * input_scale - 1) > NEARLY),
            NEGATIVE_SIDE,
        ),
        Row(
            lambda out, x, alpha, scale, input_scale: (x == 0) & (abs(alpha * input_scale - 1) <= NEARLY),
            "the slope's own slope is that of the positive side, 0",
            kind=BEND,
        ),
    ),
    "copysign": (
        Row(at_zero, ZERO, operands=(0,), formula="0/0"),
        Row(lambda out, x, y: (y == 0) & (x != 0), FLAT, kind=JUMP, shows=(1,), operands=(1,)),
    ),
    # bounds
    "clamp": (
        Row(lambda out, x, low, high: (x == low) | (x == high), INSIDE, CLAMPS, operands=(0,)),
        Row(
            lambda out, x, low, high: (x == low) | (x == high),
            BOUND_GETS,
            shows=(0, 1, 2),
            operands=(1, 2),
        ),
    ),
    "clamp_min": (
        Row(equal, INSIDE, CLAMPS, operands=(0,)),
        Row(equal, BOUND_GETS, shows=(0, 1), operands=(1,)),
    ),
    "clamp_max": (
        Row(equal, INSIDE, CLAMPS, operands=(0,)),
        Row(equal, BOUND_GETS, shows=(0, 1), operands=(1,)),
    ),
    "hardtanh": (
        Row(
            lambda out, x, min_val, max_val: (x == 6) & (min_val == 0) & (max_val == 6),
            "the slope at a bound is 0",
            "JAX's relu6 answers 0 too",
        ),
        Row(
            lambda out, x, min_val, max_val: (
                (x == min_val) | ((x == max_val) & ((min_val != 0) | (max_val != 6)))
            ),
            "the slope at a bound is 0",
        ),
    ),
    "hardsigmoid": (Row(lambda out, x: (x == -3) | (x == 3), "the slope at a bound is 0"),),
    "hardswish": (
        Row(lambda out, x: x == -3, "the slope is that of the outside, 0"),
        Row(lambda out, x: x == 3, "the slope is that of the outside, 1"),
    ),
    "softshrink": (Row(lambda out, x, lambd: (x == lambd) | (x == -lambd), "the slope at a bound is 0"),),
    "hardshrink": (
        Row(
            lambda out, x, lambd: (x == lambd) | (x == -lambd),
            "the slope at a bound is 0",
            kind=JUMP,
            applies=lambda node: node.params["lambd"] != 0,
        ),
        # This is the identity, but its rule takes 0 for inside the bounds, which leave no inside.
        Row(at_zero, ZERO, kind=SINGULAR, applies=lambda node: node.params["lambd"] == 0),
    ),
    "threshold": (
        Row(
            lambda out, x, threshold, value: x == threshold,
            "the slope at the threshold is 0",
            kind=JUMP,
            applies=lambda node: node.params["threshold"] != node.params["value"],
        ),
        Row(
            lambda out, x, threshold, value: x == threshold,
            "the slope at the threshold is 0",
            applies=lambda node: node.params["threshold"] == node.params["value"],
        ),
    ),
    "logit_within": (
        Row(lambda out, x, eps: (x == eps) | (x == 1 - eps), "the slope at a bound is that of the inside"),
    ),
    # the larger of two
    "maximum": (
        Row(
            equal,
            "each of the two receives half",
            "JAX and HIPS autograd share it as well, MyGrad answers 0 for both",
            shows=(0, 1),
            applies=is_of_two,
        ),
    ),
    "minimum": (Row(equal, "each of the two receives half", shows=(0, 1), applies=is_of_two),),
    "fmax": (Row(equal, "the first of the two receives all", shows=(0, 1), applies=is_of_two),),
    "fmin": (Row(equal, "the first of the two receives all", shows=(0, 1), applies=is_of_two),),
    # the largest of many; for picked entries ``kinks`` compares what the tied entries received
    "amax": (Row(tied, SHARED, OF_A_TIE),),
    "amin": (Row(tied, SHARED),),
    "median": (Row(tied, SHARED, "JAX takes the mean of the two middle entries"),),
    "nanmedian": (Row(tied, SHARED),),
    "scatter_amax": (Row(met_by_several, SHARED, shows=()),),
    "scatter_amin": (Row(met_by_several, SHARED, shows=()),),
    "largest_coordinate": (Row(largest_coordinates, "each of those that tie receives the whole slope"),),
    # steps
    "floor": (Row(at_whole, FLAT, ALL_FLAT, kind=JUMP),),
    "ceil": (Row(at_whole, FLAT, kind=JUMP),),
    "trunc": (Row(at_whole_but_zero, FLAT, kind=JUMP),),
    "round": (Row(lambda out, x: abs(x - out) == 0.5, FLAT, ALL_FLAT, kind=JUMP),),
    "round_to": (Row(lambda out, x, decimals: x * 10.0**decimals % 1 == 0.5, FLAT, kind=JUMP),),
    "frac": (Row(lambda out, x: (out == 0) & (x != 0), WITHOUT_JUMP, kind=JUMP),),
    "remainder": (Row(result_is_zero, WITHOUT_JUMP, kind=JUMP, shows=(0, 1)),),
    "fmod": (Row(lambda out, x, y: (out == 0) & (x != 0), WITHOUT_JUMP, kind=JUMP, shows=(0, 1)),),
    "div_floor": (Row(whole_quotient, FLAT, kind=JUMP, shows=(0, 1)),),
    "div_trunc": (Row(whole_quotient_but_zero, FLAT, kind=JUMP, shows=(0, 1)),),
    "mantissa": (Row(lambda out, x: abs(out) == 0.5, WITHOUT_JUMP, kind=JUMP),),
    # norms and spreads
    "vector_norm": (
        Row(zero_norm, ZERO, NAN_ELSEWHERE, shows=(), applies=norm_of(lambda ord: ord == 2), formula="0/0"),
        Row(zero_norm, ZERO, shows=(), applies=norm_of(lambda ord: ord != 2), formula="0/0"),
        Row(norm_at(lambda ord: ord == 1), ZERO),
        Row(norm_at(lambda ord: 0 < ord < 1), ZERO, kind=SINGULAR, formula="0 times infinity"),
        Row(norm_at(lambda ord: ord == 0), FLAT, kind=JUMP),
        Row(
            tied_sizes,
            "entries that tie share the gradient equally, and an entry of 0 receives none",
            applies=norm_of(lambda ord: ord in (inf, -inf)),
        ),
    ),
    "std": (Row(result_is_zero, ZERO, NAN_ELSEWHERE, shows=(), formula="0/0"),),
    # powers, angles, logarithms
    "pow": (
        slope_in(
            0,
            both_zero,
            "the slope in the base is 0, since x**0 is 1 everywhere",
            "HIPS autograd and MyGrad answer 0 too, JAX nan",
            kind=GAP,
            applies=is_of_tensors(1),
            formula="0 times infinity",
        ),
        slope_in(
            1,
            both_zero,
            "the slope in the exponent is 0",
            "JAX, HIPS autograd and MyGrad answer 0 too",
            kind=JUMP,
            formula="log(0)",
        ),
        slope_in(
            1,
            lambda out, x, y: (x == 0) & (y > 0),
            "the slope in the exponent is 0, since 0**y is 0 for every y above 0",
            kind=GAP,
            formula="0 times log(0)",
        ),
    ),
    "atan2": (
        Row(
            both_zero, "both slopes are 0", NAN_ELSEWHERE, kind=SINGULAR, shows=(0, 1), formula="0 times 1/0"
        ),
    ),
    "hypot": (
        Row(
            both_zero, "both slopes are nan", "HIPS autograd answers nan too, JAX 0.5 for both", shows=(0, 1)
        ),
    ),
    "xlogy": (
        slope_in(
            0,
            both_zero,
            "the slope in the first operand is 0",
            "JAX answers -infinity",
            kind=SINGULAR,
            formula="log(0)",
        ),
        slope_in(
            1,
            both_zero,
            "the slope in the second operand is nan",
            "JAX answers nan too",
            kind=SINGULAR,
        ),
        slope_in(
            0,
            lambda out, x, y: (x == 0) & (y < 0),
            "the slope in the first operand is 0",
            kind=SINGULAR,
            formula="the logarithm of a negative number",
        ),
    ),
    "xlog1py": (
        slope_in(
            0,
            lambda out, x, y: (x == 0) & (y <= -1),
            "the slope in the first operand is 0",
            kind=SINGULAR,
            formula="a logarithm of no positive number",
        ),
    ),
    "sinc": (
        Row(
            at_zero,
            "the slope is 0, the limit",
            "JAX and MyGrad answer 0 too, HIPS autograd nan",
            kind=GAP,
            formula="0/0",
        ),
    ),
    "logaddexp": (Row(nothing_to_add, "both slopes are nan", kind=SINGULAR, shows=(0, 1)),),
    "logaddexp2": (Row(nothing_to_add, "both slopes are nan", kind=SINGULAR, shows=(0, 1)),),
    "logsumexp": (Row(nothing_to_add, "the slope is nan", "JAX answers nan too", kind=SINGULAR, shows=()),),
    "logcumsumexp": (Row(nothing_to_add, "the slope is nan", kind=SINGULAR, shows=()),),
    # products
    "prod": (
        Row(
            at_zero,
            "the slope is the product of the other entries",
            "JAX and MyGrad answer the same, HIPS autograd nan",
            kind=GAP,
            formula="0/0",
        ),
    ),
    "cumprod": (
        Row(
            at_zero,
            "the slope is made of the products of the other entries",
            "JAX and MyGrad answer the same",
            kind=GAP,
            formula="0/0",
        ),
    ),
    "det": (
        Row(
            result_is_zero,
            "the gradient is the matrix of cofactors, as at every matrix",
            "PyTorch answers zeros, JAX a finite matrix, HIPS autograd raises LinAlgError",
            kind=GAP,
            shows=(),
        ),
    ),
    # losses
    "smooth_l1_loss": (
        Row(
            lambda out, x, y, *, beta, reduction: abs(x - y) == beta,
            SLOPE_OUTSIDE,
            kind=BEND,
            shows=(0, 1),
        ),
    ),
    "huber_loss": (
        Row(
            lambda out, x, y, *, delta, reduction: abs(x - y) == delta,
            SLOPE_OUTSIDE,
            kind=BEND,
            shows=(0, 1),
        ),
    ),
}

#: Ops that pass on entries which they chose by size. ``Op.kink`` of their record says what happens in a tie;
#: it is empty if the script gave the positions.
CHOICES = ("pick", "gather")
#: What other engines do with a tie, by torch's name for the node.
CHOICES_ELSEWHERE = {
    "MaxBackward0": "JAX and HIPS autograd share it, MyGrad gives it to the first",
    "CummaxBackward0": "for [1, 1, 2] JAX answers 1.5, 0.5, 1 and PyTorch 1, 1, 1",
}
