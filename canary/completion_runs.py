"""One run of script/completions: `orch run` until the keyword is said, with several turns that must not complete it and
one that must. Which turn completed it is known from the requests that the model got."""

import hashlib
import shutil
import time
from dataclasses import dataclass, replace

from agents import Place
from completion_log import FALSE, MISSED, RIGHT, TurnRecord
from completion_turns import NOTES, NOTES_TEXT, ROW_OF_NAME, TOOLS, Turn
from delivery_runs import Bench, Cli
from model_server import Fact, ModelServer
from runner import in_project
from script import Say, Step
from words_runs import PATIENCE_S
from workplace import environment, make_project, result_of, state_folder

ISSUE = "completions"
PROMPT = "Tell what you find in sum.py, please."
TURN_S = 30  # what a run may take for each turn, beside what its CLI may for a run
MARGIN = 16  # of the columns: a row of name leaves less, whatever a CLI draws beside its words


@dataclass(frozen=True)
class Job:
    """One run to be made: the last turn may be one that completes."""

    cli: Cli
    turns: tuple[Turn, ...]
    size: str

    @property
    def name(self) -> str:
        return f"{self.turns[0].name}-{self.size}".replace(" ", "-").replace(":", "").replace(",", "")


def make_run(bench: Bench, job: Job) -> list[TurnRecord]:
    """Of each turn that was played to its end. Its folder is gone afterwards if all was right."""
    folder = bench.runs / job.cli.name / job.name
    shutil.rmtree(folder, ignore_errors=True)
    project = make_project(folder)
    (project / NOTES).write_text(NOTES_TEXT, encoding="utf-8")
    agent = job.cli.agent
    turns = [_filled(turn, int(job.size.partition("x")[0])) for turn in job.turns]
    tools = {name: in_project(call(agent), project) for name, call in TOOLS.items()}
    server = ModelServer(tuple(a for turn in turns for a in turn.answers), tools, folder / "model.jsonl")
    place = Place(project.parent, project, server.port)
    agent.configure(place, "ready")
    started = time.monotonic()
    timeout_s = agent.timeout_s + TURN_S * len(turns)
    command = [
        str(bench.orch), "run", ISSUE, "--agent", agent.name, "--prompt", PROMPT, "--until", "complete",
        "--max-turns", str(len(turns)), "--approve", "all", "--size", job.size, "--timeout", f"{timeout_s}s",
        "--output", "json", "--state-dir", str(state_folder(folder)),
    ]
    try:
        code = bench.programs.run(
            command, project, environment(agent, place, bench.programs_of[job.cli.name]),
            folder / "stdout.jsonl", folder / "stderr.txt", timeout_s + PATIENCE_S,
        )
    finally:
        facts = server.close()
    (folder / "sent.txt").write_text("".join(map(_as_text, turns)), encoding="utf-8")
    reason = (result_of(folder) or {}).get("reason")
    verdicts = judge(turns, _asked(facts), code, reason)
    wrong = any(verdict != RIGHT for verdict in verdicts)
    common = {
        "agent": job.cli.name, "version": job.cli.version, "size": job.size,
        "orch": hashlib.sha256(bench.orch.read_bytes()).hexdigest()[:12],
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "duration_s": round(time.monotonic() - started, 1),
        "folder": str(folder) if wrong or bench.keep else None,
    }
    if not wrong and not bench.keep:
        shutil.rmtree(folder)
    return [TurnRecord(turn=turn.name, completes=turn.completes, verdict=verdict, **common)
            for turn, verdict in zip(job.turns, verdicts)]


def judge(turns: list[Turn], asked: int, code: int | None, reason: str | None) -> list[str]:
    """A verdict for each turn that was played: right, false (completed, but must not), missed (must complete, but did
    not), or how else the run ended in it. `asked`: how many requests the model got."""
    verdicts = []
    for turn in turns:
        asked -= len(turn.answers)
        if asked > 0 and turn is not turns[-1]:
            verdicts.append(MISSED if turn.completes else RIGHT)
            continue
        if (code, reason) == (0, "complete"):  # before all requests of the turn are there it is not over
            verdicts.append(RIGHT if turn.completes and asked >= 0 else FALSE)
        elif (code, reason) == (124, "turns"):
            verdicts.append(MISSED if turn.completes else RIGHT)
        else:
            verdicts.append(f"exit {code} {reason}")
        break
    return verdicts


def _asked(facts: list[Fact]) -> int:
    return sum(fact.kind == "arrived" for fact in facts)


def _filled(turn: Turn, columns: int) -> Turn:
    name = "/" + "".join(f"{n * 37 % 101:02d}" for n in range(columns))[: columns - MARGIN - 1]  # no repetition

    def step(given: Step) -> Step:
        return replace(given, text=given.text.replace(ROW_OF_NAME, name)) if isinstance(given, Say) else given

    return replace(turn, answers=tuple(tuple(map(step, answer)) for answer in turn.answers))


def _as_text(turn: Turn) -> str:
    """For who reads the folder: what was sent."""
    steps = [s.text if isinstance(s, Say) else f"[{s}]" for answer in turn.answers for s in answer]
    must = "must" if turn.completes else "must not"
    return f"=== {turn.name} ({must} complete)\n" + "\n".join(steps) + "\n\n"
