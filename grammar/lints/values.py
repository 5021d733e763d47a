"""The static description of a value, and tables of torch's functions that the lints refer to.

A value about which something is uncertain is ``UNKNOWN``: lints do not report it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

#: Kinds of values. A LEAF and a GRAPH value require a gradient, a PLAIN tensor does not.
LEAF, GRAPH, PLAIN = "leaf", "graph", "plain"
NUMBER, LIST, FUNCTION, OTHER, UNKNOWN = "number", "list", "function", "other", "unknown"
TENSORS = (LEAF, GRAPH, PLAIN)

#: Functions that make tensors: of floats, of integers, and of a type that depends on the arguments.
FLOAT_MAKERS = frozenset(
    "zeros ones rand randn eye linspace logspace empty normal Tensor FloatTensor DoubleTensor".split()
)
INTEGER_MAKERS = frozenset("randint randperm LongTensor IntTensor ByteTensor BoolTensor".split())
OTHER_MAKERS = frozenset(
    "tensor as_tensor arange full full_like zeros_like ones_like rand_like randn_like empty_like".split()
)
MAKERS = FLOAT_MAKERS | INTEGER_MAKERS | OTHER_MAKERS
#: Functions of tensors whose results have no gradient.
WITHOUT_GRADIENT = frozenset(
    "argmax argmin argsort eq ne lt le gt ge equal allclose isclose isnan isinf isfinite all any bernoulli"
    " count_nonzero logical_and logical_or logical_xor logical_not bitwise_and bitwise_or bitwise_xor"
    " bitwise_not floor_divide multinomial argwhere bucketize searchsorted histc".split()
)
#: Functions and methods whose result is, or may be, something else than one tensor.
SEVERAL = frozenset(
    "max min median nanmedian mode kthvalue sort topk cummax cummin aminmax std_mean var_mean qr svd eigh"
    " slogdet lu lu_factor lu_factor_ex lu_unpack inv_ex solve_ex cholesky_ex triangular_solve split"
    " split_with_sizes chunk unsafe_split unsafe_split_with_sizes unsafe_chunk unbind tensor_split hsplit"
    " vsplit dsplit meshgrid broadcast_tensors broadcast_shapes unique unique_consecutive nonzero where"
    " frexp histogram gradient unravel_index lstsq max_pool1d max_pool2d max_pool3d atleast_1d atleast_2d"
    " atleast_3d equal allclose".split()
)
#: Functions whose calls are recorded for the lints, with their inputs.
WATCHED = frozenset("cross_entropy binary_cross_entropy_with_logits nll_loss log sqrt where **".split())
#: The fields of what functions return: of named tuples, and of the limits of a type of numbers.
FIELDS = frozenset(
    "values indices Q R U S Vh P L V LU pivots result solution cloned_coefficient sign logabsdet"
    " eigenvalues eigenvectors min max inverse info solution residuals rank singular_values mantissa"
    " exponent hist bin_edges bits eps tiny resolution".split()
)
#: Functions that save values for backward, so that a second pass through them fails.
KEEPING = frozenset(
    "mul multiply div divide pow square exp exp2 log log2 log10 log1p sin cos tan tanh sigmoid relu sqrt"
    " softmax log_softmax matmul mm mv dot bmm mse_loss cross_entropy prod * / ** @".split()
)
#: Methods that return the number or the values without the graph.
CUTTING = frozenset(["detach", "item", "tolist", "numpy"])
#: The ``cut`` of a tensor made from a list of tensors and other values.
MIXED = "mixed list"
#: The ``cut`` of the result of a function without a derivative.
NO_SLOPE = "no slope"
#: The ``cut`` of a conversion to whole numbers.
WHOLE = "whole numbers"
NOT_FUNCTIONS = frozenset(
    "manual_seed set_default_dtype get_default_dtype set_printoptions is_grad_enabled is_tensor".split()
)
#: Namespaces of functions that scripts can use without an import.
NAMESPACES = frozenset(["torch", "F", "linalg", "special", "math", "np", "autograd"])


class Value:
    """What is known of a value: its kind, its inputs, and what was done to it later.

    ``cut`` says what stopped the gradient between ``inputs`` and this value ("" if nothing did). ``grad_of``
    is the tensor whose ``.grad`` this is, ``outputs`` what grad() differentiated for it. ``used_up`` is the
    place and call of the backward pass that freed the graph. ``names`` are the names bound to it, each with
    the binding statement. ``scope`` holds the environments that a function sees. ``single`` is false where
    it may be several tensors or no tensor. ``is_double`` is true of a new tensor of the
    default type, which is double precision. ``is_view`` is true of entries that a subscript takes out of its
    tensor without copying them.
    """

    __slots__ = (
        "cut", "grad_of", "inputs", "integer", "is_double", "is_view", "keeps", "kind", "names", "node",
        "number", "outputs", "retained", "scope", "single", "used_up",
    )  # fmt: skip

    def __init__(
        self, kind: str, node: Any = None, inputs: tuple[Value, ...] = (), cut: str = "", keeps: bool = False
    ) -> None:
        self.kind = kind
        self.node = node
        self.inputs = inputs
        self.cut = cut
        self.keeps = keeps
        self.integer: bool | None = None
        self.is_double = False
        self.is_view = False
        self.number: int | float | None = None
        self.grad_of: Value | None = None
        self.outputs: Value | None = None
        self.names: list[tuple[str, Any]] = []
        self.single = True
        self.retained = False
        self.used_up: Any = None
        self.scope: list[dict[str, Value]] = []

    @property
    def requires_grad(self) -> bool:
        """Whether it certainly requires a gradient."""
        return self.kind in (LEAF, GRAPH)

    @property
    def is_tensor(self) -> bool:
        """Whether it certainly is a tensor."""
        return self.kind in TENSORS


def ancestors(value: Value, through_cuts: bool = True, seen: set[int] | None = None) -> Iterator[Value]:
    """Yield the value and its ancestors; with ``through_cuts`` false only those a gradient reaches.

    Values whose ids are in ``seen`` are skipped together with their ancestors; the ids of the others are
    added.
    """
    seen = set() if seen is None else seen
    stack = [value]
    while stack:
        one = stack.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        if through_cuts or not one.cut:
            stack.extend(one.inputs)


def bases(value: Value) -> Iterator[Value]:
    """Yield the value and the tensors that it is certainly a view of."""
    yield value
    while value.is_view:
        value = value.inputs[0]
        yield value


def comes_from_gradient(value: Value, leaf: Value) -> bool:
    """Whether a value was computed from the ``.grad`` of a tensor."""
    return any(one.grad_of is leaf for one in ancestors(value))
