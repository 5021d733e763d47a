"""From text to syntax tree: the grammar, its parse table, words, strings, the parser."""
