"""Whatever the text, the answer is a result or one of our errors, placed inside the text.

A failure is cut down to the lines and words that still cause it before it is shown; it then belongs into
FOUND, below.
"""

from __future__ import annotations

import gc
import re
import signal
import traceback
from collections.abc import Callable, Iterator
from random import Random

import pytest
from autodiff.cli.codes import CODES
from autodiff.cli.command_line.script_source import decode, unify_lines
from autodiff.cli.render.diagnostic import diagnostic_lines
from autodiff.core.base.errors import AutodiffError, GradientError, UsageError
from autodiff.core.base.limits import limits
from autodiff.core.base.source import Source, Span
from autodiff.core.derivation.describe import describe
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate
from fuzz_words import INTERNAL
from script_fuzzer import mutated_script, random_bytes, random_script
from seeds import blocks

LONGEST = 5.0  # seconds of the processor for one script; a usual one takes a thousandth of it


class Stuck(BaseException):
    """A script ran for too long; no ``except Exception`` may catch it."""


def give_up(*_: object) -> None:
    raise Stuck


@pytest.fixture(scope="module", autouse=True)
def small_limits() -> Iterator[None]:
    names = ("steps", "nodes", "memory", "depth", "paths")
    before = [getattr(limits, name) for name in names]
    limits.steps, limits.nodes, limits.memory, limits.depth, limits.paths = 1000, 20_000, 64 << 20, 100, 100
    previous = signal.signal(signal.SIGPROF, give_up)
    yield
    signal.signal(signal.SIGPROF, previous)
    for name, value in zip(names, before, strict=True):
        setattr(limits, name, value)


# -- one example ------------------------------------------------------------------------------------------


def run(text: str) -> None:
    """Run a script as the command line does, under small limits."""
    settings = Settings(wrt=("*",))
    execution = execute(Source(text), settings, lambda text: None, lambda text, span: None)
    if execution.last_passes.backwards or len(text) % 2:
        try:
            subject = differentiate(execution, settings)
        except (UsageError, GradientError) as error:
            if error.span is not None:
                raise
            return  # about the question, which has no place in the text
        describe(subject, execution.source, graph=True, derivations=len(text) % 16 == 1, max_paths=100)


def flaw(text: str) -> str:
    """What is wrong with how a script ends; empty where it ends well or with a proper error."""
    gc.disable()  # as the command line does; whoever watches it would swallow what give_up raises
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        try:
            run(text)
        except AutodiffError as error:
            return flaw_of_error(error, Source(text))
    except Stuck:
        return "it does not end"
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} at {place.filename.rpartition('/')[2]}:{place.lineno}: {error}"[:300]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        gc.enable()
    return ""


def flaw_of_error(error: AutodiffError, source: Source) -> str:
    """What is wrong with an error: its code, its places, its words, or how it is shown."""
    if error.code not in CODES or error.code == "E0900":
        return f"no code for readers: {error.code}: {error.message}"
    if error.span is None and not isinstance(error, UsageError):
        return f"{error.code} has no place: {error.message}"
    spans: list[Span] = [label.span for label in error.labels] + [span for _, span in error.frames]
    spans += [edit.span for fix in error.fixes for edit in fix.edits]
    for span in [error.span] * (error.span is not None) + spans:
        if not 0 <= span.start <= span.end <= len(source.text):
            return f"{error.code} points outside the text, at {span}: {error.message}"
    for words in (error.message, error.caret):
        if (found := INTERNAL.search(words)) and found[0] not in source.text:
            return f"{error.code} speaks of {found[0]!r}: {words}"
        if "<lambda>()" in words and "lambda" not in source.text:
            return f"{error.code} speaks of a lambda the script does not have: {words}"
    for width in (40, 80):
        for line in diagnostic_lines(error, source, width):
            if not line.isprintable():
                return f"{error.code} shows {line!r}"
    for other in error.other_errors:
        if wrong := flaw_of_error(other, source):
            return wrong
    return ""


def check(text: str) -> None:
    wrong = flaw(text)
    if wrong:
        kind = re.sub(r"\d+", "", wrong)[:30]
        smaller = shrunk(text, lambda shorter: re.sub(r"\d+", "", flaw(shorter))[:30] == kind)
        raise AssertionError(
            f"{flaw(smaller) or wrong}\nthe script, cut down:\n{smaller}\nas text: {smaller!r}"
        )


def shrunk(text: str, fails: Callable[[str], bool]) -> str:
    """The text without the lines, then without the words, that make no difference."""
    for pattern in (r"[^\n]*\n|[^\n]+$", r"\w+|\s+|."):
        pieces = re.findall(pattern, text, re.DOTALL)
        size = max(1, len(pieces) // 2)
        while size and len(pieces) < 600:
            at = 0
            while at < len(pieces):
                rest = pieces[:at] + pieces[at + size :]
                if fails("".join(rest)):
                    pieces = rest
                else:
                    at += size
            size //= 2
        text = "".join(pieces)
    return text


# -- the examples -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", blocks(1500, 250))
def test_random_examples(block: range) -> None:
    for seed in block:
        check(random_script(Random(f"tokens {seed}")))


@pytest.mark.parametrize("block", blocks(1500, 250))
def test_mutated_examples(block: range) -> None:
    for seed in block:
        check(mutated_script(Random(f"mutation {seed}")))


@pytest.mark.parametrize("block", blocks(500, 250))
def test_noise_examples(block: range) -> None:
    for seed in block:
        data = random_bytes(Random(f"noise {seed}"))
        text = ""
        code = "E0613"
        try:
            text = decode(data, "noise.ad")
        except UsageError as error:
            code = error.code
        assert code in ("E0611", "E0613")
        check(text)


# -- what has been found ------------------------------------------------------------------------------------

FOUND = [
    "torch.tensor(2.).roll([0], 0)",
    "F.fold(torch.ones(2), 1, 1)",
    "F.fold(torch.ones(1, 4), 2, (0, 1))",
    "linalg.vander(torch.tensor(2.))",
    "torch.cholesky_solve(torch.ones(2, 3), torch.ones(3, 3))",
    "F.nll_loss(torch.ones(2, 2), torch.tensor([0, 1]), torch.zeros(0, 3))",
    "torch.flip(torch.tensor(1.), [0])",
    "torch.narrow(torch.tensor(1.), 0, 0, 1)",
    "torch.unflatten(torch.tensor(1.), 0, (1,))",
    "torch.round(torch.tensor([True]))",
    "r = torch.tensor(2., requires_grad=True).repeat(0)\n(r * r).sum().backward()",
    "torch.sin(*3)",
    "x = [1, *3]",
    "torch.ones(1).double(1)",
    "torch.ones(1).copy_(torch.ones(2, 1, 3))",
    "b = torch.tensor(True) // True",
    "torch.ones(1).type_as([])",
]


@pytest.mark.parametrize("text", FOUND)
def test_what_was_found_stays_mended(text: str) -> None:
    check(unify_lines(text))
