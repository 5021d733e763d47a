"""Derivations at their bounds: which paths are kept, in which order, and what a long one is cut to."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from autodiff.cli.render.equations import lines_of
from autodiff.core.base.source import Source
from autodiff.core.derivation import derive as derivations
from autodiff.core.derivation import whole_formula as formulas
from autodiff.core.derivation.derive import path_as_sentence
from autodiff.core.derivation.describe import describe
from autodiff.core.derivation.entry_symbols import EntryTable
from autodiff.core.graph.op import OPS
from autodiff.core.paths.use_contributions import MOST_USES, max_abs
from autodiff.core.report.records import Derivation
from autodiff.core.symbolic.evaluate import value_of
from autodiff.core.symbolic.expr import call, infix, name_expr, number_expr
from autodiff.core.symbolic.simplify import simplify
from autodiff.core.symbolic.sum_text import written_sum
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate


def derive(text: str, wrt: str, **asked: Any) -> Derivation:
    settings, source = Settings(wrt=[wrt]), Source(text, "script.ad")
    subject = differentiate(execute(source, settings, lambda text: None, lambda *what: None), settings)
    [derivation] = describe(subject, source, graph=False, **asked).derivations
    return derivation


FOUR_BY_FOUR = "x = 2.\nu = sin(x) + cos(x) + exp(x) + x*3\nv = u*2 + sin(u) + cos(u) + exp(-u)\nL = v*1\n"


def test_a_sum_over_some_dozen_paths_is_written_as_one() -> None:
    derivation = derive(FOUR_BY_FOUR, "x")
    assert (derivation.count, len(derivation.paths)) == (16, 10)
    assert derivation.factored
    assert "dL/d" not in derivation.simplified


def test_as_many_paths_as_are_asked_for_are_all_shown_in_the_order_of_the_script() -> None:
    weights = [at / 8 for at in range(1, 131)]
    random.Random(2).shuffle(weights)
    text = "x = 2.\nL = x*0\n" + "".join(f"L = L + x*{weight}\n" for weight in weights)
    derivation = derive(text, "x", top=200, max_paths=1_000)
    assert derivation.count == len(weights) + 1
    assert [path.contribution for path in derivation.paths] == [0.0, *weights]


def test_the_strongest_paths_of_a_loop_come_first() -> None:
    derivation = derive("x = 2.\ns = 0.\nfor k in range(1, 6):\n    s = s + x**k / k\n", "x")
    assert [path.contribution for path in derivation.paths] == pytest.approx([16.0, 8.0, 4.0, 2.0, 1.0])
    assert derivation.simplified == "x**4 + x**3 + x**2 + x + 1"


def test_of_the_paths_that_are_followed_the_strongest_are_shown() -> None:
    weights = [0.5, -7.0, 3.0, 0.25, -2.0, 9.0, 1.0, -4.0, 0.125, 6.0, -8.0, 5.0]
    text = "x = 2.\nL = " + " + ".join(f"sin(x)*({weight})" for weight in weights)
    derivation = derive(text, "x", top=4)
    kept = [path.contribution for path in derivation.paths]
    assert kept == pytest.approx([np.cos(2.0) * weight for weight in (-7.0, 9.0, 6.0, -8.0)])


def test_sums_that_are_nan_where_backward_is_do_not_differ() -> None:
    text = "x = torch.tensor([0., 4.], requires_grad=True)\nL = (torch.sqrt(x) * 0 + x).sum()"
    derivation = derive(text, "x")
    assert np.isnan(derivation.backward).tolist() == [True, False]
    assert derivation.difference == 0.0


def test_uses_stand_in_the_order_they_were_made() -> None:
    text = "x = 2.\na = x*3\nb = sin(x)\nc = a*b\nL = c*x + exp(x)"
    assert [use.name for use in derive(text, "x").uses] == ["a", "b", "c*x", "exp(x)"]


def test_of_very_many_uses_the_largest_are_kept_in_their_order() -> None:
    draw = random.Random(1)
    weights = [round(draw.uniform(0.1, 9.0), 6) for _ in range(MOST_USES + 50)]
    text = "x = 2.\nL = x*0.0\n" + "".join(f"L = L + x*{weight}\n" for weight in weights)
    derivation = derive(text, "x")
    assert derivation.use_count == MOST_USES + 51
    smallest = sorted(weights)[50]
    assert [use.contribution for use in derivation.uses] == [w for w in weights if w >= smallest]


def test_what_is_no_number_weighs_most() -> None:
    assert max_abs(float("nan")) == float("inf")
    assert max_abs(np.array([1.0, np.nan])) == float("inf")
    assert (max_abs(np.array([1.0, -3.0])), max_abs(np.zeros(0))) == (3.0, 0.0)


def test_of_a_long_path_the_first_and_the_last_steps_are_told() -> None:
    said = path_as_sentence([f"n{at}" for at in range(13)], [2.0] * 12)
    assert said == (
        "per unit of n0, n1 grows by 2, so n2 grows by 4, so n3 grows by 8, so n4 grows by 16,"
        " and so on until n9 grows by 512, so n10 grows by 1024, so n11 grows by 2048, so n12 grows by 4096"
    )


def test_beside_the_change_along_one_path_stands_that_over_all_of_them() -> None:
    assert derive("x = 2.\ny = x - 3*x", "x").words == (
        "along one path alone, per unit of x, 3*x grows by 3, so y falls by 3; over all paths y falls by 2"
    )
    assert derive("x = 2.\ny = x - x", "x").words.endswith("; over all paths y stays as it is")
    assert derive("x = 2.\ny = 3*x", "x").words == "per unit of x, y grows by 3"


def test_words_are_of_the_output_whatever_it_is_weighed_with() -> None:
    text = "x = torch.tensor(2., requires_grad=True)\ny = x - 3*x"
    subject = differentiate(
        execute(Source(text), Settings(), lambda text: None, lambda *what: None), Settings(grad_output=10.0)
    )
    [derivation] = describe(subject, Source(text), graph=False).derivations
    assert derivation.value == -20
    assert derivation.words.endswith("so y falls by 3; over all paths y falls by 2")


def test_what_is_left_out_of_a_long_path_stands_in_the_formula_as_a_number() -> None:
    steps = [1 + at / 100 for at in range(60)]
    text = "x = 2.\ny = x*1\n" + "".join(f"y = y*{step}\n" for step in steps) + "L = sin(y)*y"
    derivation = derive(text, "x")
    whole = float(np.prod(steps))
    y = 2 * whole
    assert float(derivation.value) == pytest.approx((np.cos(y) * y + np.sin(y)) * whole, rel=1e-12)
    assert [float(path.contribution) for path in derivation.paths] == pytest.approx(
        [np.cos(y) * y * whole, np.sin(y) * whole], rel=1e-12
    )
    for path in derivation.paths:
        spelled = path.symbol.replace(f"y_{len(steps)}", "y")
        computed = eval(spelled, {"sin": np.sin, "cos": np.cos, "y": y, "x": 2.0})
        assert computed == pytest.approx(path.contribution, rel=1e-4)


@pytest.mark.parametrize(
    ("sign", "flipped"), [("<", ">="), ("<=", ">"), (">", "<="), (">=", "<"), ("==", "!="), ("!=", "==")]
)
def test_a_choice_of_nothing_turns_its_condition_around(sign: str, flipped: str) -> None:
    chosen = call("where", infix(sign, name_expr("x"), name_expr("y")), number_expr(0), name_expr("a"))
    assert str(simplify(chosen)) == f"a*[x {flipped} y]"


def test_entries_of_a_mean_are_parts_of_it() -> None:
    table = EntryTable((2, 2), lambda place: name_expr(f"x{place[0]}{place[1]}"))
    mean = OPS["mean"](table, dim=(0,), keepdim=False)
    assert value_of(mean.entry((1,)), {"x01": 3.0, "x11": 5.0}) == 4.0


def test_four_alike_terms_are_written_out_and_five_are_not() -> None:
    terms = [name_expr(f"v[{k}]") for k in range(5)]
    assert written_sum(terms[:4]) == "v[0] + v[1] + v[2] + v[3]"
    assert written_sum(terms) == "sum(v[k] for k in range(5))"


def test_an_entry_used_twice_by_one_op_is_one_step() -> None:
    settings, source = Settings(), Source("v = torch.tensor([2., 3.], requires_grad=True)\nL = (v * v).sum()")
    subject = differentiate(execute(source, settings, lambda text: None), settings)
    [derivation] = describe(subject, source, graph=False, entry=(1,)).derivations
    assert derivation.entry is not None
    assert [(step.local, step.rate) for step in derivation.entry.steps] == [("2*v[1]", 6.0)]


def test_of_a_very_long_sum_the_last_term_is_set_too() -> None:
    total = name_expr("x0")
    for at in range(1, 30):
        total = infix("+", total, name_expr(f"x{at}"))
    shown = lines_of(total)
    assert shown[-2:] == [r"+ \cdots", "+ x_{29}"]
    assert len(shown) == 12


def test_of_one_long_path_the_whole_formula_is_made_when_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []
    made = formulas.factor_gradient

    def counted(*what: Any) -> Any:
        asked.append(1)
        return made(*what)

    monkeypatch.setattr(derivations, "factor_gradient", counted)
    lines = "\n".join(f"y{at + 1} = sin(y{at})*1.5 + 1" for at in range(60))
    found = derive(f"x = 2.\ny0 = x**2\n{lines}", "x")
    assert (found.count, asked) == (1, [])
    assert found.complete.text.count("cos(") == 60
    assert asked == [1]
