"""Programs by fork from a process that has imported everything: each starts in milliseconds, not in a second.

`python -m tests.zygote DESCRIPTOR`: each message on that socket says as JSON what to run, and brings the
program's three standard files and a pipe; the answer is its process id, and the pipe is told how it ended.
It ends, and all its programs, when the socket closes. A program whose subject is its own start, its flags or
what it imports is no matter for it: it starts by itself.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT: Final = Path(__file__).resolve().parents[1]
MOST_BYTES: Final = 1 << 20
PARENT_DEATH_SIGNAL: Final = 1


class Forked:
    """`python -m MODULE …` or `python -c CODE …` by fork; its names are those of subprocess.Popen."""

    def __init__(
        self,
        *arguments: str | Path,
        stdin: int | IO[Any] = 0,
        stdout: int | IO[Any] = 1,
        stderr: int | IO[Any] = 2,
        cwd: Path | None = None,
        env: Mapping[str, str] = os.environ,
    ) -> None:
        """`arguments` are what follows `python`; a standard file that is not given is this process's own."""
        asking, _ = zygote()
        files = [file if isinstance(file, int) else file.fileno() for file in (stdin, stdout, stderr)]
        what = [list(map(str, arguments)), str(cwd or Path.cwd()), dict(env)]
        self.returncode: int | None = None
        self.ended, told = os.pipe()
        with open(os.devnull, "r+b") as nowhere:  # noqa: PTH123 - not a path
            files = [nowhere.fileno() if file == subprocess.DEVNULL else file for file in files]
            socket.send_fds(asking, [json.dumps(what).encode()], [*files, told])
        os.close(told)
        self.pid = int(asking.recv(64))

    def poll(self) -> int | None:
        if self.returncode is None and select.select([self.ended], [], [], 0.0)[0]:
            self.wait()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, or minus the number of the signal that ended it."""
        if self.returncode is None:
            if not select.select([self.ended], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(f"the program {self.pid}", timeout or 0.0)
            self.returncode = os.waitstatus_to_exitcode(int(os.read(self.ended, 64)))
            os.close(self.ended)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def run(
    *arguments: str | Path,
    typed: bytes | str = b"",
    stdout: int | IO[Any] | None = None,
    cwd: Path | None = None,
    env: Mapping[str, str] = os.environ,
    timeout: float | None = 300.0,
) -> subprocess.CompletedProcess[str]:
    """Runs `python ARGUMENTS` by fork to its end; without `stdout`, its output is kept."""
    made = [os.fdopen(os.memfd_create(name), "w+b") for name in ("typed", "said", "complained")]
    with made[0] as given, made[1] as said, made[2] as complained:
        given.write(typed.encode() if isinstance(typed, str) else typed)
        given.seek(0)
        out = said if stdout is None else stdout
        program = Forked(*arguments, stdin=given, stdout=out, stderr=complained, cwd=cwd, env=env)
        try:
            code = program.wait(timeout)
        finally:
            program.kill()
        for file in (said, complained):
            file.seek(0)
        return subprocess.CompletedProcess(arguments, code, said.read().decode(), complained.read().decode())


@cache
def zygote() -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """The socket of this process's own, and the process."""
    ours, its = socket.socketpair(type=socket.SOCK_SEQPACKET)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MOST_BYTES)
    with its:
        command = [sys.executable, "-m", "tests.zygote", str(its.fileno())]
        return ours, subprocess.Popen(command, cwd=ROOT, pass_fds=[its.fileno()])


def become(what: Any, files: list[int]) -> None:
    """What `python ARGUMENTS` does, in the forked process."""
    (flag, program, *rest), folder, environment = what
    ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    os.chdir(folder)
    for descriptor, file in enumerate(files):
        os.dup2(file, descriptor)
        os.close(file)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - it lives as long as the program
    sys.stdout = open(1, "w", 1 if os.isatty(1) else -1, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.argv = [flag, *rest]
    sys.path[0] = folder
    if flag == "-c":
        exec(program, {"__name__": "__main__"})
    else:
        sys.modules.pop(program, None)
        runpy.run_module(program, run_name="__main__", alter_sys=True)


def end(what: Any, files: list[int]) -> None:
    """Becomes the program and ends as it would, but leaves what the zygote imported to the kernel."""
    code: Any = 0
    try:
        become(what, files)
    except SystemExit as stopped:
        code = stopped.code
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    except BaseException:  # noqa: BLE001 - as the interpreter does
        traceback.print_exc()
        code = 1
    if isinstance(code, str):
        sys.stderr.write(f"{code}\n")
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
    except OSError:
        code = 120
    os._exit(code if isinstance(code, int) else int(code is not None))


def main() -> None:
    """Forks a program for each message, and tells how each has ended."""
    commands = import_module("dicetable.commands")
    for command in pkgutil.iter_modules(commands.__path__, "dicetable.commands."):
        import_module(command.name)
    import_module("gateway.app")
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the end of the socket comes after it
    asked = socket.socket(fileno=int(sys.argv[1]))
    running: dict[int, tuple[int, int]] = {}
    while True:
        ready, *_ = select.select([asked.fileno(), *running], [], [])
        for ended in set(ready) & running.keys():
            pid, told = running.pop(ended)
            os.close(ended)
            os.write(told, str(os.waitpid(pid, 0)[1]).encode())
            os.close(told)
        if asked.fileno() not in ready:
            continue
        message, descriptors, *_ = socket.recv_fds(asked, MOST_BYTES, 4)
        if not message:
            return
        *files, told = descriptors
        pid = os.fork()
        if pid == 0:
            asked.close()
            os.close(told)
            end(json.loads(message), files)
        running[os.pidfd_open(pid)] = pid, told
        asked.send(str(pid).encode())
        for file in files:
            os.close(file)


if __name__ == "__main__":
    main()
