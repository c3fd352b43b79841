"""python3 -m unittest discover -s canary -p '*_test.py'"""

import json
import tempfile
import unittest
from pathlib import Path

from model_server import Fact
from said import before_cut, beginnings, drawn, said
from told import Beginning

FACTS = [
    Fact(10, "arrived", 0),
    Fact(10, "step", 0, step="say"),
    Fact(11, "said", 0, text="The first"),
    Fact(12, "said", 0, text=" line.\nThe se"),
    Fact(13, "said", 0, text="cond line."),
    Fact(14, "step", 0, step="use"),
    Fact(15, "answered", 0, calls=True),
    Fact(16, "arrived", 1),
    Fact(16, "step", 1, step="say"),
    Fact(17, "said", 1, text="OK"),
    Fact(18, "answered", 1),
]


class SaidTest(unittest.TestCase):
    def test_pieces_become_the_texts_of_the_steps(self):
        self.assertEqual(said(FACTS), "The first line.\nThe second line.\n\nOK\n\n")

    def test_a_text_begins_with_its_first_piece_and_its_line_is_whole_where_it_ends(self):
        texts = [Beginning("The first line.\nThe second line.", 11, 12), Beginning("OK", 17, 17)]
        self.assertEqual(beginnings(FACTS), texts)

    def test_before_a_cut_are_the_whole_lines_and_what_was_drawn_of_the_next(self):
        self.assertEqual(before_cut(FACTS, 12.5, "Thefirstline.Theseco"), "The first line.\nThe")
        self.assertEqual(before_cut(FACTS, 13.5, "Thefirstline.Thesecondli"), "The first line.\nThe second")
        self.assertEqual(before_cut(FACTS, 13.5, "Thefirstline.The"), "The first line.\nThe")
        self.assertEqual(before_cut(FACTS, 12.5, ""), "The first line.\n")

    def test_what_was_drawn_is_the_characters_of_the_output_alone(self):
        outputs = "\x1b]0;a title\x07\x1b[1;31m• The\x1b[0m ", "first\x1b7\r\n line"
        events = [[0.1, "o", outputs[0]], [0.2, "i", "typed"], [0.3, "o", outputs[1]]]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "output.cast"
            file.write_text("\n".join(map(json.dumps, [{"version": 2}, *events])))
            self.assertEqual(drawn(file), "•Thefirstline")
        self.assertEqual(drawn(None), "")


if __name__ == "__main__":
    unittest.main()
