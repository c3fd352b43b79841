"""One run: a home, a project, a scripted model, `orch run`, and what came of it."""

import json
import shlex
import subprocess
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from agents import Agent, Place
from background import ISSUE, Ended, run_in_background
from delivery_runs import Bench, Cli
from load import LoadMeter, load, slowness
from messages import as_delivered
from model_server import Fact, ModelServer
from received import as_kept
from said import beginnings, said
from scenarios import Scenario, with_forge
from score import Score, Status, score_run
from script import ToolCall
from told import Comparison, compare, first_words_ms
from truth import Span, markers, spans_of
from workplace import (
    environment, events_of, make_project, recording_of, result_of, start_of, state_folder, told_of,
    transcript_of,
)

# orch keeps its own --timeout; this much later the canary ends it.
PATIENCE_S = 30


@dataclass(frozen=True)
class Job:
    """One run to be made. `manager`: it is made in the background under that session manager; None: in the
    foreground. `guessed`: by the rules for an agent without a manifest."""

    cli: Cli
    scenario: Scenario
    size: str
    manager: str | None = None
    guessed: bool = False

    @property
    def agent(self) -> Agent:
        return self.cli.agent

    @property
    def name(self) -> str:
        guessed = "guessed" if self.guessed else None
        return "-".join(filter(None, (self.cli.name, self.scenario.name, self.size, self.manager, guessed)))


@dataclass
class Outcome:
    """What one run showed. `faults` says in words what is not as it must be; empty: all is right."""

    job: Job
    folder: Path
    score: Score = field(default_factory=Score)
    code: int | None = None  # None: orch had to be killed
    reason: str | None = None
    ending_right: bool = False
    prompt_right: bool = False
    faults: list[str] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    told: list[Status] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)  # of the agent
    words: Comparison | None = None
    said: str = ""  # all that the model said
    first_words_ms: list[int] = field(default_factory=list)
    cpu_s: float = 0  # of orch and the manager; in the foreground it is not measured
    started: float = 0
    duration_s: float = 0
    slowness: float = 1  # of the machine meanwhile: 2 where twice as many threads wanted to run as it has cores
    again: bool = False  # it was made a second time: the first was wrong

    @property
    def recording(self) -> Path | None:
        return recording_of(self.folder)


def run_scenario(bench: Bench, job: Job, again: bool = False) -> Outcome:
    folder = bench.runs / (job.name + ("-again" if again else ""))
    outcome = Outcome(job, folder, again=again)
    project = make_project(folder)
    tools = {name: in_project(call, project) for name, call in with_forge(job.agent).items()}
    server = ModelServer(job.scenario.answers, tools, folder / "model.jsonl")
    place = Place(project.parent, project, server.port)
    job.agent.configure(place, job.scenario.home)
    if job.scenario.escape_s is not None:
        threading.Thread(target=_escape, args=(bench.orch, job, server, folder), daemon=True).start()
    try:
        env = environment(job.agent, place, _programs(job, bench.programs_of[job.cli.name], folder))
        with LoadMeter() as meter:
            ended = _orch_run(bench, job, folder, env)
    finally:
        facts = server.close()
    outcome.code, outcome.cpu_s, outcome.slowness = ended.code, ended.cpu_s, meter.slowness
    _judge(outcome, facts)
    return outcome


def _programs(job: Job, programs: Path, folder: Path) -> Path:
    """The folder of the CLI's program, or of a wrapper that adds the scenario's words."""
    if not job.scenario.words:
        return programs
    wrapper = folder / "bin" / (job.agent.program or job.agent.name)
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\nexec "{programs / wrapper.name}" "$@" {shlex.join(job.scenario.words)}\n')
    wrapper.chmod(0o755)
    return wrapper.parent


def _escape(orch: Path, job: Job, server: ModelServer, folder: Path) -> None:
    if not server.wait_for_request(job.agent.timeout_s):
        return
    time.sleep(job.scenario.escape_s)
    keys = [job.agent.interrupts] * job.agent.escapes
    command = [str(orch), "keys", ISSUE, *keys, "--state-dir", str(state_folder(folder))]
    if subprocess.run(command, cwd=folder / "home/project", stdin=subprocess.DEVNULL).returncode == 0:
        server.note("escaped", 0)


