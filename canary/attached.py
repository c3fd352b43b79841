"""script/attached: walking into a real CLI's session, and out again. See canary/README.md."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from agents import shell_call
from checks import Checks, conclude
from command_line import add_agents, exit_code_of, new_scratch, parser_of, ready, wanted_clis
from delivery_runs import Cli
from install import CannotRun
from model_server import Fact
from scene import Scene
from script import Say, Use

ISSUE = "attached"
COLUMNS, ROWS = 100, 31  # of the viewer's window; the agent has a row less
KEY = "C-]"


def parse_arguments() -> argparse.Namespace:
    parser = parser_of(
        "attached",
        "Runs each real agent CLI in the background and attaches to it inside tmux: the picture must be, "
        "cell by cell, what a replay of the recording draws; a dialog is answered, text is typed and pasted, "
        "the window changes, the viewer leaves, is killed, and the session ends with nothing left.",
    )
    add_agents(parser)
    return parser.parse_args()


class Visit(Scene):
    """A session, and a tmux of its own in which somebody attaches to it."""

    def __init__(self, orch: Path, cli: Cli, programs: Path, folder: Path):
        answers = ((Say("I look."), Use("list")), (Say("One done."),), (Say("Two done."),), (Say("Three done."),),
                   (Say("Four done."),))
        super().__init__(orch, cli, programs, folder, answers, {"list": shell_call(cli.agent, "touch seen.txt")})
        self.checks: Checks = {}
        self.sockets = tempfile.TemporaryDirectory(prefix="viewer-")  # the path of a socket has 107 bytes at most
        self.env["TMUX_TMPDIR"] = self.sockets.name

    def tmux(self, *words: str) -> str:
        return subprocess.run(["tmux", "-L", "viewer", "-f", "/dev/null", *words], cwd=self.project, env=self.env,
                              capture_output=True, text=True, timeout=30, check=True).stdout

    def status(self) -> dict:
        said = self.orch_says("status", ISSUE, "--json")
        return json.loads(said.stdout) if said.returncode == 0 else {}

    def expect(self, what: str, holds: Callable[[], bool]) -> bool:
        """Waits; what does not come is a check that is wrong."""
        held = self.wait_for(holds)
        if not held:
            self.checks[what] = False
        return held

    def is_idle(self) -> bool:
        status = self.status()
        return status.get("status") == "idle"

    def asks_or_is_done(self) -> bool:
        """Not the prompt before its first turn: some allow the first tool by themselves."""
        status = self.status()
        return status.get("status") == "waiting" or (status.get("status") == "idle" and status.get("turns", 0) > 0)

    def window(self) -> str:
        return self.capture("person")

    def capture(self, session: str) -> str:
        """Its cells, the coloured blanks at the ends of rows too (-N)."""
        return self.tmux("capture-pane", "-e", "-N", "-p", "-t", f"={session}:0")

    def picture(self, columns: int, rows: int) -> bool:
        """Once the agent rests: what the viewer shows is what a replay of the recording draws."""
        # Bullets that blink: what stands there is seen before and after the recording is read, at uneven intervals.
        for attempt in range(20):
            time.sleep(0.5 + 0.07 * attempt)
            windows = [self.window()]
            drawn = self.orch_says("shot", ISSUE, "--format", "ansi").stdout
            windows.append(self.window())
            (self.folder / "drawn").write_text(drawn)
            self.tmux("new-session", "-d", "-s", "replay", "-x", str(columns), "-y", str(rows),
                      f"stty -opost; cat {self.folder}/drawn; sleep 100")
            time.sleep(0.5)
            replay = self.capture("replay").splitlines()[: rows - 1]
            self.tmux("kill-session", "-t", "=replay")
            if any(cells(window.splitlines()[: rows - 1]) == cells(replay) for window in windows):
                return True
        (self.folder / "shown.txt").write_text(windows[-1])
        (self.folder / "replay.txt").write_text("\n".join(replay))
        return False

    def person_types(self, *keys: str) -> None:
        self.tmux("send-keys", "-t", "=person:0", *keys)

    def attach(self) -> bool:
        # Who kills a viewer cannot wait for what gives the terminal back: what the shell says until then is gone.
        self.person_types(f"clear; {self.orch} attach {ISSUE}; code=$?; sleep 1; echo code $code", "Enter")
        return self.expect("attach", lambda: "Ctrl-] leaves" in self.window())

    def modes(self) -> str:
        return self.tmux("display-message", "-p", "-t", "=person:0",
                         "#{alternate_on} #{mouse_any_flag} #{keypad_cursor_flag} #{cursor_flag}")

    def play(self) -> Checks:
        checks = self.checks
        self.tmux("new-session", "-d", "-s", "person", "-x", str(COLUMNS), "-y", str(ROWS), "exec sh")
        self.person_types("PS1='$ '; stty -a > before; clear", "Enter")
        started = self.orch_says("run", ISSUE, "-d", "--agent", self.cli.agent.name, "--prompt", "Begin.",
                                 "--until", "exit", "--approve", "none", "--sandbox", "none")
        checks["-d"] = started.returncode == 0
        if not checks["-d"] or not self.attach():
            print(started.stderr, file=sys.stderr)
            return checks
        self.expect("dialog", self.asks_or_is_done)
        checks["picture"] = self.picture(COLUMNS, ROWS)
        if self.status().get("status") == "waiting":
            answered = self.orch_says("answer", ISSUE, "yes")
            checks["answer"] = answered.returncode == 0
            if answered.returncode != 0:
                print(answered.stderr, file=sys.stderr)
        self.expect("idle", self.is_idle)
        self.person_types("-l", "typed by hand")
        time.sleep(1)  # an Enter at once would be a line of a paste: nobody types like that
        self.person_types("Enter")
        checks["typed"] = self.expect("typed", lambda: self.got("typed by hand"))
        self.expect("idle again", self.is_idle)
        self.tmux("resize-window", "-t", "=person:0", "-x", "90", "-y", "25")
        time.sleep(1)
        checks["resized"] = self.picture(90, 25)
        self.person_types(KEY)
        checks["left"] = self.expect("left", lambda: "code 0" in self.window()) and self.modes().startswith("0 0 0 1")
        sent = self.orch_says("send", ISSUE, "sent by orch", "--wait", "idle")
        checks["sent"] = sent.returncode == 0 and self.got("sent by orch")
        self.killed_viewer()
        checks["kill"] = self.orch_says("kill", ISSUE).returncode == 0
        checks["nothing left"] = self.expect("nothing left", lambda: not self.living())
        return checks

    def killed_viewer(self) -> None:
        if not self.attach():
            return
        shell = self.tmux("display-message", "-p", "-t", "=person:0", "#{pane_pid}").strip()
        viewer = subprocess.run(["pgrep", "-o", "-P", shell], capture_output=True, text=True, check=False).stdout.split()
        os.kill(int(viewer[0]), 9)
        self.expect("killed", lambda: "code 137" in self.window())
        self.person_types("stty -a > after", "Enter")
        time.sleep(1)
        before, after = (self.project / name for name in ("before", "after"))
        self.checks["SIGKILL"] = self.modes().startswith("0 0 0 1") and \
            without_size(before.read_text()) == without_size(after.read_text())

    def got(self, text: str) -> bool:
        return text in (self.folder / "model.jsonl").read_text()

    def living(self) -> bool:
        return any(str(self.project) in line and "tmux" not in line and " sh" not in line
                   for line in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True,
                                              check=False).stdout.splitlines()) or \
            bool(self.status().get("pid"))

    def close(self) -> list[Fact]:
        subprocess.run(["tmux", "-L", "viewer", "kill-server"], env=self.env, capture_output=True, check=False)
        self.sockets.cleanup()
        return super().close()


def without_size(modes: str) -> str:
    return modes.split(";", 3)[-1]


def cells(rows: list[str]) -> list[list[tuple[str, str]]]:
    """Each row's characters with their looks: the colour of a blank is not to be seen."""
    style: dict[str, str] = {}
    all_rows = []
    for row in rows:
        line: list[tuple[str, str]] = []
        for sequence, character in re.findall(r"\x1b\[([\d;]*)m|(.)", row):
            if not character:
                style = styled(style, sequence)
                continue
            seen = {key: value for key, value in style.items() if character != " " or key in ("bg", "4", "7", "9")}
            line.append((character, str(sorted(seen.items()))))
        while line and line[-1] == (" ", "[]"):
            line.pop()
        all_rows.append(line)
    return all_rows


