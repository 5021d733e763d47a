"""Format specs and ``%``-formatting against Python's own, and what is refused of them."""

from __future__ import annotations

import sys

import pytest
from autodiff.core.base.errors import LimitError, ScriptError
from autodiff.core.engine.printing import FORMAT_LIMIT, format_number, format_with_spec
from hypothesis import given, settings
from hypothesis import strategies as st
from one_test import in_one_test
from seeds import examples

NAN, INF = float("nan"), float("inf")

VALUES = [1.5, 0.0, -0.0, -3.25e10, 1e300, NAN, INF, 7, -12345678, 0, 10**400, True, False, "ab", "", "é"]
SPECS = [
    *[
        "",
        ".3f",
        ">8",
        "+.2e",
        ",",
        "%",
        "08.3f",
        "g",
        "d",
        "x",
        "b",
        "^10s",
        "<5",
        "=8",
        "=+8.1f",
        "_",
        "_b",
    ],
    *[
        "#x",
        "#o",
        "X",
        "G",
        "E",
        "F",
        "n",
        "c",
        "z.1f",
        " ",
        "-",
        "*^9",
        "0>5",
        "{<5",
        "\n>5",
        ">>5",
        "05",
        "01",
    ],
    *[
        "0=5",
        ">05",
        ",.2f",
        "_.2f",
        ".0%",
        "#.0f",
        ".3",
        "s",
        ".1s",
        "12.3s",
        "0s",
        "+",
        "+s",
        " s",
        "zs",
        "#s",
    ],
    # and those that are wrong
    *[
        "..",
        "10.",
        ".f",
        "zz",
        ".2q",
        "=5s",
        "5,_d",
        "_,",
        ",,",
        ",x",
        "_c",
        ",n",
        ",s",
        ".3d",
        "+c",
        "#c",
        ".1c",
    ],
    *["5y6", "hello", "é", "5 ", "\x01", "10.2.3f", "f.2", ">>>5", "%%", "{}"],
]


def outcome(spell, value, spec):
    """The text, or the words of the error."""
    try:
        return spell(value, spec)
    except (ValueError, OverflowError, ScriptError) as error:
        return f"error: {error}"


@pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="the words of the errors are those of CPython 3.11"
)
@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value)[:12])
@in_one_test("spec", SPECS)
def test_format_specs_read_as_in_python(value, spec):
    assert outcome(format_with_spec, value, spec) == outcome(format, value, spec)


@pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="the words of the errors are those of CPython 3.11"
)
@settings(max_examples=examples(100))
@given(st.sampled_from(VALUES), st.text("<>=^+- z#0123,_.bcdeEfFgGnosxX%q\n{}*", max_size=7))
def test_random_format_specs_read_as_in_python(value, spec):
    try:
        mine = outcome(format_with_spec, value, spec)
    except LimitError:
        return
    assert mine == outcome(format, value, spec)


@pytest.mark.parametrize(
    ("value", "spec", "message"),
    [
        (1.5, "d", "Unknown format code 'd' for object of type 'float'"),
        (7, "s", "Unknown format code 's' for object of type 'int'"),
        (True, "q", "Unknown format code 'q' for object of type 'bool'"),
        ("ab", ".2f", "Unknown format code 'f' for object of type 'str'"),
        (1.5, ".2f!", "Invalid format specifier '.2f!' for object of type 'float'"),
        (1.5, ".", "Format specifier missing precision"),
        (1.5, ",_", "Cannot specify both ',' and '_'."),
        (7, ",x", "Cannot specify ',' with 'x'."),
    ],
)
def test_wrong_format_specs_are_errors_of_the_script(value, spec, message):
    with pytest.raises(ScriptError) as caught:
        format_with_spec(value, spec)
    assert caught.value.message == message


@pytest.mark.parametrize("value", [1.5, 7, True, "ab"])
@pytest.mark.parametrize("spec", [">10001", "10001", "0010001", "9" * 5000])
def test_widths_are_capped(value, spec):
    with pytest.raises(LimitError, match=r"width of .* exceeds the limit of 10000") as caught:
        format_with_spec(value, spec)
    assert caught.value.code == "E0502"
    assert len(caught.value.message) < 100


def test_precisions_are_capped():
    with pytest.raises(LimitError, match="precision of 10001 exceeds") as caught:
        format_with_spec(1.5, ".10001f")
    assert caught.value.code == "E0502"
    assert len(format_with_spec(1.5, f".{FORMAT_LIMIT}f")) == FORMAT_LIMIT + 2
    assert len(format_with_spec("", f"{FORMAT_LIMIT}")) == FORMAT_LIMIT


@pytest.mark.parametrize("spell", [format_number, lambda value: format_with_spec(value, "d")])
def test_integers_too_long_for_python_are_errors_of_the_script(spell):
    with pytest.raises(ScriptError, match=r"Exceeds the limit .* for integer string conversion$"):
        spell(10**5000)
