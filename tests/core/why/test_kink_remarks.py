"""Points where a gradient is a convention: what is told of every kind of them, and that it is so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from autodiff.cli.render.json_derivation import derivation_entry, kink_entry
from autodiff.cli.render.page import Page
from autodiff.cli.render.paths import kink_lines
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from autodiff.core.check.verify import verify
from autodiff.core.derivation.describe import describe
from autodiff.core.graph.op import OPS
from autodiff.core.graph.topological_order import nodes_leading_to
from autodiff.core.paths.node_names import NodeNames
from autodiff.core.report.kink import Kink
from autodiff.core.report.verdict import KINK, NOT_FINITE, OK, UNDECIDED, WRONG
from autodiff.core.why.kink_table import KINK_RULES, TIE_OPS
from autodiff.core.why.kinks import kinks_of
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.run import Settings, differentiate
from conftest import REPOSITORY, TESTS

GOLDEN = TESTS / "golden" / "kinks.txt"
INF, NAN = float("inf"), float("nan")
Numbers = Any

#: What is computed of x and y, their values, and the gradients of the sum of it.
CASES: list[tuple[str, list[Numbers], list[Numbers]]] = [
    ("abs(x)", [0.0], [0.0]),
    (
        "x.index_put((torch.tensor([0, 0, 1]),), y)",
        [[5.0, 6.0, 7.0], [1.0, 2.0, 3.0]],
        [[0.0, 0.0, 1.0], [1.0, 1.0, 1.0]],
    ),
    (
        "x.index_copy(0, torch.tensor([2, 2]), y)",
        [[5.0, 6.0, 7.0], [1.0, 2.0]],
        [[1.0, 1.0, 0.0], [1.0, 1.0]],
    ),
    (
        "x.scatter(0, torch.tensor([1, 1]), y)",
        [[5.0, 6.0, 7.0], [1.0, 2.0]],
        [[1.0, 0.0, 1.0], [1.0, 1.0]],
    ),
    (
        "torch.linalg.eigvalsh(x) * torch.tensor([1.0, 2.0])",
        [[[1.0, 0.0], [0.0, 1.0]]],
        [[[1.0, 0.0], [0.0, 2.0]]],
    ),
    (
        "torch.linalg.svdvals(x) * torch.tensor([1.0, 2.0])",
        [[[0.0, 2.0], [2.0, 0.0]]],
        [[[0.0, 2.0], [1.0, 0.0]]],
    ),
    ("torch.linalg.norm(x, 'nuc')", [[[0.0, 0.0], [0.0, 0.0]]], [[[1.0, 0.0], [0.0, 1.0]]]),
    ("torch.linalg.svdvals(x)", [[[2.0, 0.0], [0.0, 0.0]]], [[[1.0, 0.0], [0.0, 1.0]]]),
    ("relu(x)", [[-1.0, 0.0, 0.0, 2.0]], [[0.0, 0.0, 0.0, 1.0]]),
    ("sign(x)", [0.0], [0.0]),
    ("torch.sgn(x)", [0.0], [0.0]),
    ("F.leaky_relu(x, 0.25)", [0.0], [0.25]),
    ("F.prelu(x, y)", [[0.0, 1.0], [0.25]], [[0.25, 1.0], [0.0]]),
    ("F.elu(x, 2.0)", [0.0], [2.0]),
    ("F.elu(x)", [0.0], [1.0]),
    ("F.celu(x, 49.0)", [0.0], [1.0]),
    ("torch.copysign(x, y)", [0.0, 1.0], [0.0, 0.0]),
    ("torch.copysign(x, y)", [2.0, 0.0], [1.0, 0.0]),
    ("torch.clamp(x, 0, 1)", [[0.0, 0.5, 1.0]], [[1.0, 1.0, 1.0]]),
    ("torch.clamp(x, y, 2 * y)", [1.0, 1.0], [1.0, 0.0]),
    ("torch.clamp(x, min=0)", [0.0], [1.0]),
    ("torch.clamp(x, min=y)", [0.0, 0.0], [1.0, 0.0]),
    ("torch.clamp(x, max=0)", [0.0], [1.0]),
    ("torch.clamp(x, max=y)", [0.0, 0.0], [1.0, 0.0]),
    ("F.relu6(x)", [6.0], [0.0]),
    ("F.hardtanh(x)", [[-1.0, 0.0, 1.0]], [[0.0, 1.0, 0.0]]),
    ("F.hardsigmoid(x)", [3.0], [0.0]),
    ("F.hardswish(x)", [-3.0], [0.0]),
    ("F.hardswish(x)", [3.0], [1.0]),
    ("F.softshrink(x)", [0.5], [0.0]),
    ("F.hardshrink(x)", [-0.5], [0.0]),
    ("F.hardshrink(x, 0)", [0.0], [0.0]),
    ("F.threshold(x, 1, 7)", [1.0], [0.0]),
    ("F.threshold(x, 1, 1)", [1.0], [0.0]),
    ("torch.logit(x, 0.25)", [0.25], [16 / 3]),
    ("torch.maximum(x, y)", [2.0, 2.0], [0.5, 0.5]),
    ("torch.maximum(x, y)", [[1.0, 2.0], 2.0], [[0.0, 0.5], 1.5]),
    ("torch.minimum(x, y)", [2.0, 2.0], [0.5, 0.5]),
    ("torch.fmax(x, y)", [2.0, 2.0], [1.0, 0.0]),
    ("torch.fmin(x, y)", [2.0, 2.0], [1.0, 0.0]),
    ("x.max()", [[1.0, 3.0, 3.0]], [[0.0, 0.5, 0.5]]),
    ("x.amax(1)", [[[1.0, 3.0], [2.0, 2.0]]], [[[0.0, 1.0], [0.5, 0.5]]]),
    ("x.min()", [[1.0, 1.0, 3.0]], [[0.5, 0.5, 0.0]]),
    ("x.max(0)[0]", [[1.0, 3.0, 3.0]], [[0.0, 1.0, 0.0]]),
    ("x.min(0)[0]", [[1.0, 1.0, 3.0]], [[1.0, 0.0, 0.0]]),
    ("x.median()", [[3.0, 1.0, 1.0, 2.0]], [[0.0, 0.5, 0.5, 0.0]]),
    ("torch.nanmedian(x)", [[3.0, 1.0, 1.0, NAN]], [[0.0, 0.5, 0.5, 0.0]]),
    ("x.sort()[0][:1]", [[1.0, 1.0, 2.0]], [[1.0, 0.0, 0.0]]),
    ("x.topk(1)[0]", [[2.0, 2.0, 1.0]], [[1.0, 0.0, 0.0]]),
    ("x.cummax(0)[0]", [[1.0, 1.0, 0.0]], [[1.0, 2.0, 0.0]]),
    ("x.cummin(0)[0]", [[1.0, 1.0, 2.0]], [[1.0, 2.0, 0.0]]),
    ("torch.quantile(x, 0.5)", [[1.0, 2.0, 2.0]], [[0.0, 1.0, 0.0]]),
    ("F.max_pool2d(x, 2)", [[[[1.0, 1.0], [0.0, 1.0]]]], [[[[1.0, 0.0], [0.0, 0.0]]]]),
    ("torch.cdist(x, y, p=inf)", [[[1.0, 1.0]], [[0.0, 0.0]]], [[[1.0, 1.0]], [[-1.0, -1.0]]]),
    (
        "torch.zeros(2).scatter_reduce(0, torch.tensor([1, 1, 1]), x, 'amax')",
        [[3.0, 3.0, 1.0]],
        [[0.5, 0.5, 0.0]],
    ),
    ("torch.zeros(2).scatter_reduce(0, torch.tensor([1, 0]), x, 'amin')", [[0.0, 3.0]], [[0.5, 0.0]]),
    ("torch.floor(x)", [2.0], [0.0]),
    ("torch.ceil(x)", [2.0], [0.0]),
    ("torch.trunc(x)", [2.0], [0.0]),
    ("torch.round(x)", [2.5], [0.0]),
    ("torch.round(x, decimals=1)", [0.25], [0.0]),
    ("torch.frac(x)", [2.0], [1.0]),
    ("x % y", [6.0, 3.0], [1.0, -2.0]),
    ("torch.fmod(x, y)", [6.0, 3.0], [1.0, -2.0]),
    ("torch.div(x, y, rounding_mode='floor')", [6.0, 3.0], [0.0, 0.0]),
    ("torch.div(x, y, rounding_mode='trunc')", [6.0, 3.0], [0.0, 0.0]),
    ("torch.frexp(x)[0]", [2.0], [0.25]),
    ("x.norm()", [[0.0, 0.0]], [[0.0, 0.0]]),
    ("x.norm(dim=1)", [[[3.0, 4.0], [0.0, 0.0]]], [[[0.6, 0.8], [0.0, 0.0]]]),
    ("x.norm(3)", [[0.0, 0.0]], [[0.0, 0.0]]),
    ("x.norm(1)", [[0.0, -2.0]], [[0.0, -1.0]]),
    ("x.norm(0.5)", [[0.0, 1.0]], [[0.0, 1.0]]),
    ("x.norm(0)", [[0.0, 1.0]], [[0.0, 0.0]]),
    ("x.norm(inf)", [[1.0, -1.0]], [[0.5, -0.5]]),
    ("x.std()", [[1.0, 1.0]], [[0.0, 0.0]]),
    ("x ** y", [0.0, 0.0], [0.0, 0.0]),
    ("x ** y", [0.0, 2.0], [0.0, 0.0]),
    ("torch.atan2(x, y)", [0.0, 0.0], [0.0, 0.0]),
    ("torch.hypot(x, y)", [0.0, 0.0], [NAN, NAN]),
    ("torch.xlogy(x, y)", [0.0, 0.0], [0.0, NAN]),
    ("torch.xlogy(x, y)", [0.0, -1.0], [0.0, 0.0]),
    ("torch.special.xlog1py(x, y)", [0.0, -1.0], [0.0, NAN]),
    ("torch.sinc(x)", [0.0], [0.0]),
    ("torch.logaddexp(x, y)", [-INF, -INF], [NAN, NAN]),
    ("torch.logaddexp2(x, y)", [-INF, -INF], [NAN, NAN]),
    ("x.logsumexp(0)", [[-INF, -INF]], [[NAN, NAN]]),
    ("x.logcumsumexp(0)", [[-INF, 0.0]], [[NAN, 1.0]]),
    ("x.prod()", [[0.0, 2.0, 3.0]], [[6.0, 0.0, 0.0]]),
    ("x.prod(1)", [[[0.0, 2.0], [3.0, 4.0]]], [[[2.0, 0.0], [4.0, 3.0]]]),
    ("x.cumprod(0)[2]", [[0.0, 2.0, 3.0]], [[6.0, 0.0, 0.0]]),
    ("torch.linalg.det(x)", [[[1.0, 2.0], [2.0, 4.0]]], [[[4.0, -2.0], [-2.0, 1.0]]]),
    ("F.l1_loss(x, y, reduction='sum')", [[1.0, 2.0], [1.0, 0.0]], [[0.0, 1.0], [0.0, -1.0]]),
    ("F.smooth_l1_loss(x, y, beta=0)", [1.0, 1.0], [0.0, 0.0]),
    ("F.smooth_l1_loss(x, y)", [1.0, 0.0], [1.0, -1.0]),
    ("F.huber_loss(x, y)", [1.0, 0.0], [1.0, -1.0]),
    ("F.margin_ranking_loss(x, y, torch.ones(1))", [[1.0], [1.0]], [[-1.0], [1.0]]),
]
#: Where torch has something else, and the remark says so.
NOT_IN_TORCH = {"torch.linalg.det(x)"}
each_case = pytest.mark.parametrize(
    ("text", "operands", "gradients"), CASES, ids=lambda value: str(value).replace(" ", "")
)


def script_of(text: str, operands: list[Numbers]) -> str:
    leaves = [
        f"{name} = torch.tensor({value}, requires_grad=True)\n"
        for name, value in zip("xy", operands, strict=False)
    ]
    return "from math import inf, nan\n" + "".join(leaves) + f"z = {text}\nL = z.sum()\nL.backward()\n"


def found_in(script: str, order: int = 2) -> dict[str, tuple[Kink, ...]]:
    """The kinks on the way to every input."""
    source = Source(script, "script.ad")
    subject = differentiate(execute(source, Settings(), discard_text, discard_warning), Settings())
    names = NodeNames(subject.order, source)
    return {
        spelled: kinks_of(
            nodes_leading_to(list(subject.order), [node]), subject.cotangents, lambda: names, order
        )
        for spelled, node in subject.wrt
    }


def test_what_is_told_is_exact(update_golden: bool) -> None:
    lines = []
    for text, operands, _ in CASES:
        lines.append(f"{text}    at {', '.join(map(str, operands))}")
        for spelled, kinks in found_in(script_of(text, operands)).items():
            lines += [f"    {spelled}, {kink.kind}, line {kink.line}: {kink.text}" for kink in kinks]
            lines += [f"    {spelled}, in step 3: {kink.formula}" for kink in kinks if kink.formula]
    told = "\n".join(lines) + "\n"
    if update_golden:
        GOLDEN.write_text(told)
    assert told == GOLDEN.read_text()


def test_every_row_has_a_case() -> None:
    told = [
        kink
        for text, operands, _ in CASES
        for kinks in found_in(script_of(text, operands)).values()
        for kink in kinks
    ]
    for op, rows in KINK_RULES.items():
        for row in rows:
            says = row.convention.partition("{")[0]
            assert any(
                (kink.op, kink.kind, kink.elsewhere, kink.formula) == (op, row.kind, row.others, row.formula)
                and kink.convention.startswith(says)
                for kink in told
            ), (op, row.convention)
    assert {kink.op for kink in told} == {*KINK_RULES, *TIE_OPS}


def test_every_op_whose_record_tells_a_convention_is_in_the_table() -> None:
    told = {name for name, op in OPS.items() if op.kink}
    # What it tells of ctc_loss holds everywhere, not at some points.
    assert told - {*KINK_RULES, *TIE_OPS} == {"ctc_loss"}


@each_case
def test_the_gradient_is_what_is_told(text: str, operands: list[Numbers], gradients: list[Numbers]) -> None:
    names = execute(Source(script_of(text, operands)), Settings(), discard_text, discard_warning).names
    for name, expected in zip("xy", gradients, strict=False):
        np.testing.assert_allclose(names[name].grad.data, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.oracle
@each_case
def test_torch_has_it_too(text: str, operands: list[Numbers], gradients: list[Numbers]) -> None:
    from torch_prelude import run_with_torch

    done = run_with_torch(script_of(text, operands))
    assert done.error is None
    for name, expected in zip("xy", gradients, strict=False):
        theirs = done.names[name].grad  # None where torch knows that nothing depends on it
        given = np.zeros(np.shape(expected)) if theirs is None else theirs.numpy(force=True)
        if text in NOT_IN_TORCH:
            assert not np.any(given)
        else:
            np.testing.assert_allclose(given, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    ("text", "operand"),
    [(case[0], case[1][0]) for case in CASES if case[0].startswith(("F.elu(x)", "F.celu", "F.hub"))],
)
@pytest.mark.oracle
def test_the_slope_of_a_slope_is_what_is_told(text: str, operand: float) -> None:
    from torch_prelude import run_with_torch

    script = (
        f"x = torch.tensor({operand}, requires_grad=True)\ny = torch.tensor(0.0)\nz = {text}\n"
        "g, = torch.autograd.grad(z, x, create_graph=True)\nh, = torch.autograd.grad(g, x)\n"
    )
    for names in (
        execute(Source(script), Settings(), discard_text, discard_warning).names,
        run_with_torch(script).names,
    ):
        assert names["h"].item() == 0


@each_case
def test_differences_find_two_slopes_where_a_kink_is_told(
    text: str, operands: list[Numbers], gradients: list[Numbers]
) -> None:
    """A kink and a jump have no slope, a gap in a formula and a bend have one; singular points are apart."""
    source = Source(script_of(text, operands))
    subject = differentiate(execute(source, Settings(), discard_text, discard_warning), Settings())
    for spelled, kinks in found_in(source.text).items():
        kinds = {kink.kind for kink in kinks}
        node = dict(subject.wrt)[spelled]
        is_replayed = not any(kink.op in TIE_OPS for kink in kinks)  # choices stay as the script made them
        if kinds and "singular" not in kinds and is_replayed:
            there_is_one = kinds <= {"gap", "bend"}
            verdict = verify(subject, spelled, node, 1, 0).verdict
            if kinds == {"repeated"}:
                assert verdict == WRONG
                continue
            assert verdict in ((OK,) if there_is_one else (KINK, NOT_FINITE, UNDECIDED)), (spelled, kinds)


@each_case
def test_beside_the_point_nothing_is_told(
    text: str, operands: list[Numbers], gradients: list[Numbers]
) -> None:
    random = np.random.default_rng(5)
    moved = []
    for value in operands:
        array = np.asarray(np.nan_to_num(value, neginf=-1.0))
        moved.append((array + random.uniform(0.02, 0.04, array.shape)).tolist())
    for kinks in found_in(script_of(text, moved)).values():
        assert {kink.kind for kink in kinks} <= {"repeated"}  # positions do not move


QUIET = [
    ("of one tensor both halves arrive", "torch.maximum(x, x).sum()"),
    ("what ties receives the same", "x.sort()[0].sum()"),
    ("nothing arrives at the tie", "(relu(x) * 0.0).sum()"),
    ("a choice of the script is none", "torch.where(x > 0, x, 2 * x).sum()"),
    ("an index is none", "torch.gather(x, 0, torch.tensor([0, 1])).sum()"),
    ("a power with a plain exponent has a formula without a gap", "(x**0).sum()"),
    ("an entry that comes after the one that is read is no factor", "x.cumprod(0)[0] * 1.0"),
    ("the slope is the same from both sides", "F.elu(x).sum()"),
]


@pytest.mark.parametrize(("why", "text"), QUIET, ids=lambda value: value.replace(" ", "_"))
def test_no_kink(why: str, text: str) -> None:
    x = "[1.0, 0.0, 0.0]" if "cumprod" in text else "[0.0, 0.0]"
    script = f"x = torch.tensor({x}, requires_grad=True)\nL = {text}\n"
    assert found_in(script, order=1) == {"x": ()}


def test_an_input_that_an_op_made_is_not_asked_where_it_comes_from() -> None:
    source = Source("x = torch.tensor(0.0, requires_grad=True)\nh = relu(x)\nL = 3 * h\n")
    execution = execute(source, Settings(), discard_text, discard_warning)
    subject = differentiate(execution, Settings(wrt=["h"]))
    assert describe(subject, source).derivations[0].kinks == ()


def test_a_function_of_the_script_with_the_name_of_an_op_is_not_that_op() -> None:
    script = """\