def styled(style: dict[str, str], sequence: str) -> dict[str, str]:
    """SGR, as tmux writes it."""
    after = dict(style)
    codes = sequence.split(";")
    while codes:
        code = codes.pop(0)
        if code in ("", "0"):
            after = {}
        elif code in ("38", "48"):
            length = 2 if codes[0] == "5" else 4
            after["fg" if code == "38" else "bg"] = ";".join(codes[:length])
            codes = codes[length:]
        elif code in ("39", "49"):
            after.pop("fg" if code == "39" else "bg", None)
        elif code[0] in "349" and len(code) == 2:
            after["bg" if code[0] == "4" else "fg"] = code
        elif code.startswith("10"):
            after["bg"] = code
        else:
            after[code] = ""
    return after


def main() -> int:
    arguments = parse_arguments()
    clis = wanted_clis(arguments)
    if shutil.which("tmux") is None:
        raise CannotRun("tmux is not installed")
    orch, programs = ready(arguments.orch, clis)
    scratch = new_scratch("attached")
    played: dict[str, Checks] = {}
    for cli in clis:
        visit = Visit(orch, cli, programs[cli.name], scratch / cli.name)
        try:
            played[cli.name] = visit.play()
        finally:
            visit.close()
    return conclude("agent", played, scratch)


if __name__ == "__main__":
    sys.exit(exit_code_of("attached", main))
