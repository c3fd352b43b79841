"""All that tells of one run, side by side: where two differ there are two truths. `differences` is pure."""

import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

ANNOTATION = re.compile(r"^::(?:error|warning) title=orch-(\w+)::(\w+) \(exit (\d+)\)", re.MULTILINE)
CANCELLED = frozenset({"interrupted", "terminated", "killed"})
OF_A_VERDICT = ("reason", "code", "detail", "turns", "ms", "changes", "worktree", "usage")
OF_A_RUN = ("run", "state", "status", "cause", "reason", "code", "detail", "started", "ended", "ms", "turns", "tokens", "usage")
OF_A_GATE = ("n", "command", "code", "ms", "timed_out")


@dataclass
class Surfaces:
    """None: there is none, and need not be."""

    result: dict  # result.json
    record: dict  # run.json
    events: list[dict] | None = None  # events.jsonl, where it could be written to its end
    listed: dict | None = None  # of `orch runs --json`
    status: dict | None = None  # `orch status --json`
    waited: int | None = None  # `orch wait --until exited`
    artifact: dict | None = None  # result.json of --artifacts
    junit: str | None = None
    printed: list[tuple[str, int]] | None = None  # by --output json: the exits
    annotated: list[tuple[str, int]] | None = field(default=None)  # on GitHub


def differences(seen: Surfaces) -> list[str]:
    result, verdict = seen.result, seen.record.get("verdict") or {}
    found = _compared("run.json", {name: verdict.get(name) for name in OF_A_VERDICT}, result)
    gates = [{name: gate[name] for name in OF_A_GATE} for gate in result["gates"]]
    if verdict.get("gates") != gates:
        found.append(f"result.json has the gates {gates}, run.json {verdict.get('gates')}")
    state = "completed" if result["code"] == 0 else "cancelled" if result["reason"] in CANCELLED else "failed"
    if seen.record["status"] != state:
        found.append(f"result.json says {result['reason']}, run.json {seen.record['status']}")
    if seen.events is not None:
        found += _of_events(result, gates, seen.events)
    if seen.listed is not None:
        told = {name: result[name] for name in (*OF_A_RUN, "changes", "worktree")}
        found += _compared("orch runs", seen.listed, told | {"state": state, "host_died": False, "gates": gates})
    if seen.status is not None:
        found += _compared("orch status", seen.status, {name: result[name] for name in OF_A_RUN})
    if seen.waited is not None and seen.waited != result["code"]:
        found.append(f"result.json says {result['code']}, orch wait {seen.waited}")
    if seen.artifact is not None:
        found += _compared("the artifact result.json", seen.artifact, result)
    if seen.junit is not None:
        found += _of_junit(result, seen.junit)
    end = [(result["reason"], result["code"])]
    if seen.printed is not None and seen.printed != end:
        found.append(f"result.json says {end}, --output json {seen.printed}")
    if seen.annotated is not None and seen.annotated != (end if result["code"] else []):
        found.append(f"result.json says {end}, the annotations {seen.annotated}")
    return found


def _compared(what: str, told: dict, truth: dict) -> list[str]:
    shared = [name for name in truth if name in told]
    missing = [] if shared else [f"{what} has nothing of it"]
    return missing + [f"{name} is {truth[name]!r}, but {what} says {told[name]!r}" for name in shared if told[name] != truth[name]]


def _gate_of(event: dict) -> dict:
    """In events `ms` is the time of the record."""
    return {name: event["duration_ms" if name == "ms" else name] for name in OF_A_GATE}


def _of_events(result: dict, gates: list[dict], events: list[dict]) -> list[str]:
    def of(kind: str) -> list[dict]:
        return [event for event in events if event.get("event") == kind]

    usage = of("usage")
    counted = {name: sum(one[name] for one in usage) for name in ("in", "out", "cached")} if usage else None
    told = result["usage"] and {name: result["usage"][name] for name in ("in", "out", "cached")}
    pairs = (
        ("gates", gates, [_gate_of(one) for one in of("gate") if one["phase"] == "ended"]),
        ("usage", told, counted),
        ("turns", result["turns"], max((one["n"] for one in of("turn")), default=0)),
        ("messages_sent", result["messages_sent"], sum(one["phase"] == "sent" for one in of("message"))),
    )
    return [f"{what}: result.json says {truth}, events.jsonl {seen}" for what, truth, seen in pairs if truth != seen]


def _of_junit(result: dict, text: str) -> list[str]:
    suite = ElementTree.fromstring(text)
    wrong = {case.get("name"): child.get("type") for case in suite for child in case if child.tag != "system-out"}
    last = {gate["command"]: gate["code"] != 0 or gate["timed_out"] for gate in result["gates"]}
    right = {"run": result["reason"]} if result["code"] else {}
    # Its reader has one line of a name for it, and cuts a long one.
    right |= {command.replace("\n", " "): "gate_failed" for command, failed in last.items() if failed}
    counted = int(suite.get("failures", "0")) + int(suite.get("errors", "0"))
    found = [] if wrong == right else [f"junit.xml has failures {wrong}, not {right}"]
    if counted != len(wrong) or int(suite.get("tests", "0")) != 1 + len(last):
        found.append(f"junit.xml counts {suite.attrib}")
    return found


def printed_exits(text: str) -> dict[str, list[tuple[str, int]]]:
    """Of what --output json printed, by issue."""
    exits: dict[str, list[tuple[str, int]]] = {}
    for line in text.splitlines():
        event = json.loads(line)
        if event.get("event") == "exit":
            exits.setdefault(event["session"].removeprefix("orch-"), []).append((event["reason"], event["code"]))
    return exits


def annotations(text: str) -> dict[str, list[tuple[str, int]]]:
    found: dict[str, list[tuple[str, int]]] = {}
    for issue, reason, code in ANNOTATION.findall(text):
        found.setdefault(issue, []).append((reason, int(code)))
    return found


def events_in(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8", errors="replace").splitlines()]
