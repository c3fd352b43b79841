"""script/tapes: is a run of a real CLI the same when it is played from a tape? See canary/README.md."""

import argparse
import dataclasses
import json
import re
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from agents import KEY, Agent, Place
from call_list import SUBTASK, subagent, subagent_end
from checks import Checks, conclude
from command_line import add_agents, exit_code_of, new_scratch, parser_of, ready, wanted_clis
from delivery_runs import Cli
from load import load, slowness
from model_server import ModelServer
from runner import in_project
from script import Answer, Fail, HangUp, Pause, Say, Think, ToolCall, Use
from workplace import Programs, environment, events_of, make_project, result_of, state_folder, told_of

ISSUE = "tapes"
PATIENCE_S = 30
NOBODY = 9  # a port that nobody listens on
MARK = "The last line before the rest."  # once it is told, Escape is typed
SUMMARY = re.compile(r"(\d+) requests? answered from the tape: (\d+) exactly, (\d+) by order; (\d+) on it not asked for")


@dataclass(frozen=True)
class Scenario:
    """`until`: as of orch run. `may_fail`: with the agent's error, too. `escapes`: somebody types Escape after MARK. `subagent`: only agents that have one."""

    name: str
    answers: tuple[Answer, ...]
    until: str = "idle"
    escapes: bool = False
    may_fail: bool = False  # some CLIs do not ask again
    subagent: tuple[Answer, ...] = field(default=())


DONE = (Say("All of it is done."),)
SCENARIOS = (
    Scenario("question", ((Say("It adds up numbers.\n\n- one\n- two\n"),),)),
    Scenario("two questions", ((Say("That was the first."),), (Say("That was the second.\n\nLOOP_COMPLETE\n"),)), "complete"),
    Scenario("thinking", ((Think("Let me see what it is."), Say("Now I know it.")),)),
    Scenario("long", ((Say("\n\n".join(f"Paragraph {n} of many." for n in range(40)), chunk=200, gap=0.01),),)),
    Scenario("read", ((Say("I look."), Use("read")), DONE)),
    Scenario("shell", ((Say("I make it."), Use("shell")), DONE)),
    Scenario("edit", ((Say("First I look."), Use("read")), (Say("I change it."), Use("edit")), DONE)),
    Scenario("parallel", ((Say("Both at once."), Use("read"), Use("shell")), DONE)),
    Scenario("subagent", ((Say("Help me."), Use("subagent")), DONE), subagent=((Say("I am the helper."),),)),
    Scenario("429", (Fail(429, "Too many requests", retry_after=1), DONE)),
    Scenario("529", (Fail(529, "Overloaded"), DONE)),
    Scenario("cut", ((Say("It begins and"), HangUp()), DONE), may_fail=True),
    Scenario("interrupt", ((Say(f"It begins.\n\n{MARK}\n\nAnd so on.\n\n"), Pause(60), Say("Never said.")),), escapes=True),
)


def parse_arguments() -> argparse.Namespace:
    parser = parser_of("tapes", "Records runs of real agent CLIs with --record-wire, and plays each of them three times with "
                                "--replay-wire, in another folder and home, without model and key.",
                       right="each replay was the same run, each request exactly on its tape")
    add_agents(parser)
    parser.add_argument("--scenario", action="append", choices=[one.name for one in SCENARIOS], help="default: all")
    parser.add_argument("--mode", choices=("interactive", "headless"), default="interactive")
    parser.add_argument("--replays", type=int, default=3, metavar="N")
    parser.add_argument("--loose", action="store_true", help="play with --replay-loose")
    parser.add_argument("--tapes", type=Path, metavar="FOLDER", help="play these tapes, <agent>-<scenario>.tape, and record none")
    parser.add_argument("--keep", action="store_true", help="keep the folders of the runs")
    return parser.parse_args()


@dataclass(frozen=True)
class Run:
    """What one run showed, with its folders' names replaced."""

    code: int | None
    reason: str
    words: tuple[str, ...]
    calls: tuple[str, ...]
    files: dict[str, str] = field(default_factory=dict)


