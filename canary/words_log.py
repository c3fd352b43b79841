"""The log of script/words, one JSON line a run, and its tables."""

import json
from dataclasses import dataclass, field
from pathlib import Path

from report import aligned
from score import percentile

COLUMNS = (
    "agent", "scenario", "runs", "wrong", "words", "recall %", "repeats", "partial", "chrome", "strange words",
    "taken back", "first words p50 ms", "max",
)
ALL = "all"
LEAST_TOLD, MOST_WRONG = 0.995, 0.01  # what docs promise of an agent's words, of all its runs together


@dataclass(frozen=True)
class WordsRecord:
    """`words` and what follows: see told.Comparison."""

    agent: str
    version: str
    scenario: str
    size: str
    orch: str  # of the binary: the begin of its SHA-256
    time: str
    duration_s: float
    words: int
    told: int
    repeats: int
    partial: int
    chrome: int
    strange: int
    first_ms: list[int]  # of each text
    faults: list[str]  # empty: all was right
    folder: str | None  # kept where it was not
    taken_back: int = 0
    of_run: list[str] = field(default_factory=list)  # those of `faults` that no share of the words excuses

    @property
    def key(self) -> tuple[str, str, str]:
        return (self.agent, self.scenario, self.size)


def read_log(log: Path) -> list[WordsRecord]:
    """The last record of each run; a line that was cut off by a kill is none."""
    records = {}
    for line in log.read_text(encoding="utf-8").splitlines() if log.exists() else []:
        try:
            record = WordsRecord(**json.loads(line))
        except ValueError:
            continue
        records[record.key] = record
    return list(records.values())


def is_right(records: list[WordsRecord]) -> bool:
    """No run went wrong, and each agent's words were told as well as promised."""
    def holds(own: list[WordsRecord]) -> bool:
        words = max(1, sum(r.words for r in own))
        wrong = sum(r.repeats + r.partial + r.chrome + r.strange for r in own)
        return sum(r.told for r in own) >= LEAST_TOLD * words and wrong <= MOST_WRONG * words

    agents = {r.agent for r in records}
    return not any(r.of_run for r in records) and all(holds([r for r in records if r.agent == agent]) for agent in agents)


def table(records: list[WordsRecord]) -> str:
    """A row for each scenario, and the sums of each agent."""
    lines = [list(COLUMNS)]
    for agent in sorted({r.agent for r in records}):
        own = [r for r in records if r.agent == agent]
        for scenario in [*dict.fromkeys(r.scenario for r in own), ALL]:
            lines.append(_row(agent, scenario, [r for r in own if scenario in (ALL, r.scenario)]))
    return aligned(lines)


def _row(agent: str, scenario: str, records: list[WordsRecord]) -> list[str]:
    words = sum(r.words for r in records)
    times = [ms for r in records for ms in r.first_ms]
    cells = (
        agent, scenario, len(records), sum(bool(r.faults) for r in records), words,
        f"{100 * sum(r.told for r in records) / words:.2f}" if words else "-",
        *(sum(getattr(r, name) for r in records) for name in ("repeats", "partial", "chrome", "strange", "taken_back")),
        *((round(percentile(times, 0.50)), max(times)) if times else ("-", "-")),
    )
    return [str(cell) for cell in cells]
