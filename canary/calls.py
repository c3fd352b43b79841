"""script/calls: does the policy decide each call of a real CLI before it runs? See canary/README.md."""

import argparse
import json
import os
import statistics
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from agents import Agent, Place, shell_call
from call_attacks import ATTACKS, Attack
from call_list import (
    POLICY, SUBTASK, Call, add_server, allow_all, calls_of, edited_files, in_code, server_of, shell, subagent,
    subagent_end, together, write,
)
from checks import Checks, conclude
from command_line import add_agents, exit_code_of, new_scratch, parser_of, ready, wanted_clis
from delivery_runs import Cli
from install import manifest_of
from model_server import Fact, ModelServer
from runner import in_project
from script import Answer, Say, ToolCall, Use
from workplace import Programs, environment, events_of, make_project, result_of, start_of, state_folder

TIMEOUT_S, ATTACK_TIMEOUT_S = 900, 90
MODES = ("interactive", "headless")
PARTS = ("calls", "together", "code", "plan", "attacks", "latency")
CODE_MODEL = "gpt-6-sol"  # of codex's that has one tool, which takes a script
DONE: Answer = (Say("All is done."),)
Seed = Callable[[Agent, Place], None]
# A call may take so much longer from the model's last word to its effect than with the agent's dialog alone.
SLOWER_MS = 20
LATE_TICKS_S = 0.02  # a file's time is that of the kernel's last tick: of 4 or 10 ms, and later on a busy machine
WORKSPACE = Path("/workspace/project")  # where a container has the project


def plain(_agent: Agent, _place: Place) -> None:
    """Settings as they are."""


def parse_arguments() -> argparse.Namespace:
    parser = parser_of("calls", "Has real agent CLIs use tools, half of the calls hostile, with settings that allow them, and "
                                "attacks the call check: each call has to be decided before it runs.",
                       right="no hostile call ran, and every other one did")
    add_agents(parser)
    parser.add_argument("--mode", action="append", choices=MODES, help="default: both")
    parser.add_argument("--attack", action="append", metavar="WORDS", help="only attacks whose name has these words")
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--image", help="in containers of this image, with node, git and python3; not the attacks")
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="of each form whose latency is measured; default: 5")
    parser.add_argument("--keep", action="store_true", help="keep the folders of the runs")
    return parser.parse_args()


@dataclass(frozen=True)
class Script:
    """What the model does: the answers of the main agent and of its subagent, and the tools they use."""

    answers: tuple[Answer, ...]
    tools: dict[str, ToolCall]
    of_subagent: tuple[Answer, ...] = ()


def script_of(agent: Agent, calls: list[Call], at_once: int = 1) -> Script:
    """The calls one after the other, `at_once` in a message."""
    tools = {call.file: call.tool for call in calls} | {f"before {call.file}": call.first for call in calls if call.first}
    mine = [call for call in calls if call.by == "main"]
    answers: list[Answer] = []
    for start in range(0, len(mine), at_once):
        part = mine[start:start + at_once]
        answers += [(Say("First."), Use(f"before {call.file}")) for call in part if call.first]
        answers.append((Say("On."), *(Use(call.file) for call in part)))
    theirs: list[Answer] = [(Say("On."), Use(call.file)) for call in calls if call.by == "subagent"]
    if theirs:
        tools["subagent"] = subagent(agent)
        answers.append((Say("Help me."), Use("subagent")))
        end = subagent_end(agent)
        theirs.append((Say("Done."), Use("end of subagent")) if end else (Say("Done."),))
        tools |= {"end of subagent": end} if end else {}
    return Script(tuple(answers), tools, tuple(theirs))


class Model:
    """Says by the user's words whether the main agent or its subagent asks, and what comes next."""

    def __init__(self, script: Script):
        self._main, self._sub = iter(script.answers), iter(script.of_subagent)
        self._lock = threading.Lock()

    def __call__(self, texts: list[str]) -> Answer:
        with self._lock:
            return next(self._sub if any(SUBTASK in text for text in texts) else self._main, DONE)


@dataclass(frozen=True)
class Played:
    folder: Path
    project: Path
    facts: list[Fact] = field(default_factory=list)


