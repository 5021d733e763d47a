# Written by `python -m autodiff.core.interface` from the registry of functions.

import builtins
from collections.abc import Sequence
from typing import Any

from autodiff.core import Tensor
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.graph.dtypes import DType

def cholesky(input: Tensor, *, upper: builtins.bool = False) -> Tensor:
    """The lower triangular L with L Lᵀ = A, for a symmetric positive definite A; or Lᵀ with ``upper``."""
def cholesky_ex(input: Tensor, *, upper: builtins.bool = False, check_errors: builtins.bool = False) -> NamedResult:
    """The Cholesky factor, and for each matrix the order of the minor that is not positive definite, or 0."""
def cond(input: Tensor, p: Any = None) -> Tensor:
    """The condition number: the norm of A times the norm of its inverse."""
def cross(input: Tensor, other: Tensor, *, dim: builtins.int = -1) -> Tensor:
    """The cross products of the vectors of three entries along a dimension."""
def det(A: Tensor) -> Tensor:
    """The determinant."""
def diagonal(A: Tensor, *, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1) -> Tensor:
    """As ``torch.diagonal``, of the last two dimensions unless others are named."""
def eigh(input: Tensor, UPLO: builtins.str = 'L') -> NamedResult:
    """Eigenvalues in ascending order and eigenvectors of a symmetric matrix."""
def eigvalsh(input: Tensor, UPLO: builtins.str = 'L') -> Tensor:
    """The eigenvalues of a symmetric matrix in ascending order."""
def inv(A: Tensor) -> Tensor:
    """The inverse of a square matrix."""
def inv_ex(A: Tensor, *, check_errors: builtins.bool = False) -> NamedResult:
    """The inverse, and for each matrix the position of a zero pivot in elimination, or 0."""
def lstsq(input: Tensor, b: Tensor, rcond: builtins.float | None = None, *, driver: builtins.str | None = None) -> NamedResult:
    """The X for which A X is nearest to B. As in torch, ``driver`` decides what else is computed."""
def lu(A: Tensor, *, pivot: builtins.bool = True) -> NamedResult:
    """A permutation, a lower and an upper triangular matrix whose product is A."""
def lu_factor(A: Tensor, *, pivot: builtins.bool = True) -> NamedResult:
    """The LU factorization as one matrix, and its pivots."""
def lu_factor_ex(A: Tensor, *, pivot: builtins.bool = True, check_errors: builtins.bool = False) -> NamedResult:
    """As ``linalg.lu_factor``, and for each matrix the position of a zero pivot, or 0."""
def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: builtins.bool = True, adjoint: builtins.bool = False) -> Tensor:
    """The X with A X = B, given the LU factorization of A; X A = B unless ``left``, Aᵀ with ``adjoint``."""
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """``x @ y``: the product of matrices, of a matrix and a vector, of two vectors, or of batches of them."""
def matrix_exp(input: Tensor) -> Tensor:
    """The matrix exponential of a square matrix."""
def matrix_norm(input: Tensor, ord: Any = 'fro', dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
    """A norm of each matrix: 'fro', 'nuc', inf, 1, 2 or their negatives for the smallest."""
def matrix_power(input: Tensor, n: builtins.int) -> Tensor:
    """The ``n``-th power of a square matrix; a negative ``n`` means powers of the inverse."""
def matrix_rank(input: Tensor, tol: Tensor | builtins.float | None = None, hermitian: builtins.bool = False, *, atol: Tensor | builtins.float | None = None, rtol: Tensor | builtins.float | None = None) -> Tensor:
    """The number of nonzero singular values, as for ``pinv``; ``tol`` is an older name of ``atol``."""
def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """The product of several matrices, in the order that needs the fewest multiplications."""
def norm(input: Tensor, ord: Any = None, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
    """The norm of a vector, or a matrix norm where ``ord`` is given for two dimensions."""
def pinv(input: Tensor, rcond: Tensor | builtins.float | None = None, hermitian: builtins.bool = False, *, atol: Tensor | builtins.float | None = None, rtol: Tensor | builtins.float | None = None) -> Tensor:
    """The Moore-Penrose inverse."""
def qr(A: Tensor, mode: builtins.str = 'reduced') -> NamedResult:
    """Q with orthonormal columns and upper triangular R whose product is A."""
def slogdet(A: Tensor) -> NamedResult:
    """As ``torch.slogdet``, with another type name of the result."""
def solve(A: Tensor, B: Tensor, *, left: builtins.bool = True) -> Tensor:
    """The X with A X = B, or X A = B when ``left`` is false."""
def solve_ex(A: Tensor, B: Tensor, *, left: builtins.bool = True, check_errors: builtins.bool = False) -> NamedResult:
    """As ``linalg.solve``, and for each matrix the position of a zero pivot in elimination, or 0."""
def solve_triangular(input: Tensor, B: Tensor, *, upper: builtins.bool, left: builtins.bool = True, unitriangular: builtins.bool = False) -> Tensor:
    """The X with A X = B, or X A = B when ``left`` is false, where only one triangle of A is read."""
def svd(A: Tensor, full_matrices: builtins.bool = True) -> NamedResult:
    """U, the singular values and Vᵀ whose product is A. Gradients flow through the reduced part only."""
def svdvals(A: Tensor) -> Tensor:
    """The singular values in descending order."""
def tensorinv(input: Tensor, ind: builtins.int = 2) -> Tensor:
    """The inverse for ``tensordot(..., ind)``: the first ``ind`` dimensions are rows, the others columns."""
def tensorsolve(input: Tensor, other: Tensor, dims: builtins.int | Sequence[builtins.int] | None = None) -> Tensor:
    """The X with ``tensordot(A, X, X.ndim) = B``; the dimensions ``dims`` of A are moved to its end first."""
def vander(x: Tensor, *, N: builtins.int | None = None) -> Tensor:
    """The powers 0, 1, 2, ... of each entry, along a new last dimension."""
def vecdot(x: Tensor, y: Tensor, *, dim: builtins.int = -1) -> Tensor:
    """The dot products of the vectors along a dimension."""
def vector_norm(input: Tensor, ord: Any = 2, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
    """The norm of the entries as one vector, or over dimensions."""
