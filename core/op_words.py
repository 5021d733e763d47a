"""What readers call an op: by the function of the language it is or belongs to, not by the engine's name."""

from __future__ import annotations

#: Ops that no function of the language is called like, as calls of one, or by that they are a part of.
OP_WORDS = {
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
}


def word(op: str) -> str:
    """The word for an op, or its call with places for the operands.

    >>> word("vector_norm"), word("sin"), word("exponent")
    ('norm', 'sin', 'frexp({0})[1]')
    """
    return OP_WORDS.get(op, op)
