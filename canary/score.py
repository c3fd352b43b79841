"""How well the statuses that orch told agree with the truth; one run, and the table of all."""

from dataclasses import dataclass, field

from truth import AT_REST, BUSY, Span

# What a run may show and still be right. The bars are those of the recordings' scores: no false idle of
# a second or more, at most half a second of false waiting; and so for all that is wrong.
MAX_FALSE_IDLE_S = 1.0
MAX_FALSE_WAITING_S = 0.5
MAX_WRONG_S = 0.5


@dataclass(frozen=True)
class Status:
    """One status record of events.jsonl; it holds until the next."""

    time: float
    status: str
    cause: str | None


@dataclass
class Score:
    """Seconds and counts of one run."""

    scored_s: float = 0
    right_s: float = 0
    false_idle_s: float = 0
    drops: int = 0  # changes to rest while the agent is at work or waits
    dialogs: int = 0
    missed_dialogs: int = 0
    false_waiting_s: float = 0
    errors: int = 0
    errors_seen: int = 0
    causes_wrong: int = 0
    latencies_s: list[float] = field(default_factory=list)

    def right(self) -> float:
        return self.right_s / self.scored_s if self.scored_s else 0.0

    def faults(self, slowness: float = 1.0) -> list[str]:
        """What is more than a run may show, on a machine that is so many times as slow as an idle one."""
        found = []
        wrong_s = self.scored_s - self.right_s
        if wrong_s > MAX_WRONG_S * slowness:
            found.append(f"wrong for {wrong_s:.1f} s")
        if self.false_idle_s >= MAX_FALSE_IDLE_S * slowness:
            found.append(f"false idle {self.false_idle_s:.1f} s")
        if self.drops:
            found.append(f"{self.drops} drops")
        if self.missed_dialogs:
            found.append("dialog missed")
        if self.false_waiting_s > MAX_FALSE_WAITING_S * slowness:
            found.append(f"false waiting {self.false_waiting_s:.1f} s")
        if self.errors_seen < self.errors:
            found.append("error not recognised")
        if self.causes_wrong:
            found.append("wrong cause")
        return found


def score_run(spans: list[Span], told: list[Status]) -> Score:
    score = Score()
    before: frozenset[str] = frozenset({"starting"})
    for span in spans:
        certain = _certain_from(told, span)
        _score_piece(score, told, span.begin, certain, before | span.allowed)
        _score_piece(score, told, certain, span.end, span.allowed)
        _score_arrival(score, told, span)
        before = span.allowed if certain < span.end else before | span.allowed
    return score


def _certain_from(told: list[Status], span: Span) -> float:
    """The end of the time in which the status from before is right, too: once the new one was told there
    is no way back."""
    until = min(span.begin + span.grace, span.end)
    holding = [s for s in told if s.time <= span.begin][-1:]
    if holding and holding[0].status in span.allowed:
        return span.begin
    return next((s.time for s in told if span.begin < s.time < until and s.status in span.allowed), until)


def _score_piece(score: Score, told: list[Status], begin: float, end: float, allowed: frozenset[str]) -> None:
    falsely_at_rest = AT_REST - allowed if allowed & BUSY else frozenset()
    for status, since, until in _pieces(told, begin, end):
        length = until - since
        score.scored_s += length
        if status in allowed:
            score.right_s += length
        elif status == "waiting":
            score.false_waiting_s += length
        elif status in falsely_at_rest:
            score.false_idle_s += length
    score.drops += sum(begin <= s.time < end and s.status in falsely_at_rest for s in told)


def _score_arrival(score: Score, told: list[Status], span: Span) -> None:
    due = span.must_show
    if due is None:
        return
    shown = _shown(told, span, due)
    if shown and span.status is not None:
        score.latencies_s.append(max(0.0, shown[0].time - span.begin))
    if due == "waiting":
        score.dialogs += 1
        score.missed_dialogs += not shown
    if due == "error":
        score.errors += 1
        score.errors_seen += bool(shown)
    if shown and span.cause is not None:
        score.causes_wrong += shown[-1].cause != span.cause


def _shown(told: list[Status], span: Span, status: str) -> list[Status]:
    """The records that tell the status in the span: one that holds at its begin, and later ones."""
    holding = [s for s in told if s.time <= span.begin][-1:]
    later = [s for s in told if span.begin < s.time < span.end]
    return [s for s in holding + later if s.status == status]


def _pieces(told: list[Status], begin: float, end: float) -> list[tuple[str, float, float]]:
    """The statuses told between two moments: (status, from, to)."""
    if begin >= end:
        return []
    holding = [s.status for s in told if s.time <= begin][-1:] or ["starting"]
    changes = [(begin, holding[0])] + [(s.time, s.status) for s in told if begin < s.time < end]
    untils = [time for time, _ in changes[1:]] + [end]
    return [(status, since, until) for (since, status), until in zip(changes, untils, strict=True)]


def percentile(values: list[float], share: float) -> float:
    """Nearest rank; 0 of nothing."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0
