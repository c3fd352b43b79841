"""One run of script/words: the CLI says what its scenario says, and what orch told is compared with it."""

import hashlib
import shutil
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from agents import Agent, Place
from delivery_runs import Bench, Cli
from model_server import ModelServer
from runner import in_project
from said import before_cut, beginnings, drawn, said
from terminal import Terminal
from told import compare, first_words_ms
from words_log import WordsRecord
from words_scenarios import Cut, Reset, Send, WordsScenario
from workplace import (
    environment, events_of, make_project, recording_of, result_of, start_of, state_folder, told_of,
)

ISSUE = "words"
PROMPT = "Tell what you find in sum.py, please."
TIMEOUT_S = 150  # of a run, and of a message
PATIENCE_S = 30  # what orch gets beyond its own time
SETTLED_S = 1.5  # what had been sent so long before a cut stood on the screen
COMPACT = {"claude": "/compact", "codex": "/compact", "gemini": "/compress", "kilo": "/compact", "kimi": "/compact"}


@dataclass(frozen=True)
class Job:
    """One run to be made."""

    cli: Cli
    scenario: WordsScenario
    size: str
    fenced: bool = True

    @property
    def agent(self) -> Agent:
        return self.cli.agent

    @property
    def label(self) -> str:
        return self.cli.name if self.fenced else f"{self.cli.name}-unfenced"

    @property
    def key(self) -> tuple[str, str, str]:
        return (self.label, self.scenario.name, self.size)

    @property
    def name(self) -> str:
        return ".".join(self.key)


def make_run(bench: Bench, job: Job) -> WordsRecord:
    """Its folder is gone afterwards if all was right."""
    folder = bench.runs / job.label / f"{job.scenario.name}-{job.size}"
    shutil.rmtree(folder, ignore_errors=True)
    project = make_project(folder)
    tools = {name: in_project(call, project) for name, call in job.agent.tools.items()}
    server = ModelServer(job.scenario.answers, tools, folder / "model.jsonl")
    place = Place(project.parent, project, server.port)
    job.agent.configure(place, "ready")
    hand = _Hand(bench, job, folder, environment(job.agent, place, bench.programs_of[job.cli.name]), server)
    started = time.monotonic()
    try:
        hand.session() if job.scenario.acts else hand.run()
    finally:
        facts = server.close()
    cut = hand.cut_at
    whole = said(facts)
    events = hand.events()
    needed = whole if cut is None else before_cut(facts, cut - SETTLED_S, drawn(recording_of(folder)))
    for name, text in (("sent.txt", whole), ("needed.txt", needed)):  # for who reads the folder
        (folder / name).write_text(text, encoding="utf-8")
    told = told_of(events)
    comparison = compare(needed, whole, [line for _, line in told], hand.screens(events))
    of_run = hand.faults + _ending_faults(job.scenario, hand.code, result_of(folder)) + _dialog_faults(job.scenario, events)
    faults = of_run + comparison.faults()
    record = WordsRecord(
        agent=job.label, version=job.cli.version, scenario=job.scenario.name, size=job.size,
        orch=hashlib.sha256(bench.orch.read_bytes()).hexdigest()[:12],
        time=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), duration_s=round(time.monotonic() - started, 1),
        words=comparison.words, told=comparison.told, repeats=comparison.repeats, partial=comparison.partial,
        chrome=comparison.chrome, strange=comparison.strange, taken_back=comparison.taken_back, first_ms=first_words_ms(beginnings(facts), told),
        faults=faults, of_run=of_run, folder=str(folder) if faults or bench.keep else None,
    )
    if not faults and not bench.keep:
        shutil.rmtree(folder)
    return record


