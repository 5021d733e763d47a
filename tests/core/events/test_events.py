"""Events agree with the report, with each other, and with what the engine does."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from article_scripts import FIFTH, FIRST, FIRST_TENSORS, FOUR_LEAVES, MATRIX, OLAH
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.core.engine import sweep as sweeps
from autodiff.core.graph.vjp import node_contributions
from autodiff.core.report.array_summary import ArraySummary, summarized
from autodiff.core.report.events import Events, Flow, Seed
from autodiff.core.report.graph_records import Graph
from autodiff.core.report.records import GradientReport, ReportedPass
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate
from conftest import REPOSITORY, TESTS

FILES = [
    *sorted((REPOSITORY / "examples").rglob("*.ad")),
    *sorted((TESTS / "scripts" / "explain").glob("*.ad")),
    TESTS / "scripts" / "why" / "custom_answers_none.ad",
]
LOOP = """\
w = torch.tensor([1.0, -0.5], requires_grad=True)
X = torch.ones(2, 2)
y = torch.ones(2)
for step in range(4):
    y = torch.tanh(X @ y * w) + y[0]
L = (y * y).sum()
L.backward()
"""
BRANCHES = "x = 2; y = 3; z = exp(x); L = (z*z + sin(z)*y - 1/z)*x"
LARGE = "W = torch.full((20, 20), 0.1, requires_grad=True)\nL = ((W @ W) * W + W).mean()\nL.backward()\n"
OWN = """\
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x)
        return x*x + y

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return 2*g*x, None

a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([3.0, 4.0], requires_grad=True)
L = (Square.apply(a*3, b) * b).sum()
L.backward()
"""
BROADCAST = """\
x = torch.tensor([[1.0, 2.0], [-0.5, 3.0], [0.1, 0.2]], requires_grad=True)
b = torch.tensor([0.5, -1.0], requires_grad=True)
w = torch.tensor(2.0, requires_grad=True)
one = torch.tensor([3.0], requires_grad=True)
L = (w*x + b + one).sum() + (w*one).sum()
L.backward()
"""
TEXTS = {
    **{str(path.relative_to(REPOSITORY)): path.read_text() for path in FILES},
    **{"first": FIRST, "tensors": FIRST_TENSORS, "leaves": FOUR_LEAVES, "olah": OLAH, "fifth": FIFTH},
    **{"matrix": MATRIX + "L = (10 - d).sum()\n", "loop": LOOP, "branches": BRANCHES, "large": LARGE},
    **{"own function": OWN, "broadcast": BROADCAST},
}


@cache
def story_of(text: str) -> tuple[ReportedPass, GradientReport] | None:
    """The pass of a script and its report with events; None for a script that fails or has no gradient."""
    settings = Settings(adds_up=True)
    source = Source(text)
    try:
        execution = execute(source, settings, lambda text: None, lambda message, span: None)
        subject = differentiate(execution, settings)
    except AutodiffError:
        return None
    return subject, describe(subject, source, events=True)


def parts(report: GradientReport) -> tuple[Graph, Events]:
    assert report.graph is not None
    assert report.events is not None
    return report.graph, report.events


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal to the last bit; two summaries by what they say."""
    if isinstance(one, ArraySummary) or isinstance(other, ArraySummary):
        return vars(summarized(one)) == vars(summarized(other))
    if one is None or other is None:
        return one is other
    return np.shape(one) == np.shape(other) and np.array_equal(one, other, equal_nan=True)