class relu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2
x = torch.tensor(0.0, requires_grad=True)
L = relu.apply(x)
"""
    assert found_in(script) == {"x": ()}


def test_how_it_is_shown() -> None:
    code = "x = torch.tensor([0.0, 2.0], requires_grad=True)\n" + "".join(
        f"y{at} = relu(x).sum()\n" for at in range(6)
    )
    code += "L = x.prod() + " + " + ".join(f"y{at}" for at in range(6)) + "\n"
    source = Source(code)
    [derivation] = describe(
        differentiate(execute(source, Settings(), discard_text, discard_warning), Settings()), source
    ).derivations
    shown = ["".join(text for _, text in line) for line in kink_lines(derivation, Page(80))]
    assert shown[:4] == [
        "",
        "kink          line 2: relu(x) is at a kink of relu: entry [0] of x = 0; the",
        "              slope is 0 (JAX and MyGrad answer 0 too, HIPS autograd, by way of",
        "              maximum, 0.5)",
    ]
    assert shown[-1] == "              ... 2 more points like these (--format json)"
    derivation.kinks = derivation.kinks[-1:]
    assert ["".join(text for _, text in line) for line in kink_lines(derivation, Page(80))] == [
        "",
        "gap           line 8: x.prod() is at a gap in the formula of prod: entry [0] of",
        "              x = 0; the slope is the product of the other entries (JAX and",
        "              MyGrad answer the same, HIPS autograd nan)",
        "              step 3 leaves that out: there its formula comes to 0/0",
    ]
    assert kink_entry(derivation.kinks[0]) == {
        "kind": "gap",
        "text": derivation.kinks[0].text,
        "name": "x.prod()",
        "op": "prod",
        "line": 8,
        "where": "entry [0] of x = 0",
        "entry": [0],
        "count": 1,
        "size": 2,
        "convention": "the slope is the product of the other entries",
        "elsewhere": "JAX and MyGrad answer the same, HIPS autograd nan",
        "formula": "0/0",
    }
    entry = derivation_entry(derivation, None, Source(""))
    assert entry["kinks"] == [kink_entry(derivation.kinks[0])]


SCRIPTS = sorted([*REPOSITORY.glob("examples/**/*.ad"), *TESTS.glob("scripts/**/*.ad")])


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_what_scripts_are_told(path: Path) -> None:
    """Every remark on a script worth showing is one that was looked at."""
    try:
        found = found_in(path.read_text(), order=1)
    except AutodiffError:
        pytest.skip("no gradient to explain")
    told = {(kink.line, kink.op) for kinks in found.values() for kink in kinks}
    assert told == ON_A_KINK.get(path.stem, set())


ON_A_KINK: dict[str, set[tuple[int | None, str]]] = {
    "acos_in_float32": {(2, "clamp")},
    "normalized_zero_vector": {(2, "vector_norm")},
    "nan_times_norm_of_zero": {(3, "vector_norm")},
    "standardized_equal_entries": {(2, "std")},
}
