"""Every role is readable: its colours have a contrast of 4.5 to 1 on each background they are meant for.

Contrast is that of WCAG 2.1 ("relative luminance", "contrast ratio"); 4.5 is its level AA for text. Of the
256 colours, 16 to 231 are the 6 x 6 x 6 cube with the levels 0, 95, 135, 175, 215, 255, those from 232 on the
greys 8 + 10 n, as xterm's ``256colres.pl`` defines them; a terminal's theme does not change them. Solarized's
backgrounds are its ``base03`` and ``base3`` (Ethan Schoonover's palette). WCAG reckons with stray light of
0.05 of the white. A projector in a lit room has more: with 1/6 its white has seven times the light of its
black, the least that ANSI/INFOCOMM 3M-2011 allows for a picture that is only looked at.
"""

from __future__ import annotations

import re

import pytest
from autodiff.cli.render.roles import DARK, LIGHT, PLAIN, ROLES, UNKNOWN, paint, read_styles
from one_test import in_one_test

READABLE = 4.5
STRAY, STRAY_IN_A_LIT_ROOM = 0.05, 1 / 6
BACKGROUNDS = {
    "black": ("000000", STRAY, (UNKNOWN, DARK)),
    "Solarized dark": ("002b36", STRAY, (UNKNOWN, DARK)),
    "white": ("ffffff", STRAY, (UNKNOWN, LIGHT)),
    "Solarized light": ("fdf6e3", STRAY, (UNKNOWN, LIGHT)),
    "projector": ("ffffff", STRAY_IN_A_LIT_ROOM, (UNKNOWN, LIGHT)),
}
LEVELS = (0, 95, 135, 175, 215, 255)


def rgb_of(number):
    if number >= 232:
        return (8 + 10 * (number - 232),) * 3
    assert number >= 16, "a theme may change the first sixteen colours"
    number -= 16
    return LEVELS[number // 36], LEVELS[number // 6 % 6], LEVELS[number % 6]


def luminance(rgb):
    parts = [value / 255 for value in rgb]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other, stray):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + stray) / (low + stray)


def colors_of(style):
    """The foreground and the background of a style, None where it has none; the rest must be harmless."""
    found = dict(re.findall(r"(?:^|;)([34]8);5;(\d+)", style))
    others = {part for part in re.sub(r"[34]8;5;\d+", "", style).split(";") if part}
    assert others <= {"1"}, (
        "dim, blinking and hidden text and colours of the theme are not readable everywhere"
    )
    return tuple(rgb_of(int(found[kind])) if kind in found else None for kind in ("38", "48"))


@pytest.mark.parametrize("background", BACKGROUNDS)
@in_one_test("role", ROLES)
def test_every_role_is_readable(role, background):
    color, stray, kinds = BACKGROUNDS[background]
    around = tuple(bytes.fromhex(color))
    for kind in kinds:
        front, back = colors_of(ROLES[role][kind])
        assert back is None or front is not None
        if front is not None:
            assert contrast(front, back or around, stray) >= READABLE


def test_the_contrast_of_known_pairs():
    assert contrast((0, 0, 0), (255, 255, 255), STRAY) == pytest.approx(21)
    assert contrast((119, 119, 119), (255, 255, 255), STRAY) == pytest.approx(4.48, abs=0.005)
    assert contrast((0, 0, 0), (255, 255, 255), STRAY_IN_A_LIT_ROOM) == pytest.approx(7)


def test_only_verdicts_bring_a_background():
    bright = {role for role, row in ROLES.items() if any("48;5;" in style for style in row[1:])}
    assert bright == {"right", "wrong", "undecided", "error", "warning"}


