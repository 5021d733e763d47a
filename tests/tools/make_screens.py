"""Pictures of what people see: scripts on terminals of two sizes, on black and on white.

``python tests/tools/make_screens.py FOLDER`` writes ``homework-80x24-dark.png`` and so on, to be looked at.
Each is the last screen of a command on a pseudo-terminal, with the prompt below. ``--font`` names a font of
fixed width.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
from itertools import product
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

SIZES = ((80, 24), (120, 40))
#: The colours of text without one, and of the background. The program's own are the same on every terminal.
THEMES = {
    "dark": TerminalTheme((0, 0, 0), (204, 204, 204), [(204, 204, 204)] * 8),
    "light": TerminalTheme((255, 255, 255), (40, 40, 40), [(40, 40, 40)] * 8),
}
LEAF = "torch.tensor({}, requires_grad=True)"
NETWORK = f"""torch.manual_seed(0)
x, t = torch.randn(5, 3), torch.randn(5, 1)
W1 = torch.randn(3, 4, requires_grad=True)
b1 = torch.zeros(4, requires_grad=True)
W2 = torch.randn(4, 1, requires_grad=True)
b2 = {LEAF.format("[0.]")}
h = torch.tanh(x @ W1 + b1)
loss = ((h @ W2 + b2 - t)**2).mean()
loss.backward()
print('loss', loss.item())
"""
PENDULUM = """import math
l = 1.2
g = 9.81
theta = 0.3
T = 2*math.pi*sqrt(l/g)*(1 + theta**2/16)
"""
RECURRENT = """W = torch.full((4, 4), 0.1, requires_grad=True)
h = torch.ones(4)
for t in range(12):
    h = torch.tanh(W @ h + 0.5)
loss = (h**2).sum()
"""
MANY = f"ws = [{LEAF.format('float(i)')} for i in range(200)]\nL = sum([w*w for w in ws])\nL.backward()\n"
UNDEFINED = "x = torch.tensor([0., 4.], requires_grad=True)\nL = (torch.sqrt(x)*x).sum() + (x/x).sum()\n"
PLAIN = "a = 3\nb = 1\nc = a + b\nd = b + 1\ne = c*d\n"
LOOP = f"w = {LEAF.format('1.0')}\nL = w\nfor i in range(100_000):\n    L = L * w\n"
SEVERAL = f"x = {LEAF.format('[1., 2., 3.]')}\ny = x**2 + 1\nz = y * x\n"
NORMALIZED = """torch.manual_seed(0)
x = torch.randn(6, 3)
gamma = torch.ones(3, requires_grad=True)
beta = torch.zeros(3, requires_grad=True)
W = torch.randn(3, 3, requires_grad=True)
h = x @ W
mu = h.mean(dim=0)
var = ((h - mu)**2).mean(dim=0)
hhat = (h - mu) / torch.sqrt(var + 1e-5)
loss = ((gamma*hhat + beta)**3).sum()
"""
TRAINED = f"""torch.manual_seed(0)
x = torch.randn(20, 2)
t = x @ torch.tensor([[2.0], [-1.0]]) + 0.5
w = torch.zeros(2, 1, requires_grad=True)
b = {LEAF.format("[0.]")}
for epoch in range(50):
    loss = ((x @ w + b - t)**2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1*w.grad
        b -= 0.1*b.grad
    w.grad = b.grad = None
    if epoch % 10 == 0:
        print(epoch, loss.item())
"""
STEPS = """w = 0.5
u = 0.8
xs = [1.0, 0.3, -0.6, 0.9, 0.4]
h = 0.0
for x in xs:
    h = tanh(w*h + u*x)
L = (h - 1)**2
"""
DEAD = f"""x = torch.tensor([[1.0, 2.0], [0.5, 1.5], [2.0, 0.3]])
W1 = {LEAF.format("[[-1.0, 0.4], [-0.5, 0.2]]")}
b1 = {LEAF.format("[-0.5, 0.1]")}
W2 = {LEAF.format("[[1.0], [2.0]]")}
h = torch.relu(x @ W1 + b1)
loss = ((h @ W2 - 1.0)**2).mean()
loss.backward()
"""
SOFTMAX = """import numpy as np
np.random.seed(0)
X = np.random.randn(6, 3)
y = np.array([0, 1, 2, 0, 1, 2])
W = np.random.randn(3, 3)
b = np.zeros(3)
z = X.dot(W) + b
p = np.exp(z) / np.sum(np.exp(z), axis=1, keepdims=True)
loss = -np.mean(np.log(p[range(6), y]))
"""
#: The name of a picture, the script, and what is run; ``@`` is the script.
SCREENS = {
    "homework": (NETWORK, ["run", "@"]),
    "homework-explained": (NETWORK, ["explain", "@", "--wrt", "W1"]),
    "physics": (PENDULUM, ["run", "@"]),
    "recurrent": (RECURRENT, ["run", "@"]),
    "many": (MANY, ["run", "@"]),
    "undefined": (UNDEFINED, ["run", "@"]),
    "wrong-formula": (PENDULUM, ["check", "@", "--formula", "dT/dl == math.pi/sqrt(l*g)*(1 + theta**2)"]),
    "right": (PENDULUM, ["check", "@"]),
    "second-order": (PENDULUM, ["explain", "@", "--order", "2", "--wrt", "l"]),
    "error": ("X = torch.ones(2, 3)\nW = torch.ones(2, 2)\na = X @ W\n", ["run", "@"]),
    "json-error": ("w = 3\nL = w *\n", ["run", "@", "--format", "json"]),
    "plain": (PLAIN, ["run", "@"]),
    "loop": (LOOP, ["run", "@"]),
    "loop-explained": (LOOP.replace("100_000", "1000"), ["explain", "@"]),
    "several": (SEVERAL, ["run", "@"]),
    "normalized": (NORMALIZED, ["run", "@"]),
    "normalized-explained": (NORMALIZED, ["explain", "@", "--wrt", "gamma"]),
    "trained": (TRAINED, ["run", "@"]),
    "steps": (STEPS, ["graph", "@"]),
    "steps-within": (STEPS, ["graph", "@", "--depth", "5"]),
    "steps-explained": (STEPS, ["explain", "@", "--wrt", "w"]),
    "steps-plotted": (STEPS, ["plot", "@", "--of", "h"]),
    "dead": (DEAD, ["explain", "@", "--wrt", "b1"]),
    "numpy": (SOFTMAX, ["run", "@"]),
    "numpy-traced": (SOFTMAX, ["trace", "@"]),
    "numpy-linted": (SOFTMAX, ["lint", "@"]),
}


def seen_on_terminal(arguments: list[str], folder: Path, columns: int, lines: int, colors: str) -> str:
    """What the program writes to a terminal of this size, with its colours."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    environ = {
        name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")
    }
    environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8", AUTODIFF_COLORS=colors)
    command = [sys.executable, "-m", "autodiff.cli", *arguments]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=environ, cwd=folder
    )
    os.close(theirs)
    seen = b""
    try:
        while data := os.read(ours, 65536):
            seen += data
    except OSError:  # the other side is closed: Linux says so with EIO
        pass
    process.wait()
    os.close(ours)
    return seen.decode("utf-8", "replace").replace("\r\n", "\n")


