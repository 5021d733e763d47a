"""An op is one record: the one that CONTRIBUTING shows is declared, found by everything, and taken away."""

from __future__ import annotations

import linecache
import math
import os
from collections.abc import Iterator

import pytest
from autodiff.cli.command_line.fast_parser import read_arguments
from autodiff.cli.commands import command
from autodiff.cli.render.reference import markdown_text
from autodiff.cli.requests.session import Session
from autodiff.core.engine.public_functions import FUNCTIONS, IN_PLACE, METHODS
from autodiff.core.graph.op import OPS, Op
from autodiff.core.methods.lookup import TENSOR_METHODS
from autodiff.grammar.objects import attributes
from autodiff.grammar.objects.builtins import namespaces
from autodiff.grammar.reference import catalog
from conftest import REPOSITORY
from documents import blocks
from script_runner import printed, run_script

RECORD = next(block for block in blocks((REPOSITORY / "CONTRIBUTING.md").read_text(), "python"))
SLOPE = 3 * math.cosh(0.5) ** 2 * math.sinh(0.5)


@pytest.fixture
def cosh3() -> Iterator[Op]:
    """The op, declared by the lines of the document; every table is as it was afterwards."""
    tables = [OPS, FUNCTIONS, METHODS, IN_PLACE, TENSOR_METHODS, attributes.METHODS, namespaces._found]
    before = [dict(table) for table in tables]
    source = "CONTRIBUTING.md: the record"
    linecache.cache[source] = (len(RECORD), None, RECORD.splitlines(keepends=True), source)
    exec(compile(RECORD, source, "exec"), {"__name__": "autodiff.core.ops.elementwise.transcendental"})
    yield OPS["cosh3"]
    for table, was in zip(tables, before, strict=True):
        table.clear()
        table.update(was)
    del linecache.cache[source]
    assert "cosh3" not in OPS
    assert run_script("torch.cosh3(torch.ones(1))").error is not None


def shown(*arguments: str) -> str:
    """What a command writes to standard output, run in this process."""
    request = read_arguments(arguments)
    assert request is not None
    session = Session(request)
    reading, session.out.fd = os.pipe()
    command(request.command)(session)
    session.flush()
    os.close(session.out.fd)
    with os.fdopen(reading) as pipe:
        return pipe.read()


def test_the_registry_and_scripts_know_it(cosh3: Op) -> None:
    assert FUNCTIONS["torch.cosh3"].implementation is cosh3
    assert METHODS["cosh3"] is FUNCTIONS["torch.cosh3"]
    for call in ("cosh3(x)", "torch.cosh3(x)", "x.cosh3()", "cosh3(input=x)"):
        script = (
            f"x = tensor([0.5], requires_grad=True)\ny = {call}\ny.sum().backward()\nprint(y.grad_fn.name())"
        )
        outcome = run_script(script)
        assert outcome.error is None
        assert outcome.stdout == "Cosh3Backward0\n"
        assert outcome.names["y"].item() == pytest.approx(math.cosh(0.5) ** 3)
        assert outcome.names["x"].grad.item() == pytest.approx(SLOPE)


def test_it_works_in_place_on_numbers_and_twice(cosh3: Op) -> None:
    assert printed("x = zeros(2)\nx.cosh3_()\nprint(x)") == "tensor([1., 1.])\n"
    outcome = run_script(
        "x = tensor(0.5, requires_grad=True)\n"
        "g = torch.autograd.grad(cosh3(x), x, create_graph=True)[0]\nh = torch.autograd.grad(g, x)[0]"
    )
    c, s = math.cosh(0.5), math.sinh(0.5)
    assert outcome.names["h"].item() == pytest.approx(6 * c * s * s + 3 * c**3)


def test_wrong_arguments_are_answered_with_its_name(cosh3: Op) -> None:
    error = run_script("torch.cosh3(torch.ones(2), 3)").error
    assert error is not None
    assert "cosh3() takes 1 positional argument but 2 were given" in error.message
    near = run_script("torch.csoh3(torch.ones(2))").error
    assert near is not None
    assert any("cosh3" in fix.text for fix in near.fixes) or any("cosh3" in text for text in near.advice)


def test_explain_derives_it(cosh3: Op) -> None:
    out = shown("explain", "-e", "x = 0.5; L = 2*cosh3(x)", "--wrt", "x")
    assert "sinh(x)" in out
    assert "cosh(x)**2" in out
    assert "difference 0" in out
    assert float(shown("grad", "-e", "x = 0.5; L = 2*cosh3(x)", "--wrt", "x")) == pytest.approx(2 * SLOPE)


def test_ops_shows_it_and_lists_it(cosh3: Op) -> None:
    out = shown("ops", "cosh3")
    assert "torch.cosh3(input)" in out
    assert "The cube of the hyperbolic cosine." in out
    assert "d out/d x = 3*cosh(x)**2*sinh(x)" in out
    assert "x.cosh3(), x.cosh3_()" in out
    assert "grad_fn=<Cosh3Backward0>" in out
    assert "  cosh3 " in shown("ops", "transcendental")


def test_the_reference_has_a_section_for_it(cosh3: Op) -> None:
    entry = catalog.describe(FUNCTIONS["torch.cosh3"])
    text = markdown_text([("transcendental", "", [entry])], ())
    assert "### cosh3\n\n`torch.cosh3(input)`\n\nAlso `x.cosh3()`, `x.cosh3_()`.\n" in text
    assert "- `d out/d x = 3*cosh(x)**2*sinh(x)`" in text
    assert "out = torch.cosh3(x)" in text
    assert FUNCTIONS["torch.cosh3"] in catalog.public_names()
