"""Scripts nobody would write: random ones in the language's own words, and real ones damaged.

Everything is a function of a ``random.Random``, so a number names a script. What is written leans
towards scripts that get past the parser, because most mistakes of an interpreter lie behind it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from random import Random

from autodiff.core.engine.public_functions import FUNCTIONS, Parameter
from autodiff.core.engine.public_functions import METHODS as FUNCTION_METHODS
from fuzz_words import (
    BLOCKS,
    CUSTOM_FUNCTION,
    EXPRESSIONS,
    FITTING,
    INFIX,
    KEYWORDS,
    LETTERS,
    MEMBERS,
    NAMES,
    NUMBERS,
    NUMBERS_ONLY,
    ODD,
    ODD_STATEMENTS,
    PRELUDE,
    QUALIFIED,
    REPOSITORY,
    SIGNS,
    STATEMENTS,
    STRINGS,
    TENSORS,
    WORDS,
)
from script_generator import generate

DEEPEST = 3  # a script should fit a screen


class Writer:
    """Writes random statements; ``deep`` keeps expressions and blocks from growing for ever."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.deep = 0

    def pick(self, *options: Callable[[], str]) -> str:
        """One of the ways to write something; when it is deep already, the first and simplest."""
        self.deep += 1
        made = options[0 if self.deep > DEEPEST else int(self.random.random() * len(options))]()
        self.deep -= 1
        return made

    # -- expressions ----------------------------------------------------------------------------------

    def value(self) -> str:
        return self.pick(
            self.atom, self.atom, self.atom, self.call, self.call, self.call, self.method, self.method,
            self.method, self.infix, self.infix, self.subscript, self.attribute, self.display, self.other,
        )  # fmt: skip

    def atom(self) -> str:
        random, kind = self.random, self.random.random()
        if kind < 0.55:
            return random.choice(TENSORS if kind < 0.4 else NAMES)
        return random.choice(NUMBERS if kind < 0.8 else STRINGS if kind < 0.86 else ODD)

    def arguments(self, name: str = "") -> str:
        random = self.random
        function = FUNCTIONS.get(name) or FUNCTION_METHODS.get(name)
        parameters = function.parameters if function else ()
        if parameters and random.random() < 0.7:
            skipped = name in FUNCTION_METHODS and name not in FUNCTIONS  # the tensor itself comes first
            return ", ".join(map(self.fitting, parameters[skipped : random.randint(1, len(parameters))]))
        given = [self.value() for _ in range(random.randint(0, min(len(parameters) or 2, 4)))]
        if random.random() < 0.2:
            given.append(
                random.choice(["1", "0", "-1", "dim=0", "dim=1", "dim=-1", "keepdim=True", "2, 3", "(2, 3)"])
            )
        if random.random() < 0.15:
            words = [parameter.name for parameter in parameters] or KEYWORDS
            given += [f"{word}={self.value()}" for word in random.sample(words, min(len(words), 1))]
        if random.random() < 0.03:
            given.insert(0, "*" + self.value())
        return ", ".join(given)

    def fitting(self, parameter: Parameter) -> str:
        """An argument of the kind a parameter wants; now and then of another."""
        odd = self.random.random() < 0.06
        text = self.value() if odd else self.random.choice(FITTING[parameter.kind])
        return f"{parameter.name}={text}" if parameter.keyword_only else text

    def call(self) -> str:
        name = self.random.choice(QUALIFIED)
        return f"{name}({self.arguments(name)})"

    def method(self) -> str:
        name = self.random.choice(MEMBERS)
        return f"{self.operand()}.{name}({self.arguments(name)})"

    def attribute(self) -> str:
        return f"{self.operand()}.{self.random.choice(MEMBERS)}"

    def operand(self) -> str:
        text = self.atom() if self.random.random() < 0.8 else self.value()
        return text if text.isidentifier() else f"({text})"

    def infix(self) -> str:
        return f"{self.operand()} {self.random.choice(INFIX)} {self.operand()}"

    def subscript(self) -> str:
        return f"{self.operand()}[{', '.join(self.index() for _ in range(self.random.choice([1, 1, 2, 3])))}]"

    def index(self) -> str:
        return self.pick(
            lambda: self.random.choice(
                ["0", "-1", ":", "1:", "::2", "::-1", "None", "...", "i", "b", "[0, 1]"]
            ),
            self.value,
            lambda: ":".join(
                self.random.choice(["", self.atom()]) for _ in range(self.random.choice([2, 3]))
            ),
        )

    def display(self) -> str:
        inside = ", ".join(self.value() for _ in range(self.random.randint(1, 3)))
        return self.random.choice(["[{}]", "({},)", "({})", "[*[{}]]"]).replace("{}", inside)

    def other(self) -> str:
        text = self.random.choice(EXPRESSIONS)
        return re.sub(r"\{\}", lambda _: self.value(), text)

    # -- statements -----------------------------------------------------------------------------------

    def statement(self, indent: str) -> list[str]:
        kind = self.random.random()
        if kind < 0.14 and len(indent) < 12:
            return self.block(indent)
        if kind < 0.16:
            return [indent + " ".join(self.soup())]
        if kind < 0.18:
            return [indent + self.fill(self.random.choice(ODD_STATEMENTS))]
        text = self.random.choice(STATEMENTS)
        return [indent + self.fill(text)]

    def fill(self, text: str) -> str:
        parts = {
            "{}": self.value,
            "{n}": lambda: self.random.choice(NAMES),
            "{i}": self.index,
            "{o}": lambda: self.random.choice("+ - * / // ** % @ & | ^".split()),
        }
        return re.sub(r"\{[nio]?\}", lambda found: parts[found[0]](), text)

    def block(self, indent: str) -> list[str]:
        header = self.random.choice(BLOCKS).split("|")
        lines = [indent + self.fill(line) for line in header]
        inner = indent + "    " * (2 if "class" in header[0] else 1)
        for _ in range(self.random.randint(1, 3)):
            lines += self.statement(inner)
        if "def " in header[-1]:
            lines.append(
                inner + self.fill(self.random.choice(["return {}", "return v * k", "return {}, {}"]))
            )
        elif "for " in header[-1] or "while " in header[-1]:
            lines.append(inner + self.fill(self.random.choice(["break", "continue", "if {}: break", "pass"])))
        return lines

    def soup(self) -> list[str]:
        random = self.random
        sources = (WORDS, SIGNS, NAMES, NUMBERS, QUALIFIED, STRINGS, KEYWORDS)
        return [random.choice(random.choice(sources)) for _ in range(random.randint(1, 9))]


