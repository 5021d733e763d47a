"""Runs a generated script with torch and with autodiff and lists everything in which the two differ."""

from __future__ import annotations

import math
import re
import traceback
import types
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from autodiff.core import Tensor
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.graph.node import Node
from autodiff.grammar.objects.values import BoundMethod, FunctionClass, Namespace, ScriptFunction
from exception_names import PYTHON_NAMES
from language_generator import Script
from script_runner import Outcome, run_script
from torch_comparison import NUMBER, last_digit, same_text, tensor_differences
from transcript import normalise

if TYPE_CHECKING:
    from torch_prelude import OracleResult

#: Errors found before anything runs, here; Python prints what comes before them first.
BEFORE_IT_RUNS = ("E0201", "E0211")
#: First lines that are said otherwise here: Python's are empty, wrong, or name what scripts do not see.
OWN_WORDS = (
    "assertion failed",
    "<lambda>()",
    "is not writable",
    "unexpected keyword argument",
    "'builtin_function_or_method' object is not",
)
PLAIN = (int, float, bool, str, type(None))


@dataclass
class Compared:
    """Both runs of a script, and in what they differ."""

    outcome: Outcome
    oracle: OracleResult
    differences: list[str]


def compare(script: Script, oracle: OracleResult | None = None) -> Compared:
    """Run the script here, and with torch unless its answer is there already."""
    from torch_prelude import run_with_torch

    oracle = oracle or run_with_torch(script.text)
    outcome = run_script(script.text)
    return Compared(outcome, oracle, differences(script, outcome, oracle))


def to_the_letter(compared: Compared) -> bool:
    return normalise(compared.outcome.stdout) == normalise(compared.oracle.stdout)


def differences(script: Script, outcome: Outcome, oracle: OracleResult) -> list[str]:
    found = error_differences(script, outcome, oracle)
    early = outcome.error is not None and outcome.error.code in BEFORE_IT_RUNS
    ours, theirs = normalise(outcome.stdout).splitlines(), normalise(oracle.stdout).splitlines()
    pairs = [(a, b) for a, b in zip(ours, theirs, strict=False) if not agree(a, b)]
    if not early and (pairs or len(ours) != len(theirs)):
        found.append(f"printed: {pairs[:2]} ({len(ours)} and {len(theirs)} lines)")
    if not early:
        found += warning_differences(outcome, oracle)
    if outcome.error is None and oracle.error is None:
        found += name_differences(outcome.names, oracle.names)
    return found


def warning_differences(outcome: Outcome, oracle: OracleResult) -> list[str]:
    """Which warnings a run gives, by their first lines; how often is the terminal's affair."""
    ours, theirs = ({normalise(text).split("\n")[0] for text in run.warnings} for run in (outcome, oracle))
    return [f"warnings: {sorted(ours ^ theirs)}"] if ours != theirs else []


def agree(ours: str, theirs: str) -> bool:
    """Equal lines but for one step of a last digit; a zero keeps its sign, rounding noise is any noise."""
    if NOISE.search(ours) or NOISE.search(theirs):
        return agree_but_for_noise(ours, theirs)
    return same_text(ours, theirs) and NEGATIVE_ZERO.findall(ours) == NEGATIVE_ZERO.findall(theirs)


def agree_but_for_noise(ours: str, theirs: str) -> bool:
    """Whether lines differ in numbers next to nothing alone, and in the format that these bring about."""
    if SPACES.sub("", NUMBER.sub("#", ours)) != SPACES.sub("", NUMBER.sub("#", theirs)):
        return False
    return all(
        abs(float(a) - float(b)) <= 1.0001 * max(last_digit(a), last_digit(b), 1e-13)
        for a, b in zip(NUMBER.findall(ours), NUMBER.findall(theirs), strict=True)
    )


SPACES = re.compile(r"\s+")
NEGATIVE_ZERO = re.compile(r"-0\.0*(?![0-9])")
NOISE = re.compile(r"e-(1[4-9]|[2-9][0-9])")  # of a number that cancelled: nothing here is written that small


