"""What kind of script it is, from its names: with tensors or without, written as torch or plain.

The kind decides which names a script finds (``name_finder``), and whether numbers are leaves.
"""

from __future__ import annotations

from autodiff.grammar.interpret.scope import ScriptScopes
from autodiff.grammar.objects.builtins.namespaces import PLAIN_MODULES, builtin_value, plain_value
from autodiff.grammar.objects.values import UNBOUND
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

TENSOR_CONSTRUCTORS = {
    *("tensor", "as_tensor", "Tensor", "FloatTensor", "DoubleTensor", "LongTensor", "IntTensor"),
    *("ByteTensor", "BoolTensor", "Variable", "zeros", "ones", "full", "empty", "eye", "arange", "linspace"),
    *("logspace", "rand", "randn", "randint", "randperm", "normal", "bernoulli", "multinomial"),
    *("zeros_like", "ones_like", "full_like", "empty_like", "rand_like", "randn_like", "randint_like"),
    *("one_hot", "tril_indices", "triu_indices", "vander", "from_numpy", "Parameter"),
}
#: Those that numpy has too: in a script of numpy that has nothing of torch, these are numpy's.
NUMPY_CONSTRUCTORS = TENSOR_CONSTRUCTORS & {
    *("zeros", "ones", "full", "empty", "eye", "arange", "linspace"),
    *("zeros_like", "ones_like", "full_like", "empty_like"),
}
#: Namespaces whose use says that a script is written as torch. ``special`` and ``linalg`` are scipy's too.
TORCH_NAMESPACES = frozenset(["torch", "F", "autograd"])
#: What scripts read to see gradients or how they are recorded; these print tensors as torch does.
GRADIENT_NAMES = frozenset(
    [
        *(
            "backward",
            "grad",
            "grad_fn",
            "requires_grad",
            "requires_grad_",
            "retain_grad",
            "is_leaf",
            "detach",
        ),
        *("no_grad", "enable_grad", "set_grad_enabled", "is_grad_enabled", "is_tensor", "Function"),
        *("jacobian", "hessian", "jvp", "vjp", "hvp", "vhp"),
    ]
)


def builds_tensors(names: ScriptScopes) -> bool:
    """Whether the script mentions anything that makes a tensor; arrays of numpy are numbers."""
    others = array_modules(names) | {
        name for name in names.module.slots if names.module.assignment_count(name)
    }  # variables, also those of functions
    others = others.union(*(scope.slots for scope in names.scope_of.values()))
    is_of_numpy = (
        (is_of_numpy_module(names.modules) or any(name == "np" for name, _ in names.reads))
        and not is_written_as_torch(names)
        and prints_numbers(names)
    )
    return reads_any(
        names, TENSOR_CONSTRUCTORS - NUMPY_CONSTRUCTORS if is_of_numpy else TENSOR_CONSTRUCTORS, others
    )


def array_modules(names: ScriptScopes) -> set[str]:
    """Return the names of numpy, and of what works on its arrays, in a script."""
    imported = (names.module.imports, names.module.members)  # the latter as by ``from numpy import random``
    return {"np", *(name for found in imported for name, full in found.items() if is_of_numpy_module(full))}


def is_of_numpy_module(full_names: Collection[str]) -> bool:
    """Whether numpy, or what works on its arrays, is among the full names of modules and members."""
    return any(full.partition(".")[0] in PLAIN_MODULES - {"scipy"} for full in full_names)


def is_written_as_torch(names: ScriptScopes) -> bool:
    """Whether the script imports torch or uses it by name, so that functions refuse numbers as torch's do."""
    return any(module.partition(".")[0] == "torch" for module in names.modules) or any(
        name in TORCH_NAMESPACES and scope.find(name) is None for name, scope in names.reads
    )


def is_plain(names: ScriptScopes) -> bool:
    """Whether a script has no tensors and is not written as torch: functions take numbers, as in ``math``."""
    return not builds_tensors(names) and not is_written_as_torch(names)


def prints_numbers(names: ScriptScopes) -> bool:
    """Whether a plain script prints its values as Python's: it reads nothing that only tensors have."""
    return not reads_any(names, GRADIENT_NAMES, array_modules(names))


def fixed_arrays(names: ScriptScopes) -> str:
    """Return the library of a plain script whose arrays do not change in place, see ``Runtime``."""
    libraries = {full.partition(".")[0] for full in names.modules}
    if "jax" in libraries:
        return "jax beside numpy" if "numpy" in libraries else "jax"
    return "autograd" if "autograd" in libraries else ""


def name_finder(names: ScriptScopes) -> Callable[[str], bool]:
    """Return the function that says whether a script of this kind finds a name that it does not bind."""
    find = plain_value if is_plain(names) else builtin_value
    return lambda name: find(name) is not UNBOUND


def reads_any(names: ScriptScopes, wanted: Collection[str], except_of: Collection[str] = ()) -> bool:
    """Whether the script reads one of these names, as an attribute or as a name that it does not bind.

    Attributes of the names ``except_of``, and of their attributes, do not count.
    """
    return any(name in wanted and scope.find(name) is None for name, scope in names.reads) or any(
        node.name in wanted and not (except_of and first_name(node) in except_of) for node in names.attributes
    )


def first_name(node: tree.Expression) -> str:
    """Return the name that a chain of attributes and calls begins with; "" for others.

    That is ``np`` in ``np.random.rand`` and in ``np.random.default_rng(0).normal``.
    """
    while isinstance(node, (tree.Attribute, tree.Call)):
        node = node.object if isinstance(node, tree.Attribute) else node.function
    return node.id if isinstance(node, tree.Name) else ""
