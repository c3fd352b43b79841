"""One run: a home, a project, a scripted model, `orch run`, and what came of it."""

import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time
import unicodedata
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from agents import OLD_LINE, Agent, Place
from model_server import Fact, ModelServer
from scenarios import Scenario
from score import Score, Status, score_run
from script import ToolCall
from truth import Span, markers, spans_of

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
        return next((self.folder / "state/runs").glob("*/output.cast"), None)


def run_scenario(orch: Path, agent: Agent, programs: Path, scenario: Scenario, size: str, folder: Path) -> Outcome:
    outcome = Outcome(agent.name, scenario.name, size, folder)
    home, project = folder / "home", folder / "home/project"
    project.mkdir(parents=True)
    (project / "sum.py").write_text(f"{OLD_LINE}\n\n\ndef add(numbers):\n    return TOTAL + sum(numbers)\n")
    # Codex asks for trust in repositories only.
    subprocess.run(["git", "init", "--quiet"], cwd=project, env={"HOME": str(home), "PATH": os.defpath}, check=True)
    tools = {name: _in_project(call, project) for name, call in agent.tools.items()}
    server = ModelServer(scenario.answers, tools, folder / "model.jsonl")
    place = Place(home, project, server.port)
    agent.configure(place, scenario.home)
    if scenario.escape_s is not None:
        threading.Thread(target=_escape, args=(orch, agent, scenario, server, folder), daemon=True).start()
    try:
        outcome.code = _orch_run(orch, agent, scenario, size, folder, _environment(agent, place, programs))
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
    command = [str(orch), "keys", "canary", *keys, "--state-dir", str(folder / "state")]
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


def _in_project(call: ToolCall, project: Path) -> ToolCall:
    if isinstance(call.arguments, str):
        return call
    filled = {k: v.replace("{project}", str(project)) if isinstance(v, str) else v for k, v in call.arguments.items()}
    return ToolCall(call.name, filled)


def _environment(agent: Agent, place: Place, programs: Path) -> dict[str, str]:
    """Nothing of the user's gets through but the way to node."""
    node = Path(shutil.which("node") or "/usr/bin/node").parent
    common = {
        "HOME": str(place.home),
        "PATH": os.pathsep.join([str(programs), str(node), "/usr/local/bin", "/usr/bin", "/bin"]),
        "LANG": "C.UTF-8",
        "SHELL": "/bin/sh",
    }
    return common | agent.environment(place)


def _orch_run(
    orch: Path, agent: Agent, scenario: Scenario, size: str, folder: Path, environment: dict[str, str]
) -> int | None:
    prompt = folder / "prompt.txt"
    prompt.write_text(scenario.prompt, encoding="utf-8")
    command = [
        str(orch), "run", "canary", "--agent", agent.name, "--prompt-file", str(prompt), "--until", scenario.until,
        "--size", size, "--timeout", f"{agent.timeout_s}s", "--output", "json", "--state-dir", str(folder / "state"),
    ]
    with (folder / "stdout.jsonl").open("wb") as out, (folder / "stderr.txt").open("wb") as errors:
        process = subprocess.Popen(
            command, cwd=folder / "home/project", env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=errors
        )
        try:
            return process.wait(agent.timeout_s + PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            return None
        except KeyboardInterrupt:
            process.terminate()
            process.wait(PATIENCE_S)
            raise


def _judge(outcome: Outcome, agent: Agent, scenario: Scenario, facts: list[Fact]) -> None:
    ending = scenario.ending_for(agent.name)
    events_file = next((outcome.folder / "state/runs").glob("*/events.jsonl"), None)
    lines = events_file.read_text(encoding="utf-8").splitlines() if events_file else []
    events = [json.loads(line) for line in lines]
    if not events:
        outcome.faults.append(f"no events, exit {outcome.code}")
        return
    told = [Status(_seconds(e), e["status"], e["cause"]) for e in events if e["event"] == "status"]
    typed = [_seconds(e) for e in events if e["event"] == "message" and e["phase"] == "sent"]
    exits = [e for e in events if e["event"] == "exit"]
    outcome.started = _seconds(events[0]) - events[0]["ms"] / 1000
    # A dialog is told when orch gives up on it; what the agent draws while it is ended does not count.
    ends = [e for e in events if e["event"] in ("dialog", "exit") or e.get("status") == "exited"]
    ended = _seconds((ends or events[-1:])[0])
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
    cause = _cause_in_result(outcome.folder)
    if ending.cause and cause != ending.cause:
        outcome.faults.append(f"result.json: cause {cause}, not {ending.cause}")
    asked = sum(fact.kind == "arrived" for fact in facts)
    if asked != ending.requests:
        outcome.faults.append(f"{asked} requests, not {ending.requests}")
    outcome.prompt_right = _prompt_right(scenario, facts, typed)
    if not outcome.prompt_right:
        outcome.faults.append("prompt not delivered as given, once" if ending.requests else "typed into a dialog")
    outcome.faults += outcome.score.faults()


def _cause_in_result(folder: Path) -> str | None:
    result = next((folder / "state/runs").glob("*/result.json"), None)
    return json.loads(result.read_text(encoding="utf-8"))["cause"] if result else None


def _prompt_right(scenario: Scenario, facts: list[Fact], typed: list[float]) -> bool:
    """The model got the prompt as it was given, once; where a dialog stands at the start nothing is typed."""
    if scenario.starts_with_dialog:
        return not typed
    requests = [fact for fact in facts if fact.kind == "arrived"]
    if not requests:
        return False
    given = _normalised(scenario.prompt)
    texts = [_normalised(text) for text in requests[-1].texts]
    # --until complete adds the keyword's instruction at the end.
    whole = any(text == given or (scenario.until == "complete" and text.startswith(given + " ")) for text in texts)
    return whole and sum(text.count(given) for text in texts) == 1


def _normalised(text: str) -> str:
    """White space is the CLIs' to change; Claude Code composes accents, and says what was pasted (2.1.330)."""
    text = re.sub(r"</?pasted_content[^<>]*>", " ", text)
    return " ".join(unicodedata.normalize("NFC", text).split())


def _seconds(event: dict) -> float:
    return datetime.fromisoformat(event["time"]).timestamp()
