"""Leaves kept in lists are called by the expression that gives them, and can be asked for by it."""

from __future__ import annotations

import pytest
from autodiff.core.base.errors import UsageError
from autodiff.core.base.source import Source
from autodiff.core.engine.tensor import Tensor, tensor
from autodiff.grammar.execution import execute
from autodiff.grammar.session.leaf_names import named_tensors
from autodiff.grammar.session.run import Settings, differentiate


def inputs(code: str, *wrt: str) -> dict[str, object]:
    settings = Settings(wrt=wrt)
    subject = differentiate(execute(Source(code), settings, write=lambda text: None), settings)
    return {name: subject.cotangents.get(node) for name, node in subject.wrt}


COMPREHENSION = """\
params = [torch.tensor(float(i), requires_grad=True) for i in range(1, 4)]
L = sum(p * p for p in params)
"""

LOOP = """\
layers = []
for i in range(12):
    w = torch.tensor(float(i), requires_grad=True)
    layers.append((w, i))
L = 0
for p, factor in layers:
    L = L + p * factor
"""


def test_leaves_of_a_comprehension_are_told_apart():
    assert inputs(COMPREHENSION) == {"params[0]": 2.0, "params[1]": 4.0, "params[2]": 6.0}


def test_a_name_that_several_leaves_had_names_none_of_them():
    assert list(inputs(LOOP)) == [f"layers[{i}][0]" for i in range(12)]


def test_a_leaf_with_a_name_of_its_own_keeps_it():
    code = "w = torch.tensor(1., requires_grad=True)\nb = torch.tensor(2., requires_grad=True)\n"
    assert list(inputs(code + "params = [w, b]\nL = params[0] * params[1]")) == ["w", "b"]


def test_a_leaf_nobody_keeps_is_called_by_what_made_it():
    code = "def f():\n    w = torch.tensor(3., requires_grad=True)\n    return w * w\nL = f()"
    assert list(inputs(code)) == ["w"]


@pytest.mark.parametrize(
    ("wrt", "found"),
    [
        (["params[1]"], {"params[1]": 4.0}),
        (["params[2]", "params[0]"], {"params[2]": 6.0, "params[0]": 2.0}),
        (["params*"], {"params[0]": 2.0, "params[1]": 4.0, "params[2]": 6.0}),
    ],
)
def test_places_are_asked_for_by_name_or_glob(wrt, found):
    assert inputs(COMPREHENSION, *wrt) == found


def test_an_entry_that_is_not_marked_is_tracked_when_asked_for():
    code = "params = [torch.tensor(1.), torch.tensor(2.)]\nL = params[0] * params[1]"
    assert inputs(code, "params[0]") == {"params[0]": 2.0}


def test_a_place_that_is_not_there_is_refused_with_the_nearest():
    with pytest.raises(UsageError) as raised:
        inputs(COMPREHENSION, "parms[1]")
    assert raised.value.message == "there is no variable `parms[1]` in the script"
    assert raised.value.help == ("did you mean `params[1]`?",)


def test_a_list_that_holds_itself_ends():
    x = tensor(1.0)
    loop: list[object] = [x]
    loop.append(loop)
    found = list(named_tensors({"a": loop, "b": (x, [x]), "c": 1}))
    assert [place for place, _ in found] == ["a[0]", "b[0]", "b[1][0]"]
    assert all(value.__class__ is Tensor for _, value in found)


PARAMS = "params = [torch.tensor(1., requires_grad=True), torch.tensor(2., requires_grad=True)]\n"
STEP = "with torch.no_grad():\n    for p in params:\n        p -= 0.1 * p.grad\n"
LOSS = "L = params[0] * params[1]\nL.backward()\n"
MODEL = "def f(ps):\n    a, b = ps\n    return a * b\nL = f(params)\nL.backward()\n"


@pytest.mark.parametrize(
    "code",
    [
        PARAMS + LOSS + STEP,
        PARAMS + "for p in params:\n    print(p)\n" + LOSS,
        PARAMS + MODEL + STEP,
        PARAMS + LOSS + "for p in params:\n    p.data.add_(-0.1 * p.grad)\n",
        PARAMS + LOSS + "for i, p in enumerate(params):\n    p.data = p.data - 0.1 * p.grad\n",
        PARAMS + LOSS + "params[0].data -= 1\nparams[1].data -= 1\n",
        PARAMS + "w, b = params\nL = w * b\nL.backward()\ndel w, b\n" + STEP,
    ],
)
def test_leaves_of_a_list_are_called_by_their_places_whatever_a_loop_calls_them(code):
    found = inputs(code)
    assert list(found.values()) == [2.0, 1.0]
    assert list(found) == ["params[0]", "params[1]"]
    for name, slope in found.items():
        assert inputs(code, name) == {name: slope}


@pytest.mark.parametrize(
    "code",
    [
        PARAMS + "w, b = params\n" + LOSS + STEP,
        PARAMS + "for p in params:\n    print(p)\n" + "w, b = params\n" + LOSS + STEP,
        PARAMS + LOSS + STEP + "w, b = params\n",
    ],
)
def test_names_of_their_own_go_before_places_and_loop_variables(code):
    assert list(inputs(code)) == ["w", "b"]


def test_a_loop_variable_names_what_nothing_else_does():
    code = "for p in [torch.tensor(1., requires_grad=True)]:\n    L = p * p\n"
    assert inputs(code) == {"p": 2.0}
    assert inputs(code, "p") == {"p": 2.0}


NOBODY = "L = f(torch.tensor(3., requires_grad=True)) + f(torch.ones(2, requires_grad=True)).sum()\n"
TWICE = "L = 0\nfor i in (1, 2):\n    L = L + f(torch.tensor(float(i), requires_grad=True))\n"
REMADE = "L = 0\nfor i in (1, 2, 3):\n    w = torch.ones((), requires_grad=True)\n    L = L + w * i\n"
ANONYMOUS = "def f(x):\n    return x ** 2\n"


@pytest.mark.parametrize("code", [ANONYMOUS + NOBODY, ANONYMOUS + TWICE, REMADE])
def test_every_name_shown_can_be_asked_for(code):
    settings = Settings()
    subject = differentiate(execute(Source(code), settings, write=lambda text: None), settings)
    names = [name for name, _ in subject.wrt]
    assert len(set(names)) == len(names) > 1
    for name, node in subject.wrt:
        again = inputs(code, name)
        assert list(again) == [name]
        assert str(again[name]) == str(subject.cotangents[node])
