"""What the language has not: every rewrite is a script that runs, and none is for something that is here."""

from __future__ import annotations

from pathlib import Path

import pytest
from autodiff.grammar.objects.absent_table import (
    ABSENT_NAMES,
    CARETS,
    IMPORTABLE,
    absence_error,
    absent_entry,
)
from autodiff.grammar.objects.builtins.namespaces import NAMESPACE_MAKERS, namespace
from autodiff.grammar.objects.rewrite import Rewrite
from autodiff.grammar.objects.values import UNBOUND
from conftest import TESTS
from one_test import in_one_test
from script_runner import printed, run_script

REWRITES = {id(rewrite): (name, rewrite) for name, (_, rewrite) in ABSENT_NAMES.items()}
each_rewrite = pytest.mark.parametrize(
    "rewrite", [rewrite for _, rewrite in REWRITES.values()], ids=[name for name, _ in REWRITES.values()]
)


@each_rewrite
def test_the_rewrite_runs(rewrite: Rewrite) -> None:
    assert rewrite.lines in rewrite.script
    assert printed(rewrite.script)


@pytest.mark.oracle
@each_rewrite
def test_the_rewrite_runs_in_torch_alike(rewrite: Rewrite) -> None:
    from plain_python import run_with_plain_python

    assert printed(rewrite.script) == run_with_plain_python(rewrite.script)[0]


@in_one_test("name", ABSENT_NAMES)
def test_what_is_said_to_be_absent_is_absent(name: str) -> None:
    code, _ = ABSENT_NAMES[name]
    assert code in CARETS
    module, _, member = name.removesuffix(".*").rpartition(".")
    if module in NAMESPACE_MAKERS and member and not name.endswith(".*"):
        assert namespace(module).find(member) is UNBOUND


@pytest.mark.parametrize("module", sorted(IMPORTABLE))
def test_importing_is_no_mistake_and_using_is(module: str) -> None:
    assert run_script(f"import {module} as m").error is None
    assert run_script(f"import {module}").error is None
    assert run_script(f"from {module} import something").error is None
    for use in (f"import {module} as m\nm.something(1)", f"from {module} import something\nsomething(1)"):
        error = run_script(use).error
        assert error is not None
        assert error.code in CARETS


def test_the_longest_beginning_counts() -> None:
    assert absent_entry("torch.nn.init.zeros_") != absent_entry("torch.nn.LSTM")
    assert absent_entry("torch.nn.functional.rellu") is None
    assert absence_error("torch.nn.functional.rellu") is None
    assert run_script("F.rellu(torch.tensor(1.))").error.code == "E0204"


MISTAKES = sorted((TESTS / "mistakes" / "absent").glob("*.ad"))
#: What a repair changes on purpose, or what no two runs print alike.
OTHERWISE = {"half", "half_type", "seed", "array_random", "array_type", "deep_copy", "array_functions"}
OTHERWISE |= {"embedding", "layer"}
#: What should not be run with torch here: it writes a file, takes a minute, or fails there too.
NOT_RUN = {"save", "compiled", "loss_layer_called"}


@pytest.mark.oracle
@pytest.mark.parametrize("path", MISTAKES, ids=lambda path: path.stem)
def test_what_is_repaired_prints_what_torch_prints_for_the_original(path: Path) -> None:
    """An optimizer and the steps written in its place arrive at the same weights, and so on."""
    from plain_python import comparable, run_with_plain_python

    error = run_script(path.read_text()).error
    assert error is not None
    if not error.fixes or path.stem in OTHERWISE | NOT_RUN:
        pytest.skip("nothing to compare")
    try:
        expected, _ = run_with_plain_python(path.read_text())
    except ImportError:
        pytest.skip("needs what is not installed")
    for fix in error.fixes:
        assert comparable(printed(fix.apply(path.read_text()))) == comparable(expected)


@pytest.mark.oracle
def test_the_names_that_torch_alone_has_are_torchs() -> None:
    from make_torch_names import TARGET, table

    assert TARGET.read_text() == table(), "run python tests/tools/make_torch_names.py"


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("torch.stft(torch.ones(8), 4)", "torch.stft"),
        ("torch.linalg.ldl_factor(torch.ones(2, 2))", "torch.linalg.ldl_factor"),
        ("torch.ones(2).storage_offset()", ".storage_offset()"),
    ],
)
def test_a_function_that_torch_alone_has_is_named_as_such(call: str, name: str) -> None:
    error = run_script(f"x = {call}").error
    assert (error.message, error.code) == (f"`{name}` is not in the language", "E0149")
    assert error.caret == CARETS["E0149"]


def test_a_name_that_torch_has_not_either_is_a_slip() -> None:
    assert run_script("torch.ones(2).storage_offse()").error.code == "E0204"


def test_from_numpy_of_a_result_keeps_what_computes_it() -> None:
    text = "import torch\na = torch.tensor([1.0, 3.0])\nx = torch.from_numpy(np.square(a))\n"
    error = run_script(text).error
    assert error is not None
    [repaired] = [fix.apply(text) for fix in error.fixes]
    assert run_script(repaired).names["x"].tolist() == [1.0, 9.0]