class _Hand:
    """Types the commands of one run. `cut_at`: when it was cut, in seconds since 1970."""

    def __init__(self, bench: Bench, job: Job, folder: Path, env: dict[str, str], server: ModelServer):
        self.faults: list[str] = []
        self.code: int | None = None
        self.cut_at: float | None = None
        self._bench = bench
        self._job = job
        self._folder = folder
        self._env = env
        self._server = server
        self._calls = 0
        self._columns, self._rows = map(int, job.size.split("x"))

    def run(self) -> None:
        scenario = self._job.scenario
        timeout_s = scenario.cut.seconds if scenario.cut and scenario.cut.how == "timeout" else TIMEOUT_S
        arguments = [*self._run_arguments(timeout_s), *scenario.more]
        if not scenario.resizes:
            arguments += ["--size", self._job.size, "--output", "json"]
            self.code = self._orch(arguments, timeout_s, self._begin_cut)
        else:
            terminal = Terminal(self._columns, self._rows)
            threading.Thread(target=self._resize, args=(terminal,), daemon=True).start()
            self.code = self._orch(arguments, timeout_s, terminal=terminal)
            terminal.close()
        if scenario.cut and scenario.cut.how == "timeout" and (events := self.events()):
            self.cut_at = start_of(events) + scenario.cut.seconds

    def events(self) -> list[dict]:
        try:
            return events_of(self._folder)
        except ValueError as error:
            self.faults.append(f"events.jsonl: {error}")
            return []

    def screens(self, events: list[dict]) -> list[str]:
        """The agent's screen at the end of each turn."""
        recording = recording_of(self._folder)
        ends = [event["ms"] / 1000 for event in events if event["event"] == "status" and event["status"] == "idle"]
        shot = [self._bench.orch, "shot", recording, "--at"]
        return [subprocess.run([*shot, str(at)], capture_output=True, text=True).stdout for at in ends if recording]

    def session(self) -> None:
        arguments = [*self._run_arguments(10 * TIMEOUT_S), "--size", self._job.size, "--detach"]
        if (code := self._orch(arguments, TIMEOUT_S)) != 0:
            self.faults.append(f"run -d: exit {code}")
        try:
            self._wait()
            for act in self._job.scenario.acts:
                self._act(act)
            time.sleep(SETTLED_S)
        finally:
            self._orch(["kill", ISSUE], TIMEOUT_S, after_stop=True)
        self.code = (result_of(self._folder) or {}).get("code", self.code)

    def _run_arguments(self, timeout_s: float) -> list[str]:
        scenario = self._job.scenario
        return [
            "run", ISSUE, "--agent", self._job.agent.name, "--prompt", PROMPT, "--until", scenario.until,
            "--timeout", f"{timeout_s}s", *([] if self._job.fenced else ["--sandbox", "none"]),
        ]

    def _act(self, act: Send | Reset) -> None:
        if isinstance(act, Reset):
            code = self._orch(["reset", ISSUE], TIMEOUT_S)
            self._wait()
        else:
            text = COMPACT[self._job.agent.name] if act.text == "compact" else act.text
            more = ["--as-command"] if act.command else []
            code = self._orch(["send", ISSUE, text, "--wait", "idle", "--timeout", f"{TIMEOUT_S}s", *more], TIMEOUT_S)
        if code != 0:
            self.faults.append(f"{act}: exit {code}")

    def _wait(self) -> None:
        if (code := self._orch(["wait", ISSUE, "--timeout", f"{TIMEOUT_S}s"], TIMEOUT_S)) != 0:
            self.faults.append(f"wait: exit {code}")

    def _begin_cut(self, process: subprocess.Popen) -> None:
        cut = self._job.scenario.cut
        if cut and cut.how != "timeout":
            threading.Thread(target=self._cut, args=(cut, process), daemon=True).start()

    def _cut(self, cut: Cut, process: subprocess.Popen) -> None:
        if not self._server.wait_for_request(TIMEOUT_S):
            return
        time.sleep(cut.seconds)
        self.cut_at = time.time()
        if cut.how == "interrupt":
            process.send_signal(signal.SIGINT)
        else:
            self._orch(["kill", ISSUE], TIMEOUT_S)

    def _resize(self, terminal: Terminal) -> None:
        if not self._server.wait_for_request(TIMEOUT_S):
            return
        arrived = time.monotonic()
        for resize in self._job.scenario.resizes:
            time.sleep(max(0.0, arrived + resize.seconds - time.monotonic()))
            terminal.resize(self._columns + resize.columns, self._rows + resize.rows)

    def _orch(self, arguments: list[str], timeout_s: float, started=lambda _process: None, **more) -> int | None:
        self._calls += 1
        out = self._folder / f"stdout-{self._calls:02d}-{arguments[0]}.txt"
        return self._bench.programs.run(
            [str(self._bench.orch), *arguments, "--state-dir", str(state_folder(self._folder))],
            self._folder / "home/project", self._env, out, self._folder / "stderr.txt", timeout_s + PATIENCE_S,
            started=started, **more,
        )


def _dialog_faults(scenario: WordsScenario, events: list[dict]) -> list[str]:
    """Where all is approved a dialog without an answer is none, but words that were taken for one."""
    unanswered = [e for e in events if e["event"] == "dialog" and e["answer"] is None]
    return [f"taken for a dialog: {e['options']}" for e in unanswered if "--approve" in scenario.more]


def _ending_faults(scenario: WordsScenario, code: int | None, result: dict | None) -> list[str]:
    reason = (result or {}).get("reason")
    right = (code, reason) == scenario.ending
    return [] if right else [f"exit {code} {reason}, not {scenario.ending[0]} {scenario.ending[1]}"]