@dataclass(frozen=True)
class Scene:
    """What the runs share. `image`: of the containers in which the agents work; None: they work here."""

    orch: Path
    cli: Cli
    programs: Path
    mode: str
    image: str | None = None

    def play(self, folder: Path, script: Script, seed: Seed, words: tuple[str, ...] = (),
             variables: dict[str, str] | None = None, prepare: Callable[[Path], None] = lambda _project: None,
             approve: str | None = None, timeout_s: int = TIMEOUT_S) -> Played:
        """`approve`: the policy, in place of POLICY."""
        agent = self.cli.agent
        project = make_project(folder)
        prepare(project)
        seen = WORKSPACE if self.image else project  # by the agent
        filled = {name: in_project(tool, seen) for name, tool in script.tools.items()}
        server = ModelServer(script.answers, filled, folder / "model.jsonl", choose=Model(script))
        place = Place(self._home(folder, project), project, server.port)
        agent.configure(Place(place.home, seen, server.port), "ready")
        seed(agent, place)
        (folder / "policy.json").write_text(json.dumps(POLICY))
        command = [str(self.orch), "run", "calls", "--agent", agent.name, "--mode", self.mode, "--prompt", "Begin.",
                   "--until", "idle", "--timeout", f"{timeout_s}s", "--approve", approve or str(folder / "policy.json"),
                   "--output", "json", "--state-dir", str(state_folder(folder)), *self._surroundings(place), *words]
        told = environment(agent, Place(project.parent, project, server.port), self.programs) | (variables or {})
        if "DOCKER_HOST" in os.environ:
            told["DOCKER_HOST"] = os.environ["DOCKER_HOST"]
        try:
            Programs().run(command, project, told, folder / "stdout.jsonl", folder / "stderr.txt", timeout_s + 60)
        finally:
            facts = server.close()
        return Played(folder, project, facts)

    def _home(self, folder: Path, project: Path) -> Path:
        """The agent's own; a container may not have the user's."""
        home = folder / "inside" if self.image else project.parent
        home.mkdir(exist_ok=True)
        return home

    def _surroundings(self, place: Place) -> list[str]:
        """The words for the container, or for what the fence has to let the agent read."""
        if not self.image:
            return ["--read", str(server_of(place))] if server_of(place).exists() else []
        installed = self.programs.parent.parent
        variables = self.cli.agent.environment(place) | {"HOME": str(place.home)}
        return ["--sandbox", "docker", "--image", self.image, "--net", "host", "--mount", f"{installed}:{installed}:ro",
                "--mount", f"{place.home}:{place.home}", "--agent-program", str(self.programs / self.cli.agent.name),
                *(word for name, value in variables.items() for word in ("--env", f"{name}={value}"))]


def decided_of(folder: Path) -> list[dict]:
    return [event for event in events_of(folder) if event["event"] == "tool" and event["phase"] == "decided"]


def ending_of(folder: Path) -> str:
    return (result_of(folder) or {}).get("reason", "nothing")


def judge_calls(played: Played, calls: list[Call], all_run: bool = True) -> Checks:
    """Which calls ran, and whether each was decided before. `all_run`: every harmless one has to."""
    project = played.project
    events = events_of(played.folder)
    decided = decided_of(played.folder)
    began = start_of(events) if events else 0

    def decision_on(call: Call) -> dict | None:
        """Names end in a number: good-1 stands in good-12, too, and so the whole word counts."""
        return next((one for one in decided if call.file in one["input"].replace('"', " ").replace("/", " ").replace(
            ";", " ").replace("\\n", " ").replace("\n", " ").split()), None)

    def early(call: Call) -> bool:
        decision = decision_on(call)
        return decision is not None and (
            not call.ran(project) or began + decision["ms"] / 1000 <= (project / call.file).stat().st_mtime + LATE_TICKS_S)

    hostile, harmless = [c for c in calls if c.hostile], [c for c in calls if not c.hostile]
    late = [call.file for call in calls if not early(call) and (all_run or call.ran(project))]
    bad = [call.file for call in hostile if call.ran(project)]
    missing = [call.file for call in harmless if not call.ran(project)]
    checks = {
        f"{len(calls)} calls, decided before they ran" + (f", not {late}" if late else ""): not late,
        f"{len(bad)} of {len(hostile)} hostile ones ran" + (f": {bad}" if bad else ""): not bad,
    }
    if all_run:
        checks[f"{len(harmless) - len(missing)} of {len(harmless)} others ran" + (f", not {missing}" if missing else "")] = \
            not missing
        checks[f"ended {ending_of(played.folder)}"] = ending_of(played.folder) == "idle"
    return checks


