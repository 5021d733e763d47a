"""Write the index of the op families: which family declares which op, function and method.

Building the package runs ``python -m autodiff.core.ops`` on the built tree (setup.py). An installation loads
single families by this index, because its families do not change.
"""

from __future__ import annotations

import sys

from autodiff.core.engine.public_functions import FUNCTIONS, IN_PLACE, METHODS
from autodiff.core.graph.op import OPS
from autodiff.core.graph.registry import INDEX_PATH, OPERATORS, OPS_PACKAGE, LazyTable, family_loader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The names declared so far, by table title and family, in order.
declared_names: dict[tuple[str, str], dict[str, None]] = {}


class RecordingTable(LazyTable):
    """A table that records which family declares each of its entries."""

    __slots__ = ()

    def __setitem__(self, name: str, value: Any) -> None:
        declared_names.setdefault((self.title, declaring_family()), {})[name] = None
        super().__setitem__(name, value)


def declaring_family() -> str:
    """Return the family whose module body is running: the innermost, because families import each other."""
    frame = sys._getframe()
    while frame.f_code.co_name != "<module>" or not frame.f_globals["__name__"].startswith(f"{OPS_PACKAGE}."):
        assert frame.f_back is not None, "only families declare"
        frame = frame.f_back
    return str(frame.f_globals["__name__"]).removeprefix(f"{OPS_PACKAGE}.")


def render_index() -> str:
    """The text of the index; in a process in which no family has loaded."""
    for table in (OPS, FUNCTIONS, METHODS, IN_PLACE, OPERATORS):
        table.__class__ = RecordingTable
    family_loader.finish()
    return "".join(
        f"{title} {family} {' '.join(names)}\n" for (title, family), names in sorted(declared_names.items())
    )


if __name__ == "__main__":
    with open(INDEX_PATH, "w", encoding="utf-8", newline="\n") as file:
        file.write(render_index())
