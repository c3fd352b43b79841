"""Figures over all rounds, and the table at the end. Pure."""

from collections import Counter
from dataclasses import asdict, dataclass, field

from judge import MAY_BE_LATE, Fault
from plan import Round
from seen import Seen

COLUMNS = ("hung", "left", "lost", "late", "memory")


@dataclass
class Row:
    """Of one kind of disturbance, or of all."""

    rounds: int = 0
    wrong_rounds: int = 0
    right: int = 0  # issues
    wrong: int = 0  # issues, and batches whose own code is wrong
    faults: Counter = field(default_factory=Counter)
    left: Counter = field(default_factory=Counter)  # by kind
    hwm_kb: int = 0
    descriptors: int = 0
    longest_turn_ms: int = 0
    excused_turn_ms: int = 0  # where the round holds the machine up itself
    late: int = 0
    seconds: float = 0

    def add(self, a_round: Round, seen: Seen, faults: list[Fault]) -> None:
        self.rounds += 1
        self.wrong_rounds += bool(faults)
        wrong = {fault.issue for fault in faults if fault.kind == "verdict"}
        self.wrong += len(wrong)
        self.right += len({run.issue for run in seen.runs} - wrong)
        self.faults.update(fault.kind for fault in faults)
        self.left.update({kind: len(what) for kind, what in seen.left.items()})
        self.hwm_kb, self.descriptors = max(self.hwm_kb, seen.hwm_kb), max(self.descriptors, seen.descriptors)
        longest = max(seen.late_ms, default=0)
        if a_round.disturbance in MAY_BE_LATE:
            self.excused_turn_ms = max(self.excused_turn_ms, longest)
        else:
            self.longest_turn_ms = max(self.longest_turn_ms, longest)
            self.late += len(seen.late_ms)
        self.seconds += seen.took_s


class Totals:
    def __init__(self):
        self.all = Row()
        self.by_disturbance: dict[str, Row] = {}

    def add(self, a_round: Round, seen: Seen, faults: list[Fault]) -> None:
        self.all.add(a_round, seen, faults)
        self.by_disturbance.setdefault(a_round.disturbance, Row()).add(a_round, seen, faults)

    def table(self) -> str:
        rows = [["", "rounds", "verdicts right", "wrong", "hung", "left", "wake-ups lost", "too late", "too large",
                 "memory MB", "descriptors", "longest turn ms"]]
        for name, row in [*sorted(self.by_disturbance.items()), ("all", self.all)]:
            rows.append([name, str(row.rounds), str(row.right), str(row.wrong), *(str(row.faults[column]) for column in COLUMNS),
                         f"{row.hwm_kb / 1000:.0f}", str(row.descriptors),
                         str(row.longest_turn_ms) + (f" ({row.excused_turn_ms})" if row.excused_turn_ms else "")])
        widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
        lines = ["  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))])
                 for row in rows]
        left = ", ".join(f"{count} {kind}" for kind, count in self.all.left.items())
        return "\n".join([*lines, *([f"left: {left}"] if left else [])])

    def as_json(self) -> dict:
        return {"all": asdict(self.all), "by_disturbance": {name: asdict(row) for name, row in self.by_disturbance.items()}}
