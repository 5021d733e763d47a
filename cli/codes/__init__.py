"""Every error code: its cause, the remedy, an example that makes the mistake, and the same one mended.

An example is a complete script, or a complete command where the command line makes the mistake. A test runs
both of every code, and keeps the table complete: each code the package can raise is here, and no other.
The codes of lints, L001 and on, are the lints' own (``grammar.lints``).

May import nothing of ours. Imported by cli.commands.
"""

from autodiff.cli.codes import absent, commands, gradients, syntax, tensors, values
from autodiff.cli.codes.code import Code

CODES: dict[str, Code] = {
    **syntax.CODES,
    **absent.CODES,
    **values.CODES,
    **tensors.CODES,
    **gradients.CODES,
    **commands.CODES,
}

__all__ = ["CODES", "Code"]
