"""What pooling layers, activations and splits refuse, call by call, in the words of PyTorch."""

from __future__ import annotations

import itertools

import pytest
from script_runner import run_script

pytestmark = pytest.mark.oracle

SUBJECTS = (
    "series = torch.ones(1, 1, 5)\nimage = torch.ones(1, 1, 3, 3)\nvolume = torch.ones(1, 1, 2, 2, 2)\n"
    "whole = torch.tensor([2, -1])\nbools = torch.tensor([True, False])\n"
)
LAYERS = [
    (f"F.{layer}_pool{dims}d", subject, "2, " * (layer == "lp"))
    for layer in ("max", "avg", "lp")
    for dims, subject in ((1, "series"), (2, "image"), (3, "volume"))
]
WINDOWS = (
    *("9", "0", "-1", "2, 0", "2, -1", "2, (1, 1, 1, 1)", "2, padding=2", "2, padding=-1"),
    *("2, padding=(1, 1, 1, 1)", "2, dilation=0", "2, dilation=9", "2, (2, 0)", "2, divisor_override=0"),
)
SHAPES = (
    *("3", "2, 3", "1, 2, 3, 4, 5, 6", "0, 1, 3", "1, 0, 3", "1, 1, 0, 3", "1, 1, 3, 3, 0", "1, 1, 3"),
    "1, 1, 3, 3",
)
POOLS = [
    *(
        f"{name}({subject}, {first}{window})"
        for (name, subject, first), window in itertools.product(LAYERS, WINDOWS)
        if not (("lp" in name and "=" in window) or ("avg" in name and "dilation" in window))
        and ("divisor" not in window or name in ("F.avg_pool2d", "F.avg_pool3d"))
    ),
    *(
        f"{name}(torch.ones({shape}), {first}2)"
        for (name, _, first), shape in itertools.product(LAYERS, SHAPES)
    ),
    *(
        f"{name}(torch.arange(1, {entries} + 1).reshape({shape}), {first}2)"
        for (name, _, first), (entries, shape) in zip(
            LAYERS, itertools.cycle([(3, "1, 1, 3"), (9, "1, 1, 3, 3"), (8, "1, 1, 2, 2, 2")]), strict=False
        )
    ),
]
FUNCTIONS = (
    *(
        "silu",
        "mish",
        "hardsigmoid",
        "hardswish",
        "logsigmoid",
        "softplus",
        "gelu",
        "leaky_relu",
        "elu",
        "selu",
    ),
    *("celu", "softshrink", "hardshrink", "relu", "relu6", "hardtanh", "tanhshrink"),
)
ACTIVATIONS = [
    *(f"F.{name}({x})" for name, x in itertools.product(FUNCTIONS, ("whole", "bools", "whole.int()"))),
    *(f"F.threshold({x}, 0.5, 9.)" for x in ("whole", "bools", "whole.int()")),
    *("torch.selu(whole)", "torch.celu(whole)", "F.celu(torch.ones(2), alpha=0.)"),
    *("F.hardtanh(torch.ones(2), 2., 1.)", "F.hardtanh(whole, -0.5, 1.5)"),
]
SPLITS = (
    "torch.tensor_split(series[0, 0], tensor_indices_or_sections=torch.tensor([1, 2]))",
    "torch.tensor_split(series[0, 0], tensor_indices_or_sections=torch.tensor(2))",
    "series[0, 0].tensor_split(tensor_indices_or_sections=torch.tensor([1]))",
    "torch.tensor_split(series[0, 0], tensor_indices_or_sections=torch.tensor([1., 2.]))",
    "torch.tensor_split(series[0, 0], tensor_indices_or_sections=2)",
    "torch.tensor_split(series[0, 0], 0)",
    "torch.arange()",
    "torch.arange(end=3)",
)


@pytest.mark.parametrize("call", [*POOLS, *ACTIVATIONS, *SPLITS])
def test_the_answer_is_torchs(call: str) -> None:
    from torch_prelude import run_with_torch

    script = f"{SUBJECTS}print({call})\n"
    ours, theirs = run_script(script), run_with_torch(script)
    if theirs.error is None:
        assert ours.error is None
        assert ours.stdout == theirs.stdout
    else:
        assert ours.error is not None
        assert ours.error.message.splitlines()[0] == str(theirs.error).splitlines()[0]
        assert ours.error.span is not None
