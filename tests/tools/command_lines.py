"""Random command lines: any command with any of its options, over a random script.

Commands and options are those of the table that the program itself reads: a new option is tried at once, with
values that fit its kind. Everything is a function of a ``random.Random``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from autodiff.cli.codes import CODES
from autodiff.cli.command_line.options import (
    COMMANDS,
    NUMBER,
    SECONDS,
    SIZE,
    Command,
    Option,
)
from command_runner import CommandLine
from fuzz_words import LETTERS, QUALIFIED
from language_generator import generate as language_script
from loop_scripts import loop_script
from number_files import random_files
from output_scripts import make_script
from script_fuzzer import damaged, mutated_script, random_bytes, random_script, scripts
from script_generator import generate
from teaching_scripts import RIGHT

#: How often a command is drawn, where it is not as often as the others.
WEIGHTS = {"watch": 0.0, "minimize": 0.1, "help": 0.1, "examples": 0.1, "ops": 0.1, "lint": 0.7}
NAMES = "x m s w L y loss a b W w1 x1 torch print nosuch".split()
#: Values of options by their kind. What is in a pool of a name, below, comes first.
KINDS = {
    NUMBER: """
0 1 1 2 3 5 17 100 1000000 4611686018427387903 4611686018427387904 -1 1.5 1e3 0x1 x +1 1_0 ٣
999999999999999999999999999999""".split(),
    SIZE: """
1 100 4K 1M 16MiB 1G 0 0.5M -1 M 1e6 99999999999999999999 9999999999999T x""".split(),
    SECONDS: "0 0.5 60 1e3 1e9 1e400 -1 nan inf x 1_0".split(),
}
ODD_TEXTS = ["", " ", "1 2", " 1", "9" * 400, "[" * 60, "(" * 3000, "0," * 70, "[1,\n2]", "\udcff", "\u202e1"]
VALUES = """
0 1 2 -1 0.5 -2.5 1e300 -1e308 1e400 1e-320 nan inf -inf True False None () [] [[]] (1,) [1] [1,2] [1.,2.,3.]
[[1,2],[3,4]] [[1,2],[3]] [[[0.5]]] [True] [nan,1] x w*2 torch.ones(2) 's' @ 9**9**9 2**3 0x10 1_000
1; tensor(2.) tensor([1.,2.]) pi/4 linspace(0,1,5) rand(2,2) zeros(0) arange(3) x.T [pi,e] sqrt(-1) 1/0
zeros(10**6) @f.csv @f.tsv @f.txt @f.json @f.jsonl @f.npy @f.npz @f.csv @f.npz @- @missing @.""".split()
#: Bounds that keep a run short: 0, which means no limit, is left out.
SHORT = "1 2 5 50 500".split()
POOLS = {
    "max_paths": SHORT,
    "max_steps": SHORT,
    "max_nodes": [*SHORT, "20000"],
    "max_memory": "1 8 100 1K 64K 1M 16M".split(),
    "max_depth": SHORT,
    "output": "out.json out.csv out.npz out.tex out.dot out.md out.x out a.ad - . no/out /dev/full".split(),
    "max_script": [*SHORT, "1M"],
    "max_input": [*SHORT, "1M"],
    "entry": """
