"""Mistakes of training loops that run without an error, or fail far from their cause: the lint finds them."""

from __future__ import annotations

from pathlib import Path

from cases import Case, each_of

LINT = "autodiff lint script.ad"
A = "a = torch.tensor([1., 2., 3.], requires_grad=True)\n"


def found(name: str, script: str, code: str, *shows: str, never: tuple[str, ...] = ()) -> Case:
    """A script in which the lint ``code`` finds something."""
    return Case(name, script, LINT, shows=[f"warning[{code}]", *shows], never=never, code=1)


#: A recurrent state leads to the graphs of earlier iterations.
CELL = "w = torch.tensor(0.5, requires_grad=True)\nh = torch.tensor(0.5)\n"
RECURRENT = {
    "for": CELL
    + "for x in [1.0, 2.0, 3.0]:\n    h = torch.tanh(w * h + x)\n    loss = h ** 2\n    loss.backward()\n",
    "while": CELL
    + "n = 0\nwhile n < 3:\n    h = (w * h).sin()\n    L = h * h\n    L.backward()\n    n += 1\n",
    "function": CELL
    + "def cell(h, x):\n    return torch.tanh(w * h + x)\nfor x in [1.0, 2.0, 3.0]:\n    h = cell(h, x)\n"
    "    loss = h ** 2\n    loss.backward()\n",
    "step": CELL
    + "for t in range(3):\n    h = torch.tanh(w * h + t)\n    loss = h.pow(2)\n    loss.backward()\n"
    "    with torch.no_grad():\n        w -= 0.1 * w.grad\n    w.grad = None\n",
    "sum": CELL + "for t in range(3):\n    h = h + (w * t - 1) ** 2\n    h.backward()\n    w.grad = None\n",
}