def random_script(random: Random) -> str:
    """A few random statements, mostly after lines that give them tensors to work with."""
    writer = Writer(random)
    lines = (PRELUDE if random.random() < 0.85 else NUMBERS_ONLY)[:]
    if random.random() < 0.03:
        lines = lines[: random.randint(0, len(lines))]
    made: list[str] = []
    for _ in range(random.randint(1, 5)):
        made += writer.statement("")
    text = "\n".join(made) + "\n"
    if "Cube" in text:
        lines += CUSTOM_FUNCTION
    text = "\n".join(lines) + "\n" + text
    return damaged(text, random) if random.random() < 0.15 else text


# -- real scripts, damaged ----------------------------------------------------------------------------------


@cache
def scripts() -> tuple[str, ...]:
    """Every script of the repository and some generated ones."""
    files = [*(REPOSITORY / "examples").rglob("*.ad"), *(REPOSITORY / "tests").rglob("*.ad")]
    found = [path.read_text(encoding="utf-8") for path in sorted(files)]
    for path in sorted((REPOSITORY / "tests" / "golden" / "snippets").glob("*.txt")):
        found += [line.replace("\\n", "\n") for line in path.read_text(encoding="utf-8").splitlines() if line]
    found += [generate(seed) for seed in range(40)]
    return tuple(found)


TOKEN = re.compile(
    r"[^\W\d]\w*|\d[\w.]*|'[^'\n]*'|\"[^\"\n]*\"|\n[ ]*|\*\*|//|[-+*/%@<>=!&|^]=?|\s+|.", re.DOTALL
)


def damaged(text: str, random: Random) -> str:
    """The text after one change."""
    return random.choice(CHANGES)(text, random)


