"""The tables of the delivery campaign, from its log. Pure."""

from delivery_log import MessageRecord, RunRecord
from report import aligned
from score import percentile

COLUMNS = (
    "agent", "campaign", "kind", "load", "runs", "sent", "accepted", "right", "lost", "doubled", "merged", "altered",
    "refused rightly", "Enter repeated", "p50 ms", "p95 ms",
)
ALL = "all"


def table(records: list[RunRecord]) -> str:
    """A row for each kind with and without load, and the sums of each campaign."""
    rows = [list(COLUMNS)]
    for group in sorted({(r.agent, r.campaign) for r in records}):
        own = [r for r in records if (r.agent, r.campaign) == group]
        kinds = list(dict.fromkeys(m.kind for r in own for m in r.messages))
        for kind in [*kinds, ALL]:
            for busy in (False, True):
                rows.append(_row(group, kind, busy, [r for r in own if r.busy == busy]))
    return aligned([row for row in rows if row])


def summary(records: list[RunRecord]) -> str:
    wrong = sum(bool(r.faults) for r in records)
    binaries = len({r.orch for r in records})
    versions = ", ".join(sorted({f"{r.agent} {r.version}" for r in records}))
    loads = [r.load for r in records if r.busy]
    load = f"; load of the busy ones at least {min(loads)}" if loads else ""
    return f"{len(records)} runs, {wrong} of them wrong{load}; binaries of orch: {binaries}; {versions}"


def _row(group: tuple[str, str], kind: str, busy: bool, records: list[RunRecord]) -> list[str]:
    runs = [r for r in records if kind == ALL or any(m.kind == kind for m in r.messages)]
    messages = [m for r in runs for m in r.messages if kind in (ALL, m.kind)]
    if not messages:
        return []
    times = [m.accepted_ms for m in messages if m.accepted_ms is not None]
    cells = (
        *group, kind, "busy" if busy else "calm", len(runs), len(messages),
        sum(m.result == "accepted" for m in messages),
        *(_count(messages, outcome) for outcome in ("right", "lost", "doubled", "merged", "altered", "refused")),
        _repeated(messages), *((round(percentile(times, p)) for p in (0.50, 0.95)) if times else "--"),
    )
    return [str(cell) for cell in cells]


def _count(messages: list[MessageRecord], outcome: str) -> int:
    return sum(m.outcome == outcome for m in messages)


def _repeated(messages: list[MessageRecord]) -> str:
    """How many messages took more than one Enter; where orch does not tell, nothing."""
    known = [m.enters for m in messages if m.enters is not None]
    return str(sum(enters > 1 for enters in known)) if known else "-"
