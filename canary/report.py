"""What the canary says: a line a run, a table an agent, the same as JSON."""

from runner import Outcome
from score import percentile

COLUMNS = (
    "agent", "runs", "right %", "false idle s", "drops", "missed dialogs", "false waiting s", "errors seen",
    "causes wrong", "prompt once", "exit right", "p50 ms", "p95 ms",
)


def line(outcome: Outcome) -> str:
    name = f"{outcome.agent} {outcome.scenario} {outcome.size}"
    verdict = "; ".join(outcome.faults) or "right"
    return f"{name:34} {100 * outcome.score.right():5.1f} % {outcome.duration_s:5.1f} s  {verdict}"


def table(outcomes: list[Outcome]) -> str:
    agents = list(dict.fromkeys(outcome.agent for outcome in outcomes))
    rows = [list(COLUMNS)]
    rows += [[str(value) for value in _row(agent, outcomes).values()] for agent in agents]
    return aligned(rows)


def aligned(rows: list[list[str]]) -> str:
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)


def as_json(outcomes: list[Outcome], versions: dict[str, str]) -> dict:
    agents = list(dict.fromkeys(outcome.agent for outcome in outcomes))
    runs = [
        {
            "agent": o.agent, "scenario": o.scenario, "size": o.size, "faults": o.faults, "code": o.code,
            "right": round(o.score.right(), 4), "duration_s": round(o.duration_s, 3), "folder": str(o.folder),
        }
        for o in outcomes
    ]
    return {"versions": versions, "agents": [_row(agent, outcomes) for agent in agents], "runs": runs}


def _row(agent: str, outcomes: list[Outcome]) -> dict:
    own = [outcome for outcome in outcomes if outcome.agent == agent]
    scores = [outcome.score for outcome in own]
    scored = sum(score.scored_s for score in scores)
    latencies = [1000 * latency for score in scores for latency in score.latencies_s]
    values = (
        agent,
        len(own),
        f"{100 * sum(score.right_s for score in scores) / scored:.2f}" if scored else "-",
        f"{sum(score.false_idle_s for score in scores):.2f}",
        sum(score.drops for score in scores),
        f"{sum(score.missed_dialogs for score in scores)} of {sum(score.dialogs for score in scores)}",
        f"{sum(score.false_waiting_s for score in scores):.2f}",
        f"{sum(score.errors_seen for score in scores)} of {sum(score.errors for score in scores)}",
        sum(score.causes_wrong for score in scores),
        f"{sum(outcome.prompt_right for outcome in own)} of {len(own)}",
        f"{sum(outcome.ending_right for outcome in own)} of {len(own)}",
        round(percentile(latencies, 0.50)),
        round(percentile(latencies, 0.95)),
    )
    return dict(zip(COLUMNS, values, strict=True))