def error_differences(script: Script, outcome: Outcome, oracle: OracleResult) -> list[str]:
    """Class, line and, where torch's words are quoted, message of the error a script ends in."""
    if outcome.error is None:
        return [] if oracle.error is None else [f"torch stops: {oracle.error!r:.200}"]
    ours = f"{outcome.error.code} {outcome.error.message}"
    if oracle.error is None:
        return [f"autodiff stops: {ours} in line {error_line(script, outcome)}"]
    named = PYTHON_NAMES.get(outcome.error.code, "RuntimeError")
    # A class of theirs may be a special case of ours, such as UnboundLocalError of NameError.
    theirs = {kind.__name__ for kind in type(oracle.error).__mro__} - {"Exception", "BaseException"}
    found = []
    if not theirs & set(named.split(" or ")):
        found.append(f"class: {ours} is {named}, {oracle.error!r:.200}")
    messages = outcome.error.message.split("\n")[0], str(oracle.error).split("\n")[0]
    if messages[0] != messages[1] and not any(words in messages[0] for words in OWN_WORDS):
        found.append(f"message: {messages}")
    lines = error_line(script, outcome), oracle_line(oracle)
    if lines[0] != lines[1]:
        found.append(f"line: {ours} in {lines[0]}, {oracle.error!r:.200} in {lines[1]}")
    return found


def error_line(script: Script, outcome: Outcome) -> int:
    span = outcome.error.span if outcome.error is not None else None
    return 0 if span is None else script.text.count("\n", 0, span.start) + 1


def oracle_line(oracle: OracleResult) -> int:
    from torch_prelude import SCRIPT_NAME

    assert oracle.error is not None
    frames = [
        frame for frame in traceback.extract_tb(oracle.error.__traceback__) if frame.filename == SCRIPT_NAME
    ]
    return frames[-1].lineno or 0


def name_differences(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """Every top-level name: which are bound, and to what."""
    import torch

    # What an import binds is a builtin here, which is not a name of the script.
    missing = ours.keys() ^ {name for name, value in theirs.items() if name in ours or is_data(value)}
    found = [f"names: {sorted(missing)}"] if missing else []
    for name in sorted(ours.keys() & theirs.keys()):
        a, b = ours[name], theirs[name]
        if isinstance(b, torch.Tensor) and isinstance(a, Tensor):
            try:
                found += tensor_differences(name, a, b)
            except (
                RuntimeError
            ):  # torch will not look at one of several views whose base was changed in place
                continue
        elif not same_value(a, b):
            found.append(f"value of {name}: {a!r:.80} and {b!r:.80}")
    return found


def is_data(value: Any) -> bool:
    """Whether a value is the script's own, and no function, class or module."""
    import torch

    constants = (torch.pi, torch.e, torch.inf)
    is_constant = isinstance(value, float) and (value != value or value in constants)
    return isinstance(value, (*PLAIN, list, tuple, torch.Tensor)) and not is_constant


def same_value(a: Any, b: Any) -> bool:
    """Equal numbers, texts and tensors of one type, down into lists and tuples; one kind of anything else."""
    import torch

    if isinstance(a, Tensor) or isinstance(b, torch.Tensor):
        return isinstance(a, Tensor) and isinstance(b, torch.Tensor) and not tensor_differences("", a, b)
    if isinstance(b, (list, tuple)) and isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(same_value(x, y) for x, y in zip(a, b, strict=True))
    if type(b) in PLAIN or type(a) in PLAIN:
        if isinstance(a, float) and isinstance(b, float):
            return (
                a == b or (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
            )
        return type(a) is type(b) and bool(a == b)
    if isinstance(b, (range, slice, torch.dtype, torch.device)):
        return repr(a) == repr(b)
    return kind_of(a) == kind_of(b)


def kind_of(value: Any) -> str:
    """What sort of thing a value is that is neither data nor tensor."""
    import torch

    if isinstance(value, (FunctionClass, type)):
        return "class"
    if isinstance(value, (NamedResult, tuple)):
        return "tuple"
    if isinstance(value, (Node, torch.autograd.graph.Node)):
        return "node"
    if isinstance(value, (Namespace, types.ModuleType)):
        return "module"
    return "callable" if callable(value) or isinstance(value, (ScriptFunction, BoundMethod)) else "other"
