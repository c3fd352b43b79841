"""What a hung round shows of itself, kept before it is killed."""

import os
import shutil
import subprocess
from pathlib import Path

import processes

DEBUGGER_S = 30


def save(token: str, folder: Path, orch: str) -> None:
    folder.mkdir(exist_ok=True)
    for process in processes.of_round(token):
        name = f"{process.pid}-{Path(process.program).name}-{(process.words[1:2] or ('',))[0]}".replace("/", "_")
        (folder / f"{name}.txt").write_text(_of_process(process), encoding="utf-8")
        if process.is_orch(orch, "run") and shutil.which("gdb"):
            _ask_debugger(process.pid, folder / f"{name}.stack.txt")
    sockets = subprocess.run(["ss", "-xap"], capture_output=True, text=True, check=False) if shutil.which("ss") else None
    if sockets:
        (folder / "sockets.txt").write_text(sockets.stdout)


def _of_process(process: processes.Process) -> str:
    proc = processes.PROC / str(process.pid)
    parts = [process.text]
    for name in ("status", "wchan", "syscall", "stack"):
        parts.append(f"--- {name}\n{_content(proc / name)}")
    parts.append("--- descriptors")
    try:
        for number in sorted(os.listdir(proc / "fd"), key=int):
            parts.append(f"{number} -> {os.readlink(proc / 'fd' / number)}")
            # An epoll's has a line for each descriptor that it watches, a pidfd's names its process.
            parts.append(_content(proc / "fdinfo" / number))
    except OSError:
        parts.append("(gone)")
    return "\n".join(parts) + "\n"


def _content(path: Path) -> str:
    try:
        return path.read_text(errors="replace").rstrip("\n")
    except OSError as error:
        return f"({error.strerror})"


def _ask_debugger(pid: int, out: Path) -> None:
    words = ["gdb", "--batch", "-p", str(pid), "-ex", "thread apply all backtrace"]
    try:
        said = subprocess.run(words, capture_output=True, text=True, timeout=DEBUGGER_S, check=False,
                              stdin=subprocess.DEVNULL)
        out.write_text(said.stdout, encoding="utf-8")
    except subprocess.TimeoutExpired:
        pass
