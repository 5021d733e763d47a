"""Graphs of more than a hundred thousand nodes: every command answers, and says what it leaves out."""

from __future__ import annotations

import json
import re

import pytest
from autodiff.cli.render.name_keys import brief_meanings, meaning_texts
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.core.derivation.graph_report import newest_part
from autodiff.grammar.execution import execute
from autodiff.grammar.interpret import operators
from autodiff.grammar.repair import noted_cuts
from autodiff.grammar.session import run
from autodiff.grammar.session.run import Settings, differentiate

POWER = "w = tensor(1.00001, requires_grad=True)\nL = w\nfor i in range(100_000):\n    L = L * w\n"
SUM = "w = tensor(0.5, requires_grad=True)\nL = w\nfor i in range(100_000):\n    L = L + w\n"
SCRIPTS = {"power": POWER, "sum": SUM}
DRAWN = "of its 100,001 nodes the last 2,000 are shown (--all shows everything)"
FOLLOWED = "paths are followed in graphs of at most 100,000 nodes (--all shows everything)"


@pytest.fixture(params=SCRIPTS)
def script(request, write):
    return write(SCRIPTS[request.param])


def test_the_tree_is_cut_and_says_so(autodiff, script) -> None:
    done = autodiff("graph", script)
    assert done.returncode == 0
    assert DRAWN in done.err
    assert "\n... 97,999 more nodes (--all)\n" in done.out
    assert len(done.out) < 600_000


def test_a_story_is_cut_and_names_commands_that_tell_the_rest(autodiff, write) -> None:
    """`explain` alone follows no paths of a large graph either."""
    done = autodiff("trace", write(SUM))
    assert DRAWN in done.err
    assert "97,999 older nodes are left out (--all shows them)." in " ".join(done.out.split())
    assert done.out.endswith("\n... the paths are not followed (autodiff explain --all)\n")


@pytest.mark.parametrize("parts", ["paths", "gradients,paths"])
def test_run_derives_nothing_of_a_large_graph(autodiff, write, parts) -> None:
    done = autodiff("run", write(POWER.replace("L * w", "L * 0.99")), "--show", parts)
    assert (done.returncode, done.err.count(FOLLOWED)) == (0, 1)


#: A sum of very many terms, with terms of other kinds among them, and a second one in a loop and a function.
LONG_SUM = """x = tensor(0.5, requires_grad=True)
y = 1 - x*2 + {terms} + sin(x)*2 - [x for i in range(2)][1]
def f(x): return x + {terms}
for i in range(2):
    z = f(x) + {terms}
print(y.item(), z.item())
y.backward()
"""


