"""What answers blocks of rows: a job. It is made of texts and numbers alone, so it works in any process.

A job is written as JSON (``Job.text``) and read by ``answer_bytes``, which also reads the block and writes
the answer: two texts and bytes are all that travels between processes, nothing is pickled.
"""

from __future__ import annotations

import base64
import json
from abc import ABC, abstractmethod
from functools import lru_cache
from importlib import import_module
from threading import Lock

from autodiff.cli.data_files.row_readers import Block, make_reader
from autodiff.cli.process.streams import charset
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import limits
from autodiff.core.base.source import Source
from autodiff.grammar.session.rows import RowRuns
from autodiff.grammar.session.run import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, ClassVar

    from autodiff.cli.data_files.row_readers import Reader

#: The modules of jobs by the kinds of jobs.
KINDS = {"rows": "autodiff.cli.requests.row_job", "batches": "autodiff.cli.requests.batch_job"}
FAILED = b"failed"
#: The engine has one state for a process, so that one block is answered at a time.
engine = Lock()


class Job(ABC):
    """Answers blocks of the rows that ``reader`` reads; the script takes the values of the ``used`` columns.

    ``inputs`` are the names of the inputs whose gradients are asked for.
    """

    __slots__ = ("inputs", "reader", "runs", "settings", "source", "used")
    kind: ClassVar[str]

    def __init__(
        self, source: Source, settings: Settings, reader: Reader, used: Sequence[str], inputs: Sequence[str]
    ) -> None:
        self.source = source
        self.settings = settings
        self.reader = reader
        self.used = list(used)
        self.inputs = list(inputs)
        self.runs = RowRuns(source, settings)

    def text(self) -> str:
        """The job as JSON, with the limits of this process."""
        settings, source = self.settings, self.source
        return json.dumps(
            {
                "kind": self.kind,
                "script": [source.text, source.name, source.caret_is_power],
                "settings": {name: encode(getattr(settings, name)) for name in SETTINGS},
                "reader": self.reader.described(),
                "used": self.used,
                "inputs": self.inputs,
                "limits": {name: getattr(limits, name) for name in limits.__slots__},
                "charset": charset.name,
                "own": encode(self.own()),
            }
        )

    def own(self) -> dict[str, Any]:
        """What a kind of jobs has besides: arguments of its class."""
        return {}

    @abstractmethod
    def answer(self, block: Block) -> Any:
        """The answer to a block."""

    @abstractmethod
    def encoded(self, answer: Any) -> bytes:
        """An answer as bytes, which ``decoded`` reads."""

    @abstractmethod
    def decoded(self, data: bytes) -> Any:
        """The answer that these bytes were made from."""


SETTINGS = ("sets", "dtype", "seed", "wrt", "of", "grad_output", "track", "adds_up", "data")


@lru_cache(maxsize=1)
def read_job(text: str) -> Job:
    """The job that was written as this text. The limits become those of this process."""
    made = json.loads(text)
    for name, value in made["limits"].items():
        setattr(limits, name, value)
    charset.name = made["charset"]
    make = import_module(KINDS[made["kind"]]).MAKE
    settings = Settings(**{name: decode(value) for name, value in made["settings"].items()})
    own = decode(made["own"])
    source = Source(*made["script"][:2])
    source.caret_is_power = made["script"][2]
    job: Job = make(source, settings, make_reader(made["reader"]), made["used"], made["inputs"], **own)
    return job


def answer_bytes(job: str, block: bytes) -> bytes:
    """The answer to a block that was written by ``block_bytes``, for ``read_answer``; FAILED if it fails."""
    with engine:
        try:
            made = read_job(job)
            return made.encoded(made.answer(read_block(block)))
        except Exception:
            return FAILED


def read_answer(job: Job, block: Block, data: bytes) -> Any:
    """The answer in the bytes. A block that failed is answered again here, to raise the same error."""
    return job.answer(block) if data == FAILED else job.decoded(data)


def block_bytes(block: Block) -> bytes:
    """A block as bytes: a line of JSON, and the lines of the file."""
    numbers = block.numbers
    head = {
        "first": block.first,
        "numbers": [numbers.start, numbers.stop] if isinstance(numbers, range) else None,
        "listed": [] if isinstance(numbers, range) else [*numbers],
    }
    if isinstance(block.lines, range):
        return json.dumps({**head, "combinations": [block.lines.start, block.lines.stop]}).encode() + b"\n"
    text = "\n".join(block.lines)
    if text.count("\n") >= len(block.lines):  # a row has line breaks
        return json.dumps({**head, "rows": [*block.lines]}).encode() + b"\n"
    return json.dumps(head).encode() + b"\n" + text.encode()


def read_block(data: bytes) -> Block:
    """The block that was written by ``block_bytes``."""
    first, _, rest = data.partition(b"\n")
    head = json.loads(first)
    numbers = range(*head["numbers"]) if head["numbers"] else head["listed"]
    lines: Any = head.get("rows")
    if lines is None:
        lines = range(*head["combinations"]) if "combinations" in head else rest.decode().split("\n")
    return Block(lines, numbers, head["first"])


def encode(value: Any) -> Any:
    """A value of an option as JSON; arrays keep their numbers, type and shape."""
    if isinstance(value, dict):
        return {"dict": {name: encode(one) for name, one in value.items()}}
    if isinstance(value, (list, tuple)):
        return [encode(one) for one in value]
    if isinstance(value, (set, frozenset)):
        return {"set": sorted(value)}
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    array = np.ascontiguousarray(value)
    data = base64.b64encode(array.tobytes()).decode("ascii")
    return {"array": data, "dtype": array.dtype.str, "shape": list(np.shape(value))}


def decode(value: Any) -> Any:
    """The value that ``encode`` wrote."""
    if isinstance(value, list):
        return [decode(one) for one in value]
    if not isinstance(value, dict):
        return value
    if "dict" in value:
        return {name: decode(one) for name, one in value["dict"].items()}
    if "set" in value:
        return frozenset(value["set"])
    data = base64.b64decode(value["array"])
    return np.frombuffer(data, value["dtype"]).reshape(value["shape"]).copy()
