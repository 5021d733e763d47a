"""Scripts that say float32 in places: in PyTorch it is the default dtype, and here that is float64."""

from __future__ import annotations

from pathlib import Path

from cases import Case, each_of

HEAD = (
    "import torch\nimport torch.nn.functional as F\nx = torch.tensor([[1., 2.], [3., 4.]])\n"
    "W = torch.tensor([[3.], [7.]], requires_grad=True)\nprint('begins')\n"
)
NOTE = (
    "note: line {}: float32 means the default dtype here, which is float64: --dtype float32 makes both"
    " float32\n"
)
MEANT = [
    Case(
        name,
        f"{HEAD}L = ({text}).sum()\nprint('ends', L.dtype)\nL.backward()\n",
        "autodiff grad script.ad && autodiff check script.ad >/dev/null 2>&1",
        slopes,
        says=[NOTE.format(6), "begins\nends torch.float64\n"],
        never=["begins\nbegins"],
    )
    for name, text, slopes in [
        ("mask", "(x > 1).float() @ W", [1, 2]),
        ("one_hot", "F.one_hot(torch.tensor([0, 1, 1]), 2).float() @ W", [1, 2]),
        ("range", "torch.arange(2).float() @ W", [0, 1]),
        ("converted", "x.to(torch.float32) @ W", [4, 6]),
        ("typed", "x.type(torch.FloatTensor) @ W", [4, 6]),
        ("made", "torch.ones(1, 2, dtype=torch.float32) @ W", [1, 1]),
        ("old_constructor", "torch.FloatTensor([[5., 6.]]) @ W", [5, 6]),
        ("twice", "x.float() @ W + torch.ones(2, 2, dtype=torch.float) @ W", [6, 8]),
        ("linear", "F.linear((x > 1).float(), W.T)", [1, 2]),
    ]
]
OTHERS = [
    Case(
        "the_script_says_float64",
        f"{HEAD}L = (x.float() @ W.to(torch.float64)).sum()\n",
        "autodiff grad script.ad",
        says=["error[E0312]"],
        never=["note: line"],
        code=4,
    ),
    Case(
        "types_that_do_not_meet_stay",
        "x = torch.tensor([1., 2.])\nprint(x.float().dtype, (x.float() + x).dtype)\n",
        "autodiff run script.ad",
        shows=["torch.float32 torch.float64"],
        never=["note: line"],
    ),
    Case(
        "asked_for",
        f"{HEAD}L = ((x > 1).float() @ W).sum()\nprint(L.dtype)\nL.backward()\n",
        "autodiff grad --dtype float32 script.ad",
        [1, 2],
        says=["torch.float32"],
        never=["note: line"],
    ),
    Case(
        "a_later_error_is_told",
        f"{HEAD}L = (x.float() @ W) @ torch.ones(3, 3)\n",
        "autodiff grad script.ad",
        says=["error[E0302]"],
        never=["begins\nbegins"],
        code=4,
    ),
]


@each_of(MEANT)
def test_float32_means_the_default_where_both_meet(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)


@each_of(OTHERS)
def test_other_mixtures_are_as_in_pytorch(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)
