"""Random scripts of plain numbers that end in an output of any kind, and their slopes by plain Python.

A script is Python as well: it is evaluated by Python with moved inputs, and slopes are central differences.
Its output is known from how it was put together, so the reference does not choose a target itself.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

#: What a script may call. Python has the functions of ``math`` for them.
FUNCTIONS = {name: getattr(math, name) for name in ("sqrt", "exp", "log", "sin", "cos", "tanh")}
STEP = 1e-5


@dataclass
class OutputScript:
    """A script, the name of its output, and the values of its inputs.

    ``reassigned`` are the inputs that are assigned again: then a refusal that names one is right as well.
    """

    text: str
    output: str
    inputs: dict[str, Any]
    kind: str
    reassigned: frozenset[str] = frozenset()

    def value(self, inputs: dict[str, Any]) -> Any:
        """The output for other values of the inputs, by plain Python; None if nothing assigned it."""
        text = self.text
        for name, value in self.inputs.items():
            text = text.replace(f"{name} = {value!r}\n", f"{name} = {inputs[name]!r}\n", 1)
        names: dict[str, Any] = dict(FUNCTIONS)
        exec(compile(text, "<output script>", "exec"), names)
        return names.get(self.output)

    def slopes(self, weights: Any) -> dict[str, list[float]] | None:
        """The slopes of the weighted sum of the output's entries by each entry of each input.

        None where the differences of two steps, or those to both sides, are apart: there is a kink or a jump
        nearby.
        """
        found = {}
        for name, value in self.inputs.items():
            entries = value if isinstance(value, list) else [value]
            found[name] = []
            for at in range(len(entries)):
                wide, narrow = (
                    self.difference(name, at, (step, -step), weights) for step in (2 * STEP, STEP)
                )
                after, before = (self.difference(name, at, (step, 0.0), weights) for step in (STEP, -STEP))
                size = 1 + abs(narrow)
                if abs(wide - narrow) > 1e-5 * size or abs(after - before) > 0.05 * size:
                    return None
                found[name].append(narrow)
        return found

    def difference(self, name: str, at: int, moves: tuple[float, float], weights: Any) -> float:
        """The slope between two moves of an entry of an input."""
        ends = []
        for move in moves:
            value = self.inputs[name]
            if isinstance(value, list):
                moved: Any = [x + move * (k == at) for k, x in enumerate(value)]
            else:
                moved = value + move
            ends.append(weighted_sum(self.value({**self.inputs, name: moved}), weights))
        return (ends[0] - ends[1]) / (moves[0] - moves[1])


def weighted_sum(value: Any, weights: Any) -> float:
    """The sum of all entries, each times its weight; ``weights`` is 1 or has the lists of ``value``."""
    if isinstance(value, (list, tuple)):
        parts = weights if isinstance(weights, list) else [weights] * len(value)
        return sum(weighted_sum(one, weight) for one, weight in zip(value, parts, strict=True))
    return float(value) * weights


def shape_of(value: Any) -> Any:
    """The lists of an output with None for each number."""
    return [shape_of(one) for one in value] if isinstance(value, (list, tuple)) else None


@dataclass
class Writer:
    """Writes one script; ``known`` are the names of numbers that an expression may use."""

    draw: random.Random
    lines: list[str] = field(default_factory=list)
    inputs: dict[str, Any] = field(default_factory=dict)
    known: list[str] = field(default_factory=list)
    reassigned: set[str] = field(default_factory=set)

    def add_inputs(self) -> None:
        for name in "abc"[: self.draw.randint(1, 3)]:
            value = self.draw.choice([-1, 1]) * self.draw.randint(3, 30) / 10 + 0.0137
            self.add_input(name, self.draw.choice([round(value, 4), round(value, 4), 3, -2]))
        if self.draw.random() < 0.4:
            self.add_input("v", [round(self.draw.uniform(0.5, 3), 3) for _ in range(self.draw.randint(2, 3))])
        self.draw.shuffle(self.lines)

    def add_input(self, name: str, value: Any) -> None:
        self.inputs[name] = value
        self.lines.append(f"{name} = {value!r}\n")
        self.known += [f"{name}[{k}]" for k in range(len(value))] if isinstance(value, list) else [name]

    def number(self) -> str:
        return self.draw.choice(["2", "0.5", "3.0", "1.25", "-1.5", "7"])

    def name(self) -> str:
        return self.draw.choice(self.known)

    def operand(self) -> str:
        return self.name() if self.draw.random() < 0.8 else self.number()

    def expression(self, depth: int = 2) -> str:
        """An expression of the names that is smooth and finite for every value of them."""
        x, y = (self.expression(depth - 1) if depth > 1 else self.operand() for _ in range(2))
        if x[0] in "-0123456789" and y[0] in "-0123456789":
            x = self.name()
        return self.draw.choice(
            [
                f"({x} + {y})",
                f"({x} - {y})",
                f"{x}*{y}",
                f"{x}/(2.5 + {self.name()}**2)",
                f"sin({self.name()}*{self.number()})",
                f"tanh({self.name()} - 0.25*{self.name()})",
                f"sqrt(1.5 + {self.name()}**2)",
                f"exp(-0.125*{self.name()}**2)",
                f"log(3.5 + {self.name()}**2)",
                f"({x} + {self.name()})**2",
            ]
        )

    def condition(self) -> str:
        return f"{self.name()} {self.draw.choice('<>')} {self.draw.choice(['0', '1.5', '-1', '2.25'])}"

    def constant(self) -> str:
        return self.draw.choice(["0", "5", "0.0", "-2.5", "1.0"])

    def add_middle(self) -> None:
        """Lines between inputs and output: names for parts, branches, loops, functions."""
        for k in range(self.draw.randint(0, 3)):
            name = f"t{k}"
            way = self.draw.randrange(6)
            if way < 3:
                self.lines.append(f"{name} = {self.expression()}\n")
            elif way == 3:
                self.lines.append(f"{name} = {self.expression()} if {self.condition()} else {self.name()}\n")
            elif way == 4:
                self.lines.append(
                    f"{name} = {self.expression(1)}\nfor k{k} in range({self.draw.randint(2, 4)}):\n"
                    f"    {name} = 0.5*{name} + {self.expression(1)}\n"
                )
            else:
                self.lines.append(
                    f"def f{k}(x, y=1.5):\n    if x > y:\n        return x*y\n"
                    f"    return {self.expression(1)} - x\n"
                    f"{name} = f{k}({self.name()})\n"
                )
            self.known.append(name)


#: By kind: a function that writes the end of a script, and returns the name of its output.
ENDINGS: dict[str, Callable[[Writer], str]] = {}


def ending(function: Callable[[Writer], str]) -> Callable[[Writer], str]:
    ENDINGS[function.__name__] = function
    return function


def line(writer: Writer, text: str) -> str:
    writer.lines.append(text)
    return "out"


@ending
def number(writer: Writer) -> str:
    return line(writer, f"out = {writer.expression(3)}\n")


@ending
def tuple_of_numbers(writer: Writer) -> str:
    parts = ", ".join(writer.expression(1) for _ in range(writer.draw.randint(2, 3)))
    return line(writer, f"out = ({parts})\n")


@ending
def list_of_numbers(writer: Writer) -> str:
    parts = [writer.expression(1) for _ in range(writer.draw.randint(1, 3))] + [writer.constant()]
    return line(writer, f"out = [{', '.join(parts)}]\n")


@ending
def list_of_lists(writer: Writer) -> str:
    one, two, three = (writer.expression(1) for _ in range(3))
    return line(writer, f"out = [{one}, ({two}, {three})]\n")


@ending
def comprehension(writer: Writer) -> str:
    if "v" not in writer.inputs:
        writer.add_input("v", [0.75, 1.5])
    return line(writer, f"out = [{writer.expression(1)} + item**2 for item in v]\n")


@ending
def filled_list(writer: Writer) -> str:
    text = f"    t = {writer.expression(1)} * (k + 1)\n    out.append(t)\n"
    return line(writer, f"out = []\nfor k in range({writer.draw.randint(2, 3)}):\n{text}")


@ending
def assigned_entries(writer: Writer) -> str:
    text = f"    t = {writer.expression(1)} + k\n    out[k] = t\n"
    return line(writer, f"out = [0.0]*3\nfor k in range({writer.draw.randint(2, 3)}):\n{text}")


@ending
def branch_or_constant(writer: Writer) -> str:
    parts = [writer.expression(2), writer.constant()]
    writer.draw.shuffle(parts)
    return line(writer, f"out = {parts[0]} if {writer.condition()} else {parts[1]}\n")


@ending
def steps(writer: Writer) -> str:
    return line(
        writer,
        f"if {writer.condition()}:\n    out = {writer.constant()}\nelif {writer.condition()}:\n"
        f"    out = {writer.constant()}\nelse:\n    out = {writer.expression(1)}\n",
    )


@ending
def default_before_a_branch(writer: Writer) -> str:
    """A number that a branch replaces."""
    return line(
        writer, f"out = {writer.constant()}\nif {writer.condition()}:\n    out = {writer.expression(2)}\n"
    )


@ending
def loop_that_may_not_run(writer: Writer) -> str:
    """A loop of which the values of the inputs tell how often it runs."""
    return line(
        writer,
        f"out = {writer.constant()}\nfor k in range(3):\n    if {writer.condition()}:\n        break\n"
        f"    out = 0.5*out + {writer.expression(1)}\n",
    )


@ending
def early_return(writer: Writer) -> str:
    return line(
        writer,
        f"def last(x):\n    if {writer.condition()}:\n        return {writer.constant()}\n"
        f"    return x*{writer.expression(1)}\nout = last({writer.name()})\n",
    )


@ending
def chosen_number(writer: Writer) -> str:
    function = writer.draw.choice(["max", "min"])
    return line(writer, f"out = {writer.number()}*{function}({writer.expression(1)}, {writer.constant()})\n")


@ending
def constant(writer: Writer) -> str:
    return line(writer, f"out = {writer.constant()}\n")


@ending
def place_in_a_table(writer: Writer) -> str:
    name = next(name for name in writer.inputs if name != "v")
    return line(writer, f"out = [1.5, 4.0, 9.0, 2.0][int({name}) % 4]\n")


@ending
def total_of_a_loop(writer: Writer) -> str:
    return line(
        writer,
        f"out = {writer.constant()}\nfor k in range({writer.draw.randint(2, 4)}):\n"
        f"    t = {writer.expression(1)}*(k + 1)\n    out += t\n",
    )


@ending
def counted_loop(writer: Writer) -> str:
    return line(
        writer,
        f"out = 1.0\ni = 0\nwhile i < {writer.draw.randint(2, 4)}:\n"
        f"    out = 0.5*out + {writer.expression(1)}\n"
        f"    {writer.draw.choice(['i += 1', 'i = i + 1'])}\n",
    )


@ending
def reassigned_input(writer: Writer) -> str:
    name = writer.draw.choice([name for name in writer.inputs if name != "v"])
    writer.reassigned.add(name)
    again = writer.draw.choice(
        [f"{name}*0 + {writer.expression(1)}", f"{name} + 1", f"{name}*{writer.name()}"]
    )
    return line(writer, f"{name} = {again}\nout = {writer.expression(1)}*{name}\n")


@ending
def reassigned_in_a_loop(writer: Writer) -> str:
    name = writer.draw.choice([name for name in writer.inputs if name != "v"])
    writer.reassigned.add(name)
    return line(writer, f"for k in range(2):\n    {name} = 0.5*{name} + {writer.name()}\nout = {name}**2\n")


@ending
def copy_before_a_change(writer: Writer) -> str:
    """A number that another name keeps while its own name gets another one."""
    sign = writer.draw.choice("+-*")
    return line(
        writer, f"one = {writer.expression(1)}\ntwo = one\none {sign}= {writer.name()}\nout = one*two - two\n"
    )


@ending
def pythons_numbers(writer: Writer) -> str:
    """Whole parts and conversions, as of plain numbers."""
    whole = writer.draw.choice(["//0.37", "%1.7", "*int(2.5*({0}))", "*bool({0})"]).format(writer.name())
    return line(writer, f"out = float({writer.expression(1)}){whole} + float({writer.name()})\n")


@ending
def constant_after_a_result(writer: Writer) -> str:
    return line(writer, f"res = {writer.expression(2)}\nout = {writer.constant()}\n")


@ending
def copy_of_an_input(writer: Writer) -> str:
    return line(writer, f"res = {writer.expression(2)}\nout = {writer.name()}\n")


@ending
def counter_after_a_result(writer: Writer) -> str:
    writer.lines.insert(0, "out = 0\n")
    return line(writer, f"res = {writer.expression(2)}\nout += 1\n")


@ending
def counted_loop_after_a_result(writer: Writer) -> str:
    return line(writer, f"res = {writer.expression(2)}\nout = 0\nwhile out < 3:\n    out += 1\n")


@ending
def sum_of_constants(writer: Writer) -> str:
    steps = "".join(f"if {writer.condition()}:\n    out += {k}\n" for k in (1, 2))
    return line(writer, f"out = {writer.constant()}\n{steps}for k in range(2):\n    out = out + 0.5\n")


@ending
def part_of_a_sum_of_constants(writer: Writer) -> str:
    text = f"if {writer.condition()}:\n    count += 1\n"
    return line(writer, f"count = {writer.constant()}\n{text}out = 2.0*count\n")


@ending
def input_assigned_after_a_result(writer: Writer) -> str:
    name = writer.draw.choice([name for name in writer.inputs if name != "v"])
    writer.reassigned.add(name)
    line(writer, f"res = {writer.expression(2)} + {name}\n{name} = {writer.draw.choice(['5.0', '2'])}\n")
    return name


@ending
def branch_without_default(writer: Writer) -> str:
    """A branch that runs or not, by the values."""
    return line(writer, f"if {writer.condition()}:\n    out = {writer.expression(2)}\n")


@ending
def loop_without_default(writer: Writer) -> str:
    times = writer.draw.choice([0, 0, 2])
    return line(writer, f"for k in range({times}):\n    out = {writer.expression(2)}\n")


@ending
def function_without_return(writer: Writer) -> str:
    return line(
        writer,
        f"def last(x):\n    if {writer.condition()}:\n        return x*{writer.expression(1)}\n"
        f"out = last({writer.name()})\n",
    )


@ending
def none_last(writer: Writer) -> str:
    return line(writer, "out = None\n")


@ending
def text_last(writer: Writer) -> str:
    """A text where no result is computed; after one it may be a label."""
    writer.lines = [f"{name} = {value!r}\n" for name, value in writer.inputs.items()]
    return line(writer, f"out = {writer.draw.choice(['str', 'repr'])}({next(iter(writer.inputs))})\n")


def make_script(seed: int) -> OutputScript:
    """The script of a seed; the kinds take turns."""
    draw = random.Random(seed)
    writer = Writer(draw)
    writer.add_inputs()
    writer.add_middle()
    kind = list(ENDINGS)[seed % len(ENDINGS)]
    output = ENDINGS[kind](writer)
    text = "".join(writer.lines)
    lines = text.split("\n")
    order = sorted(writer.inputs, key=lambda name: first_line(lines, name))
    inputs = {name: writer.inputs[name] for name in order}
    return OutputScript(text, output, inputs, kind, frozenset(writer.reassigned))


def first_line(lines: list[str], name: str) -> int:
    """The number of the line that assigns a name first."""
    return next(at for at, one in enumerate(lines) if one.startswith(f"{name} = "))
