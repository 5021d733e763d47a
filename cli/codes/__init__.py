"""The table of all error codes: cause, remedy, an example that makes the mistake, and a corrected example.

An example is a complete script, or a complete command where the command line makes the mistake. A test runs
both examples of every code and checks that the table holds exactly the codes the package can raise. The codes
of lints (L001 and up) are in ``grammar.lints``.

May import nothing of ours. Imported by cli.command_line and cli.commands.
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
