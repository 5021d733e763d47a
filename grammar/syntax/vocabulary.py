"""Tables of keywords and signs, and what to write instead of those that the language does not have."""

from __future__ import annotations

_ERRORS = (
    "E0122",
    "catches errors",
    "an error ends the script; test with `if` before the step that can fail",
)
_NO_ASYNC = ("E0125", "waits for something", "leave it out: a script runs one statement after another")

# Python's keywords that the language does not have, each with its error code, caret text and help.
FOREIGN_WORDS = {
    "try": _ERRORS,
    "except": _ERRORS,
    "finally": _ERRORS,
    "raise": (
        "E0123",
        "raises an error",
        'write `assert condition, "message"`, which stops the script if the condition is false',
    ),
    "global": (
        "E0124",
        "lets a function change a variable outside of it",
        "return the new value from the function, and assign it where it is called: `x = f(x)`",
    ),
    "nonlocal": (
        "E0124",
        "lets a function change a variable of the function around it",
        "return the new value from the inner function, and assign it where it is called: `x = f(x)`",
    ),
    "async": _NO_ASYNC,
    "await": _NO_ASYNC,
    "yield": (
        "E0126",
        "makes a generator",
        "collect the values in a list, `values.append(x)`, and return it",
    ),
}

BLOCK_WORDS = ("if", "elif", "while", "for", "with", "def", "class")
OPERATORS = (
    "+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>",
    "==", "!=", "<", "<=", ">", ">=",
)  # fmt: skip

# What a line that ends after one of these signs leaves incomplete.
OPERATOR_NOUNS = {
    "+": "sum", "-": "difference", "*": "product", "/": "quotient", "//": "quotient", "%": "remainder",
    "**": "power", "@": "matrix product", "==": "comparison", "!=": "comparison", "<": "comparison",
    "<=": "comparison", ">": "comparison", ">=": "comparison", "=": "assignment", "and": "condition",
    "or": "condition", "not": "condition",
}  # fmt: skip

# Operators of other languages that are read as two tokens here, and what to write instead.
FOREIGN_OPERATORS = {
    "&&": "and", "||": "or", "<>": "!=", "=>": ">=", "=<": "<=", "===": "==", "!==": "!=",
}  # fmt: skip

VALUE_ENDS = frozenset(["NAME", "NUMBER", "STRING", ")", "]", "True", "False", "None", "..."])
VALUE_STARTS = VALUE_ENDS - {")", "]"} | {"(", "[", "lambda", "not", "~"}
