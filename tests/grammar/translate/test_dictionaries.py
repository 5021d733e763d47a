"""Dictionaries of pasted programs: the rewritten program prints in Python what the program prints."""

from __future__ import annotations

import contextlib
import io

import pytest
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.run import Settings
from script_runner import run_script

TWO_LAYERS = """\
import numpy as np

def initialize_parameters(n_x, n_h, n_y):
    np.random.seed(1)
    W1 = np.random.randn(n_h, n_x)*0.01
    b1 = np.zeros((n_h, 1))
    W2 = np.random.randn(n_y, n_h)*0.01
    b2 = np.zeros((n_y, 1))
    parameters = {"W1": W1,
                  "b1": b1,
                  "W2": W2,
                  "b2": b2}
    return parameters

def forward_propagation(X, parameters):
    W1 = parameters['W1']
    b1 = parameters['b1']
    W2 = parameters['W2']
    b2 = parameters['b2']
    Z1 = np.dot(W1, X) + b1
    A1 = np.tanh(Z1)
    Z2 = np.dot(W2, A1) + b2
    A2 = 1/(1+np.exp(-Z2))
    cache = {"Z1": Z1, "A1": A1, "Z2": Z2, "A2": A2}
    return A2, cache

def compute_cost(A2, Y):
    m = Y.shape[1]
    return -np.sum(np.log(A2)*Y + np.log(1 - A2)*(1 - Y))/m

def backward_propagation(parameters, cache, X, Y):
    m = X.shape[1]
    W2 = parameters['W2']
    dZ2 = cache['A2'] - Y
    dW2 = np.dot(dZ2, cache['A1'].T)/m
    db2 = np.sum(dZ2, axis=1, keepdims=True)/m
    dZ1 = np.dot(W2.T, dZ2)*(1 - cache['A1']**2)
    dW1 = np.dot(dZ1, X.T)/m
    db1 = np.sum(dZ1, axis=1, keepdims=True)/m
    grads = {"dW1": dW1, "db1": db1, "dW2": dW2, "db2": db2}
    return grads

def update_parameters(parameters, grads, learning_rate=1.2):
    W1 = parameters['W1']
    b1 = parameters['b1']
    W2 = parameters['W2']
    b2 = parameters['b2']
    W1 = W1 - learning_rate*grads['dW1']
    b1 = b1 - learning_rate*grads['db1']
    W2 = W2 - learning_rate*grads['dW2']
    b2 = b2 - learning_rate*grads['db2']
    parameters = {"W1": W1, "b1": b1, "W2": W2, "b2": b2}
    return parameters

X = np.array([[1., 2., 3.], [0.5, -1., 2.]])
Y = np.array([[1., 0., 1.]])
parameters = initialize_parameters(2, 3, 1)
for i in range(3):
    A2, cache = forward_propagation(X, parameters)
    cost = compute_cost(A2, Y)
    grads = backward_propagation(parameters, cache, X, Y)
    parameters = update_parameters(parameters, grads)
print(cost, grads['dW1'], parameters['b2'])
"""
CHARACTERS = """\
import numpy as np
np.random.seed(0)
Wxh, Whh, Why = np.random.randn(3, 4)*0.1, np.random.randn(3, 3)*0.1, np.random.randn(4, 3)*0.1

def lossFun(inputs, targets, hprev):
    xs, hs, ys, ps = {}, {}, {}, {}
    hs[-1] = np.copy(hprev)
    loss = 0
    for t in range(len(inputs)):
        xs[t] = np.zeros((4, 1))
        xs[t][inputs[t]] = 1
        hs[t] = np.tanh(np.dot(Wxh, xs[t]) + np.dot(Whh, hs[t-1]))
        ys[t] = np.dot(Why, hs[t])
        ps[t] = np.exp(ys[t])/np.sum(np.exp(ys[t]))
        loss += -np.log(ps[t][targets[t], 0])
    dhnext = np.zeros_like(hs[0])
    dWhh = np.zeros_like(Whh)
    for t in reversed(range(len(inputs))):
        dy = np.copy(ps[t])
        dy[targets[t]] -= 1
        dhraw = (1 - hs[t]*hs[t])*(np.dot(Why.T, dy) + dhnext)
        dWhh += np.dot(dhraw, hs[t-1].T)
        dhnext = np.dot(Whh.T, dhraw)
    return loss, dWhh, hs[len(inputs)-1]

loss, dWhh, hprev = lossFun([0, 1, 2], [1, 2, 3], np.zeros((3, 1)))
print(loss, dWhh, hprev)
"""
#: Programs, with the first line of the repair and a text in the rewritten program.
PROGRAMS = {
    "from_function_to_function": (TWO_LAYERS, "use one variable", "return W1, b1, W2, b2\n"),
    "time_steps": (CHARACTERS, "keep the entries in lists", "[None]*(len(inputs) + 1)"),
    "states_with_a_first": (
        "w = 0.5\nT = 3\nhs = {}\nhs[0] = w\nfor t in range(T):\n    hs[t+1] = hs[t]*w\nprint(hs[T])\n",
        "keep the entries in lists",
        "hs = [None]*(T + 1)",
    ),
    "from_one": (
        "w = 0.5\nhs = {}\nhs[0] = w\nfor t in range(1, 4):\n    hs[t] = hs[t-1]*w\nprint(hs[3])\n",
        "keep the entries in lists",
        "hs = [None]*4",
    ),
    "enumerated": (
        "w = 0.5\nys = {}\nfor i, x in enumerate([1.0, 2.0]):\n    ys[i] = w*x\nprint(ys[0] + ys[1])\n",
        "keep the entries in lists",
        "ys = [None]*len([1.0, 2.0])",
    ),
    "set_one_by_one": (
        "def f(w, x):\n    grads = {}\n    grads['dw'] = 2*w*x\n    grads['dx'] = w**2\n"
        "    return w**2*x, grads\nloss, grads = f(3.0, 2.0)\nprint(loss, grads['dw'], f\"{grads['dx']}\")\n",
        "use one variable",
        "return w**2*x, dw, dx\n",
    ),
    "set_to_names_of_parameters": (
        "def f(w, x):\n    grads = {}\n    grads['w'] = 2*w*x\n    grads['x'] = w**2\n"
        "    return w**2*x, grads\nloss, grads = f(3.0, 2.0)\nprint(loss, grads['w'], grads['x'])\n",
        "keep the entries in lists",
        "grads = [None]*2",
    ),
    "changed_and_returned": (
        "def step(p, grads):\n    p['a'] = p['a'] - 0.5*grads['da']\n"
        "    p['b'] -= grads['db']\n    return p\n"
        "p = {'a': 2.0, 'b': 3.0}\ngrads = {'da': 1.0, 'db': 4.0}\nfor i in range(2):\n"
        "    p = step(p, grads)\nprint(p['a'], p['b'])\n",
        "use one variable",
        "def step(a, b, da, db):",
    ),
    "a_key_is_a_name_outside": (
        "b = 5.0\ndef f(p):\n    return p['a']*b\np = {'a': 2.0, 'b': 3.0}\nprint(f(p), p['b'])\n",
        "keep the entries in lists",
        "p[0]*b",
    ),
    "taken_under_another_name": (
        "def make():\n    p = {'a': 2.0, 'b': 3.0}\n    return p\np = make()\nq = make()\nprint(p['a'])\n",
        "keep the entries in lists",
        "p[0]",
    ),
    "given_by_name": (
        "def f(x, p):\n    return x*p['a']*p['b']\np = {'a': 2.0, 'b': 3.0}\nprint(f(2.0, p=p), f(3.0, p))\n",
        "keep the entries in lists",
        "x*p[0]*p[1]",
    ),
    "rebound_before_it_is_read_again": (
        "def f(p):\n    a = p['a']\n    a = a + 1\n    c = p['a']\n    p = {'a': a, 'b': c}\n    return p\n"
        "p = {'a': 2.0, 'b': 3.0}\np = f(p)\nprint(p['a'], p['b'])\n",
        "keep the entries in lists",
        "p = [a, c]",
    ),
    "under_another_name": (
        "def make():\n    parameters = {'a': 2.0, 'b': 3.0}\n    return parameters\n"
        "def f(p):\n    return p['a']*p['b']\nparams = make()\nL = f(params)\nprint(L)\n",
        "keep the entries in lists",
        "p[0]*p[1]",
    ),
    "changed_in_a_function": (
        "def step(parameters):\n    parameters['a'] = parameters['a']*2\n"
        "parameters = {'a': 2.0, 'b': 3.0}\nstep(parameters)\nprint(parameters['a'], parameters['b'])\n",
        "keep the entries in lists",
        "parameters[0] = parameters[0]*2",
    ),
    "a_key_is_another_name": (
        "def f(x):\n    A = x*2\n    cache = {'A': x, 'B': A}\n    A = A + 1\n    return A, cache\n"
        "A, cache = f(3.0)\nprint(A, cache['A'], cache['B'])\n",
        "keep the entries in lists",
        "cache = [x, A]",
    ),
    "values_and_copies": (
        "rates = {'a': 2.0, 'b': 3.0}\nprint(sum([r for r in rates.values()]))\nprint(rates['b'])\n",
        "keep the entries in lists",
        "for r in rates]",
    ),
    "entries_of_entries": (
        "def f(p):\n    return p['a']\nold = {'a': 2.0, 'b': 3.0}\nnew = {'a': old['b'], 'b': old['a']*2}\n"
        "print(f(new), f(old), new['b'])\n",
        "keep the entries in lists",
        "new = [old[1], old[0]*2]",
    ),
}


