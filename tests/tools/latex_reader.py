"""A strict reader of the LaTeX that documents of derivations are written in: anything else is refused."""

from __future__ import annotations

import re

#: Commands with so many arguments in braces.
ARGUMENTS = {
    **dict.fromkeys("frac".split(), 2),
    **dict.fromkeys("sqrt mathrm mathbf operatorname text texttt".split(), 1),
    **dict.fromkeys(
        """
        partial cdot cdots odot times quad top land lor lnot oplus le ge ne bmod infty lfloor rfloor mapsto
        sum textstyle lvert rvert lVert rVert lceil rceil exp log sin cos tan sinh cosh tanh det
        ln max min arcsin arccos arctan
        alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi
        chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega
        """.split(),
        0,
    ),
}
IN_TEXT = {"textbackslash", "textasciitilde", "textasciicircum", "textasciigrave"}
DELIMITERS = {
    ".",
    "(",
    ")",
    "[",
    "]",
    r"\lvert",
    r"\rvert",
    r"\lVert",
    r"\rVert",
    r"\lfloor",
    r"\rfloor",
    r"\lceil",
    r"\rceil",
}
ALIGNMENTS = {"cases": 2, "pmatrix": 20, "aligned": 2, "align*": 4, "gather*": 1}
TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|[^\\]", re.S)


class LatexError(AssertionError):
    """What is wrong, and where."""


def read_math(text: str) -> None:
    """Refuse what is no formula."""
    Reader(text).formula(end=None)


def read_document(text: str) -> int:
    """Refuse what is no document; the number of its formulas."""
    head, begin, rest = text.partition("\\begin{document}\n")
    body, end, after = rest.partition("\\end{document}\n")
    if not (begin and end) or after or not head.startswith("\\documentclass{article}\n\\usepackage{amsmath}"):
        raise LatexError("no frame")
    count = 0
    place = 0
    formula = re.compile(r"\\begin\{(align\*|gather\*)\}(.*?)\\end\{\1\}|\$([^$]*)\$", re.S)
    for match in formula.finditer(body):
        read_prose(body[place : match.start()])
        read_math(match[0] if match[1] else match[3])
        place = match.end()
        count += 1
    read_prose(body[place:])
    return count


def read_prose(text: str) -> None:
    """Text outside of formulas: no sign that TeX reads as its own, but for sections."""
    text = re.sub(r"\\textbf\{[a-z]+\}", "", text)
    text = re.sub(r"\\section\*\{|\\text[a-z]+\{\}|\\[{}$&#_%]", "", text)
    text = text.replace("}\n", "\n", text.count("}\n"))
    found = re.search(r"[\\{}$&#_%^~]|[^\x00-\x7f]", text)
    if found:
        raise LatexError(f"{found[0]!r} in {text!r}")


class Reader:
    """One formula, token by token."""

    def __init__(self, text: str) -> None:
        self.tokens = TOKEN.findall(text)
        self.at = 0

    def fail(self, what: str) -> LatexError:
        return LatexError(f"{what} at {''.join(self.tokens[max(self.at - 30, 0) : self.at + 10])!r}")

    def take(self) -> str:
        while self.at < len(self.tokens) and self.tokens[self.at].isspace():
            self.at += 1
        if self.at == len(self.tokens):
            return ""
        self.at += 1
        return self.tokens[self.at - 1]

    def group(self) -> None:
        if self.take() != "{":
            raise self.fail("an argument is missing")
        self.formula(end="}")

    def word(self) -> str:
        """What stands in braces, as it is."""
        if self.take() != "{":
            raise self.fail("a name is missing")
        word = ""
        while (token := self.take()) not in ("}", ""):
            word += token
        return word

    def text(self) -> None:
        """Text mode: braces only as part of an escape or empty behind a command."""
        if self.take() != "{":
            raise self.fail("text is missing")
        while True:
            if self.at == len(self.tokens):
                raise self.fail("text does not end")
            token = self.tokens[self.at]
            self.at += 1
            if token == "}":
                return
            if token.startswith("\\"):
                if token[1:] in IN_TEXT and self.tokens[self.at : self.at + 2] == ["{", "}"]:
                    self.at += 2
                elif token == "\\texttt" and self.tokens[self.at] == "{":
                    self.text()
                elif token[1:] not in tuple("{}$&#_%"):
                    raise self.fail(f"{token} in text")
            elif token in "{$&#_%^~" or not token.isascii():
                raise self.fail(f"{token!r} in text")

    def formula(self, end: str | None, columns: int = 0) -> None:
        """Everything up to ``end``; ``columns`` may stand side by side."""
        scripts: set[str] = set()
        is_start = True
        column = 1
        while True:
            token = self.take()
            if token == (end or ""):
                return
            if token == "":
                raise self.fail(f"{end} is missing")
            if token in ("^", "_"):
                if token in scripts or is_start:
                    raise self.fail("a script on nothing, or two of them")
                scripts.add(token)
                self.group()
                continue
            is_start = token in ("&", "\\\\")
            scripts = set()
            if token == "{":
                self.formula(end="}")
            elif token == "&":
                column += 1
                if column > columns:
                    raise self.fail("too many columns")
            elif token == "\\\\":
                if not columns:
                    raise self.fail("a new line in a line")
                column = 1
            elif token.startswith("\\"):
                self.command(token)
            elif token in "}$#%~" or not token.isascii():
                raise self.fail(f"{token!r}")

    def command(self, token: str) -> None:
        name = token[1:]
        if name == "left":
            if self.take() not in DELIMITERS:
                raise self.fail("no delimiter")
            self.formula(end="\\right")
            if self.take() not in DELIMITERS:
                raise self.fail("no delimiter")
        elif name == "begin":
            environment = self.word()
            if environment not in ALIGNMENTS:
                raise self.fail(environment)
            self.formula(end="\\end", columns=ALIGNMENTS[environment])
            if self.word() != environment:
                raise self.fail("another environment ends")
        elif name in ("text", "texttt", "mathrm"):
            self.text()
        elif name in ARGUMENTS:
            for _ in range(ARGUMENTS[name]):
                self.group()
        else:
            raise self.fail(f"{token} is not known")
