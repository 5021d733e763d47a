"""Every function called with arguments that do not fit: the answer is an error of ours, in words of ours.

numpy's messages name axes, ufuncs and operands that a script has not; none of them may come through.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from agreed_lines import FOREIGN
from autodiff.core.base.errors import AutodiffError
from autodiff.core.engine.public_functions import FUNCTIONS, PublicFunction
from autodiff.core.engine.tensor import tensor
from autodiff.core.graph import dtypes
from seeds import MORE

ARGUMENTS = {
    "number": lambda: tensor(2.0),
    "vector": lambda: tensor(np.array([1.0, 2.0, 3.0])),
    "longer": lambda: tensor(np.array([1.0, 2.0, 3.0, 4.0])),
    "matrix": lambda: tensor(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])),
    "singular": lambda: tensor(np.zeros((2, 2))),
    "cube": lambda: tensor(np.arange(24.0).reshape(2, 3, 4)),
    "empty": lambda: tensor(np.zeros(0)),
    "ints": lambda: tensor(np.array([1, 2, 9])),
    "bools": lambda: tensor(np.array([True, False, True])),
    "float32": lambda: tensor(np.array([1, 2, 3], dtype=np.float32)),
    "string": lambda: "mean",
    "None": lambda: None,
    "list": lambda: [1, 2],
    "tensors": lambda: [tensor(np.array([1.0, 2.0, 3.0])), tensor(np.array([1.0, 2.0]))],
    "7": lambda: 7,
    "-9": lambda: -9,
    "2**40": lambda: 2**40,
    "1.5": lambda: 1.5,
    "nan": lambda: float("nan"),
    "True": lambda: True,
    "tuple": lambda: (3, 1),
    "dtype": lambda: dtypes.float32,
}
FEW = ("vector", "matrix", "number", "cube", "ints", "None", "7", "1.5", "string", "list", "empty")


def argument_lists(function: PublicFunction) -> list[tuple[str, ...]]:
    lists: list[tuple[str, ...]] = [(), *((name,) for name in ARGUMENTS)]
    # A usual run tries a part of these: each argument stands at each place, but not beside every other.
    two = [*itertools.product(ARGUMENTS, repeat=2)]
    lists += two if MORE >= 1 else two[::3]
    if len(function.parameters) > 2:
        three = [*itertools.product(("vector", "matrix", "cube", "ints"), FEW, FEW)]
        lists += three if MORE >= 1 else three[::4]
    return lists


@pytest.mark.parametrize("name", sorted({id(FUNCTIONS[name]): name for name in sorted(FUNCTIONS)}.values()))
def test_arguments_that_do_not_fit_are_refused_in_our_words(name: str) -> None:
    function = FUNCTIONS[name]
    seen = set()  # most errors are the same
    with np.errstate(all="ignore"):
        for chosen in argument_lists(function):
            dtypes.set_default_dtype(dtypes.float64)
            try:
                function(*(ARGUMENTS[argument]() for argument in chosen))
            except AutodiffError as error:
                said = " ".join([error.message, error.caret, *error.help])
                assert said in seen or not FOREIGN.search(said), f"{name}({', '.join(chosen)}): {said}"
                seen.add(said)
    dtypes.set_default_dtype(dtypes.float64)


def test_a_power_of_two_numbers_is_left_to_python() -> None:
    with pytest.raises(AutodiffError, match="invalid combination"):
        FUNCTIONS["torch.pow"](7, 2**40)
