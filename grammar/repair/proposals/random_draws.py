"""Repairs of random numbers from Python or numpy: torch draws from the same distribution.

Functions without an entry in ``RANDOM_ARGUMENTS``, and without a random order, have no repair.
"""

from __future__ import annotations

from autodiff.core.base.errors import Edit, Fix
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.help.failure_scene import Scene, with_parentheses
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: The arguments of each function in their order, with their defaults, empty if there is none.
RANDOM_ARGUMENTS = {
    "random.random": {},
    "random.uniform": {"a": "", "b": ""},
    "random.gauss": {"mu": "0.0", "sigma": "1.0"},
    "random.normalvariate": {"mu": "0.0", "sigma": "1.0"},
    "random.randint": {"a": "", "b": ""},
    "random.randrange": {"start": "", "stop": ""},
    "random.choice": {"seq": ""},
    "numpy.random.uniform": {"low": "0.0", "high": "1.0", "size": ""},
    "numpy.random.normal": {"loc": "0.0", "scale": "1.0", "size": ""},
    "numpy.random.standard_normal": {"size": ""},
    "numpy.random.random": {"size": ""},
    "numpy.random.randint": {"low": "", "high": "", "size": ""},
}


def draw_with_torch(scene: Scene, full: str, call: tree.Call) -> Iterator[Fix]:
    """Propose a call of ``random`` or ``numpy.random`` written with torch."""
    names = RANDOM_ARGUMENTS.get(full)
    if names is None:
        for text in random_orders(scene, full, call):
            yield Fix(f"write `{text}`", Edit(call.span, text))
        return
    given = dict(names)
    for name, argument in zip(names, call.arguments, strict=False):
        given[argument.keyword or name] = scene.text(argument.value)
    for argument in call.arguments[len(names) :]:
        given[argument.keyword or ""] = ""
    text = torch_draw(full.rpartition(".")[2], given) if given.keys() == names.keys() else ""
    if text:
        yield Fix(f"write `{text}`", Edit(call.span, text))


def random_orders(scene: Scene, full: str, call: tree.Call) -> Iterator[str]:
    """Yield calls of a function that shuffles, written with ``randperm``: of a tensor, then of a list.

    A list of numbers may be a tensor in ``scene``, because it is an input. What is shuffled in place keeps
    its other names, so its entries are written, not its name.
    """
    given = call.arguments
    name = full.rpartition(".")[2]
    count = {"shuffle": 1, "permutation": 1, "sample": 2}.get(name)
    if count != len(given) or any(argument.keyword or argument.star for argument in given):
        return
    value = scene.value(given[0].value)
    text = scene.text(given[0].value)
    if name == "permutation" and value.__class__ is not Tensor:
        yield f"torch.randperm({text})"
    entries = with_parentheses(text)
    taken = f"[:{scene.text(given[1].value)}]" if name == "sample" else ""
    # In a script without tensors numpy's own order is at hand.
    is_plain = full.startswith("numpy.") and "torch" not in scene.source.text
    order = f"{'np.random.permutation' if is_plain else 'torch.randperm'}(len({text})){taken}"
    written = f"{entries}[:] = " if name == "shuffle" else ""
    if value.__class__ is Tensor:
        yield f"{written}{entries}[{order}]"
    yield f"{written}[{entries}[i] for i in {order}.tolist()]"


def torch_draw(name: str, given: dict[str, str]) -> str:
    """Return the call with torch: it gives a tensor if there is a size, else a number."""
    size = given.pop("size", "")
    shape = size if size[:1] in ("(", "[") else f"({size},)" if size else "(1,)"
    number = "" if size else ".item()"
    first, second = (*given.values(), "", "")[:2]
    if name == "random":
        return f"torch.rand({shape if size else 1}){number}"
    if name == "uniform":
        return f"torch.empty({shape if size else 1}).uniform_({first}, {second}){number}" if second else ""
    if name == "standard_normal":
        return f"torch.randn({shape if size else 1}){number}"
    if name in ("gauss", "normalvariate", "normal"):
        return f"torch.normal({first}, {second}, {shape}){number}"
    if name == "choice":
        return f"{with_parentheses(first)}[torch.randint(len({first}), (1,)).item()]"
    # Only `random.randint` includes its last number; one number alone is the end of a range from 0.
    if not second:
        return f"torch.randint({first}, {shape}){number}" if first else ""
    last = second
    if name == "randint" and "a" in given:
        last = str(int(second) + 1) if second.isdecimal() else f"{second} + 1"
    return f"torch.randint({first}, {last}, {shape}){number}"
