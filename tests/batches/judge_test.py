import unittest

from judge import HWM_KB, HWM_KB_EACH, LATE_MS, faults_of
from kinds import DEMO, ENDS_AGENT, GATES, PLAIN
from plan import Issue, Round
from seen import Run, Seen
from verdicts import combined_codes, right, undisturbed

BEHAVIOUR = {behaviour.name: behaviour for behaviour in (*DEMO, *PLAIN)}
GATE = {gate.name: gate for gate in GATES}


def issue_of(behaviour: str, *gates: str, name: str = "bx1") -> Issue:
    return Issue(name, BEHAVIOUR[behaviour], tuple(GATE[gate] for gate in gates))


def round_of(*issues: Issue, disturbance: str = "calm", **more) -> Round:
    settings = {"jobs": 2, "fix_turns": 0, "worktree": False, "artifacts": False, "detached": False, "groups": True}
    return Round("s", 0, issues[0].behaviour.family, disturbance, issues, **(settings | more))


def seen_of(reason: str = "complete", code: int = 0, issue: str = "bx1", **more) -> Seen:
    """As it is when one issue ended so, and all agree."""
    end = (reason, code)
    run = Run(f"1-{issue}-2", issue, result=end, record=end, status="completed", exits=[end])
    seen = Seen(code=code, summary_code=code, runs=[run], told={issue: [end]}, summary={issue: end})
    for name, value in more.items():
        setattr(seen, name, value)
    return seen


class Judge(unittest.TestCase):
    def kinds(self, a_round: Round, seen: Seen) -> list[str]:
        return [fault.kind for fault in faults_of(a_round, seen)]

    def test_a_round_as_it_should_be(self):
        self.assertEqual(self.kinds(round_of(issue_of("default", "passes")), seen_of()), [])

    def test_another_verdict_than_the_right_one(self):
        a_round = round_of(issue_of("default", "fails"))
        self.assertEqual(self.kinds(a_round, seen_of()), ["verdict"])
        self.assertEqual(self.kinds(a_round, seen_of("gate_failed", 20)), [])

    def test_who_tells_another_verdict_or_it_twice_or_not_at_all(self):
        a_round, end = round_of(issue_of("default")), ("complete", 0)
        wrong = {
            "told": [{}, {"bx1": [end, end]}, {"bx1": [("timeout", 124)]}],
            "summary": [{"bx1": ("timeout", 0)}, None],
            "summary_code": [1],
        }
        for name, values in wrong.items():
            for value in values:
                self.assertIn("verdict", self.kinds(a_round, seen_of(**{name: value})), (name, value))
        for name, value in (("exits", []), ("exits", [end, end]), ("record", None), ("result", None),
                            ("status", "running"), ("troubles", ["events.jsonl is cut"]), ("result", ("complete", 1))):
            seen = seen_of()
            setattr(seen.runs[0], name, value)
            self.assertIn("verdict", self.kinds(a_round, seen), name)

    def test_the_code_of_the_batch(self):
        a_round = round_of(issue_of("default"), issue_of("crash", name="bx2"))
        seen, failed = seen_of(), ("agent_failed", 1)
        seen.runs.append(Run("1-bx2-2", "bx2", result=failed, record=failed, status="failed", exits=[failed]))
        seen.told["bx2"], seen.summary["bx2"] = [failed], failed
        self.assertEqual(self.kinds(a_round, seen), ["verdict"])
        seen.code = seen.summary_code = 1
        self.assertEqual(self.kinds(a_round, seen), [])
        seen.code = -11
        self.assertEqual(self.kinds(a_round, seen), ["verdict"])
        self.assertEqual(self.kinds(a_round, Seen(code=2)), ["verdict"] * 3)  # refused, and nothing ran

    def test_an_issue_that_did_not_run(self):
        self.assertEqual(self.kinds(round_of(issue_of("default")), Seen(code=0, summary={}, summary_code=0)), ["verdict"])
        stopped = round_of(issue_of("default"), disturbance="stopped")
        none = {"bx1": ("not_started", 130)}
        self.assertEqual(self.kinds(stopped, Seen(code=130, summary=none, summary_code=130)), [])
        self.assertEqual(self.kinds(stopped, Seen(code=-15)), [])  # it came before all
        limited = round_of(issue_of("rate-limit"), issue_of("default", name="bx2"))
        seen = seen_of("retry_later", 75)
        seen.summary["bx2"] = ("not_started", 75)
        self.assertEqual(self.kinds(limited, seen), [])

    def test_what_a_disturbance_may_do(self):
        killed = seen_of("internal", 125, told={}, summary=None, summary_code=None)
        killed.code = -9
        self.assertEqual(self.kinds(round_of(issue_of("default"), disturbance="host killed"), killed), [])
        self.assertIn("verdict", self.kinds(round_of(issue_of("default"), disturbance="load"), killed))
        agent = seen_of("agent_signal", 137)
        self.assertEqual(self.kinds(round_of(issue_of("default"), disturbance="signals"), agent), ["verdict"])
        agent.killed = {"bx1"}
        self.assertEqual(self.kinds(round_of(issue_of("default"), disturbance="signals"), agent), [])

    def test_a_run_that_begins_after_all_were_killed(self):
        a_round, seen = round_of(issue_of("default"), disturbance="kill --all"), seen_of(queue_emptied=100.0, listed={"bx1"})
        seen.runs[0].started = 99
        self.assertEqual(self.kinds(a_round, seen), [])
        seen.runs[0].started = 102
        self.assertEqual(self.kinds(a_round, seen), ["verdict"])
        seen.listed = set()  # it was not in the queue yet
        self.assertEqual(self.kinds(a_round, seen), [])

    def test_what_is_left_lost_late_or_too_large(self):
        a_round = round_of(issue_of("default"))
        hung = seen_of()
        hung.code = None
        self.assertIn("hung", self.kinds(a_round, hung))
        self.assertEqual(self.kinds(a_round, seen_of(left={"locks": ["index.lock"], "groups": []})), ["left"])
        self.assertEqual(self.kinds(a_round, seen_of(zombies=1)), ["left"])
        self.assertEqual(self.kinds(a_round, seen_of(lost=["... loop: lost: pid 7"])), ["lost"])
        self.assertEqual(self.kinds(a_round, seen_of(late_ms=[120, LATE_MS + 1])), ["late"])
        self.assertEqual(self.kinds(a_round, seen_of(hwm_kb=HWM_KB + HWM_KB_EACH * 2 + 1)), ["memory"])
        self.assertEqual(self.kinds(a_round, seen_of(descriptors=1000)), ["memory"])
        loaded = round_of(issue_of("default"), disturbance="load")
        self.assertEqual(self.kinds(loaded, seen_of(late_ms=[LATE_MS + 1])), [])


