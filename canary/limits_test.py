import time
import unittest

from limit_scenarios import AGENTS, LATER, SCENARIOS, Right, codex_plan, subscription
from limits import is_right, words
from verdicts import MODES


class LimitsTest(unittest.TestCase):
    def test_a_moment_may_be_off_by_the_minutes_that_it_is_named_in(self):
        right = Right(LATER, "rate_limit", 7200)
        self.assertTrue(is_right(Right(LATER, "rate_limit", 7140), right))
        self.assertFalse(is_right(Right(LATER, "rate_limit", 3600), right))
        self.assertFalse(is_right(Right(LATER, "rate_limit"), right))
        self.assertFalse(is_right(Right(LATER, "rate_limit", 60), Right(LATER, "rate_limit")))

    def test_ending_and_cause_must_be_the_same(self):
        self.assertFalse(is_right(Right((10, "needs_human"), "rate_limit"), Right(LATER, "rate_limit")))
        self.assertFalse(is_right(Right(LATER, "overloaded"), Right(LATER, "rate_limit")))
        self.assertTrue(is_right(Right((124, "timeout"), "retry"), Right((124, "timeout"))))

    def test_it_is_told_in_words(self):
        self.assertEqual(words(Right(LATER, "rate_limit", 30)), "75 retry_later rate_limit in 30 s")

    def test_every_scenario_says_what_is_right(self):
        for scenario in SCENARIOS:
            for agent in scenario.fails:
                self.assertIn(agent, AGENTS)
                for mode in MODES:
                    self.assertIsNotNone(scenario.right_for(agent, mode))

    def test_limits_end_ahead(self):
        headers = dict(subscription("seven_day", 3600)().headers)
        self.assertEqual(headers["anthropic-ratelimit-unified-representative-claim"], "seven_day")
        self.assertAlmostEqual(int(headers["anthropic-ratelimit-unified-reset"]), time.time() + 3600, delta=5)
        self.assertEqual(dict(codex_plan(60)().error)["resets_in_seconds"], 60)


if __name__ == "__main__":
    unittest.main()
