"""The names of ops for readers: the public function that an op is or belongs to, not the engine's name."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: Ops whose name is not that of a public function: the function they belong to, or a call of one.
READER_NAMES = {
    **{"vector_norm": "norm", "sum_to": "sum", "vm": "mv", "zero": "zeros_like", "standardize": "layer_norm"},
    **{"windows": "unfold", "add_windows": "fold", "constant_pad": "pad", "except_where": "where"},
    **{"index": "take", "part": "take", "pick": "gather", "slice": "narrow", "embed": "put"},
    **{"scatter_with": "scatter", "scatter_amax": "scatter_reduce", "scatter_amin": "scatter_reduce"},
    **{"scatter_prod": "scatter_reduce", "write_through": "copy", "nll_transposed": "nll_loss"},
    **{"div_floor": "floor_divide", "round_to": "round", "logit_within": "logit", "unique_dim": "unique"},
    **{"eigenvalues": "linalg.eigvalsh", "singular_values": "linalg.svdvals", "histogram_part": "histc"},
    "div_trunc": "div({0}, {1}, rounding_mode='trunc')",
    "gelu_tanh": "gelu({0}, approximate='tanh')",
    **{"mantissa": "frexp({0})[0]", "exponent": "frexp({0})[1]"},
    **{"qr_q": "linalg.qr({0})[0]", "qr_r": "linalg.qr({0})[1]", "eigenvectors": "linalg.eigh({0})[1]"},
    **{"sign_of_det": "linalg.slogdet({0})[0]", "log_abs_det": "linalg.slogdet({0})[1]"},
    **{
        "lu_permutation": "linalg.lu({0})[0]",
        "lu_lower": "linalg.lu({0})[1]",
        "lu_upper": "linalg.lu({0})[2]",
    },
}
#: Ops that no public function computes: their arguments and meaning.
INTERNAL_FUNCTIONS = {
    "cofactor": ("A", "det(A)*inv(A).T, the matrix of cofactors, which singular matrices have too"),
    "cofactor_slope": ("A, H", "how cofactor(A) changes along H"),
    "left_vectors": ("A", "linalg.svd(A, full_matrices=False)[0]"),
    "right_vectors": ("A", "linalg.svd(A, full_matrices=False)[2]"),
    "ctc_slope": ("g, p", "g times the slope of ctc_loss by the log probabilities p"),
    "mix": ("x", "sums of the entries of x along dim with these weights"),
    "others": ("x", "for every entry of x the product of all the others"),
    "cumprod_adjoint": ("g, x", "what the entries of x receive where those of cumprod(x) receive g"),
    "largest_coordinate": ("x", "the largest of abs(x) in the last dimension"),
    "without_nan": ("x", "x with 0 for nan"),
}


def glossary(functions: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """The meaning of each function in a formula that the language does not have, each once.

    >>> glossary(["sin", "without_nan", "without_nan", "flow_vjp"])
    (('without_nan(x)', 'x with 0 for nan'), ('flow_vjp(g, ...)', 'what flow hands on of g in backward()'))
    """
    found = {}
    for function in functions:
        if function in INTERNAL_FUNCTIONS:
            arguments, meaning = INTERNAL_FUNCTIONS[function]
            found[f"{function}({arguments})"] = meaning
        elif function.endswith("_vjp"):
            found[f"{function}(g, ...)"] = f"what {function.removesuffix('_vjp')} hands on of g in backward()"
    return tuple(found.items())


def reader_name(op: str) -> str:
    """The word for an op, or a call with placeholders for the operands.

    >>> reader_name("vector_norm"), reader_name("sin"), reader_name("exponent")
    ('norm', 'sin', 'frexp({0})[1]')
    """
    return READER_NAMES.get(op, op)
