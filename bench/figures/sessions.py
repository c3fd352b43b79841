"""Live sessions of a bench: agents that draw as Claude Code does (bench/live/agent.cc), in a folder of their own."""

import shutil
import subprocess
import tempfile
from pathlib import Path


class Place:
    """A state directory, a project and a program "claude" in a temporary folder."""

    def __init__(self, orch: str, agent: str) -> None:
        """`agent`: the words of live_agent; the agent of the issue 1 takes messages instead."""
        self.orch, self.home = orch, Path(tempfile.mkdtemp(prefix="orch-bench-"))
        program = Path(orch).with_name("live_agent")
        drawn = self.home / "drawn"
        drawn.write_text("".join(f"  line {line} of what it has said\r\n" for line in range(200)))
        self.words = [str(program), *(word if word != "FILE" else str(drawn) for word in agent.split())]
        for folder in ("bin", "project"):
            (self.home / folder).mkdir()
        script = self.home / "bin/claude"
        script.write_text(
            f'#!/bin/sh\n[ "$1" = --version ] && echo 1.0.0 && exit\n'
            f'case $ORCH_RUN in *-1-????) exec "{program}" answers ;; esac\nexec {" ".join(self.words)}\n')
        script.chmod(0o700)
        self.env = {"HOME": str(self.home), "ORCH_STATE_DIR": str(self.home / "state"), "TERM": "xterm-256color",
                    "XDG_CONFIG_HOME": str(self.home / "config"), "PATH": f"{self.home}/bin:/usr/bin:/bin"}

    def call(self, *words: str, may_fail: bool = False) -> str:
        done = subprocess.run([self.orch, *words], cwd=self.home / "project", env=self.env, capture_output=True, text=True,
                              check=False)
        if done.returncode != 0 and not may_fail:
            raise SystemExit(f"{words} ended with {done.returncode}: {done.stderr}")
        return done.stdout

    def start(self, sessions: int, first: int = 1) -> None:
        """`first`: the number of the first issue."""
        self.call("run", *(str(first + issue) for issue in range(sessions)), "-d", "--agent", "claude", "--no-hooks", "--size",
                  "120x40", "--until", "exit")

    def leave(self) -> None:
        shutil.rmtree(self.home, ignore_errors=True)


def cpu_of(pid: int) -> float:
    """Milliseconds that the process has run, without its children."""
    total = 0
    for task in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        try:
            total += int(task.read_text().split()[0])
        except (FileNotFoundError, ProcessLookupError):
            continue
    return total / 1e6


def memory_of(pid: int, kind: str = "Private_Dirty") -> float:
    """KB that it has written itself: what it has mapped of files, and shares with whoever runs them, does not count. With "Rss"
    that does, too."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return sum(float(line.split()[1]) for line in lines if line.startswith(kind))
