"""A loss made of positions, counts or rounded values: the error names them and not the inputs."""

from __future__ import annotations

from pathlib import Path

from cases import Case, each_of

X = "x = torch.tensor([[3., 1., 2.], [1., 5., 0.]], requires_grad=True)\n"
END = "loss.backward()\nprint(x.grad)\n"
RUN = "autodiff run script.ad"
WRONG = ("create an input with requires_grad=True", "nothing this was made from")


def positions(name: str, body: str, function: str, values: str) -> Case:
    """A script whose loss is made of the positions that ``function`` gives beside ``values``."""
    says = [
        f"{function}() gives values and positions, and positions have no gradient",
        f"the values are differentiable: `{values}`",
    ]
    return Case(name, X + body + END, RUN, says=says, never=WRONG, code=4)


def counted(name: str, body: str, reason: str) -> Case:
    return Case(name, X + body + END, RUN, says=[reason], never=WRONG, code=4)


CASES = [
    positions(
        "topk_flattened",
        "vals, pos = torch.topk(x, k=1, dim=0)\nflat = pos.flatten()\nloss = flat.sum()\n",
        "topk",
        "vals",
    ),
    positions("max_unpacked", "v, i = x.max(dim=1)\nloss = i.sum()\n", "max", "v"),
    positions("max_attribute", "loss = x.max(dim=1).indices.sum()\n", "max", "x.max(dim=1).values"),
    positions(
        "topk_attribute", "r = torch.topk(x, 2)\nloss = r.indices.double().mean()\n", "topk", "r.values"
    ),
    positions("median_unpacked", "v, i = x.median(dim=1)\nloss = i.double().sum()\n", "median", "v"),
    positions(
        "pooling_positions",
        "v, i = F.max_pool1d(x, 2, return_indices=True)\nloss = i.double().sum()\n",
        "max_pool1d",
        "v",
    ),
    positions(
        "sort_second_result", "loss = (torch.sort(x, 1)[1] * 2).sum()\n", "sort", "torch.sort(x, 1)[0]"
    ),
    positions("kthvalue", "k = x.kthvalue(2, dim=1)\nloss = k.indices.sum()\n", "kthvalue", "k.values"),
    positions("mode", "v, i = torch.mode(x, 1)\nloss = i.sum()\n", "mode", "v"),
    positions("cummax", "loss = x.cummax(0)[1].sum()\n", "cummax", "x.cummax(0)[0]"),
    positions(
        "in_a_function",
        "def place(t):\n    v, i = t.min(1)\n    return i\nloss = place(x).sum()\n",
        "min",
        "v",
    ),
    counted(
        "searchsorted",
        "loss = torch.searchsorted(torch.tensor([0., 2., 4.]), x).sum()\n",
        "searchsorted() gives positions, which have no gradient",
    ),
    counted(
        "bucketize",
        "i = torch.bucketize(x, torch.tensor([0., 2., 4.]))\nloss = i.double().mean()\n",
        "bucketize() gives positions, which have no gradient",
    ),
    counted(
        "count_nonzero",
        "loss = torch.count_nonzero(x).double()\n",
        "count_nonzero() gives counts, which have no gradient",
    ),
    Case(
        "rounded_to_whole_numbers",
        X + "loss = x.round().long().double().sum()\n" + END,
        RUN,
        says=["whole numbers have no gradient", "x + (x.round() - x).detach()"],
        never=[*WRONG, "stay in the graph"],
        code=4,
    ),
    Case(
        "floor_as_an_integer",
        X + "loss = (torch.floor(x * 2).int() + 0.5).sum()\n" + END,
        RUN,
        says=["floor() has slope 0 as well", "(x * 2) + (torch.floor(x * 2) - (x * 2)).detach()"],
        never=[*WRONG, "stay in the graph"],
        code=4,
    ),
    counted(
        "unique_inverse",
        "u, inverse = torch.unique(x, return_inverse=True)\nloss = inverse.double().sum()\n",
        "unique() gives positions and counts, which have no gradient",
    ),
    counted(
        "unique_counts",
        "u, i, n = torch.unique(x, return_inverse=True, return_counts=True)\nloss = (n * 2.0).sum()\n",
        "unique() gives positions and counts, which have no gradient",
    ),
    *[
        Case(
            f"a_constant_as_it_ran_{at}",
            X + body + END,
            RUN,
            says=["the lines that ran made this of no input: it is a constant", says],
            never=[*WRONG, "a comparison has no gradient", "requires_grad=True)"],
            code=4,
        )
        for at, (body, says) in enumerate(
            [
                (
                    "def g(t):\n    if t > 0:\n        return torch.tensor(1.0)\n    return t\n"
                    "loss = g(x.sum())\n",
                    "made of no input",
                ),
                (
                    "def hinge(s):\n    return s.clamp(min=0) if s > 0 else torch.zeros(())\n"
                    "loss = hinge(-x.sum())\n",
                    "made of no input",
                ),
                ("loss = torch.zeros(1)\nfor v in x[0]:\n    if v > 9:\n        loss = loss + v\n", "loss"),
            ]
        )
    ],
    *[
        Case(
            f"the_outputs_and_inputs_of_grad_are_swapped_{at}",
            X + f"y = {y}\ng, = torch.autograd.grad(x, y)\n",
            RUN,
            says=["the result stands first: torch.autograd.grad(y, x)"],
            code=4,
        )
        for at, y in enumerate(["(x @ torch.ones(3, 1)).sum()", "(x ** 2).mean()"])
    ],
]


@each_of(CASES)
def test_case(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)
