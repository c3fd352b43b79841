"""The processes of a round, as /proc tells them: by their environment, their words and where they are."""

import ctypes
import os
import platform
import re
import signal
import time
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
LIBC = ctypes.CDLL(None)
KCMP_VM = 1  # linux/kcmp.h


@dataclass(frozen=True)
class Process:
    pid: int
    parent: int
    state: str
    words: tuple[str, ...]
    run: str  # ORCH_RUN, "" for none
    program: str  # what it executes

    @property
    def text(self) -> str:
        return f"{self.pid} ({self.state}) {' '.join(self.words)[:150]}"

    def is_orch(self, orch: str, command: str) -> bool:
        return self.program == orch and self.words[1:2] == (command,)


def alive(pid: int) -> bool:
    return stat_of(pid)[0] not in ("", "Z")


def stat_of(pid: int) -> tuple[str, int]:
    """State and parent; "" and 0: it is gone."""
    try:
        fields = (PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return "", 0
    return fields[0], int(fields[1])


def of_round(token: str) -> list[Process]:
    """Those alive that have the token in their environment or words, or work in a folder that has it in its name."""
    found, me = [], os.getpid()
    mark = token.encode()
    for folder in PROC.iterdir():
        if not folder.name.isdigit() or int(folder.name) == me:
            continue
        try:
            words, environ = (folder / "cmdline").read_bytes(), (folder / "environ").read_bytes()
            if mark not in words and mark not in environ and token not in os.readlink(folder / "cwd"):
                continue
            program = os.readlink(folder / "exe").removesuffix(" (deleted)")
        except OSError:  # it is gone, or a zombie
            continue
        state, parent = stat_of(int(folder.name))
        if state in ("", "Z"):
            continue
        run = re.search(rb"(?:^|\0)ORCH_RUN=([^\0]*)", environ)
        argv = tuple(word.decode("utf-8", "replace") for word in words.split(b"\0")[:-1])
        found.append(Process(int(folder.name), parent, state, argv, run[1].decode() if run else "", program))
    return found


def shares_memory(pid: int, other: int) -> bool:
    """As a child of orch's does with it until it becomes the program it is for. False where the kernel does not tell."""
    kcmp = {"x86_64": 312, "aarch64": 272}.get(platform.machine())
    return kcmp is not None and LIBC.syscall(kcmp, pid, other, KCMP_VM, 0, 0) == 0


def zombies_of(parents: set[int]) -> set[int]:
    found = set()
    for folder in PROC.iterdir():
        if folder.name.isdigit():
            state, parent = stat_of(int(folder.name))
            if state == "Z" and parent in parents:
                found.add(int(folder.name))
    return found


def signal_one(pid: int, number: int) -> bool:
    try:
        os.kill(pid, number)
        return True
    except OSError:
        return False


def kill_all(token: str, patience_s: float = 5) -> None:
    until = time.monotonic() + patience_s
    while (left := of_round(token)) and time.monotonic() < until:
        for process in left:
            signal_one(process.pid, signal.SIGCONT)
            signal_one(process.pid, signal.SIGKILL)
        time.sleep(0.05)


def memory_of(pid: int) -> tuple[int, int]:
    """VmRSS and VmHWM in KB; 0: it is gone."""
    try:
        status = (PROC / str(pid) / "status").read_text(errors="replace")
    except OSError:
        return 0, 0
    found = {name: int(kb) for name, kb in re.findall(r"^(VmRSS|VmHWM):\s*(\d+)", status, re.MULTILINE)}
    return found.get("VmRSS", 0), found.get("VmHWM", 0)


def descriptors_of(pid: int) -> int:
    try:
        return len(os.listdir(PROC / str(pid) / "fd"))
    except OSError:
        return 0
