"""The count of living nodes looks at every object of the process, and disturbs none."""

from __future__ import annotations

from autodiff.core.engine.tensor import tensor
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
