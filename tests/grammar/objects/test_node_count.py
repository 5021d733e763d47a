"""The count of living nodes looks at every object of the process, and disturbs none."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from autodiff.core.base.errors import LimitError
from autodiff.core.base.limits import limits
from autodiff.core.engine.tensor import tensor
from autodiff.core.graph.state import mode
from autodiff.grammar.objects.node_count import check_node_count


class Guarded:
    """An object of another library that runs code when it is asked for its class."""

    @property
    def __class__(self) -> type:
        raise RuntimeError("not to be asked")


def test_objects_of_other_libraries_are_left_alone() -> None:
    x = tensor(1.0, requires_grad=True)
    before = check_node_count()
    kept = [Guarded(), x * x + 1]
    assert check_node_count() == before + 2
    assert len(kept) == 2


def test_two_runs_may_have_tapes_of_the_same_number(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = []
    number = mode.number
    for length in (3, 30):
        mode.close_tape()
        monkeypatch.setattr(mode, "number", number)
        x = tensor(2.0, requires_grad=True)
        for _ in range(length):
            x = x * x
        kept.append(x)
    assert check_node_count() >= 33


def test_a_tuple_may_be_filled_while_objects_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    x = tensor(1.0, requires_grad=True) + 1
    errors = []

    def parts() -> Iterator[int]:
        for at in range(100):
            if at == 5:
                monkeypatch.setattr(limits, "nodes", 1)
                with pytest.raises(LimitError) as caught:
                    check_node_count()
                errors.append(caught.value)
            yield at

    assert tuple(parts()) == tuple(range(100))
    assert len(errors) == 1
    assert x.item() == 2
