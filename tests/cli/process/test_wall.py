"""The wall of memory: what hits it is told, for which there is a little more."""

from __future__ import annotations

import subprocess
import sys

FULL = """
from autodiff.cli.process.supervisor import set_wall
from autodiff.grammar.objects.python_errors import convert_python_error

set_wall(1)
kept = []
caught = None
for size in (1 << 20, 1 << 10, 1):  # until not even small things find room
    try:
        while True:
            kept.append(bytearray(size))
    except MemoryError as error:
        caught = error
try:
    bytearray(1 << 20)
except MemoryError:
    print("full")
said = convert_python_error(caught)
kept.append(bytearray(100 << 20))
print(said.code)
"""


def test_there_is_room_to_tell_that_memory_is_full():
    done = subprocess.run([sys.executable, "-c", FULL], capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (["full", "E0502"], "")
