"""The values of names that a script does not bind: builtins, torch functions, dtypes and namespaces.

Namespaces create their members on demand.
"""

from __future__ import annotations

from autodiff.core.engine.public_functions import FUNCTIONS, find
from autodiff.core.graph.dtypes import DTYPES
from autodiff.grammar.objects.builtins import BUILTINS
from autodiff.grammar.objects.values import UNBOUND, Builtin, Namespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: Builtins of Python that are not members of ``torch``.
PYTHONS = {
    *("int", "float", "bool", "str", "list", "tuple", "range", "len", "zip", "enumerate", "reversed"),
    *("sorted", "print", "repr", "display", "Math", "isinstance", "divmod", "type", "id"),
}


def autograd_members() -> dict[str, Any]:
    from autodiff.grammar.objects import autograd, autograd_functional

    return {**autograd_functional.FUNCTIONAL, "grad": Builtin("grad", autograd.grad)}


AUTOGRAD = frozenset(["grad", "jacobian", "hessian", "jvp", "vjp", "hvp", "vhp"])
_found: dict[str, Any] = {}


def builtin(name: str) -> Any:
    """Return the value of a name that the script does not bind; UNBOUND if it has none."""
    if name not in _found:
        _found[name] = look_up(name)
    return _found[name]


def look_up(name: str) -> Any:
    if name in BUILTINS:
        return BUILTINS[name]
    if name in AUTOGRAD:
        return autograd_members()[name]
    if name in TOP_NAMESPACES:
        return namespace(TOP_NAMESPACES[name])
    function = find(name)
    if function is not None:
        return function
    dtype = DTYPES.get(name)
    return UNBOUND if dtype is None else dtype


def builtin_names() -> list[str]:
    """Return all names that ``builtin`` resolves, sorted."""
    bare = {key.partition(".")[2] for key in FUNCTIONS}
    return sorted({*BUILTINS, *AUTOGRAD, *TOP_NAMESPACES, *bare, *DTYPES})


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
        _namespaces[name] = MAKERS[name](name)
    return _namespaces[name]


def of_functions(prefix: str, more: dict[str, Callable[[], Any]]) -> Callable[[str], Namespace]:
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


def of_members(members: Callable[[], dict[str, Any]]) -> Callable[[str], Namespace]:
    """Return a maker of namespaces with exactly these members."""

    def make(name: str) -> Namespace:
        return Namespace(name, lambda member: members().get(member, UNBOUND), lambda: list(members()))

    return make


def of_torch(name: str) -> Namespace:
    """Return the namespace ``torch``: core's functions, dtypes, grad modes and the inner namespaces."""
    inner = {"nn": "torch.nn", "autograd": "torch.autograd", "linalg": "torch.linalg"}
    inner |= {"special": "torch.special", "cuda": "torch.cuda", "backends": "torch.backends"}
    inner |= {"accelerator": "torch.accelerator", "testing": "torch.testing"}
    inner |= {"optim": "torch.optim"}
    bare = frozenset(BUILTINS) - PYTHONS - {"Function"}

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
        return environment("torch")().get(member, UNBOUND)

    def names() -> list[str]:
        functions = [key.partition(".")[2] for key in FUNCTIONS if key.startswith("torch.")]
        return [*DTYPES, *inner, *functions, *bare, *environment("torch")()]

    return Namespace(name, find_member, names)


def autograd_namespace() -> dict[str, Any]:
    from autodiff.grammar.objects import autograd
    from autodiff.grammar.objects.testing import gradcheck
    from autodiff.grammar.objects.torch_settings import AUTOGRAD as AUTOGRAD_MODES

    return {
        "grad": builtin("grad"),
        "Function": builtin("Function"),
        "Variable": builtin("Variable"),
        "functional": namespace("torch.autograd.functional"),
        "backward": Builtin("backward", autograd.backward),
        "gradcheck": Builtin("gradcheck", gradcheck),
        **AUTOGRAD_MODES,
        **{name: builtin(name) for name in ("no_grad", "enable_grad", "set_grad_enabled")},
    }


def environment(name: str) -> Callable[[], dict[str, Any]]:
    """Return a function that returns the members of one of torch's namespaces about the machine."""

    def members() -> dict[str, Any]:
        from autodiff.grammar.objects import torch_settings

        return torch_settings.MEMBERS[name]

    return members


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
    return {"display": BUILTINS["display"], "Math": BUILTINS["Math"]}


def math_members() -> dict[str, Any]:
    from autodiff.grammar.objects.math_functions import MATH

    return MATH


def numpy_members() -> dict[str, Any]:
    from autodiff.grammar.objects.math_functions import NUMPY

    return {**NUMPY, "random": namespace("numpy.random")}


MAKERS: dict[str, Callable[[str], Namespace]] = {
    "torch": of_torch,
    "torch.nn": of_members(nn_members),
    "torch.nn.parameter": of_members(lambda: {"Parameter": nn_members()["Parameter"]}),
    "torch.cuda": of_members(environment("cuda")),
    "torch.backends": of_members(
        lambda: {name: namespace(f"torch.backends.{name}") for name in ("mps", "cudnn")}
    ),
    "torch.backends.mps": of_members(environment("mps")),
    "torch.backends.cudnn": of_members(environment("cudnn")),
    "torch.accelerator": of_members(environment("accelerator")),
    "torch.testing": of_members(testing_members),
    "torch.optim": of_members(dict),
    "torch.nn.functional": of_functions("F", {}),
    "torch.linalg": of_functions("linalg", {}),
    "torch.special": of_functions("special", {}),
    "torch.autograd": of_members(autograd_namespace),
    "torch.autograd.functional": of_members(
        lambda: {name: builtin(name) for name in AUTOGRAD if name != "grad"}
    ),
    "math": of_members(math_members),
    "random": of_members(environment("random")),
    "numpy.random": of_members(environment("random")),
    "numpy": of_members(numpy_members),
    "IPython": of_members(lambda: {"display": namespace("IPython.display")}),
    "IPython.display": of_members(ipython_members),
}
