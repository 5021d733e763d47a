"""The one mutable state of the engine: is recording on, which source is running, who listens and is warned.

Changed only by the context managers below (and by the interpreter, which owns ``site`` while a script
runs). Everything else in the engine is a function of its arguments.
"""

from __future__ import annotations

from autodiff.core.span import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol, TypeVar

    from autodiff.core.node import GradCell, Leaf, Node
    from autodiff.core.op import Op

    F = TypeVar("F", bound=Callable[..., object])

    class Recorder(Protocol):
        """Somebody who wants the graph of the last backward kept after the engine is done with it."""

        def pass_ran(self, kind: str, roots: list[Node], seeds: list[object], order: list[Node]) -> None: ...

        def grads_gathered(self, before: list[tuple[GradCell, Any]]) -> None: ...

        def slopes_made(self, slopes: dict[Node, tuple[Node, str]]) -> None: ...

    class Probe(Protocol):
        """Somebody who repeats a run with its inputs moved."""

        def leaf_made(self, leaf: Leaf, value: Any) -> Any:
            """The value that a tracked leaf is to have."""

        def compared(self, op: Op, values: tuple[Any, ...]) -> None: ...


def ignore_warning(text: str) -> None:
    """Warn nobody."""


class Mode:
    """``enabled``: operations are recorded. ``site``: the span now running. ``recorder``: keeps graphs.

    ``number`` is that of the node made last.

    ``warn`` is told what torch warns of, in torch's words. ``probe`` is there while a run is checked.
    """

    __slots__ = ("enabled", "number", "probe", "recorder", "site", "warn")

    def __init__(self) -> None:
        self.enabled = True
        self.number = 0
        self.site: Span | None = None
        self.recorder: Recorder | None = None
        self.probe: Probe | None = None
        self.warn: Callable[[str], None] = ignore_warning


mode = Mode()


class set_grad_enabled:
    """Turn recording on or off, at once (as torch does) and until the ``with`` block ends.

    >>> with set_grad_enabled(False):
    ...     mode.enabled
    False
    >>> mode.enabled
    True
    """

    __slots__ = ("flag", "previous")

    def __init__(self, flag: bool) -> None:
        self.flag = flag
        self.previous = mode.enabled
        mode.enabled = flag

    def __enter__(self) -> None:
        mode.enabled = self.flag

    def __exit__(self, *exc: object) -> None:
        mode.enabled = self.previous


class _Switch:
    """A grad mode usable as ``with no_grad():`` and as ``@no_grad()``."""

    __slots__ = ("previous",)
    flag = True

    def __enter__(self) -> None:
        self.previous = mode.enabled
        mode.enabled = self.flag

    def __exit__(self, *exc: object) -> None:
        mode.enabled = self.previous

    def __call__(self, function: F) -> F:
        def in_mode(*args: object, **kwargs: object) -> object:
            with type(self)():
                return function(*args, **kwargs)

        return in_mode  # type: ignore[return-value] # it takes and answers what `function` does


class no_grad(_Switch):
    """Nothing is recorded inside."""

    __slots__ = ()
    flag = False


class enable_grad(_Switch):
    """Recording is on inside, even within ``no_grad``."""

    __slots__ = ()
    flag = True
