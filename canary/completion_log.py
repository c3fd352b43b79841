"""The log of script/completions, one JSON line a turn, and its tables."""

import json
from dataclasses import dataclass
from pathlib import Path

from completion_turns import AT_ONCE
from report import aligned

RIGHT, FALSE, MISSED = "right", "false", "missed"
COLUMNS = ("agent", "must not complete", "false", "must complete", "missed", "other endings")


@dataclass(frozen=True)
class TurnRecord:
    agent: str
    version: str
    size: str
    orch: str  # of the binary: the begin of its SHA-256
    time: str
    duration_s: float  # of the run
    turn: str
    completes: bool  # it must
    verdict: str  # right, false, missed, or how the run ended instead
    folder: str | None  # kept where it was not right

    @property
    def key(self) -> tuple[str, str, str]:
        return (self.agent, self.turn, self.size)


def read_log(log: Path) -> list[TurnRecord]:
    """The last record of each turn; a line that was cut off by a kill is none."""
    records = {}
    for line in log.read_text(encoding="utf-8").splitlines() if log.exists() else []:
        try:
            record = TurnRecord(**json.loads(line))
        except ValueError:
            continue
        records[record.key] = record
    return list(records.values())


def of_turns_at_once(records: list[TurnRecord], times: int | None) -> list[TurnRecord]:
    """The records of the first `times` turns of `--at-once`; None: those of all other turns."""
    def number(record: TurnRecord) -> int | None:
        return int(record.turn.removeprefix(AT_ONCE)) if record.turn.startswith(f"{AT_ONCE} ") else None

    if times is None:
        return [record for record in records if number(record) is None]
    return [record for record in records if (n := number(record)) is not None and n <= times]


def right_of_all(records: list[TurnRecord], times: int) -> str:
    """For each agent how many of its `times` runs ended as they had to; below, those that did not."""
    lines = []
    for agent in sorted({record.agent for record in records}):
        own = [record for record in records if record.agent == agent]
        lines.append(f"{agent}: {sum(record.verdict == RIGHT for record in own)} of {times}")
    return "\n".join(lines + _wrong(records))


def table(records: list[TurnRecord]) -> str:
    """A row for each agent; below, the turns that were not right."""
    rows = [list(COLUMNS)]
    for agent in sorted({r.agent for r in records}):
        own = [r for r in records if r.agent == agent]
        must = sum(r.completes for r in own)
        false, missed, right = (sum(r.verdict == verdict for r in own) for verdict in (FALSE, MISSED, RIGHT))
        rows.append([agent, *map(str, (len(own) - must, false, must, missed, len(own) - false - missed - right))])
    return "\n".join([aligned(rows), *_wrong(records)])


def _wrong(records: list[TurnRecord]) -> list[str]:
    return sorted(f"{r.agent} {r.size}: {r.turn}: {r.verdict}" for r in records if r.verdict != RIGHT)
