"""The table of kinks, jumps and singular points of ops, and the derivative that each is given there.

A row says which entries of which op it is about, what is answered there, and what other engines answer. Every
answer is PyTorch's (2.13) unless the row says otherwise; ``tests/core/why/test_kink_remarks.py`` checks the
rows. JAX stands for 0.10, HIPS autograd for 1.9, MyGrad for 2.5.
"""

from __future__ import annotations

from math import inf

from autodiff.core.why.kink_rules import (
    CELU_TOLERANCE,
    FORMULA_GAP,
    JUMP,
    SINGULAR,
    SLOPE_KINK,
    KinkRule,
    are_tensors,
    at_integer,
    at_nonzero_integer,
    at_zero,
    both_zero,
    has_norm_order,
    integer_quotient,
    largest_coordinates,
    nonzero_integer_quotient,
    operands_differ,
    operands_equal,
    result_is_zero,
    slope_rule,
    sum_of_exps_is_zero,
    tied_entries,
    tied_magnitudes,
    tied_scatter_positions,
    zero_entries_of_norm,
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

KINK_RULES: dict[str, tuple[KinkRule, ...]] = {
    # sides of a number
    "abs": (KinkRule(at_zero, ZERO, "HIPS autograd and MyGrad answer 0 too, JAX 1"),),
    "relu": (KinkRule(at_zero, ZERO, "JAX and MyGrad answer 0 too, HIPS autograd, by way of maximum, 0.5"),),
    "sign": (KinkRule(at_zero, FLAT, "JAX and HIPS autograd answer 0 too, MyGrad has no sign", kind=JUMP),),
    "leaky_relu": (
        KinkRule(
            lambda out, x, negative_slope: (x == 0) & (negative_slope != 1),
            f"{NEGATIVE_SIDE}, {{negative_slope:g}}",
            "JAX answers 1, MyGrad 0",
        ),
    ),
    "prelu": (
        KinkRule(
            lambda out, x, weight: (x == 0) & (weight != 1),
            NEGATIVE_SIDE,
            shown_operands=(0, 1),
            operands=(0,),
        ),
    ),
    "elu": (
        KinkRule(
            lambda out, x, alpha, scale, input_scale: (
                (x == 0) & (abs(alpha * input_scale - 1) > CELU_TOLERANCE)
            ),
            NEGATIVE_SIDE,
        ),
        KinkRule(
            lambda out, x, alpha, scale, input_scale: (
                (x == 0) & (abs(alpha * input_scale - 1) <= CELU_TOLERANCE)
            ),
            "the slope's own slope is that of the positive side, 0",
            kind=SLOPE_KINK,
        ),
    ),
    "copysign": (
        KinkRule(at_zero, ZERO, operands=(0,), formula="0/0"),
        KinkRule(lambda out, x, y: (y == 0) & (x != 0), FLAT, kind=JUMP, shown_operands=(1,), operands=(1,)),
    ),
    # bounds
    "clamp": (
        KinkRule(lambda out, x, low, high: (x == low) | (x == high), INSIDE, CLAMPS, operands=(0,)),
        KinkRule(
            lambda out, x, low, high: (x == low) | (x == high),
            BOUND_GETS,
            shown_operands=(0, 1, 2),
            operands=(1, 2),
        ),
    ),
    "clamp_min": (
        KinkRule(operands_equal, INSIDE, CLAMPS, operands=(0,)),
        KinkRule(operands_equal, BOUND_GETS, shown_operands=(0, 1), operands=(1,)),
    ),
    "clamp_max": (
        KinkRule(operands_equal, INSIDE, CLAMPS, operands=(0,)),
        KinkRule(operands_equal, BOUND_GETS, shown_operands=(0, 1), operands=(1,)),
    ),
    "hardtanh": (
        KinkRule(
            lambda out, x, min_val, max_val: (x == 6) & (min_val == 0) & (max_val == 6),
            "the slope at a bound is 0",
            "JAX's relu6 answers 0 too",
        ),
        KinkRule(
            lambda out, x, min_val, max_val: (
                (x == min_val) | ((x == max_val) & ((min_val != 0) | (max_val != 6)))
            ),
            "the slope at a bound is 0",
        ),
    ),
    "hardsigmoid": (KinkRule(lambda out, x: (x == -3) | (x == 3), "the slope at a bound is 0"),),
    "hardswish": (
        KinkRule(lambda out, x: x == -3, "the slope is that of the outside, 0"),
        KinkRule(lambda out, x: x == 3, "the slope is that of the outside, 1"),
    ),
    "softshrink": (
        KinkRule(lambda out, x, lambd: (x == lambd) | (x == -lambd), "the slope at a bound is 0"),
    ),
    "hardshrink": (
        KinkRule(
            lambda out, x, lambd: (x == lambd) | (x == -lambd),
            "the slope at a bound is 0",
            kind=JUMP,
            applies=lambda node: node.params["lambd"] != 0,
        ),
        # This is the identity, but its rule takes 0 for inside the bounds, which leave no inside.
        KinkRule(at_zero, ZERO, kind=SINGULAR, applies=lambda node: node.params["lambd"] == 0),
    ),
    "threshold": (
        KinkRule(
            lambda out, x, threshold, value: x == threshold,
            "the slope at the threshold is 0",
            kind=JUMP,
            applies=lambda node: node.params["threshold"] != node.params["value"],
        ),
        KinkRule(
            lambda out, x, threshold, value: x == threshold,
            "the slope at the threshold is 0",
            applies=lambda node: node.params["threshold"] == node.params["value"],
        ),
    ),
    "logit_within": (
        KinkRule(
            lambda out, x, eps: (x == eps) | (x == 1 - eps), "the slope at a bound is that of the inside"
        ),
    ),
    # the larger of two
    "maximum": (
        KinkRule(
            operands_equal,
            "each of the two receives half",
            "JAX and HIPS autograd share it as well, MyGrad answers 0 for both",
            shown_operands=(0, 1),
            applies=operands_differ,
        ),
    ),
    "minimum": (
        KinkRule(
            operands_equal, "each of the two receives half", shown_operands=(0, 1), applies=operands_differ
        ),
    ),
    "fmax": (
        KinkRule(
            operands_equal,
            "the first of the two receives all",
            shown_operands=(0, 1),
            applies=operands_differ,
        ),
    ),
    "fmin": (
        KinkRule(
            operands_equal,
            "the first of the two receives all",
            shown_operands=(0, 1),
            applies=operands_differ,
        ),
    ),
    # the largest of many; for picked entries ``kinks`` compares what the tied entries received
    "amax": (KinkRule(tied_entries, SHARED, OF_A_TIE),),
    "amin": (KinkRule(tied_entries, SHARED),),
    "median": (KinkRule(tied_entries, SHARED, "JAX takes the mean of the two middle entries"),),
    "nanmedian": (KinkRule(tied_entries, SHARED),),
    "scatter_amax": (KinkRule(tied_scatter_positions, SHARED, shown_operands=()),),
    "scatter_amin": (KinkRule(tied_scatter_positions, SHARED, shown_operands=()),),
    "largest_coordinate": (KinkRule(largest_coordinates, "each of those that tie receives the whole slope"),),
    # steps
    "floor": (KinkRule(at_integer, FLAT, ALL_FLAT, kind=JUMP),),
    "ceil": (KinkRule(at_integer, FLAT, kind=JUMP),),
    "trunc": (KinkRule(at_nonzero_integer, FLAT, kind=JUMP),),
    "round": (KinkRule(lambda out, x: abs(x - out) == 0.5, FLAT, ALL_FLAT, kind=JUMP),),
    "round_to": (KinkRule(lambda out, x, decimals: x * 10.0**decimals % 1 == 0.5, FLAT, kind=JUMP),),
    "frac": (KinkRule(lambda out, x: (out == 0) & (x != 0), WITHOUT_JUMP, kind=JUMP),),
    "remainder": (KinkRule(result_is_zero, WITHOUT_JUMP, kind=JUMP, shown_operands=(0, 1)),),
    "fmod": (
        KinkRule(lambda out, x, y: (out == 0) & (x != 0), WITHOUT_JUMP, kind=JUMP, shown_operands=(0, 1)),
    ),
    "div_floor": (KinkRule(integer_quotient, FLAT, kind=JUMP, shown_operands=(0, 1)),),
    "div_trunc": (KinkRule(nonzero_integer_quotient, FLAT, kind=JUMP, shown_operands=(0, 1)),),
    "mantissa": (KinkRule(lambda out, x: abs(out) == 0.5, WITHOUT_JUMP, kind=JUMP),),
    # norms and spreads
    "vector_norm": (
        KinkRule(
            zero_norm,
            ZERO,
            NAN_ELSEWHERE,
            shown_operands=(),
            applies=has_norm_order(lambda ord: ord == 2),
            formula="0/0",
        ),
        KinkRule(
            zero_norm, ZERO, shown_operands=(), applies=has_norm_order(lambda ord: ord != 2), formula="0/0"
        ),
        KinkRule(zero_entries_of_norm(lambda ord: ord == 1), ZERO),
        KinkRule(
            zero_entries_of_norm(lambda ord: 0 < ord < 1), ZERO, kind=SINGULAR, formula="0 times infinity"
        ),
        KinkRule(zero_entries_of_norm(lambda ord: ord == 0), FLAT, kind=JUMP),
        KinkRule(
            tied_magnitudes,
            "entries that tie share the gradient equally, and an entry of 0 receives none",
            applies=has_norm_order(lambda ord: ord in (inf, -inf)),
        ),
    ),
    "std": (KinkRule(result_is_zero, ZERO, NAN_ELSEWHERE, shown_operands=(), formula="0/0"),),
    # powers, angles, logarithms
    "pow": (
        slope_rule(
            0,
            both_zero,
            "the slope in the base is 0, since x**0 is 1 everywhere",
            "HIPS autograd and MyGrad answer 0 too, JAX nan",
            kind=FORMULA_GAP,
            applies=are_tensors(1),
            formula="0 times infinity",
        ),
        slope_rule(
            1,
            both_zero,
            "the slope in the exponent is 0",
            "JAX, HIPS autograd and MyGrad answer 0 too",
            kind=JUMP,
            formula="log(0)",
        ),
        slope_rule(
            1,
            lambda out, x, y: (x == 0) & (y > 0),
            "the slope in the exponent is 0, since 0**y is 0 for every y above 0",
            kind=FORMULA_GAP,
            formula="0 times log(0)",
        ),
    ),
    "atan2": (
        KinkRule(
            both_zero,
            "both slopes are 0",
            NAN_ELSEWHERE,
            kind=SINGULAR,
            shown_operands=(0, 1),
            formula="0 times 1/0",
        ),
    ),
    "hypot": (
        KinkRule(
            both_zero,
            "both slopes are nan",
            "HIPS autograd answers nan too, JAX 0.5 for both",
            shown_operands=(0, 1),
        ),
    ),
    "xlogy": (
        slope_rule(
            0,
            both_zero,
            "the slope in the first operand is 0",
            "JAX answers -infinity",
            kind=SINGULAR,
            formula="log(0)",
        ),
        slope_rule(
            1,
            both_zero,
            "the slope in the second operand is nan",
            "JAX answers nan too",
            kind=SINGULAR,
        ),
        slope_rule(
            0,
            lambda out, x, y: (x == 0) & (y < 0),
            "the slope in the first operand is 0",
            kind=SINGULAR,
            formula="the logarithm of a negative number",
        ),
    ),
    "xlog1py": (
        slope_rule(
            0,
            lambda out, x, y: (x == 0) & (y <= -1),
            "the slope in the first operand is 0",
            kind=SINGULAR,
            formula="a logarithm of no positive number",
        ),
    ),
    "sinc": (
        KinkRule(
            at_zero,
            "the slope is 0, the limit",
            "JAX and MyGrad answer 0 too, HIPS autograd nan",
            kind=FORMULA_GAP,
            formula="0/0",
        ),
    ),
    "logaddexp": (
        KinkRule(sum_of_exps_is_zero, "both slopes are nan", kind=SINGULAR, shown_operands=(0, 1)),
    ),
    "logaddexp2": (
        KinkRule(sum_of_exps_is_zero, "both slopes are nan", kind=SINGULAR, shown_operands=(0, 1)),
    ),
    "logsumexp": (
        KinkRule(
            sum_of_exps_is_zero, "the slope is nan", "JAX answers nan too", kind=SINGULAR, shown_operands=()
        ),
    ),
    "logcumsumexp": (KinkRule(sum_of_exps_is_zero, "the slope is nan", kind=SINGULAR, shown_operands=()),),
    # products
    "prod": (
        KinkRule(
            at_zero,
            "the slope is the product of the other entries",
            "JAX and MyGrad answer the same, HIPS autograd nan",
            kind=FORMULA_GAP,
            formula="0/0",
        ),
    ),
    "cumprod": (
        KinkRule(
            at_zero,
            "the slope is made of the products of the other entries",
            "JAX and MyGrad answer the same",
            kind=FORMULA_GAP,
            formula="0/0",
        ),
    ),
    "det": (
        KinkRule(
            result_is_zero,
            "the gradient is the matrix of cofactors, as at every matrix",
            "PyTorch answers zeros, JAX a finite matrix, HIPS autograd raises LinAlgError",
            kind=FORMULA_GAP,
            shown_operands=(),
        ),
    ),
    # losses
    "smooth_l1_loss": (
        KinkRule(
            lambda out, x, y, *, beta, reduction: abs(x - y) == beta,
            SLOPE_OUTSIDE,
            kind=SLOPE_KINK,
            shown_operands=(0, 1),
        ),
    ),
    "huber_loss": (
        KinkRule(
            lambda out, x, y, *, delta, reduction: abs(x - y) == delta,
            SLOPE_OUTSIDE,
            kind=SLOPE_KINK,
            shown_operands=(0, 1),
        ),
    ),
}

#: Ops that pass on entries which they chose by size. ``Op.kink`` of their record says what happens in a tie;
#: it is empty if the script gave the positions.
TIE_OPS = ("pick", "gather")
#: What other engines do with a tie, by torch's name for the node.
TIES_ELSEWHERE = {
    "MaxBackward0": "JAX and HIPS autograd share it, MyGrad gives it to the first",
    "CummaxBackward0": "for [1, 1, 2] JAX answers 1.5, 0.5, 1 and PyTorch 1, 1, 1",
}
