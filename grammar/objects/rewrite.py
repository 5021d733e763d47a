"""A way to write in the language what it has no name for."""

from __future__ import annotations


class Rewrite:
    """``shown`` are the lines a reader is given, after ``words``; with ``before`` and ``after`` they run.

    ``caret`` is what stands under the place, where it is not what is said of all of its code.
    """

    __slots__ = ("after", "before", "caret", "shown", "words")

    def __init__(self, words: str, shown: str, before: str, after: str, caret: str = "") -> None:
        self.caret = caret
        self.words = words
        self.shown = shown
        self.before = before
        self.after = after

    @property
    def help(self) -> str:
        """The advice: one line for one line of script, else the lines below each other."""
        if not self.shown:
            return self.words
        if "\n" not in self.shown:
            return f"{self.words}: `{self.shown}`"
        return self.words + ":\n" + "\n".join("    " + line for line in self.shown.split("\n"))

    @property
    def script(self) -> str:
        """The whole little script."""
        imports = "import torch\nimport torch.nn.functional as F\n"
        return imports + self.before + self.shown + "\n" + self.after + "\n"
