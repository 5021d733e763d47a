"""The attribute tables: what is there answers, what is not is an error that knows better names."""

from __future__ import annotations

import pytest
from autodiff.grammar.objects import methods
from autodiff.grammar.objects.attributes import ATTRIBUTE_READERS
from one_test import in_one_test
from script_runner import printed, run_script

VALUES = {
    "tensor": "torch.ones(2, requires_grad=True)",
    "list": "[1]",
    "tuple": "(1,)",
    "string": "'a'",
    "number": "(1)",
    "none": "None",
    "function": "(lambda: 1)",
    "builtin": "len",
    "torch function": "torch.sin",
    "namespace": "torch",
    "range": "range(2)",
    "node": "(torch.ones(1, requires_grad=True) * 2).grad_fn",
    "size": "torch.ones(2).shape",
    "dtype": "torch.float32",
    "result": "torch.max(torch.ones(2), 0)",
    "grad mode": "torch.no_grad()",
    "function base": "Function",
}
PRYING = [
    "f_globals",
    "func_globals",
    "gi_frame",
    "mro",
    "base",
    "ctypes",
    "tofile",
    "dump",
    "tobytes",
    "flags",
    "node",
    "value",
    "code",
    "implementation",
    "invoke",
    "switch",
    "find",
    "site",
    "number",
    "alias",
    "storage",
    "data_ptr",
    "apply_",
    "encode",
    "translate",
    "format_map",
]


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
@in_one_test("name", PRYING)
def test_nothing_of_python_shows_through(value: str, name: str) -> None:
    if (value, name) == ("'a'", "find"):
        return
    error = run_script(f"x = torch.tensor(1.)\ny = {value}.{name}").error
    assert error is not None
    is_torchs = value == VALUES["tensor"] and name in ("storage", "data_ptr", "apply_")
    assert error.code == ("E0149" if is_torchs else "E0204")


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_underscored_names_do_not_even_parse(value: str) -> None:
    for name in ("__class__", "__dict__", "__globals__", "_backward_hooks", "_base"):
        error = run_script(f"y = {value}.{name}").error
        assert error is not None
        assert error.code.startswith("E01")


def test_attribute_assignment_is_limited() -> None:
    for text in (
        "x.shape = 3",
        "x.foo = 1",
        "torch.pi = 3",
        "torch.sin = 3",
        "len.x = 1",
        "x.grad_fn = None",
    ):
        error = run_script(f"x = torch.ones(2)\n{text}").error
        assert error is not None
        assert error.code == "E0204", text


def test_did_you_mean() -> None:
    error = run_script("t = torch.ones(2)\nt.required_grad = True").error
    assert error is not None
    assert error.message == "'Tensor' object has no attribute 'required_grad'"
    assert error.advice == ("did you mean `requires_grad`?",)
    error = run_script("t = torch.ones(2)\nt.bakward()").error
    assert error is not None
    assert error.advice == ("did you mean `backward`?",)


def test_tables_do_not_overlap() -> None:
    assert not set(ATTRIBUTE_READERS) & set(methods.METHODS)


@pytest.mark.parametrize("name", ["nn.Linear", "nn.Module", "optim.SGD", "save", "load"])
def test_what_torch_has_and_the_language_not_comes_with_advice(name: str) -> None:
    error = run_script(f"y = torch.{name}").error
    assert error is not None
    assert error.code.startswith("E014")
    assert error.advice


def test_reading_grad_of_a_non_leaf_warns() -> None:
    outcome = run_script("x = torch.ones(1, requires_grad=True)\ny = x * 2\nprint(y.grad)")
    assert outcome.stdout == "None\n"
    assert len(outcome.warnings) == 1
    assert outcome.warnings[0].startswith("The .grad attribute of a Tensor that is not a leaf")


def test_methods_can_be_values() -> None:
    assert printed(
        "x = torch.ones(2)\nf = x.sum\nprint(f())\nxs = []\nadd = xs.append\nadd(1)\nprint(xs)"
    ) == ("tensor(2.)\n[1]\n")