@pytest.mark.parametrize("name", TEXTS)
def test_events_end_in_the_gradients_of_the_report(name: str) -> None:
    story = story_of(TEXTS[name])
    if story is None:
        pytest.skip("no gradient")
    subject, report = story
    graph, events = parts(report)
    assert [made.node for made in events.forward] == [node.id for node in graph.nodes]
    assert [(made.line, made.visit) for made in events.forward] == [(n.line, n.visit) for n in graph.nodes]
    sums: dict[int, Any] = {}
    finished: set[int] = set()
    for event in events.backward:
        assert event.node not in finished, "nothing arrives at a node that is complete"
        if isinstance(event, Seed):
            assert event is events.backward[0]
            assert (event.node, graph.nodes[event.node].op) == (graph.root, graph.nodes[graph.root].op)
        else:
            edge = graph.edges[event.edge]
            user = graph.nodes[edge.output]
            assert user.id in {graph.root} | finished, "only a complete gradient is passed on"
            assert edge.input == event.node
            assert event.line == user.line
            assert same(event.arriving, user.grad)
            assert same(event.local, edge.local)
            if edge.local is not None:
                np.testing.assert_allclose(edge.give, user.grad * edge.local, rtol=1e-12, atol=1e-300)
            assert same(event.before, sums.get(event.node))
            if not isinstance(event.sum, ArraySummary):
                assert same(event.sum, event.give if event.before is None else event.before + event.give)
        sums[event.node] = event.sum
        if isinstance(event, Flow) and event.last:
            finished.add(event.node)
    for node in graph.nodes:
        assert same(sums.get(node.id), node.grad), node.name
        assert node.grad is None or node.id == graph.root or node.id in finished
    # The pass of the report itself may have computed several ops as one, which rounds otherwise.
    ids = {node: rank for rank, node in enumerate(reversed(subject.order))}
    for (_, node), variable in zip(subject.wrt, report.gradients, strict=True):
        if node in ids and ids[node] in sums and not isinstance(sums[ids[node]], ArraySummary):
            np.testing.assert_allclose(sums[ids[node]], variable.grad, rtol=1e-12, atol=1e-300)


def test_most_scripts_have_a_story() -> None:
    assert sum(story_of(text) is not None for text in TEXTS.values()) > 0.6 * len(TEXTS)


