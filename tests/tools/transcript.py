"""What differs between two equal runs, taken out of printed text."""

from __future__ import annotations

import re


def normalise(text: str) -> str:
    """Take out addresses, and the build path a warning of torch ends in.

    >>> normalise("<AddBackward0 object at 0x7fc581b8c100>")
    '<AddBackward0 object at 0x...>'
    """
    text = re.sub(r"0x[0-9a-f]+", "0x...", text)
    return re.sub(r" \(Triggered internally at [^)]*\)", "", text)
