"""Reads a well-formed command line without click, whose import takes longer than most scripts run.

For anything else (an unknown option, a missing value, ``--help``) the result is None. click_parser.py then
reads the same line with click, from the same table, to report what is wrong.
"""

from __future__ import annotations

from autodiff.cli.command_line.options import (
    COMMANDS,
    COUNT,
    FLAG,
    NUMBER,
    SECONDS,
    SIZE,
    TEXTS,
    Command,
    Option,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
LARGEST = 1 << 62


class Request:
    """The parsed command line: the command, its argument ("" for none) and a value for each of its options.

    ``others`` are the arguments after the first, for a command that takes several.
    """

    __slots__ = ("argument", "command", "others", "values")

    def __init__(
        self, command: str, argument: str, values: dict[str, object], others: tuple[str, ...] = ()
    ) -> None:
        self.command = command
        self.argument = argument
        self.values = values
        self.others = others

    def text(self, name: str) -> str | None:
        value = self.values.get(name)
        assert value is None or isinstance(value, str)
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.values.get(name, ())
        assert isinstance(value, tuple)
        return value

    def number(self, name: str) -> int:
        value = self.values.get(name, 0)
        return value if isinstance(value, int) else 0

    @property
    def digits(self) -> int:
        """The number of significant digits in output for people; at most 17, which identify a float64."""
        return min(self.number("digits") or 1, 17)

    def seconds(self, name: str) -> float:
        value = self.values.get(name, 0.0)
        return float(value) if isinstance(value, (int, float)) else 0.0


def read_arguments(arguments: Sequence[str]) -> Request | None:
    """The request of a command line, or None where click must parse it."""
    if not arguments or arguments[0] not in COMMANDS:
        return None
    command = COMMANDS[arguments[0]]
    if command.takes_command and len(arguments) > 1 and arguments[1] in COMMANDS:
        return Request(command.name, arguments[1], {}, tuple(arguments[2:]))
    by_flag = {flag: option for option in command.options for flag in option.flags}
    values = defaults(command)
    positional: list[str] = []
    rest = iter(arguments[1:])
    for word in rest:
        if word == "--":
            positional += rest
        elif word == "-" or not word.startswith("-"):
            positional.append(word)
        elif word[1] != "-" and len(word) > 2:
            for letter in word[1:]:  # -qq, -qv; click handles a value attached to its flag
                option = by_flag.get("-" + letter)
                if option is None or option.takes_value:
                    return None
                store(option, "", values)
        else:
            flag, equals, value = word.partition("=")
            option = by_flag.get(flag)
            if option is None or (equals and not option.takes_value):
                return None
            if option.takes_value and not equals:
                following = next(rest, None)
                if following is None:
                    return None
                value = following
            try:
                store(option, value, values)
            except ValueError:
                return None
    if len(positional) > bool(command.argument) and not command.takes_several:
        return None
    return Request(command.name, positional[0] if positional else "", values, tuple(positional[1:]))


def defaults(command: Command) -> dict[str, object]:
    return {option.name: option.default for option in command.options}


def store(option: Option, text: str, values: dict[str, object]) -> None:
    """Record one use of an option in ``values``."""
    known = values[option.name]
    if option.kind == FLAG:
        values[option.name] = True
    elif option.kind == COUNT:
        assert isinstance(known, int)
        values[option.name] = known + 1
    elif option.kind == TEXTS:
        assert isinstance(known, tuple)
        values[option.name] = (*known, text)
    else:
        values[option.name] = read_value(option, text)


def read_whole_number(text: str) -> int | None:
    """The number of ``10000`` or ``1e4``; None for another text."""
    digits, sign, power = text.partition("e")
    parts = [digits, power] if sign else [digits]
    if not all(part.isascii() and part.isdigit() and len(part) < 20 for part in parts):
        return None
    return int(f"{digits}{'0' * min(int(power or 0), 20)}")


def read_value(option: Option, text: str) -> object:
    """The value of an option. Raises ValueError with a description of what was expected."""
    if option.choices and text not in option.choices:
        raise ValueError("one of " + ", ".join(option.choices))
    if option.kind == NUMBER:
        number = read_whole_number(text)
        if number is None or not option.least <= number < LARGEST:
            raise ValueError(f"a whole number, {option.least} or more")
        return number
    if option.kind == SIZE:
        return read_size(text)
    if option.kind == SECONDS:
        try:
            seconds = float(text) if text.isascii() and "_" not in text else -1.0
        except ValueError:
            seconds = -1.0
        if not 0 <= seconds < 1e9:
            raise ValueError("a number of seconds, such as 2.5")
        return seconds
    return text


def read_size(text: str) -> int:
    """The number of bytes in a size such as ``512``, ``16M`` or ``4G``.

    >>> read_size("16M"), read_size("4GiB")
    (16777216, 4294967296)
    """
    digits = text.upper().removesuffix("B").removesuffix("I")
    unit = digits.lstrip("0123456789")
    digits = digits.removesuffix(unit)
    if not (digits.isascii() and digits.isdigit() and len(digits) < 20 and unit in UNITS):
        raise ValueError("a size, such as 512, 16M or 4G")
    return min(int(digits) * UNITS[unit], LARGEST)