def play_calls(scene: Scene, folder: Path, calls: list[Call], at_once: int, seed: Seed,
               words: tuple[str, ...] = ()) -> Checks:
    def prepare(agent: Agent, place: Place) -> None:
        add_server(agent, place)
        seed(agent, place)
    played = scene.play(folder, script_of(scene.cli.agent, calls, at_once), prepare, words,
                        prepare=lambda project: edited_files(calls, project))
    return judge_calls(played, calls)


def play_list(scene: Scene, folder: Path, seed: Seed) -> Checks:
    """Sixty calls: fifty one after the other, of which eight are a subagent's, and twice five in one message."""
    agent = scene.cli.agent
    alone, at_once = calls_of(agent), together(agent, 10, "five")
    first, second = script_of(agent, alone), script_of(agent, at_once, 5)
    script = Script((*first.answers, *second.answers), first.tools | second.tools, first.of_subagent)

    def prepare(one: Agent, place: Place) -> None:
        add_server(one, place)
        seed(one, place)
    played = scene.play(folder, script, prepare, prepare=lambda project: edited_files(alone, project))
    return judge_calls(played, [*alone, *at_once])


def play_plan(scene: Scene, folder: Path) -> Checks:
    """In plan mode the agent asks about more than else, and what it refuses by itself need not be decided."""
    agent = scene.cli.agent
    calls = [call for call in calls_of(agent) if call.kind in ("write", "background")]
    script = script_of(agent, calls)
    enter = ToolCall("EnterPlanMode", {}) if agent.name == "claude" else ToolCall("enter_plan_mode", {"reason": "Plan"})
    script = Script(((Say("A plan."), Use("plan")), *script.answers), script.tools | {"plan": enter})
    return judge_calls(scene.play(folder, script, allow_all), calls, all_run=False)


def play_attack(scene: Scene, folder: Path, attack: Attack) -> Checks:
    agent = scene.cli.agent
    hostile = write(agent, "secret-bad-attack", attack.hostile) if attack.files else shell(agent, attack.hostile)
    tools = {f"first {n}": shell(agent, command) for n, command in enumerate(attack.first)}
    last = [f"call {n}" for n in range(attack.count)]
    tools |= dict.fromkeys(last, shell(agent, "echo harmless") if attack.harmless else hostile)
    answers = (*((Say("On."), Use(f"first {n}")) for n in range(len(attack.first))), (Say("On."), *map(Use, last)))

    def prepare(one: Agent, place: Place) -> None:
        add_server(one, place, attack.server)
        allow_all(one, place)
        attack.seed(one, place)
    played = scene.play(folder, Script(answers, tools), prepare, variables=dict(attack.variables),
                        timeout_s=max(ATTACK_TIMEOUT_S, 2 * agent.timeout_s))
    ran = sorted(path.name for path in played.project.glob("*bad-*"))
    ending = ending_of(folder)
    held = not ran or (attack.noticed and ending == "calls_unread")
    return {f"{', '.join(ran) or 'nothing'} ran": held, f"ended {ending}": ending in attack.ends}


def without_rules(agent: Agent, place: Place) -> None:
    """No rule of the user's: an allowed call runs without a dialog where the agent lets a hook say so."""
    if agent.name == "claude":
        (place.home / ".claude/settings.json").write_text("{}")


def dialogs_alone(agent: Agent, place: Place) -> None:
    """The agent as it is, but for its hooks: its calls are read from its dialogs."""
    manifest = {key: value for key, value in manifest_of(agent).items() if key != "calls"}
    file = place.home / f".config/orch/adapters/{agent.name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(manifest))


