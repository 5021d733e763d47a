"""Random tensors. One generator, reset by each script, gives the same numbers in every run.

The numbers are numpy's (PCG64), not torch's. No gradient flows to a mean or a standard deviation.
"""

from __future__ import annotations

from autodiff.core.base.errors import ArgumentError, DtypeError, ScriptError, type_name
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.random_source import random_source
from autodiff.core.engine.public_functions import expose, public
from autodiff.core.engine.tensor import Tensor, broadcast_shape
from autodiff.core.engine.value_checks import checked_integer, missing_kernel_error
from autodiff.core.graph import dtypes
from autodiff.core.graph.dtypes import DType
from autodiff.core.ops.create.creation import KEYWORD_PARAMETERS, check_shape_allocation, make_leaf
from autodiff.core.ops.shape.dims import Shape, check_sizes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def manual_seed(seed: Any) -> None:
    """Reset the random numbers to ``seed``, which is converted as ``int`` does."""
    if seed.__class__ is Tensor:
        if seed.entry_count != 1:
            raise ScriptError(
                "only one element tensors can be converted to Python scalars",
                code="E0305",
                operands=(seed,),
            )
        seed = seed.item()
    try:
        whole = int(seed)
    except TypeError:
        raise ScriptError(
            f"int() argument must be a string, a bytes-like object or a real number, not '{type_name(seed)}'",
            code="E0206",
        ) from None
    except (OverflowError, ValueError) as error:
        raise ScriptError(str(error), code="E0206") from None
    if not -(2**63) <= whole < 2**64:
        raise ScriptError("Overflow when unpacking long long", code="E0206", caret="a seed has 64 bits")
    random_source.reset(whole)


def random_dtype(dtype: DType | None, kernel: str) -> DType:
    """Return the dtype of a random result, which must be floating: torch has no kernel for ints."""
    dtype = dtype or dtypes.default_dtype()
    if not dtype.is_floating_point:
        raise missing_kernel_error(kernel, dtype)
    return dtype


def check_exponential_dtype(x: Tensor) -> None:
    """Refuse integer tensors for exponentially distributed numbers."""
    if not x.dtype.is_floating_point:
        raise DtypeError(
            "Exponential distribution is a continuous probability distribution. dtype must be a floating"
            f" point but you specified {x.dtype.long_name}",
            operands=(x,),
        )


def random_tensor(numbers: Any, dtype: DType, requires_grad: bool) -> Tensor:
    return make_leaf(np.asarray(numbers).astype(dtype.name), requires_grad)


def normal_tensor(shape: Shape, dtype: DType | None, requires_grad: bool) -> Tensor:
    dtype = random_dtype(dtype, "normal_kernel_cpu")
    check_shape_allocation(check_sizes(shape), dtype)
    return random_tensor(random_source.generator.standard_normal(shape), dtype, requires_grad)


def uniform_tensor(shape: Shape, dtype: DType | None, requires_grad: bool) -> Tensor:
    dtype = random_dtype(dtype, "check_uniform_bounds")
    check_shape_allocation(check_sizes(shape), dtype)
    return random_tensor(random_source.generator.random(shape), dtype, requires_grad)


@public(f"randn(*size: ints, {KEYWORD_PARAMETERS})", method=False)
def randn(size: Shape, dtype: DType | None, requires_grad: bool) -> Tensor:
    """Normally distributed numbers of mean 0 and variance 1."""
    return normal_tensor(size, dtype, requires_grad)


@public(f"rand(*size: ints, {KEYWORD_PARAMETERS})", method=False)
def rand(size: Shape, dtype: DType | None, requires_grad: bool) -> Tensor:
    """Uniformly distributed numbers from 0 to 1."""
    return uniform_tensor(size, dtype, requires_grad)


@public(f"randn_like(input: tensor, {KEYWORD_PARAMETERS})", method=False)
def randn_like(x: Tensor, dtype: DType | None, requires_grad: bool) -> Tensor:
    """``randn`` with the shape and type of another tensor."""
    return normal_tensor(x.shape, dtype or x.dtype, requires_grad)


@public(f"rand_like(input: tensor, {KEYWORD_PARAMETERS})", method=False)
def rand_like(x: Tensor, dtype: DType | None, requires_grad: bool) -> Tensor:
    """``rand`` with the shape and type of another tensor."""
    return uniform_tensor(x.shape, dtype or x.dtype, requires_grad)