def error_of(text: str) -> AutodiffError:
    with pytest.raises(AutodiffError) as raised:
        execute(Source(text), Settings(), discard_text, discard_warning)
    return raised.value


def printed(text: str) -> str:
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(text, {})
    return shown.getvalue()


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_rewritten_program_prints_the_same(name: str) -> None:
    text, words, part = PROGRAMS[name]
    error = error_of(text)
    assert error.code == "E0120"
    [fix] = error.fixes
    assert fix.text.startswith(words)
    rewritten = fix.apply(text)
    assert part in rewritten
    assert "= {" not in rewritten
    assert printed(rewritten) == printed(text)
    outcome = run_script(rewritten)
    assert outcome.error is None
    assert outcome.stdout == printed(text)
    assert not error.other_errors


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("p = {}\nfor l in range(3):\n    p['W' + str(l)] = 2.0*l\nprint(p['W1'])\n", "a list for each kind"),
        ("memo = {}\ndef f(n):\n    memo[n] = n*2.0\n    return memo[n]\nprint(f(3))\n", "long enough"),
        (
            "p = {'a': 1.0}\nfor key, value in p.items():\n    print(key, value)\n",
            "`for key, value in p.items()",
        ),
        ("p = {}\nfor t in range(3):\n    p[t-2] = 2.0*t\nprint(p[0])\n", "long enough"),
    ],
)
def test_what_a_list_does_not_have_is_said(text: str, advice: str) -> None:
    error = error_of(text)
    assert error.fixes == ()
    assert advice in " ".join(error.help)
