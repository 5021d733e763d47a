"""Random `.ad` scripts of the whole language: `generate(seed)` writes one, the same one for the same seed.

A quarter of them ends in one mistake, at a random depth. Run as a program it compares many with PyTorch:

    python tests/tools/language_generator.py --count 2000
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass

from language_expressions import PRODUCTIONS, SIMPLE
from language_mistakes import MISTAKES, Mistake
from language_places import make_mistake
from language_statements import imports
from language_tensor_statements import STATEMENTS, new_leaf
from language_writer import Writer


@dataclass(frozen=True)
class Script:
    """A generated script, and the name of the mistake it ends in."""

    seed: int
    text: str
    mistake: str | None = None


def generate(seed: int) -> Script:
    """The script of that seed.

    >>> generate(7) == generate(7)
    True
    """
    w = Writer(seed, PRODUCTIONS, SIMPLE)
    w.line(f"# Generated script {seed}.")
    if w.maybe(0.3):
        imports(w)
    new_leaf(w)
    for _ in range(w.random.randint(8, 16)):
        w.random.choice(STATEMENTS)(w)
    mistake = make_mistake(w, MISTAKES[seed // 4 * 53 % len(MISTAKES)]) if seed % 4 == 3 else None
    return Script(seed, "\n".join(w.lines) + "\n", mistake)


def with_mistake(seed: int, mistake: Mistake) -> Script:
    """A short script that makes the given mistake.

    >>> with_mistake(1, MISTAKES[0]).mistake
    'a name bound nowhere'
    """
    w = Writer(seed, PRODUCTIONS, SIMPLE)
    new_leaf(w)
    make_mistake(w, mistake)
    return Script(seed, "\n".join(w.lines) + "\n", mistake.name)


def main() -> int:
    from language_comparison import compare, to_the_letter

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--show", type=int, help="write the script of this seed and stop")
    options = parser.parse_args()
    if options.show is not None:
        sys.stdout.write(generate(options.show).text)
        return 0
    counts: Counter[str] = Counter()
    for seed in range(options.start, options.start + options.count):
        script = generate(seed)
        compared = compare(script)
        counts["scripts"] += 1
        counts["with a planted mistake"] += script.mistake is not None
        counts["ended in an error of torch or Python"] += compared.oracle.error is not None
        counts["printed to the letter as torch does"] += to_the_letter(compared)
        counts["differ"] += bool(compared.differences)
        if compared.differences:
            print(f"{seed} ({script.mistake}): {compared.differences}", flush=True)
    for what, count in counts.items():
        print(f"{count:6d} {what}")
    return 1 if counts["differ"] else 0


if __name__ == "__main__":
    sys.exit(main())
