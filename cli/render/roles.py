"""The roles of text in what the program writes, and the one table of how a terminal shows each of them.

A colour is readable on a background that it was chosen for. Which background a terminal has is known where it
says so in ``COLORFGBG``, or its user in ``AUTODIFF_COLORS``. Elsewhere only attributes are used, and colours
that bring their own background, as those of the verdicts. No role says anything that the text does not say.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Styles = dict[str, str]

PLAIN = ""
TITLE, NAME, NUMBER, GRADIENT, MUTED, GUIDE = "title", "name", "number", "gradient", "muted", "guide"
RIGHT, WRONG, UNDECIDED = "right", "wrong", "undecided"
ERROR, WARNING, NOTE, MESSAGE = "error", "warning", "note", "message"
FAULT, LABEL, FRAME = "fault", "label", "frame"

WHITE_ON_RED, WHITE_ON_GREEN = "1;38;5;231;48;5;88", "1;38;5;231;48;5;22"
BLACK_ON_YELLOW = "1;38;5;16;48;5;220"
#: Role: what it is, and its style on an unknown, a dark and a light background, as parameters of the sequence
#: "select graphic rendition". Colours are numbers from 16 on of the 256, which no theme changes.
ROLES = {
    TITLE: ("headings", "1", "1", "1"),
    NAME: ("names of inputs and nodes", "", "38;5;117", "38;5;19"),
    NUMBER: ("values", "", "", ""),
    GRADIENT: ("gradients", "1", "1;38;5;221", "1;38;5;88"),
    MUTED: ("headers of tables, remarks", "", "38;5;250", "38;5;238"),
    GUIDE: ("the lines of trees", "", "38;5;246", "38;5;238"),
    RIGHT: ("the verdict: right", WHITE_ON_GREEN, WHITE_ON_GREEN, WHITE_ON_GREEN),
    WRONG: ("the verdict: wrong", WHITE_ON_RED, WHITE_ON_RED, WHITE_ON_RED),
    UNDECIDED: ("the verdict: undecided", BLACK_ON_YELLOW, BLACK_ON_YELLOW, BLACK_ON_YELLOW),
    ERROR: ("the label of an error", WHITE_ON_RED, WHITE_ON_RED, WHITE_ON_RED),
    WARNING: ("the label of a warning", BLACK_ON_YELLOW, BLACK_ON_YELLOW, BLACK_ON_YELLOW),
    NOTE: ("the labels note and help", "1", "1", "1"),
    MESSAGE: ("the first line of an error", "1", "1", "1"),
    FAULT: ("the caret below a mistake, with its text", "1", "1;38;5;210", "1;38;5;88"),
    LABEL: ("other marks below the lines of a script", "", "38;5;117", "38;5;19"),
    FRAME: ("line numbers and what is around them", "", "38;5;246", "38;5;238"),
}
UNKNOWN, DARK, LIGHT = 1, 2, 3
BACKGROUNDS = {"dark": DARK, "light": LIGHT}
REVERSED = "1;7"  # for text on a background of its own, where there are no 256 colours


def read_styles(environ: Mapping[str, str]) -> tuple[Styles, list[str]]:
    """The style of every role that has one, and what is wrong with ``AUTODIFF_COLORS``.

    >>> styles, _ = read_styles({"AUTODIFF_COLORS": "dark:name=36", "TERM": "xterm-256color"})
    >>> styles["name"], styles["gradient"]
    ('36', '1;38;5;221')
    """
    background = background_of(environ.get("COLORFGBG", ""))
    own: Styles = {}
    complaints = []
    for entry in filter(None, environ.get("AUTODIFF_COLORS", "").split(":")):
        role, equals, style = entry.partition("=")
        if entry in BACKGROUNDS:
            background = BACKGROUNDS[entry]
        elif not equals:
            complaints.append(f"`{entry}` is not dark, light or ROLE=STYLE, as in name=36")
        elif role not in ROLES:
            complaints.append(f"there is no role `{role}`; `autodiff help colors` lists them")
        elif not all(part.isascii() and part.isdigit() for part in style.split(";") if style):
            complaints.append(f"`{style}` is not a style of numbers and semicolons, as in {role}=1;36")
        else:
            own[role] = style
    if not has_256_colors(environ):
        background = UNKNOWN
    styles = {role: row[background] for role, row in ROLES.items()}
    if not has_256_colors(environ):
        styles = {role: REVERSED if "48;5;" in style else style for role, style in styles.items()}
    return {role: style for role, style in {**styles, **own}.items() if style}, complaints


def background_of(text: str) -> int:
    """The background in ``COLORFGBG``, as in ``15;0``: the last number is one of the sixteen colours."""
    number = text.rpartition(";")[2]
    if not (number.isascii() and number.isdigit()):
        return UNKNOWN
    return DARK if int(number) < 7 or int(number) == 8 else LIGHT


def has_256_colors(environ: Mapping[str, str]) -> bool:
    """Whether the terminal has the 256 colours of xterm, as nearly all have."""
    if environ.get("COLORTERM") or environ.get("FORCE_COLOR") in ("2", "3"):
        return True
    return any(word in environ.get("TERM", "") for word in ("256", "direct", "kitty", "alacritty", "foot"))


def paint(styles: Mapping[str, str], role: str, text: str) -> str:
    """The text in the style of its role; unchanged if the role has none."""
    style = styles.get(role)
    return f"\x1b[{style}m{text}\x1b[0m" if style and text else text
