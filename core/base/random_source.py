"""The one source of random numbers, which each script starts afresh: the same numbers in every run.

They are numpy's (PCG64), not torch's.
"""

from __future__ import annotations

from autodiff.core.base.lazy import np_random

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Source:
    """The generator is made when first drawn from."""

    __slots__ = ("_generator", "_state", "seed")

    def __init__(self) -> None:
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Start afresh from ``seed``, as every run does and ``manual_seed``; a negative one counts from 2**64
        down, as torch's do."""
        self.seed = seed % 2**64
        self._generator: np_random.Generator | None = None
        self._state: Any = None

    @property
    def generator(self) -> np_random.Generator:
        if self._generator is None:
            self._generator = np_random.Generator(np_random.PCG64(self.seed))
            if self._state is not None:
                self._generator.bit_generator.state = self._state
        return self._generator

    def mark(self) -> tuple[int, Any]:
        """Where the numbers stand, for ``go_to``."""
        return self.seed, self._state if self._generator is None else self._generator.bit_generator.state

    def go_to(self, mark: tuple[int, Any]) -> None:
        """Draw the numbers again that came after ``mark``."""
        self.seed, self._state = mark
        self._generator = None


source = Source()
