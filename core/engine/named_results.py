"""Results with named parts, such as the values and indices of ``max(dim=0)``."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class NamedResult:
    """A tuple with named entries; ``type_name`` is the type name that torch prints.

    >>> pair = NamedResult("torch.return_types.max", ("values", "indices"), (3.0, 1))
    >>> pair.field("indices"), pair[0], len(pair)
    (1, 3.0, 2)
    """

    __slots__ = ("fields", "type_name", "values")

    def __init__(self, type_name: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> None:
        self.type_name = type_name
        self.fields = fields
        self.values = values

    def field(self, name: str) -> Any:
        """Return the entry called ``name``; KeyError if there is none."""
        if name not in self.fields:
            raise KeyError(name)
        return self.values[self.fields.index(name)]

    def __getitem__(self, index: int) -> Any:
        return self.values[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        from autodiff.core.engine.printing import format_named_result

        return format_named_result(
            self.type_name, [(name, repr(v)) for name, v in zip(self.fields, self.values, strict=True)]
        )
