"""Made-up names: one for each result in all parts of a report, never one of the script, and a key to them."""

from __future__ import annotations

import json
import re

from autodiff.cli.render.name_keys import meaning_of
from autodiff.core.report.name_key import NameKey, NameMeaning

LONG = (
    "x = tensor([1., 2., 3.], requires_grad=True)\nw = tensor([0.5, -0.5, 0.25], requires_grad=True)\n"
    "def f(a, b):\n"
    "    return exp(a*b + sin(a)) + log(a*a + b*b + 1.0 + exp(a)*exp(b))*cos(a + b) + a/(1 + b*b)\n"
    "L = (f(x, w) + f(w, x)*f(x, x + 1.0)).sum()\n"
)
LOOP = "a = tensor(1.1, requires_grad=True)\nx = a\nfor i in range(5):\n    x = x + 0.1*sin(a*x)\nL = x*{}\n"
SHORT = re.compile(r"(?<![\w.])d?(t\d+)\b")


def test_a_result_has_one_name_in_the_tree_the_paths_and_the_formulas(autodiff, write) -> None:
    told = json.loads(autodiff("run", "--format", "json", write(LONG)).out)
    meanings = {one["name"]: (one["formula"], one["place"]) for one in told["graph"]["names"]}
    assert len(meanings) > 4
    assert all(
        re.fullmatch(r"line [45], \d+(st|nd|rd|th) (add|mul|exp|div|log)", at) for _, at in meanings.values()
    )
    for derivation in told["derivations"]:
        steps = derivation["steps"]
        key = {one["name"]: (one["formula"], one["place"]) for one in steps["names"]}
        assert all(meanings.get(name, meaning) == meaning for name, meaning in key.items())
        texts = [
            *steps["chain"],
            *steps["local"],
            *(name for path in derivation["paths"] for name in path["nodes"]),
        ]
        used = {name for text in texts for name in SHORT.findall(text)}
        assert used
        assert used <= key.keys() | {name for name, _ in steps["where"]}
    names = [node["name"] for node in told["graph"]["nodes"] if node["op"] != "constant"]
    assert len(set(names)) == len(names)
    assert max(map(len, names)) <= 40


def test_a_screen_has_the_key_of_the_names_that_it_shows(autodiff, write) -> None:
    out = autodiff("explain", "--wrt", "w", "--all", write(LONG)).out
    derivation = out[: out.index("\ncheck:")]
    defined = re.findall(r"^(?:names  |       ) {7}(t\d+) = ", derivation, re.MULTILINE)
    assert len(defined) == len(set(defined)) > 3
    told = {*defined, *re.findall(r"where (t\d+) =", derivation)}
    assert set(SHORT.findall(derivation)) <= told
    tree = autodiff("graph", write(LONG)).out
    assert re.search(r"^t4 = .* \(line 4, \d+th add\)\.$", tree, re.MULTILINE)
    document = autodiff("explain", "--wrt", "w", "--format", "markdown", write(LONG)).out
    assert re.search(r"t_\{4\} = .* \\text\{\(line 4, \d+th add\)\}", document)


def test_a_key_that_is_cut_has_the_names_of_the_steps_alone(autodiff, write) -> None:
    script = write("w = tensor(2.0, requires_grad=True)\nL = sum([w * i for i in range(300)])\n")
    key, steps = autodiff("explain", script).out.split("\nnames ")[1].split("1 chain")
    assert "... 71 more names in these (--all)\n" in key
    used = set(SHORT.findall(steps.split("3 simplified")[0]))
    assert used
    assert used <= set(re.findall(r"(t\d+) = ", key))


