"""Repairs of names, attributes, arguments and types."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from autodiff.core.errors import Fix
    from autodiff.grammar.proposals.scene import Scene

PROPOSALS: dict[str, Callable[[Scene], Iterator[Fix]]] = {}
