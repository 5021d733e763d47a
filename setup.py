"""Builds the package; what it is stands in pyproject.toml. Beside the files comes the index of the ops."""

import os
import subprocess
import sys

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithIndex(build_py):
    """Copies the modules, then asks them which family of ops declares what."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:  # a checkout changes: there every family loads instead
            where = {**os.environ, "PYTHONPATH": os.path.abspath(self.build_lib)}
            subprocess.run([sys.executable, "-B", "-m", "autodiff.core.op_index"], env=where, check=True)


setup(cmdclass={"build_py": BuildWithIndex})