def test_made_up_names_are_not_those_of_the_script(autodiff, write) -> None:
    names = [f"t{number}" for number in range(1, 7)]
    lines = "".join(f"{name} = 1.0\n" for name in names)
    tree = json.loads(autodiff("graph", "--format", "json", write(lines + LONG)).out)["graph"]
    assert not {*names} & {node["name"] for node in tree["nodes"]}
    assert {"t7", "t8", "t9"} <= {node["name"] for node in tree["nodes"]}
    out = autodiff("explain", "--wrt", "a", write(LOOP.format("2"))).out
    assert "\nnames         x_1 to x_5 are values 1 to 5 of x (line 4)\n" in out
    for other in ("x2", "x_4"):
        out = autodiff("explain", "--wrt", "a", write(f"{other} = 3.0\n" + LOOP.format(other))).out
        assert "x_v1 to x_v5 are values 1 to 5 of x (line 5)" in out
        assert "x_3" not in out


def test_pictures_and_the_trace_say_what_made_up_names_stand_for(autodiff, write) -> None:
    script = write(LONG + "L = L * 2\n")
    assert "\nL_0 and L_1 are values 0 and 1 of L, L_0 its first" in autodiff("trace", script).out
    assert re.search(r"^t4 = .* \(line 4, \d+th add\)\.$", autodiff("trace", script).out, re.MULTILINE)
    dot = autodiff("graph", script, "--format", "dot").out
    assert re.search(r'label="t4\\n= [^"]+\\nadd\\n3\\n', dot)
    assert 'label="L_1\\nvalue 1 of L after its first\\nmul' in dot
    svg = autodiff("graph", script, "--format", "svg").out
    assert re.search(r">t4</text>\s*<text[^>]*>= [^<]+</text>", svg)
    assert re.search(r"<title>L_1 value 1 of L after its first: made by MulBackward0", svg)


def test_a_key_has_the_parameters_of_functions_in_names(autodiff, write) -> None:
    script = write("def g(t): return t**2 + 1\ndef f(u): return sqrt(u)*exp(-u)\nx = 0.7\ny = f(g(x))\n")
    out = autodiff("explain", script).out
    assert "\nnames         t = x (line 1)\n              u = t**2 + 1 (line 2)\n" in out
    assert "\nt = x (line 1).\nu = t**2 + 1 (line 2).\n" in autodiff("graph", script).out


RECURRENT = """xs = tensor([[0.25, -1.5, 2.75], [1.125, 0.5, -0.75], [0.625, 2.5, 1.5]])
W = torch.full((3, 2), 0.5, requires_grad=True)
w = tensor([0.5, 2.0], requires_grad=True)
h = 0.0
for t in range(3):
    h = h + (xs[t] @ W * (w[0] + w[1]) * w[[1, 0]]).sum()
"""


def test_parts_of_tensors_are_subscripts_and_entries_have_a_name(autodiff, write) -> None:
    seen = autodiff("explain", "--all", "--wrt", "w", write(RECURRENT)).out
    assert "select(" not in seen
    assert "take(" not in seen
    assert "d(w[0] + w[1])/d(w[0]) . d(w[0])/dw" in seen
    assert "d((u1 @ W)*(w[0] + w[1]))/d(w[0] + w[1])" in seen
    tree = autodiff("graph", write(RECURRENT)).out
    for entries in ("u1 = [0.25, -1.5, 2.75]", "u3 = [1.125, 0.5, -0.75]"):
        assert f"\n{entries} (in xs[t] @ W, line 6).\n" in tree


TRAINING = """import numpy as np
X = np.array([[1.0, -0.5, 2.0], [0.25, 1.5, -1.0]])
t = np.array([[1.0], [0.0]])
W1 = np.array([[0.2, -0.4], [0.7, 0.3], [-0.1, 0.5]])
W2 = np.array([[0.5], [-0.3]])
for step in range(3):
    h = np.tanh(X @ W1)
    out = 1 / (1 + np.exp(-(h @ W2)))
    loss = np.mean((out - t)**2)
    d_out = (out - t) * out * (1 - out)
    d_h = d_out @ W2.T * (1 - h**2)
    W1 = W1 - 0.5 * (X.T @ d_h)
    W2 = W2 - 0.5 * (h.T @ d_out)
"""


