"""The operator ``%`` on strings, as in ``"%5.2f" % x``: Python's directives, widths, signs and zero padding.

https://docs.python.org/3/library/stdtypes.html#printf-style-string-formatting
"""

from __future__ import annotations

from autodiff.core.base.errors import ScriptError
from autodiff.core.engine.printing import check_format_limit
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.objects.plain_text import python_value
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.value_text import as_repr, as_str, format_by_spec, format_error
from autodiff.grammar.objects.values import NUMBER_CLASSES, Size, check_length, type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FLAGS = "-+ #0"
UNICODE_END = 0x110000


class Directive:
    """The part of a directive between ``%`` and the letter: flags, width and precision (None if absent)."""

    __slots__ = ("flags", "precision", "width")

    def __init__(self) -> None:
        self.flags = ""
        self.width = 0
        self.precision: int | None = None

    @property
    def is_left_aligned(self) -> bool:
        return "-" in self.flags

    def pad(self, text: str, number_at: int | None = None) -> str:
        """Return the text padded to the width; zeros go in at ``number_at``, after the sign of a number."""
        missing = self.width - len(text)
        if missing <= 0:
            return text
        if self.is_left_aligned:
            return text + " " * missing
        if number_at is not None and "0" in self.flags:
            return text[:number_at] + "0" * missing + text[number_at:]
        return " " * missing + text

    def sign(self, is_negative: bool) -> str:
        """Return the sign of a number: ``-``, ``+``, a space or nothing."""
        return "-" if is_negative else "+" if "+" in self.flags else " " if " " in self.flags else ""


class PercentFormat:
    """One use of the operator: the position in the template, and the values not yet formatted, reversed."""

    __slots__ = ("at", "given", "template", "values")

    def __init__(self, template: str, values: list[Any]) -> None:
        self.template = template
        self.at = 0
        self.given = len(values)
        self.values = values[::-1]

    def next_value(self) -> Any:
        if not self.values:
            raise ScriptError(
                "not enough arguments for format string", code="E0203", caret=f"there are only {self.given}"
            )
        return self.values.pop()

    def peek(self) -> str:
        """Return the next character; raise ScriptError at the end of the template."""
        if self.at >= len(self.template):
            raise format_error("incomplete format", "write `%%` for a percent sign")
        return self.template[self.at]

    def fill(self) -> str:
        out = []
        while True:
            start = self.template.find("%", self.at)
            if start < 0:
                break
            out.append(self.template[self.at : start])
            self.at = start + 1
            if self.peek() == "%":
                self.at += 1
                out.append("%")
            else:
                out.append(self.render_directive())
        out.append(self.template[self.at :])
        check_length(sum(map(len, out)), "string")
        return "".join(out)

    def render_directive(self) -> str:
        """Parse one directive and return the text of its value."""
        if self.peek() == "(":
            raise ScriptError(
                "format requires a mapping",
                code="E0203",
                caret="names in a format take their values from a dictionary, which is not in the language",
                help=("write an f-string",),
            )
        how = Directive()
        while self.peek() in FLAGS:
            how.flags += self.template[self.at]
            self.at += 1
        how.width = self.number("width")
        if how.width < 0:
            how.flags += "-"
            how.width = -how.width
        if self.peek() == ".":
            self.at += 1
            how.precision = max(0, self.number("precision"))
        if self.peek() in "hlL":
            self.at += 1
        code = self.peek()
        self.at += 1
        value = self.next_value()
        if value.__class__ is Tensor and runtime.prints_numbers:
            value = python_value(value)
        write = WRITERS.get(code)
        if write is None:
            raise format_error(
                f"unsupported format character '{code}' (0x{ord(code):x}) at index {self.at - 1}",
                "write `%%` for a percent sign" if code == "%" else "",
            )
        return write(how, code, value)

    def number(self, name: str) -> int:
        """Parse and return a width or a precision: digits, or ``*``, which takes the next value."""
        if self.peek() == "*":
            self.at += 1
            value = self.next_value()
            if value.__class__ not in (int, bool):
                raise ScriptError(
                    "* wants int", code="E0203", caret=f"the {name} is of type {type_name(value)}"
                )
            check_format_limit(name, str(abs(value)))
            return int(value)
        start = self.at
        while self.peek() in "0123456789":
            self.at += 1
        digits = self.template[start : self.at]
        check_format_limit(name, digits)
        return int(digits or "0")


def format_percent(template: str, value: Any) -> str:
    """Return ``template % value``."""
    is_row = value.__class__ in (tuple, Size)
    job = PercentFormat(template, list(value) if is_row else [value])
    text = job.fill()
    if job.values:
        raise ScriptError("not all arguments converted during string formatting", code="E0203")
    return text


def write_text(directive: Directive, code: str, value: Any) -> str:
    text = as_str(value) if code == "s" else as_repr(value)
    if code == "a":
        text = text.encode("ascii", "backslashreplace").decode("ascii")
    return directive.pad(text[: directive.precision])


def write_character(directive: Directive, code: str, value: Any) -> str:
    if value.__class__ is Tensor and value.entry_count == 1 and not value.dtype.is_floating_point:
        value = value.item()
    if value.__class__ is str and len(value) == 1:
        return directive.pad(value)
    if value.__class__ not in (int, bool):
        raise ScriptError(
            "%c requires int or char", code="E0203", caret=f"this is of type {type_name(value)}"
        )
    if not 0 <= value < UNICODE_END:
        raise ScriptError("%c arg not in range(0x110000)", code="E0207", caret="no character has this number")
    return directive.pad(chr(value))


def write_integer(directive: Directive, code: str, value: Any) -> str:
    from autodiff.grammar.objects.number_conversions import to_int

    wants_index = code in "oxX"
    if value.__class__ is Tensor and not (wants_index and value.dtype.is_floating_point):
        value = to_int(value)
    if value.__class__ not in NUMBER_CLASSES or (wants_index and value.__class__ is float):
        wanted = "an integer" if wants_index else "a real number"
        raise ScriptError(f"%{code} format: {wanted} is required, not {type_name(value)}", code="E0203")
    number = to_int(value)
    base = code if wants_index else "d"
    digits = format(abs(number), base)
    prefix = f"0{code}" if wants_index and "#" in directive.flags else ""
    head = directive.sign(number < 0) + prefix
    return directive.pad(head + digits.rjust(directive.precision or 0, "0"), len(head))


def write_float(directive: Directive, code: str, value: Any) -> str:
    from autodiff.grammar.objects.number_conversions import to_float

    if value.__class__ is not Tensor and value.__class__ not in NUMBER_CLASSES:
        raise ScriptError(f"must be real number, not {type_name(value)}", code="E0203")
    mark = "#" if "#" in directive.flags else ""
    places = 6 if directive.precision is None else directive.precision
    number = to_float(value)
    if number.__class__ is Tensor:  # a number that gradients flow to
        number = number.item()
    text = format_by_spec(number, f"{mark}.{places}{code}")
    sign = directive.sign(text.startswith("-"))
    return directive.pad(sign + text.removeprefix("-"), len(sign))


WRITERS = {
    **dict.fromkeys("sra", write_text),
    "c": write_character,
    **dict.fromkeys("diuoxX", write_integer),
    **dict.fromkeys("eEfFgG", write_float),
}
