"""Which fast paths are in use.

``AUTODIFF_FAST=0`` in the environment turns all of them off, so that the plain engine can be compared.
"""

from __future__ import annotations

import os

from autodiff.core.base.lazy_imports import services

is_fast = os.environ.get("AUTODIFF_FAST") != "0"


class Settings:
    """Ops on arrays of at least ``least`` entries are deferred, in formulas of at most ``most`` ops.

    ``has_begun`` is true once an array was so large: until then nothing loads or asks ``core.fused``.
    """

    __slots__ = ("has_begun", "least", "most")

    def __init__(self) -> None:
        self.least = 100_000
        self.most = 60
        self.has_begun = False

    def begin(self) -> None:
        """A large array exists: from now on ops on large arrays are deferred."""
        if not self.has_begun and is_fast:
            self.has_begun = True
            services["fused ops"].install_deferral()


fusion_settings = Settings()
