"""script/crews: three real CLIs in one crew, told things while they work, with a reset and a killed host in between.
See canary/README.md."""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

from agents import CLAUDE, CODEX, Agent
from checks import Checks, conclude
from command_line import exit_code_of, new_scratch, parser_of, ready
from crew_day import CrewDay
from delivery_runs import Cli
from install import driven_version
from scene import CrewScene
from script import Answer, Say
from workplace import state_folder

NUDGES = 20
RESET_AT, RESTART_AT = 8, 14  # before the nudge of this number
WORKS_S = 3.0  # how long the model answers
EDGE_S = 1.5  # how long after a fact its status may take
AGENTS = (("planner", CLAUDE), ("implementer", CODEX), ("reviewer", CLAUDE))
SPEC = """version: 1
project: shop
agents:
  - name: planner
    role: plans
    cli: claude
    prompt: Wait for messages. (ROLE-planner)
  - name: implementer
    role: writes the code
    cli: codex
    prompt: Wait for messages. (ROLE-implementer)
  - name: reviewer
    role: reviews
    cli: claude
    prompt: Wait for messages. (ROLE-reviewer)
"""


def parse_arguments() -> argparse.Namespace:
    parser = parser_of(
        "crews",
        "Brings up a crew of three real agent CLIs (claude, codex, claude), nudges them 20 times while some "
        "work, resets one in the middle, kills the host, brings the crew back and takes it down. Each nudge must reach "
        "its model once, statuses must be right throughout, and nothing may be left.",
    )
    parser.add_argument("--session-manager", action="append", choices=("native", "tmux"), help="default: both")
    parser.add_argument("--claude", metavar="VERSION", help="default: the one that the manifest was tested with")
    parser.add_argument("--seconds", type=float, metavar="S",
                        help="instead: mail, nudges and rules of hand-over for so long, with the host killed twice")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="write the tiles of tmux there, as SVG")
    return parser.parse_args()


def answer_to(_texts: list[str]) -> Answer:
    words = "I am at it, and it takes me a while. "
    return (Say(words * 6, chunk=4, gap=WORKS_S / (len(words) * 6 / 4)),)


class Crew(CrewScene):
    """One crew, from up to the last look at what is left."""

    def __init__(self, orch: Path, programs: list[tuple[Agent, Path]], folder: Path, manager: str, picture: Path | None):
        super().__init__(orch, programs, folder, SPEC, answer_to)
        self.manager, self.picture = manager, picture
        self.checks: Checks = {}

    def play(self) -> Checks:
        up = self.orch_says("crew", "up", "--session-manager", self.manager)
        self.checks["up"] = up.returncode == 0 and up.stdout.split() == [name for name, _ in AGENTS]
        roles = [f"ROLE-{name}" for name, _ in AGENTS]
        self.checks["roles"] = self.wait_for(lambda: all(self.heard(role) == 1 for role in roles)) and self.wait_for(
            self.at_rest)
        hosts = {one["pid"] for one in self.status().values()}
        self.checks["one host"] = len(hosts) == 1
        if self.manager == "tmux":
            self.look_at_tiles()
        for number in range(NUDGES):
            name = AGENTS[number % len(AGENTS)][0]
            if number == RESET_AT:
                last = f"NUDGE-{number - 1:02}"  # what has not reached its model when it is reset never does
                self.wait_for(lambda: self.heard(last) > 0)
                self.checks["reset"] = self.orch_says("crew", "reset", "implementer").returncode == 0
            if number == RESTART_AT:
                self.restart(hosts.pop())
            # Every other one waits until it is accepted; the others come while their agents work.
            more = ["--no-wait"] if number % 2 else []
            nudged = self.orch_says("crew", "nudge", name, f"Nudge NUDGE-{number:02}; $(touch owned) `id` ../..", *more)
            self.checks[f"nudge {number}"] = nudged.returncode == 0
        self.checks["all at rest"] = self.wait_for(self.at_rest)
        counts = {f"NUDGE-{number:02}": self.heard(f"NUDGE-{number:02}") for number in range(NUDGES)}
        self.checks["every nudge once"] = all(count == 1 for count in counts.values())
        self.checks["nothing executed"] = not (self.project / "owned").exists()
        if not self.checks["every nudge once"]:
            print({token: count for token, count in counts.items() if count != 1}, file=sys.stderr)
        runs = [one["run"] for one in self.status().values()]
        self.checks["down"] = self.orch_says("crew", "down").returncode == 0
        self.checks["no session left"] = json.loads(self.orch_says("sessions", "--json").stdout) == []
        self.checks["no process left"] = self.wait_for(lambda: not marked(runs))
        if self.manager == "tmux":
            self.checks["no pane left"] = self.tmux("list-panes", "-a").strip() == ""
        right, looks = self.statuses()
        print(f"{self.manager}: {NUDGES} nudges, statuses right in {right} of {looks} looks")
        self.checks["statuses"] = looks > 100 and right >= looks * 0.99
        bad = [name for name, held in self.checks.items() if not held and name.startswith("nudge ")]
        shown = {name: held for name, held in self.checks.items() if not name.startswith("nudge ")}
        return shown | {"nudges taken": not bad}

    def restart(self, host: int) -> None:
        """The host is killed; the crew comes back in its old conversations."""
        self.wait_for(self.at_rest)
        os.kill(host, signal.SIGKILL)
        self.wait_for(lambda: all(one["status"] != "idle" for one in self.status().values()))
        back = self.wait_for(lambda: self.orch_says("crew", "up", "--session-manager", self.manager).returncode == 0)
        self.checks["brought back"] = back and self.wait_for(self.at_rest)
        self.checks["roles not told again"] = self.heard("ROLE-planner") == 1

    def tmux(self, *words: str) -> str:
        return subprocess.run(["tmux", "-L", "orch", *words], env=self.env, capture_output=True, text=True,
                              check=False).stdout

    def look_at_tiles(self) -> None:
        form = "#{pane_title} #{pane_left} #{pane_top} #{pane_width} #{window_width}"
        panes = [line.split() for line in self.tmux("list-panes", "-t", "=crew-shop:", "-F", form).splitlines()]
        print(*(" ".join(pane) for pane in panes), sep="\n")
        titles = [pane[0] for pane in panes]
        self.checks["tiles"] = titles == [f"crew-{name}" for name, _ in AGENTS] and (
            panes[0][2] == panes[1][2] and panes[1][1] > panes[0][1] and panes[2][3] == panes[2][4])
        if self.picture is None:
            return
        self.orch_says("run", "picture", "-d", "--size", "200x62", "--", "tmux", "-L", "orch", "attach-session", "-r", "-t",
                  "=crew-shop")
        time.sleep(2)
        shot = self.orch_says("shot", "picture", "--format", "svg")
        self.picture.write_text(shot.stdout)
        self.orch_says("kill", "picture", "--now")

    def statuses(self) -> tuple[int, int]:
        """At how many moments an agent's status was what its model server knows, and of how many."""
        right = looks = 0
        for name, _ in AGENTS:
            known = turns_of(self.all_facts(), name)
            for run in sorted(state_folder(self.folder).glob(f"runs/*crew-shop-{name}-*")):
                told = statuses_of(run / "events.jsonl")
                for begin, end, status in expected(known):
                    at = begin
                    while at < end and told and at < told[-1][0]:
                        if at >= told[0][0]:
                            looks += 1
                            right += at_time(told, at) == status
                        at += 0.1
        return right, looks


