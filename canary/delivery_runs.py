"""One run of the delivery campaign: a cold start with a prompt given at once or with an issue's file, or a session
that gets messages one after another from other processes."""

import hashlib
import json
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from agents import Agent, Place
from delivery_log import MessageRecord, RunRecord
from install import manifest_of
from load import runnable
from messages import (
    COLD_KINDS, ISSUE_KINDS, OPENINGS, REFERENCED_FILE, Message, begins_command, make_picture, message, session_kinds,
)
from model_server import Fact, ModelServer
from received import REFUSED, Sent, Verdict, judge
from scenarios import SIZES
from script import Answer, Pause, Say
from workplace import Programs, environment, events_of, make_project, result_of, state_folder

ISSUE = "deliveries"
# On a busy machine a CLI may take a minute to start; orch's own patience ends before.
COLD_TIMEOUT_S = 240
SEND_TIMEOUT_S = 120
SESSION_TIMEOUT_S = 1800
PATIENCE_S = 30  # what orch gets beyond its own time
# At every other one the agent works for a moment, and what is sent then has to wait.
ANSWERS: tuple[Answer, ...] = tuple((Pause((n + 1) % 2), Say(f"ok {n}")) for n in range(1, 100))
# `orch send`, by its exit codes.
SEND_RESULTS = {0: "accepted", 2: REFUSED, 3: "unconfirmed", 4: "exited", 10: "blocked", 124: "timeout"}


@dataclass(frozen=True)
class Cli:
    """One version of an agent's CLI."""

    agent: Agent
    version: str

    @property
    def name(self) -> str:
        """The version that the manifest names as tested is the agent itself."""
        tested = manifest_of(self.agent)["tested"]
        return self.agent.name if self.version == tested else f"{self.agent.name}@{self.version}"


@dataclass(frozen=True)
class Job:
    """One run to be made."""

    campaign: str  # cold, session, issues or openings
    cli: Cli
    index: int
    busy: bool

    @property
    def agent(self) -> Agent:
        return self.cli.agent

    @property
    def key(self) -> tuple[str, str, int]:
        return (self.campaign, self.cli.name, self.index)

    @property
    def name(self) -> str:
        return f"{self.campaign}.{self.cli.name}.{self.index:04d}"

    @property
    def series(self) -> str:
        """What the tags of its messages begin with."""
        return f"{self.campaign}.{self.agent.name}.{self.index:04d}"

    @property
    def kind(self) -> str:
        kinds = {"cold": COLD_KINDS, "issues": ISSUE_KINDS}.get(self.campaign)
        return kinds[self.index % len(kinds)] if kinds else self.campaign


