"""Where a mistake stands in a generated script: in functions, loops, branches, under no_grad()."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from language_mistakes import Mistake
from language_writer import Writer


def write(w: Writer, lines: str) -> None:
    for line in lines.split("\n"):
        w.line(line)


def make_mistake(w: Writer, mistake: Mistake) -> str:
    """Write a mistake and what stands around it; its name."""
    for line in mistake.before:
        write(w, line)
    text = w.fill(mistake.text, 1)
    places = [straight, in_function, in_loop, in_branch]
    if not mistake.is_statement:
        places += [in_comprehension, in_lambda, in_argument, in_condition, in_field]
    if mistake.anywhere:
        places.append(in_no_grad)
    around(w, mistake, text, [w.random.choice(places) for _ in range(w.random.choice((1, 1, 2, 3)))])
    w.line("print('not reached')")
    return mistake.name


def around(w: Writer, mistake: Mistake, text: str, places: list[Callable[..., Any]]) -> None:
    """Write the innermost text inside the places, the first of them outermost."""
    blocks = [place for place in places if place in (in_function, in_loop, in_branch, in_no_grad)]
    others = [place for place in places if place not in blocks][:1]

    def go(rest: list[Callable[..., Any]]) -> None:
        if rest:
            rest[0](w, lambda: go(rest[1:]))
        elif mistake.is_statement:
            write(w, text)
        else:
            w.line((others or [straight])[0](w, text))

    go(blocks)


def straight(w: Writer, text: str) -> str:
    return w.choose(f"print({text})", f"result_ = {text}", text)


def in_comprehension(w: Writer, text: str) -> str:
    return w.choose(
        f"found_ = [{text} if k == 1 else k for k in range(3)]",
        f"print([k for k in range(3) if k < 1 or ({text})])",
        f"found_ = [[({text}) for j in range(2)] for k in range(2)]",
    )


def in_lambda(w: Writer, text: str) -> str:
    return w.choose(f"print((lambda: {text})())", f"found_ = sorted([2, 1], key=lambda k: ({text}))")


def in_argument(w: Writer, text: str) -> str:
    return w.choose(
        f"print('a', [1, ({text})], sep=' ')", f"found_ = max(1, ({text}))", f"print(1, *[0, {text}])"
    )


def in_condition(w: Writer, text: str) -> str:
    return w.choose(
        f"if ({text}) or True: print('yes')",
        f"found_ = 1 if ({text}) else 2",
        f"assert True and ({text}), 'no'",
        f"while ({text}): break",
    )


def in_field(w: Writer, text: str) -> str:
    if "'" in text or '"' in text or "{" in text or "\\" in text:
        return straight(w, text)
    return f'print(f"before {{({text})}} after")'


def in_function(w: Writer, inner: Callable[[], None]) -> None:
    f = w.name("fails")
    with w.block(f"def {f}(n=2):"):
        w.line("print('in', n)")
        inner()
    w.line(w.choose(f"{f}()", f"print({f}(n=1))", f"outcome_ = [{f}(k) for k in range(2)]"))


def in_loop(w: Writer, inner: Callable[[], None]) -> None:
    i = w.name("turn")
    with w.block(w.choose(f"for {i} in range(3):", f"for {i} in [1, 2]:", "while True:")):
        w.line("print('turn')")
        inner()
        w.line("break")


def in_branch(w: Writer, inner: Callable[[], None]) -> None:
    with w.block(w.choose("if 1:", "if not 0:", "if True and [0]:")):
        inner()


def in_no_grad(w: Writer, inner: Callable[[], None]) -> None:
    with w.block("with torch.no_grad():"):
        inner()