0 1 0,0 1,2 9 9,9 -1 -1,-1 0,0,0 [0] [0,1] [] 0, ,0 0.5 x 99999999999999999999 1_0 ٣""".split(),
    "grad_output": ["ones", "ones", "ones", "one", "zeros", *VALUES],
    "fail_on": "nan zero warning nan,zero warning, x , NaN".split(),
    "cov": "cov.csv f.csv f.npy missing.csv . @f.csv".split(),
    "monte_carlo": "0 1 2 10 50".split(),
    "order": "1 2 3 4".split(),
    "show": "gradients graph paths tensors graph,paths gradients,tensors x , graph,".split(),
}
#: What is asked for, with names of the script in the braces.
OUTPUTS = """
{} {} {} {} {}[0] {}[-1] {}[9] {}.sum() {}**2 {}.grad {}+{} ({},{}) [{}] {}; {}, {}[ -{} print({}) {}=1
lambda:{} {}.T {}.shape {}# 1""".split()
OUTPUTS += [" {} ", "{} if {} else 0", "[v for v in {}]", "{}\n{}"]
INPUTS = """
{} {} {} {} {},{} * ? [a-z] {}* {}[0] {}[-1] {}[9] {}[0,0] {}[:] {}.grad {},{},{} , nosuch [ *
[!x] {}(1)""".split()
INPUTS += [" {} , {} ", "{}\n", "*" * 50, "[" * 999]
SETTINGS = ["{}=", "{}=", "{}=", "{}=", " {} = ", "{}", "=", "{}[0]=", "{}==", "1="]
FORMULAS = """\
dL/d{} == 2*{}
d{}/d{} == {}
dL/d{} == -{}*{}
dL/d{} == {}.T
dL/d{} == 0
{}
@
@steps.txt
@missing
@.
== 1
dL/d{} ==
dL/d{} == ones({})
d{} = {}
dL/d{} == dL/d{} * {}
dL/d{}[0] == {}
dL/d{} == 1/0
dL/d{} == 1e400
dL/d{} == [{}, {}]
dL/d{} == {} + print(1)
d2L/d{}2 == {}
d^2L/d{}d{} == 2
dL/d{} = {}
dL/d{} == 9**9**9
""".splitlines()
FORMULAS += ["dL/d{} == {}\ndL/d{} == {}", "dL/d{} == " + "(" * 500]
#: Limits that are given unless the line has others, so that no run takes long.
LIMITS = {
    "--max-steps": "500",
    "--max-nodes": "20000",
    "--max-memory": "16M",
    "--max-depth": "100",
    "--max-paths": "50",
}


class Writer:
    """Writes one command line."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.text = ""

    def line(self) -> CommandLine:
        random = self.random
        names = list(COMMANDS)
        [name] = random.choices(names, [WEIGHTS.get(name, 1.0) for name in names])
        command = COMMANDS[name]
        takes_script = command.argument.startswith("[SCRIPT")
        arguments: list[str] = []
        files: dict[str, bytes] = {}
        stdin: bytes | None = random.choice([b"", b"", None])
        if takes_script:
            data = random_data(random)
            self.text = data.decode("utf-8", "replace")
            arguments, stdin, files = self.source(data, command, stdin)
        elif random.random() < 0.9:
            arguments = [self.topic(name)]
        for option in command.options:
            if option.name != "e" and random.random() < (0.5 if option.name == "format" else 0.1):
                times = random.choice([1, 1, 1, 2]) if option.takes_value else random.choice([1, 1, 2])
                for _ in range(times):
                    arguments[random.choice([0, len(arguments)]) : 0] = self.given(option)
        flags = {flag for option in command.options for flag in option.flags}
        for flag, value in LIMITS.items():
            if flag in flags and flag not in {word.partition("=")[0] for word in arguments}:
                arguments += [flag, value]
        arguments = [name, *arguments]
        if random.random() < 0.05:
            arguments = self.misspelt(arguments)
        return CommandLine(tuple(map(as_given, arguments)), stdin, files, random.random() < 0.2)

    def source(
        self, data: bytes, command: Command, stdin: bytes | None
    ) -> tuple[list[str], bytes | None, dict[str, bytes]]:
        """The script as a file, on stdin, or as code; mostly all of it, and in one way."""
        kind = self.random.random()
        names = ",".join(self.name() for _ in range(2))
        cov = f"{names}\n1,0.5\n0.5,2\n".encode("utf-8", "replace")
        files = {
            **random_files(self.random),
            "cov.csv": cov,
            "steps.txt": b"dL/dx == 2*x\nh = x + 1\ndL/dw == 1\n",
        }
        if kind < 0.6:
            others = ["other.ad", "missing.ad"] if command.takes_several and kind < 0.1 else []
            return ["a.ad", *others], stdin, {"a.ad": data, "other.ad": random_data(self.random), **files}
        if kind < 0.75:
            return self.random.choice([["-"], []]), data, files
        code = data.decode("utf-8", "surrogateescape")
        if kind < 0.95:
            return ["-e", code], stdin, files
        first, break_, second = code.partition("\n")
        given = ["-e", first, "-e", second] if kind < 0.97 else ["a.ad", "-e", second]
        return given, stdin, {"a.ad": (first + break_).encode("utf-8", "surrogateescape"), **files}

    def topic(self, command: str) -> str:
        random = self.random
        known = [*CODES, *COMMANDS, "exit-codes", "language", "formats", "pool", "linalg", "losses"]
        name = random.choice(random.choice([known, QUALIFIED, NAMES, list(LETTERS)]))
        return name if random.random() < 0.8 else damaged(name, random)

    def given(self, option: Option) -> list[str]:
        """One use of an option."""
        flag = self.random.choice(option.flags)
        if not option.takes_value:
            return [flag if self.random.random() < 0.95 else flag + "=1"]
        value = self.value(option)
        return [f"{flag}={value}"] if self.random.random() < 0.1 else [flag, value]

    def value(self, option: Option) -> str:
        random = self.random
        if random.random() < 0.05:
            return random.choice(ODD_TEXTS)
        if option.choices:
            return random.choice(option.choices) if random.random() < 0.97 else "nosuch"
        if option.name in POOLS:
            return random.choice(POOLS[option.name])
        if option.name in ("set", "vector", "sigma"):
            texts = [self.filled(random.choice(SETTINGS)) + random.choice([*VALUES, *ODD_TEXTS])]
            return ",".join(texts * random.choice([1, 1, 1, 2]))
        patterns = {"of": OUTPUTS, "wrt": INPUTS, "formula": FORMULAS}.get(option.name)
        if patterns:
            return self.filled(random.choice(patterns))
        return random.choice(KINDS.get(option.kind, [*VALUES, "a.ad", "f.json", *NAMES]))

    def name(self) -> str:
        """A name, mostly one that the script assigns."""
        assigned = re.findall(r"(?m)^ *([^\W\d]\w*) *=", self.text)
        return self.random.choice(assigned if assigned and self.random.random() < 0.9 else NAMES)

    def filled(self, pattern: str) -> str:
        return re.sub(r"\{\}", lambda _: self.name(), pattern)

    def misspelt(self, arguments: list[str]) -> list[str]:
        """The line after one change that makes it another."""
        random = self.random
        at = random.randrange(len(arguments))
        kind = random.randrange(6)
        if kind == 0:
            return arguments[:at] + arguments[at + 1 :]
        if kind == 1:
            odd = [
                "--help",
                "-h",
                "--version",
                "--",
                "-",
                "",
                "--nosuch",
                "-z",
                "--wrt",
                "-qqv",
                "-e",
                "\udcff",
            ]
            return [*arguments[:at], random.choice(odd), *arguments[at:]]
        if kind == 2:
            return [*arguments[:at], damaged(arguments[at], random), *arguments[at + 1 :]]
        if kind == 3:
            return [*arguments, arguments[at]]
        if kind == 4:
            return random.sample(arguments, len(arguments))
        return random.choice([[], ["--help"], ["--version"], ["-h"], [""], ["a.ad"], ["-"], arguments[1:]])


def as_given(argument: str) -> str:
    """The argument as a program gets it: bytes without NUL, decoded as Python does."""
    data = argument.replace("\0", "").encode("utf-8", "surrogatepass")
    return data.decode("utf-8", "surrogateescape")


def random_data(random: Random) -> bytes:
    """A script: a random one, a real one, one of those after changes, or noise."""
    kind, seed = random.random(), random.randrange(1 << 30)
    if kind < 0.02:
        return random_bytes(random)
    writers: list[Callable[[], str]] = [
        lambda: random_script(random),
        lambda: mutated_script(random),
        lambda: mutated_script(random),
        lambda: random.choice(scripts()),
        lambda: generate(seed),
        lambda: language_script(seed).text,
        lambda: make_script(seed).text,
        lambda: loop_script(seed, rows=seed % 3 == 0, sums=seed % 3 == 1),
        lambda: random.choice(list(RIGHT.values())),
    ]
    at = int(random.random() * len(writers))
    text = writers[at]()
    if at > 3 and random.random() < 0.5:
        text = damaged(text, random)
    return text.encode("utf-8", "surrogatepass")


def command_line(seed: int) -> CommandLine:
    """The command line of a seed."""
    return Writer(Random(f"command {seed}")).line()
