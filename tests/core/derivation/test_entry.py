"""One entry of a tensor gradient: the formula in index sums, its steps, its value."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.core.derivation.entry_symbols import LINEAR, EntryTable
from autodiff.core.graph.op import OPS
from autodiff.core.report.entry_records import EntryDerivation
from autodiff.core.report.records import Derivation
from autodiff.core.symbolic.evaluate import value_of
from autodiff.core.symbolic.expr import name_expr
from autodiff.core.symbolic.sum_text import written_sum
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate
from formula_evaluator import value_of_text
from seeds import seeds

LEAVES = """\
X = torch.tensor([[1., 2., 3.], [4., 5., 6.]], requires_grad=True)
W = torch.tensor([[.5, -1.], [2., .25], [1., 3.]], requires_grad=True)
v = torch.tensor([2., -1., .5], requires_grad=True)
"""


def derivations(text: str, place: tuple[int, ...], **settings: Any) -> dict[str, Derivation]:
    asked = Settings(**settings)
    source = Source(text, "script.ad")
    subject = differentiate(execute(source, asked, lambda text: None, lambda *what: None), asked)
    report = describe(subject, source, graph=False, entry=place)
    return {derivation.wrt: derivation for derivation in report.derivations}


def entry_of(text: str, wrt: str, place: tuple[int, ...], **settings: Any) -> EntryDerivation:
    entry = derivations(text, place, wrt=[wrt], **settings)[wrt].entry
    assert entry is not None
    return entry


FORMULAS = {
    "elementwise": ("L = (X * X).sum()", "X", (1, 2), "2*X[1,2]"),
    "matmul": ("L = (X @ W).sum()", "W", (2, 1), "X[0,2] + X[1,2]"),
    "mv": ("L = (X @ v).sum()", "v", (1,), "X[0,1] + X[1,1]"),
    "vector times matrix": ("L = (v @ W).sum()", "v", (1,), "W[1,0] + W[1,1]"),
    "dot": ("L = v @ X[0]", "X", (0, 2), "v[2]"),
    "outer": ("L = torch.outer(v, X[1]).sum()", "v", (0,), "X[1,0] + X[1,1] + X[1,2]"),
    "bmm": ("L = torch.bmm(X.view(2, 1, 3), W.expand(2, 3, 2)).sum()", "W", (0, 1), "X[0,0] + X[1,0]"),
    "mean": ("L = X.mean()", "X", (0, 0), "1/6"),
    "sum over a dimension": ("L = (X.sum(1) ** 2).sum()", "X", (1, 0), "2*(X[1,0] + X[1,1] + X[1,2])"),
    "broadcast": ("L = (X * v).sum()", "v", (2,), "X[0,2] + X[1,2]"),
    "index": ("L = X[1, 2] * v[0] + X[0, 0]", "X", (1, 2), "v[0]"),
    "index with a list": ("L = (X[:, [0, 0, 2]] * v).sum()", "X", (1, 0), "v[0] + v[1]"),
    "mask": ("L = (X[X > 3] ** 2).sum()", "X", (1, 0), "2*X[1,0]"),
    "reshape": ("L = (X.reshape(3, 2) * W).sum()", "X", (1, 0), "W[1,1]"),
    "transpose": ("L = (X.T * W[:, :1]).sum()", "X", (1, 2), "W[2,0]"),
    "cat": ("L = (torch.cat([v, X[0]]) ** 2).sum()", "v", (1,), "2*v[1]"),
    "stack": ("L = (torch.stack([v, v]) * X).sum()", "v", (1,), "X[0,1] + X[1,1]"),
    "cumsum": ("L = (v.cumsum(0) * X[0]).sum()", "v", (1,), "X[0,1] + X[0,2]"),
    "relu": ("L = torch.relu(X - 2).sum()", "X", (0, 1), "[X[0,1] - 2 > 0]"),
    "softmax": ("p = torch.softmax(v, 0)\nL = p[0]", "v", (2,), "-p[2]*p[0]"),
    "own softmax": ("p = torch.softmax(v, 0)\nL = p[0]", "v", (0,), "p[0]*(1 - p[0])"),
    "two uses": ("L = (X @ v).sum() + v[0] ** 2", "v", (0,), "X[0,0] + X[1,0] + 2*v[0]"),
    "einsum": ("L = torch.einsum('ij,jk->ik', X, W).sum()", "W", (2, 1), "X[0,2] + X[1,2]"),
    "norm": ("n = v.norm()\nL = 2 * n", "v", (1,), "2*v[1]/n"),
    "normalized": ("L = v[0] / v.norm()", "v", (1,), "-v[1]*L/(v[0]**2 + v[1]**2 + v[2]**2)"),
    "prod": ("L = v.prod()", "v", (1,), "L/v[1]"),
    "det": ("A = X[:, :2]\nL = torch.det(A)", "X", (0, 1), "-A[1,0]"),
    "logdet": (
        "A = X[:, :2]\nL = torch.linalg.slogdet(A).logabsdet",
        "X",
        (0, 1),
        "-A[1,0]/(A[0,0]*A[1,1] - A[0,1]*A[1,0])",
    ),
    "cross": ("L = (torch.linalg.cross(v, X[0]) * X[1]).sum()", "v", (0,), "X[0,1]*X[1,2] - X[0,2]*X[1,1]"),
    "not used": ("L = v[0] ** 2", "v", (1,), "0"),
    "addmm": ("L = torch.addmm(X[:, :2], X, W, beta=2, alpha=3).sum()", "W", (0, 0), "3*(X[0,0] + X[1,0])"),
    "tril": ("L = (torch.tril(X @ W) ** 2).sum() / 2", "W", (0, 1), "X[1,0]*(X[1,0]*W[0,1]"),
}


@pytest.mark.parametrize("case", FORMULAS)
def test_formulas(case: str) -> None:
    script, wrt, place, formula = FORMULAS[case]
    entry = entry_of(LEAVES + script, wrt, place)
    assert entry.formula == formula or entry.formula.startswith(formula + " + X[1,1]")
    assert entry.difference is not None
    assert entry.difference <= 1e-12
    assert not entry.unspelled


def test_the_weight_of_the_output_is_named() -> None:
    entry = entry_of(LEAVES + "Y = X @ W", "W", (0, 1), grad_output=[[1.0, 2.0], [3.0, 4.0]])
    assert entry.given == "dS/dW[0,1]"
    assert entry.formula == "X[0,0]*G[0,1] + X[1,0]*G[1,1]"
    assert entry.numbers == ("1*2", "4*4")
    assert entry.value == entry.backward == 18


def test_the_chain_rule_names_the_entries_between() -> None:
    """Every entry of the product that an entry of W goes into, expanded, with its derivative."""
    entry = entry_of(LEAVES + "a = X @ W\nL = (a * a).sum()", "W", (2, 1))
    assert [step.name for step in entry.steps] == ["a[0,1]", "a[1,1]"]
    assert entry.steps[0].expansion == "X[0,0]*W[0,1] + X[0,1]*W[1,1] + X[0,2]*W[2,1]"
    assert [step.local for step in entry.steps] == ["X[0,2]", "X[1,2]"]
    assert sum(step.rate * step.received for step in entry.steps) == entry.backward


def test_entries_that_receive_nothing_are_no_step() -> None:
    entry = entry_of(LEAVES + "a = v * 2\nL = a[0] + a[2]", "v", (1,))
    assert entry.steps == ()
    assert entry.formula == "0"


def test_long_sums_are_folded() -> None:
    entry = entry_of(
        "X = torch.ones(40, 3)\nw = torch.ones(3, requires_grad=True)\nL = (X @ w).sum()", "w", (1,)
    )
    assert entry.formula == "sum(X[k,1] for k in range(40))"
    assert len(entry.numbers) == 40
    assert entry.value == 40


def test_the_index_of_a_folded_sum_is_no_name_of_the_script() -> None:
    terms = [name_expr(f"k[{at},0]") for at in range(6)]
    assert written_sum(terms) == "sum(k[m,0] for m in range(6))"


def test_long_gradients_between_are_named_and_explained() -> None:
    script = "h = torch.tanh(X @ W)\nz = h @ h.T\nL = (torch.softmax(z, 1) ** 2).sum()"
    entry = entry_of(LEAVES + script, "W", (0, 0))
    assert "dL/dz[0,0]" in dict(entry.where)
    assert "dL/dz" not in entry.complete.text
    assert entry.difference is not None
    assert entry.difference < 1e-12


def test_long_values_between_are_named_and_explained() -> None:
    script = "y = torch.zeros(2)\nX = torch.ones(2, 9)\nw = torch.ones(9, requires_grad=True)\n"
    entry = entry_of(script + "L = ((X @ w - y) ** 2).sum()", "w", (8,))
    assert entry.formula == "2*X[0,8]*(t1[0] - y[0]) + 2*X[1,8]*(t1[1] - y[1])"
    assert ("t1", "X @ w") in entry.where
    assert entry.value == 36


@pytest.mark.parametrize(
    ("script", "op"),
    [
        ("A = X @ W\nL = torch.matrix_exp(A).sum()", "matrix_exp"),
        ("A = X @ W\nL = torch.linalg.matrix_norm(A, 'nuc')", "left_vectors"),
        (
            "class Half(torch.autograd.Function):\n"
            "    @staticmethod\n    def forward(ctx, x):\n        return x / 2\n"
            "    @staticmethod\n    def backward(ctx, g):\n        return g / 2\n"
            "L = Half.apply(X @ W).sum()",
            "Half",
        ),
    ],
    ids=["no spelling", "a rule with one", "a class of the script"],
)
def test_an_op_without_a_spelling_is_named_and_its_value_is_shown(script: str, op: str) -> None:
    entry = entry_of(LEAVES + script, "W", (0, 0))
    assert {found for _, found in entry.unspelled} == {op}
    for spelled, _ in entry.unspelled:
        assert spelled in entry.values
        assert spelled in entry.formula
        assert spelled not in entry.complete.text
    assert entry.difference is not None
    assert entry.difference <= 1e-12


def test_an_entry_of_an_input_that_op_reads_at_once() -> None:
    entry = entry_of("A = torch.eye(2, requires_grad=True)\nL = torch.matrix_exp(A).sum()", "A", (0, 1))
    assert entry.formula == "dL/dA[0,1]"
    assert entry.steps == ()


def test_inputs_without_such_an_entry_have_none() -> None:
    found = derivations(LEAVES + "L = (X @ W).sum() + v.sum()", (2, 1))
    assert {wrt for wrt, derivation in found.items() if derivation.entry is not None} == {"W"}


def test_too_many_entries_are_said_to_be() -> None:
    script = "A = torch.ones(60, 60, requires_grad=True)\nB = A @ A\nC = B @ B\nD = C @ C\nL = (D @ D).sum()"
    entry = entry_of(script, "A", (3, 4))
    assert entry.formula == ""
    assert entry.difference is None
    assert entry.value == entry.backward


# -- linear ops are what their rules say --------------------------------------------------------------------

LINEAR_USES = """
x.sum(1)  x.sum()  x.mean(0, keepdim=True)  x.expand(2,2,3)  x.clone()  x.reshape(3,2)  x.permute(1,0)  x.T
x.unsqueeze(1)  x.repeat(2,1)  x.flip(1)  x.roll(1)  x[1]  x[:,1:]  x[[1,0,1]]
x.index_select(1,torch.tensor([2,0]))  x.gather(1,torch.tensor([[0],[2]]))  x.take(torch.tensor([5,0]))
x.tril()  x.triu(1)  x.diagonal()
x[0].diag()  torch.cat([x,x*2])  torch.stack([x,x])  x.cumsum(1)  x[:,:2].trace()  F.pad(x,(1,1))
torch.rot90(x)  x.unfold(1,2,1)  torch.block_diag(x,x)  x.scatter_add(1,torch.tensor([[0,0],[1,2]]),x[:,:2])
x.index_add(0,torch.tensor([0]),x[:1])  x.masked_fill(x>2,0.)  F.avg_pool1d(x,2)  x.squeeze()  x.contiguous()
""".split("  ")


@pytest.mark.parametrize(
    "use", [use.strip() for part in LINEAR_USES for use in part.split("\n") if use.strip()]
)
def test_linear_ops(use: str) -> None:
    """Whatever is done to x, every entry of the gradient is spelled and comes to what backward says."""
    lines = ["import torch.nn.functional as F"] * ("F." in use)
    script = "\n".join(
        [
            *lines,
            "x = torch.tensor([[1., 2., 3.], [4., 5., 6.]], requires_grad=True)",
            f"y = {use}",
            "L = (y * y).sum()",
        ]
    )
    for place in np.ndindex(2, 3):
        entry = entry_of(script, "x", place)
        assert not entry.unspelled, entry.unspelled
        assert entry.difference is not None
        assert entry.difference <= 1e-9


def test_linear_ops_are_ops() -> None:
    assert set(OPS) >= LINEAR


def test_entries_answer_with_the_entries_of_a_forward() -> None:
    """An op on tables, asked everywhere, is its forward on arrays."""
    x = np.arange(6.0).reshape(2, 3) + 1
    table = EntryTable((2, 3), lambda place: name_expr(f"x{place[0]}{place[1]}"))
    values = {f"x{i}{j}": x[i, j] for i, j in np.ndindex(2, 3)}
    for made, expected in (
        (OPS["softmax"](table, dim=1), np.exp(x) / np.exp(x).sum(1, keepdims=True)),
        (table @ table.T, x @ x.T),
        (OPS["log_softmax"](table, dim=0), x - np.log(np.exp(x).sum(0, keepdims=True))),
        (table / 2 - 1, x / 2 - 1),
        (OPS["einsum"](table, table, equation="ij,kj->ki"), x @ x.T),
        (OPS["einsum"](table, equation="ij->j"), x.sum(0)),
        (OPS["einsum"](table, table, table, equation="ij,ij,kj->"), np.einsum("ij,ij,kj->", x, x, x)),
        (OPS["others"](table, dim=(1,)), x.prod(1, keepdims=True) / x),
        (OPS["others"](table, dim=None), x.prod() / x),
        (OPS["vector_norm"](table, ord=2, dim=(0,), keepdim=True), np.sqrt((x**2).sum(0, keepdims=True))),
        (OPS["vector_norm"](table, ord=1, dim=None, keepdim=False), np.abs(x).sum()),
        (OPS["cross"](table, table * table, dim=1), np.cross(x, x * x)),
    ):
        found = [float(value_of(made.entry(place), values)) for place in np.ndindex(made.shape)]
        np.testing.assert_allclose(np.reshape(found, made.shape), expected, rtol=1e-14)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_determinants_and_inverses_are_written_out(n: int) -> None:
    draw = np.random.default_rng(n)
    x, y = draw.uniform(0.5, 2.0, (2, n, n)), draw.uniform(-1.0, 1.0, (n, 2))
    values = {f"x{b}{i}{j}": x[b, i, j] for b, i, j in np.ndindex(x.shape)}
    values |= {f"y{i}{j}": y[i, j] for i, j in np.ndindex(y.shape)}
    tables = EntryTable(x.shape, lambda place: name_expr("x" + "".join(map(str, place))))
    right = EntryTable(y.shape, lambda place: name_expr(f"y{place[0]}{place[1]}"))
    det = np.linalg.det(x)
    for made, expected in (
        (OPS["det"](tables), det),
        (OPS["cofactor"](tables), det[:, None, None] * np.swapaxes(np.linalg.inv(x), 1, 2)),
        (OPS["inv"](tables), np.linalg.inv(x)),
        (OPS["solve"](tables, right), np.linalg.solve(x, y)),
    ):
        found = [float(value_of(made.entry(place), values)) for place in np.ndindex(made.shape)]
        np.testing.assert_allclose(np.reshape(found, made.shape), expected, rtol=1e-9, atol=1e-12)


def test_large_determinants_are_not_written_out() -> None:
    entry = entry_of("A = 2 * torch.eye(4, requires_grad=True)\nL = torch.det(A)", "A", (0, 0))
    assert {op for _, op in entry.unspelled} == {"cofactor"}


# -- random graphs ------------------------------------------------------------------------------------------


class RandomScript:
    """A script of tensors of three shapes, made of steps that keep numbers tame."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.tensors: dict[str, tuple[int, ...]] = {}
        shapes = {"a": (2, 3), "b": (3, 2), "c": (3,), "d": (2, 3)}
        for spelled, shape in shapes.items():
            entries = [round(self.random.uniform(-1.5, 1.5), 3) for _ in range(math.prod(shape))]
            nested = np.reshape(entries, shape).tolist()
            self.lines.append(f"{spelled} = torch.tensor({nested}, requires_grad=True)")
            self.tensors[spelled] = shape
        for at in range(self.random.randint(3, 8)):
            self.step(f"t{at}")
        used = self.random.sample(list(self.tensors), 3)
        self.lines.append("L = " + " + ".join(f"({spelled} * {spelled}).mean()" for spelled in used))

    def pick(self, ndim: int | None = None) -> str:
        fitting = [s for s, shape in self.tensors.items() if ndim is None or len(shape) == ndim]
        return self.random.choice(fitting[-5:] or ["a"])

    def step(self, target: str) -> None:
        x = self.pick()
        matrix = self.pick(2)
        other = self.random.choice([s for s, n in self.tensors.items() if n == self.tensors[x]])
        columns = self.tensors[matrix][1]
        choices = [
            f"torch.tanh({x})",
            f"torch.sigmoid({x}) * {other}",
            f"torch.exp(-{x} ** 2)",
            f"{x} * 0.5 + {other}",
            f"{x} / (1 + {other} ** 2)",
            f"torch.relu({x} - 0.1)",
            f"torch.where({x} > {other}, {x}, {other} * 0.3)",
            f"{matrix}.T @ {matrix}",
            f"{matrix} @ torch.ones({columns})",
            f"{matrix}.sum(0) - {matrix}.mean()",
            f"torch.softmax({matrix}, 1)",
            f"torch.cat([{matrix}, {matrix} * 2], 0)[1:]",
            f"{matrix}[:, [0, 1, 0]] * 0.7",
            f"torch.stack([{matrix}[0], {matrix}[1]]).cumsum(1)",
            f"{matrix}.reshape(-1)[:4].reshape(2, 2)",
            f"torch.outer({matrix}[0], {matrix}[1])",
            f"{matrix} - {matrix}.max(1, keepdim=True).values",
        ]
        from script_runner import run_script

        line = f"{target} = {self.random.choice(choices)}"
        outcome = run_script("\n".join([*self.lines, line, f"print(tuple({target}.shape))"]))
        if outcome.error is None:
            self.lines.append(line)
            self.tensors[target] = eval(outcome.stdout)


@pytest.mark.parametrize("seed", seeds(60))
def test_entries_of_random_graphs(seed: int) -> None:
    """The formula printed for programs, read by Python with the script's arrays, gives the gradient."""
    script = RandomScript(seed)
    text = "\n".join(script.lines)
    for wrt in "abcd":
        shape = script.tensors[wrt]
        place = tuple(script.random.randrange(n) for n in shape)
        entry = entry_of(text, wrt, place)
        if entry.difference is None:
            continue
        assert entry.difference <= 1e-10 * max(abs(entry.backward), 1), (wrt, place, text)
        if not entry.unspelled and len(entry.complete.text) < 100_000:
            assert evaluated(entry, text) == pytest.approx(entry.backward, rel=1e-9, abs=1e-10), text


def evaluated(entry: EntryDerivation, text: str) -> float:
    """The exact formula as Python reads it: ``X[0,1]`` is an entry of the array X."""
    asked = Settings()
    names = execute(Source(text, "script.ad"), asked, lambda text: None).names
    arrays = {spelled: value.data for spelled, value in names.items() if hasattr(value, "data")}
    return float(value_of_text(entry.complete.text, arrays))
