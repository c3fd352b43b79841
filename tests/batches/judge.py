"""Was a round right? Pure: what was planned against what was seen."""

import signal
from dataclasses import dataclass

from plan import Issue, Round
from seen import ENDED, Run, Seen
from verdicts import combined_codes, is_code_right, may_not_start, right

LATE_MS = 1000
SOON_S = 0.5
# What the machine itself holds up there, no promise keeps off the loop; who starts a program in a frozen group waits
# for it to be thawed.
MAY_BE_LATE = frozenset({"load", "host stands still", "replaced", "frozen"})
# A host takes so much at most, and so much more for each session beside each other: measured with an unoptimized
# build, which takes the most, and twice as much allowed.
HWM_KB, HWM_KB_EACH = 100_000, 6_000
DESCRIPTORS, DESCRIPTORS_EACH = 80, 24


@dataclass(frozen=True)
class Fault:
    """`kind` is a column of the table; `issue`: whose verdict it is, "": the batch's."""

    kind: str
    text: str
    issue: str = ""


def faults_of(a_round: Round, seen: Seen) -> list[Fault]:
    faults = []
    if seen.code is None:
        faults.append(Fault("hung", f"it did not end within {a_round.bound_s:.0f} s"))
    for issue in a_round.issues:
        runs = [run for run in seen.runs if run.issue == issue.name]
        faults += [Fault("verdict", f"{_text(issue)}: {what}", issue.name) for what in _of_issue(a_round, issue, runs, seen)]
    faults += _of_batch(a_round, seen)
    faults += [Fault("left", f"{kind}: {what}") for kind, list_ in sorted(seen.left.items()) for what in list_]
    faults += [Fault("lost", line) for line in seen.lost]
    longest = max(seen.late_ms, default=0)
    if longest > LATE_MS and a_round.disturbance not in MAY_BE_LATE:
        faults.append(Fault("late", f"one turn of the loop took {longest} ms"))
    if seen.hwm_kb > HWM_KB + HWM_KB_EACH * a_round.jobs:
        faults.append(Fault("memory", f"the host took {seen.hwm_kb} KB"))
    if seen.descriptors > DESCRIPTORS + DESCRIPTORS_EACH * a_round.jobs:
        faults.append(Fault("memory", f"the host had {seen.descriptors} descriptors open"))
    if seen.zombies:
        faults.append(Fault("left", f"zombies: {seen.zombies} stayed under a host that lived"))
    return faults


def _text(issue: Issue) -> str:
    return f"{issue.name} ({issue.behaviour.name}; {', '.join(gate.name for gate in issue.gates) or 'no gates'})"


def _of_issue(a_round: Round, issue: Issue, runs: list[Run], seen: Seen) -> list[str]:
    if not runs:
        if may_not_start(a_round):
            return []
        return [f"no run; the summary says {(seen.summary or {}).get(issue.name)}"]
    if len(runs) > 1:
        return [f"{len(runs)} runs"]
    run = runs[0]
    found = list(run.troubles)
    if run.result is None or run.status not in ENDED:
        missing = "no result.json, " if run.result is None else ""
        return [*found, f"{missing}run.json says {run.status or 'nothing'}"]
    if issue.name in seen.listed and seen.queue_emptied is not None and run.started > seen.queue_emptied + SOON_S:
        found.append("it started after orch kill --all had returned")
    allowed = right(a_round, issue, issue.name in seen.killed)
    if run.result[0] not in allowed:
        found.append(f"{run.result[0]} ({run.result[1]}), not {' or '.join(sorted(allowed))}")
    return found + _disagreements(a_round, run, seen) + run.differences


def _disagreements(a_round: Round, run: Run, seen: Seen) -> list[str]:
    """Where the verdict is told otherwise, not at all or twice."""
    found = []
    if not is_code_right(*run.result):
        found.append(f"{run.result[0]} with code {run.result[1]}")
    if run.record != run.result:
        found.append(f"result.json says {run.result}, run.json {run.record}")
    full = a_round.disturbance == "disk full"
    if run.exits != [run.result] and not (full and not run.exits):
        found.append(f"result.json says {run.result}, events.jsonl {run.exits}")
    if a_round.disturbance == "host killed":  # whose last words nobody promised
        return found
    told = seen.told.get(run.issue, [])
    if told != [run.result]:
        found.append(f"result.json says {run.result}, the last lines {told}")
    if seen.summary is not None and seen.summary.get(run.issue) != run.result:
        found.append(f"result.json says {run.result}, the summary {seen.summary.get(run.issue)}")
    return found


def _of_batch(a_round: Round, seen: Seen) -> list[Fault]:
    if seen.code == 2:
        return [Fault("verdict", "orch refused to run the batch: see stderr.txt")]
    if seen.code is None or a_round.disturbance == "host killed":
        return []
    if a_round.disturbance == "stopped" and -seen.code in (signal.SIGINT, signal.SIGTERM) and not seen.runs:
        return []  # before it was ready for them
    if seen.code < 0:
        return [Fault("verdict", f"orch died of signal {-seen.code}")]
    if a_round.detached:
        # Those that never started have no code of their own, and whoever waited for them is told so.
        if may_not_start(a_round):
            return []
        codes = [run.result[1] for run in seen.runs if run.result]
    elif seen.summary is not None:
        codes = [code for _, code in seen.summary.values()]
    elif a_round.disturbance == "disk full":
        return []
    else:
        return [Fault("verdict", "there is no summary.json")]
    faults = []
    if seen.code not in combined_codes(codes):
        faults.append(Fault("verdict", f"the batch ended with {seen.code}, its issues with {sorted(set(codes))}"))
    if not a_round.detached and seen.summary_code != seen.code:
        faults.append(Fault("verdict", f"the batch ended with {seen.code}, the summary says {seen.summary_code}"))
    return faults