def is_busy(index: int) -> bool:
    """Every third run; and of each kind every third."""
    return (index % len(COLD_KINDS) + index // len(COLD_KINDS)) % 3 == 2


@dataclass(frozen=True)
class Bench:
    """What the runs share."""

    orch: Path
    programs_of: dict[str, Path]  # by a CLI's name: the folder that holds its program
    runs: Path
    keep: bool  # the folders of right runs, too
    programs: Programs = field(default_factory=Programs)


def make_run(bench: Bench, job: Job) -> RunRecord:
    """Its folder is gone afterwards if all was right."""
    digest = hashlib.sha256(bench.orch.read_bytes()).hexdigest()[:12]
    folder = bench.runs / job.name
    shutil.rmtree(folder, ignore_errors=True)
    project = make_project(folder)
    (project / "src").mkdir()
    (project / "src/mean.py").write_text(REFERENCED_FILE)
    server = ModelServer(ANSWERS, job.agent.tools, folder / "model.jsonl")
    place = Place(project.parent, project, server.port)
    job.agent.configure(place, "ready")
    make_picture()
    env = environment(job.agent, place, bench.programs_of[job.cli.name])
    hand = _Hand(bench, job, folder, env | job.agent.renderers[job.index % len(job.agent.renderers)])
    started = time.monotonic()
    try:
        faults = hand.cold() if job.campaign in ("cold", "issues") else hand.session()
    finally:
        facts = server.close()
    verdict = judge(job.agent.name, hand.sent, _users_words(facts))
    faults += verdict.faults
    faults += [f"{s.message.tag} {s.message.kind}: {o}, {s.result}" for s, o in zip(hand.sent, verdict.outcomes)
               if o not in ("right", "refused")]
    record = RunRecord(
        campaign=job.campaign, agent=job.cli.name, version=job.cli.version, orch=digest,
        index=job.index, busy=job.busy, time=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        load=runnable(), duration_s=round(time.monotonic() - started, 1), faults=faults,
        folder=str(folder) if faults else None, messages=_records(hand, verdict, events_of(folder)),
    )
    if not faults and not bench.keep:
        shutil.rmtree(folder)
    return record


class _Hand:
    """Types the commands of one run. `sent` grows as messages are given to orch; `ids` are what orch calls
    them."""

    def __init__(self, bench: Bench, job: Job, folder: Path, env: dict[str, str]):
        self.sent: list[Sent] = []
        self.ids: dict[str, str] = {}  # by tag
        self._bench = bench
        self._job = job
        self._folder = folder
        self._env = env
        self._commands = set(manifest_of(job.agent)["input"]["command_start"])
        self._calls = 0
        self._lock = threading.Lock()

    def cold(self) -> list[str]:
        first = message(self._job.kind, self._job.series, 1, 0)
        code = self._run(first, "idle", COLD_TIMEOUT_S, ["--output", "json"])
        self._note_first(first)
        if code == 2 and self.sent[0].to_refuse:  # that is how a run says so
            self.sent[0] = replace(self.sent[0], result=REFUSED)
            return []
        result = result_of(self._folder) or {}
        return [] if code == 0 else [f"exit {code} {result.get('reason')} {result.get('detail') or ''}".rstrip()]

    def session(self) -> list[str]:
        openings = [[kind] for kind in OPENINGS]
        groups = [["short"], *openings] if self._job.campaign == "openings" else session_kinds(self._job.index)
        first = message(groups[0][0], self._job.series, 1, 0)
        code = self._run(first, "exit", SESSION_TIMEOUT_S, ["--detach"])
        faults = [] if code == 0 else [f"run -d: exit {code}"]
        try:
            number = 1
            for group, kinds in enumerate(groups[1:], 1):
                burst = [message(kind, self._job.series, number + n, group) for n, kind in enumerate(kinds, 1)]
                number += len(kinds)
                with ThreadPoolExecutor(len(burst)) as pool:
                    self.sent += pool.map(self._send, burst)
        finally:
            killed, _ = self._orch(["kill", ISSUE], PATIENCE_S, after_stop=True)
        self._note_first(first)
        return faults if killed == 0 else [*faults, f"kill: exit {killed}"]

    def _run(self, first: Message, until: str, timeout_s: int, more: list[str]) -> int | None:
        if self._job.campaign == "issues":
            file = self._folder / f"home/project/.orch/issues/{ISSUE}.md"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(first.text.encode())
            prompt = []
        elif len(first.text) < 1000 and self._job.index % 2 == 0:
            prompt = ["--prompt", first.text]
        else:
            file = self._folder / "prompt.txt"
            file.write_bytes(first.text.encode())
            prompt = ["--prompt-file", str(file)]
        size = SIZES[self._job.index // 2 % len(SIZES)]
        arguments = ["--agent", self._job.agent.name, "--until", until, "--size", size, "--timeout", f"{timeout_s}s"]
        return self._orch(["run", ISSUE, *arguments, *prompt, *more], timeout_s + PATIENCE_S)[0]

    def _note_first(self, first: Message) -> None:
        """The run's own message has the first of the records; its end is told there only."""
        phases = [e for e in events_of(self._folder) if e["event"] == "message"]
        if phases:
            self.ids[first.tag] = phases[0]["id"]
        last = next((e["phase"] for e in reversed(phases) if e["id"] == phases[0]["id"]), "not sent")
        self.sent.insert(0, Sent(first, last, begins_command(first.text, self._commands), may_be_led=True))

    def _send(self, given: Message) -> Sent:
        to_refuse = begins_command(given.text, self._commands)
        arguments = ["send", ISSUE, "-", "--wait", "idle", "--timeout", f"{SEND_TIMEOUT_S}s", "--json"]
        code, out = self._orch(arguments, SEND_TIMEOUT_S + PATIENCE_S, given.text)
        try:
            told = json.loads(out)
        except ValueError:
            return Sent(given, f"exit {code} without a result", to_refuse)
        result = told["result"] if told["result"] == SEND_RESULTS.get(code) else f"{told['result']} with exit {code}"
        if told.get("message"):
            self.ids[given.tag] = told["message"]
        return Sent(given, result, to_refuse)

    def _orch(
        self, arguments: list[str], timeout_s: float, given: str = "", after_stop: bool = False
    ) -> tuple[int | None, str]:
        with self._lock:
            self._calls += 1
            out = self._folder / f"stdout-{self._calls:02d}-{arguments[0]}.txt"
        code = self._bench.programs.run(
            [str(self._bench.orch), *arguments, "--state-dir", str(state_folder(self._folder))],
            self._folder / "home/project", self._env, out, self._folder / "stderr.txt", timeout_s, given, after_stop,
        )
        return code, out.read_text(encoding="utf-8", errors="replace")


def _users_words(facts: list[Fact]) -> list[str]:
    """The conversation as the last request has it."""
    requests = [fact for fact in facts if fact.kind == "arrived"]
    return list(requests[-1].texts) if requests else []


def _records(hand: _Hand, verdict: Verdict, events: list[dict]) -> list[MessageRecord]:
    phases = {(e["id"], e["phase"]): e for e in events if e["event"] == "message"}
    records = []
    for sent, outcome in zip(hand.sent, verdict.outcomes, strict=True):
        name = hand.ids.get(sent.message.tag)
        queued, accepted = phases.get((name, "queued")), phases.get((name, "accepted"))
        records.append(MessageRecord(
            kind=sent.message.kind, result=sent.result, outcome=outcome,
            enters=accepted.get("enters") if accepted else None,
            accepted_ms=accepted["ms"] - queued["ms"] if queued and accepted else None,
        ))
    return records
