"""Writes what PyTorch prints for every script of `examples/seeds` into `golden/seeds`.

`<name>.out` is the printed text with the default dtype float64, `<name>.float32.out` with float32. A
script that fails or warns also has `<name>.err` or `<name>.warnings`, the same for both dtypes. Run it
again (`python tests/tools/make_seed_goldens.py`) when a script changes. Scripts with random numbers print
nothing that depends on them, and `make_goldens` checks that with a second seed.
"""

from __future__ import annotations

from pathlib import Path

from torch_prelude import run_with_torch
from transcript import normalise

TESTS = Path(__file__).parents[1]
SCRIPTS = TESTS.parent / "examples" / "seeds"
GOLDENS = TESTS / "golden" / "seeds"


def make_goldens() -> dict[str, str]:
    """The text of every golden file by its name, worked out anew."""
    goldens: dict[str, str] = {}
    for script in sorted(SCRIPTS.glob("*.ad")):
        source = script.read_text(encoding="utf-8")
        result = run_with_torch(source)
        goldens[f"{script.stem}.out"] = normalise(result.stdout)
        goldens[f"{script.stem}.float32.out"] = normalise(run_with_torch(source, dtype="float32").stdout)
        if result.error is not None:
            goldens[f"{script.stem}.err"] = f"{type(result.error).__name__}: {result.error}\n"
        if result.warnings:
            goldens[f"{script.stem}.warnings"] = "".join(normalise(text) + "\n" for text in result.warnings)
        if normalise(run_with_torch(source, seed=1).stdout) != goldens[f"{script.stem}.out"]:
            raise ValueError(f"{script.name} prints random numbers, which no golden can hold")
    return goldens


def main() -> None:
    goldens = make_goldens()
    GOLDENS.mkdir(parents=True, exist_ok=True)
    for stale in {path.name for path in GOLDENS.iterdir()} - set(goldens):
        (GOLDENS / stale).unlink()
    for name, text in goldens.items():
        (GOLDENS / name).write_text(text, encoding="utf-8")
    print(f"{len(goldens)} files in {GOLDENS}")


if __name__ == "__main__":
    main()
