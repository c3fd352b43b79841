"""script/acp-turns: agents driven by the Agent Client Protocol (orch run --mode acp), with real CLIs. See canary/README.md."""

import argparse
import json
import subprocess
import sys

from acp import DENIED, MADE, PATIENCE_S, Work, words_of
from agents import AGENTS
from checks import Checks, conclude
from command_line import exit_code_of, new_scratch, parser_of, ready
from delivery_runs import Cli
from install import driven_version
from load import load, slowness

NAMES = ("gemini", "opencode")
KINDS = ("words", "allow", "deny", "fail")  # of turns, by turns


def parse_arguments() -> argparse.Namespace:
    parser = parser_of("acp-turns", "Gives agents that orch drives by the Agent Client Protocol one message after the "
                                    "other: words, a call that the policy allows, one that it denies, a model that fails.")
    parser.add_argument("--agent", action="append", choices=NAMES, help="default: all")
    parser.add_argument("--turns", type=int, default=50, metavar="N", help="of each agent (50)")
    parser.add_argument("--keep", action="store_true", help="keep the folders of the runs")
    return parser.parse_args()


class Turns:
    """A session of one agent, and its turns."""

    def __init__(self, work: Work):
        self.work = work
        self.wrong: list[str] = []

    def orch(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.work.orch, *words], cwd=self.work.project, env=self.work.env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=PATIENCE_S * 3 * slowness(load()), check=False)

    def events(self) -> list[dict]:
        return [json.loads(line) for line in self.orch("logs", "t", "--json").stdout.splitlines()]

    def turn(self, kind: str, number: int) -> None:
        made, denied = self.work.project / MADE, self.work.project / DENIED
        made.unlink(missing_ok=True)
        seen = len(self.events())
        patience = f"{round(PATIENCE_S * 2 * slowness(load()))}s"
        done = self.orch("send", "t", f"Do as you are told: STEP-{kind}-{number} .", "--wait", "idle", "--timeout", patience)
        events = self.events()[seen:]
        said = " ".join(event["text"] for event in events if event["event"] == "output" and event.get("speaker") == "agent")
        status = next((event["status"] for event in reversed(events) if event["event"] == "status"), "")
        # An agent whose calls are checked is denied before it asks.
        by = {event["by"] for event in events if event["event"] == "dialog" or event.get("phase") == "decided"}
        right = {
            "words": done.returncode == 0 and said.split() == words_of(f"{kind}-{number}").split() and status == "idle",
            "allow": done.returncode == 0 and made.exists() and by == {"policy:all"} and status == "idle",
            "deny": not denied.exists() and by == {"rule:denied"},
            "fail": status == "error",
        }[kind]
        if not right:
            self.wrong.append(f"{kind}-{number}")
            print(f"{self.work.cli.name}: {kind}-{number}: exit {done.returncode}, {status}, {by}, made: {made.exists()}, "
                  f"denied: {denied.exists()}, said: {said[:200]!r} {done.stderr[-300:]!r}", file=sys.stderr)

    def play(self, count: int) -> Checks:
        policy = self.work.folder / "policy.json"
        rule = {"name": "denied", "command": f"^touch {DENIED}$", "answer": "deny"}
        policy.write_text(json.dumps({"rules": [rule], "default": "all"}))
        begun = self.orch("run", "t", "-d", "--agent", self.work.cli.agent.name, "--mode", "acp", "--until", "exit",
                          "--approve", str(policy))
        for number in range(count):
            self.turn(KINDS[number % len(KINDS)], number)
        self.orch("kill", "t", "--now")
        return {
            "begun": begun.returncode == 0,
            f"{count} turns": not self.wrong,
            "0 processes left": self.work.wait_for(lambda: not self.work.processes()),
        }


def main() -> int:
    arguments = parse_arguments()
    clis = [Cli(AGENTS[name], driven_version(AGENTS[name])) for name in arguments.agent or NAMES]
    orch, programs = ready(arguments.orch, clis)
    scratch = new_scratch("acp-turns")
    played: dict[str, Checks] = {}
    for cli in clis:
        work = Work(orch, cli, programs[cli.name], scratch / cli.agent.name)
        try:
            played[cli.name] = Turns(work).play(arguments.turns)
        finally:
            work.close()
    return conclude("agent", played, scratch, arguments.keep)


if __name__ == "__main__":
    sys.exit(exit_code_of("acp-turns", main))
