"""python3 -m unittest discover -s canary -p '*_test.py'"""

import unittest
from pathlib import Path

from agents import CLAUDE
from delivery_runs import Cli
from report import differences, rows
from runner import Job, Outcome
from scenarios import SCENARIOS
from score import Score, Status
from told import Comparison


def outcome(manager: str, told: tuple = ("idle", "working", "idle"), lines: tuple = ("one",), **more) -> Outcome:
    job = Job(Cli(CLAUDE, "1.2.3"), SCENARIOS[0], "80x24", manager)
    statuses = [Status(float(n), status, None) for n, status in enumerate(told)]
    return Outcome(job, Path(), told=statuses, lines=list(lines), words=Comparison(10, 9, 0, 0, 0, 0), **more)


class DifferencesTest(unittest.TestCase):
    def test_runs_that_are_alike_do_not_differ_however_long_their_statuses_held(self):
        self.assertEqual(differences([outcome("native"), outcome("tmux", ("idle", "working", "working", "idle"))]), [])

    def test_a_cause_counts_where_the_agent_waits_or_failed(self):
        def under(manager: str, status: str, cause: str) -> Outcome:
            made = outcome(manager)
            made.told.append(Status(9.0, status, cause))
            return made

        self.assertEqual(differences([under("native", "working", "submitted"), under("tmux", "working", "retry")]), [])
        self.assertEqual(differences([under("native", "waiting", "trust"), under("tmux", "waiting", "login")]),
                         ["claude@1.2.3 plain 80x24: statuses: native: idle working idle waiting/trust; "
                          "tmux: idle working idle waiting/login"])

    def test_each_difference_is_a_line_that_names_both_sides(self):
        name = "claude@1.2.3 plain 80x24"
        for other, said in (
            (outcome("tmux", ("idle",)), "statuses: native: idle working idle; tmux: idle"),
            (outcome("tmux", lines=("one", "two")), "words: native: ['one']; tmux: ['one', 'two']"),
            (outcome("tmux", code=10, reason="needs_human"),
             "ending: native: (None, None); tmux: (10, 'needs_human')"),
            (outcome("tmux", prompt_right=True), "prompt: native: False; tmux: True"),
        ):
            self.assertEqual(differences([outcome("native"), other]), [f"{name}: {said}"])

    def test_sizes_are_not_compared_with_each_other(self):
        other = outcome("tmux", ("idle",))
        other.job = Job(other.job.cli, other.job.scenario, "120x40", "tmux")
        self.assertEqual(differences([outcome("native"), other]), [])


class RowsTest(unittest.TestCase):
    def test_a_row_for_each_manager_with_words_and_cpu(self):
        runs = [outcome("native", cpu_s=1.0), outcome("tmux", cpu_s=2.0), outcome("tmux", cpu_s=4.0)]
        found = rows(runs)
        self.assertEqual([row["manager"] for row in found], ["native", "tmux"])
        self.assertEqual([row["runs"] for row in found], [1, 2])
        self.assertEqual([row["words told"] for row in found], ["9 of 10", "18 of 20"])
        self.assertEqual([row["CPU s a run"] for row in found], ["1.00", "3.00"])

    def test_in_the_foreground_there_is_no_manager(self):
        self.assertNotIn("manager", rows([outcome(None, score=Score())])[0])


if __name__ == "__main__":
    unittest.main()
