"""One builder function for each rule of autodiff.lark: it takes the rule's children and returns the node.

The function has the rule's name. ``span`` covers everything the rule matched, parentheses included. A
keyword or sign that the rule keeps is passed as its text, and an absent optional part as None. Rules that
the grammar cannot express (what may be assigned to, the order of parameters) are checked here.
"""

from autodiff.grammar.syntax.build import arguments, expressions, statements
from autodiff.grammar.syntax.build.rules import BUILDERS

__all__ = ["BUILDERS", "arguments", "expressions", "statements"]
