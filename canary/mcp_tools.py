"""script/mcp: the tools of orch mcp, called by real agent CLIs. See canary/README.md."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from agents import CLAUDE, CODEX, Agent, Place
from deliveries import CANNOT_RUN, RIGHT, WRONG
from delivery_runs import Cli
from install import CannotRun, check_tools, find_orch, install, manifest_of, tested_version
from model_server import ModelServer
from protocols import TOOL_SEARCH
from report import aligned
from scene import PATIENCE_S, Scene
from script import Answer, Say, ToolCall, Use
from workplace import environment, make_project, state_folder

ISSUE = "mcp"
DONE = Say("That is all.\n\nLOOP_COMPLETE\n")
MAIL = "MAIL-4711; $(touch owned) `id`"
# What is not offered the CLIs refuse themselves, in these words; orch does where they do not.
REFUSALS = ("No such tool available: mcp__orch__kill", "unsupported call: mcp__orchkill", "refused: kill is not for agents")
SPEC = """version: 1
project: shop
agents:
  - {name: planner, role: plans, cli: claude, prompt: "Wait for messages. (ROLE-planner)"}
  - {name: implementer, role: writes the code, cli: codex, prompt: "Wait for messages. (ROLE-implementer)"}
"""


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="script/mcp",
        description="Gives the real claude and codex orch's MCP server and has their model call its tools. tools: in "
        "orch run, whoami and status must tell what is so, and kill must be refused. crew: in orch crew, claude writes "
        "to codex, which reads its inbox and answers.",
        epilog="exit: 0 all was right · 1 not so · 2 it cannot run here",
    )
    parser.add_argument("scenario", nargs="*", help="tools, crew; default: both")
    parser.add_argument("--agent", action="append", choices=["claude", "codex"], help="of tools; default: both")
    parser.add_argument("--mode", choices=("interactive", "headless"), default="interactive", help="of tools")
    parser.add_argument("--sandbox", choices=("auto", "landlock"), default="auto")
    parser.add_argument("--claude", metavar="VERSION", help="default: the one that the manifest was tested with")
    parser.add_argument("--orch", type=Path, metavar="PATH", help="the binary; default: the newest under build/")
    parser.add_argument("--keep", action="store_true", help="keep the folders of the runs")
    arguments = parser.parse_args()
    for scenario in arguments.scenario:
        if scenario not in SCENARIOS:
            parser.error(f"there is no scenario {scenario}")
    return arguments


def tool(agent: Agent, name: str, arguments: dict | None = None) -> ToolCall:
    """A tool of orch mcp, as the agent's model calls it."""
    if agent is CODEX:
        return ToolCall(name, arguments or {}, "mcp__orch")
    return ToolCall(f"mcp__orch__{name}", arguments or {})


def search() -> ToolCall:
    """Codex does not put the tools of servers into its requests; its model looks for them."""
    return ToolCall(TOOL_SEARCH, {"query": "orch session status whoami crew", "limit": 20})


def server_words(agent: Agent, orch: Path, state: Path) -> list[str]:
    """The words by which the manifest gives the agent the server."""
    holes = {"{program}": json.dumps(str(orch)), "{state_dir}": json.dumps(str(state))}
    words = []
    for word in manifest_of(agent)["mcp"]["arguments"]:
        for hole, text in holes.items():
            word = word.replace(hole, text)
        words.append(f"--agent-flag={word}")
    return words


def json_in(result: str) -> dict:
    """The object in what a tool gave, which a CLI may have put into words of its own."""
    start, end = result.find("{"), result.rfind("}")
    try:
        value = json.loads(result[start:end + 1])
        return value if isinstance(value, dict) else {}
    except ValueError:
        return {}


