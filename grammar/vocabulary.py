"""Words and signs by what they do, and what to write instead of those the language does not have."""

from __future__ import annotations

_ERRORS = "an error ends the script; test with `if` before the step that can fail"
_SHARED = "return the value from the function, and assign it where the function is called"
_NO_ASYNC = "leave it out: a script does one thing after the other"

FOREIGN = {
    "try": _ERRORS,
    "except": _ERRORS,
    "finally": _ERRORS,
    "raise": 'write `assert condition, "message"`',
    "global": _SHARED,
    "nonlocal": _SHARED,
    "async": _NO_ASYNC,
    "await": _NO_ASYNC,
    "yield": "collect the values in a list and return the list",
}

BLOCK_WORDS = ("if", "elif", "while", "for", "with", "def", "class")
OPERATORS = (
    "+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>",
    "==", "!=", "<", "<=", ">", ">=",
)  # fmt: skip

# What is being written when a line stops after one of these.
NOUNS = {
    "+": "sum", "-": "difference", "*": "product", "/": "quotient", "//": "quotient", "%": "remainder",
    "**": "power", "@": "matrix product", "==": "comparison", "!=": "comparison", "<": "comparison",
    "<=": "comparison", ">": "comparison", ">=": "comparison", "=": "assignment", "and": "condition",
    "or": "condition", "not": "condition",
}  # fmt: skip

# Two signs in a row that other languages write: message, caret, help.
PAIRS = {
    "&&": ("`&&` is written `and`", "two signs", "write `and`"),
    "||": ("`||` is written `or`", "two signs", "write `or`"),
    "<>": ("`<>` is written `!=`", "two signs", "write `!=`"),
    "=>": ("`=>` is written `>=`", "two signs", "write `>=`"),
    "=<": ("`=<` is written `<=`", "two signs", "write `<=`"),
    "===": ("`===` is written `==`", "two signs", "write `==`"),
    "!==": ("`!==` is written `!=`", "two signs", "write `!=`"),
}

VALUE_ENDS = frozenset(["NAME", "NUMBER", "STRING", ")", "]", "True", "False", "None", "..."])
VALUE_STARTS = VALUE_ENDS - {")", "]"} | {"(", "[", "lambda", "not", "~"}