def turns_of(facts: list[dict], name: str) -> list[tuple[float, float]]:
    """When the model was answering this agent: from a request's coming to its end."""
    own = {fact["request"]: fact["time"] for fact in facts if fact["kind"] == "arrived"
           and any(f"You are {name} " in text for text in fact["texts"])}
    ends = {fact["request"]: fact["time"] for fact in facts if fact["kind"] in ("answered", "client_gone")}
    return sorted((begin, ends[request]) for request, begin in own.items() if request in ends)


def expected(turns: list[tuple[float, float]]) -> list[tuple[float, float, str]]:
    """What is known for certain: edges are left out, and so is what a prompt typed early may have changed."""
    spans = [(begin + EDGE_S, end, "working") for begin, end in turns]
    for (_, end), (begin, _) in zip(turns, turns[1:]):
        if begin - end > 2 * EDGE_S:
            spans.append((end + EDGE_S, begin - EDGE_S, "idle"))
    return spans


def statuses_of(events: Path) -> list[tuple[float, str]]:
    records = [json.loads(line) for line in events.read_text(encoding="utf-8").splitlines()]

    start = datetime.fromisoformat(records[0]["started"]).timestamp()
    told = [(start + one["ms"] / 1000, one["status"]) for one in records if one["event"] == "status"]
    return [one for one in told if one[1] != "starting"]  # before its prompt stands nothing is known


def at_time(told: list[tuple[float, str]], at: float) -> str:
    return [status for time_, status in told if time_ <= at][-1]


def marked(runs: list[str]) -> list[int]:
    """The processes that carry the mark of one of these runs."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if any(f"ORCH_RUN={run}".encode() in words for run in runs):
            found.append(int(folder.name))
    return found


def main() -> int:
    arguments = parse_arguments()
    clis = [Cli(CLAUDE, arguments.claude or driven_version(CLAUDE)), Cli(CODEX, driven_version(CODEX))]
    orch, installed = ready(arguments.orch, clis)
    programs = [(cli.agent, installed[cli.name]) for cli in clis]
    scratch = new_scratch("crews")
    played: dict[str, Checks] = {}
    if arguments.seconds:
        day = CrewDay(orch, programs, scratch / "day", arguments.seconds)
        try:
            played["native"] = day.play()
        finally:
            day.close()
        return conclude("for long", played, scratch)
    for manager in arguments.session_manager or ("native", "tmux"):
        crew = Crew(orch, programs, scratch / manager, manager, arguments.picture)
        try:
            played[manager] = crew.play()
        finally:
            crew.close()
    return conclude("manager", played, scratch)


if __name__ == "__main__":
    sys.exit(exit_code_of("crews", main))
