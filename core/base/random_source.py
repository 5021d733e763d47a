"""The only source of random numbers. Each script resets it, so every run draws the same numbers.

The numbers are numpy's (PCG64), not torch's; ``np.random`` in scripts has numpy's older generator.
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np_random

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class RandomSource:
    """Two seeded random generators that are created on first use. Their state can be saved and restored."""

    __slots__ = ("_generator", "_legacy_generator", "_legacy_state", "_state", "seed")

    def __init__(self) -> None:
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Restart from ``seed``, as every run and ``manual_seed`` do.

        A negative seed counts down from 2**64, as in torch.
        """
        self.seed = seed % 2**64
        self._generator: np_random.Generator | None = None
        self._state: Any = None
        self._legacy_generator: np_random.RandomState | None = None
        self._legacy_state: Any = None

    @property
    def generator(self) -> np_random.Generator:
        if self._generator is None:
            self._generator = np_random.Generator(np_random.PCG64(self.seed))
            if self._state is not None:
                self._generator.bit_generator.state = self._state
        return self._generator

    @property
    def legacy_generator(self) -> np_random.RandomState:
        """The generator behind ``np.random.rand`` and its like, whose seeds have 32 bits."""
        if self._legacy_generator is None:
            low, high = self.seed % 2**32, self.seed >> 32
            self._legacy_generator = np_random.RandomState([low, high] if high else low)
            if self._legacy_state is not None:
                self._legacy_generator.set_state(self._legacy_state)
        return self._legacy_generator

    def state(self) -> tuple[int, Any, Any]:
        """Return the present state of the generators, for ``set_state``."""
        state = self._state if self._generator is None else self._generator.bit_generator.state
        legacy = self._legacy_generator
        return self.seed, state, self._legacy_state if legacy is None else legacy.get_state()

    def set_state(self, state: tuple[int, Any, Any]) -> None:
        """Restore a state returned by ``state``: the numbers drawn after it are drawn again."""
        self.seed, self._state, self._legacy_state = state
        self._generator = self._legacy_generator = None


random_source = RandomSource()
