"""An example of every public function: a script of a few lines that is run whenever it is shown.

The call of a function is declared with ``example=`` where it is exposed, or in ``example_calls``. For other
functions it is generated, from the first values of SAMPLE_TENSORS that give finite results.
"""

from __future__ import annotations

import re

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.engine.public_functions import FUNCTIONS, MISSING, PublicFunction
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.execution import execute
from autodiff.grammar.reference.example_calls import EXAMPLE_CALLS
from autodiff.grammar.session.run import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodiff.grammar.session.run import Execution

#: The tensors of examples. Those with floats get a gradient, except the names in UNTRACKED.
SAMPLE_TENSORS = {
    "x": "tensor([0.5, 1.0, 2.0])",
    "y": "tensor([1.0, 3.0, 2.0])",
    "z": "tensor([2.0, 1.0, 4.0])",
    "u": "tensor([-1.0, 0.0, 2.0])",
    "v": "tensor([-1.0, 3.0, 1.0])",
    "w": "tensor([1.0, -2.0, 0.5])",
    "e": "tensor([1.0, float('nan'), float('inf'), -float('inf')])",
    "f": "tensor([1.0, float('nan'), 3.0])",
    "h": "tensor([0.0, 0.5, 1.5])",
    "k": "tensor([3.0, 1.0, 3.0, 2.0])",
    "p": "tensor([0.2, 0.5, 0.8])",
    "q": "tensor([0.9, 0.4, 0.6])",
    "r": "tensor([1.5, 2.0, 3.0])",
    "s": "tensor([3.0, 2.5, 4.0])",
    "A": "tensor([[2.0, 1.0], [1.0, 3.0]])",
    "B": "tensor([[1.0, 2.0], [3.0, 5.0]])",
    "C": "tensor([[1.0, 0.5], [0.0, 2.0]])",
    "D": "tensor([[2.0, 0.0], [0.0, 3.0]])",
    "M": "tensor([[1.0, 2.0, 0.0], [0.5, 1.0, 3.0]])",
    "T": "tensor([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 9.0]]])",
    "S": "tensor([[[1.0, 0.0], [2.0, 1.0]], [[3.0, 1.0], [0.0, 1.0]]])",
    "series": "tensor([[[1.0, 4.0, 2.0, 3.0, 0.0]]])",
    "image": "tensor([[[[1.0, 4.0, 2.0], [3.0, 0.0, 5.0], [2.0, 2.0, 1.0]]]])",
    "volume": "tensor([[[[[1.0, 4.0], [2.0, 3.0]], [[0.0, 5.0], [7.0, 6.0]]]]])",
    "logs": "tensor([[[-0.5, -0.9]], [[-1.2, -0.4]]])",
    "channels": "tensor([[[1.0]], [[2.0]], [[3.0]], [[4.0]]])",
    "columns": "tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])",
    "i": "tensor([0, 2])",
    "j": "tensor([[0, 0], [1, 0]])",
    "n": "tensor([12, 18, 7])",
    "m": "tensor([8, 12, 14])",
    "labels": "tensor([2, 0])",
    "signs": "tensor([1.0, -1.0, 1.0])",
    "mask": "tensor([True, False, True])",
}
#: The groups of names that are used together, in the order in which they are tried.
GROUPS = ("xyz", "pq", "rs", "uvw", "ABC", "TS", ("series",), ("image",), ("volume",), "nm")
KINKED, MATRICES = "uvw", "ABC"
#: Output that disqualifies a generated call: nan, inf, or rounding errors, which differ between machines.
UNFIT = re.compile(r"\b(nan|inf)\b|e-(0[7-9]|[1-9]\d)")
#: Names in SAMPLE_TENSORS that require no gradient.
UNTRACKED = frozenset(["i", "j", "n", "m", "labels", "signs", "mask"])
NAME = re.compile(r"(?<![\w.'\"])[A-Za-z]\w*(?![\w(='\"])")


class Example:
    """A script that was run: its text, its printed output, and the tensors that the call returned."""

    __slots__ = ("outputs", "printed", "script")

    def __init__(self, script: str, printed: str, outputs: list[Tensor]) -> None:
        self.script = script
        self.printed = printed
        self.outputs = outputs


def make_example(key: str, is_kinked: bool = False) -> Example | None:
    """Return the example of the function ``key``, at a kink if ``is_kinked``; None if no call works."""
    function = FUNCTIONS[key]
    given = function.example or EXAMPLE_CALLS.get(key)
    for call in [given] if given else generated_calls(key, function, is_kinked):
        example = example_of_call(call)
        if example is not None and (given or not UNFIT.search(example.printed)):
            return example
    return None