@pytest.mark.parametrize(
    ("environ", "name", "right"),
    [
        ({"TERM": "xterm-256color"}, None, ROLES["right"][UNKNOWN]),
        ({"TERM": "xterm"}, None, "1;7"),
        ({}, None, "1;7"),
        ({"FORCE_COLOR": "1"}, None, "1;7"),
        ({"FORCE_COLOR": "3"}, None, ROLES["right"][UNKNOWN]),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, None, ROLES["right"][UNKNOWN]),
        ({"TERM": "xterm-256color", "COLORFGBG": "15;0"}, ROLES["name"][DARK], ROLES["right"][DARK]),
        (
            {"TERM": "xterm-256color", "COLORFGBG": "0;default;15"},
            ROLES["name"][LIGHT],
            ROLES["right"][LIGHT],
        ),
        ({"TERM": "xterm-256color", "COLORFGBG": "12;8"}, ROLES["name"][DARK], ROLES["right"][DARK]),
        ({"TERM": "xterm-256color", "COLORFGBG": "x;default"}, None, ROLES["right"][UNKNOWN]),
        ({"TERM": "xterm", "COLORFGBG": "15;0"}, None, "1;7"),
        ({"TERM": "foot", "AUTODIFF_COLORS": "dark"}, ROLES["name"][DARK], ROLES["right"][DARK]),
        (
            {"TERM": "foot", "COLORFGBG": "15;0", "AUTODIFF_COLORS": "light"},
            ROLES["name"][LIGHT],
            ROLES["right"][LIGHT],
        ),
        ({"TERM": "foot", "AUTODIFF_COLORS": "name=36:right=1;32:"}, "36", "1;32"),
        ({"TERM": "foot", "AUTODIFF_COLORS": "light:right="}, ROLES["name"][LIGHT], None),
    ],
)
def test_where_the_styles_come_from(environ, name, right):
    styles, complaints = read_styles(environ)
    assert complaints == []
    assert (styles.get("name"), styles.get("right")) == (name, right)


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("nam=36", "there is no role `nam`; `autodiff help colors` lists them"),
        ("name", "`name` is not dark, light or ROLE=STYLE, as in name=36"),
        ("name=red", "`red` is not a style of numbers and semicolons, as in name=1;36"),
        ("name=1;;3", "`1;;3` is not a style of numbers and semicolons, as in name=1;36"),
        ("name=\x1b[2J", "`\x1b[2J` is not a style of numbers and semicolons, as in name=1;36"),
    ],
)
def test_a_wrong_entry_is_told_and_the_others_count(value, complaint):
    styles, complaints = read_styles({"TERM": "foot", "AUTODIFF_COLORS": f"{value}:gradient=33"})
    assert complaints == [complaint]
    assert (styles.get("name"), styles["gradient"]) == (None, "33")


def test_paint_leaves_alone_what_has_no_style():
    assert paint({"name": "36"}, "name", "x") == "\x1b[36mx\x1b[0m"
    assert paint({"name": "36"}, "name", "") == paint({"name": "36"}, PLAIN, "") == ""
    assert paint({}, "name", "x") == "x"


SEED = "w1 = 1; x1 = 2; L = w1 * x1"


def test_a_wrong_entry_is_noted_once(autodiff):
    environ = {"AUTODIFF_COLORS": "nam=36:name=35", "FORCE_COLOR": "1"}
    done = autodiff("run", "-e", SEED, env=environ)
    assert done.err == "note: AUTODIFF_COLORS: there is no role `nam`; `autodiff help colors` lists them\n"
    assert "\x1b[35mw1\x1b[0m" in done.out
    assert autodiff("run", "-q", "-e", SEED, env=environ).err == ""
    assert autodiff("run", "-e", SEED, env={"AUTODIFF_COLORS": "nam=36"}).err == ""


def test_a_verdict_is_a_word_and_a_style(autodiff):
    done = autodiff("check", "--color", "always", "-e", SEED)
    assert "\x1b[1;7mok\x1b[0m" in done.out
    wrong = autodiff("check", "--color", "always", "-e", SEED, "--formula", "dL/dw1 == 3")
    assert "\x1b[1;7mwrong\x1b[0m" in wrong.out


def test_the_help_lists_every_role(autodiff):
    shown = autodiff("help", "colors").out
    assert all(f"\n    {role} " in shown for role in ROLES)
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "AUTODIFF_COLORS", "COLORFGBG", "LC_ALL"):
        assert name in shown


@pytest.mark.parametrize("command", ["run", "check", "explain", "graph", "trace"])
def test_color_changes_no_text(autodiff, command):
    plain = autodiff(command, "-e", SEED)
    colored = autodiff(command, "--color", "always", "-e", SEED)
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored.out) == plain.out
    assert "\x1b[2m" not in colored.out
