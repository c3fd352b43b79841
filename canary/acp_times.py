"""script/acp-times: how long a prompt, a word and an end take by orch acp, and by the CLI itself. See canary/README.md."""

import argparse
import fcntl
import os
import pty
import re
import shutil
import signal
import statistics
import struct
import sys
import termios
import threading
import time
from pathlib import Path

from acp import NAMES, Play, Work, install_clients, line_of, prompt_of
from agents import AGENTS
from command_line import RIGHT, WRONG, exit_code_of, leave, new_scratch, parser_of, ready
from delivery_runs import Cli
from install import driven_version
from load import load
from report import aligned
from starts import answer

OWN = {"claude": ("claude", "--permission-mode", "default"), "codex": ("codex", "--no-daemon"), "gemini": ("gemini",),
       "opencode": ("opencode",)}
CONTROL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])|\s")
QUIET_S = 1.5


def parse_arguments() -> argparse.Namespace:
    parser = parser_of("acp-times", "Measures, by turns, the official client on orch acp and a CLI that is typed into: from the "
                                    "prompt to the model's request, from a line of the model's to the client or the "
                                    "screen, from the model's end to the response. Prints medians.")
    parser.add_argument("--agent", action="append", choices=NAMES, help="default: all")
    parser.add_argument("--rounds", type=int, default=7, metavar="N", help="of each agent (7)")
    return parser.parse_args()


class Typed:
    """A CLI on a terminal of its own, which is typed into. Lives from construction to close()."""

    def __init__(self, work: Work):
        self.work = work
        program, *words = OWN[work.cli.agent.name]
        program = shutil.which(program, path=work.env["PATH"]) or program
        self._pid, self._ours = pty.fork()
        if self._pid == 0:
            os.chdir(work.project)
            os.execvpe(program, [program, *words], work.env | {"TERM": "xterm-256color", "COLORTERM": "truecolor"})
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self._drawn: list[tuple[float, str]] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        try:
            while piece := os.read(self._ours, 65536):
                answer(self._ours, piece)
                self._drawn.append((time.time(), piece.decode(errors="replace")))
        except OSError:
            pass

    def is_quiet(self) -> bool:
        return bool(self._drawn) and time.time() > self._drawn[-1][0] + QUIET_S

    def drawn_at(self, text: str, since: float) -> float | None:
        """When the text had been drawn, whatever moves of the cursor stand between its letters."""
        wanted, seen = CONTROL.sub("", text), ""
        for at, piece in list(self._drawn):
            if at < since:
                continue
            seen += piece
            if wanted in CONTROL.sub("", seen):
                return at
        return None

    def prompt(self, step: str) -> float:
        """When Enter was typed after the text stood in the box."""
        text, begun = prompt_of(step)[0]["text"], time.time()
        os.write(self._ours, text.encode())
        self.work.wait_for(lambda: self.drawn_at(text, begun) is not None)
        time.sleep(0.1)  # some take an Enter that follows at once for a part of what is pasted
        entered = time.time()
        os.write(self._ours, b"\r")
        return entered

    def turn(self, step: str) -> dict[str, float]:
        entered = self.prompt(step)
        self.work.wait_for(lambda: bool(self.work.times_of(step)[2]))
        self.work.wait_for(lambda: self.drawn_at(line_of(step), entered) is not None)
        arrived, line, _ = self.work.times_of(step)
        drawn = self.drawn_at(line_of(step), entered) or 0
        return {"prompt to request": arrived - entered, "first line to chunk": drawn - line}

    def close(self) -> None:
        os.killpg(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._ours)


def measure(orch: Path, cli: Cli, programs: Path, folder: Path, modules: Path, rounds: int) -> dict[str, list[float]]:
    ours, own = (Work(orch, cli, programs, folder / name) for name in ("ours", "own"))
    client, typed = ours.client(modules), Typed(own)
    playing = Play(ours, client, modules)
    times: dict[str, list[float]] = {}
    try:
        playing.begin()
        own.wait_for(typed.is_quiet)
        for number in range(rounds + 1):
            held = playing.turn_of_words(f"words-{number}")
            playing.checks["words"] = playing.checks.get("words", True) and held
            alone = typed.turn(f"words-{number}")
            time.sleep(QUIET_S)
            if number == 0:  # the first turn loads programs
                playing.times.clear()
                continue
            for kind, seconds in alone.items():
                times.setdefault(f"own {kind}", []).append(seconds)
            print(f"{cli.name} {number}: load {load():.0f}", file=sys.stderr)
    finally:
        client.close()
        typed.close()
        ours.close()
        own.close()
    return times | playing.times if playing.checks["words"] else {}


def main() -> int:
    arguments = parse_arguments()
    clis = [Cli(AGENTS[name], driven_version(AGENTS[name])) for name in arguments.agent or NAMES]
    orch, programs = ready(arguments.orch, clis)
    modules = install_clients()
    scratch = new_scratch("acp-times")
    kinds = ("prompt to request", "own prompt to request", "first line to chunk", "own first line to chunk", "end to response")
    heads = ("prompt to request, s", "by itself", "line to chunk, s", "to its screen", "end to response, s")
    rows = [["agent", "turns", *heads, "load"]]
    for cli in clis:
        times = measure(orch, cli, programs[cli.name], scratch / cli.agent.name, modules, arguments.rounds)
        medians = [f"{statistics.median(times[kind]):.2f}" if times.get(kind) else "-" for kind in kinds]
        rows.append([cli.name, str(len(times.get(kinds[0], []))), *medians, f"{load():.0f}"])
    print(aligned(rows))
    whole = all("-" not in row for row in rows)  # and the words were the model's
    leave(scratch, not whole)
    return RIGHT if whole else WRONG


if __name__ == "__main__":
    sys.exit(exit_code_of("acp-times", main))
