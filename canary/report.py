"""What the canary says: a line a run, a table an agent (and session manager), the same as JSON, and where the
session managers differ."""

import itertools

from runner import Outcome
from score import Status, percentile


def line(outcome: Outcome) -> str:
    job = outcome.job
    name = " ".join(filter(None, (job.cli.name, job.scenario.name, job.size, job.manager)))
    verdict = "; ".join(outcome.faults) or "right"
    if outcome.again:
        verdict += f" the second time, at a load of {outcome.slowness:.1f} a core"
    return f"{name:40} {100 * outcome.score.right():5.1f} % {outcome.duration_s:5.1f} s  {verdict}"


def table(outcomes: list[Outcome]) -> str:
    found = rows(outcomes)
    return aligned([list(found[0])] + [[str(value) for value in row.values()] for row in found])


def aligned(lines: list[list[str]]) -> str:
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)


def differences(outcomes: list[Outcome]) -> list[str]:
    """Where runs of the same agent, scenario and size under several session managers are not alike."""
    def same(outcome: Outcome) -> tuple:
        return (outcome.job.cli.name, outcome.job.scenario.name, outcome.job.size)

    found = []
    for key, group in itertools.groupby(sorted(outcomes, key=same), same):
        first, *others = group
        for other in others:
            for what, one, two in zip(SEEN, _seen(first), _seen(other), strict=True):
                if one != two:
                    sides = f"{first.job.manager}: {one}; {other.job.manager}: {two}"
                    found.append(f"{' '.join(key)}: {what}: {sides}")
    return found


SEEN = ("faults", "ending", "prompt", "statuses", "words")


def _seen(outcome: Outcome) -> tuple:
    """What must not depend on the session manager."""
    told = [_named(status) for status in outcome.told]
    statuses = [status for status, _ in itertools.groupby(told)]
    reason = (outcome.code, outcome.reason)
    return (outcome.faults, reason, outcome.prompt_right, " ".join(statuses), outcome.lines)


def _named(status: Status) -> str:
    """Why an agent is idle or at work tells how soon it drew what: that is left out."""
    return f"{status.status}/{status.cause}" if status.status in ("waiting", "error") else status.status


def as_json(outcomes: list[Outcome], versions: dict[str, str]) -> dict:
    runs = [
        {
            "agent": o.job.cli.name, "scenario": o.job.scenario.name, "size": o.job.size, "manager": o.job.manager,
            "faults": o.faults, "code": o.code, "right": round(o.score.right(), 4),
            "again": o.again, "slowness": round(o.slowness, 2), "duration_s": round(o.duration_s, 3), "cpu_s": round(o.cpu_s, 2),
            "latencies_ms": [round(1000 * latency) for latency in o.score.latencies_s], "folder": str(o.folder),
        }
        for o in outcomes
    ]
    return {"versions": versions, "agents": rows(outcomes), "runs": runs, "differences": differences(outcomes)}


def rows(outcomes: list[Outcome]) -> list[dict]:
    """One for each agent and session manager."""
    keys = dict.fromkeys((outcome.job.cli.name, outcome.job.manager) for outcome in outcomes)
    found = []
    for agent, manager in keys:
        own = [o for o in outcomes if (o.job.cli.name, o.job.manager) == (agent, manager)]
        under = {} if manager is None else {"manager": manager}
        found.append({"agent": agent} | under | _scores(own) | ({} if manager is None else _beside(own)))
    return found


def _scores(own: list[Outcome]) -> dict:
    scores = [outcome.score for outcome in own]
    scored = sum(score.scored_s for score in scores)
    latencies = [1000 * latency for score in scores for latency in score.latencies_s]
    return {
        "runs": len(own),
        "right %": f"{100 * sum(score.right_s for score in scores) / scored:.2f}" if scored else "-",
        "false idle s": f"{sum(score.false_idle_s for score in scores):.2f}",
        "drops": sum(score.drops for score in scores),
        "missed dialogs": f"{sum(score.missed_dialogs for score in scores)} of {sum(score.dialogs for score in scores)}",
        "false waiting s": f"{sum(score.false_waiting_s for score in scores):.2f}",
        "errors seen": f"{sum(score.errors_seen for score in scores)} of {sum(score.errors for score in scores)}",
        "causes wrong": sum(score.causes_wrong for score in scores),
        "prompt once": f"{sum(outcome.prompt_right for outcome in own)} of {len(own)}",
        "exit right": f"{sum(outcome.ending_right for outcome in own)} of {len(own)}",
        "p50 ms": round(percentile(latencies, 0.50)),
        "p95 ms": round(percentile(latencies, 0.95)),
    }


def _beside(own: list[Outcome]) -> dict:
    """What is told of runs under session managers, too."""
    words = [outcome.words for outcome in own if outcome.words]
    first = [ms for outcome in own for ms in outcome.first_words_ms]
    return {
        "words told": f"{sum(w.told for w in words)} of {sum(w.words for w in words)}",
        "repeats": sum(w.repeats for w in words),
        "strange": sum(w.strange for w in words),
        "first words p50 ms": round(percentile(first, 0.50)),
        "CPU s a run": f"{sum(outcome.cpu_s for outcome in own) / len(own):.2f}",
    }
