"""Constants that the script names keep their names in formulas, as long as the numbers stay right."""

import numpy as np
import pytest
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.run import Settings, differentiate

X = "x = torch.tensor(2.0, requires_grad=True)\n"
W = "w = torch.tensor([0.3, 0.2], requires_grad=True)\n"


def derive(script, entry=None, wrt=()):
    source, settings = Source(script, "script.ad"), Settings(wrt=wrt)
    execution = execute(source, settings, discard_text, discard_warning)
    subject = differentiate(execution, settings)
    [derivation] = describe(subject, source, graph=False, entry=entry).derivations
    return derivation


@pytest.mark.parametrize(
    ("script", "simplified"),
    [
        (X + "y = 0.25\np = torch.sigmoid(x)\nL = (1 - y)*torch.log(p)", "(1 - y)*(1 - p)"),
        (X + "y = torch.tensor(0.25)\nL = (1 - y)*x", "1 - y"),
        (X + "h = 6.626e-34\nc = 3e8\nL = h*c*x", "h*c"),
        (X + "L = 4*math.pi**2*x", "4*math.pi**2"),
        ("x = 2.0\nL = 4*pi**2*x", "4*pi**2"),
        ("x = 2.0\nL = 2*np.pi*x", "2*np.pi"),
        (X + "k = 3\nL = x**k", "k*x**(k - 1)"),
        (X + "k = 3\nL = torch.pow(x, k + 1)", "(k + 1)*x**k"),
        (X + "k = 3\nL = x.pow(k)", "k*x**(k - 1)"),
        (X + "n = 5\nscale = 1/n\nL = scale*x", "scale"),
        (X + "y = 3.0\nL = (x - y)*2", "2"),
        (W + "y = torch.tensor([0.25, 0.5])\nL = ((1 - y)*w**2).sum()", "2*(1 - y)*w"),
        (W + "n = 2\nL = ((w - w.sum()/n)**2).sum()/(n - 1)", None),
        # No name has one value for all uses of these, so they are numbers.
        (X + "L = 0.0\nfor i in range(3):\n    L = L + i*x", "3"),
        (X + "L = 1.0\nfor i in range(2):\n    c = i + 2.0\n    L = L*c*x", "12*x"),
        (X + "c = 3.0\nL = c*x\nc = 4.0\nL", "3"),
        (X + "c = torch.tensor(3.0)\nL = (c + 1)*x\nc += 1\nL", "4"),
        (X + "c = 5.0\ndef f(x, c):\n    return c*x\nL = f(x, 3.0)", "3"),
        (X + "L = 2*3*x", "6"),
    ],
)
def test_simplified_forms_keep_the_names_of_constants(script, simplified):
    found = derive(script)
    if simplified is not None:
        assert found.simplified == simplified
    assert found.difference <= 1e-12 * np.abs(found.value).max()


def test_an_entry_keeps_the_names_of_constants():
    script = W + "n = 2\ny = torch.tensor([0.25, 0.5])\nL = ((1 - y)*w**3).sum()/n"
    entry = derive(script, (1,)).entry
    assert (entry.formula, entry.difference) == ("3*(1 - y[1])*w[1]**2/n", 0.0)
    assert entry.numbers == ("3*(1 - 0.5)*0.2**2/2",)


def test_the_value_of_a_constant_must_be_the_number_in_the_graph():
    """A function's own ``c`` is another than the script's, although it has its value in one of two calls."""
    script = X + "c = 3.0\ndef f(x, c):\n    return c*x\nL = f(x, 3.0) + f(x, 4.0)"
    assert derive(script).value == 7


@pytest.mark.parametrize("written", ["x**2", "x*0.1/7", "exp(-x/3)", "relu(x - 0.1)"])
def test_numbers_beside_arrays_of_float32_are_float32_in_the_text_as_in_the_engine(written):
    """The text is kept where it comes to the engine's numbers to the last bit."""
    x = "x = torch.linspace(-3, 3, 200, dtype=torch.float32)\n"
    c = "c = torch.tensor(1.0, dtype=torch.float32, requires_grad=True)\n"
    assert derive(x + c + f"L = (c*({written})).sum()").where == ()
