"""Every public name is there for Python programs, and computes what the same text computes in a script."""

from __future__ import annotations

import inspect
import pydoc
import subprocess
import sys

import autodiff.core as core
import numpy as np
import pytest
from autodiff.core import linalg, special
from autodiff.core.engine.public_functions import FUNCTIONS, IN_PLACE, METHODS
from autodiff.core.interface.names import SEARCHED, public_names, public_value
from autodiff.core.methods.lookup import TENSOR_METHODS
from autodiff.core.nn import functional
from conftest import REPOSITORY
from ops.engines import PRELUDE, Run, compiled
from ops.operands import read
from ops.table import every

MODULES = {"core": core, "core.linalg": linalg, "core.special": special, "core.nn.functional": functional}
#: What Python programs have under the names that scripts use.
NAMES = {"torch": core, "F": functional, "linalg": linalg, "special": special}


def test_no_module_hides_a_function() -> None:
    """A package ``core.trace`` would be what ``autodiff.core.trace`` means as soon as it was imported."""
    modules = {path.stem for path in (REPOSITORY / "core").iterdir()}
    assert modules.isdisjoint(public_names("core"))


#: In how many tests the samples are compared.
PARTS = 8


@pytest.mark.parametrize("part", range(PARTS))
def test_a_python_program_computes_what_a_script_computes(part: int) -> None:
    names = dict(NAMES)
    exec(PRELUDE, names)
    samples = [texts[0] for texts in every().values()][part::PARTS]
    for text, in_script in zip(samples, compiled(samples), strict=True):
        call = read(text)
        in_python = eval(f"lambda {call.names}: {call.expression}", names)
        core.manual_seed(0)
        mine = Run(in_python, call)
        core.manual_seed(0)
        theirs = Run(in_script, call)
        assert mine.names == theirs.names, text
        for ours, expected in zip(mine.values, theirs.values, strict=True):
            np.testing.assert_array_equal(ours, expected, err_msg=text)
        if mine.differentiable and mine.leaves:
            for ours, expected in zip(mine.first(), theirs.first(), strict=True):
                assert (ours is None) is (expected is None), text
                if ours is not None:
                    np.testing.assert_array_equal(ours.data, expected.data, err_msg=text)


@pytest.mark.parametrize("module", SEARCHED)
def test_a_module_lists_its_names_and_has_each(module: str) -> None:
    names = public_names(module)
    assert vars(MODULES[module])["__getattr__"]("__all__") == names
    assert set(names) <= {*dir(MODULES[module])}
    for name in names:
        value = getattr(MODULES[module], name)
        assert value is getattr(MODULES[module], name)  # looked up once
        if inspect.isfunction(value) and value.__module__ == f"autodiff.{module}":
            assert value.__name__ == name
            assert inspect.signature(value)


def test_every_public_function_is_in_a_module() -> None:
    prefixes = {"torch": "core", "F": "core.nn.functional"}
    for key in FUNCTIONS:
        namespace, _, name = key.rpartition(".")
        if namespace != "Tensor":
            module = prefixes.get(namespace, f"core.{namespace}")
            assert name in public_names(module), key


def test_every_method_is_on_the_class() -> None:
    for name in {*METHODS, *IN_PLACE, *TENSOR_METHODS}:
        assert callable(getattr(core.Tensor, name)), name


def test_signatures_are_those_of_the_language() -> None:
    assert str(inspect.signature(core.sum)) == "(input, dim=None, keepdim=False, *, dtype=None)"
    assert str(inspect.signature(core.Tensor.sum)) == "(self, dim=None, keepdim=False, *, dtype=None)"
    assert str(inspect.signature(core.Tensor.uniform_)) == "(self, from=0, /, to=1)"
    assert core.Tensor.exp_.__qualname__ == "Tensor.exp_"


def test_help_shows_the_functions() -> None:
    text = pydoc.plain(pydoc.render_doc(core))
    assert "\n    logsumexp(input, dim, keepdim=False)\n" in text
    assert "\n     |  cumsum(self, dim, *, dtype=None)\n" in text


def test_a_name_that_is_nothing_is_an_attribute_error() -> None:
    for module in MODULES.values():
        with pytest.raises(AttributeError, match="has no attribute 'summ'"):
            module.summ  # noqa: B018 - the attribute is the test
        with pytest.raises(AttributeError, match="__wrapped__"):
            module.__wrapped__  # noqa: B018 - the attribute is the test
    with pytest.raises(AttributeError, match="has no attribute 'summ'"):
        public_value("core", "summ")
    with pytest.raises(AttributeError, match="has no attribute 'summ'"):
        core.tensor(1.0).summ  # noqa: B018 - the attribute is the test


def test_importing_the_package_loads_no_function() -> None:
    code = "import sys, autodiff.core; print(*[n for n in sys.modules if n.startswith('autodiff.core.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert loaded == ["autodiff.core.base", "autodiff.core.base.lazy_imports"]
