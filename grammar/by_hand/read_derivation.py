"""Reads a derivation: which lines of a text, or of a turn of a training loop, are steps."""

from __future__ import annotations

import re
from functools import partial

from autodiff.core.base.errors import UsageError
from autodiff.core.base.source import Source
from autodiff.grammar.by_hand.formula import derivative_names, words_of
from autodiff.grammar.by_hand.left_side import BARE, DerivativeNames, is_loose, of_other_way, parse_left_side
from autodiff.grammar.by_hand.primes import Primes
from autodiff.grammar.by_hand.segments import find_segments
from autodiff.grammar.by_hand.step_errors import in_step
from autodiff.grammar.by_hand.step_lines import leave_out_clips, read_lines
from autodiff.grammar.by_hand.steps import Derivation
from autodiff.grammar.by_hand.training_turns import find_turn
from autodiff.grammar.by_hand.unclear_names import how_to_begin, unclear_names
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse, parse_to_first_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from autodiff.grammar.by_hand.left_side import LeftSide
    from autodiff.grammar.by_hand.primes import Inputs
    from autodiff.grammar.by_hand.step_lines import Line
    from autodiff.grammar.by_hand.training_turns import Turn


#: A name such as ``dW`` or ``grad_W``.
GRADIENT_NAME = re.compile(rf"\b{BARE}\b")


class NoStepsError(UsageError):
    """Raised for a text without a line that makes a derivative.

    ``line`` is the number of the first line that gives a value to a name which looks like a gradient's.
    """

    line: int | None = None


def read_derivation(
    text: str,
    name: str,
    script: Source,
    lefts: Mapping[str, LeftSide] | None = None,
    inputs: Inputs | None = None,
) -> Derivation:
    """Return the derivation of a text, the file ``name``; raise a UsageError if it has no steps.

    Of training loops, in the script or the text, it has the first turn. ``lefts`` are the derivatives that
    names are which do not say it. ``inputs`` answers which inputs a variable of the script depends on.
    """
    given, lefts = Source(text, name), lefts or {}
    is_script = given.text == script.text
    if is_script:
        parse(script)  # what the language has not is told as the run of a script tells it
    by = frozenset(side.by[0][0] for side in lefts.values())
    if not is_script:
        by = frozenset(found["x_"] for found in GRADIENT_NAME.finditer(text))
    turn = find_turn(script, True, by, frozenset(lefts))
    own = turn if is_script else find_turn(given, True)
    derivation = divided_into_steps(given, script, turn, own, lefts, inputs)
    if not derivation.segments and is_script and turn is None:
        turn = find_turn(script, False)
        derivation = derivation if turn is None else divided_into_steps(given, script, turn, turn)
    if not derivation.segments and not derivation.unreadable:
        error = NoStepsError(
            f"{name} has no steps",
            code="E0610",
            help=(how_to_begin(derivation.lines, derivation.words, is_script),),
        )
        error.line = next((line.number for line, _ in unclear_names(derivation.lines)), None)
        raise error
    return derivation


def divided_into_steps(
    given: Source,
    script: Source,
    turn: Turn | None,
    own: Turn | None,
    lefts: Mapping[str, LeftSide] | None = None,
    inputs: Inputs | None = None,
) -> Derivation:
    """Return the derivation of a text, which has the turn ``own``, in the ``turn`` of the script."""
    words = words_of(script)
    statements: tree.Body = ()
    if given.text == script.text:
        statements = (parse_to_first_error(script) if turn is None else turn.script).body
    given = given if own is None else own.lines
    found: dict[int, UsageError] = {}
    others = [*loose_names(given, words), *(lefts or {})]
    names = derivative_names(script, others)
    if inputs is not None:
        names.with_primes = partial(Primes(script, inputs).replaced, only=names.variables)
    lines = read_lines(given, names, found)
    leave_out_clips(lines)
    unreadable = {number: in_step(error, given.name, number, given) for number, error in found.items()}
    segments = find_segments(lines)
    return Derivation(
        lines, given.name, given, words, segments, unreadable, None, None, turn, statements, lefts
    )


def loose_names(given: Source, words: Collection[str]) -> list[str]:
    """Return the names such as ``d_w`` of a text that no line reads but those that change ``w``.

    Those such as ``dx2`` are read only where they are compared: by no line that a derivative is made of.
    """
    lines = read_lines(given, DerivativeNames(words), {})
    bound = dict.fromkeys(name for line in lines for name in sorted(line.binds) if is_loose(name, words))
    ways = {name: by for name in bound if (by := of_other_way(name, words))}
    parts = [name for name, by in ways.items() if is_part(name, by, lines, words)]
    return [
        name
        for name in bound
        if name not in parts and (name in ways or not any(goes_on(line, name, words) for line in lines))
    ]


def goes_on(line: Line, name: str, words: Collection[str]) -> bool:
    left = parse_left_side(name, words)
    changed = line.binds | line.changes
    only_bound = set() if line.node is None else line.binds - line.carried
    return name in line.reads - only_bound and left is not None and not changed <= {left.by[0][0]}


def is_part(name: str, by: str, lines: list[Line], words: Collection[str]) -> bool:
    """Whether a derivative is made of a name such as ``dx2``, or this of ``dx``."""
    known, made = DerivativeNames(words), {name}
    for line in lines:
        if name in line.binds:
            if not line.reads.isdisjoint([f"d{by}", f"grad_{by}"]):
                return True
        elif line.reads & made:
            made |= line.binds | line.changes
    return any(one in known or is_loose(one, words) for one in made - {name, by})
