import unittest

from kinds import BEHAVIOURS, DISTURBANCES, GATES
from plan import Wishes, draw

ROUNDS = 400


class Plan(unittest.TestCase):
    def setUp(self):
        self.rounds = [draw("seed", number, Wishes()) for number in range(ROUNDS)]

    def test_the_same_seed_draws_the_same_rounds(self):
        again = [draw("seed", number, Wishes()) for number in range(ROUNDS)]
        self.assertEqual(self.rounds, again)
        self.assertEqual([r.chance.random() for r in self.rounds], [r.chance.random() for r in again])
        self.assertNotEqual(self.rounds, [draw("other", number, Wishes()) for number in range(ROUNDS)])

    def test_everything_has_its_turn(self):
        tags = frozenset().union(*(a_round.tags for a_round in self.rounds))
        names = {b.name for family in BEHAVIOURS.values() for b in family} | {gate.name for gate in GATES}
        also = {"worktrees", "artifacts", "detached", "foreground", "groups", "no groups", "fix turns", "fence"}
        self.assertEqual((names | set(DISTURBANCES) | set(BEHAVIOURS) | also) - tags, set())

    def test_issues_have_names_of_their_own(self):
        for a_round in self.rounds:
            names = {issue.name for issue in a_round.issues}
            self.assertEqual(len(names), len(a_round.issues))
            self.assertTrue(all(name.isalnum() for name in names))  # ORCH_RUN is taken apart at its dashes

    def test_only_what_was_asked_for(self):
        wishes = Wishes(only=("worktrees", "signals"))
        drawn = [a_round for n in range(ROUNDS) if (a_round := draw("seed", n, wishes))]
        self.assertTrue(drawn)
        self.assertTrue(all(a_round.worktree and a_round.disturbance == "signals" for a_round in drawn))

    def test_what_cannot_be_made_here_is_not_drawn(self):
        wishes = Wishes(disturbances=("calm", "load"), without_groups=False, issues=5)
        for number in range(ROUNDS):
            a_round = draw("seed", number, wishes)
            self.assertIn(a_round.disturbance, ("calm", "load"))
            self.assertTrue(a_round.groups)
            self.assertEqual(len(a_round.issues), 5)

    def test_a_time_limit_is_nobody_elses(self):
        """Where a run waits for its limit nothing else may take as long."""
        for a_round in self.rounds:
            if any(issue.behaviour.hangs or any(g.times_out for g in issue.gates) for issue in a_round.issues):
                self.assertEqual(a_round.disturbance, "calm")


if __name__ == "__main__":
    unittest.main()
