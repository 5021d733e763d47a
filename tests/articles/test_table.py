"""``articles.md``, which lists what the five articles show, claim and ask for, with the tests of each.

The articles' code as it was published is run by ``test_seeds.py``. Numbers and texts are PyTorch's.
"""

from __future__ import annotations

from pathlib import Path

from article_scripts import ARTICLES, MESSAGES
from conftest import TESTS
from documents import REFERENCE, functions_in, missing_tests

ROWS = """
A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A15+
B1 B2 B3 B4 B5 B6 B7 B8 B9 B10 B11 B12 B13 B14 B15 B16 B16+ B17 B18 B19 B20 B21 B22 B23 B24 B25 B26 B27 B28
B29 B30 B31 B32 B33 B34 B35 B36 B37 B38
C1 C2 C3 C4 C5 C6 C7 C8 C9 C10
D1 D2 D3 D4 D5 D6 D7 D8 D9 D10 D11 D12 D13 D14
E1 E2 E3 E4 E5 E6 E7 E8 E9 E10 E11 E12 E13 E14 E15 E16 E17 E18 E19 E20 E21
X1 X2 X3 X4 X5 X6 X7
Y1 Y2 Y3 Y4 Y5 Y6 Y7 Y8 Y9 Y10 Y11 Y12 Y13
Z
"""


def table_of_behaviours() -> list[list[str]]:
    """The rows of ``articles.md``: id, behaviour, tests."""
    lines = (TESTS / "articles.md").read_text().splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    return [[cell.strip() for cell in row] for row in rows[1:]]


def references() -> list[tuple[str, str, str, str]]:
    """Every test the table names: row, file, function, case or nothing."""
    return [(row, *found) for row, _, tests in table_of_behaviours() for found in REFERENCE.findall(tests)]


def test_the_table_has_every_behaviour_once_and_in_order() -> None:
    assert [row for row, _, _ in table_of_behaviours()] == ROWS.split()


def test_the_table_names_a_test_or_says_later() -> None:
    for row, behaviour, tests in table_of_behaviours():
        assert behaviour, row
        assert all(REFERENCE.fullmatch(part) or part == "later" for part in tests.split(", ")), (row, tests)


def test_the_table_names_tests_that_exist() -> None:
    assert not missing_tests((TESTS / "articles.md").read_text())


def test_the_table_names_cases_that_exist() -> None:
    scripts = {f"{path.stem}-float64" for path in ARTICLES.glob("*.ad")}
    cases = {
        "test_mistakes_are_named_in_torchs_words": set(MESSAGES),
        "test_prints_what_torch_prints": scripts,
    }
    for row, _, name, case in references():
        assert not case or case in cases[name], (row, name, case)


def test_the_table_names_every_test_beside_this_file() -> None:
    named = {(path, name) for _, path, name, _ in references() if path.startswith("articles/")}
    paths = [f"articles/{path.name}" for path in Path(__file__).parent.glob("test_*.py")]
    own = {(path, name) for path in paths for name in functions_in(path)}
    assert {(path, name) for path, name in own if not name.startswith("test_the_table_")} == named
