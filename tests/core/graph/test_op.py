"""The record of an op: under another name it is another record, made once for what differs."""

from __future__ import annotations

from autodiff.core.graph.op import OPS


def test_an_op_under_another_name_has_the_details_asked_for() -> None:
    op = OPS["clone"]
    plain = op.named("OtherBackward0")
    assert (plain.grad_fn, plain.is_view, plain.kink, plain.saved) == ("OtherBackward0", op.is_view, "", None)
    assert op.named("OtherBackward0") is plain
    details = {"is_view": not op.is_view, "reads_input": not op.reads_input}
    details |= {"kink": "a tie", "saved": ((0,),)}
    for name, value in details.items():
        made = op.named("OtherBackward0", **{name: value})
        assert getattr(made, name) == value
        assert op.named("OtherBackward0", **{name: value}) is made


def test_a_name_upon_a_name_keeps_the_details_of_the_first() -> None:
    op = OPS["clone"]
    first = op.named("FirstBackward0", is_view=not op.is_view)
    assert op.named("SecondBackward0").is_view is op.is_view
    assert first.named("SecondBackward0").is_view is first.is_view