def play_tools(orch: Path, cli: Cli, programs: Path, folder: Path, mode: str, sandbox: str) -> dict[str, bool]:
    agent = cli.agent
    tools = {"search": search(), "whoami": tool(agent, "whoami"), "status": tool(agent, "status", {"issue": ISSUE}),
             "kill": tool(agent, "kill", {"issue": ISSUE})}
    names = [*(["search"] if agent is CODEX else []), "whoami", "status", "kill"]
    answers = (*((Use(name),) for name in names), (DONE,))
    scene = Scene(orch, cli, programs, folder, answers, tools)
    try:
        ended = scene.orch_says("run", ISSUE, "--agent", agent.name, "--mode", mode, "--approve", "none",
                                "--sandbox", sandbox, "--timeout", f"{PATIENCE_S}s", "--output", "quiet",
                                "--prompt", "Say who you are.", *server_words(agent, orch, state_folder(folder)))
        run = scene.newest()
        last = [fact["results"] for fact in scene.facts("arrived")][-1:]
        results = list(last[0])[-3:] if last else []
    finally:
        scene.close()
    print(f"{cli.name}: " + " | ".join(result[:300].replace("\n", " ") for result in results), file=sys.stderr)
    if len(results) < 3:
        return {"completed": ended.returncode == 0, "three results": False}
    whoami, status = json_in(results[0]), json_in(results[1])
    checks = {
        "completed": ended.returncode == 0,
        "whoami": whoami.get("run") == run["id"] and whoami.get("name") == f"orch-{ISSUE}"
        and whoami.get("agent") == agent.name,
        "status": status.get("run") == run["id"] and status.get("status") == "working",
        "kill refused": any(words in results[2] for words in REFUSALS),
    }
    if agent is CODEX:
        offered = [result for facts in scene.facts("arrived")[-1:] for result in facts["results"]][0]
        checks["offered"] = "whoami" in offered and '"kill"' not in offered
    return checks


class CrewScript:
    """What the models of the two agents answer, by what they were told and how often they were asked."""

    def __init__(self):
        self._lock = threading.Lock()
        self._planner_wrote = self._planner_read = False
        self._implementer = iter(("search", "read", "answer"))

    def answer_to(self, texts: list[str]) -> Answer:
        told = "\n".join(texts)
        with self._lock:
            if "You are implementer" in told and "[from planner]" in told:
                step = next(self._implementer, "")
                return (Use(step),) if step else (Say("I have read it and answered."),)
            if "You are planner" in told and "START" in told and not self._planner_wrote:
                self._planner_wrote = True
                return (Use("write"),)
            if "You are planner" in told and "[from implementer]" in told and not self._planner_read:
                self._planner_read = True
                return (Use("read back"),)
        return (Say("All right."),)

    TOOLS = {
        "write": tool(CLAUDE, "crew_send", {"to": "implementer", "text": MAIL}),
        "read back": tool(CLAUDE, "crew_inbox"),
        "search": search(),
        "read": tool(CODEX, "crew_inbox"),
        "answer": tool(CODEX, "crew_send", {"to": "planner", "text": f"ANSWER to {MAIL}"}),
    }


def play_crew(orch: Path, clis: dict[str, Cli], programs: dict[str, Path], folder: Path, sandbox: str) -> dict[str, bool]:
    script = CrewScript()
    project = make_project(folder)
    (project / "crew.yaml").write_text(SPEC)
    server = ModelServer((), CrewScript.TOOLS, folder / "model.jsonl", choose=script.answer_to)
    place = Place(project.parent, project, server.port)
    env = {}
    for agent in (CLAUDE, CODEX):
        agent.configure(place, "ready")
        env |= environment(agent, place, programs[agent.name])
    env["PATH"] = os.pathsep.join([*(str(path) for path in programs.values()), env["PATH"]])
    env["ORCH_STATE_DIR"] = str(state_folder(folder))
    crew = CrewOfTwo(orch, project, env, folder)
    checks: dict[str, bool] = {}
    try:
        checks["up"] = crew.says("crew", "up", "--sandbox", sandbox).returncode == 0
        checks["told their roles"] = crew.wait_for(lambda: crew.heard("ROLE-planner") and crew.heard("ROLE-implementer"))
        crew.wait_for(crew.at_rest)
        checks["nudged"] = crew.says("crew", "nudge", "planner", "START now").returncode == 0
        checks["mail announced"] = crew.wait_for(lambda: crew.heard("[from planner] You have mail in"))
        checks["mail read"] = crew.wait_for(lambda: crew.given(f"> {MAIL}") and crew.given(" from planner"))
        checks["answer announced"] = crew.wait_for(lambda: crew.heard("[from implementer] You have mail in"))
        checks["answer read"] = crew.wait_for(lambda: crew.given(f"> ANSWER to {MAIL}"))
        crew.wait_for(crew.at_rest)
        checks["nothing executed"] = not (project / "owned").exists()
    finally:
        crew.says("crew", "down", "--now")
        crew.says("kill", "--all", "--now")
        server.close()
    return checks


