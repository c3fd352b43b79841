import tempfile
import unittest
from pathlib import Path

import examples

TRUE = Path("/bin/true")  # in the place of orch, of which these examples say nothing


def page(*lines: str, marker: str = "<!-- runs -->") -> str:
    return "\n".join(["# A page", "", marker, "```console", *lines, "```", ""])


class Matches(unittest.TestCase):
    def test_lines_have_to_be_the_same_but_for_their_blanks(self):
        self.assertTrue(examples.matches(["a  b", "c"], ["a b", "c"]))
        for lines in ([], ["a b"], ["a b", "d"], ["a b", "c", "c"], ["ab", "c"]):
            self.assertFalse(examples.matches(["a b", "c"], lines))

    def test_three_dots_are_any_lines_or_any_text(self):
        self.assertTrue(examples.matches(["...", "b"], ["b"]))
        self.assertTrue(examples.matches(["a", "...", "b", "..."], ["a", "x", "y", "b", "z"]))
        self.assertTrue(examples.matches(["run ... ended"], ["run 3 ended"]))
        self.assertFalse(examples.matches(["a", "...", "b"], ["a", "x"]))
        self.assertFalse(examples.matches(["run ... ended"], ["run 3 began"]))

    def test_what_differs_from_time_to_time_is_compared_by_its_shape(self):
        self.assertTrue(examples.matches(["20261127T101500123-42-1a2b after 3s"], ["20270101T000000000-42-ffff after 12s"]))
        self.assertTrue(examples.matches(["orch-42@1a2b3c4d"], ["orch-42@00000000"]))
        self.assertTrue(examples.matches(["2026-11-27T10:15:00.123Z"], ["2027-01-01T00:00:00.000Z"]))
        self.assertFalse(examples.matches(["20261127T101500123-42-1a2b"], ["20270101T000000000-43-ffff"]))
        self.assertFalse(examples.matches(["exit 3"], ["exit 4"]))


class Pages(unittest.TestCase):
    def wrong(self, text: str) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "page.md"
            path.write_text(text)
            return examples.wrong_in(path, Path(folder), TRUE)[1]

    def test_an_example_that_prints_what_the_page_says_is_right(self):
        self.assertEqual(self.wrong(page("$ echo one; echo two >&2", "one", "two", "$ (exit 3)", "$ echo $?", "3")), [])

    def test_an_example_that_prints_something_else_is_told_with_it(self):
        [told] = self.wrong(page("$ echo one", "one", "$ echo two", "three"))
        self.assertRegex(told, r"page\.md:7: \$ echo two\n  printed:\n    two\n")

    def test_an_example_that_prints_what_the_page_does_not_say_is_told(self):
        self.assertEqual(len(self.wrong(page("$ echo one", "$ echo two", "two"))), 1)

    def test_what_one_block_sets_the_next_has(self):
        self.assertEqual(self.wrong(page("$ word=x") + page("$ echo $word", "x")), [])

    def test_a_command_that_ends_the_shell_is_told(self):
        [told] = self.wrong(page("$ exit 1", "$ echo one", "one"))
        self.assertIn("ended the shell", told)

    def test_a_console_block_without_a_marker_is_told(self):
        self.assertEqual(len(self.wrong(page("$ echo one", "two", marker=""))), 1)
        self.assertEqual(self.wrong(page("$ echo one", "two", marker="<!-- shown: needs a login -->")), [])

    def test_a_marker_without_an_example_is_told(self):
        for text in (page(), page("one"), "<!-- runs -->\n\nWords.\n", "<!-- runs -->\n```sh\n$ echo\n```\n"):
            self.assertEqual(len(self.wrong(text)), 1, text)


if __name__ == "__main__":
    unittest.main()
