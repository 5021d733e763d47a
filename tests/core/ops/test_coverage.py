"""Nothing goes without samples: every public function, every other name of one, every op record."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from autodiff.core.engine.public_functions import FUNCTIONS, NOT_COMPUTED
from autodiff.core.graph import op as records
from autodiff.core.graph.op import OPS
from ops.engines import ask_autodiff, compiled
from ops.generators import spelled
from ops.operands import read
from ops.table import every

LEAST = 12
#: Samples of a function that are run together, and how far apart they stand in its table.
AT_ONCE, STRIDE = 4, 7

#: Functions that take no tensor or make numbers of their own, so that there is nothing to differentiate.
MAKERS = {
    *(
        "tensor",
        "as_tensor",
        "Tensor",
        "FloatTensor",
        "DoubleTensor",
        "LongTensor",
        "IntTensor",
        "ByteTensor",
    ),
    *("BoolTensor", "Variable", "zeros", "ones", "empty", "empty_like", "full", "eye", "arange", "linspace"),
    *("logspace", "set_default_dtype", "get_default_dtype", "tril_indices", "triu_indices"),
    *(
        "randn",
        "rand",
        "randn_like",
        "rand_like",
        "randint",
        "randperm",
        "normal",
        "bernoulli",
        "multinomial",
    ),
    *("manual_seed", "uniform_", "normal_", "exponential_"),
}

#: What only scripts reach that do something else than call a function, and the test of it.
ELSEWHERE = {
    "cofactor_slope": "tests/core/ops/linalg/test_ops_linalg.py: at singular matrices, where torch has zeros",
    "compared": "tests/grammar: comparisons in place",
    "write_through": "tests/grammar: writing through a view",
    "drawn_over": "tests/core: numbers drawn in place",
    "solve_ex": "tests/core/ops/linalg/test_reported_failures.py: singular systems",
    "partial_cholesky": "tests/core/ops/linalg/test_reported_failures.py: matrices that are not definite",
    "scatter_with": "tests/core/ops/select/test_ops_filling.py: torch does not differentiate it",
}

#: Other names that do not take all that the first one takes, with what stands in a sample they take.
NARROWER = {"torch.split_with_sizes": "["}


def test_every_function_has_its_samples() -> None:
    counts = {id(FUNCTIONS[name]): len(set(texts)) for name, texts in every().items() if name in FUNCTIONS}
    short = {
        name: counts.get(id(function), 0)
        for name, function in FUNCTIONS.items()
        if function.name not in MAKERS and counts.get(id(function), 0) < LEAST
    }
    assert not short, f"functions with fewer than {LEAST} distinct samples: {short}"


def test_no_table_is_of_something_that_does_not_exist() -> None:
    assert every().keys() - FUNCTIONS.keys() == {"Tensor.__getitem__"}


def test_every_other_name_computes_the_same() -> None:
    of_function = {id(FUNCTIONS[name]): name for name in every() if name in FUNCTIONS}
    for alias, function in FUNCTIONS.items():
        name = of_function.get(id(function), alias)
        if name == alias or function.name in MAKERS or alias.startswith("Tensor."):
            continue
        taken = NARROWER.get(alias, "")
        text = next(text for text in every()[name] if text.startswith(spelled(name) + "(") and taken in text)
        other = text.replace(spelled(name), spelled(alias), 1)
        call = read(text)
        first, second = (ask_autodiff(each, call) for each in compiled_alike(text, other))
        assert first.names == second.names, alias
        for x, y in zip(first.values + first.first, second.values + second.first, strict=True):
            np.testing.assert_array_equal(x, y, err_msg=alias)


def compiled_alike(text: str, other: str) -> list[Any]:
    """Both texts as functions; they differ in the name of a function only."""
    return compiled([text, other])


def test_every_record_is_run_by_enough_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted by what runs, forward and in two backward passes: rules are written in records too.

    A few samples of each function run at a time, as long as a record that one of its samples runs has too
    few; those of other functions as long as any record has.
    """
    running = [""]
    ran: dict[str, set[str]] = defaultdict(set)

    def counting(name: str, forward: Any) -> Any:
        def counted(*args: Any, **kwargs: Any) -> Any:
            ran[name].add(running[0])
            return forward(*args, **kwargs)

        return counted

    for record in (*OPS.values(), *records._WITH_GRAD_FN.values()):
        # The short way knows forward and scalar already, and a function that was called knows the short way.
        monkeypatch.setattr(record, "of_one", None)
        monkeypatch.setattr(record, "__call__", record.apply)
        monkeypatch.setattr(record, "forward", counting(record.name, record.forward))
        if record.scalar is not None:
            monkeypatch.setattr(record, "scalar", counting(record.name, record.scalar))
    for called in FUNCTIONS.values():
        monkeypatch.setattr(called, "_unary_call", NOT_COMPUTED)

    def run(texts: list[str]) -> None:
        for text, function in zip(texts, compiled(texts), strict=True):
            running[0] = text
            ask_autodiff(function, read(text))

    def short() -> dict[str, int]:
        counted = {name for name in OPS if name not in ELSEWHERE and not name.endswith("for_doctest")}
        return {name: len(ran[name]) for name in counted if len(ran[name]) < LEAST}

    left = {
        name: [text for at in range(STRIDE) for text in texts[at::STRIDE]] for name, texts in every().items()
    }
    chosen = left
    while chosen:
        for texts in chosen.values():
            run(texts[:AT_ONCE])
            del texts[:AT_ONCE]
        needed = {text for name in short() for text in ran[name]}
        left = {name: texts for name, texts in left.items() if texts}
        chosen = {name: texts for name, texts in left.items() if needed & {*every()[name]}}
        if short() and not chosen:
            chosen = left
    assert not short(), f"records run by fewer than {LEAST} samples: {short()}"
