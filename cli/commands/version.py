"""``autodiff version``: the versions of everything that a result depends on."""

from __future__ import annotations

import platform
from importlib.metadata import version

from autodiff.cli.requests.session import Session
from autodiff.core.base.lazy_imports import np

#: The packages that results depend on.
PACKAGES = ("autodiff", "numpy", "scipy", "lark", "click", "rich")


def command(session: Session) -> None:
    """Print names and versions, for a report of a problem."""
    found = versions()
    if session.format == "json":
        from json import dumps

        from autodiff.cli.render.json import SCHEMA

        session.show_text(dumps({"schema": SCHEMA, **found}) + "\n")
    else:
        session.show_text("".join(f"{name:<9} {says}\n" for name, says in found.items()))


def versions() -> dict[str, str]:
    """What is installed, and the library by which numpy multiplies matrices."""
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return {
        **{name: version(name) for name in PACKAGES},
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "blas": f"{blas['name']} {blas.get('version', '')}".strip(),
        "platform": platform.platform(),
    }