def change_tokens(text: str, random: Random) -> str:
    tokens = TOKEN.findall(text)
    if not tokens:
        return random.choice(WORDS)
    at = random.randrange(len(tokens))
    other = random.randrange(len(tokens))
    kind = random.randrange(6)
    if kind == 0:
        del tokens[at]
    elif kind == 1:
        tokens.insert(at, tokens[other])
    elif kind == 2:
        tokens[at], tokens[other] = tokens[other], tokens[at]
    elif kind == 3:
        tokens[at] = random.choice(random.choice((WORDS, NUMBERS, STRINGS, ODD, QUALIFIED)))
    elif kind == 4:
        tokens[at] = tokens[other]
    else:
        del tokens[min(at, other) : min(at, other) + random.randint(1, 8)]
    return "".join(tokens)


def change_word(text: str, random: Random) -> str:
    """A name, number or string becomes another of its kind, which the parser does not mind."""
    found = [match for match in TOKEN.finditer(text) if match[0][0].isalnum() or match[0][0] in "'\""]
    if not found:
        return text
    match = random.choice(found)
    if match.start() and text[match.start() - 1] == ".":
        new = random.choice(MEMBERS)
    elif match[0][0].isalpha():
        names = [other[0] for other in found if other[0][0].isalpha()]
        new = random.choice(random.choice((names, names, names, QUALIFIED, NUMBERS, ODD)))
    else:
        new = random.choice(random.choice((NUMBERS, NUMBERS, NUMBERS, STRINGS, ODD, NAMES)))
    return text[: match.start()] + new + text[match.end() :]


def change_argument(text: str, random: Random) -> str:
    """What stands between a bracket or comma and the next becomes something else."""
    found = list(re.finditer(r"(?<=[(,\[=])[^(),\[\]\n=]*(?=[),\]\n])", text))
    if not found:
        return text
    match = random.choice(found)
    new = random.choice(random.choice((NUMBERS, STRINGS, ODD, TENSORS, ["", "*xs", "dim=0", "a=1", "*1"])))
    return text[: match.start()] + new + text[match.end() :]


def change_characters(text: str, random: Random) -> str:
    at = random.randint(0, len(text))
    kind = random.randrange(3)
    new = "" if kind == 0 else random.choice(LETTERS) * random.choice((1, 1, 1, 2, 40))
    return text[:at] + new + text[at + (kind != 1) * random.randint(1, 3) :]


def change_lines(text: str, random: Random) -> str:
    lines = text.splitlines(keepends=True) or [""]
    at, other = random.randrange(len(lines)), random.randrange(len(lines))
    kind = random.randrange(7)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(at, lines[other])
    elif kind == 2:
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == 3:
        lines[at] = random.choice(["\t", " ", "  ", "    ", "        ", "\x0c"]) + lines[at]
    elif kind == 4:
        lines[at] = lines[at].lstrip(" ")
    elif kind == 5:
        lines[at] = lines[at].rstrip("\n")
    else:
        lines.insert(at, "\n".join(Writer(random).statement(re.match(r"[ ]*", lines[at])[0])) + "\n")
    return "".join(lines)


def splice(text: str, random: Random) -> str:
    """The start of one script and the end of another."""
    first, second = text.splitlines(keepends=True), random.choice(scripts()).splitlines(keepends=True)
    return "".join(first[: random.randint(0, len(first))] + second[random.randint(0, len(second)) :])


CHANGES = (
    change_tokens, change_tokens, change_word, change_word, change_word, change_argument, change_argument,
    change_argument, change_characters, change_lines, splice,
)  # fmt: skip


def mutated_script(random: Random) -> str:
    """A real script after one to four changes."""
    text = random.choice(scripts())
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
        text = damaged(text, random)
    return text


# -- no scripts at all --------------------------------------------------------------------------------


def random_bytes(random: Random) -> bytes:
    """Noise of some kind, or a real script with noise in it."""
    kind = random.randrange(4)
    if kind == 0:
        return random.randbytes(random.randint(0, 40))
    if kind == 1:
        text = "".join(random.choice(LETTERS + "abx=()[]+*'\"\n 019.") for _ in range(random.randint(0, 60)))
        return text.encode("utf-8", "surrogatepass")
    data = bytearray(random.choice(scripts()).encode())
    if kind == 2:
        return (
            bytes(data)
            .decode()
            .encode(random.choice(("utf-16", "utf-16-le", "utf-8-sig", "utf-32", "cp037")), "replace")
        )
    for _ in range(random.randint(1, 4)):
        at = random.randint(0, len(data))
        data[at : at + random.randint(0, 2)] = random.randbytes(random.randint(0, 2))
    return bytes(data)
