"""What a round left in its records, its output and on the machine. Reads, judges nothing."""

import json
import re
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

VERDICT = re.compile(r"^orch: orch-(\w+): (\w+) \(exit (\d+)\)", re.MULTILINE)
LATE = re.compile(r"^(\S+) (\d+) \S+ loop: late: one turn took (\d+) ms", re.MULTILINE)
ENDS = re.compile(r"^\S+ (\d+) info session: \w+ \(exit \d+\)", re.MULTILINE)
LOST = re.compile(r"^.* loop: lost:.*$", re.MULTILINE)
ENDED = frozenset({"completed", "failed", "cancelled"})


@dataclass
class Run:
    """One run's records. None: there is no such file; `troubles`: what is not as a record must be."""

    folder: str
    issue: str
    result: tuple[str, int] | None = None  # reason and code, as everywhere below
    record: tuple[str, int] | None = None
    status: str = ""
    started: float = 0  # seconds since 1970
    exits: list[tuple[str, int]] = field(default_factory=list)
    worktree: dict | None = None
    troubles: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)  # between all that tells of it: surfaces.py


@dataclass
class Seen:
    """`code`: of the batch, or of what waited for it in the background; None: it had to be killed. `told`: the last
    lines, by issue. `summary`: by issue; None: there is none. `left`: by kind. `killed`: issues of whose processes
    one got SIGKILL by us."""

    code: int | None = None
    summary_code: int | None = None
    runs: list[Run] = field(default_factory=list)
    told: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    summary: dict[str, tuple[str, int]] | None = None
    left: dict[str, list[str]] = field(default_factory=dict)
    killed: set[str] = field(default_factory=set)
    late_ms: list[int] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    hwm_kb: int = 0
    descriptors: int = 0
    listed: set[str] = field(default_factory=set)  # issues that `orch sessions` knew before orch kill --all
    queue_emptied: float | None = None  # when that had returned
    zombies: int = 0  # of a host, for a second or longer
    took_s: float = 0


def run_in(folder: Path) -> Run:
    run = Run(folder.name, folder.name.split("-", 1)[1].rpartition("-")[0])
    result, record = _json(folder / "result.json", run), _json(folder / "run.json", run)
    if result:
        run.result = (result["reason"], result["code"])
        run.worktree = result.get("worktree")
    if record:
        run.status = record["status"]
        run.started = datetime.fromisoformat(record["started"]).timestamp()
        verdict = record.get("verdict")
        run.record = (verdict["reason"], verdict["code"]) if verdict else None
    run.exits = _exits(folder / "events.jsonl", run)
    run.troubles += [f"{path.name} was left" for path in folder.iterdir() if re.search(r"\.json\.\w{6}$|\.fifo$", path.name)]
    return run


def _json(path: Path, run: Run) -> dict | None:
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError:
        run.troubles.append(f"{path.name} is cut")
        return None


def _exits(path: Path, run: Run) -> list[tuple[str, int]]:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return []
    if text and not text.endswith("\n"):
        run.troubles.append("events.jsonl ends within a line")
    exits, last = [], ""
    for line in text.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            run.troubles.append("a line of events.jsonl is cut")
            continue
        last = event.get("event", "")
        if last == "exit":
            exits.append((event["reason"], event["code"]))
    if exits and last != "exit":
        run.troubles.append(f"events.jsonl goes on behind the exit: {last}")
    return exits


def verdicts_told(text: str) -> dict[str, list[tuple[str, int]]]:
    told: dict[str, list[tuple[str, int]]] = {}
    for issue, reason, code in VERDICT.findall(text):
        told.setdefault(issue, []).append((reason, int(code)))
    return told


def summary_in(path: Path) -> tuple[int, dict[str, tuple[str, int]]] | None:
    try:
        summary = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return summary["code"], {one["issue"]: (one["reason"], one["code"]) for one in summary["issues"]}


def late_turns(log: str) -> list[int]:
    """Those in which a session could have been kept waiting: when its last has ended a host writes summaries and
    reports."""
    last = {end[1]: end.start() for end in ENDS.finditer(log)}
    return [int(late[3]) for late in LATE.finditer(log) if late.start() < last.get(late[2], len(log))]


def lost_wake_ups(log: str) -> list[str]:
    return LOST.findall(log)
