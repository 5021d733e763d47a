"""Tables of ops that stop a gradient or make it infinite or nan, and the sentences about each."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.graph.node import OpNode

#: Ops whose slope is 0 everywhere.
STEP_OPS = (
    "floor",
    "ceil",
    "round",
    "round_to",
    "trunc",
    "sign",
    "heaviside",
    "div_floor",
    "div_trunc",
    "floor_divide",
)
#: Ops whose slope is 0 beyond a bound.
BOUNDED_OPS = (
    "clamp",
    "clamp_min",
    "clamp_max",
    "hardtanh",
    "hardsigmoid",
    "threshold",
    "hardshrink",
    "softshrink",
)
#: Ops that saturate: beyond some size of the operand, their slope is smaller than any floating-point number.
SATURATING_OPS = (
    "sigmoid",
    "tanh",
    "exp",
    "exp2",
    "erf",
    "erfc",
    "softmax",
    "log_softmax",
    "softplus",
    "logsigmoid",
    "atan",
)
#: Ops that pass the incoming gradient to one of several entries or operands.
SELECTING_OPS = (
    "amax",
    "amin",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "pick",
    "median",
    "select",
    "index",
    "slice",
    "gather",
)
#: Ops that concatenate their operands.
JOINING_OPS = ("stack", "cat", "block_diag")
#: Ops that pass on the difference of the incoming gradient from its mean, so 0 if it is constant.
CENTERING_OPS = ("softmax", "log_softmax", "standardize", "std", "var")
#: Ops whose entries are products, or sums of products, of their operands.
PRODUCT_OPS = ("mul", "matmul", "mm", "mv", "dot", "bmm", "outer", "vm", "einsum", "cross")
#: Ops that give ``beta`` times the first operand plus ``alpha`` times the product of the two others.
ADDED_PRODUCT_OPS = ("addmm", "addmv", "addr", "addbmm", "baddbmm")
_BRANCH = "leaves this branch out, but not its derivative"
_OVER = "writes over this entry, but its derivative stays"
_BOUND = "holds this entry at a bound, but its derivative stays"
_OTHER = "takes other entries, but the derivative of this one stays"
#: Ops that let a gradient through in some entries only, and what they do with the other entries.
BLOCKING_WORDS = {
    **dict.fromkeys(("where", "except_where", "without_nan", "maximum", "minimum", "fmax", "fmin"), _BRANCH),
    **dict.fromkeys(("masked_fill", "index_put", "scatter_with", "nan_to_num", "write_through"), _OVER),
    **dict.fromkeys(("clamp", "clamp_min", "clamp_max", "relu", "hardtanh", "threshold"), _BOUND),
    **dict.fromkeys(("index", "select", "slice", "gather", "pick", "amax", "amin", "take"), _OTHER),
    "mul": "has a 0 for this entry, but not for its derivative",
}
#: Ops that take some entries of their operand.
INDEXING_OPS = (
    *("index", "index_select", "select", "slice", "gather", "pick", "take", "part"),
    *("amax", "amin", "median", "diagonal"),
)
_OTHER_BRANCH = "takes the other branch there"
_OTHER_OPERAND = "takes the other operand there"
_WRITES = "writes over {}"
#: What an elementwise op does where it lets no gradient through. {} is replaced by a pronoun for the entries.
STOPPING_WORDS = {
    "relu": "passes nothing on where its input is not positive",
    **dict.fromkeys(BOUNDED_OPS, "is flat beyond its bounds"),
    **dict.fromkeys(("where", "except_where", "without_nan"), _OTHER_BRANCH),
    **dict.fromkeys(("maximum", "minimum", "fmax", "fmin"), _OTHER_OPERAND),
    **dict.fromkeys(("masked_fill", "index_put", "scatter_with", "write_through"), _WRITES),
    "mul": "multiplies {} by 0",
}
#: Ops that write infinities where the script asks for them.
FILLING_OPS = ("masked_fill", "where", "index_put", "constant_pad", "scatter_with")
#: Ops whose slope is 0 where their operand is 0.
FLAT_AT_ZERO_OPS = ("pow", "square", "vector_norm")
#: How to refer to an op that the script does not call by a name.
UNNAMED_OPS = {"mul": "the product", "index_put": "the assignment", "write_through": "the assignment"}
#: Why the slope of an op is unbounded at some point. {x} and {y} are replaced by the operands, {f} and {g} by
#: the operands as factors, {own} by the operand that the gradient is for.
UNBOUNDED_SLOPE_REASONS = {
    "sqrt": "the slope of sqrt is 1/(2*sqrt({x})), which has no bound at 0",
    "rsqrt": "1/sqrt({x}) and its slope have no bound at 0",
    "log": "the slope of log is 1/{f}, which has no bound at 0",
    "log2": "the slope of log2 grows like 1/{f}, which has no bound at 0",
    "log10": "the slope of log10 grows like 1/{f}, which has no bound at 0",
    "log1p": "the slope of log1p is 1/(1 + {x}), which has no bound at -1",
    "xlogy": "the slope of {f}*log({y}) in {y} is {f}/{g}, and in {x} it is log({y})",
    "reciprocal": "1/{f} and its slope have no bound at 0",
    "div": "the slope of a quotient has the divisor below the line, and that is 0",
    "hypot": "the slope of hypot is {own}/hypot({x}, {y}), which is 0/0 where both are 0",
    "vector_norm": "the slope of this norm has no bound at 0",
    "erfinv": "erfinv has finite values between -1 and 1 only",
    "ndtri": "ndtri has finite values between 0 and 1 only",
    "lgamma": "lgamma has no finite value at 0 and at negative whole numbers",
    "digamma": "digamma has no finite value at 0 and at negative whole numbers",
    "log_abs_det": "the slope of log(det({x})) is the inverse of {x}, which a singular matrix has none of",
    "inv": "a singular matrix has no inverse",
    "acos": "the slope of acos has no bound at -1 and 1",
    "asin": "the slope of asin has no bound at -1 and 1",
    "atanh": "the slope of atanh has no bound at -1 and 1",
    "acosh": "the slope of acosh has no bound at 1",
    "logit": "the slope of logit has no bound at 0 and 1",
    "pow": "the slope of a power below 1 has no bound at 0",
    "std": "the slope of std is that of a square root, which has no bound where all entries are equal",
}
#: Why the value of an op is not finite; {x} and {f} as above.
UNDEFINED_VALUE_REASONS = {
    "sqrt": "the square root of a negative number is nan",
    "rsqrt": "1/sqrt({x}) has no value where {x} is not positive",
    "acos": "acos has values between -1 and 1 only",
    "asin": "asin has values between -1 and 1 only",
    "atanh": "atanh has finite values between -1 and 1 only",
    "acosh": "acosh has values from 1 on only",
    "logit": "logit has finite values between 0 and 1 only",
    "reciprocal": "1/{f} has no finite value at 0",
    "log1p": "log1p has finite values above -1 only",
    "erfinv": "erfinv has finite values between -1 and 1 only",
    "ndtri": "ndtri has finite values between 0 and 1 only",
    "lgamma": "lgamma has no finite value at 0 and at negative whole numbers",
    "digamma": "digamma has no finite value at 0 and at negative whole numbers",
    "log_abs_det": "the determinant is 0, and its logarithm -infinity",
}
OVERFLOWING_OPS = (
    *("add", "sub", "mul", "div", "sum", "matmul", "mm", "mv", "dot", "square", "prod", "pow", "mean"),
    *(
        "var",
        "std",
        "cumsum",
        "cumprod",
        "vm",
        "bmm",
        "outer",
        "vector_norm",
        "einsum",
        *ADDED_PRODUCT_OPS,
        "trace",
        "det",
    ),
)
LOGARITHMS = ("log", "log2", "log10")
EXPONENTIALS = ("exp", "exp2", "expm1", "sinh", "cosh")


def factors_beside(node: OpNode, index: int) -> list[int]:
    """The operands that a product multiplies operand ``index`` by; none if the op is no product."""
    first = 1 if node.op.name in ADDED_PRODUCT_OPS else 0
    if index < first or node.op.name not in (*PRODUCT_OPS, *ADDED_PRODUCT_OPS):
        return []
    return [at for at in range(first, len(node.operands)) if at != index]


def is_product_with_itself(node: OpNode) -> bool:
    """Whether a node is ``x * x``. Its slope is 0 where ``x`` is 0."""
    return node.op.name == "mul" and node.inputs[0] is node.inputs[1]
