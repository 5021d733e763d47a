"""The values of names that a script does not bind: builtins, torch functions, dtypes and namespaces.

Namespaces create their members on demand.
"""

from __future__ import annotations

from autodiff.core.engine.public_functions import FUNCTIONS, find_function
from autodiff.core.graph.dtypes import DTYPES
from autodiff.grammar.objects.builtins.functions import BUILTINS
from autodiff.grammar.objects.values import UNBOUND, Builtin, Namespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: Builtins of Python that are not members of ``torch``.
PYTHON_ONLY = {
    *("int", "float", "bool", "str", "list", "tuple", "range", "len", "zip", "enumerate", "reversed"),
    *("sorted", "print", "repr", "display", "Math", "isinstance", "divmod", "type", "id"),
}


def autograd_members() -> dict[str, Any]:
    from autodiff.grammar.objects import autograd, autograd_functional

    return {**autograd_functional.FUNCTIONAL, "grad": Builtin("grad", autograd.grad)}


AUTOGRAD_FUNCTIONS = frozenset(["grad", "jacobian", "hessian", "jvp", "vjp", "hvp", "vhp"])
_found: dict[str, Any] = {}


def builtin_value(name: str) -> Any:
    """Return the value of a name that the script does not bind; UNBOUND if it has none."""
    if name not in _found:
        _found[name] = find_builtin(name)
    return _found[name]


def plain_value(name: str) -> Any:
    """Return what ``builtin_value`` returns, for a script without tensors that is not written as torch.

    It has the functions of ``math``, numpy and scipy as well, so ``ln(x)`` and ``comb(5, 2)`` need no module
    before them.
    """
    value = UNBOUND if name in OTHER_IN_PLAIN_SCRIPTS else builtin_value(name)
    if value is not UNBOUND:
        return value
    from autodiff.grammar.objects.builtins.plain_names import own_value

    return own_value(name)


#: Names that mean something else in plain scripts than in torch: arrays there are tensors, for one.
OTHER_IN_PLAIN_SCRIPTS = frozenset(
    [
        *("np", "special", "gcd", "lcm"),
        # Those that keep slopes or whole numbers in numpy.
        *("arange", "empty", "empty_like", "eye", "full", "full_like", "linspace"),
        *("ones", "ones_like", "zeros", "zeros_like"),
    ]
)


def plain_namespace(name: str) -> Namespace | None:
    """Return a module as plain scripts have it, or a part of it; None for other modules.

    Those are numpy and scipy, and autograd and JAX, which differentiate functions of numpy.
    """
    top = name.partition(".")[0]
    if top not in PLAIN_MODULES:
        return None
    from autodiff.grammar.objects.builtins.plain_names import NAMESPACES

    if top in ("numpy", "scipy"):
        return NAMESPACES.get(name)
    from autodiff.grammar.objects.function_transforms import find_module

    return find_module(name, NAMESPACES)


#: The modules of functions that are not torch's.
PLAIN_MODULES = frozenset(["numpy", "scipy", "autograd", "jax"])


def find_builtin(name: str) -> Any:
    if name in BUILTINS:
        return BUILTINS[name]
    if name in AUTOGRAD_FUNCTIONS:
        return autograd_members()[name]
    if name in TOP_NAMESPACES:
        return namespace(TOP_NAMESPACES[name])
    function = find_function(name)
    if function is not None:
        return function
    dtype = DTYPES.get(name)
    return UNBOUND if dtype is None else dtype


def builtin_names() -> list[str]:
    """Return all names that ``builtin_value`` resolves, sorted."""
    bare = {key.partition(".")[2] for key in FUNCTIONS}
    return sorted({*BUILTINS, *AUTOGRAD_FUNCTIONS, *TOP_NAMESPACES, *bare, *DTYPES})


TOP_NAMESPACES = {
    "torch": "torch",
    "F": "torch.nn.functional",
    "linalg": "torch.linalg",
    "special": "torch.special",
    "autograd": "torch.autograd",
    "math": "math",
    "np": "numpy",
}
_namespaces: dict[str, Namespace] = {}


def namespace(name: str) -> Namespace:
    """Return the namespace of a module name such as ``torch.nn.functional``."""
    if name not in _namespaces:
        _namespaces[name] = NAMESPACE_MAKERS[name](name)
    return _namespaces[name]


def function_namespace(prefix: str, more: dict[str, Callable[[], Any]]) -> Callable[[str], Namespace]:
    """Return a maker of namespaces with core's functions of a prefix and the members made by ``more``."""

    def make(name: str) -> Namespace:
        def find_member(member: str) -> Any:
            if member in more:
                return more[member]()
            return FUNCTIONS.get(f"{prefix}.{member}", UNBOUND)

        def names() -> list[str]:
            return [*more, *(k.partition(".")[2] for k in FUNCTIONS if k.startswith(prefix + "."))]

        return Namespace(name, find_member, names)

    return make


def member_namespace(members: Callable[[], dict[str, Any]]) -> Callable[[str], Namespace]:
    """Return a maker of namespaces with exactly these members."""

    def make(name: str) -> Namespace:
        return Namespace(name, lambda member: members().get(member, UNBOUND), lambda: list(members()))

    return make


