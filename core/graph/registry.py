"""The tables that families of ops enter themselves in; a family loads when one of its names is asked for.

An op is declared in its family and nowhere else. Which family that is stands in an index that building the
package writes from the tables themselves (setup.py). A checkout has none: there the first name that is
missing loads every family.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _collections_abc import dict_items, dict_keys, dict_values
    from collections.abc import Iterator
    from typing import Any

    #: By the title of a table: the family of each of its names.
    Index = dict[str, dict[str, str]]

PACKAGE = "autodiff.core.ops"
FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "ops")
INDEX = os.path.join(FOLDER, "index.txt")


class Table(dict[str, "Any"]):
    """What the families declare, by name: asking for a name loads its family, going through it loads all."""

    __slots__ = ("title",)

    def __init__(self, title: str) -> None:
        self.title = title

    def _load(self, name: object) -> bool:
        """Load the family that declares a name; whether there is one."""
        if not loading.is_done:
            family = loading.families_of(self.title).get(name)
            if family is not None:
                __import__(f"{PACKAGE}.{family}")  # from our own index, never from a script
        return super().__contains__(name)

    def __missing__(self, name: str) -> Any:
        if self._load(name):
            return self[name]
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or self._load(name)

    def get(self, name: str, default: Any = None) -> Any:
        try:
            return self[name]
        except KeyError:
            return default

    def __iter__(self) -> Iterator[str]:
        loading.finish()
        return super().__iter__()

    def __len__(self) -> int:
        loading.finish()
        return super().__len__()

    def keys(self) -> dict_keys[str, Any]:
        loading.finish()
        return super().keys()

    def values(self) -> dict_values[str, Any]:
        loading.finish()
        return super().values()

    def items(self) -> dict_items[str, Any]:
        loading.finish()
        return super().items()


#: What the operators of tensors do that are not arithmetic: ``@``, ``[]`` and ``.T``.
OPERATORS: dict[str, Any] = Table("operators")


class Loading:
    """How far the families have loaded: those asked for, or all."""

    __slots__ = ("_index", "is_done")

    def __init__(self) -> None:
        self.is_done = False
        self._index: Index | None = None

    def families_of(self, title: str) -> dict[object, str]:
        """The family of each name of a table; without an index all of them load, and none is left to."""
        if self._index is None:
            self._index = read_index()
            if not self._index:
                self.finish()
        return self._index.get(title, {})  # type: ignore[return-value] # the empty one is never written to

    def finish(self) -> None:
        """Load every family that has not loaded yet."""
        if not self.is_done:
            self.is_done = True  # first: the families ask for names of each other
            for family in families():
                __import__(f"{PACKAGE}.{family}")  # from our own folder, never from a script


loading = Loading()


def declare(table: dict[str, Any], name: str, value: object) -> None:
    """Put a value into a table; a family does so while it loads."""
    if dict.__contains__(table, name):
        raise ValueError(f"there is already something called {name!r}")
    table[name] = value


def families() -> list[str]:
    """The modules below ``core/ops``: ``room.module`` each, and last what stands beside the rooms."""
    beside = modules_in(FOLDER)
    rooms = sorted(entry.name for entry in os.scandir(FOLDER) if entry.is_dir() and entry.name[0] != "_")
    return [f"{room}.{name}" for room in rooms for name in modules_in(os.path.join(FOLDER, room))] + beside


def modules_in(folder: str) -> list[str]:
    """The modules of a folder by name, without ``__init__`` and ``__main__``."""
    found = [name.removesuffix(".py") for name in os.listdir(folder) if name.endswith(".py")]
    return sorted(name for name in found if name[0] != "_")


def read_index(path: str = INDEX) -> Index:
    """What building the package wrote: a line for each family and table; empty where nobody has."""
    index: Index = {}
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except FileNotFoundError:
        return index
    for line in lines:
        title, family, *names = line.split(" ")
        index.setdefault(title, {}).update(dict.fromkeys(names, family))
    return index
