"""Where one run lives: a home and a project of its own, an environment with nothing of the user's in it,
and the records that orch leaves there."""

import json
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from agents import OLD_LINE, Agent, Place
from terminal import Terminal

STOP_PATIENCE_S = 30


def make_project(folder: Path) -> Path:
    """A repository (codex asks for trust in those only) with a file to work on, under a new home."""
    home, project = folder / "home", folder / "home/project"
    project.mkdir(parents=True)
    (project / "sum.py").write_text(f"{OLD_LINE}\n\n\ndef add(numbers):\n    return TOTAL + sum(numbers)\n")
    subprocess.run(["git", "init", "--quiet"], cwd=project, env={"HOME": str(home), "PATH": os.defpath}, check=True)
    return project


def environment(agent: Agent, place: Place, programs: Path) -> dict[str, str]:
    """Nothing of the user's gets through but the way to node."""
    node = Path(shutil.which("node") or "/usr/bin/node").parent
    common = {
        "HOME": str(place.home),
        "PATH": os.pathsep.join([str(programs), str(node), "/usr/local/bin", "/usr/bin", "/bin"]),
        "LANG": "C.UTF-8",
        "SHELL": "/bin/sh",
    }
    return common | agent.environment(place)


def state_folder(folder: Path) -> Path:
    return folder / "state"


def recording_of(folder: Path) -> Path | None:
    return next(state_folder(folder).glob("runs/*/output.cast"), None)


def events_of(folder: Path) -> list[dict]:
    """The records of events.jsonl, the session's first; none if orch wrote none."""
    file = next(state_folder(folder).glob("runs/*/events.jsonl"), None)
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file else []


def start_of(events: list[dict]) -> float:
    """When the session of these records began, in seconds since 1970: from then on their `ms` count."""
    return datetime.fromisoformat(events[0]["started"]).timestamp()


def told_of(events: list[dict]) -> list[tuple[float, str]]:
    """When each of the agent's lines was told, in seconds since 1970. A record that does not name its speaker counts
    as the agent's."""
    return [(start_of(events) + e["ms"] / 1000, e["text"]) for e in events
            if e["event"] == "output" and e.get("speaker", "agent") == "agent"]


def transcript_of(folder: Path) -> list[str]:
    """The lines of transcript.txt; none if orch wrote none."""
    file = next(state_folder(folder).glob("runs/*/transcript.txt"), None)
    return file.read_text(encoding="utf-8").splitlines() if file else []


def result_of(folder: Path) -> dict | None:
    """result.json; None if orch wrote none."""
    file = next(state_folder(folder).glob("runs/*/result.json"), None)
    return json.loads(file.read_text(encoding="utf-8")) if file else None


class Stopped(Exception):
    """stop() was called: what the program did says nothing."""


class Programs:
    """The programs under way. They are out of reach of the terminal's Ctrl-C; stop() ends them, from any
    thread."""

    def __init__(self):
        self._lock = threading.Lock()
        self._live: set[subprocess.Popen] = set()
        self._stopped = False

    def run(
        self, command: list[str], cwd: Path, env: dict[str, str], out: Path, errors: Path, timeout_s: float,
        given: str = "", after_stop: bool = False, terminal: Terminal | None = None,
        started: Callable[[subprocess.Popen], None] = lambda _process: None,
    ) -> int | None:
        """The exit code; None: it had to be killed. Standard output goes to `out`, errors are added to
        `errors`, `given` comes on standard input; or all three are `terminal`. A program that cleans up may start
        `after_stop`."""
        with out.open("wb") as stdout, errors.open("ab") as stderr:
            with self._lock:
                if self._stopped and not after_stop:
                    raise Stopped
                if terminal is not None:
                    process = terminal.start(command, cwd, env, stdout)
                else:
                    process = subprocess.Popen(
                        command, cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=stdout, stderr=stderr,
                        start_new_session=True,
                    )
                self._live.add(process)
            started(process)
            try:
                process.communicate(given.encode() if terminal is None else None, timeout_s)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            except KeyboardInterrupt:
                process.terminate()
                process.wait(STOP_PATIENCE_S)
                raise
            finally:
                with self._lock:
                    self._live.discard(process)
                    stopped = self._stopped and not after_stop
        if stopped:
            raise Stopped
        return None if process.returncode == -signal.SIGKILL else process.returncode

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            for process in self._live:
                process.terminate()
