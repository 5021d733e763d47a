"""A class of layers as what the language has for it: tensors for the parameters, a function for the rest."""

from __future__ import annotations

import re

_LAYER = re.compile(r"self\.(\w+)[ \t]*=[ \t]*(?:\w+\.)*Linear\([ \t]*(\d+)[ \t]*,[ \t]*(\d+)")
_FORWARD = re.compile(r"def[ \t]+forward\([ \t]*self[ \t]*,[ \t]*(\w+)[^)\r\n]*\)[^\r\n]*:[ \t]*\r?\n")
_RETURN = re.compile(r"[ \t]+return[ \t]+([^\r\n#]+)")
_STEP = re.compile(r"[ \t]+(\w+)[ \t]*=[ \t]*([^\r\n#]+?)[ \t]*(?=[#\r\n])")
_CALL = re.compile(r"self\.(\w+)\(")
MOST_LAYERS = 4


def as_functions(name: str, body: str) -> tuple[str, ...]:
    """The advice for ``class Net(nn.Module)``, in the names and sizes of the class if they can be read."""
    layers = {found[1]: (found[2], found[3]) for found in _LAYER.finditer(body)}
    function = name.lower() if name.lower() != name else f"{name}_of"
    forward = _forward(body, layers) if len(layers) <= MOST_LAYERS else None
    if forward is None:
        layers, forward = (
            {"1": ("2", "3"), "2": ("3", "1")},
            ("x", ["linear(relu(linear(x, W1, b1)), W2, b2)"]),
        )
    argument, steps = forward
    names = _parameter_names(layers)
    lines = [
        "write it as a function, with its parameters as tensors:" if layers else "write it as a function:"
    ]
    for layer, (size_in, size_out) in layers.items():
        weight, bias = names[layer]
        lines.append(f"    {weight} = torch.randn({size_out}, {size_in}, requires_grad=True)")
        lines.append(f"    {bias} = torch.zeros({size_out}, requires_grad=True)")
    lines.append(f"    def {function}({argument}):")
    lines += [f"        {step}" for step in steps[:-1]]
    lines.append(f"        return {steps[-1]}")
    return ("\n".join(lines),)


def _parameter_names(layers: dict[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    return {layer: (f"W{number}", f"b{number}") for number, layer in enumerate(layers, start=1)}


def _forward(body: str, layers: dict[str, tuple[str, str]]) -> tuple[str, list[str]] | None:
    """What ``forward`` takes and does, its layers written as ``linear(...)``; None if that is unclear."""
    header = _FORWARD.search(body)
    if header is None:
        return None
    names, at = _parameter_names(layers), header.end()
    steps: list[str] = []
    while len(steps) < 6:
        done, step = _RETURN.match(body, at), _STEP.match(body, at)
        found = done or step
        if found is None:
            return None
        text = found[1].rstrip() if done else f"{found[1]} = {found[2]}"
        while call := _CALL.search(text):
            stop = _closing(text, call.end())
            if call[1] not in names or stop < 0:
                return None
            inner = text[call.end() : stop]
            text = text[: call.start()] + f"linear({inner}, {', '.join(names[call[1]])}" + text[stop:]
        if "self" in text or "super" in text:
            return None
        steps.append(text)
        if done:
            return header[1], steps
        at = body.find("\n", found.end()) + 1
        if not at:
            return None
    return None


def _closing(text: str, at: int) -> int:
    depth = 1
    for index in range(at, len(text)):
        depth += (text[index] in "([{") - (text[index] in ")]}")
        if depth == 0:
            return index
    return -1
