import unittest

from judge import faults_of
from judge_test import issue_of, round_of, seen_of
from report import Totals


class Report(unittest.TestCase):
    def test_issues_are_counted_once_however_much_is_wrong_with_them(self):
        totals, a_round = Totals(), round_of(issue_of("default"))
        good, bad = seen_of(late_ms=[120, 300]), seen_of("timeout", 124, told={}, left={"locks": ["a", "b"]}, hwm_kb=20_000)
        for seen in (good, good, bad):
            totals.add(a_round, seen, faults_of(a_round, seen))
        row = totals.all
        self.assertEqual((row.rounds, row.wrong_rounds, row.right, row.wrong), (3, 1, 2, 1))
        self.assertEqual((row.left["locks"], row.faults["left"]), (2, 2))
        self.assertEqual((row.longest_turn_ms, row.late, row.hwm_kb), (300, 4, 20_000))
        self.assertIn("left: 2 locks", totals.table())

    def test_a_turn_that_the_round_itself_held_up_is_told_apart(self):
        totals, a_round = Totals(), round_of(issue_of("default"), disturbance="load")
        totals.add(a_round, seen_of(late_ms=[4000]), [])
        self.assertEqual((totals.all.longest_turn_ms, totals.all.excused_turn_ms), (0, 4000))


if __name__ == "__main__":
    unittest.main()
