"""The record that describes an error code."""

from __future__ import annotations


class Code:
    """The content of ``autodiff help CODE``: title, cause, remedy, an example and the corrected example."""

    __slots__ = ("cause", "example", "mended", "remedy", "title")

    def __init__(self, title: str, cause: str, remedy: str, example: str, mended: str) -> None:
        self.title = title
        self.cause = cause
        self.remedy = remedy
        self.example = example
        self.mended = mended

    @property
    def is_command(self) -> bool:
        """Whether the example is a command line rather than a script."""
        return "autodiff " in self.example.partition("\n")[0]
