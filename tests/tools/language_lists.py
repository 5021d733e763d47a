"""Lists of generated scripts: methods, items, slices, aliases, and what del takes away."""

from __future__ import annotations

from language_productions import bounded
from language_writer import Writer


def list_work(w: Writer) -> None:
    """Methods, items and aliases of a list."""
    name = w.name("xs")
    w.line(f"{name} = {w.choose('list', '')}({w.expression('ints')})")
    alias = w.name("alias")
    w.line(f"{alias} = {w.choose(name, f'{name}[:]', f'{name}.copy()', f'list({name})')}")
    for _ in range(w.random.randint(2, 4)):
        step = w.choose(
            "{x}.append(<int>)",
            "{x}.extend(<anyints>)",
            "{x}.extend((1, <int>))",
            "{x}.insert(<iatom>, <int>)",
            "{x}.insert(-1, <iatom>)",
            "print({x}.pop(), {x})",
            "print({x}.pop(0))",
            "{x}.append({x}[0]); {x}.remove({x}[-1])",
            "{x}.reverse()",
            "{x}.sort()",
            "{x}.sort(key=lambda k: (k % 4, k), reverse=<bool>)",
            "print({x}.index({x}[-1]), {x}.count({x}[0]))",
            "{x}[0] = <int>",
            "{x}[-1] += <int>",
            "{x}[0], {x}[-1] = {x}[-1], {x}[0]",
            "{x}[1:2] = [<int>, <int>, 3]",
            "{x}[:0] = <anyints>",
            "{x}[::2] = [0] * len({x}[::2])",
            "del {x}[1:3]",
            "del {x}[-1]",
            "{x} += [<int>]",
            "{x}.append([1]); {x}[-1].append(2); print({x}.pop())",
        )
        w.line(f"{name}.extend([5, {w.random.randint(0, 99)}])")
        w.line(w.fill(step.replace("{x}", name), 2))
    w.line(f"print({name}, {alias}, {alias} is {name}, {alias} == {name})")
    if w.maybe(0.2):
        w.line(f"{alias}.clear(); print(len({name}), {alias})")
    w.line(f"{name} = ({name} + [1, 2])[:6]")
    w.bind(name, "ints")


def nested_lists(w: Writer) -> None:
    rows = w.holding("nest")
    index = w.choose("0", "-1", "len({})-1").replace("{}", rows)
    w.line(f"{rows}[{index}][0] = {w.expression('iatom')}")
    w.line(f"{rows}[{w.choose('0', '-1')}][1] {w.choose('+=', '-=', '*=')} {w.expression('iatom')}")
    w.line(f"{rows}[0][-1] %= 97; {rows}[-1][1] = {rows}[-1][1] % 97")
    w.line(f"print({rows}, {rows}[0] is {rows}[1])")


def delete(w: Writer) -> None:
    a, b = w.name("gone"), w.name("gone")
    w.line(f"{a}, {b} = {w.expression('int')}, {w.expression('ints')}")
    w.line(f"print({a}, {b})")
    w.line(f"del {b}[0], {a}" if w.maybe(0.5) else f"del ({a}, {b})")
    w.line(f"{a} = {bounded(w, 'int')}")
    w.bind(a, "int")
