"""The only source of random numbers. Each script resets it, so every run draws the same numbers.

The numbers are numpy's (PCG64), not torch's.
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np_random

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class RandomSource:
    """A seeded random generator that is created on first use. Its state can be saved and restored."""

    __slots__ = ("_generator", "_state", "seed")

    def __init__(self) -> None:
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Restart from ``seed``, as every run and ``manual_seed`` do.

        A negative seed counts down from 2**64, as in torch.
        """
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

    def state(self) -> tuple[int, Any]:
        """Return the present state of the generator, for ``set_state``."""
        return self.seed, self._state if self._generator is None else self._generator.bit_generator.state

    def set_state(self, state: tuple[int, Any]) -> None:
        """Restore a state returned by ``state``: the numbers drawn after it are drawn again."""
        self.seed, self._state = state
        self._generator = None


random_source = RandomSource()