def torch_namespace(name: str) -> Namespace:
    """Return the namespace ``torch``: core's functions, dtypes, grad modes and the inner namespaces."""
    inner = {"nn": "torch.nn", "autograd": "torch.autograd", "linalg": "torch.linalg"}
    inner |= {"special": "torch.special", "cuda": "torch.cuda", "backends": "torch.backends"}
    inner |= {"accelerator": "torch.accelerator", "testing": "torch.testing"}
    inner |= {"optim": "torch.optim", "utils": "torch.utils"}
    bare = frozenset(BUILTINS) - PYTHON_ONLY - {"Function"}

    def find_member(member: str) -> Any:
        if member in DTYPES:
            return DTYPES[member]
        if member in inner:
            return namespace(inner[member])
        function = FUNCTIONS.get(f"torch.{member}")
        if function is not None:
            return function
        if member in bare:
            return BUILTINS[member]
        return machine_members("torch")().get(member, UNBOUND)

    def names() -> list[str]:
        functions = [key.partition(".")[2] for key in FUNCTIONS if key.startswith("torch.")]
        return [*DTYPES, *inner, *functions, *bare, *machine_members("torch")()]

    return Namespace(name, find_member, names)


def torch_autograd_members() -> dict[str, Any]:
    from autodiff.grammar.objects import autograd
    from autodiff.grammar.objects.testing import gradcheck, gradgradcheck
    from autodiff.grammar.objects.torch_settings import ANOMALY_MODES

    return {
        "grad": builtin_value("grad"),
        "Function": builtin_value("Function"),
        "Variable": builtin_value("Variable"),
        "function": namespace("torch.autograd.function"),
        "functional": namespace("torch.autograd.functional"),
        "backward": Builtin("backward", autograd.backward),
        "gradcheck": Builtin("gradcheck", gradcheck),
        "gradgradcheck": Builtin("gradgradcheck", gradgradcheck),
        **ANOMALY_MODES,
        **{name: builtin_value(name) for name in ("no_grad", "enable_grad", "set_grad_enabled")},
    }


def autograd_function_members() -> dict[str, Any]:
    from autodiff.grammar.objects.custom_functions import ONCE_DIFFERENTIABLE

    return {"Function": builtin_value("Function"), "once_differentiable": ONCE_DIFFERENTIABLE}


def machine_members(name: str) -> Callable[[], dict[str, Any]]:
    """Return a function that returns the members of one of torch's namespaces about the machine."""

    def members() -> dict[str, Any]:
        from autodiff.grammar.objects import torch_settings

        return torch_settings.NAMESPACE_MEMBERS[name]

    return members


def checkpoint(function: Any, *args: Any, use_reentrant: Any = None, preserve_rng_state: Any = None) -> Any:
    """Call ``function``. torch computes it again in backward() to save memory; the numbers are the same."""
    return function(*args)


def testing_members() -> dict[str, Any]:
    from autodiff.grammar.objects.testing import assert_close

    return {"assert_close": Builtin("assert_close", assert_close)}


def nn_members() -> dict[str, Any]:
    from autodiff.grammar.objects.nn_modules import MEMBERS

    return {
        "functional": namespace("torch.nn.functional"),
        "parameter": namespace("torch.nn.parameter"),
        **MEMBERS,
    }


def ipython_members() -> dict[str, Any]:
    return {
        "display": BUILTINS["display"],
        "Math": BUILTINS["Math"],
        "clear_output": Builtin("clear_output", lambda wait=False: None),
    }


def math_members() -> dict[str, Any]:
    from autodiff.grammar.objects.math_functions import MATH

    return MATH


def numpy_members() -> dict[str, Any]:
    from autodiff.grammar.objects.math_functions import NUMPY

    return {**NUMPY, "random": namespace("numpy.random"), "testing": namespace("numpy.testing")}


def numpy_testing_members() -> dict[str, Any]:
    from autodiff.grammar.objects.numpy_testing import ASSERTIONS

    return dict(ASSERTIONS)


def scipy_optimize_members() -> dict[str, Any]:
    from autodiff.grammar.objects.numpy_testing import OPTIMIZE

    return dict(OPTIMIZE)


NAMESPACE_MAKERS: dict[str, Callable[[str], Namespace]] = {
    "torch": torch_namespace,
    "torch.nn": member_namespace(nn_members),
    "torch.nn.parameter": member_namespace(lambda: {"Parameter": nn_members()["Parameter"]}),
    "torch.cuda": member_namespace(machine_members("cuda")),
    "torch.backends": member_namespace(
        lambda: {name: namespace(f"torch.backends.{name}") for name in ("mps", "cudnn")}
    ),
    "torch.backends.mps": member_namespace(machine_members("mps")),
    "torch.backends.cudnn": member_namespace(machine_members("cudnn")),
    "torch.accelerator": member_namespace(machine_members("accelerator")),
    "torch.testing": member_namespace(testing_members),
    "torch.utils": member_namespace(lambda: {"checkpoint": namespace("torch.utils.checkpoint")}),
    "torch.utils.checkpoint": member_namespace(lambda: {"checkpoint": Builtin("checkpoint", checkpoint)}),
    "torch.optim": member_namespace(dict),
    "torch.nn.functional": function_namespace("F", {}),
    "torch.linalg": function_namespace("linalg", {}),
    "torch.special": function_namespace("special", {}),
    "torch.autograd": member_namespace(torch_autograd_members),
    "torch.autograd.function": member_namespace(autograd_function_members),
    "torch.autograd.functional": member_namespace(
        lambda: {name: builtin_value(name) for name in AUTOGRAD_FUNCTIONS if name != "grad"}
    ),
    "math": member_namespace(math_members),
    "random": member_namespace(machine_members("random")),
    "numpy.random": member_namespace(machine_members("random")),
    "numpy.testing": member_namespace(numpy_testing_members),
    "scipy.optimize": member_namespace(scipy_optimize_members),
    "numpy": member_namespace(numpy_members),
    "IPython": member_namespace(lambda: {"display": namespace("IPython.display")}),
    "IPython.display": member_namespace(ipython_members),
}
