"""Record: classes of facts, each field written once, as in a dataclass.

The standard library's dataclasses take a quarter of the time of a short run, mostly to write source code.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, dataclass_transform
else:

    def dataclass_transform():
        return lambda kind: kind


@dataclass_transform()
class Record:
    """Base of classes whose annotated names are fields, in the order of the constructor's arguments.

    A field with a value in the class has that default. Objects are compared by identity.

    >>> class Point(Record):
    ...     x: float
    ...     y: float = 0.0
    >>> vars(Point(1.0)), vars(Point(y=2.0, x=1.0)), Point(1.0).y
    ({'x': 1.0}, {'y': 2.0, 'x': 1.0}, 0.0)
    """

    fields: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()
    required: frozenset[str] = frozenset()  # the fields without a default

    def __init_subclass__(cls) -> None:
        cls.fields = (*cls.fields, *cls.__annotations__)
        cls.known = frozenset(cls.fields)
        cls.required = frozenset(name for name in cls.fields if not hasattr(cls, name))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        values = vars(self)
        values.update(zip(self.fields, args, strict=False), **kwargs)
        if not self.required <= values.keys() <= self.known or len(args) > len(self.fields):
            unknown, missing = sorted(values.keys() - self.known), sorted(self.required - values.keys())
            raise TypeError(f"{type(self).__name__}: unknown {unknown}, missing {missing}")