def generated_calls(key: str, function: PublicFunction, is_kinked: bool) -> Iterator[str]:
    """Yield calls with only the required arguments, all from one group of SAMPLE_TENSORS."""
    first = function.parameters[0].name if function.parameters else ""
    preferred = [KINKED] if is_kinked else [MATRICES] if first in ("A", "B") else []
    for group in dict.fromkeys([*preferred, *GROUPS]):
        values = iter(group)
        arguments: list[str] = []
        for parameter in function.parameters:
            if parameter.default is not MISSING and not parameter.variadic:
                continue
            if parameter.kind == "tensors" or (parameter.kind == "any" and parameter.variadic):
                listed = ", ".join(group[:2])
                arguments.append(listed if parameter.variadic else f"[{listed}]")
            elif parameter.kind in ("tensor", "value"):
                arguments.append(next(values, ""))
            elif parameter.name == "dim":
                arguments.append("0")
            else:
                return
        if "" not in arguments:
            yield spell_call(key, arguments)


def spell_call(key: str, arguments: list[str]) -> str:
    """Return the text of a call: ``torch.sin(x)``, ``torch.linalg.det(A)``, ``x.unfold(...)``."""
    namespace, _, name = key.partition(".")
    if name.endswith("_"):  # a leaf must not be changed in place
        arguments = [f"{arguments[0]}.clone()", *arguments[1:]]
    if namespace == "Tensor":
        return f"{arguments[0]}.{name}({', '.join(arguments[1:])})"
    module = {"linalg": "torch.linalg", "special": "torch.special"}.get(namespace, namespace)
    return f"{module}.{name}({', '.join(arguments)})"


def example_of_call(call: str) -> Example | None:
    """Return the example of a call, with a backward pass from its result; None if the call fails."""
    used = [name for name in dict.fromkeys(NAME.findall(call)) if name in SAMPLE_TENSORS]
    lines = [tensor_definition(name) for name in used]
    lines += [f"out = {call}", "print(out)"]
    execution = try_run(lines)
    if execution is None:
        return None
    outputs = tensors_in(execution.names["out"])
    followed = [name for name in used if name not in UNTRACKED]
    printed: list[str] = []
    if any(tensor.requires_grad for tensor in outputs):
        longer = add_backward(lines, execution, followed)
        if try_run(longer) is not None:  # some functions have no backward
            lines = longer
    execution = try_run(lines, printed)
    assert execution is not None
    return Example("\n".join(lines) + "\n", "".join(printed), tensors_in(execution.names["out"]))


def tensor_definition(name: str) -> str:
    tracked = "" if name in UNTRACKED else ", requires_grad=True"
    return f"{name} = torch.{SAMPLE_TENSORS[name][:-1]}{tracked})"


def add_backward(lines: list[str], execution: Execution, followed: list[str]) -> list[str]:
    """Return the lines with a backward pass: from the sum, or from the first entry if the sum is constant."""
    out = execution.names["out"]
    parts = ["out"] if isinstance(out, Tensor) else [f"out[{at}]" for at in range(len(out))]
    values = [out] if isinstance(out, Tensor) else list(out)
    parts = [
        part
        for part, value in zip(parts, values, strict=True)
        if isinstance(value, Tensor) and value.requires_grad
    ]
    shown = [f"print({name}.grad)" for name in followed]
    if len(parts) == 1 and tensors_in(out)[0].ndim == 0:
        return [*lines, f"{parts[0]}.backward()", *shown]
    total = " + ".join(f"{part}.sum()" for part in parts)
    of_sum = [*lines, f"({total}).backward()" if len(parts) > 1 else f"{total}.backward()", *shown]
    of_first = [*lines, f"{parts[0]}.flatten()[0].backward()", *shown]
    chosen = (
        of_first
        if has_zero_gradients(of_sum, followed) and not has_zero_gradients(of_first, followed)
        else of_sum
    )
    done = try_run(chosen)
    if done is None:
        return chosen
    reached = [f"print({name}.grad)" for name in followed if done.names[name].grad is not None]
    return [*chosen[: len(chosen) - len(shown)], *reached]


def has_zero_gradients(lines: list[str], followed: list[str]) -> bool:
    """Whether every gradient of a script is zero up to rounding, or the script fails."""
    execution = try_run(lines)
    if execution is None:
        return True
    gradients = [execution.names[name].grad for name in followed]
    return all(g is None or not g.entry_count or abs(g.data).max() < 1e-12 for g in gradients)


def tensors_in(value: object) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    return (
        [part for part in value if isinstance(part, Tensor)]
        if isinstance(value, (tuple, list, NamedResult))
        else []
    )


def try_run(lines: list[str], printed: list[str] | None = None) -> Execution | None:
    """Run a script and return its execution; None if it fails. Its output is appended to ``printed``."""
    written: list[str] = [] if printed is None else printed
    try:
        return execute(
            Source("\n".join(lines) + "\n"), Settings(), written.append, lambda message, span: None
        )
    except AutodiffError:
        return None
