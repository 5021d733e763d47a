"""Operands at the corners that torch refuses for what they hold: refused here in its words."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core.base.errors import AutodiffError
from autodiff.core.graph.state import mode
from op_by_name import compare_warnings
from ops.engines import ask_torch, compiled, compiled_by_torch, leaf_of
from ops.operands import read

NOT_DEFINITE = (
    "The factorization could not be completed because the input is not positive-definite (the leading minor"
    " of order {} is not positive-definite)."
)
NO_INVERSE = (
    "The diagonal element {} is zero, the inversion could not be completed because the input matrix is"
    " singular."
)
NO_ROOM = "value cannot be converted to type uint8_t without overflow"

NO_KERNEL = "kernel size should be greater than zero, but got kernel_height{} kernel_width{}"

#: A call as the samples are written, and what torch says.
REFUSED = [
    ("torch.linalg.cholesky({=[[1.0, 0.0], [0.0, nan]]})", "linalg.cholesky: " + NOT_DEFINITE.format(2)),
    (
        "torch.linalg.cholesky({=[[[1.0, 0.0], [0.0, 1.0]], [[nan, 0.0], [0.0, 1.0]]]})",
        "linalg.cholesky: (Batch element 1): " + NOT_DEFINITE.format(1),
    ),
    ("torch.cholesky_inverse({=[[1.0, 0.0], [3.0, 0.0]]})", "cholesky_inverse: " + NO_INVERSE.format(2)),
    (
        "torch.cholesky_inverse({=[[[1.0, 0.0], [3.0, 1.0]], [[0.0, 0.0], [3.0, 0.0]]]})",
        "cholesky_inverse: (Batch element 1): " + NO_INVERSE.format(1),
    ),
    (
        "torch.linalg.svdvals({=[[[1.0]], [[nan]]]})",
        "linalg.svd: (Batch element 1): The algorithm failed to converge because the input matrix contained"
        " non-finite values.",
    ),
    ("F.binary_cross_entropy({=[0.5]}, {=[1.5]})", "all elements of target should be between 0 and 1"),
    ("F.binary_cross_entropy({=[0.5]}, {=[nan]})", "all elements of target should be between 0 and 1"),
    ("F.binary_cross_entropy({=[nan]}, {=[0.5]})", "all elements of input should be between 0 and 1"),
    (
        "torch.dist({0}, {0}, float('inf'))",
        "linalg.vector_norm cannot compute the inf norm on an empty tensor because the operation does not"
        " have an identity",
    ),
    (
        "torch.linalg.vector_norm({0,3}, -0.5, 0)",
        "linalg.vector_norm cannot compute the -0.5 norm on the dimension 0because this dimension is empty"
        " and the operation does not have an identity",
    ),
    (
        "torch.linalg.matrix_norm({2,0}, -1)",
        "amin(): Expected reduction dim 0 to have non-zero size.",
    ),
    (
        "torch.linalg.norm({2,3,4}, 2)",
        "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got 3D.",
    ),
    ("F.hardtanh({=[1, 2]}.to(torch.uint8))", "cannot do hardtanh on an unsigned type with negative limits"),
    ("F.hardtanh({=[1, 2]}.to(torch.uint8), 0, 300)", NO_ROOM),
    ("F.threshold({=[1, 2]}.to(torch.uint8), 0.0, -1.0)", NO_ROOM),
    (
        "torch.addmv({=[1]}.to(torch.uint8), {=[[1]]}.to(torch.uint8), {=[1]}.to(torch.uint8), alpha=-2.0)",
        NO_ROOM,
    ),
    ("F.conv1d({2,3,7}, {4,3,0})", NO_KERNEL.format(": 1", ": 0")),
    ("F.conv1d({2,3,7}, {4,3,0}, padding='same')", NO_KERNEL.format(": 1", ": 0")),
    ("F.conv2d({2,3,5,5}, {4,3,0,3})", NO_KERNEL.format(": 0", ": 3")),
    ("F.conv_transpose2d({2,3,5,5}, {3,4,3,0})", NO_KERNEL.format(": 3", ": 0")),
    (
        "F.conv3d({2,3,3,3,3}, {4,3,0,2,2})",
        "kernel size should be greater than zero, but got: 0 x 2 x 2 (TxHxW)",
    ),
    (
        "F.conv_transpose3d({2,3,3,3,3}, {3,4,0,2,2})",
        "non-empty 5D (n_output_plane x n_input_plane x kernel_depth x kernel_height x kernel_width) tensor"
        " expected for weight, but got: [3, 4, 0, 2, 2]",
    ),
    (
        "F.conv_transpose1d({2,3,7}, {3,0,3})",
        "non-empty 2D or 4D weight tensor expected, but got: [3, 0, 1, 3]",
    ),
    (
        "F.conv1d({2,3,7}, {0,3,3})",
        "Given groups=1, expected weight to be at least 1 at dimension 0, but got weight of size [0, 3, 3]"
        " instead",
    ),
    (
        "F.conv_transpose1d({2,0,7}, {0,3,3})",
        "Given groups=1, expected weight to be at least 1 at dimension 0, but got weight of size [0, 3, 3]"
        " instead",
    ),
    (
        "torch.linalg.solve({=[[[1.0, 0.0], [0.0, 1.0]], [[1.0, 2.0], [2.0, 4.0]]]}, {2,2})",
        "torch.linalg.solve: (Batch element 1): The solver failed because the input matrix is singular.",
    ),
    (
        "torch.index_select({3,0}, 1, {=[1]})",
        "index_select(): self indexing axis dim should be positive",
    ),
    ("torch.kthvalue({0,3}, 1, 0)", "kthvalue(): Expected reduction dim 0 to have non-zero size."),
    (
        "torch.bucketize({=[True]}, {=[True, False]})",
        "\"searchsorted_out_cpu\" not implemented for 'Bool'",
    ),
    ("torch.gradient({=[1, 2, 4]}.to(torch.uint8))", "torch.gradient does not support uint8 input."),
    (
        "F.gaussian_nll_loss({2}, {2}, {=[1, 1]})",
        "result type Double can't be cast to the desired output type long int",
    ),
    (
        "torch.linalg.vander({=[True, False]})",
        "linalg.vander supports floating point, complex, and integer tensors, but got Bool",
    ),
]


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_refused(text: str, message: str) -> None:
    (function,) = compiled([text])
    with np.errstate(all="ignore"), pytest.raises(AutodiffError) as said:
        function(*[leaf_of(x.array, x.is_leaf) for x in read(text).operands])
    mode.site = None
    assert said.value.message == message


@pytest.mark.oracle
@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_torch_says_so(text: str, message: str) -> None:
    (function,) = compiled_by_torch([text])
    with pytest.raises(Exception) as said:  # noqa: PT011 - which type is torch's business
        ask_torch(function, read(text))
    assert str(said.value) == message


@pytest.mark.oracle
def test_of_a_condition_of_bytes_torch_warns() -> None:
    compare_warnings("torch.where", (np.array([1, 0], np.uint8), np.ones(2), np.zeros(2)))
