"""Calls with arguments that do not fit: refused in torch's words, at a place, and never in numpy's."""

from __future__ import annotations

import pytest
from script_runner import run_script
from wrong_calls import FOREIGN, NAMES_OF_FUNCTIONS, differences, few

#: Whose method takes dimensions side by side in torch, which its function does not.
NOT_HELD = {"torch.count_nonzero"}
each_function = pytest.mark.parametrize("name", NAMES_OF_FUNCTIONS)


@each_function
def test_what_is_refused_is_refused_at_a_place_in_words_for_scripts(name: str) -> None:
    for call in few(name, 6, seed=1):
        error = run_script(call.script).error
        if error is not None:
            said = f"{call.call}: {' '.join([error.message, error.caret, *error.advice])}"
            assert error.code != "E0900", said
            assert error.span is not None, said
            assert not FOREIGN.search(said), said


@pytest.mark.oracle
@each_function
def test_the_first_line_is_torchs(name: str) -> None:
    if name not in NOT_HELD:
        assert [(call.call, *said) for call, *said in differences(few(name, 1))] == []


@pytest.mark.oracle
def test_the_table_of_torchs_signatures_is_torchs() -> None:
    from make_torch_signatures import TARGET, table

    assert TARGET.read_text() == table(), "run python tests/make_torch_signatures.py"
