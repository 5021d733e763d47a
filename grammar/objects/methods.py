"""The table of methods, from (class, name) to a function that takes the value first.

Here are the tensor methods that differ from those of ``core.methods``, because scripts have values of their
own, and the methods of nodes. ``attributes`` adds those of core, ``custom_functions`` those of custom
functions, ``sequence_methods`` those of strings, lists and shapes.
"""

from __future__ import annotations

from autodiff.core.base.random_source import random_source
from autodiff.core.engine.hooks import HookHandle
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import ArrayNode, Leaf, ScalarNode
from autodiff.core.ops.shape.dims import size_along
from autodiff.grammar.objects.values import Generator, Size, as_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

METHODS: dict[tuple[type, str], Callable[..., Any]] = {}

#: The classes of the usual values of ``retain_graph``.
RETAIN_GRAPH_CLASSES = (bool, type(None))
#: Methods that select or rearrange entries and change none.
SELECTING_METHODS = frozenset(
    "gather index_select squeeze unsqueeze view reshape flatten diagonal take".split()
)


def script_method(kind: type, *names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that registers a function as the methods ``names`` of class ``kind``."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            METHODS[kind, name] = function
        function.__qualname__ = names[0]  # the name in Python's error for wrong arguments
        return function

    return enter


# -- tensors ----------------------------------------------------------------------------------------


@script_method(Tensor, "backward")
def backward(
    x: Tensor,
    gradient: Any = None,
    retain_graph: Any = None,
    create_graph: Any = False,
    inputs: Any = None,
    *,
    retain_variables: Any = None,
) -> None:
    if retain_graph is None:
        retain_graph = retain_variables
    is_plain = retain_graph.__class__ in RETAIN_GRAPH_CLASSES and create_graph.__class__ is bool
    if not is_plain or inputs is not None or (gradient is not None and gradient.__class__ is not Tensor):
        from autodiff.grammar.objects import autograd

        autograd.backward(x, gradient, retain_graph, create_graph, inputs)
        return
    x.backward(gradient, retain_graph, create_graph)


@script_method(Tensor, "retain_grad")
def retain_grad(x: Tensor) -> None:
    x.retain_grad()


@script_method(Tensor, "detach")
def detach(x: Tensor) -> Tensor:
    return x.detach()


@script_method(Tensor, "item")
def item(x: Tensor) -> Any:
    return x.item()


@script_method(Tensor, "tolist")
def tolist(x: Tensor) -> Any:
    return x.tolist()


@script_method(Tensor, "numpy")
def numpy(x: Tensor, *, force: Any = False) -> Tensor:
    from autodiff.core.methods.bookkeeping import check_numpy_call

    check_numpy_call(x, force)
    return x.detach()


@script_method(Tensor, "size")
def size(x: Tensor, dim: Any = None) -> Any:
    if dim is None:
        return Size(x.shape)
    return size_along(x, as_index(dim, "a dimension"))


def variable_of(node: Leaf) -> Tensor:
    """Return the tensor whose gradient an AccumulateGrad node accumulates."""
    made = Tensor.of(node.out, node, node.tracked)
    made.grad_slot = node.grad_slot
    return made


METHODS[HookHandle, "remove"] = HookHandle.remove


# -- nodes, contexts, classes -----------------------------------------------------------------------


def node_name(node: Any) -> str:
    """Return ``grad_fn.name()``. For a leaf this is torch's C++ name, unlike its repr."""
    return "torch::autograd::AccumulateGrad" if isinstance(node, Leaf) else node.grad_fn_name


for _kind in (Leaf, ScalarNode, ArrayNode):
    METHODS[_kind, "name"] = node_name


# -- generators of random numbers -------------------------------------------------------------------

#: The functions that take ``generator=``.
DRAWING_FUNCTIONS = frozenset(
    "bernoulli multinomial normal rand rand_like randint randint_like randn randn_like randperm".split()
)


@script_method(Generator, "manual_seed")
def seed_generator(generator: Generator, seed: Any) -> Generator:
    generator.state = (as_index(seed, "a seed") % 2**64, None, None)
    return generator


@script_method(Generator, "initial_seed")
def initial_seed(generator: Generator) -> int:
    return generator.state[0]


def draw_with(generator: Generator, draw: Callable[[], Any]) -> Any:
    """Return what ``draw`` draws from a generator of the script, which goes on from there."""
    before = random_source.state()
    random_source.set_state(generator.state)
    try:
        return draw()
    finally:
        generator.state = random_source.state()
        random_source.set_state(before)