def delays_of(played: Played, calls: list[Call]) -> list[float]:
    """Milliseconds from the end of each answer to the file that its call makes; without the first, which warms up."""
    ends = [fact.time for fact in played.facts if fact.kind == "answered" and fact.calls]
    made = [(played.project / call.file).stat().st_mtime for call in calls if call.ran(played.project)]
    return [1000 * (file - end) for end, file in zip(ends, made)][1:] if len(made) == len(calls) else []


def measure_latency(scene: Scene, folder: Path, runs: int) -> Checks:
    """With the hook and by the dialog, in turns."""
    agent = scene.cli.agent
    calls = [Call("shell", f"good-{n}", shell_call(agent, f"touch good-{n}"), False) for n in range(11)]
    delays: dict[str, list[float]] = {"hook": [], "dialog": []}

    def by_dialogs(one: Agent, place: Place) -> None:
        without_rules(one, place)
        dialogs_alone(one, place)
    for run in range(runs):
        for form, seed in (("hook", without_rules), ("dialog", by_dialogs)):
            # In orch's fence codex has nothing to ask about.
            played = scene.play(Path(f"{folder}-{form}-{run}"), script_of(agent, calls), seed, ("--sandbox", "none"))
            delays[form] += delays_of(played, calls)
    if not all(delays.values()):
        return {"measured": False}
    hook, dialog = (statistics.median(delays[form]) for form in ("hook", "dialog"))
    return {f"call to effect, medians: {hook:.0f} ms by the hook, {dialog:.0f} ms by the dialog "
            f"({len(delays['hook'])} and {len(delays['dialog'])} calls)": hook <= dialog + SLOWER_MS}


def play_all(scene: Scene, place: Path, name: str, arguments: argparse.Namespace) -> dict[str, Checks]:
    agent = scene.cli.agent
    wanted = [part for part in PARTS if arguments.only in (None, part)]
    played: dict[str, Checks] = {}
    if "calls" in wanted:
        for settings, seed in (("plain", plain), ("allowing", allow_all)):
            played[f"{name}: {settings}"] = play_list(scene, Path(f"{place}-{settings}"), seed)
    if "together" in wanted:
        played[f"{name}: 64 in one message"] = play_calls(
            scene, Path(f"{place}-64"), together(agent, 64), 64, allow_all)
    if "code" in wanted and agent.name == "codex":
        calls = [call for number in range(4) for call in in_code(number)]
        played[f"{name}: code mode"] = play_calls(
            scene, Path(f"{place}-code"), calls, 1, allow_all, ("--model", CODE_MODEL))
    if "plan" in wanted and agent.name in ("claude", "gemini"):
        played[f"{name}: plan mode"] = play_plan(scene, Path(f"{place}-plan"))
    if "attacks" in wanted and not scene.image:
        for attack in ATTACKS:
            named = not arguments.attack or any(words in attack.name for words in arguments.attack)
            if named and agent.name in (attack.agents or agent.name):
                played[f"{name}: {attack.name}"] = play_attack(scene, Path(f"{place}-{attack.name.replace(' ', '-')}"), attack)
                print(f"{name}: {attack.name}: {played[f'{name}: {attack.name}']}", file=sys.stderr, flush=True)
    if "latency" in wanted and scene.mode == "interactive" and not scene.image and agent.tools:
        played[f"{name}: latency"] = measure_latency(scene, Path(f"{place}-latency"), arguments.runs)
    return played


def main() -> int:
    arguments = parse_arguments()
    clis = [cli for cli in wanted_clis(arguments) if cli.name == cli.agent.name]
    orch, programs = ready(arguments.orch, clis)
    scratch = new_scratch("calls")
    played: dict[str, Checks] = {}
    for cli in clis:
        modes = [mode for mode in arguments.mode or MODES if mode == "interactive" or "headless" in manifest_of(cli.agent)]
        for mode in modes:
            name = f"{cli.name} {mode}" + (" in a container" if arguments.image else "")
            scene = Scene(orch, cli, programs[cli.name], mode, arguments.image)
            played |= play_all(scene, scratch / name.replace(" ", "-"), name, arguments)
    return conclude("calls", played, scratch, arguments.keep)


if __name__ == "__main__":
    sys.exit(exit_code_of("calls", main))
