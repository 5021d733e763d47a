"""From text to syntax tree: the grammar and its parse table, the tokenizer, strings, and the parser."""
