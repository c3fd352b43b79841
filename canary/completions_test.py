"""python3 -m unittest discover -s canary -p '*_test.py'"""

import unittest

from agents import AGENTS, DEFAULT_AGENTS
from completion_log import RIGHT, TurnRecord, of_turns_at_once, right_of_all
from completion_runs import judge
from completion_turns import FALSE_TURNS, KEYWORD, NOTES, TOOLS, TRUE_TURNS, at_once
from completions import planned
from delivery_runs import Cli
from scenarios import SIZES
from script import Say, Use

TURNS = [*FALSE_TURNS, *TRUE_TURNS]
PROSE = FALSE_TURNS[0]
TOOL = next(turn for turn in FALSE_TURNS if turn.name == "a slow tool after it")
DONE = TRUE_TURNS[0]
CLI = Cli(AGENTS["codex"], "0.0.0")


class TurnsTest(unittest.TestCase):
    def test_names_are_unique_and_tools_exist_for_every_agent(self):
        self.assertEqual(len({turn.name for turn in TURNS}), len(TURNS))
        used = {step.tool for turn in TURNS for answer in turn.answers for step in answer if isinstance(step, Use)}
        self.assertEqual(used, set(TOOLS))
        for agent in DEFAULT_AGENTS:
            for name, call in TOOLS.items():
                arguments = str(call(AGENTS[agent]).arguments)
                shown = KEYWORD in arguments or NOTES in arguments
                self.assertEqual(shown, name not in ("quiet", "slow"), (agent, name))

    def test_no_turn_ends_in_a_tool(self):
        for turn in TURNS:
            self.assertTrue(all(isinstance(answer[-1], Use) for answer in turn.answers[:-1]), turn.name)
            self.assertIsInstance(turn.answers[-1][-1], Say, turn.name)

    def test_a_turn_that_completes_says_the_keyword_last(self):
        for turn in TRUE_TURNS:
            self.assertEqual(turn.answers[-1][-1].text.splitlines()[-1].strip("*`"), KEYWORD, turn.name)


class PlanTest(unittest.TestCase):
    def test_every_turn_has_its_run_and_a_run_ends_with_the_turn_that_completes_it(self):
        jobs = planned(CLI, SIZES, TURNS, set())
        self.assertEqual(sorted(turn.name for job in jobs for turn in job.turns), sorted(turn.name for turn in TURNS))
        for job in jobs:
            self.assertFalse(any(turn.completes for turn in job.turns[:-1]))
        self.assertEqual(len({job.name for job in jobs}), len(jobs))

    def test_what_was_played_is_not_played_again(self):
        first = planned(CLI, SIZES, TURNS, set())[0]
        made = {(CLI.name, turn.name, first.size) for turn in first.turns[:2]}
        left = planned(CLI, SIZES, TURNS, made)
        self.assertEqual(sum(len(job.turns) for job in left), len(TURNS) - 2)
        self.assertEqual(planned(CLI, SIZES, [PROSE], {(CLI.name, PROSE.name, SIZES[0])}), [])


class AtOnceTest(unittest.TestCase):
    def record(self, turn: str, verdict: str = RIGHT) -> TurnRecord:
        return TurnRecord("codex", "0.0.0", SIZES[0], "", "", 1, turn, True, verdict, None)

    def test_each_answer_is_sent_whole_and_has_a_run_of_its_own(self):
        turns = list(at_once(7))
        for turn in turns:
            (say,), = turn.answers
            self.assertEqual((say.chunk, say.gap), (len(say.text), 0))
            self.assertEqual(say.text.splitlines()[-1], KEYWORD)
        jobs = planned(CLI, SIZES, turns, set())
        self.assertEqual([len(job.turns) for job in jobs], [1] * 7)
        self.assertEqual(len({job.name for job in jobs}), 7)

    def test_they_are_counted_apart_from_the_other_turns(self):
        records = [self.record("at once 1"), self.record("at once 2", "missed"), self.record("at once 3"),
                   self.record("as code")]
        self.assertEqual(right_of_all(of_turns_at_once(records, 2), 2),
                         f"codex: 1 of 2\ncodex {SIZES[0]}: at once 2: missed")
        self.assertEqual(of_turns_at_once(records, None), records[-1:])


class JudgeTest(unittest.TestCase):
    def test_a_run_that_ends_with_its_last_turn_is_right(self):
        self.assertEqual(judge([PROSE, TOOL, DONE], 4, 0, "complete"), ["right", "right", "right"])
        self.assertEqual(judge([PROSE, TOOL], 3, 124, "turns"), ["right", "right"])

    def test_a_turn_that_completes_the_run_too_early_is_false_and_what_follows_was_not_played(self):
        self.assertEqual(judge([PROSE, TOOL, DONE], 1, 0, "complete"), ["false"])
        self.assertEqual(judge([PROSE, TOOL, DONE], 3, 0, "complete"), ["right", "false"])

    def test_a_run_that_completes_before_a_tool_of_the_turn_has_answered_is_false(self):
        self.assertEqual(judge([PROSE, TOOL, DONE], 2, 0, "complete"), ["right", "false"])
        tool = next(turn for turn in TRUE_TURNS if len(turn.answers) == 2)
        self.assertEqual(judge([tool], 1, 0, "complete"), ["false"])

    def test_a_keyword_that_was_not_heard_is_missed(self):
        self.assertEqual(judge([PROSE, DONE], 2, 124, "turns"), ["right", "missed"])

    def test_another_ending_is_told_as_it_was(self):
        self.assertEqual(judge([PROSE, TOOL, DONE], 2, 10, "needs_human"), ["right", "exit 10 needs_human"])
        self.assertEqual(judge([PROSE, DONE], 0, 124, "timeout"), ["exit 124 timeout"])


if __name__ == "__main__":
    unittest.main()
