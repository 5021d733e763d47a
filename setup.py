"""Builds the package; what it is stands in pyproject.toml. Beside the files comes the index of the ops."""

import os
import subprocess
import sys
from glob import glob

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py


class BuildWithIndex(build_py):
    """Copies the modules, then asks them which family of ops declares what."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:  # a checkout changes: there every family loads instead
            where = {**os.environ, "PYTHONPATH": os.path.abspath(self.build_lib)}
            subprocess.run([sys.executable, "-B", "-m", "autodiff.core.ops"], env=where, check=True)


LAYERS = ("core", "grammar", "cli")
#: Folders of scripts; they hold no modules.
EXAMPLES = ("examples", "examples/seeds")

setup(
    cmdclass={"build_py": BuildWithIndex},
    packages=[
        *[
            name
            for layer in LAYERS
            for name in (f"autodiff.{layer}", *[f"autodiff.{layer}.{room}" for room in find_packages(layer)])
        ],
        *["autodiff." + folder.replace("/", ".") for folder in EXAMPLES],
    ],
    package_dir={f"autodiff.{layer}": layer for layer in (*LAYERS, "examples")},
    data_files=[("share/man/man1", sorted(glob("docs/man/*.1")))],
)
