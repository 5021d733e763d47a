"""Functions of numpy in scripts of tensors: the repair has numpy's value; and the reverse."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.repair.proposals.numpy_counterparts import COUNTERPARTS
from autodiff.grammar.session.run import Settings

MATRIX = [[1.0, 2.5, 4.0], [3.0, -1.0, 7.0]]
VECTOR = [1.5, 4.0, 2.0, 9.0]
CALLS = [
    "np.median(x)",
    "np.median(x, axis=0)",
    "np.percentile(x, 30)",
    "np.percentile(x, q=30, axis=0)",
    "np.repeat(x, 2)",
    "np.repeat(x, 2, axis=0)",
    "np.std(x)",
    "np.std(x, ddof=1)",
    "np.std(x, axis=0, ddof=1)",
    "np.var(x, 0, ddof=1, keepdims=True)",
    "np.concatenate([x, x])",
    "np.concatenate((x, 2*x), axis=0)",
    "np.append(x, x)",
    "np.append(x, x, axis=0)",
    "np.clip(x, 0, 3)",
    "np.clip(x, a_min=2, a_max=None)",
    "np.sort(x)",
    "np.sort(x, axis=0)",
    "np.split(x, 2)[0]",
    "np.array_split(x, 3, axis=0)[0]",
    "np.transpose(x)",
    "np.cumsum(x)",
    "np.cumsum(x, axis=0)",
    "np.cumprod(x)",
    "np.flip(x)",
    "np.flip(x, axis=0)",
    "np.max(x)",
    "np.min(x, axis=0, keepdims=True)",
    "np.ptp(x)",
    "np.average(x, axis=0)",
    "np.expand_dims(x, axis=0)",
    "np.round(x, 1)",
    "np.around(x)",
    "np.mod(x, 2)",
    "np.linalg.norm(x)",
    "np.linalg.norm(x, axis=0)",
    "np.linalg.norm(x, 1, axis=0)",
    "np.sum(x, axis=0)",
    "np.mean(x)",
    "np.stack([x, x], axis=1)",
    "np.absolute(x)",
    "np.power(x, 2)",
    "np.dot(x, x.T)",
]


def repaired(script: str) -> str:
    with pytest.raises(AutodiffError) as caught:
        execute(Source(script, "s.ad"), Settings(), discard_text, discard_warning)
    assert caught.value.fixes, script
    return caught.value.fixes[0].apply(script)


@pytest.mark.parametrize("data", [VECTOR, MATRIX], ids=["vector", "matrix"])
@pytest.mark.parametrize("call", CALLS)
def test_the_repair_has_numpys_value(call: str, data: list[float] | list[list[float]]) -> None:
    start = f"import torch\nimport numpy as np\nx = torch.tensor({data}, requires_grad=True)\n"
    script = repaired(f"{start}y = {call}\n")
    assert "np." not in script
    names = execute(Source(script, "s.ad"), Settings(), discard_text, discard_warning).names
    expected = eval(call, {"np": np, "x": np.array(data)})
    assert np.shape(names["y"].data) == np.shape(expected), script
    assert np.allclose(names["y"].data, expected), script


def test_every_counterpart_is_called_above() -> None:
    assert {name for name in COUNTERPARTS if not any(f"np.{name}(" in call for call in CALLS)} == {"size"}


@pytest.mark.parametrize(
    ("call", "form"),
    [
        ("np.cat([x, x])", "np.concatenate([x, x])"),
        ("np.clamp(x, 0, 1)", "np.clip(x, 0, 1)"),
        ("np.tensor([1., 2.])*x", "np.array([1., 2.])*x"),
        ("np.relu(x)", "np.maximum(x, 0)"),
        ("np.sigmoid(x)", "np.exp(-np.logaddexp(0, -x))"),
        ("np.softplus(x)", "np.logaddexp(0, x)"),
        ("np.logsumexp(x)", "(np.max(x) + np.log(np.sum(np.exp(x - np.max(x)))))"),
        ("np.softmax(x)", "(np.exp(x - np.max(x))/np.sum(np.exp(x - np.max(x))))"),
        ("np.erf(x)", "erf(x)"),
        ("np.arrray([1., 2.])*x", "np.array([1., 2.])*x"),
    ],
)
def test_what_numpy_lacks_is_written_in_its_own_functions(call: str, form: str) -> None:
    script = repaired(f"import numpy as np\nx = np.array([1., -2.])\nL = np.sum({call})\n")
    imported = "from scipy.special import erf\n" * (form == "erf(x)")
    assert script == f"import numpy as np\n{imported}x = np.array([1., -2.])\nL = np.sum({form})\n"


@pytest.mark.parametrize(
    ("call", "repair"),
    [
        ("np.linalg.norm(x, dim=0)", "np.linalg.norm(x, axis=0)"),
        ("np.std(x, correction=1)", "np.std(x, ddof=1)"),
        ("np.sum(math.exp(x))", "np.sum(np.exp(x))"),
        (
            "np.sum(np.concatenate([x, np.ones((1, 2))]))",
            "np.sum(np.concatenate([x[None], np.ones((1, 2))]))",
        ),
        ("np.sum(x*np.array([1., 2.], requires_grad=True))", "np.sum(x*np.array([1., 2.]))"),
    ],
)
def test_wrong_calls_in_scripts_of_arrays(call: str, repair: str) -> None:
    start = "import math\nimport numpy as np\nx = np.array([1., -2.])\nL = "
    assert repaired(start + call) == start + repair


def test_an_array_is_told_how_it_is_appended_to() -> None:
    for start, advice in (
        ("import numpy as np\nx = np.array([1., 2.])\n", "write `np.append(x, y)`"),
        ("import torch\nx = torch.tensor([1., 2.])\n", "write `torch.cat([x, y])` or `torch.stack([...])`"),
    ):
        with pytest.raises(AutodiffError) as caught:
            execute(Source(f"{start}x.append(3.)\n", "s.ad"), Settings(), discard_text, discard_warning)
        assert caught.value.help == (advice,)


def test_numbers_of_an_array_that_stand_beside_each_other() -> None:
    script = "import numpy as np\nx = np.array(1., 2.)\n"
    with pytest.raises(AutodiffError, match=r"Cannot interpret '2\.0' as a data type") as caught:
        execute(Source(script, "s.ad"), Settings(), discard_text, discard_warning)
    assert caught.value.help == ("several numbers go in a list: `np.array([1.0, 2.0])`",)


@pytest.mark.parametrize(
    ("asked", "advice"),
    [
        ("float16", "take np.float32 or np.float64"),
        ("complex128", "keep the real and the imaginary part in two arrays: "),
    ],
)
def test_a_dtype_that_there_is_not_is_named_with_the_one_in_its_place(asked: str, advice: str) -> None:
    for call in (f"np.zeros(2, dtype='{asked}')", f"np.ones(2).astype('{asked}')", f"np.{asked}(2)"):
        with pytest.raises(AutodiffError, match=f"`np.{asked}` is not in the language") as caught:
            execute(
                Source(f"import numpy as np\nx = {call}\n", "s.ad"), Settings(), discard_text, discard_warning
            )
        [told] = caught.value.help
        assert told.startswith(advice)


#: Wrong statements about an array ``x`` of two entries, of every kind that has a repair in scripts of arrays.
WRONG = [
    "L = np.sum(np.ones((2, 3)) @ np.ones((2, 3)) @ x)",
    "L = np.summ(x)",
    "if x > 1:\n    L = 1.",
    "L = float(x)",
    "L = x[3]**2",
    "L = np.concatenate(x, x)",
    "L = np.stack(x, x)",
    "L = np.mean(x, axis=3)",
    "L = np.reshape(x, (3,))",
    "L = x.reshape(3, 1)",
    "L = math.sin(x)",
    "L = x(0)",
    "L = x.sum(1)",
    "for i in 2:\n    L = x[i]",
    "L = np.sum(x) + 'a'",
    "L = np.matmul(x, np.ones((3, 2)))",
    "L = np.concatenate([x, np.ones((2, 2))])",
    "L = np.array([1., 2.], requires_grad=True)",
    "L = np.linalg.norm(x, dim=0)",
    "L = np.cat([x, x])",
]


@pytest.mark.parametrize("wrong", WRONG)
def test_repairs_of_scripts_of_arrays_name_what_numpy_has(wrong: str) -> None:
    script = f"import math\nimport numpy as np\nx = np.array([1., 2.])\n{wrong}\n"
    with pytest.raises(AutodiffError) as caught:
        execute(Source(script, "s.ad"), Settings(), discard_text, discard_warning)
    assert caught.value.fixes
    for fix in caught.value.fixes:
        exec(compile(fix.apply(script), "script.py", "exec"), {})
