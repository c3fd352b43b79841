import copy
import unittest

from surfaces import OF_A_RUN, OF_A_VERDICT, Surfaces, annotations, differences, printed_exits

GATE = {"n": 1, "command": "make", "code": 2, "ms": 5, "timed_out": False}
FIXED = {"n": 2, "command": "make", "code": 0, "ms": 6, "timed_out": False}
USAGE = {"in": 100, "out": 7, "cached": 0, "cost_usd": None, "source": "stream"}
RESULT = {
    "run": "1-bx1-2", "state": "completed", "status": "exited", "cause": None, "reason": "complete", "code": 0, "detail": "",
    "started": "2026-11-27T10:00:00.000Z", "ended": "2026-11-27T10:00:01.000Z", "ms": 1000, "turns": 2, "tokens": 107,
    "messages_sent": 2, "changes": None, "worktree": None, "usage": USAGE, "gates": [GATE | {"output": "no"}, FIXED],
}
VERDICT = {name: RESULT[name] for name in OF_A_VERDICT}
RECORD = {"status": "completed", "verdict": VERDICT | {"gates": [GATE, FIXED]}}


def event_of(gate: dict) -> dict:
    return {"duration_ms" if name == "ms" else name: value for name, value in gate.items()}


EVENTS = [
    {"event": "message", "phase": "sent"}, {"event": "turn", "n": 1}, {"event": "message", "phase": "sent"},
    {"event": "gate", "phase": "began", "n": 1}, {"event": "gate", "phase": "ended", "output": "no", **event_of(GATE)},
    {"event": "usage", **USAGE}, {"event": "turn", "n": 2}, {"event": "gate", "phase": "ended", "output": "", **event_of(FIXED)},
    {"event": "exit", "reason": "complete", "code": 0},
]
JUNIT = """<testsuite tests="2" failures="0" errors="0"><testcase name="run"/><testcase name="make"/></testsuite>"""


def whole() -> Surfaces:
    return copy.deepcopy(Surfaces(
        result=RESULT, record=RECORD, events=EVENTS,
        listed=RESULT | {"host_died": False, "gates": [GATE, FIXED]}, status={name: RESULT[name] for name in OF_A_RUN},
        waited=0, artifact=RESULT, junit=JUNIT, printed=[("complete", 0)], annotated=[]))


class Differences(unittest.TestCase):
    def test_one_truth(self):
        self.assertEqual(differences(whole()), [])
        self.assertEqual(differences(Surfaces(result=RESULT, record=RECORD)), [])

    def test_each_surface_is_looked_at(self):
        failed = JUNIT.replace('failures="0"', 'failures="1"').replace(
            '<testcase name="make"/>', '<testcase name="make"><failure type="gate_failed"/></testcase>')
        for name, value in (
            ("record", RECORD | {"status": "failed"}), ("record", {"status": "completed", "verdict": None}),
            ("events", EVENTS[1:]), ("events", [one for one in EVENTS if one["event"] != "usage"]), ("events", EVENTS[:-2]),
            ("listed", {}), ("listed", {"host_died": True}), ("status", {"run": "another"}), ("waited", 1),
            ("artifact", {"reason": "not_started"}), ("junit", failed), ("junit", JUNIT.replace('"2"', '"3"')),
            ("printed", []), ("annotated", [("complete", 0)]),
        ):
            seen = whole()
            setattr(seen, name, value)
            self.assertNotEqual(differences(seen), [], (name, value))

    def test_what_is_printed(self):
        self.assertEqual(
            printed_exits('{"session":"orch-bx1","event":"session"}\n{"session":"orch-bx1","event":"exit","reason":"exit","code":0}\n'),
            {"bx1": [("exit", 0)]})
        self.assertEqual(annotations("::error title=orch-bx1::gate_failed (exit 20): make\nwords\n"), {"bx1": [("gate_failed", 20)]})


if __name__ == "__main__":
    unittest.main()
