"""Results with named parts, such as the values and indices of ``max(dim=0)``."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class NamedResult:
    """A tuple with named entries; ``type_name`` is the type name that torch prints.

    >>> pair = NamedResult("torch.return_types.max", ("values", "indices"), (3.0, 1))
    >>> pair.indices, pair[0], len(pair)
    (1, 3.0, 2)
    """

    __slots__ = ("entries", "fields", "type_name")

    def __init__(self, type_name: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> None:
        self.type_name = type_name
        self.fields = fields
        self.entries = values

    def __getattr__(self, name: str) -> Any:
        if name in NamedResult.__slots__ or name not in self.fields:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute {name!r}")
        return self.field(name)

    def field(self, name: str) -> Any:
        """Return the entry called ``name``; KeyError if there is none."""
        if name not in self.fields:
            raise KeyError(name)
        return self.entries[self.fields.index(name)]

    def __getitem__(self, index: int) -> Any:
        return self.entries[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __repr__(self) -> str:
        from autodiff.core.engine.printing import format_named_result

        return format_named_result(
            self.type_name, [(name, repr(v)) for name, v in zip(self.fields, self.entries, strict=True)]
        )
