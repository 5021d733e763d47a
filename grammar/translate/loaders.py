"""Rewrites data loaders as lists of batches: slices of the data, shuffled anew on each pass if asked.

A data set of tensors becomes the tensors themselves; other data sets have no rewrite.
"""

from __future__ import annotations

from autodiff.core.base.errors import Edit
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk
from autodiff.grammar.translate.layers import as_factor
from autodiff.grammar.translate.modules import argument_texts, shortened
from autodiff.grammar.translate.name_uses import uses_of_name
from autodiff.grammar.translate.pasted_program import (
    CannotRewriteError,
    PastedProgram,
    statements_outside_classes,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DATA = "torch.utils.data."
LOADER_PARAMETERS = (
    *("dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers", "collate_fn"),
    *("pin_memory", "drop_last"),
)
#: Settings that say how torch loads the data, not which data; they are dropped.
IGNORED_LOADER_SETTINGS = ("num_workers", "pin_memory", "persistent_workers", "prefetch_factor")


class Loaders:
    """The data sets and loaders of a program, and the edits that make lists of batches of them."""

    __slots__ = ("edits", "pasted", "sets", "torch")

    def __init__(self, pasted: PastedProgram) -> None:
        self.pasted = pasted
        self.torch = pasted.short("torch")
        self.edits: list[Edit] = []
        self.sets: dict[str, list[str]] = {}

    def rewrite(self) -> None:
        """Collect the edits in ``edits``."""
        for statement in statements_outside_classes(self.pasted):
            if not isinstance(statement, tree.Assign) or not isinstance(statement.targets[0], tree.Name):
                continue
            full, value = self.full(statement.value), statement.value
            name = statement.targets[0].id
            if not isinstance(value, tree.Call):
                continue
            if full == DATA + "TensorDataset":
                self.sets[name] = [as_factor(text) for text in argument_texts(value, self.pasted.text)[0]]
                self.edits.append(self.pasted.removal(statement))
            elif full == DATA + "DataLoader":
                self.rewrite_loader(name, statement, value)
        for node in walk(self.pasted.script):
            if self.full(node) == DATA + "DataLoader" and not isinstance(
                self.pasted.parent(node), tree.Assign
            ):
                tensors, size, shuffled, last = self.read(node)
                if shuffled:
                    raise CannotRewriteError(node, "a shuffled loader without a name", "give it a name")
                self.edits.append(Edit(node.span, self.in_order(tensors, size, last)))
        self.rewrite_datasets()

    def full(self, node: Any) -> str:
        return self.pasted.full(node.function) if isinstance(node, tree.Call) else ""

    def read(self, call: tree.Call) -> tuple[list[str], str, bool, bool]:
        """Return the tensors, the batch size, whether to shuffle, and whether to drop a short last batch."""
        given, more = argument_texts(call, self.pasted.text)
        settings = dict(zip(LOADER_PARAMETERS, given, strict=False)) | more
        settings = {name: text for name, text in settings.items() if name not in IGNORED_LOADER_SETTINGS}
        source = settings.pop("dataset", "")
        size = settings.pop("batch_size", "1")
        flags = [settings.pop(name, "False") for name in ("shuffle", "drop_last")]
        if settings or not set(flags) <= {"True", "False"}:
            what = f"`{next(iter(settings), 'shuffle')}` of `DataLoader`"
            raise CannotRewriteError(call, what, "make the list of batches yourself")
        node = next((a.value for a in call.arguments if a.keyword in (None, "dataset")), None)
        if self.full(node) == DATA + "TensorDataset":
            assert isinstance(node, tree.Call)
            tensors = [as_factor(text) for text in argument_texts(node, self.pasted.text)[0]]
        elif source in self.sets:
            tensors = self.sets[source]
        else:
            what = f"a loader of `{shortened(source)}`"
            advice = "put the data into tensors, and cut them: `zip(x.split(16), y.split(16))`"
            raise CannotRewriteError(call, what, advice)
        return tensors, size, flags[0] == "True", flags[1] == "True"

    def in_order(self, tensors: list[str], size: str, last: bool) -> str:
        """Return the text of the list of batches, in the order of the data."""
        cut = ", ".join([f"{x}.split({size})" for x in tensors])
        whole = f" if len(batch[0]) == {size}" if last else ""
        return f"[list(batch) for batch in zip({cut}){whole}]"

    def rewrite_loader(self, name: str, statement: Any, call: tree.Call) -> None:
        tensors, size, shuffled, last = self.read(call)
        if not shuffled:
            self.edits.append(
                self.pasted.replacement(statement, [f"{name} = {self.in_order(tensors, size, last)}"])
            )
            self.asked(name, statement, tensors, size)
            return
        batch = ", ".join([f"{x}[rows]" for x in tensors])
        whole = f" if len(rows) == {size}" if last else ""
        lines = [
            f"def {name}():",
            f"    order = {self.torch}.randperm(len({tensors[0]}))",
            f"    return [[{batch}] for rows in order.split({size}){whole}]",
        ]
        self.edits.append(self.pasted.replacement(statement, lines))
        self.asked(name, statement, tensors, size)
        for node in uses_of_name(self.pasted, name)[0]:
            if node is not statement.targets[0] and not self.is_attribute_owner(node):
                self.edits.append(Edit(node.span, f"{node.id}()"))

    def is_attribute_owner(self, node: Any) -> bool:
        return isinstance(self.pasted.parent(node), tree.Attribute)

    def asked(self, name: str, statement: Any, tensors: list[str], size: str) -> None:
        """Rewrite ``len(loader.dataset)`` and ``loader.batch_size``."""
        for node in uses_of_name(self.pasted, name)[0]:
            member = self.pasted.parent(node)
            if not isinstance(member, tree.Attribute):
                continue
            is_size = self.full(self.pasted.parent(self.pasted.parent(member))) == "len"
            if member.name == "dataset" and is_size:
                self.edits.append(Edit(member.span, tensors[0]))
            elif member.name == "batch_size":
                self.edits.append(Edit(member.span, size))
            else:
                what = f"`{self.pasted.text(member)}`"
                raise CannotRewriteError(member, what, "use the tensors themselves")

    def rewrite_datasets(self) -> None:
        """Rewrite ``len(dataset)`` and ``dataset[i]``; other uses of a data set have no rewrite."""
        for node in walk(self.pasted.script):
            if not isinstance(node, tree.Name) or node.id not in self.sets:
                continue
            parent = self.pasted.parent(node)
            call = self.pasted.parent(parent)
            if isinstance(parent, tree.Assign) or self.full(call) == DATA + "DataLoader":
                continue
            tensors = self.sets[node.id]
            if isinstance(parent, tree.Subscript):
                rows = ", ".join([f"{x}[{self.pasted.text(parent.index)}]" for x in tensors])
                self.edits.append(Edit(parent.span, f"({rows})" if len(tensors) > 1 else f"({rows},)"))
            elif self.full(call) == "len":
                self.edits.append(Edit(node.span, tensors[0]))
            else:
                what = f"`{shortened(self.pasted.text(self.pasted.statement(node)))}`"
                raise CannotRewriteError(node, what, "index the tensors themselves")