class Verdicts(unittest.TestCase):
    def test_gates_decide_where_the_agent_did_well(self):
        for behaviour, gates, reason in (
            ("default", (), "complete"), ("default", ("passes", "leaves a daemon"), "complete"),
            ("default", ("passes", "fails"), "gate_failed"), ("crash", ("fails",), "agent_failed"),
            ("default", ("fails at first",), "gate_failed"),
        ):
            issue = issue_of(behaviour, *gates)
            self.assertEqual(undisturbed(round_of(issue), issue), reason, gates)

    def test_turns_that_mend(self):
        for gates, turns, reason in (
            (("fails at first",), 1, "complete"), (("fails at first", "fails at first"), 2, "complete"),
            (("fails at first", "fails at first"), 1, "gate_failed"), (("fails at first", "fails"), 2, "gate_failed"),
            ((ENDS_AGENT, "fails at first"), 2, "gate_failed"),
        ):
            issue = issue_of("default", *gates)
            self.assertEqual(undisturbed(round_of(issue, fix_turns=turns), issue), reason, gates)

    def test_a_program_has_no_second_turn(self):
        issue = issue_of("exits with 0", "fails at first")
        self.assertEqual(undisturbed(round_of(issue, fix_turns=2), issue), "gate_failed")

    def test_chance_decides_only_where_something_was_disturbed(self):
        issue = issue_of("default")
        self.assertEqual(right(round_of(issue), issue, killed=False), {"complete"})
        self.assertEqual(right(round_of(issue, disturbance="kill --all"), issue, killed=False), {"complete", "killed"})

    def test_the_code_of_several(self):
        for codes, combined in (([0, 0], {0}), ([0, 20, 1], {1}), ([75, 10], {10}), ([137, 10, 0], {137}),
                                ([137, 130], {130}), ([20, 130], {130}), ([20, 137], {20}), ([125, 1], {125}), ([], {0})):
            self.assertEqual(combined_codes(codes), combined, codes)


if __name__ == "__main__":
    unittest.main()