def keep_recording(outcome: Outcome, target: Path) -> None:
    """Copies the recording with the truth and the model's words, in place of orch's own markers."""
    if outcome.recording is None or not outcome.spans:
        return
    header, *lines = outcome.recording.read_text(encoding="utf-8").splitlines()
    events = [event for event in map(json.loads, lines) if event[1] != "m" or event[2].startswith("note=")]
    events += [[round(time, 3), "m", text] for time, text in markers(outcome.spans, outcome.started)]
    events.sort(key=lambda event: event[0])
    drawn = outcome.said.strip().replace("`", "")  # the CLIs draw code in a colour
    events.append([events[-1][0], "m", "said=" + json.dumps(drawn, ensure_ascii=False)])
    header = json.dumps(json.loads(header) | {"title": f"{outcome.job.agent.name} {outcome.job.scenario.name}"}, ensure_ascii=False)
    target.parent.mkdir(parents=True, exist_ok=True)
    body = "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events)
    target.write_text(f"{header}\n{body}", encoding="utf-8")


def in_project(call: ToolCall, project: Path) -> ToolCall:
    if isinstance(call.arguments, str):
        return call
    filled = {k: v.replace("{project}", str(project)) if isinstance(v, str) else v for k, v in call.arguments.items()}
    return replace(call, arguments=filled)


def _orch_run(bench: Bench, job: Job, folder: Path, env: dict[str, str]) -> Ended:
    prompt = folder / "prompt.txt"
    prompt.write_text(job.scenario.prompt, encoding="utf-8")
    timeout_s = round(job.agent.timeout_s * slowness(load()))
    approve = job.scenario.approve
    if job.scenario.policy:
        approve = str(folder / "policy.json")
        Path(approve).write_text(json.dumps(job.scenario.policy), encoding="utf-8")
    command = [
        str(bench.orch), "run", ISSUE, "--agent", "generic" if job.guessed else job.agent.name,
        "--prompt-file", str(prompt),
        "--until", job.scenario.until, "--approve", approve, "--size", job.size,
        "--timeout", f"{timeout_s}s", "--output", "json", "--state-dir", str(state_folder(folder)),
        *job.scenario.more,
    ]
    if job.scenario.words and approve != "none":  # the fence knows the wrapper, not the program behind it
        command += ["--read", str(bench.programs_of[job.cli.name].parent)]
    if job.guessed:
        command += ["--", job.agent.program or job.agent.name]
    if job.manager is not None:
        return run_in_background(bench.programs, command, job.manager, folder, env, timeout_s)
    code = bench.programs.run(
        command, folder / "home/project", env, folder / "stdout.jsonl", folder / "stderr.txt", timeout_s + PATIENCE_S,
    )
    return Ended(code, 0)


def _judge(outcome: Outcome, facts: list[Fact]) -> None:
    agent, scenario = outcome.job.agent, outcome.job.scenario
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
    allowed = [seconds(e) for e in events if e["event"] == "tool" and e.get("decided") == "allow"]
    outcome.spans = spans_of(agent, scenario, facts, typed, outcome.started, ended, outcome.slowness, allowed)
    outcome.told = [s for s in told if s.time < ended]
    outcome.score = score_run(outcome.spans, outcome.told)

    outcome.reason = exits[-1]["reason"] if exits else None
    outcome.ending_right = (outcome.code, outcome.reason) == (ending.code, ending.reason)
    if not outcome.ending_right:
        outcome.faults.append(f"exit {outcome.code} {outcome.reason}, not {ending.code} {ending.reason}")
    last = next((s.status for s in reversed(outcome.told)), None)
    if last != ending.status:
        outcome.faults.append(f"last status {last}, not {ending.status}")
    cause = (result_of(outcome.folder) or {}).get("last_cause")
    if ending.cause and cause != ending.cause:
        outcome.faults.append(f"result.json: cause {cause}, not {ending.cause}")
    asked = sum(fact.kind == "arrived" for fact in facts)
    if asked != ending.requests:
        outcome.faults.append(f"{asked} requests, not {ending.requests}")
    outcome.prompt_right = _prompt_right(agent, scenario, facts, typed)
    if not outcome.prompt_right:
        outcome.faults.append("prompt not delivered as given, once" if ending.requests else "typed into a dialog")
    outcome.faults += outcome.score.faults(outcome.slowness)
    _judge_words(outcome, events, facts)


def _judge_words(outcome: Outcome, events: list[dict], facts: list[Fact]) -> None:
    told = told_of(events)
    outcome.lines = [line for _, line in told]
    whole = outcome.said = said(facts)
    outcome.words = compare(whole, whole, outcome.lines)
    outcome.first_words_ms = first_words_ms(beginnings(facts), told)
    if outcome.job.manager is None:  # script/words does that at length
        return
    if outcome.words.told < outcome.words.words:
        outcome.faults.append(f"{outcome.words.words - outcome.words.told} words not told: {outcome.words.missing}")
    if outcome.words.repeats:
        outcome.faults.append(f"{outcome.words.repeats} repeats")
    if compare(whole, whole, transcript_of(outcome.folder)).told < outcome.words.told:
        outcome.faults.append("transcript.txt lacks words")


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