class Model:
    """Tells the main agent from its subagent by the user's words."""

    def __init__(self, scenario: Scenario, of_subagent: tuple[Answer, ...]):
        self._main, self._sub = iter(scenario.answers), iter(of_subagent)
        self._lock = threading.Lock()

    def __call__(self, texts: list[str]) -> Answer:
        with self._lock:
            return next(self._sub if any(SUBTASK in text for text in texts) else self._main, DONE)


def tools_of(agent: Agent) -> dict[str, ToolCall]:
    called, end = subagent(agent), subagent_end(agent)
    more = {"subagent": called} if called else {}
    return agent.tools | more | ({"end of subagent": end} if end else {})


def answers_of_subagent(agent: Agent, scenario: Scenario) -> tuple[Answer, ...]:
    """Some end with a call of a tool."""
    if not subagent_end(agent) or not scenario.subagent:
        return scenario.subagent
    return (*scenario.subagent[:-1], (*scenario.subagent[-1], Use("end of subagent")))


def takes_part(agent: Agent, scenario: Scenario) -> bool:
    return not scenario.subagent or subagent(agent) is not None


@dataclass(frozen=True)
class Bench:
    orch: Path
    cli: Cli
    programs: Path
    mode: str

    def record(self, folder: Path, scenario: Scenario) -> Run:
        return self.ask(folder, scenario, ["--record-wire", str(folder / "run.tape")])[0]

    def ask(self, folder: Path, scenario: Scenario, words: list[str]) -> tuple[Run, ModelServer]:
        """A run with these words, in front of a model that has closed when this returns."""
        agent = self.cli.agent
        project = make_project(folder)
        tools = {name: in_project(call, project) for name, call in tools_of(agent).items()}
        server = ModelServer(scenario.answers, tools, folder / "model.jsonl",
                             choose=Model(scenario, answers_of_subagent(agent, scenario)))
        place = Place(project.parent, project, server.port)
        try:
            return self._run(folder, place, scenario, words, {}), server
        finally:
            server.close()

    def play(self, folder: Path, scenario: Scenario, tape: Path, *more: str) -> Run:
        """Without a model, and without the key."""
        project = make_project(folder)
        place = Place(project.parent, project, NOBODY)
        nothing = {name: "" for name, value in self.cli.agent.environment(place).items() if value == KEY}
        return self._run(folder, place, scenario, ["--replay-wire", str(tape), *more], nothing)

    def _run(self, folder: Path, place: Place, scenario: Scenario, words: list[str], env: dict[str, str]) -> Run:
        agent = self.cli.agent
        agent.configure(place, "ready")
        timeout_s = round(2 * agent.timeout_s * slowness(load()))
        command = [str(self.orch), "run", ISSUE, "--agent", agent.name, "--mode", self.mode, "--prompt", "Look at sum.py, please.",
                   "--until", scenario.until, "--approve", "all", "--timeout", f"{timeout_s}s", "--output", "json",
                   "--state-dir", str(state_folder(folder)), *words]
        told = {name: value for name, value in (environment(agent, place, self.programs) | env).items() if value}
        if scenario.escapes:
            threading.Thread(target=self._escape, args=(folder, place.project, timeout_s), daemon=True).start()
        code = Programs().run(command, place.project, told, folder / "stdout.jsonl", folder / "stderr.txt",
                              timeout_s + PATIENCE_S)
        return run_of(folder, place, code)

    def _escape(self, folder: Path, project: Path, timeout_s: float) -> None:
        until = time.monotonic() + timeout_s
        while time.monotonic() < until:
            try:
                events = events_of(folder)
            except ValueError:  # half a line
                events = []
            if any(MARK in event.get("text", "") for event in events):
                break
            time.sleep(0.1)
        keys = ["Escape", "Escape"] if self.cli.agent.name == "opencode" else ["Escape"]
        subprocess.run([str(self.orch), "keys", ISSUE, *keys, "--state-dir", str(state_folder(folder))], cwd=project,
                       stdin=subprocess.DEVNULL, check=False)