def test_every_made_up_name_of_the_formulas_is_in_the_key(autodiff, write) -> None:
    """Those in definitions below step 3, and those with ``.T``, too."""
    out = autodiff("explain", "--of", "loss", "--wrt", "X", write(TRAINING)).out
    assert ".T" in out
    names, formulas = out.split("\nnames ")[1].split("1 chain")
    formulas = formulas[formulas.index("3 simplified") : formulas.index("4 numbers")]
    used = {(name, int(number)) for name, number in re.findall(r"\b(W1|W2|h|d_h|d_out|out)_(\d)\b", formulas)}
    assert len(used) > 6
    told = {
        (name, number)
        for name, first, last in re.findall(r"(\w+)_(\d)(?: (?:to|and) \1_(\d))? (?:is|are) value", names)
        for number in range(int(first), int(last or first) + 1)
    }
    alike = re.findall(r"(\w+) \(line \d+\)", names.partition("and likewise those of ")[2])
    assert used <= told | {(name, number) for name in alike for number in range(4)}
    assert {"d_out", "h", "out"} <= {*alike}
    tree = autodiff("graph", "--of", "loss", "--wrt", "X", write(TRAINING)).out
    assert len(re.findall(r"are values \d", tree)) == 3  # of W1, of W2, and of all that begin in the loop


def test_the_place_of_a_name_is_not_broken(autodiff, write) -> None:
    script = write("w = 0.5\nh = w\nfor step in range(12):\n    h = w*h + 1\n")
    for width in range(50, 70):
        seen = autodiff("explain", script, env={"COLUMNS": str(width)}).out
        assert "(line 4)" in seen.split("\nnames ")[1].split("1 chain")[0], width


def test_the_meaning_of_one_name_is_found_without_those_of_the_names_in_it() -> None:
    """In a picture of a long sum each name stands for one that is made of all the names before it."""
    asked = []

    def meaning(name: str) -> NameMeaning | None:
        asked.append(name)
        made = re.fullmatch(r"t(\d+)", name)
        return made and NameMeaning(name, "line 2", f"t{int(made[1]) - 1} + w*{made[1]}")

    key = NameKey(meaning, {f"t{n}" for n in range(99)}, set(), lambda names: [])
    assert meaning_of(key, "t98") == "= t97 + w*98"
    assert asked == ["t98"]
    assert meaning_of(key, "w") == ""


def test_the_number_behind_a_name_is_explained(autodiff, write) -> None:
    script = write("a = tensor([1.5, 2.5], requires_grad=True)\nL = a[0]*a[1] + sin(a[0])\n")
    says = "(2nd) behind a name: the 2nd value of the same expression"
    names, steps = autodiff("explain", script).out.split("\nnames ")[1].split("1 chain")
    assert says in names
    assert "a[0] (2nd)" in steps
    assert f"\n{says}.\n" in autodiff("graph", script).out
    assert "behind a name" not in autodiff("graph", write(LOOP.format(2))).out


def test_a_derivative_is_not_taken_for_the_gradient_of_its_name_that_the_script_computes(
    autodiff, write
) -> None:
    script = (
        "w = 3.0; rate = 0.1\nfor k in range(4):\n    dw = 2*w\n    w = w - rate*dw\nL = w**2\nratio = L/dw\n"
    )
    path = write(script)
    key = autodiff("explain", path, "--of", "L", "--wrt", "w_3").out.partition("\n1 chain")[0]
    assert "w_3 and w_4 are values 3 and 4 of w" in key
    assert "of dw" in key  # it is on the way from w_3 to w_4
    key = autodiff("explain", path, "--of", "L", "--wrt", "w_4").out.partition("\n1 chain")[0]
    assert "w_4 is value 4 of w" in key
    assert "of dw" not in key
    key = autodiff("explain", path, "--of", "ratio", "--wrt", "w_4").out.partition("\n1 chain")[0]
    assert "dw_4 is value 4 of dw" in key


def test_short_names_have_another_letter_where_the_script_has_a_t(autodiff, write) -> None:
    told = autodiff("explain", write(LONG)).out
    assert SHORT.search(told) is not None
    with_t = autodiff("explain", write("t = 1\n" + LONG)).out
    assert SHORT.search(with_t) is None
    assert re.search(r"(?<![\w.])d?u\d+\b", with_t) is not None
