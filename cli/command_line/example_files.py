"""Where the example scripts lie that come with the package."""

from __future__ import annotations

import os

#: The scripts: `autodiff/examples` in an installation, `examples` in a checkout.
FOLDER = os.path.join(os.path.dirname(__file__), os.pardir, os.pardir, "examples")
SCRIPT = ".ad"


def example_paths() -> dict[str, str]:
    """The file of each example by its name, those of the top folder first; scripts have no suffix there."""
    found: dict[str, str] = {}
    for folder, folders, files in os.walk(FOLDER):
        folders.sort()
        for file in sorted(files):
            if file.endswith((SCRIPT, ".txt")):
                found[file.removesuffix(SCRIPT)] = os.path.join(folder, file)
    return found
