"""A process that has imported the program, and runs each command line in a fork of itself.

A new interpreter spends 50 to 150 ms on imports, most of what a command takes; a fork spends 5. Apart from
that the fork is a process like any other: it has the streams, folder, environment and arguments of the
client, and the client ends as it does, by exit code or signal. ``program.py`` starts the server, and asks it
itself where no shell is needed.

    python fork_server.py serve SOCKET        until its stdin ends
    python fork_server.py run SOCKET ARG...   as ``python -m autodiff.cli ARG...``
"""

from __future__ import annotations

import os
import signal
import socket
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: What a process reads only when it starts, by the beginnings of names, and the server's own values.
READ_AT_START = ("PYTHON", "LC_", "LANG", "OPENBLAS", "GOTO", "OMP", "MALLOC", "GLIBC")
OF_SERVER = {"LC_ALL": "C.UTF-8"}


def run(path: str, arguments: list[str]) -> None:
    """Have the server run the program, and end as it ends.

    Where the program reads other values at its start, or lacks a stream or its folder, it starts anew.
    """
    try:
        for stream in (0, 1, 2):
            os.fstat(stream)
        folder = os.getcwd()
    except OSError:
        folder = ""
    if not folder or not starts_alike(path, os.environ):
        os.execv(sys.executable, [sys.executable, "-m", "autodiff.cli", *arguments])
    code = ask(path, arguments, folder, os.environ, [0, 1, 2])
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def starts_alike(path: str, environment: Mapping[str, str]) -> bool:
    """Whether a program with this environment starts as the server did."""
    read = {name: environment[name] for name in environment if name.startswith(READ_AT_START)}
    return read == OF_SERVER and path.endswith(socket_name(environment))


def socket_name(environment: Mapping[str, str]) -> str:
    """The name of the server's socket, which says whether it has the fast paths."""
    return f"/socket-{environment.get('AUTODIFF_FAST')}"


def ask(
    path: str,
    arguments: list[str],
    folder: str,
    environment: Mapping[str, str],
    streams: list[int],
    patience: float | None = None,
) -> int:
    """Have the server run the program to its end. Returns the exit code, or minus the number of the signal.

    ``patience`` is in seconds; after them this raises a TimeoutError.
    """
    fields = [folder, *arguments, *(f"{name}={value}" for name, value in environment.items())]
    message = b"\0".join([b"%d" % len(arguments), *map(os.fsencode, fields)])
    with socket.socket(socket.AF_UNIX) as server:
        server.settimeout(patience)
        server.connect(path)
        socket.send_fds(server, [b"%08d" % len(message)], streams)
        server.sendall(message)
        return int(server.recv(16))


def serve(path: str) -> None:
    """Answer clients until stdin ends, each with a fork."""
    import gc
    import selectors

    import_all()
    run_commands()
    gc.freeze()  # a search for garbage would write to the memory that the forks share
    gc.disable()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(64)
    wakes, woken = socket.socketpair()
    woken.setblocking(False)
    signal.set_wakeup_fd(woken.fileno())
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    clients: dict[int, socket.socket] = {}
    print("ready", flush=True)
    selector = selectors.DefaultSelector()
    for source in (sys.stdin, listener, wakes):
        selector.register(source, selectors.EVENT_READ)
    while True:
        ready = [key.fileobj for key, _ in selector.select()]
        if sys.stdin in ready:
            break
        if wakes in ready:
            wakes.recv(4096)
            end(clients)
        if listener in ready:
            client, _ = listener.accept()
            pid = os.fork()
            if not pid:
                become(client)
            clients[pid] = client
    for pid in clients:
        os.kill(pid, signal.SIGKILL)


def end(clients: dict[int, socket.socket]) -> None:
    """Tell the clients whose programs have ended how these did."""
    while clients:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        with clients.pop(pid) as client:
            client.sendall(b"%d" % os.waitstatus_to_exitcode(status))


def become(client: socket.socket) -> None:
    """Be the program that the client asks for, and end with it."""
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        length, streams, _, _ = socket.recv_fds(client, 8, 3)
        message = b""
        while len(message) < int(length):
            message += client.recv(1 << 20)
        count, folder, *fields = message.split(b"\0")
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.closerange(3, 256)
        os.chdir(folder)
        os.environb.clear()
        os.environb.update(field.split(b"=", 1) for field in fields[int(count) :])
        sys.argv[1:] = map(os.fsdecode, fields[: int(count)])
        from autodiff.cli.main import main

        main()
    finally:
        os._exit(70)


def import_all() -> None:
    """Import every module of the program, and numpy as the program does."""
    import pkgutil

    from autodiff import cli, core, grammar
    from autodiff.cli.process import numpy_setup
    from autodiff.core.base.lazy_imports import np, numpy_preparations

    for package in (core, grammar, cli):
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if not module.name.endswith(".__main__"):
                __import__(module.name)
    numpy_preparations.append(numpy_setup.prepare)
    np.ndarray  # noqa: B018 - reading any name imports numpy


#: Command lines that use between them what most programs use.
NUMBERS = "w = 3.0\nfor i in range(2):\n    L = w * [1, 2][i]\n"
TENSORS = (
    "import torch\nx = torch.ones(3, requires_grad=True)\nL = (x * x).sum()\nL.backward()\nprint(x.grad)\n"
)
COMMANDS = [
    *(("grad", "-e", code) for code in (NUMBERS, TENSORS, "x = ", "x = ones(2) @ ones(3)")),
    *((command, "-e", TENSORS) for command in ("run", "explain", "check", "graph", "hessian")),
    ("run", "-e", TENSORS, "--format", "json"),
    ("check", "-e", NUMBERS, "--formula", "dL/dw == 2"),
]


def run_commands() -> None:
    """Run commands, for what a process reads, compiles and remembers at its first use.

    Afterwards the state of the process is that before, but for what makes a second run faster than the first.
    """
    import resource  # noqa: F401 - of every run

    from autodiff.cli.process.supervisor import clock, requested, woken
    from autodiff.core.base import limits
    from autodiff.core.base.lazy_imports import numpy_preparations
    from command_runner import call, kept_state

    lists = (numpy_preparations, limits.large_array_callbacks, limits.repair_callbacks)
    before = [[*callbacks] for callbacks in lists]
    kept = [os.dup(1), os.dup(2)]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    for arguments in COMMANDS:
        with kept_state():
            call([*arguments])
        clock.start(0)
        requested.clear()
        woken.clear()
    for stream, end in zip((1, 2), kept, strict=True):
        os.dup2(end, stream)
        os.close(end)
    os.close(nowhere)
    for callbacks, then in zip(lists, before, strict=True):
        callbacks[:] = then


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
    else:
        run(sys.argv[2], sys.argv[3:])
