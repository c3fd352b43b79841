"""script/mcp: the tools of orch mcp, called by real agent CLIs. See canary/README.md."""

import argparse
import json
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from agents import CLAUDE, CODEX, OPENCODE, Agent
from checks import Checks, conclude
from command_line import exit_code_of, new_scratch, parser_of, ready
from delivery_runs import Cli
from install import driven_version, manifest_of
from protocols import TOOL_SEARCH
from scene import PATIENCE_S, CrewScene, Scene
from script import Answer, Say, ToolCall, Use
from workplace import state_folder

ISSUE = "mcp"
DONE = Say("That is all.\n\nLOOP_COMPLETE\n")
MAIL = "MAIL-4711; $(touch owned) `id`"
# What is not offered the CLIs refuse themselves, in these words; orch does where they do not.
REFUSALS = ("No such tool available: mcp__orch__kill", "unsupported call: mcp__orchkill",
            "unavailable tool 'orch_kill'", "refused: kill is not for agents")
SPEC = """version: 1
project: shop
agents:
  - {name: planner, role: plans, cli: claude, prompt: "Wait for messages. (ROLE-planner)"}
  - {name: implementer, role: writes the code, cli: codex, prompt: "Wait for messages. (ROLE-implementer)"}
"""


def parse_arguments() -> argparse.Namespace:
    parser = parser_of(
        "mcp",
        "Gives the real claude and codex orch's MCP server and has their model call its tools. tools: in "
        "orch run, whoami and status must tell what is so, and kill must be refused. crew: in orch crew, claude writes "
        "to codex, which reads its inbox and answers.",
    )
    parser.add_argument("scenario", nargs="*", help="tools, crew; default: both")
    parser.add_argument("--agent", action="append", choices=["claude", "codex", "opencode"],
                        help="of tools; default: claude and codex")
    parser.add_argument("--mode", choices=("interactive", "headless"), default="interactive", help="of tools")
    parser.add_argument("--sandbox", choices=("auto", "landlock"), default="auto")
    parser.add_argument("--claude", metavar="VERSION", help="default: the one that the manifest was tested with")
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
    prefix = "orch_" if agent is OPENCODE else "mcp__orch__"
    return ToolCall(prefix + name, arguments or {})


def search() -> ToolCall:
    """Codex does not put the tools of servers into its requests; its model looks for them."""
    return ToolCall(TOOL_SEARCH, {"query": "orch session status whoami crew", "limit": 20})


def server_words(agent: Agent, orch: Path, state: Path) -> list[str]:
    """The options of orch run by which the agent gets the server as its manifest says."""
    args = ["mcp", "--state-dir", str(state)]
    values = {"{name}": "orch", "{command}": json.dumps(str(orch)), "{args}": json.dumps(args),
              "{words}": json.dumps([str(orch), *args])}

    def filled(text: str) -> str:
        for placeholder, value in values.items():
            text = text.replace(placeholder, value)
        return text

    mcp = manifest_of(agent)["mcp"]
    own = mcp["own"]
    flags = [f"--agent-flag={filled(word)}" for word in mcp.get("arguments", []) + own.get("arguments", [])]
    return flags + [f"--env={name}={filled(value)}" for name, value in (mcp.get("env", {}) | own.get("env", {})).items()]


def json_in(result: str) -> dict:
    """The object in what a tool gave, which a CLI may have put into words of its own."""
    start, end = result.find("{"), result.rfind("}")
    try:
        value = json.loads(result[start:end + 1])
        return value if isinstance(value, dict) else {}
    except ValueError:
        return {}


def play_tools(orch: Path, cli: Cli, programs: Path, folder: Path, mode: str, sandbox: str) -> Checks:
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
    checks: Checks = {
        "completed": ended.returncode == 0,
        "whoami": whoami.get("run") == run["run"] and whoami.get("session") == f"orch-{ISSUE}"
        and whoami.get("agent") == agent.name,
        "status": status.get("run") == run["run"] and status.get("status") == "working",
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


def play_crew(orch: Path, clis: dict[str, Cli], programs: dict[str, Path], folder: Path, sandbox: str) -> Checks:
    agents = [(clis[name].agent, programs[name]) for name in ("claude", "codex")]
    crew = CrewScene(orch, agents, folder, SPEC, CrewScript().answer_to, CrewScript.TOOLS)

    def given(words: str) -> bool:
        """To a model, as what a tool gave."""
        return any(words in text for fact in crew.facts("arrived") for text in fact["results"])

    checks: Checks = {}
    try:
        checks["up"] = crew.orch_says("crew", "up", "--sandbox", sandbox).returncode == 0
        checks["told their roles"] = crew.wait_for(lambda: crew.heard("ROLE-planner") and crew.heard("ROLE-implementer"))
        crew.wait_for(crew.at_rest)
        checks["nudged"] = crew.orch_says("crew", "nudge", "planner", "START now").returncode == 0
        checks["mail announced"] = crew.wait_for(lambda: crew.heard("[from planner] You have mail in"))
        checks["mail read"] = crew.wait_for(lambda: given(f"> {MAIL}") and given(" from planner"))
        checks["answer announced"] = crew.wait_for(lambda: crew.heard("[from implementer] You have mail in"))
        checks["answer read"] = crew.wait_for(lambda: given(f"> ANSWER to {MAIL}"))
        crew.wait_for(crew.at_rest)
        checks["nothing executed"] = not (crew.project / "owned").exists()
    finally:
        crew.close()
    return checks


SCENARIOS: dict[str, Callable] = {"tools": play_tools, "crew": play_crew}


def main() -> int:
    arguments = parse_arguments()
    wanted = arguments.scenario or list(SCENARIOS)
    chosen = [Cli(CLAUDE, arguments.claude or driven_version(CLAUDE)), Cli(CODEX, driven_version(CODEX))]
    if "opencode" in (arguments.agent or ()):
        chosen.append(Cli(OPENCODE, driven_version(OPENCODE)))
    clis = {cli.agent.name: cli for cli in chosen}
    orch, installed = ready(arguments.orch, chosen)
    programs = {name: installed[cli.name] for name, cli in clis.items()}
    scratch = new_scratch("mcp")
    played: dict[str, Checks] = {}
    if "tools" in wanted:
        for name in arguments.agent or ("claude", "codex"):
            played[f"tools {clis[name].name}"] = play_tools(orch, clis[name], programs[name], scratch / name,
                                                            arguments.mode, arguments.sandbox)
    if "crew" in wanted:
        played["crew"] = play_crew(orch, clis, programs, scratch / "crew", arguments.sandbox)
    return conclude("scenario", played, scratch, arguments.keep)


if __name__ == "__main__":
    sys.exit(exit_code_of("mcp", main))
