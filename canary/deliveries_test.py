"""python3 -m unittest discover -s canary -p '*_test.py'"""

import tempfile
import unittest
from argparse import Namespace
from collections import Counter
from pathlib import Path

import delivery_table
from deliveries import batches, planned, wanted_clis
from delivery_log import MessageRecord, RunRecord, append, read_log
from delivery_runs import is_busy
from messages import (
    BURST, COLD_KINDS, COMMAND_KINDS, KINDS, LARGE_BYTES, OPENINGS, TAG, as_delivered, begins_command, message,
    session_kinds,
)
from received import ACCEPTED, REFUSED, Sent, judge, same

RUN = "session.claude.0003"


def sent(number: int, result: str = ACCEPTED, group: int | None = None, kind: str = "short") -> Sent:
    given = message(kind, RUN, number, number if group is None else group)
    return Sent(given, result, to_refuse=kind in COMMAND_KINDS)


def judged(messages: list[Sent], texts: list[str]) -> tuple[list[str], int]:
    verdict = judge("claude", messages, texts)
    return verdict.outcomes, len(verdict.faults)


class MessagesTest(unittest.TestCase):
    def test_every_message_carries_its_tag_once_and_alone(self):
        for kind in KINDS:
            for run in (RUN, "cold.gemini.0017"):
                given = message(kind, run, 2, 0)
                self.assertEqual(TAG.findall(given.text), [given.tag], kind)

    def test_sizes_and_first_characters_are_those_of_the_kind(self):
        self.assertEqual(len(message("large", RUN, 1, 0).text.encode()), LARGE_BYTES)
        self.assertEqual(message("lines", RUN, 1, 0).text.count("\n"), 31)
        self.assertEqual([message(kind, RUN, 1, 0).text[0] for kind in COMMAND_KINDS], list(COMMAND_KINDS))

    def test_what_is_delivered_has_one_kind_of_line_end_and_no_controls(self):
        self.assertEqual(as_delivered("a\r\nb\rc\n\td\x1b[0m\x07\x7f\x85\x9b\u00a0 "), "a\nb\nc\n\td[0m\u00a0 ")

    def test_a_session_has_every_kind_in_an_order_of_its_own(self):
        first, other = session_kinds(0), session_kinds(4)
        self.assertNotEqual(first, other)
        self.assertEqual(sorted(first), sorted(other))
        self.assertIn(["burst"] * BURST, first)

    def test_a_third_of_the_runs_is_busy_and_a_third_of_each_kind(self):
        self.assertIn(sum(map(is_busy, range(100))), (33, 34))
        kinds = Counter(COLD_KINDS[index % len(COLD_KINDS)] for index in range(9 * len(COLD_KINDS)) if is_busy(index))
        self.assertTrue(all(kinds[kind] == 3 for kind in COLD_KINDS), kinds)

    def test_an_opening_begins_the_text_and_what_is_no_text_is_not_delivered(self):
        for kind, opening in OPENINGS.items():
            self.assertTrue(message(kind, RUN, 1, 0).text.startswith(opening), kind)
        self.assertTrue(as_delivered(message("NUL", RUN, 1, 0).text).startswith("msg."))
        self.assertTrue(as_delivered(message("BOM", RUN, 1, 0).text).startswith("msg."))

    def test_white_space_and_marks_before_a_command_make_no_difference(self):
        self.assertTrue(all(begins_command(text, {"/"}) for text in ("/a", " /a", "\n\t/a", "\ufeff/a", "\0/a")))
        self.assertFalse(any(begins_command(text, {"/"}) for text in ("a /", "# /a", "", " ")))


