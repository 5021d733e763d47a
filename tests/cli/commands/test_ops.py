"""``autodiff ops`` and docs/ops.md: the reference of the functions is what their records say."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest
from autodiff.cli.commands.ops import by_family
from autodiff.cli.process.streams import cells, charset, own
from autodiff.cli.render.functions import entry_lines, list_lines, short_name
from autodiff.cli.render.reference import json_text, markdown_text
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.core.graph.op import OPS
from autodiff.grammar.reference import catalog
from conftest import REPOSITORY
from one_test import in_one_test
from program import run_program
from script_runner import run_script
from transcript import normalise

REFERENCE = REPOSITORY / "docs" / "ops.md"
SECTION = re.compile(r"^### (?P<name>\S+)\n(?P<text>.*?)(?=^##)", re.MULTILINE | re.DOTALL)
SNIPPET = re.compile(r"^```ad\n(.*?)^```\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: Functions whose numbers are drawn: ours are others than torch's.
RANDOM = re.compile(r"rand|normal|bernoulli|dropout|gumbel|multinomial|seed|uniform|exponential")
#: torch overwrites what its own backward needs; it has no derivative of "inplace version of acosh" or by a
#: shape, and no betainc and no Bessel function of any order.
FAILS_IN_TORCH = re.compile(
    r"torch\.(vander|igammac?|special\.gammaincc?|a(rc)?(cos|sin|tan)h_)\(|special\.(betainc|[jyik]v)\("
)


@pytest.fixture(scope="module")
def entries() -> list[catalog.FunctionEntry]:
    return [catalog.describe(function) for function in catalog.public_names()]


def test_the_reference_is_what_the_records_say(
    entries: list[catalog.FunctionEntry], update_golden: bool
) -> None:
    text = markdown_text(by_family(entries), catalog.internal_records())
    if update_golden:
        REFERENCE.write_text(text)
    assert REFERENCE.read_text() == text, (
        "pytest tests/cli/commands/test_ops.py --update-golden writes it anew"
    )


def test_every_function_and_every_op_is_there(entries: list[catalog.FunctionEntry]) -> None:
    assert sorted(name for entry in entries for name in entry.names) == sorted(FUNCTIONS)
    sections = set(re.findall(r"^### (?:op )?(\S+)$", REFERENCE.read_text(), re.MULTILINE))
    public = {key.partition(".")[2] for key in FUNCTIONS}
    assert not set(OPS) - sections - public


def test_every_function_has_an_example_and_says_what_it_is(entries: list[catalog.FunctionEntry]) -> None:
    assert not [entry.names[0] for entry in entries if entry.example is None]
    assert not [
        entry.names[0] for entry in entries if not entry.description or "<symbol" in entry.description
    ]


def test_kinks_are_those_of_the_records(entries: list[catalog.FunctionEntry]) -> None:
    text = REFERENCE.read_text()
    assert not [op.name for op in OPS.values() if op.kink and op.kink not in text]


def test_every_text_has_substitutes_for_signs_beyond_ascii(
    entries: list[catalog.FunctionEntry], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(charset, "name", "ascii")
    for entry in entries:
        texts = [
            entry.description,
            entry.summary,
            *(str(rule) for record in entry.records for rule in record.rules),
        ]
        texts += [record.kink for record in entry.records]
        assert all(own(text).isascii() for text in texts if text), entry.names


def test_an_example_of_a_kink_stands_on_it(entries: list[catalog.FunctionEntry]) -> None:
    examples = {entry.names[0]: entry.example for entry in entries}
    assert examples["torch.relu"].printed.endswith("tensor([0., 0., 1.])\n")
    assert "tensor([0.5000, 0.0000, 1.0000])" in examples["torch.maximum"].printed


SNIPPETS = [
    (f"{found['name']}-{number}", *snippet)
    for number, found in enumerate(SECTION.finditer(REFERENCE.read_text()))
    for snippet in SNIPPET.findall(found["text"])
]


@in_one_test("script, shown", [s[1:] for s in SNIPPETS])
def test_an_example_prints_what_it_shows(script: str, shown: str) -> None:
    assert run_script(script).stdout == shown


@pytest.mark.oracle
@pytest.mark.parametrize(("script", "shown"), [s[1:] for s in SNIPPETS], ids=[s[0] for s in SNIPPETS])
def test_torch_prints_the_same(script: str, shown: str) -> None:
    from torch_prelude import run_with_torch

    theirs = run_with_torch(script)
    assert (theirs.error is None) == (FAILS_IN_TORCH.search(script) is None)
    if theirs.error is not None:
        return
    if RANDOM.search(script):
        assert theirs.stdout.count("\n") > 0
    else:
        assert normalise(theirs.stdout) == normalise(shown)


# -- the command ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def listing() -> str:
    return run_program("ops").stdout.decode()


def test_it_lists_families_with_a_line_for_each_function(listing: str) -> None:
    lines = listing.splitlines()
    listed = [line for line in lines if line.startswith("  ")]
    assert len(listed) == len(catalog.public_names())
    assert "  sin " in listing
    assert re.search(r"^selection  .*\n(  .*\n)*  abs .*d out/d x = sign\(x\)$", listing, re.MULTILINE)


def test_a_function_that_calls_its_op_is_listed_with_the_rule(autodiff, listing: str) -> None:
    out = autodiff("ops", "activations").out
    assert "  F.silu         d out/d x = sigmoid(x)*(1 + x*(1 - sigmoid(x)))\n" in out
    assert re.search(r"^  F.tanhshrink +made of tanh, sub$", out, re.MULTILINE)
    assert re.search(r"^  igamma .*d out/d x = exp", listing, re.MULTILINE)


def test_no_gradient_passes_is_said_only_of_what_passes_none(
    listing: str, entries: list[catalog.FunctionEntry]
) -> None:
    said = set(re.findall(r"^  (\S+) +no gradient passes$", listing, re.MULTILINE))
    assert {"floor", "zeros", "sign"} <= said
    passing = {short_name(e.names[0]) for e in entries if any(record.rules for record in e.records)}
    assert not said & passing
    listed = json.loads(json_text(entries))["functions"]
    assert {short_name(e["name"]) for e in listed if any(op["rules"] for op in e["ops"])} == passing


def test_a_name_shows_signature_rule_kink_and_example(autodiff) -> None:
    out = autodiff("ops", "clamp").out
    for said in (
        "torch.clamp(input, min=None, max=None)",
        "also      torch.clip, x.clamp(), x.clip(), x.clamp_(), x.clip_()",
        "x gets where((x >= low) & (x <= high), g, 0)",
        "kink      a bound counts as inside: the slope is 1 there",
        "out = torch.clamp(u, 0.0, 1.0)",
        "tensor([0., 1., 0.])",
    ):
        assert said in out


@pytest.mark.parametrize(
    "query",
    ["torch.nn.functional.relu", "F.relu", "torch.linalg.det", "linalg.det", "sin_", "erf()", "windows"],
)
def test_names_may_be_qualified_in_place_or_of_an_inner_op(autodiff, query: str) -> None:
    done = autodiff("ops", query)
    assert done.returncode == 0
    assert re.search(r"^  rule ", done.out, re.MULTILINE)


def test_a_composite_says_what_it_is_made_of(autodiff) -> None:
    out = autodiff("ops", "l1_loss").out
    assert "made of   sub, abs, mean" in out
    assert "kink      abs: the slope at 0 is 0" in out


def test_part_of_a_name_and_a_family_filter(autodiff) -> None:
    pools = autodiff("ops", "pool").out
    assert "F.max_pool2d" in pools
    assert "F.lp_pool1d" in pools
    assert "relu" not in pools
    family = autodiff("ops", "classification").out
    assert re.findall(r"^  (\S+)", family, re.MULTILINE) == ["F.nll_loss", "F.cross_entropy"]


@pytest.mark.parametrize(
    ("query", "meant"),
    [("softmx", "softmax"), ("crossentropy", "cross_entropy"), ("linalg.dett", "linalg.det")],
)
def test_an_unknown_name_is_answered_with_the_nearest(autodiff, query: str, meant: str) -> None:
    done = autodiff("ops", query)
    assert done.returncode == 2
    assert done.out == ""
    assert f"there is no function or family `{query}`" in done.err
    assert f"did you mean `{meant}`?" in done.err


@pytest.mark.parametrize(
    ("sign", "names"),
    [
        ("@", ["torch.matmul"]),
        ("**", ["torch.pow"]),
        ("-", ["torch.sub", "torch.neg"]),
        ("//", ["torch.floor_divide"]),
    ],
)
def test_an_operator_finds_its_functions(autodiff, sign: str, names: list[str]) -> None:
    listed = json.loads(autodiff("ops", "--format", "json", sign).out)["functions"]
    assert [entry["name"] for entry in listed] == names


@pytest.mark.parametrize("name", ["detach", "no_grad", "backward", "requires_grad", "torch.no_grad"])
def test_what_is_no_function_is_said_to_be_described(autodiff, name: str) -> None:
    done = autodiff("ops", name)
    assert done.returncode == 2
    assert "docs/language.md describes what it does" in done.err


def test_help_on_a_function_points_to_its_entry(autodiff) -> None:
    assert "`autodiff ops relu` shows the function" in autodiff("help", "relu").err


def test_json_holds_the_same(autodiff) -> None:
    [entry] = json.loads(autodiff("ops", "--format", "json", "special.expit").out)["functions"]
    assert entry["name"] == "torch.sigmoid"
    assert entry["ops"] == [
        {
            "name": "sigmoid",
            "rules": [{"operand": "x", "kind": "factor", "text": "out*(1 - out)"}],
            "kink": "",
        }
    ]
    assert run_script(entry["example"]["script"]).stdout == entry["example"]["output"]


@pytest.mark.parametrize("width", [60, 80])
def test_it_fits_the_terminal(entries: list[catalog.FunctionEntry], width: int) -> None:
    lines = list(list_lines(by_family(entries), width))
    for entry in entries:
        lines += entry_lines(entry, width, is_folded=True)
    texts = ["".join(text for _, text in line).rstrip() for line in lines]
    # What has no blank to break at may stick out: a name, a number in brackets.
    wide = [text for text in texts if cells(text) > width and " " in text[14:].strip()]
    assert not wide


def test_a_pipe_gets_plain_lines_uncut(autodiff) -> None:
    out = autodiff("ops", "loss").out
    assert "\x1b" not in out
    assert "averaged." in out
    assert "..." not in out


def test_a_terminal_gets_colour_and_lines_that_fit(on_terminal) -> None:
    code, seen = on_terminal("ops", "pool", columns=60)
    assert code == 0
    assert "\x1b[" in seen
    plain = re.sub(r"\x1b\[[0-9;]*m", "", seen)
    assert max(map(len, plain.splitlines())) <= 60


def test_scalar_scripts_load_none_of_it() -> None:
    script = "run('w = 3\\nL = w**2')"
    program = f"import sys; from autodiff.grammar import run; {script}; print(*sys.modules)"
    fast = {**os.environ, "AUTODIFF_FAST": "1"}  # the plain engine computes numbers with numpy
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=fast
    )
    assert "autodiff.core.graph.op" in done.stdout.split()
    assert not {"autodiff.grammar.reference.rule_text", "autodiff.grammar.reference.examples", "ast"} & set(
        done.stdout.split()
    )