class CrewOfTwo:
    """orch's commands in a crew's project, and what the models were told there."""

    def __init__(self, orch: Path, project: Path, env: dict[str, str], folder: Path):
        self.orch, self.project, self.env, self.folder = orch, project, env, folder

    says_limit_s = PATIENCE_S * 2

    def says(self, *words: str) -> subprocess.CompletedProcess:
        said = subprocess.run([self.orch, *words], cwd=self.project, env=self.env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=self.says_limit_s, check=False)
        with (self.folder / "orch.txt").open("a") as out:
            out.write(f"$ orch {words}\n{said.stdout}{said.stderr}[{said.returncode}]\n")
        return said

    wait_for = Scene.wait_for
    facts = Scene.facts

    def heard(self, words: str) -> bool:
        return any(words in text for fact in self.facts("arrived") for text in fact["texts"])

    def given(self, words: str) -> bool:
        return any(words in text for fact in self.facts("arrived") for text in fact["results"])

    def at_rest(self) -> bool:
        told = self.says("crew", "status", "--json").stdout
        agents = json.loads(told)["agents"] if told else [{}]
        return all(one.get("status") == "idle" and one.get("waiting") == 0 for one in agents)


SCENARIOS: dict[str, Callable] = {"tools": play_tools, "crew": play_crew}


def main() -> int:
    arguments = parse_arguments()
    wanted = arguments.scenario or list(SCENARIOS)
    try:
        check_tools()
        orch = find_orch(arguments.orch)
        chosen = Cli(CLAUDE, arguments.claude or tested_version(CLAUDE)), Cli(CODEX, tested_version(CODEX))
        clis = {cli.agent.name: cli for cli in chosen}
        programs = {name: install(cli.agent, cli.version) for name, cli in clis.items()}
    except (CannotRun, OSError) as error:
        print(f"mcp: cannot run here: {error}", file=sys.stderr)
        return CANNOT_RUN
    scratch = Path(tempfile.mkdtemp(prefix="mcp-", dir=Path.home() / ".cache"))
    played: dict[str, dict[str, bool]] = {}
    if "tools" in wanted:
        for name in arguments.agent or clis:
            played[f"tools {clis[name].name}"] = play_tools(orch, clis[name], programs[name], scratch / name,
                                                            arguments.mode, arguments.sandbox)
    if "crew" in wanted:
        played["crew"] = play_crew(orch, clis, programs, scratch / "crew", arguments.sandbox)
    rows = [["scenario", "right", "wrong"]]
    for name, checks in played.items():
        rows.append([name, ", ".join(check for check, held in checks.items() if held),
                     ", ".join(check for check, held in checks.items() if not held)])
    print(aligned(rows))
    all_right = all(held for checks in played.values() for held in checks.values())
    if all_right and not arguments.keep:
        shutil.rmtree(scratch, ignore_errors=True)
    else:
        print(f"kept in {scratch}", file=sys.stderr)
    return RIGHT if all_right else WRONG


if __name__ == "__main__":
    sys.exit(main())
