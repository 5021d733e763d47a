"""Tables of ops and public functions that are filled on demand.

A family is a module below ``core/ops``; importing it declares its ops. A lookup imports only the family that
declares the name. An index, which setup.py writes when the package is built, says which family that is. A
source checkout has no index: there the first lookup that misses imports every family.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _collections_abc import dict_items, dict_keys, dict_values
    from collections.abc import Iterator
    from typing import Any

    #: For each table title, a dict from name to family.
    Index = dict[str, dict[str, str]]

OPS_PACKAGE = "autodiff.core.ops"
OPS_FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "ops")
INDEX_PATH = os.path.join(OPS_FOLDER, "index.txt")


class LazyTable(dict[str, "Any"]):
    """A dict of everything the families declare. A lookup imports one family; iteration imports all."""

    __slots__ = ("title",)

    def __init__(self, title: str) -> None:
        self.title = title

    def _load(self, name: object) -> bool:
        """Import the family that declares ``name``; return whether the name is in the table then."""
        if not family_loader.all_loaded:
            family = family_loader.family_by_name(self.title).get(name)
            if family is not None:
                __import__(
                    f"{OPS_PACKAGE}.{family}"
                )  # a name from the package's own index, never from a script
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
        family_loader.finish()
        return super().__iter__()

    def __len__(self) -> int:
        family_loader.finish()
        return super().__len__()

    def keys(self) -> dict_keys[str, Any]:
        family_loader.finish()
        return super().keys()

    def values(self) -> dict_values[str, Any]:
        family_loader.finish()
        return super().values()

    def items(self) -> dict_items[str, Any]:
        family_loader.finish()
        return super().items()


def names_in(table: dict[str, Any]) -> set[str]:
    """Return the names in a LazyTable. Where there is an index, no family is imported for them."""
    assert isinstance(table, LazyTable)
    index = family_loader.family_by_name(table.title)
    return {*map(str, index), *dict.keys(table)}


#: What the operators of tensors do that are not arithmetic: ``@``, ``[]`` and ``.T``.
OPERATORS: dict[str, Any] = LazyTable("operators")


class FamilyLoader:
    """The import state of the families: the index, and whether all families have been imported."""

    __slots__ = ("_index", "all_loaded")

    def __init__(self) -> None:
        self.all_loaded = False
        self._index: Index | None = None

    def family_by_name(self, title: str) -> dict[object, str]:
        """Return the family of each name of a table. Without an index, import all families and return {}."""
        if self._index is None:
            self._index = read_index()
            if not self._index:
                self.finish()
        return self._index.get(title, {})  # type: ignore[return-value] # the result is never written to

    def finish(self) -> None:
        """Import every family that is not imported yet."""
        if not self.all_loaded:
            self.all_loaded = True  # set first, because families look up names of each other while they load
            for family in family_modules():
                __import__(f"{OPS_PACKAGE}.{family}")  # from the package's own folder, never from a script


family_loader = FamilyLoader()


def declare(table: dict[str, Any], name: str, value: object) -> None:
    """Add a value to a table, as a family does while it is imported. ValueError if the name is taken."""
    if dict.__contains__(table, name):
        raise ValueError(f"there is already something called {name!r}")
    table[name] = value


def family_modules() -> list[str]:
    """Return the modules below ``core/ops``: those in folders as ``folder.module``, then the others."""
    beside = modules_in(OPS_FOLDER)
    rooms = sorted(entry.name for entry in os.scandir(OPS_FOLDER) if entry.is_dir() and entry.name[0] != "_")
    return [
        f"{room}.{name}" for room in rooms for name in modules_in(os.path.join(OPS_FOLDER, room))
    ] + beside


def modules_in(folder: str) -> list[str]:
    """Return the sorted module names of a folder, without those that start with an underscore."""
    found = [name.removesuffix(".py") for name in os.listdir(folder) if name.endswith(".py")]
    return sorted(name for name in found if name[0] != "_")


def read_index(path: str = INDEX_PATH) -> Index:
    """Read the index that setup.py wrote, one line per family and table; empty if there is no such file."""
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
