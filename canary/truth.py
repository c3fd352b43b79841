"""What the agent was doing, from facts alone: what the model was asked and answered, and when orch typed.
The picture on the screen is never asked."""

from collections.abc import Sequence
from dataclasses import dataclass

from agents import Agent
from model_server import Fact
from scenarios import Scenario

AT_REST = frozenset({"idle", "error", "exited"})
BUSY = frozenset({"working", "waiting"})


@dataclass(frozen=True)
class Span:
    """From `begin` to `end` (seconds since 1970) one of `allowed` is true. For the first `grace` seconds
    what was true before is accepted too: a screen lags behind the fact."""

    begin: float
    end: float
    allowed: frozenset[str]
    grace: float
    cause: str | None = None  # where it is known
    lifted: bool = False  # the call check allowed the call: its dialog may be left out

    @property
    def status(self) -> str | None:
        """The one status that is true; None where several may be."""
        return next(iter(self.allowed)) if len(self.allowed) == 1 else None

    @property
    def must_show(self) -> str | None:
        """The status that has to be told before the span ends. A dialog at the start has no moment of
        its own, but it has to come."""
        if self.lifted:
            return None
        return "waiting" if "waiting" in self.allowed else self.status


@dataclass(frozen=True)
class _Moment:
    time: float
    allowed: frozenset[str]
    grace: float
    cause: str | None = None
    lifted: bool = False


def spans_of(
    agent: Agent, scenario: Scenario, facts: list[Fact], typed: list[float], started: float, ended: float,
    slowness: float = 1.0, allowed_calls: Sequence[float] = (),
) -> list[Span]:
    """`typed` are the moments at which orch began to type a message, `allowed_calls` those at which the call check allowed
    a call. After a fact "escaped" the turn is over. On a busy
    machine everything is drawn, and told, `slowness` times as late."""
    # A dialog that orch answers is gone before a fact tells so.
    waiting = frozenset({"waiting"} if scenario.approve == "none" and not scenario.policy else {"waiting", "working"})
    if scenario.starts_with_dialog and not scenario.types_nothing:
        moments = [_Moment(started, frozenset({"starting", "idle", "waiting"}), 0)]
    elif scenario.starts_with_dialog:
        typed = []  # nothing may be, and it would change nothing
        before = {"starting", "idle"} if agent.prompt_first or scenario.prompt_first else {"starting"}
        moments = [_Moment(started, frozenset(before | {"waiting"}), 0, scenario.ending_for(agent.name).cause)]
    else:
        moments = [_Moment(started, frozenset({"starting", "idle"}), 0)]
    # From the first key on the agent may be at work, though the request is yet to leave.
    moments += [_Moment(time, frozenset({"idle", "working"}), agent.working_s) for time in typed]
    for fact in facts:
        if fact.kind == "step" and fact.needs:
            lifted = any(fact.time <= time for time in allowed_calls)
            moments.append(_Moment(fact.time, waiting, agent.dialog_s, None if lifted else fact.needs, lifted))
        elif fact.kind == "answered" and _needs(facts, fact.request):
            continue  # the dialog is up
        elif (after := _after(agent, scenario, fact)) is not None:
            moments.append(after)
    moments = sorted((m for m in moments if m.time < ended), key=lambda m: m.time)
    ends = [m.time for m in moments[1:]] + [ended]
    return [Span(m.time, end, m.allowed, m.grace * slowness, m.cause, m.lifted)
            for m, end in zip(moments, ends, strict=True)]


def _after(agent: Agent, scenario: Scenario, fact: Fact) -> _Moment | None:
    if fact.kind == "escaped":
        return _Moment(fact.time, frozenset({"idle"}), agent.working_s)
    working = _Moment(fact.time, frozenset({"working"}), agent.working_s)
    if fact.kind == "arrived":
        return working
    if fact.kind == "answered":
        idle = _Moment(fact.time, frozenset({"idle"}), agent.working_s + scenario.drawing_s)
        return working if fact.calls else idle
    if fact.kind in ("failed", "hung_up"):
        ending = scenario.ending_for(agent.name)
        if fact.request + 1 < ending.requests:
            return working  # the agent tries again
        return _Moment(fact.time, frozenset({"error"}), agent.working_s, ending.cause)
    return None


def _needs(facts: list[Fact], request: int) -> bool:
    return any(fact.request == request and fact.needs for fact in facts)


def markers(spans: list[Span], started: float) -> list[tuple[float, str]]:
    """The truth as markers of a recording, in seconds from its start; "unsure" is not scored."""
    marks = []
    for span in spans:
        status = span.status
        certain = span.begin + span.grace
        if status is None or span.grace:
            marks.append((span.begin - started, "state=unsure"))
        if status is not None and certain < span.end:
            cause = f"/{span.cause}" if span.cause else ""
            marks.append((certain - started, f"state={status}{cause}"))
    return marks
