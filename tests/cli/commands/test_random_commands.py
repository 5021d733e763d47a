"""Random command lines over every command and option: each answer is one that the documentation allows."""

from __future__ import annotations

from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from autodiff.cli.command_line.options import COMMANDS
from autodiff.cli.commands import grad
from autodiff.cli.requests.session import Session
from command_fuzzer import flaw
from command_lines import command_line
from command_runner import Runner
from seeds import blocks

LONGEST = 60.0  # seconds of the processor for one line; a usual one takes a hundredth of one
PLANTED = range(400)  # enough for each fault below to be found


@pytest.mark.parametrize("block", blocks(240, 60))
def test_random_examples(block: range, tmp_path: Path) -> None:
    runner = Runner(tmp_path, LONGEST)
    for seed in block:
        line = command_line(seed)
        wrong = flaw(line, runner, Random(f"comparison {seed}"))
        assert not wrong, f"seed {seed}: {wrong}\n{line!r}"


def test_every_option_is_tried() -> None:
    asked = {flag for command in COMMANDS.values() for option in command.options for flag in option.flags}
    tried = {word.partition("=")[0] for seed in range(2000) for word in command_line(seed).arguments}
    assert asked <= tried, sorted(asked - tried)


def fail(*_: Any) -> None:
    raise KeyError("planted")


FAULTS = {
    "internal": lambda patch: patch.setattr(Session, "page", fail),
    "without a word": lambda patch: patch.setattr(Session, "say", lambda *_: None),
    "schema []": lambda patch: patch.setattr(Session, "show_failure", lambda *_: None),
    "plain": lambda patch: patch.setattr(grad, "bare", SimpleNamespace(bare_text=lambda gradients: "1\n")),
}


@pytest.mark.parametrize("says", FAULTS)
def test_a_planted_fault_is_found(says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    FAULTS[says](monkeypatch)
    runner = Runner(tmp_path, LONGEST)
    assert any(says in flaw(command_line(seed), runner, AlwaysTrue()) for seed in PLANTED)


class AlwaysTrue(Random):
    """Makes every comparison."""

    def random(self) -> float:
        return 0.0
