"""The switch for modules that exist only for speed.

``AUTODIFF_FAST=0`` in the environment disables them, so that results can be compared with the plain engine.
"""

from __future__ import annotations

import os

is_fast = os.environ.get("AUTODIFF_FAST") != "0"
