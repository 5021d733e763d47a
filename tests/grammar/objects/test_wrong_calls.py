"""Calls with arguments that do not fit: refused in torch's words, at a place, and never in numpy's."""

from __future__ import annotations

import re
from itertools import product
from random import Random

import autodiff.core.ops  # noqa: F401  - declares every function
import pytest
from agreed_lines import FOREIGN, first_line, row_of
from autodiff.core.engine.public_functions import METHODS
from autodiff.grammar.objects.torch_argument_errors import signature_entry
from conftest import TESTS
from script_runner import CHOOSES_DOUBLE, run_script
from seeds import seeds
from wrong_calls import NAMES_OF_FUNCTIONS, WrongCall, differences, few

#: What torch lacks says nothing there.
NOT_IN_TORCH = {"special.betainc", "special.jv", "special.yv", "special.iv", "special.kv"}
each_function = pytest.mark.parametrize("name", NAMES_OF_FUNCTIONS)


@each_function
def test_what_is_refused_is_refused_at_a_place_in_words_for_scripts(name: str) -> None:
    for seed in seeds(4):
        for call in few(name, 3, seed):
            outcome = run_script(call.script)
            said = " ".join([*outcome.warnings, outcome.stdout])
            error = outcome.error
            if error is not None:
                said = " ".join([*outcome.warnings, error.message, error.caret, *error.advice])
                assert error.code != "E0900", f"{call.call}: {said}"
                assert error.span is not None, f"{call.call}: {said}"
            assert not FOREIGN.search(said), f"{call.call}: {said}"


@pytest.mark.oracle
@pytest.mark.parametrize("name", [name for name in NAMES_OF_FUNCTIONS if name not in NOT_IN_TORCH])
def test_the_first_line_is_torchs(name: str) -> None:
    for seed in seeds(8):
        assert [(call.call, *said) for call, *said in differences(few(name, 2, seed))] == []


#: Topics, and under each one call to a line; what comes before it stands before a semicolon.
BY_HAND = {
    topic: lines.splitlines()
    for topic, _, lines in (
        part.partition("\n")
        for part in (TESTS / "golden" / "wrong_calls_by_hand.txt").read_text().split("# ")[1:]
    )
}


@pytest.mark.oracle
@pytest.mark.parametrize("topic", BY_HAND)
def test_a_call_by_hand_does_what_it_does_in_torch(topic: str) -> None:
    from torch_prelude import run_with_torch

    for line in BY_HAND[topic]:
        script = CHOOSES_DOUBLE + line
        ours, theirs = run_script(script), run_with_torch(script)
        [name] = re.findall(r"((?:torch\.linalg|torch|F)\.\w+)\(", line)[:1] or [""]
        name = name.removeprefix("torch.") if ".linalg." in name else name
        assert row_of(name, first_line(ours.error), first_line(theirs.error)) is not None, line
        assert ours.error is not None or ours.stdout == theirs.stdout, line


@pytest.mark.oracle
@pytest.mark.parametrize(
    "call",
    [
        "p.add_(-0.1, p * 2)",
        "p.add(torch.tensor(2.), p)",
        "p.sub_(2, other=p)",
        "torch.add(p, 2, 3)",
        "p.addcmul_(0.1, p * 2, p)",
        "torch.addcdiv(p, 0.1, p, p)",
        "p.addmv_(2., 3., m, p * 2)",
        "torch.addmv(2., p, m, p)",
        "torch.addmm(2., m, m, m)",
        "m.addr_(2., 3., p, p)",
    ],
)
def test_an_older_order_is_warned_of_as_torch_does(call: str) -> None:
    from torch_prelude import run_with_torch

    script = f"p, m = torch.ones(3), torch.ones(3, 3)\nprint({call})"
    ours, [theirs] = run_script(script), run_with_torch(script).warnings
    assert ours.warnings == [theirs.partition(" (Triggered")[0].replace("\t", "    ")]


#: Shapes of vectors, matrices and batches, some of which fit.
OF_PRODUCTS = (
    "(3,)",
    "(0,)",
    "(2, 3)",
    "(3, 2)",
    "(0, 3)",
    "(2, 2, 3)",
    "(2, 3, 0)",
    "(1, 3, 2)",
    "(1, 2, 2, 3)",
)


@pytest.mark.oracle
@pytest.mark.parametrize("name", ["torch.matmul", "torch.mm", "torch.mv", "torch.bmm", "torch.dot"])
@pytest.mark.parametrize("second", ["bool", "int64", "float64, requires_grad=True"])
@pytest.mark.parametrize("first", ["bool", "float64", "float64, requires_grad=True"])
def test_products_of_any_shapes_and_types_say_what_torch_says(name: str, first: str, second: str) -> None:
    calls = []
    for m, n in product(OF_PRODUCTS, OF_PRODUCTS):
        before = f"a = torch.ones({m}, dtype=torch.{first})\nb = torch.ones({n}, dtype=torch.{second})\n"
        calls.append(WrongCall(name, "shape and type", f"{name}(a, b)", before))
    assert [(call.script, *said) for call, *said in differences(calls)] == []


TYPES = ("bool", "int64", "float32", "float64")
#: Methods that change a tensor.
IN_PLACE = sorted(
    name for name, function in METHODS.items() if function.in_place and signature_entry(f"Tensor.{name}_")
)


@pytest.mark.oracle
@pytest.mark.parametrize("name", IN_PLACE)
def test_changes_by_tensors_of_any_shape_and_type_say_what_torch_says(name: str) -> None:
    shapes = ("()", "(3,)", "(2, 1)", "(0,)"), ("()", "(3,)", "(1, 3)", "(4,)", "(2, 2, 1)", "(0,)")
    calls = []
    for m, n, first, second in Random(name).sample([*product(*shapes, TYPES, TYPES)], 12):
        before = f"a = torch.ones({m}, dtype=torch.{first})\nb = torch.ones({n}, dtype=torch.{second})\n"
        calls.append(WrongCall(f"Tensor.{name}_", "shape and type", f"a.{name}_(b)", before))
    assert [(call.script, *said) for call, *said in differences(calls)] == []


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("sum() got an unexpected keyword argument 'x'", "sum() got an unexpected keyword argument 'y'"),
        ("The size of tensor a (3) must match", "The size of tensor a (4) must match"),
        (
            "sum(): argument 'dim' must be int, not str",
            "sum() received an invalid combination of arguments - got",
        ),
        ("sum(): argument 'dim' must be int, not str", None),
        (None, "sum(): argument 'dim' must be int, not str"),
    ],
)
def test_what_no_row_of_the_reference_has_is_a_difference(ours: str | None, theirs: str | None) -> None:
    assert row_of("torch.sum", ours, theirs) is None


@pytest.mark.oracle
def test_the_table_of_torchs_signatures_is_torchs() -> None:
    from make_torch_signatures import TARGET, table

    assert TARGET.read_text() == table(), "run python tests/tools/make_torch_signatures.py"