def rows_of(seen: str, columns: int) -> list[Text]:
    """The lines as a terminal wraps them; of a line that was drawn several times, the last state."""
    rows: list[Text] = []
    for line in seen.split("\n"):
        text = Text.from_ansi(line.rstrip("\r").rpartition("\r")[2])
        rows += text.divide(range(columns, max(len(text), 1), columns))
    return rows


def picture(rows: list[Text], columns: int, lines: int, theme: TerminalTheme, font: str) -> Image.Image:
    """The last rows that fit a screen, painted."""
    plain, bold = (ImageFont.truetype(name, 14) for name in (font, font.replace(".ttf", "-Bold.ttf")))
    width, height = round(plain.getlength("M")), 18
    image = Image.new("RGB", (columns * width + 8, lines * height + 8), tuple(theme.background_color))
    draw, console = ImageDraw.Draw(image), Console(color_system="truecolor", force_terminal=True)
    for row, text in enumerate(rows[-lines:]):
        at = 0
        for segment in text.render(console):
            style = segment.style
            color = theme.foreground_color
            if style is not None and style.color is not None:
                color = style.color.get_truecolor(theme)
            if style is not None and style.dim:
                color = tuple((a + b) // 2 for a, b in zip(color, theme.background_color, strict=True))
            back = theme.background_color
            if style is not None and style.bgcolor is not None:
                back = style.bgcolor.get_truecolor(theme)
            if style is not None and style.reverse:
                color, back = back, color
            face = bold if style is not None and style.bold else plain
            for character in segment.text.rstrip("\n"):
                corner = (4 + at * width, 4 + row * height)
                draw.rectangle((*corner, corner[0] + width - 1, corner[1] + height - 1), tuple(back))
                draw.text(corner, character, tuple(color), face)
                at += 1
    return image


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--font", default="DejaVuSansMono.ttf")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, (script, arguments) in SCREENS.items():
            path = Path(folder, f"{name}.ad")
            path.write_text(script, encoding="utf-8")
            words = [path.name if word == "@" else word for word in arguments]
            for (columns, lines), theme in product(SIZES, THEMES):
                seen = seen_on_terminal(words, Path(folder), columns, lines, theme)
                rows = rows_of(f"$ autodiff {shlex.join(words)}\n{seen}$ ", columns)
                image = picture(rows, columns, lines, THEMES[theme], given.font)
                image.save(given.folder / f"{name}-{columns}x{lines}-{theme}.png")
    print(f"{len(SCREENS) * len(SIZES) * len(THEMES)} pictures in {given.folder}")


if __name__ == "__main__":
    main()
