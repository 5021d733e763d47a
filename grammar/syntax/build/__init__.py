"""One builder for each rule of autodiff.lark: it takes the rule's children and returns the node.

A builder is a function that carries the rule's name, or the class of the node. ``span`` covers everything
the rule matched, parentheses included; a word or sign that the rule keeps arrives as its text, an optional
part that is absent as None.
What a grammar cannot say - what may be assigned to, how parameters are ordered - is checked here.

May import core.base, grammar.syntax and grammar.syntax.tree. Imported by grammar.
"""

from autodiff.grammar.syntax.build import arguments, expressions, statements
from autodiff.grammar.syntax.build.rules import BUILDERS

__all__ = ["BUILDERS", "arguments", "expressions", "statements"]