def test_very_long_sums_are_those_of_short_ones(monkeypatch) -> None:
    """Terms of a very long sum are compiled as they run, and the syntax tree of a long text is deleted."""
    text = LONG_SUM.format(terms=" + ".join(f"x*{i}" for i in range(100)))
    told = []
    for longest in (10_000, 60):
        monkeypatch.setattr(operators, "LONGEST_COMPILED", longest)
        monkeypatch.setattr(run, "LONGEST_KEPT", longest)
        execution = execute(Source(text), write=told.append)
        assert (execution.script is None) == (longest == 60)
        told.append(execution.names["x"].grad.item())
        with pytest.raises(AutodiffError) as caught:
            execute(Source(text.replace("sin(x)", "(x @ x)")), write=told.append)
        told.append((caught.value.message, caught.value.span, [label.span for label in caught.value.labels]))
    assert told[: len(told) // 2] == told[len(told) // 2 :]


@pytest.mark.parametrize(("command", "name"), [("graph", "power"), ("run", "sum")])
def test_the_document_is_cut_and_says_so(autodiff, write, command, name) -> None:
    made = json.loads(autodiff(command, write(SCRIPTS[name]), "--format", "json").out)
    nodes = made["graph"]["nodes"]
    assert len(nodes) == 2_002  # with what they are computed from
    assert any("of its 100,001 nodes" in note for note in made["notes"])
    assert nodes[-1]["name"] == "L_100000"
    assert {edge["from"] for edge in made["graph"]["edges"]} <= {node["id"] for node in nodes}


def test_gradients_are_shown_where_none_is_derived(autodiff, script) -> None:
    done = autodiff("explain", script)
    assert done.returncode == 0
    assert FOLLOWED in done.err
    [row] = [line.split() for line in done.out.splitlines() if line.startswith("  w ")]
    assert float(row[2]) > 100_000
    for form in ("latex", "markdown"):
        assert FOLLOWED in autodiff("explain", script, "--format", form).out
    made = json.loads(autodiff("explain", script, "--format", "json").out)
    assert "derivations" not in made
    assert made["gradients"][0]["grad"] == pytest.approx(float(row[2]), rel=1e-5)
    failed = autodiff("explain", script, "--format", "formula")
    assert (failed.returncode, failed.out) == (5, "")


def test_a_check_decides_nothing_about_a_graph_that_is_too_large(autodiff, script) -> None:
    done = autodiff("check", script)
    assert done.returncode == 0
    assert "the graph is so large" in done.out
    assert "(--all" in done.out
    made = json.loads(autodiff("check", script, "--format", "json").out)
    assert [check["reason"] for check in made["checks"]] == ["the graph is too large"]


def test_a_formula_is_compared_at_the_values_of_a_graph_that_is_too_large(autodiff, script) -> None:
    is_right = "L * w" in script.read_text()
    done = autodiff("check", script, "--formula", "dL/dw == L * 100_001 / w")
    told = " ".join(done.out.split())
    assert (done.returncode, told.split(":")[0]) == ((0, "undecided") if is_right else (1, "wrong"))
    assert ("it is right at the script's values" in told) == is_right
    assert "the graph of 100,001 nodes is so large that" in told
    assert "only with --all" in told


def test_names_of_a_part_are_those_of_the_whole() -> None:
    source = Source("w = tensor(2.0, requires_grad=True)\nL = w\nfor i in range(9):\n    L = L * w\n")
    subject = differentiate(execute(source, Settings()), Settings())
    whole = describe(subject, source, derivations=False).graph
    part = describe(subject, source, derivations=False, most_drawn=4).graph
    assert [node.name for node in part.nodes] == ["w", *(node.name for node in whole.nodes[-5:])]
    assert [node.grad for node in part.nodes] == [whole.nodes[0].grad, *(n.grad for n in whole.nodes[-5:])]
    assert part.left_out == len(whole.nodes) - len(part.nodes)
    assert [edge.symbol for edge in part.edges] == [edge.symbol for edge in whole.edges[-9:]]


def test_a_part_has_the_inputs_of_its_nodes() -> None:
    source = Source("a = tensor(2.0, requires_grad=True)\nb = a * 3\nc = b * 3\nL = c * a\n")
    subject = differentiate(execute(source, Settings()), Settings())
    assert [node.name for node in newest_part(subject.order, 1)] == ["L", "c", "a"]


def test_a_name_of_a_part_has_dots_for_what_is_left_out() -> None:
    """The key of the newest sums would need the names of older ones."""
    source = Source("w = tensor(0.5, requires_grad=True)\nL = sum([w * i for i in range(40)])\n")
    subject = differentiate(execute(source, Settings()), Settings())
    for most in range(2, 30):
        graph = describe(subject, source, derivations=False, most_drawn=most).graph
        texts = "\n".join(meaning_texts(*brief_meanings(graph.key, [node.name for node in graph.nodes])))
        assert re.fullmatch(r"(t\d+ = .* \(line 2, \d+(st|nd|rd|th) add\)\n?)*", texts)
        assert "..." in texts or most < 4


def test_the_key_of_a_part_counts_ops_and_turns_in_the_whole_script() -> None:
    """The last additions of a line are numbered as such, however few nodes are reported."""
    source = Source("w = tensor(0.5, requires_grad=True)\nL = sum([w * i for i in range(40)])\n")
    subject = differentiate(execute(source, Settings()), Settings())
    for most in (5, 20):
        graph = describe(subject, source, derivations=False, events=True, most_drawn=most).graph
        formulas, _ = brief_meanings(graph.key, [node.name for node in graph.nodes])
        numbers = [int(re.search(r"line 2, (\d+)", one.place)[1]) for one in formulas]
        assert max(numbers) >= 38
        assert min(numbers) > 38 - most
        assert max(node.visit for node in graph.nodes) >= 38


def test_formulas_of_many_inputs_are_cut_and_counted(autodiff, write) -> None:
    script = write(
        "ws = [tensor(float(i), requires_grad=True) for i in range(2_000)]\nL = sum([w*w for w in ws])\n"
    )
    done = autodiff("explain", script, "--format", "formula")
    assert done.returncode == 0
    assert len(done.out.splitlines()) == 20
    assert done.out.splitlines()[-1].endswith("\t2*ws[19]")
    assert "20 of 2,000 inputs are derived (--all derives all, --wrt NAME chooses)" in done.err


def test_documents_on_many_inputs_are_cut_and_say_so(autodiff, write) -> None:
    """Without a limit the document of these inputs takes minutes and gigabytes."""
    script = write(
        "ws = [tensor(float(i), requires_grad=True) for i in range(1_000)]\nL = sum([w*w for w in ws])\n"
    )
    told = "33 of 1,000 inputs are derived (--all derives all, --wrt NAME chooses)"
    done = autodiff("explain", script, "--format", "json")
    document = json.loads(done.out)
    assert told in document["notes"]
    assert done.err.count(told) == 1
    assert (len(document["derivations"]), len(document["gradients"])) == (33, 1_000)
    last = document["derivations"][0]
    path = last["paths"][0]
    assert len(path["node_ids"]) == len(path["edge_ids"]) + 1 > 1_000
    assert len(path["nodes"]) == len(path["chain"]) + 2 == 43
    assert path["nodes"][21] == path["chain"][20] == "..."
    told_names = {one["name"] for one in last["steps"]["names"]}
    assert {name for name in path["nodes"] if re.fullmatch(r"t\d+", name)} <= told_names
    assert len(told_names) < 200
    assert len(done.out) < 4_000_000
    chosen = json.loads(autodiff("explain", script, "--format", "json", "--wrt", "ws[7],ws[8]").out)
    assert [one["wrt"] for one in chosen["derivations"]] == ["ws[7]", "ws[8]"]
    assert told not in chosen["notes"]


def test_a_long_text_without_the_signs_of_cuts_is_searched_for_these_alone(monkeypatch) -> None:
    """The pattern takes a second for a sum of a million terms."""
    texts = {"L = w*2\n": 0, "L = w*float(w)\n": 1, "L = w*w.data\n": 1}
    for text, cuts in texts.items():
        source = Source("w = tensor(2.0, requires_grad=True)\n" + text)
        execution = execute(source, Settings())
        subject = differentiate(execution, Settings())
        assert len(list(noted_cuts.noted_cuts(execution, subject))) == cuts
    bare = execute(Source("w = 2.0\nL = w*2\n"), Settings())
    monkeypatch.setattr(noted_cuts, "CUTTING", None)
    assert not list(noted_cuts.noted_cuts(bare, differentiate(bare, Settings())))
