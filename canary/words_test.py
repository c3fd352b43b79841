"""python3 -m unittest discover -s canary -p '*_test.py'"""

import tempfile
import unittest
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

from agents import AGENTS
from command_line import all_clis
from delivery_log import append
from scenarios import SIZES
from script import Say
from words import planned
from words_log import WordsRecord, is_right, read_log, table
from words_scenarios import HALF, KEYWORD, SCENARIOS, Reset, Send

RECORD = WordsRecord(
    agent="codex", version="0.0.0", scenario="mixed", size="80x24", orch="", time="", duration_s=1, words=200, told=199,
    repeats=1, partial=0, chrome=0, strange=0, first_ms=[100, 300], faults=["1 of 200 words not told"], folder=None,
)


class PlanTest(unittest.TestCase):
    def test_a_run_without_a_fence_is_another_run(self):
        fenced, unfenced = (
            planned(Namespace(agent=["claude"], scenario=["tools"], size=["80x24"], without_fence=without))
            for without in (False, True)
        )
        self.assertEqual(fenced[0].key[1:], unfenced[0].key[1:])
        self.assertNotEqual(fenced[0].key, unfenced[0].key)

    def test_every_scenario_runs_at_each_size_with_each_cli(self):
        jobs = planned(Namespace(agent=None, scenario=[], size=None, without_fence=False))
        clis = [cli for cli in all_clis() if cli.agent.name in AGENTS]
        self.assertEqual(len({job.key for job in jobs}), len(SCENARIOS) * len(SIZES) * len(clis))
        some = planned(Namespace(agent=["gemini"], scenario=["long"], size=["80x24"], without_fence=False))
        self.assertEqual([job.key for job in some], [("gemini", "long", "80x24")])


class VerdictTest(unittest.TestCase):
    def test_words_are_right_as_far_as_promised_for_each_agent(self):
        flood = replace(RECORD, words=1000, told=996, repeats=0, strange=9)
        self.assertTrue(is_right([RECORD, replace(flood, scenario="flood")]))
        self.assertFalse(is_right([replace(flood, told=994)]))
        self.assertFalse(is_right([replace(flood, strange=11)]))
        self.assertFalse(is_right([replace(flood, agent="claude", words=10**6, told=10**6), replace(flood, told=900)]))

    def test_a_run_that_went_wrong_is_wrong_whatever_its_words(self):
        self.assertFalse(is_right([replace(RECORD, told=200, repeats=0, of_run=["wait: exit 1"])]))


class ScenariosTest(unittest.TestCase):
    def test_a_run_that_completes_says_so_at_its_end_only(self):
        for scenario in (s for s in SCENARIOS if s.until == "complete"):
            texts = [step.text for answer in scenario.answers for step in answer if isinstance(step, Say)]
            says = [KEYWORD in text for text in texts]
            self.assertEqual(says, [False] * (len(says) - 1) + [scenario.ending[1] == "complete"], scenario.name)

    def test_a_session_has_an_answer_for_every_message(self):
        for scenario in (s for s in SCENARIOS if s.acts):
            # After a reset orch gives the task again by itself.
            messages = [act for act in scenario.acts if isinstance(act, Reset) or not act.command]
            self.assertEqual(len(scenario.answers), 1 + len(messages), scenario.name)
            self.assertEqual(scenario.ending[1], "killed")
            self.assertTrue(all(isinstance(act, Send | Reset) for act in scenario.acts))

    def test_where_a_run_is_cut_its_first_half_has_stood(self):
        for scenario in (s for s in SCENARIOS if s.cut):
            (answer,) = scenario.answers
            (say,) = answer
            begun = len(HALF) / say.chunk * say.gap
            self.assertGreater(scenario.cut.seconds, begun + 2, scenario.name)


class LogTest(unittest.TestCase):
    def test_the_last_record_of_a_run_counts_and_the_table_sums_it_up(self):
        right = replace(RECORD, told=200, repeats=0, faults=[])
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "words.jsonl"
            for record in (RECORD, replace(RECORD, size="120x40"), right):
                append(log, record)
            records = read_log(log)
        self.assertEqual(records, [right, replace(RECORD, size="120x40")])
        sums = table(records).splitlines()[-1].split()
        self.assertEqual(sums, ["codex", "all", "2", "1", "400", "99.75", "1", "0", "0", "0", "0", "300", "300"])


if __name__ == "__main__":
    unittest.main()
