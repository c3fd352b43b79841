"""python3 -m unittest discover -s canary -p '*_test.py'"""

import itertools
import random
import unittest

from told import Beginning, compare, first_words_ms, in_order, tokens

SAID = "The first paragraph is long enough to wrap.\n\n- one item\n- another item\n\nOK\n"


def table_length(want: str, got: str) -> int:
    """The textbook's algorithm."""
    row = [0] * (len(want) + 1)
    for token in got:
        before = row
        row = [0]
        for place, other in enumerate(want, 1):
            row.append(before[place - 1] + 1 if token == other else max(before[place], row[-1]))
    return row[-1]


class CompareTest(unittest.TestCase):
    def faults(self, told: list[str], said: str = SAID, needed: str | None = None) -> list[str]:
        return compare(said if needed is None else needed, said, told).faults()

    def test_words_told_once_in_order_are_right_wherever_the_rows_end(self):
        told = ["The first paragraph is", "long enough to wrap.", "", "• one item", "• another item", "", "OK"]
        self.assertEqual(self.faults(told), [])

    def test_words_that_are_missing_are_named_with_the_word_before(self):
        told = ["The first paragraph is long", "• one item", "• another item", "OK"]
        self.assertEqual(self.faults(told), ["3 of 13 words not told: behind 'long' 'enough to wrap.'"])
        self.assertEqual(self.faults([])[0], "13 of 13 words not told: at the beginning 'The first paragraph is long "
                         "enough to wrap.' ...")

    def test_words_that_the_agent_erased_need_not_be_told(self):
        rows = [f"row {n} of the list has {n} items" for n in range(5)]
        told = rows[:2] + rows[4:]
        self.assertEqual(compare("\n".join(rows), "\n".join(rows), told).faults()[0][:9], "16 of 40 ")
        closed = compare("\n".join(rows), "\n".join(rows), told, ["\n".join(rows), "\n\n".join(told)])
        self.assertEqual((closed.faults(), closed.taken_back, closed.words), ([], 16, 24))

    def test_words_that_stand_on_every_screen_have_to_be_told(self):
        rows = [f"row {n} of the list has {n} items" for n in range(5)]
        still = compare("\n".join(rows), "\n".join(rows), rows[:2] + rows[4:], ["\n".join(rows)])
        self.assertEqual((still.taken_back, still.told, still.words), (0, 24, 40))

    def test_words_in_another_order_are_missing_and_strange(self):
        told = ["• another item", "The first paragraph is long enough to wrap.", "• one item", "OK"]
        self.assertEqual(self.faults(told), ["2 of 13 words not told: behind 'item' 'another item'", "2 strange words"])

    def test_a_line_told_again_is_a_repeat_unless_it_was_said_again(self):
        line = "The same line stands here."
        self.assertEqual(self.faults([line, line], f"{line}\n\n{line}"), [])
        self.assertEqual(self.faults([line, line], line), ["1 repeats", "5 strange words"])
        self.assertEqual(self.faults(["OK", "OK"], "OK"), ["1 strange words"])

    def test_a_line_told_before_it_was_whole_is_partial(self):
        told = ["The same line st", "The same line stands here."]
        self.assertEqual(self.faults(told, "The same line stands here."), ["1 partial", "4 strange words"])

    def test_boxes_rules_and_key_hints_are_chrome_but_not_the_table_that_was_said(self):
        said = "| name | rows |\n|---|---|\n| alpha | 12 |"
        table = ["┌───────┬──────┐", "│ name  │ rows │", "├───────┼──────┤", "│ alpha │ 12   │"]
        self.assertEqual(self.faults(table, said), [])
        self.assertEqual(self.faults([*table, "  ? for shortcuts", "─" * 40], said), ["2 chrome", "3 strange words"])

    def test_the_lines_of_a_fence_count_and_its_marks_do_not(self):
        said = "See:\n\n```python\ndef add():\n    pass\n```\n\nThat is all."
        self.assertEqual(self.faults(["See:", "", " 1 def add():", " 2     pass", "", "That is all."], said), [])
        self.assertEqual(len(self.faults(["See:", "", "That is all."], said)), 1)

    def test_a_row_may_end_between_any_two_wide_characters(self):
        self.assertEqual(self.faults(["日本語の行も", "ある。"], "日本語の行もある。"), [])
        faults = ["4 of 9 words not told: behind '行' 'も あ る 。'"]
        self.assertEqual(self.faults(["日本語の行"], "日本語の行もある。"), faults)

    def test_accents_may_be_composed(self):
        self.assertEqual(self.faults(["caf\u00e9"], "cafe\u0301"), [])

    def test_of_a_run_that_was_cut_the_beginning_is_needed_and_the_rest_may_be_told(self):
        needed = "The first paragraph is long"
        self.assertEqual(self.faults(["The first paragraph is long"], needed=needed), [])
        self.assertEqual(self.faults(["The first paragraph is long enough to wrap.", "- one"], needed=needed), [])
        self.assertEqual(self.faults(["The first paragraph is long en"], needed=needed), [])
        self.assertEqual(len(self.faults(["The first paragraph is"], needed=needed)), 1)


class InOrderTest(unittest.TestCase):
    def test_it_is_a_longest_common_sequence(self):
        chance = random.Random(1)
        words = ["".join(chance.choices("abc", k=chance.randrange(9))) for _ in range(60)]
        for want, got in itertools.product(words, words):
            kept = in_order(list(want), list(got))
            self.assertEqual(len(kept), table_length(want, got), (want, got))
            self.assertEqual(kept, sorted(set(kept)))
            rest = iter(got)
            self.assertTrue(all(want[place] in rest for place in kept), (want, got, kept))

    def test_tokens_are_words_without_the_signs_of_markdown(self):
        self.assertEqual(tokens("- **One** of `two`, well-known › 1. Yes"),
                         ["One", "of", "two,", "well", "known", "›", "1.", "Yes"])


class FirstWordsTest(unittest.TestCase):
    def test_from_the_line_that_was_sent_to_the_record_that_begins_it(self):
        said = [Beginning("One line here.\nMore", 10.0, 11.0), Beginning("One line here.", 20.0, 20.5)]
        told = [(11.25, "One line here."), (11.3, "More"), (21.0, "• One line"), (21.0, "here.")]
        self.assertEqual(first_words_ms(said, told), [250, 500])

    def test_a_text_that_was_not_told_has_no_time_and_a_row_told_before_its_line_was_whole_took_none(self):
        said = [Beginning("A long line that wraps.", 10.0, 14.0), Beginning("Never told.", 20.0, 20.5)]
        self.assertEqual(first_words_ms(said, [(12.0, "A long line")]), [0])


if __name__ == "__main__":
    unittest.main()
