"""The steps of a derivation speak of the script's variables and of functions one can call."""

from __future__ import annotations

import re
from functools import cache

from autodiff.cli.render.page import Page
from autodiff.cli.render.reports import explain_lines
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.core.paths.node_names import NodeNames
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.run import Settings, differentiate
from conftest import REPOSITORY, TESTS
from one_test import in_one_test

SCRIPTS = {
    str(path.relative_to(REPOSITORY)): path.read_text()
    for path in sorted([*(REPOSITORY / "examples").rglob("*.ad"), *(TESTS / "scripts").rglob("*.ad")])
}
BEGIN = """\
import torch
import torch.nn.functional as F
x = torch.tensor([[1.0, 2.0, 4.0], [0.5, 2.0, 1.0]], requires_grad=True)
t = torch.tensor([0, 2])
"""
#: Functions made of others, whose parts have no text of their own in the script.
COMPOSED = {
    "normalize": "(F.normalize(x) * torch.tensor([[1.0, 2, 3], [2, 1, 4]])).sum()",
    "weighted classes": "F.cross_entropy(x, t, weight=torch.tensor([1.0, 2, 3]), label_smoothing=0.1)",
    "classes one by one": "F.cross_entropy(x, t, weight=torch.ones(3) * 2, reduction='none')[1]",
    "layer norm": "(F.layer_norm(x, (3,), torch.ones(3), torch.ones(3)) ** 3).sum()",
    "batch norm": "(F.batch_norm(x, None, None, training=True) ** 3).sum()",
    "cosine": "F.cosine_similarity(x, x * x).sum() + F.smooth_l1_loss(x, x * x) + F.elu(x).sum()",
    "distances": "torch.cdist(x, torch.linspace(0, 1, 30).reshape(10, 3)).sum()",
    "attention": "F.scaled_dot_product_attention(x[None], x[None], x[None], is_causal=True).pow(2).sum()",
    "pooled": "F.max_pool1d(F.conv1d(x[None], torch.randn(3, 2, 2)), 2).var()",
    "many places": "(x.reshape(6)[torch.arange(24) % 6] ** 2).sum()",
    "a column and a part": "(x[:, 1] * x[0, 1:].sum()).sum() + x[0, 1] * x[:, ::2].sum()",
    "assigned": "(x * 1).masked_fill(x > 1, 0).index_put((t[:1],), x[1] * 2).sum()",
    "a constant of many entries": "(x * torch.randn(40, 2, 3)).sum()",
    "chosen": "torch.where(x > 1, x, 0).amax(dim=1).sum() + x.gather(1, t[:, None]).sum()",
}
SCRIPTS |= {what: f"{BEGIN}loss = {text}\nloss.backward()\n" for what, text in COMPOSED.items()}
NUMBERED = re.compile(r"\b[^\W\d]\w*_\d+\b")
#: The values of a variable of the script, as in ``dx_3``.
VERSION = re.compile(r"d?(\w+?)_v?\d+")
#: How numpy writes arrays, and how the engine calls ops that no function of the language is called like.
NOT_WORDS = re.compile(
    r"\barray\(|\bdtype=|\bconstant\(|\b(?:basic|advanced|indices)=|\bembed\w*\("
    r"|\b(?:vector_norm|standardize|nll_transposed|sum_to|constant_pad|add_windows|windows|pick|zero)\("
)
#: Scripts that compute nothing that could be differentiated.
WITHOUT_GRADIENT = {"2_matrix_backward.ad", "2_no_grad.ad", "2_requires_grad.ad", "5_imports.ad"}


@cache
def steps_of(text: str, name: str) -> list[str]:
    """What ``explain`` prints, whole steps at 80 columns."""
    source = Source(text, name)
    for settings in (Settings(), Settings(grad_output="ones")):
        try:
            subject = differentiate(execute(source, settings, discard_text, discard_warning), settings)
        except AutodiffError:
            continue
        report = describe(subject, source, graph=False)
        lines = explain_lines(report, Page(step=0))
        return ["".join(part for _, part in line).rstrip() for line in lines]
    return []


@in_one_test("name", SCRIPTS)
def test_steps_have_no_internal_names(name: str) -> None:
    text = SCRIPTS[name]
    lines = steps_of(text, name)
    assert bool(lines) == (name.rpartition("/")[2] not in WITHOUT_GRADIENT)
    shown = "\n".join(lines)
    own, words = set(NUMBERED.findall(text)), set(re.findall(r"\w+", text))
    found = [one for one in NUMBERED.findall(shown) if one not in own]
    assert [one for one in found if VERSION.sub(r"\1", one) not in words] == []
    assert [found for found in NOT_WORDS.findall(shown) if found not in text] == []


@in_one_test("name", SCRIPTS)
def test_matrices_are_not_cut(name: str) -> None:
    """A row of a matrix stands between two bars on one line; an or after a bracket or matrix is one more."""
    for line in steps_of(SCRIPTS[name], name):
        assert line.replace(") | ", "").replace("| | |", "| |").count("|") % 2 == 0, line


def test_long_texts_are_made_at_need(monkeypatch):
    """Each part of a long sum has the text of all terms before it: together they would take minutes."""
    made = []
    whole = NodeNames._long_text
    monkeypatch.setattr(NodeNames, "_long_text", lambda names, node: made.append(node) or whole(names, node))
    source = Source("x = 0.5\ny = " + " + ".join(["x"] * 400))
    settings = Settings()
    subject = differentiate(execute(source, settings, discard_text, discard_warning), settings)
    names = NodeNames(subject.order, source)
    short = next(node for node in names.of if names.is_short(node))
    assert not made
    assert names.without_suffix(short).startswith("x + x + x")
    assert names.without_suffix(short) == names.without_suffix(short)
    assert made == [short]
