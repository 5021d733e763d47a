"""The reference of the public functions: names, signature, rule, kink and example of each.

All of it is derived: signatures and summaries come from the exposed functions, rules and kinks from the ops,
and the ops that a function consists of from the graph of its example.
"""

from __future__ import annotations

import sys

from autodiff.core.engine.public_functions import FUNCTIONS, METHODS, PublicFunction
from autodiff.core.graph.op import OPS, Op
from autodiff.core.graph.registry import family_modules
from autodiff.grammar.reference.rule_text import SpelledRule, spell_rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from autodiff.core.engine.tensor import Tensor
    from autodiff.core.graph.node import Node
    from autodiff.grammar.reference.examples import Example

#: How usage lines spell the namespaces of core's table, where it differs.
MODULES = {"linalg": "torch.linalg", "special": "torch.special", "Tensor": "x"}


class OpRecord:
    """The rules of an op and its convention at a kink."""

    __slots__ = ("kink", "name", "rules")

    def __init__(self, op: Op) -> None:
        self.name = op.name
        self.kink = op.kink
        self.rules: list[SpelledRule] = spell_rules(op)


class FunctionEntry:
    """One function. ``names`` are all its names; ``records`` describe the ops in the graph of its example."""

    __slots__ = ("example", "family", "methods", "names", "records", "summary", "usage")

    def __init__(
        self,
        names: tuple[str, ...],
        usage: str,
        methods: tuple[str, ...],
        family: str,
        summary: str,
        records: list[OpRecord],
        example: Example | None,
    ) -> None:
        self.names = names
        self.usage = usage
        self.methods = methods
        self.family = family
        self.summary = summary
        self.records = records
        self.example = example

    @property
    def description(self) -> str:
        """The description in one line: the summary, the rule of its op, or the ops it is made of."""
        if self.summary:
            return self.summary
        if len(self.records) > 1:
            return "made of " + ", ".join(record.name for record in self.records)
        rules = [rule for record in self.records for rule in record.rules]
        return "; ".join(map(str, rules)) if rules else "no gradient passes"


# -- finding ----------------------------------------------------------------------------------------------


def public_names() -> dict[PublicFunction, tuple[str, ...]]:
    """Return every public function with all its names, in the order of the families."""
    names: dict[PublicFunction, tuple[str, ...]] = {}
    for key, function in FUNCTIONS.items():
        names[function] = (*names.get(function, ()), key)
    order = {family.rpartition(".")[2]: at for at, family in enumerate(family_modules())}
    return dict(sorted(names.items(), key=lambda item: order.get(family_of(item[0]), len(order))))


def family_of(function: PublicFunction) -> str:
    """Return the name of the module that declares a function; of an op, the module of its forward."""
    made_by = function.implementation
    if isinstance(made_by, Op):
        made_by = made_by.forward
    return str(made_by.__module__).rpartition(".")[2]


def family_title(family: str) -> str:
    """Return the first paragraph of the docstring of a family's module."""
    loaded = [module for name, module in sys.modules.items() if name.startswith("autodiff.core.")]
    doc = next(module.__doc__ for module in loaded if module.__name__.endswith(f".{family}")) or ""
    return " ".join(doc.partition("\n\n")[0].split())


def find_functions(query: str) -> list[PublicFunction]:
    """Return the functions called ``query``: a bare or qualified name, torch's or ours, or an operator."""
    if query == "@":  # the ops it is recorded as are cases of matmul for certain shapes
        return [FUNCTIONS["torch.matmul"]]
    spelled = [FUNCTIONS.get(f"torch.{op.name}") for op in OPS.values() if query and op.infix == query]
    if spelled:
        return [function for function in spelled if function is not None]
    key = query.removeprefix("torch.nn.functional.").removesuffix("()")
    for module in ("linalg", "special"):
        key = key.removeprefix("torch.") if key.startswith(f"torch.{module}.") else key
    if query.startswith("torch.nn.functional."):
        key = f"F.{key}"
    wanted = [key] if "." in key else [f"{prefix}.{key}" for prefix in ("torch", "F", *MODULES)]
    if not any(name in FUNCTIONS for name in wanted) and key.endswith("_"):
        plain = METHODS.get(key[:-1])
        return [plain] if plain is not None and plain.in_place else []
    return list(dict.fromkeys(FUNCTIONS[name] for name in wanted if name in FUNCTIONS))


