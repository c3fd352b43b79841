"""script/acp-kills: clients of orch acp that are killed at a random moment. See canary/README.md."""

import argparse
import os
import random
import statistics
import sys
import time
from pathlib import Path

from acp import MADE, PATIENCE_S, Client, Work, install_clients, prompt_of
from agents import AGENTS
from checks import Checks, conclude
from command_line import exit_code_of, new_scratch, parser_of, ready
from delivery_runs import Cli
from install import driven_version
from load import load, slowness
from report import aligned
from workplace import make_project, state_folder

DEMO = "demo"
NAMES = (DEMO, "claude", "codex")
MADE_BY_DEMO = "out.txt"
UNANSWERED = 0.6  # of the permissions; the others are rejected, or their prompts cancelled


def parse_arguments() -> argparse.Namespace:
    parser = parser_of("acp-kills", "Kills the official SDK's client at a random moment while its sessions start, work and "
                                    "ask. Counts the processes that are left and the permissions that were granted: no "
                                    "client ever allows one.")
    parser.add_argument("--agent", choices=NAMES, default=DEMO, help="(demo)")
    parser.add_argument("--kills", type=int, default=100, metavar="N", help="how often (100)")
    parser.add_argument("--sessions", type=int, default=20, metavar="N", help="of each client (20)")
    parser.add_argument("--seed", type=int, help="of the moments")
    parser.add_argument("--keep", action="store_true", help="keep the folders of the runs")
    return parser.parse_args()


class DemoWork(Work):
    """The demo agent, which has no model, and asks whether it may make a file."""

    def __init__(self, orch: Path, folder: Path):
        self.orch, self.folder = orch, folder
        self.project = make_project(folder)
        self.env = {"HOME": str(self.project.parent), "PATH": os.environ["PATH"], "LANG": "C.UTF-8",
                    "ORCH_STATE_DIR": str(state_folder(folder)), "ORCH_DEMO_SCENARIO": "permission"}

    def close(self) -> None:
        self.orch_says("kill", "--all", "--now")


class Kills:
    """Clients of one agent, one after the other, and what their ends left."""

    def __init__(self, work: Work, agent: str, modules: Path, sessions: int, moments: random.Random):
        self.work, self.modules, self.sessions, self.moments = work, modules, sessions, moments
        self.command = [work.orch, "acp", "--agent", agent]
        self.opened = self.prompted = self.asked = self.granted = 0
        self.left: list[str] = []
        self.ended_s: list[float] = []

    def kill_after(self, seconds: float | None) -> float:
        """Kills a client after so long; None: once all of its sessions ask. Returns how long it lived."""
        client = Client(self.modules, self.command, self.work.env, self.work.project)
        begun = time.monotonic()
        client.ask("initialize", protocolVersion=1, clientCapabilities={})
        opening = {client.ask("session/new", cwd=str(self.work.project), mcpServers=[]) for _ in range(self.sessions)}
        limit = PATIENCE_S * slowness(load()) if seconds is None else seconds
        seen = asked = 0
        while time.monotonic() < begun + limit and not (seconds is None and asked == self.sessions):
            for message in client.heard[seen:]:
                seen += 1
                if message.get("n") in opening and "response" in message:
                    self.opened += 1
                    self.prompt(client, message["response"]["sessionId"])
                elif "asked" in message:
                    asked += 1
                    if seconds is not None:
                        self.react(client, message)
            time.sleep(0.02)
        lived = time.monotonic() - begun
        client.kill()
        self.asked += asked
        self.look()
        return lived

    def prompt(self, client: Client, session: str) -> None:
        self.prompted += 1
        client.ask("session/prompt", sessionId=session, prompt=prompt_of(f"kill-{self.prompted}"))

    def react(self, client: Client, asked: dict) -> None:
        chance = self.moments.random()
        if chance < UNANSWERED:
            return
        if chance < (1 + UNANSWERED) / 2:
            client.say(method="session/cancel", params={"sessionId": asked["params"]["sessionId"]})
        rejects = [option["optionId"] for option in asked["params"]["options"] if option["kind"] == "reject_once"]
        outcome = {"outcome": "selected", "optionId": rejects[0]} if rejects else {"outcome": "cancelled"}
        client.say(answer=asked["asked"], result={"outcome": outcome})

    def look(self) -> None:
        begun = time.monotonic()
        if self.work.wait_for(lambda: not self.work.processes()):
            self.ended_s.append(time.monotonic() - begun)
        else:
            self.left += self.work.processes()
            self.work.orch_says("kill", "--all", "--now")
        for name in (MADE, MADE_BY_DEMO):
            made = self.work.project / name
            self.granted += made.exists()
            made.unlink(missing_ok=True)

    def play(self, kills: int) -> Checks:
        span = self.kill_after(None)
        print(f"all sessions asked after {span:.1f} s", file=sys.stderr)
        all_asked = self.asked == self.sessions
        for kill in range(1, kills):
            lived = self.kill_after(self.moments.uniform(0, span * 2))
            print(f"kill {kill + 1} after {lived:.1f} s: {self.asked} asked, {self.granted} granted, {len(self.left)} left, "
                  f"load {load():.0f}", file=sys.stderr)
        for words in self.left:
            print(f"left: {words}", file=sys.stderr)
        return {"all sessions asked": all_asked, "0 granted": self.granted == 0, "0 processes left": not self.left}


def main() -> int:
    arguments = parse_arguments()
    clis = [] if arguments.agent == DEMO else [Cli(AGENTS[arguments.agent], driven_version(AGENTS[arguments.agent]))]
    orch, programs = ready(arguments.orch, clis)
    modules = install_clients()
    scratch = new_scratch("acp-kills")
    seed = random.randrange(1 << 30) if arguments.seed is None else arguments.seed
    print(f"seed {seed}", file=sys.stderr)
    folder = scratch / arguments.agent
    work = Work(orch, clis[0], programs[clis[0].name], folder) if clis else DemoWork(orch, folder)
    kills = Kills(work, arguments.agent, modules, arguments.sessions, random.Random(seed))
    try:
        checks = kills.play(arguments.kills)
    finally:
        work.close()
    print(aligned([
        ["agent", "clients killed", "sessions", "prompts", "permissions asked", "granted", "processes left", "until the last ended, s"],
        [arguments.agent, str(arguments.kills), str(kills.opened), str(kills.prompted), str(kills.asked), str(kills.granted),
         str(len(kills.left)), f"{statistics.median(kills.ended_s or [0]):.1f}"],
    ]))
    return conclude("agent", {arguments.agent: checks}, scratch, arguments.keep)


if __name__ == "__main__":
    sys.exit(exit_code_of("acp-kills", main))
