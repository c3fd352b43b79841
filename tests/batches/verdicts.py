"""Which endings of a run are right: of one that nothing disturbed exactly one. Pure."""

from kinds import CONVERSES, ENDS_AGENT, GOOD
from plan import Issue, Round

# An agent or a gate that is killed shows itself in one of these, or was too late to.
OF_A_KILLED_ONE = frozenset({"agent_signal", "agent_failed", "agent_error", "exited_early", "gate_failed", *GOOD})
BY_DISTURBANCE = {
    "host killed": frozenset({"internal"}),
    "stopped": frozenset({"interrupted", "terminated"}),
    "kill --all": frozenset({"killed"}),
    "disk full": frozenset({"internal"}),
    "frozen": frozenset({"internal"}),  # nothing is started in a group that stands still
}
MAY_NOT_START = frozenset({"host killed", "stopped", "kill --all", "disk full"})

# The codes of the reasons that have one of their own (src/types/event/exit_reason.cc).
CODES = {
    "complete": 0, "idle": 0, "exit": 0, "agent_failed": 1, "exited_early": 1, "agent_error": 1, "usage": 2,
    "needs_human": 10, "gate_failed": 20, "no_changes": 21, "retry_later": 75, "timeout": 124, "turns": 124,
    "tokens": 124, "cost": 124, "stuck": 124, "internal": 125, "not_executable": 126, "not_found": 127,
    "interrupted": 130, "terminated": 143, "killed": 137,
}


def undisturbed(a_round: Round, issue: Issue) -> str:
    """How the run ends if nobody disturbs it."""
    if issue.behaviour.ends not in GOOD:
        return issue.behaviour.ends
    fix_turns = a_round.fix_turns if a_round.family in CONVERSES else 0
    runs = [0] * len(issue.gates)
    while True:
        for place, gate in enumerate(issue.gates):
            fails = not gate.passes[min(runs[place], 1)]
            runs[place] += 1
            if gate.name == ENDS_AGENT:  # whom nobody can tell of a gate any more
                fix_turns = 0
            if fails:
                break
        else:
            return issue.behaviour.ends
        if fix_turns == 0:
            return "gate_failed"
        fix_turns -= 1


def right(a_round: Round, issue: Issue, killed: bool) -> frozenset[str]:
    """`killed`: one of its processes got SIGKILL by us."""
    if a_round.budget:  # who comes first is chance; what counts is that all tell the same
        return frozenset({*CODES, "agent_signal"})
    reasons = frozenset({undisturbed(a_round, issue)})
    if a_round.fenced and "agent_signal" in reasons:
        reasons |= {"agent_failed"}  # bubblewrap tells the signal as a code
    reasons |= BY_DISTURBANCE.get(a_round.disturbance, frozenset())
    return reasons | OF_A_KILLED_ONE if killed else reasons


def may_not_start(a_round: Round) -> bool:
    """Whether issues may remain that never started. At a rate limit those that wait do not begin: all have one
    account."""
    limited = any(undisturbed(a_round, issue) == "retry_later" for issue in a_round.issues)
    return limited or a_round.disturbance in MAY_NOT_START


def combined_codes(codes: list[int]) -> frozenset[int]:
    """Of a batch, as docs/run.md says: the first that applies of a stated order."""
    first, last = (125, 130, 143, 1, 20, 21, 2, 126, 127, 137), (10, 124, 75, 0)
    others = sorted(set(codes) - {*first, *last}, reverse=True)
    return frozenset({next((code for code in (*first, *others, *last) if code in codes), 0)})


def is_code_right(reason: str, code: int) -> bool:
    if reason == "agent_signal":
        return 128 < code < 128 + 65
    return CODES.get(reason) == code
