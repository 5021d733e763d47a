"""How scripts of numpy check themselves: ``np.testing``, and ``check_grad`` of ``scipy.optimize``.

Assertions end the script with numpy's message. What is measured with steps has no slope.
"""

from __future__ import annotations

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.state import no_grad
from autodiff.grammar.objects.function_transforms import call_function
from autodiff.grammar.objects.numpy_functions import array_of
from autodiff.grammar.objects.testing import not_close
from autodiff.grammar.objects.value_text import as_repr
from autodiff.grammar.objects.values import Builtin, as_index, is_true

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: scipy's step: the root of the rounding unit.
STEP = 2.0**-26


# -- assertions -------------------------------------------------------------------------------------


def assert_allclose(
    actual: Any,
    desired: Any,
    rtol: Any = 1e-07,
    atol: Any = 0,
    equal_nan: Any = True,
    err_msg: Any = "",
    verbose: Any = True,
) -> None:
    def close(x: Any, y: Any) -> Any:
        return np.isclose(
            x, y, rtol=array_of(rtol).data, atol=array_of(atol).data, equal_nan=is_true(equal_nan)
        )

    head = f"Not equal to tolerance rtol={tolerance(rtol)}, atol={tolerance(atol)}"
    compare(actual, desired, close, head, err_msg)


def assert_array_equal(actual: Any, desired: Any, err_msg: Any = "", verbose: Any = True) -> None:
    compare(actual, desired, equal, "Arrays are not equal", err_msg)


def assert_array_almost_equal(
    actual: Any, desired: Any, decimal: Any = 6, err_msg: Any = "", verbose: Any = True
) -> None:
    def close(x: Any, y: Any) -> Any:
        return equal(x, y) | (np.abs(x - y) < 1.5 * 10.0 ** -as_index(decimal, "a number of decimals"))

    compare(actual, desired, close, f"Arrays are not almost equal to {as_repr(decimal)} decimals", err_msg)


def assert_almost_equal(
    actual: Any, desired: Any, decimal: Any = 7, err_msg: Any = "", verbose: Any = True
) -> None:
    assert_array_almost_equal(actual, desired, decimal, err_msg)


def equal(x: Any, y: Any) -> Any:
    return (x == y) | (np.isnan(x) & np.isnan(y))


def tolerance(given: Any) -> str:
    return f"{array_of(given).item():g}"


def compare(actual: Any, desired: Any, holds: Callable[[Any, Any], Any], head: str, err_msg: Any) -> None:
    """Raise ScriptError, with the differences, unless the arrays agree; a number agrees with all entries."""
    x, y = array_of(actual), array_of(desired)
    a, b = np.asarray(x.data, "float64"), np.asarray(y.data, "float64")
    lines = [head, str(err_msg)] if err_msg else [head]
    if a.shape != b.shape and a.shape and b.shape:
        lines.append(f"(shapes {a.shape}, {b.shape} mismatch)")
    else:
        with np.errstate(all="ignore"):
            matches = holds(a, b)
            if np.all(matches):
                return
            apart = np.abs(a - b)
            ratio = apart / np.abs(b)
        wrong = ~matches
        lines.append(f"Mismatched elements: {wrong.sum()} / {wrong.size} ({wrong.mean():.3%})")
        lines.append(f"Max absolute difference among violations: {apart[wrong].max():.8g}")
        lines.append(f"Max relative difference among violations: {ratio[wrong].max():.8g}")
    lines += [f" ACTUAL: {as_repr(actual)}", f" DESIRED: {as_repr(desired)}"]
    raise not_close("\n".join(lines), None)


# -- differences ------------------------------------------------------------------------------------


def approx_fprime(xk: Any, f: Any, epsilon: Any = STEP, *args: Any) -> Tensor:
    """Return the slopes of ``f`` by steps forward: a row for each entry of a result that is an array."""
    x, steps = np.asarray(array_of(xk).data, "float64"), np.asarray(array_of(epsilon).data, "float64")

    def value(at: Any) -> Any:
        return np.asarray(array_of(call_function(f, (Tensor.of(at), *args), {})).data, "float64")

    if x.ndim > 1:
        raise ScriptError(
            "`x0` must have at most 1 dimension.",
            code="E0301",
            caret=f"this has {x.ndim} dimensions",
            help=("ravel it, and reshape it in the function",),
        )
    point, slopes = np.atleast_1d(x), []
    with no_grad():
        first = value(point.copy())
        for at, step in enumerate(np.broadcast_to(steps, point.shape)):
            moved = point.copy()
            moved[at] += step
            slopes.append((value(moved) - first) / (moved[at] - point[at]))
    return Tensor.of(np.stack(slopes, axis=-1).reshape(first.shape * (first.size > 1) + point.shape))


def check_grad(
    func: Any, grad: Any, x0: Any, *args: Any, epsilon: Any = STEP, direction: Any = "all", seed: Any = None
) -> float:
    """Return how far a gradient is from ``approx_fprime``: the root of the sum of squares."""
    if direction != "all":
        raise ScriptError(
            "check_grad() takes all directions here",
            code="E0310",
            caret="other directions are drawn at random",
            help=("leave `direction` out",),
        )
    measured = approx_fprime(x0, func, epsilon, *args)
    with no_grad():
        given = array_of(call_function(grad, (array_of(x0).detach(), *args), {}))
    return float(np.sqrt(np.sum(np.square(np.asarray(given.data, "float64") - measured.data))))


ASSERTIONS = {
    "assert_allclose": Builtin("assert_allclose", assert_allclose),
    "assert_almost_equal": Builtin("assert_almost_equal", assert_almost_equal),
    "assert_array_almost_equal": Builtin("assert_array_almost_equal", assert_array_almost_equal),
    "assert_array_equal": Builtin("assert_array_equal", assert_array_equal),
    "assert_equal": Builtin("assert_equal", assert_array_equal),
}
OPTIMIZE = {
    "approx_fprime": Builtin("approx_fprime", approx_fprime),
    "check_grad": Builtin("check_grad", check_grad),
}
