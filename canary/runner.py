"""One run: a home, a project, a scripted model, `orch run`, and what came of it."""

import json
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from agents import Agent, Place
from messages import as_delivered
from model_server import Fact, ModelServer
from received import as_kept
from scenarios import Scenario
from score import Score, Status, score_run
from script import ToolCall
from truth import Span, markers, spans_of
from workplace import (
    Programs, environment, events_of, make_project, recording_of, result_of, start_of, state_folder,
)

# orch keeps its own --timeout; this much later the canary ends it.
PATIENCE_S = 30


@dataclass
class Outcome:
    """What one run showed. `faults` says in words what is not as it must be; empty: all is right."""

    agent: str
    scenario: str
    size: str
    folder: Path
    score: Score = field(default_factory=Score)
    code: int | None = None  # None: orch had to be killed
    ending_right: bool = False
    prompt_right: bool = False
    faults: list[str] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    started: float = 0
    duration_s: float = 0

    @property
    def recording(self) -> Path | None:
        return recording_of(self.folder)


def run_scenario(orch: Path, agent: Agent, programs: Path, scenario: Scenario, size: str, folder: Path) -> Outcome:
    outcome = Outcome(agent.name, scenario.name, size, folder)
    project = make_project(folder)
    tools = {name: in_project(call, project) for name, call in agent.tools.items()}
    server = ModelServer(scenario.answers, tools, folder / "model.jsonl")
    place = Place(project.parent, project, server.port)
    agent.configure(place, scenario.home)
    if scenario.escape_s is not None:
        threading.Thread(target=_escape, args=(orch, agent, scenario, server, folder), daemon=True).start()
    try:
        outcome.code = _orch_run(orch, agent, scenario, size, folder, environment(agent, place, programs))
    finally:
        facts = server.close()
    _judge(outcome, agent, scenario, facts)
    return outcome


def _escape(orch: Path, agent: Agent, scenario: Scenario, server: ModelServer, folder: Path) -> None:
    if not server.wait_for_request(agent.timeout_s):
        return
    time.sleep(scenario.escape_s)
    # opencode and copilot want it twice.
    keys = ["Escape", "Escape"] if agent.name == "opencode" else ["Escape"]
    command = [str(orch), "keys", "canary", *keys, "--state-dir", str(state_folder(folder))]
    if subprocess.run(command, cwd=folder / "home/project", stdin=subprocess.DEVNULL).returncode == 0:
        server.note("escaped", 0)


def keep_recording(outcome: Outcome, target: Path) -> None:
    """Copies the recording with the truth, in place of orch's own markers."""
    if outcome.recording is None or not outcome.spans:
        return
    header, *lines = outcome.recording.read_text(encoding="utf-8").splitlines()
    events = [event for event in map(json.loads, lines) if event[1] != "m" or event[2].startswith("note=")]
    events += [[round(time, 3), "m", text] for time, text in markers(outcome.spans, outcome.started)]
    events.sort(key=lambda event: event[0])
    header = json.dumps(json.loads(header) | {"title": f"{outcome.agent} {outcome.scenario}"}, ensure_ascii=False)
    target.parent.mkdir(parents=True, exist_ok=True)
    body = "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events)
    target.write_text(f"{header}\n{body}", encoding="utf-8")


def in_project(call: ToolCall, project: Path) -> ToolCall:
    if isinstance(call.arguments, str):
        return call
    filled = {k: v.replace("{project}", str(project)) if isinstance(v, str) else v for k, v in call.arguments.items()}
    return ToolCall(call.name, filled)


def _orch_run(
    orch: Path, agent: Agent, scenario: Scenario, size: str, folder: Path, environment: dict[str, str]
) -> int | None:
    prompt = folder / "prompt.txt"
    prompt.write_text(scenario.prompt, encoding="utf-8")
    command = [
        str(orch), "run", "canary", "--agent", agent.name, "--prompt-file", str(prompt), "--until", scenario.until,
        "--approve", scenario.approve,
        "--size", size, "--timeout", f"{agent.timeout_s}s", "--output", "json",
        "--state-dir", str(state_folder(folder)),
    ]
    return Programs().run(
        command, folder / "home/project", environment, folder / "stdout.jsonl", folder / "stderr.txt",
        agent.timeout_s + PATIENCE_S,
    )


def _judge(outcome: Outcome, agent: Agent, scenario: Scenario, facts: list[Fact]) -> None:
    ending = scenario.ending_for(agent.name)
    events = events_of(outcome.folder)
    if not events:
        outcome.faults.append(f"no events, exit {outcome.code}")
        return
    outcome.started = start_of(events)

    def seconds(event: dict) -> float:
        """Since 1970."""
        return outcome.started + event["ms"] / 1000

    told = [Status(seconds(e), e["status"], e["cause"]) for e in events if e["event"] == "status"]
    typed = [seconds(e) for e in events if e["event"] == "message" and e["phase"] == "sent"]
    exits = [e for e in events if e["event"] == "exit"]
    # A dialog is told when orch gives up on it; what the agent draws while it is ended does not count.
    given_up = [e for e in events if e["event"] == "dialog" and e["answer"] is None]
    ends = given_up + [e for e in events if e["event"] == "exit" or e.get("status") == "exited"]
    ended = seconds((ends or events[-1:])[0])
    outcome.duration_s = ended - outcome.started
    outcome.spans = spans_of(agent, scenario, facts, typed, outcome.started, ended)
    outcome.score = score_run(outcome.spans, [s for s in told if s.time < ended])

    reason = exits[-1]["reason"] if exits else None
    outcome.ending_right = (outcome.code, reason) == (ending.code, ending.reason)
    if not outcome.ending_right:
        outcome.faults.append(f"exit {outcome.code} {reason}, not {ending.code} {ending.reason}")
    last = next((s.status for s in reversed(told) if s.time < ended), None)
    if last != ending.status:
        outcome.faults.append(f"last status {last}, not {ending.status}")
    cause = (result_of(outcome.folder) or {}).get("cause")
    if ending.cause and cause != ending.cause:
        outcome.faults.append(f"result.json: cause {cause}, not {ending.cause}")
    asked = sum(fact.kind == "arrived" for fact in facts)
    if asked != ending.requests:
        outcome.faults.append(f"{asked} requests, not {ending.requests}")
    outcome.prompt_right = _prompt_right(agent, scenario, facts, typed)
    if not outcome.prompt_right:
        outcome.faults.append("prompt not delivered as given, once" if ending.requests else "typed into a dialog")
    outcome.faults += outcome.score.faults()


def _prompt_right(agent: Agent, scenario: Scenario, facts: list[Fact], typed: list[float]) -> bool:
    """The model got the prompt as it was given, once; where a dialog stands at the start nothing is typed."""
    if scenario.types_nothing:
        return not typed
    requests = [fact for fact in facts if fact.kind == "arrived"]
    if not requests:
        return False
    given = as_kept(agent.name, as_delivered(scenario.prompt))
    texts = [as_kept(agent.name, text) for text in requests[-1].texts]
    # --until complete adds the keyword's instruction at the end.
    added = [text.removeprefix(given) for text in texts if text.startswith(given)]
    whole = any(not rest or (scenario.until == "complete" and rest[0].isspace()) for rest in added)
    return whole and sum(text.count(given) for text in texts) == 1