@pytest.mark.parametrize("name", TEXTS)
def test_events_are_in_the_order_of_the_engine(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    story = story_of(TEXTS[name])
    if story is None:
        pytest.skip("no gradient")
    subject, report = story
    graph, events = parts(report)
    engine: list[tuple[int, int]] = []
    ids = {node: rank for rank, node in enumerate(reversed(subject.order))}

    def watched(node: Any, g: Any) -> Any:
        pulled = node_contributions(node, g)
        engine.extend((ids[node], ids[below]) for below, _ in pulled)
        return pulled

    monkeypatch.setattr(sweeps, "is_fast", False)
    monkeypatch.setattr(sweeps, "node_contributions", watched)
    sweeps.sweep(subject.order, {subject.root: subject.seed})
    flows = [event for event in events.backward if isinstance(event, Flow)]
    assert [(graph.edges[flow.edge].output, flow.node) for flow in flows] == engine
    assert [node.number for node in reversed(subject.order)] == sorted(node.number for node in subject.order)


@pytest.mark.parametrize("name", TEXTS)
def test_paths_follow_edges_and_add_up(name: str) -> None:
    story = story_of(TEXTS[name])
    if story is None:
        pytest.skip("no gradient")
    _, report = story
    graph, events = parts(report)
    for derivation in report.derivations:
        if not derivation.paths:
            continue
        [wrt] = {path.node_ids[-1] for path in derivation.paths}
        told = [event for event in events.paths if event.wrt == wrt]
        assert sorted(event.index for event in told) == list(range(len(derivation.paths)))
        assert len({event.edges for event in told}) == len(told), "no two paths take the same edges"
        sizes = [np.max(np.abs(derivation.paths[event.index].contribution), initial=0) for event in told]
        assert sizes == sorted(sizes, reverse=True) or np.isnan(sizes).any()
        for event in told:
            path = derivation.paths[event.index]
            ends = [(graph.edges[id].output, graph.edges[id].input) for id in event.edges]
            assert ends == list(zip(event.nodes, event.nodes[1:], strict=False))
            assert (event.nodes[0], event.nodes[-1]) == (graph.root, wrt)
            assert (event.symbol, event.nodes) == (path.symbol, path.node_ids)
            assert same(event.product, path.contribution)
            assert len(event.locals) == len(event.edges)
        if derivation.followed == derivation.count == len(told) and derivation.difference is not None:
            reached = summarized(graph.nodes[wrt].grad)
            if reached is not None and not isinstance(reached, ArraySummary) and np.isfinite(reached).all():
                np.testing.assert_allclose(told[-1].so_far, reached, rtol=1e-9, atol=1e-12)


def test_two_uses_of_one_input_are_two_paths() -> None:
    story = story_of("x = 3; L = x*x")
    assert story is not None
    _, events = parts(story[1])
    assert [(event.nodes, event.edges) for event in events.paths] == [((1, 0), (0,)), ((1, 0), (1,))]
    assert [(event.product, event.so_far) for event in events.paths] == [(3.0, 3.0), (3.0, 6.0)]
    flows = [event for event in events.backward if isinstance(event, Flow)]
    assert [(flow.edge, flow.before, flow.give, flow.sum, flow.last) for flow in flows] == [
        (0, None, 3.0, 3.0, False),
        (1, 3.0, 3.0, 6.0, True),
    ]


def test_an_edge_that_sums_over_broadcast_dimensions_is_a_map() -> None:
    story = story_of(BROADCAST)
    assert story is not None
    graph, events = parts(story[1])
    ends = [(graph.nodes[edge.output].name, graph.nodes[edge.input].name) for edge in graph.edges]
    maps = {end: edge.symbol for end, edge in zip(ends, graph.edges, strict=True) if edge.local is None}
    assert maps == {
        ("w*x", "w"): "sum(G*x)",
        ("w*x + b", "b"): "sum(G, dim=0)",
        ("w*x + b + one", "one"): "sum(G)",
        ("(w*x + b + one).sum()", "w*x + b + one"): "G",
        ("(w*one).sum()", "w*one"): "G",
    }
    # One entry stays one entry, whatever its shape: nothing is added up.
    factors = {
        end: edge.symbol for end, edge in zip(ends, graph.edges, strict=True) if edge.local is not None
    }
    assert (factors["w*one", "w"], factors["w*one", "one"], factors["w*x", "x"]) == ("one", "w", "w")
    assert [ends[flow.edge] in maps for flow in events.backward if isinstance(flow, Flow)] == [
        flow.local is None for flow in events.backward if isinstance(flow, Flow)
    ]


def test_visits_count_the_turns_of_a_loop() -> None:
    story = story_of(LOOP)
    assert story is not None
    graph, _ = parts(story[1])
    assert [node.visit for node in graph.nodes if node.op == "tanh"] == [1, 2, 3, 4]
    assert {node.line for node in graph.nodes if node.op == "tanh"} == {5}


def test_numbers_and_untracked_tensors_are_marked_and_take_no_part() -> None:
    story = story_of("X = torch.ones(2)\nw = torch.tensor(2.0, requires_grad=True)\nL = 1 - (X*w + X).sum()")
    assert story is not None
    graph, events = parts(story[1])
    assert [(node.id - len(graph.nodes), node.op, node.name) for node in graph.constants] == [
        (0, "untracked", "X"),
        (1, "constant", "1"),
    ]
    assert [(edge.input - len(graph.nodes), edge.operand) for edge in graph.constant_uses] == [
        (0, 0),
        (0, 1),
        (1, 0),
    ]
    assert {node.op for node in graph.nodes} == {"leaf", "mul", "add", "sum", "sub"}
    assert len(events.forward) == len(graph.nodes)


def test_a_part_of_a_large_graph_has_the_beginning_of_the_pass() -> None:
    text = "w = 0.5\ny = w\n" + "y = sin(y)*w + y\n" * 40 + "L = y\n"
    settings = Settings()
    source = Source(text)
    subject = differentiate(execute(source, settings, print, lambda *_: None), settings)
    whole = parts(describe(subject, source, events=True, derivations=False))
    part = parts(describe(subject, source, events=True, derivations=False, most_drawn=30))
    shift = whole[0].root - part[0].root
    assert shift > 0
    assert part[0].left_out == len(whole[0].nodes) - len(part[0].nodes)
    assert len(part[1].backward) > 30
    for event, expected in zip(part[1].backward, whole[1].backward, strict=False):
        assert (event.sum, event.line) == (expected.sum, expected.line)
        if isinstance(event, Flow):
            assert isinstance(expected, Flow)
            assert (event.before, event.give, event.arriving) == (
                expected.before,
                expected.give,
                expected.arriving,
            )
            if event.node >= part[0].whole_from:
                assert (event.node + shift, event.last) == (expected.node, expected.last)
            else:
                assert not event.last


def test_nothing_that_a_script_prints_in_its_backward_is_printed_again() -> None:
    """The rules of a custom function run for events too, as for a derivation."""
    printed: list[str] = []
    text = OWN.replace("        x, = ctx", "        print('backward')\n        x, = ctx")
    settings = Settings()
    source = Source(text)
    execution = execute(source, settings, printed.append, lambda *_: None)
    subject = differentiate(execution, settings)
    count = len(printed)
    describe(subject, source, events=True)
    assert len(printed) == count >= 1
