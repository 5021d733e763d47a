"""Cases that run as one test: each that fails is named, also one that leaves the engine's state changed."""

from __future__ import annotations

import pytest
from autodiff.core.graph.state import mode
from one_test import in_one_test


def test_every_case_that_fails_is_named() -> None:
    ran = []

    @in_one_test("given, wanted", [(1, 1), (2, 3), (4, 4), (5, 6)])
    @in_one_test("sign", [1, -1])
    def check(given: int, wanted: int, sign: int, fixture: str) -> None:
        ran.append((given, sign))
        assert fixture == "shared"
        assert sign < 0 or given == wanted

    with pytest.raises(ExceptionGroup, match="2 of 4 cases") as failed:
        check(fixture="shared")
    assert ran == [(given, sign) for given in (1, 2, 4, 5) for sign in (1, -1)]
    assert [one.__notes__ for one in failed.value.exceptions] == [
        ["given, wanted: (2, 3)"],
        ["given, wanted: (5, 6)"],
    ]
    assert [one.__notes__ for one in failed.value.exceptions[0].exceptions] == [["sign: 1"]]


def test_a_case_that_leaves_a_state_fails_and_the_next_has_the_usual_one() -> None:
    @in_one_test("leaves", [False, True, False])
    def check(leaves: bool) -> None:
        assert mode.enabled
        mode.enabled = not leaves

    with pytest.raises(ExceptionGroup, match="1 of 3 cases") as failed:
        check()
    assert "this test leaked ['grad mode']" in str(failed.value.exceptions[0])


def test_without_cases_it_fails() -> None:
    @in_one_test("case", [])
    def check(case: int) -> None:
        raise AssertionError

    with pytest.raises(AssertionError, match="there are no cases"):
        check()