class ReceivedTest(unittest.TestCase):
    def test_what_arrived_once_as_it_was_is_right(self):
        messages = [sent(1), sent(2, kind="lines")]
        self.assertEqual(judged(messages, [m.message.text for m in messages]), (["right", "right"], 0))

    def test_what_did_not_arrive_is_lost_and_who_says_it_did_is_wrong(self):
        self.assertEqual(judged([sent(1)], []), (["lost"], 1))
        self.assertEqual(judged([sent(1, "timeout")], []), (["lost"], 0))

    def test_what_arrived_though_it_is_told_not_to_have_is_a_fault(self):
        self.assertEqual(judged([sent(1, "unconfirmed")], [sent(1).message.text]), (["right"], 1))

    def test_twice_is_doubled_in_one_text_or_in_two(self):
        text = sent(1).message.text
        self.assertEqual(judged([sent(1)], [text, text])[0], ["doubled"])
        self.assertEqual(judged([sent(1)], [text + text])[0], ["doubled"])

    def test_two_in_one_text_are_merged(self):
        messages = [sent(1), sent(2)]
        text = "\n".join(m.message.text for m in messages)
        self.assertEqual(judged(messages, [text])[0], ["merged", "merged"])

    def test_a_missing_blank_is_an_alteration(self):
        given = sent(1, kind="lines")
        self.assertEqual(judged([given], [given.message.text.replace("  2. ", " 2. ", 1)])[0], ["altered"])
        self.assertEqual(judged([given], ["<system-reminder>" + given.message.text])[0], ["altered"])

    def test_a_command_has_to_be_refused_and_not_to_arrive(self):
        self.assertEqual(judged([sent(1, REFUSED, kind="/")], []), (["refused"], 0))
        self.assertEqual(judged([sent(1, REFUSED)], []), (["lost"], 0))
        command = sent(1, kind="/")
        self.assertEqual(judged([command], [command.message.text])[0], ["altered"])

    def test_a_runs_own_command_may_come_behind_a_line_of_orchs(self):
        given = message("/", RUN, 1, 0)
        led = Sent(given, ACCEPTED, to_refuse=True, may_be_led=True)
        self.assertEqual(judged([led], ["Please do:\n" + given.text])[0], ["right"])
        self.assertEqual(judged([led], [given.text])[0], ["altered"])
        self.assertEqual(judged([sent(1, kind="/")], ["Please do:\n" + given.text])[0], ["altered"])

    def test_what_is_wrapped_is_altered(self):
        given = sent(1)
        wrapped = f'\n\n<pasted_content id="39fe">\n{given.message.text}\n</pasted_content id="39fe">\n'
        self.assertEqual(judged([given], [wrapped])[0], ["altered"])

    def test_only_messages_sent_at_once_may_change_places(self):
        texts = [sent(2).message.text, sent(1).message.text]
        self.assertEqual(judged([sent(1), sent(2)], texts)[1], 1)
        self.assertEqual(judged([sent(1, group=1), sent(2, group=1)], texts)[1], 0)

    def test_words_that_nobody_sent_are_a_fault_but_not_those_of_the_cli(self):
        text = sent(1).message.text
        self.assertEqual(judged([sent(1)], ["<system-reminder>\nx", text]), (["right"], 0))
        self.assertEqual(judged([sent(1)], ["y", text]), (["right"], 1))

    def test_each_cli_is_allowed_its_own_changes_only(self):
        self.assertTrue(same("claude", "e\u0301\ta\r\n", "é    a"))
        self.assertFalse(same("codex", "e\u0301\ta", "é    a"))
        self.assertTrue(same("gemini", "\n see @src", "see @src/**"))
        self.assertFalse(same("codex", "see @src", "see src"))


def record(index: int, *messages: MessageRecord, busy: bool = False, faults: tuple[str, ...] = ()) -> RunRecord:
    return RunRecord(
        campaign="cold", agent="codex", version="1", orch="aa", index=index, busy=busy, time="", load=7, duration_s=1,
        faults=list(faults), folder=None, messages=list(messages),
    )


class LogTest(unittest.TestCase):
    def test_the_last_record_of_a_run_counts_and_a_line_cut_off_does_not(self):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "log.jsonl"
            self.assertEqual(read_log(log), [])
            once, again = record(1, faults=("lost",)), record(1, MessageRecord("short", ACCEPTED, "right", 1, 5))
            append(log, once)
            with log.open("a") as out:
                out.write('{"campaign":')
            append(log, again)
            append(log, record(2))
            self.assertEqual(read_log(log), [again, record(2)])


class TableTest(unittest.TestCase):
    def test_a_row_counts_the_messages_of_its_kind_and_load(self):
        calm = [
            record(n, MessageRecord("short", ACCEPTED, outcome, n, 100 * n))
            for n, outcome in ((1, "right"), (2, "right"), (3, "lost"))
        ]
        busy = record(4, MessageRecord("lines", "timeout", "lost", None, None), busy=True)
        rows = [line.split() for line in delivery_table.table([*calm, busy]).splitlines()]
        self.assertEqual(
            rows[1:],
            [
                "codex cold short calm 3 3 3 2 1 0 0 0 0 2 200 300".split(),
                "codex cold lines busy 1 1 0 0 1 0 0 0 0 - - -".split(),
                "codex cold all calm 3 3 3 2 1 0 0 0 0 2 200 300".split(),
                "codex cold all busy 1 1 0 0 1 0 0 0 0 - - -".split(),
            ],
        )


class PlanTest(unittest.TestCase):
    def test_what_runs_at_once_has_the_same_load_and_nothing_is_forgotten(self):
        arguments = Namespace(campaign=["cold", "session"], agent=None, runs=None, kind=None)
        groups = batches(planned(arguments))
        self.assertTrue(all(len({(j.cli.name, j.busy) for j in group}) == 1 for group in groups))
        self.assertEqual(len({j.key for group in groups for j in group}), len(wanted_clis(arguments)) * (100 + 30))


if __name__ == "__main__":
    unittest.main()
