"""A run of `orch run -d` under a session manager, from its start to its end, and the CPU time that orch and the
manager took for it."""

import os
import shutil
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from workplace import Programs, state_folder

MANAGERS = ("native", "tmux")
ISSUE = "canary"
START_S, END_S = 60, 30  # what the commands that start and wait get beyond the run's own time
SAMPLE_S = 0.1


@dataclass(frozen=True)
class Ended:
    code: int | None  # None: orch had to be killed
    cpu_s: float


def run_in_background(
    programs: Programs, command: list[str], manager: str, folder: Path, env: dict[str, str], timeout_s: float
) -> Ended:
    """`command` is `orch run`'s; the run ends with its own code, at a dialog as it does in the foreground."""
    orch = command[0]
    state = ["--state-dir", str(state_folder(folder))]

    def call(words: list[str], name: str, patience_s: float, **more) -> int | None:
        out, errors = folder / f"stdout{name}.txt", folder / "stderr.txt"
        return programs.run([orch, *words], folder / "home/project", env, out, errors, patience_s, **more)

    # A socket's path has little room: this cannot be in the run's folder.
    tmux = tempfile.mkdtemp(prefix="orch-canary-")
    env = env | {"TMUX_TMPDIR": tmux}
    meter = CpuMeter((orch, shutil.which("tmux") or ""), env["HOME"])
    try:
        code = call([*command[1:], "-d", "--session-manager", manager, "--ask-timeout", "0"], "", START_S)
        if code == 0:
            code = call(["wait", ISSUE, "--until", "exited", *state], "-wait", timeout_s + END_S)
    finally:
        cpu_s = meter.close()
        call(["kill", ISSUE, "--now", *state], "-kill", END_S, after_stop=True)
        if manager == "tmux":
            server = ["tmux", "-L", "orch", "kill-server"]
            subprocess.run(server, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        shutil.rmtree(tmux, ignore_errors=True)
    return Ended(code, cpu_s)


class CpuMeter:
    """What the processes of the given programs that live in a home take of the CPU, from construction to close():
    orch's (the host, what starts it, hooks) and tmux's, but not `orch wait` and not the agent. It looks ten times a
    second; what a process does after the last look is not counted."""

    def __init__(self, programs: tuple[str, ...], home: str):
        self._programs = programs
        self._mark = f"HOME={home}".encode()
        self._used: dict[tuple[str, str], int] = {}  # ticks; by number and start, for numbers come again
        self.looks = 0
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def close(self) -> float:
        """Seconds."""
        self._closed.set()
        self._thread.join()
        return sum(self._used.values()) / os.sysconf("SC_CLK_TCK")

    def _watch(self) -> None:
        while not self._closed.wait(SAMPLE_S):
            self._look()

    def _look(self) -> None:
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if self._is_ours(folder):
                    fields = (folder / "stat").read_text().rpartition(")")[2].split()
                    self._used[folder.name, fields[19]] = int(fields[11]) + int(fields[12])
            except OSError:  # it is gone, or another user's
                continue
        self.looks += 1

    def _is_ours(self, folder: Path) -> bool:
        return (
            os.readlink(folder / "exe") in self._programs
            and self._mark in (folder / "environ").read_bytes().split(b"\0")
            and (folder / "cmdline").read_bytes().split(b"\0")[1:2] != [b"wait"]
        )
