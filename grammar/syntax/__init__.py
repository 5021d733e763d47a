"""Text to syntax tree: the grammar and its parse table, words, strings, the parser.

The classes of the tree are in ``tree``, the functions that build it in ``build``.

May import core.base and grammar.syntax.tree. Imported by any room above.
"""
