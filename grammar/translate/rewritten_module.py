"""What a module is rewritten to: the lines that make its leaves, and the text of a call.

The modules that take layers and models apart all return a ``RewrittenModule``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class RewrittenModule:
    """A layer or a model, taken apart into leaves and the text of a call.

    ``own_leaves`` holds its own leaves as (name in torch, variable). ``variables`` gives the text that
    replaces each attribute, ``parts`` the Part of each inner module. ``apply`` writes a call. ``function`` is
    the name or the text of a function that does what the module does. ``more`` writes out one more method on
    request.
    """

    __slots__ = (
        "apply",
        "buffers",
        "function",
        "lines",
        "methods",
        "more",
        "own_leaves",
        "parts",
        "variables",
    )

    def __init__(self, apply: Callable[[list[str]], str] | None = None, function: str = "") -> None:
        self.apply = apply
        self.function = function
        self.lines: list[str] = []
        self.own_leaves: list[tuple[str, str]] = []
        self.buffers: list[tuple[str, str]] = []
        self.variables: dict[str, str] = {}
        self.parts: dict[str, RewrittenModule] = {}
        self.methods: dict[str, str] = {}
        self.more: Callable[[str], bool] | None = None

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """All leaves in torch's order: a module's own before those of the modules inside."""
        inner = [
            (f"{name}.{path}", variable)
            for name, part in self.parts.items()
            for path, variable in part.parameters
        ]
        return [*self.own_leaves, *inner]

    def add_submodule(self, name: str, inner: RewrittenModule) -> None:
        """Make ``inner`` the member called ``name``; its leaves then count among this module's."""
        self.parts[name] = inner
        self.buffers += [(f"{name}.{path}", variable) for path, variable in inner.buffers]
        self.lines += inner.lines

    def keep(self, name: str, variable: str, text: str) -> None:
        """Add a leaf of this module itself."""
        self.own_leaves.append((name, variable))
        self.variables[name] = variable
        self.lines.append(f"{variable} = {text}")

    def as_function(self) -> str:
        """Return the text of the module as a function that can be passed on."""
        if self.function:
            return self.function
        assert self.apply is not None
        return f"lambda x: {self.apply(['x'])}"
