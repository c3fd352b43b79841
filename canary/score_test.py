"""python3 -m unittest discover -s canary -p '*_test.py'"""

import unittest

from agents import CLAUDE
from model_server import Fact
from scenarios import SCENARIOS
from score import Score, Status, score_run
from truth import markers, spans_of

BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}


def fact(time: float, kind: str, request: int = 0, **details) -> Fact:
    return Fact(time, kind, request, **details)


ANSWERED = [fact(10, "arrived"), fact(20, "answered")]
ASKED = [fact(10, "arrived"), fact(12, "step", step="use", needs="permission"), fact(12.1, "answered", calls=True)]
RETRIED = [fact(10, "arrived"), fact(10.1, "failed"), fact(14, "arrived", 1), fact(16, "answered", 1)]


def score(
    scenario: str, facts: list[Fact], *told: tuple, slowness: float = 1.0, allowed_calls: tuple[float, ...] = (),
) -> Score:
    typed = [8.0] if facts else []
    spans = spans_of(CLAUDE, BY_NAME[scenario], facts, typed, 0.0, 25.0, slowness, allowed_calls)
    return score_run(spans, [Status(*entry) for entry in told])


class ScoreTest(unittest.TestCase):
    def test_statuses_that_follow_the_facts_are_right(self):
        told = (0, "starting", None), (5, "idle", None), (9, "working", None), (20.2, "idle", None)
        result = score("plain", ANSWERED, *told)
        self.assertEqual(result.faults(), [])
        self.assertAlmostEqual(result.right(), 1)
        self.assertEqual([round(latency, 3) for latency in result.latencies_s], [0, 0.2])

    def test_on_a_busy_machine_what_is_told_late_is_no_fault_but_a_drop_is_one(self):
        late = (0, "starting", None), (5, "idle", None), (9, "working", None), (23, "idle", None)
        self.assertEqual(score("plain", ANSWERED, *late).faults(), ["wrong for 1.5 s"])
        self.assertEqual(score("plain", ANSWERED, *late, slowness=3).faults(3), [])
        dropped = (9, "working", None), (16, "idle", None), (17, "working", None), (20.1, "idle", None)
        self.assertEqual(score("plain", ANSWERED, *dropped, slowness=3).faults(3), ["1 drops"])

    def test_idle_during_the_answer_is_a_drop(self):
        told = (9, "working", None), (14, "idle", None), (17, "working", None), (20.1, "idle", None)
        result = score("plain", ANSWERED, *told)
        self.assertEqual(result.drops, 1)
        self.assertAlmostEqual(result.false_idle_s, 3)

    def test_idle_while_the_agent_tries_again_is_a_drop(self):
        result = score("retry", RETRIED, (9, "working", None), (11, "error", "api"), (15, "working", None))
        self.assertEqual(result.drops, 1)

    def test_a_dialog_that_was_never_told_is_missed(self):
        self.assertEqual(score("shell", ASKED, (9, "working", None)).missed_dialogs, 1)

    def test_a_dialog_is_not_missed_if_the_call_was_allowed_before(self):
        self.assertEqual(score("shell-approved", ASKED, (9, "working", None)).missed_dialogs, 1)
        lifted = score("shell-approved", ASKED, (9, "working", None), allowed_calls=(15.0,))
        self.assertEqual((lifted.faults(), lifted.dialogs), ([], 0))

    def test_a_dialog_may_be_drawn_late_but_has_its_cause(self):
        told = (9, "working", None), (14.5, "waiting", "question")
        result = score("shell", ASKED, *told)
        self.assertAlmostEqual(result.right(), 1)
        self.assertEqual(result.faults(), ["wrong cause"])

    def test_there_is_no_way_back_from_a_status_that_is_true(self):
        told = (9, "working", None), (12.2, "waiting", "permission"), (12.5, "working", None), (13, "waiting", None)
        self.assertAlmostEqual(score("shell", ASKED, *told).right(), 1 - 0.5 / 25)

    def test_waiting_without_a_dialog_is_false(self):
        told = (9, "working", None), (14, "waiting", "permission"), (16, "working", None), (20, "idle", None)
        self.assertAlmostEqual(score("plain", ANSWERED, *told).false_waiting_s, 2)

    def test_an_error_told_as_idle_is_not_seen(self):
        facts = [f for n in range(3) for f in (fact(10 + n, "arrived", n), fact(10.1 + n, "failed", n))]
        result = score("refused-key", facts, (9, "working", None), (12.3, "idle", None))
        self.assertEqual((result.errors, result.errors_seen), (1, 0))

    def test_a_dialog_at_the_start_has_to_come(self):
        self.assertEqual(score("trust", [], (0, "starting", None)).missed_dialogs, 1)
        self.assertEqual(score("trust", [], (3, "waiting", "trust")).faults(), [])

    def test_markers_are_certain_only_after_the_lag(self):
        spans = spans_of(CLAUDE, BY_NAME["shell"], ASKED, [8.0], 0.0, 25.0)
        self.assertEqual(markers(spans, 0.0)[-2:], [(12, "state=unsure"), (15, "state=waiting/permission")])


if __name__ == "__main__":
    unittest.main()