def run_of(folder: Path, place: Place, code: int | None) -> Run:
    def elsewhere(text: str) -> str:
        for path, name in ((place.project, "PROJECT"), (place.home, "HOME")):
            text = text.replace(str(path), name)
        return text

    events = events_of(folder)
    words = " ".join(text for _, text in told_of(events)) if events else ""
    calls = [f"{event['name']} {event.get('decided') or ''} {event.get('input') or ''}"
             for event in events if event["event"] == "tool" and event["phase"] == "decided"]
    made = {path.name: path.read_text() for path in sorted(place.project.iterdir()) if path.is_file()}
    return Run(code, (result_of(folder) or {}).get("reason", "nothing"), tuple(elsewhere(words).split()),
               tuple(sorted(elsewhere(call) for call in calls)), made)  # those at once come in any order


def differences(recorded: Run, played: Run) -> list[str]:
    return [field.name for field in dataclasses.fields(Run)
            if getattr(recorded, field.name) != getattr(played, field.name)]


def matched(folder: Path) -> tuple[int, int, int, int] | None:
    """The requests of a replay, those that were matched exactly and by order, and those on the tape that were left."""
    found = SUMMARY.search((folder / "stderr.txt").read_text(errors="replace"))
    return tuple(map(int, found.groups())) if found else None


def judge(bench: Bench, folder: Path, scenario: Scenario, arguments: argparse.Namespace) -> Checks:
    given = arguments.tapes and arguments.tapes / f"{bench.cli.agent.name}-{scenario.name}.tape"
    if given:
        recorded, tape = None, given.absolute()
        if not tape.exists():
            return {f"{tape} is there": False}
    else:
        recorded, tape = bench.record(folder / "recorded", scenario), folder / "recorded/run.tape"
    checks: Checks = {}
    if recorded:
        checks[f"recorded: {recorded.code} {recorded.reason}"] = \
            recorded.code == 0 or (scenario.may_fail and recorded.reason == "agent_error")
    exactly = by_order = asked = left = 0
    wrong: list[str] = []
    for n in range(1, arguments.replays + 1):
        place = folder / f"played elsewhere {n}"
        played = bench.play(place, scenario, tape, *(["--replay-loose"] if arguments.loose else []))
        counts = matched(place)
        if counts is None:
            wrong.append(f"{n}: no summary, exit {played.code}")
            continue
        asked, exactly, by_order, left = asked + counts[0], exactly + counts[1], by_order + counts[2], left + counts[3]
        recorded = recorded or played
        if differs := differences(recorded, played):
            wrong.append(f"{n}: {', '.join(differs)} (exit {played.code} {played.reason})")
    checks[f"{arguments.replays} replays the same" + (f", not {wrong}" if wrong else "")] = not wrong
    checks[f"{exactly} of {asked} requests exactly, {by_order} by order; {left} left"] = \
        arguments.loose or (exactly == asked and left == 0)
    (folder / "checks.json").write_text(json.dumps(checks))
    return checks


def main() -> int:
    arguments = parse_arguments()
    clis = wanted_clis(arguments)
    orch, programs = ready(arguments.orch, clis)
    scratch = new_scratch("tapes")
    wanted = [one for one in SCENARIOS if not arguments.scenario or one.name in arguments.scenario]
    played: dict[str, Checks] = {}
    for cli in clis:
        bench = Bench(orch, cli, programs[cli.name], arguments.mode)
        for scenario in wanted:
            if takes_part(cli.agent, scenario):
                name = f"{cli.name} {scenario.name}"
                folder = scratch / name.replace(" ", "-")
                folder.mkdir()
                played[name] = judge(bench, folder, scenario, arguments)
                print(f"{name}: {'; '.join(played[name])}", file=sys.stderr, flush=True)
    return conclude("run", played, scratch, arguments.keep)


if __name__ == "__main__":
    sys.exit(exit_code_of("tapes", main))
