import json
import tempfile
import unittest
from pathlib import Path

from seen import late_turns, lost_wake_ups, run_in, summary_in, verdicts_told

LOG = """\
2026-11-24T15:11:24.663Z 18052 debug status: idle
2026-11-24T15:11:24.663Z 18052 warning loop: late: one turn took 1565 ms
2026-11-24T15:11:25.191Z 18052 error loop: lost: pid 7 has ended, and nobody told of it
2026-11-24T15:11:25.450Z 18052 warning loop: late: one turn took 259 ms
2026-11-24T15:11:25.450Z 18052 info gate: 1: echo "loop: late: one turn took 9 ms"
"""
STDERR = """\
orch: orch-bx1: | LOOP_COMPLETE
orch: orch-bx1: complete (exit 0)
orch: orch-bx2: gate_failed (exit 20): exit 3 exited with 3
orch: orch-bx2: gate_failed (exit 20): told twice
ISSUE            REASON         CODE  TURNS      TIME
"""
RECORD = {"status": "failed", "started": "2026-11-24T14:58:36.191Z", "verdict": {"reason": "gate_failed", "code": 20}}


class Seen(unittest.TestCase):
    def setUp(self):
        self._temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self._temporary.cleanup)
        self.folder = Path(self._temporary.name) / "20261124T145836-bx7-743b"
        self.folder.mkdir()

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def test_logs(self):
        self.assertEqual(late_turns(LOG), [1565, 259])
        self.assertEqual(len(lost_wake_ups(LOG)), 1)

    def test_a_turn_after_the_last_end_keeps_nobody_waiting(self):
        end = "2026-11-24T15:11:25.1{}Z {} info session: complete (exit 0) after 612 ms, 1 turns\n"
        late = "2026-11-24T15:11:25.191Z {} warning loop: late: one turn took {} ms\n"
        log = late.format(7, 200) + end.format(2, 7) + late.format(7, 201) + end.format(3, 7) + late.format(7, 202)
        self.assertEqual(late_turns(log + late.format(8, 203)), [200, 201, 203])

    def test_last_lines(self):
        self.assertEqual(verdicts_told(STDERR), {"bx1": [("complete", 0)], "bx2": [("gate_failed", 20)] * 2})

    def test_a_whole_run(self):
        self.write("run.json", json.dumps(RECORD))
        self.write("result.json", json.dumps({"reason": "gate_failed", "code": 20, "worktree": None}))
        self.write("events.jsonl", '{"run":"x"}\n{"ms":1,"event":"exit","code":20,"reason":"gate_failed"}\n')
        run = run_in(self.folder)
        self.assertEqual((run.issue, run.status, run.troubles), ("bx7", "failed", []))
        self.assertEqual([run.result, run.record, *run.exits], [("gate_failed", 20)] * 3)
        self.assertGreater(run.started, 0)

    def test_a_run_that_was_cut(self):
        self.write("run.json", '{"status": "runn')
        self.write("run.json.SF4Ndx", "")
        self.write("events.jsonl", '{"event":"exit","code":0,"reason":"exit"}\n{"event":"status"}\n{"ms"')
        run = run_in(self.folder)
        self.assertIsNone(run.result)
        self.assertIsNone(run.record)
        self.assertEqual(len(run.troubles), 5, run.troubles)

    def test_summaries(self):
        self.assertIsNone(summary_in(self.folder / "summary.json"))
        self.write("summary.json", '{"code": 20, "issues": [{"issue": "bx7", "reason": "gate_failed", "code": 20}]}')
        self.assertEqual(summary_in(self.folder / "summary.json"), (20, {"bx7": ("gate_failed", 20)}))


if __name__ == "__main__":
    unittest.main()