def search_functions(query: str) -> list[PublicFunction]:
    """Return the functions of the family ``query``, or else those with ``query`` in one of their names."""
    functions = public_names()
    in_family = [function for function in functions if family_of(function) == query]
    if in_family:
        return in_family
    folded = query.lower()
    return [
        function for function, names in functions.items() if any(folded in name.lower() for name in names)
    ]


def is_language_name(name: str) -> bool:
    """Whether scripts can use a name that the catalog lacks; docs/language.md describes these names."""
    from autodiff.core.engine.tensor import Tensor
    from autodiff.grammar.objects.attributes import ATTRIBUTE_READERS, METHODS
    from autodiff.grammar.objects.builtins.namespaces import find_builtin
    from autodiff.grammar.objects.values import UNBOUND

    bare = name.removesuffix("()").removeprefix("torch.")
    return (
        any((Tensor, bare) in table for table in (METHODS, ATTRIBUTE_READERS))
        or find_builtin(bare) is not UNBOUND
    )


def known_names() -> list[str]:
    """Return all names and families that ``find_functions`` and ``search_functions`` accept, sorted."""
    bare = {key.partition(".")[2] for key in FUNCTIONS}
    return sorted({*bare, *FUNCTIONS, *OPS, *map(family_of, public_names())})


# -- describing -------------------------------------------------------------------------------------------


def summarise(function: PublicFunction) -> FunctionEntry:
    """Return the entry of a function without an example, so that nothing is executed."""
    names = tuple(key for key, named in FUNCTIONS.items() if named is function)
    made_by = function.implementation
    records = [OpRecord(made_by)] if isinstance(made_by, Op) else []
    summary = " ".join(function.doc.partition("\n\n")[0].replace("``", "`").split())
    return FunctionEntry(
        names, usage_of(names[0], function), methods_of(function), family_of(function), summary, records, None
    )


def list_entry(function: PublicFunction) -> FunctionEntry:
    """Return the entry for a list; the example runs only if nothing else describes the function."""
    entry = summarise(function)
    return entry if entry.summary or entry.records else describe(function)


def describe(function: PublicFunction) -> FunctionEntry:
    """Return the complete entry with its example, chosen at a kink if one of the ops has one."""
    from autodiff.grammar.reference.examples import make_example

    entry = summarise(function)
    key = entry.names[0]
    example = make_example(key)
    if example is not None:
        used = ops_of(example.outputs)
        if any(op.kink for op in used):
            example = make_example(key, is_kinked=True) or example
            used = ops_of(example.outputs)
        if key.endswith("_"):  # the clone belongs to the example, which must not overwrite a leaf
            used = [op for op in used if op.name != "clone"]
        entry.records = [OpRecord(op) for op in used] or entry.records
    entry.example = example
    return entry


def usage_of(key: str, function: PublicFunction) -> str:
    namespace = key.partition(".")[0]
    if namespace == "Tensor":
        return f"x.{function.usage(1)}"
    return f"{MODULES.get(namespace, namespace)}.{function.usage()}"


def methods_of(function: PublicFunction) -> tuple[str, ...]:
    """Return the names of the tensor methods of a function, including the in-place variants."""
    names = [name for name, method in METHODS.items() if method is function]
    return (*names, *(f"{name}_" for name in names if function.in_place))


def ops_of(outputs: Iterable[Tensor]) -> list[Op]:
    """Return the distinct ops in the graph of the outputs, in the order in which they ran."""
    todo: list[Node] = [tensor.node for tensor in outputs if tensor.node is not None]
    seen: set[Node] = set()
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo += [below for below in node.inputs if below is not None]
    in_order = sorted(seen, key=lambda node: node.number)
    return list({node.op.name: node.op for node in in_order if node.op is not None}.values())


def op_record(name: str) -> OpRecord | None:
    """Return the record of the op ``name``; None if there is no such op."""
    return OpRecord(OPS[name]) if name in OPS else None


def internal_records() -> list[OpRecord]:
    """Return the records of the ops that are no public functions, sorted by name."""
    public = {key.partition(".")[2] for key in FUNCTIONS}
    return [OpRecord(OPS[name]) for name in sorted(OPS) if name not in public]
