"""What is known about an error code."""

from __future__ import annotations


class Code:
    """What ``autodiff help CODE`` tells: a title, a cause, a remedy, an example and the same mended."""

    __slots__ = ("cause", "example", "mended", "remedy", "title")

    def __init__(self, title: str, cause: str, remedy: str, example: str, mended: str) -> None:
        self.title = title
        self.cause = cause
        self.remedy = remedy
        self.example = example
        self.mended = mended

    @property
    def is_command(self) -> bool:
        """Whether the example is a command line and not a script."""
        return "autodiff " in self.example.partition("\n")[0]
