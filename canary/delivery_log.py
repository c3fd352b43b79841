"""The log of the delivery campaign: one JSON line a run. Several invocations add to it."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO


@dataclass(frozen=True)
class MessageRecord:
    kind: str
    result: str  # what orch told
    outcome: str  # what was so: see received.Verdict
    enters: int | None  # how often Enter was typed; None where orch does not tell
    accepted_ms: int | None  # from queued to accepted


@dataclass(frozen=True)
class RunRecord:
    campaign: str
    agent: str
    version: str
    orch: str  # of the binary: the begin of its SHA-256
    index: int
    busy: bool
    time: str
    load: int  # programs that ran or could, at its end
    duration_s: float
    faults: list[str]  # empty: all was right
    folder: str | None  # kept where it was not
    messages: list[MessageRecord]

    @property
    def key(self) -> tuple[str, str, int]:
        return (self.campaign, self.agent, self.index)


def read_log(log: Path) -> list[RunRecord]:
    """The last record of each run; a line that was cut off by a kill is none."""
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    records = {}
    for line in lines:
        try:
            fields = json.loads(line)
        except ValueError:
            continue
        messages = [MessageRecord(**m) for m in fields.pop("messages")]
        record = RunRecord(**fields, messages=messages)
        records[record.key] = record
    return list(records.values())


def append(log: Path, record: RunRecord) -> None:
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab+") as out:
        if out.tell() and not _ends_a_line(out):
            out.write(b"\n")
        out.write(json.dumps(asdict(record), ensure_ascii=False).encode() + b"\n")


def _ends_a_line(file: BinaryIO) -> bool:
    file.seek(-1, os.SEEK_END)
    return file.read(1) == b"\n"