CASES = [
    *[
        found(f"recurrent_{name}", script, "L005", "h = h.detach()", never=("retain_graph",))
        for name, script in RECURRENT.items()
    ],
    found(
        "two_recurrent_states",
        "W = torch.randn(3, 3, requires_grad=True)\nh = torch.zeros(3)\nc = torch.zeros(3)\n"
        "for x in torch.randn(4, 3):\n    z = W @ h + x\n    c = 0.5 * c + torch.sigmoid(z)\n"
        "    h = torch.tanh(c) * z\n    loss = (h - 1).pow(2).mean()\n    loss.backward()\n",
        "L005",
        "h = h.detach()",
        "c = c.detach()",
        never=("z = z.detach()",),
    ),
    *[
        found(f"swapped_leaf_{at}", A + f"y = (a**2).sum()\n{call}\n", "L024", right)
        for at, (call, right) in enumerate(
            [
                ("g = torch.autograd.grad(a, y)", "torch.autograd.grad(y, a)"),
                ("g = torch.autograd.grad(inputs=y, outputs=a)", "torch.autograd.grad(inputs=a, outputs=y)"),
                ("(g,) = grad(a, [y])", "grad([y], a)"),
                ("g = torch.autograd.grad(a, y)[0]", "torch.autograd.grad(y, a)[0]"),
                (
                    "g = torch.autograd.grad(a, y, create_graph=True)",
                    "torch.autograd.grad(y, a, create_graph=True)",
                ),
            ]
        )
    ],
    found(
        "sigmoid_inplace_entry",
        A + "b = a.sigmoid()\nb[1] = 2\nb.sum().backward()\n",
        "L018",
        "b = b.clone()",
    ),
    found(
        "mm_loop_inplace",
        "P = torch.tensor([[1., 0.5], [0.2, 2.]], requires_grad=True)\n"
        "a = torch.tensor([[1.], [2.]], requires_grad=True)\nb = torch.mm(P, a)\ny = 0\n"
        "for i in range(2):\n    b[i] = b[i] + 1\n    y = y + torch.mm(P, b)\ny.sum().backward()\n",
        "L018",
        "this saved it",
    ),
    found("tanh_scaled", A + "h = torch.tanh(a)\nh *= 2\nloss = h.sum()\nloss.backward()\n", "L018"),
    found(
        "zero_grad_late",
        "w = torch.tensor(1.0, requires_grad=True)\nfor i in range(3):\n    loss = (w * 2 - 1) ** 2\n"
        "    loss.backward()\n    w.grad.zero_()\n    with torch.no_grad():\n        w -= 0.1 * w.grad\n",
        "L019",
        "clear it after the step",
    ),
    found(
        "none_before_step",
        A + "(a**2).sum().backward()\na.grad = None\nwith torch.no_grad():\n    a -= 0.1 * a.grad\n",
        "L019",
    ),
    found(
        "detached_weights",
        "c = torch.tensor([1., 2.], requires_grad=True)\nweights = torch.softmax(c, 0)\n"
        "pts = (weights * c).sum()\nweights = weights.detach()\nreg = (weights ** 2).sum()\n"
        "for k in (0.1, 10.):\n    c.grad = None\n    (pts + k * reg).backward(retain_graph=True)\n",
        "L023",
        "it moves the loss and no gradient",
        "delete this line",
        never=("weights = weights`",),
    ),
    found(
        "penalty_of_data",
        A + "penalty = a.data.norm()\nloss = (a**3).sum() + penalty\nloss.backward()\n",
        "L023",
        "a.norm()",
    ),
    found(
        "grad_wrt_grad",
        "W = torch.ones(3, 1)\nx = torch.rand(4, 3, requires_grad=True)\ny = x @ W\n"
        "g, = torch.autograd.grad(inputs=x, outputs=y, grad_outputs=torch.ones_like(y))\n"
        "g2, = torch.autograd.grad(inputs=g, outputs=y, grad_outputs=torch.ones_like(y))\n",
        "L024",
        "`g` is computed from `y`",
        never=("create_graph",),
    ),
    found(
        "input_of_output", A + "y = a * 2\nz = y.sum()\ng = torch.autograd.grad(y, z)\n", "L024", "swap them"
    ),
    found(
        "dtype_rebind",
        "x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)\nx = x.float()\nf = 10 * (x ** 2).sum()\n"
        "f.backward()\nprint(x.grad)\n",
        "L006",
        "stays None",
    ),
    found(
        "counts_of_long",
        A + "loss = torch.bincount(a.long().flatten()).sum()\nloss.backward()\nprint(a.grad)\n",
        "L008",
        "whole numbers have no gradient",
    ),
    found("int_of_leaf", A + "loss = (a.int() * 2).sum()\nloss.backward()\n", "L008"),
    found(
        "detach_to_itself",
        A + "h = a * 2\nh = h.detach()\nloss = h.sum()\nloss.backward()\n",
        "L008",
        "delete this line",
    ),
    found(
        "entry_of_a_row",
        "buf = torch.zeros(2, 2, requires_grad=True)\nbuf[0][1] = 3.\nbuf.sum()\n",
        "L003",
        "`buf`",
    ),
    found(
        "acc_rows",
        "ma = torch.arange(6.).reshape(2, 3).requires_grad_()\nres = torch.zeros(2, requires_grad=True)\n"
        "for i in range(2):\n    res[i] = (ma[i] ** 2).sum()\nres.sum().backward()\nprint(ma.grad)\n",
        "L003",
        "res = torch.zeros(2)`",
        never=("no_grad()",),
    ),
    found(
        "acc_scalar",
        "x = torch.tensor([1., 2.], requires_grad=True)\ntotal = torch.zeros(1, requires_grad=True)\n"
        "for v in x:\n    total += v * v\ntotal.backward()\nprint(x.grad)\n",
        "L003",
        "total = torch.zeros(1)`",
        never=("no_grad()",),
    ),
    found(
        "acc_advice_followed",
        "loss = torch.tensor(0.0, requires_grad=True)\nw = torch.tensor(2.0, requires_grad=True)\n"
        "for t in [1., 2., 3.]:\n    with torch.no_grad():\n        loss += (w * t - 1) ** 2\n"
        "loss.backward()\nprint(w.grad)\n",
        "L009",
        "has no graph",
    ),
    *[
        found(
            f"filled_by_method_{at}",
            "x = torch.tensor([1., 2.], requires_grad=True)\nacc = torch.ones(2, requires_grad=True)\n"
            f"for k in (1, 2):\n    {call}\nacc.sum().backward()\nprint(x.grad)\n",
            "L003",
            "`acc = torch.ones(2)`",
            never=("no_grad()",),
        )
        for at, call in enumerate(["acc.mul_(x).add_(k)", "acc.add_((x * k - 1)**2)", "acc[:] = x"])
    ],
    found(
        "summed_in_data",
        "loss = torch.tensor(0., requires_grad=True)\nw = torch.tensor(0.5, requires_grad=True)\n"
        "for d in [1., 2.]:\n    loss.data += ((w - d)**2).data\nloss.backward()\nprint(w.grad)\n",
        "L009",
        "`.data` is outside of the graph",
        "loss = torch.tensor(0.)",
        "loss += ((w - d)**2)",
        never=("no_grad()",),
    ),
    *[
        found(f"positions_{at}", A + body + "L.backward()\n", "L008", "constant between jumps")
        for at, body in enumerate(
            [
                "q = torch.bucketize(a, torch.arange(5.))\nL = q.double().sum()\n",
                "L = torch.searchsorted(torch.arange(5.), a).sum()\n",
                "rank = torch.zeros(3)\nrank[a.argsort()] = torch.arange(3.)\nL = (rank**2).mean()\n",
                "table = torch.randn(4)\nL = table[a.argmax()]\n",
            ]
        )
    ],
    found(
        "copy_that_is_asked_for_a_gradient",
        A + "out = a * 2\nloss = (torch.tensor(out) - 1).pow(2).mean()\nloss.requires_grad = True\n"
        "loss.backward()\nprint(a.grad)\n",
        "L008",
        "loss = (out - 1).pow(2).mean()",
        never=("detach().clone()",),
    ),
    found(
        "detached_copy_is_trained_instead",
        A + "y = a.clone().detach().requires_grad_(True)\nz = (y**2).sum()\nz.backward()\nprint(a.grad)\n",
        "L008",
        "y = a.clone().requires_grad_(True)",
    ),
]