@public(f"randint(low: int = 0, high: any = None, size: any = None, {KEYWORD_PARAMETERS})", method=False)
def randint(low: int, high: Any, size: Any, dtype: DType | None, requires_grad: bool) -> Tensor:
    """Whole numbers from ``low`` up to but not including ``high``: ``randint(10, (2, 3))``."""
    if size is None:
        low, high, size = (0, low, high) if isinstance(high, (tuple, list)) else (low, high, size)
    elif high is None:
        low, high = 0, low
    if not isinstance(size, (tuple, list)) or any(n.__class__ is not int for n in size):
        raise ArgumentError(
            f"randint(): argument 'size' must be tuple of ints, not {type_name(size)}",
            help=("write `torch.randint(low, high, (2, 3))`",),
        )
    if high.__class__ is Tensor and high.entry_count == 1:
        high = int(high.item())
    if high.__class__ is not int:
        raise ArgumentError(f"randint(): argument 'high' (position 2) must be int, not {type_name(high)}")
    if low >= high:
        raise ScriptError(
            f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}", code="E0308"
        )
    dtype = dtype or dtypes.int64
    check_int_range(low, high, dtype)
    check_shape_allocation(check_sizes(size), dtype)
    return random_tensor(random_source.generator.integers(low, high, tuple(size)), dtype, requires_grad)


def check_int_range(low: int, high: int, dtype: DType) -> None:
    """Refuse a range of ints that ``dtype`` cannot hold."""
    if dtype.is_floating_point:
        return
    least, most = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype.name).min, np.iinfo(dtype.name).max)
    for name, number in (("from", low), ("to - 1", high - 1)):
        if not least <= number <= most:
            raise ScriptError(
                f"{name} is out of bounds for {dtype.c_name}",
                code="E0308",
                caret=f"{dtype.name} holds the numbers from {least} to {most}",
            )


@public(f"randperm(n: int, {KEYWORD_PARAMETERS})", method=False)
def randperm(n: int, dtype: DType | None, requires_grad: bool) -> Tensor:
    """The numbers from 0 to ``n`` - 1 in random order."""
    dtype = dtype or dtypes.int64
    check_shape_allocation(check_sizes((n,)), dtype)
    if dtype.kind == "b":
        raise missing_kernel_error("randperm", dtype)
    if not dtype.is_floating_point:
        checked_integer(n, dtype)
    return random_tensor(random_source.generator.permutation(n), dtype, requires_grad)


@public(f"normal(mean: value = 0.0, std: value = 1.0, size: size = None, {KEYWORD_PARAMETERS})", method=False)
def normal(mean: Any, std: Any, size: Shape | None, dtype: DType | None, requires_grad: bool) -> Tensor:
    """Normally distributed numbers; ``mean`` and ``std`` may be tensors, but no gradient flows to them.

    ``size``, ``dtype`` and ``requires_grad`` are for a mean and a standard deviation that are numbers.
    """
    spread = std.data if std.__class__ is Tensor else std
    if np.any(np.less(spread, 0)):
        message = (
            "normal expects all elements of std >= 0.0"
            if std.__class__ is Tensor
            else f"normal expects std >= 0.0, but found std {std:g}"
        )
        raise ScriptError(message, code="E0308")
    tensors = [x for x in (mean, std) if x.__class__ is Tensor]
    if not tensors and size is None:
        raise ArgumentError(
            'normal() missing 1 required positional arguments: "size"',
            help=("write `torch.normal(0.0, 1.0, (2, 3))`",),
        )
    centre = mean.data if mean.__class__ is Tensor else mean
    broadcast_shape(tuple(tensors))
    shape = np.broadcast_shapes(*(x.shape for x in tensors)) if size is None else check_sizes(size)
    given = {"size": size is not None, "dtype": dtype is not None, "requires_grad": requires_grad}
    if tensors and any(given.values()):
        name = next(name for name in given if given[name])
        raise ArgumentError(
            "normal() received an invalid combination of arguments",
            operands=tuple(tensors),
            help=(f"leave {name} out: the mean or the standard deviation is a tensor",),
        )
    dtype = random_dtype(tensors[0].dtype if tensors else dtype, "normal_kernel_cpu")
    check_shape_allocation(shape, dtype)
    return random_tensor(
        centre + spread * random_source.generator.standard_normal(shape), dtype, requires_grad
    )


@public("bernoulli(input: tensor, p: float = None)")
def bernoulli(x: Tensor, p: float | None) -> Tensor:
    """Ones with the probabilities in ``input`` (or ``p`` everywhere), else zeros."""
    if p is not None:
        if not 0 <= p <= 1:
            raise ScriptError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}", code="E0308")
        return random_tensor(random_source.generator.random(x.shape) < p, x.dtype, False)
    dtype = random_dtype(x.dtype, "bernoulli_tensor_cpu_p_")
    chances = x.data
    if not np.all((chances >= 0) & (chances <= 1)):
        raise ScriptError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be"
            " improved?  If so, please report an enhancement request to PyTorch.)",
            code="E0308",
            operands=(x,),
            caret="probabilities lie between 0 and 1",
        )
    return random_tensor(random_source.generator.random(x.shape) < chances, dtype, False)


expose("manual_seed(seed: any)", manual_seed, method=False)
