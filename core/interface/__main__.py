"""``python -m autodiff.core.interface`` writes the typed stubs beside the modules."""

from pathlib import Path

from autodiff.core.interface.stubs import PATHS, stub

for module, path in PATHS.items():
    (Path(__file__).parents[2] / path).write_text(stub(module), encoding="utf-8")