@each_of(CASES)
def test_a_mistake_of_training_is_found(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)


def quiet(name: str, script: str) -> Case:
    """A script in which no lint finds anything."""
    return Case(name, script, LINT, prints="", never=["warning["])


RIGHT = [
    *[
        quiet(
            f"recurrent_{name}",
            script.replace(".backward()\n", ".backward()\n    h = h.detach()\n    w.grad = None\n"),
        )
        for name, script in RECURRENT.items()
        if "w.grad" not in script
    ],
    quiet("state_detached_where_it_is_used", RECURRENT["step"].replace("w * h", "w * h.detach()")),
    *[
        quiet(
            f"losses_as_numbers_{at}",
            CELL + "losses = []\nfor t in range(3):\n    l = (w * t - 1) ** 2\n    l.backward()\n"
            f"    {kept}\n    w.grad = None\n",
        )
        for at, kept in enumerate(
            [
                "losses.append(l.item())",
                "losses += [l.item()]",
                "losses.append(float(l))",
                "losses.append(l.detach())",
                "losses.append((t, l.item()))",
            ]
        )
    ],
    quiet("gradient_of_the_output", A + "y = (a**2).sum()\n(g,) = torch.autograd.grad(y, a)\nprint(g)\n"),
]


@each_of(RIGHT)
def test_what_is_right_is_left_alone(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)
