import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import floors
import main
import pages
from figure import Figure
from measure import CannotMeasure

def page_of(*names: str) -> str:
    return "".join(f"<!-- figures:{name} -->\n| {name} | |\n|---|---:|\n| x | 1 |\n<!-- /figures -->\n" for name in names)


OLD = page_of("short", "one", "two")
PAGES = {"a.md": ["short"], "b.md": ["one", "two"]}


def lacking(_place):
    raise CannotMeasure("docker is not installed")


def block(figures):
    return f"| one | |\n|---|---:|\n| x | {figures['x'].value:g} |\n"


class Figures(unittest.TestCase):
    def run_main(self, *words: str, value: float = 2, bound: floors.Bound | None = None) -> tuple[int, str, str]:
        """The exit code, what was printed, and the pages afterwards, a.md first."""

        def bench(_place):
            self.measured += 1
            return [Figure("x", value, "ms")]

        self.measured = 0
        benches = {"a": bench, "b": lacking}
        blocks = {"short": (block, ["a"]), "one": (block, ["a"]), "two": (block, ["b"])}
        printed = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
            for name, blocks_there in PAGES.items():
                (Path(folder) / name).write_text(page_of(*blocks_there))
            stack.enter_context(mock.patch.dict(main.BENCHES, benches))
            stack.enter_context(mock.patch.object(pages, "BLOCKS", blocks))
            stack.enter_context(mock.patch.object(pages, "PAGES", PAGES))
            stack.enter_context(mock.patch.object(floors, "read", lambda _path: {"a": {"x": bound or floors.Bound()}}))
            stack.enter_context(contextlib.redirect_stdout(printed))
            stack.enter_context(contextlib.redirect_stderr(printed))
            code = main.main(["--pages", folder, *words])
            return code, printed.getvalue(), "".join((Path(folder) / name).read_text() for name in PAGES)

    def test_a_table_is_made_anew_and_what_moved_is_told(self):
        code, printed, text = self.run_main()
        self.assertEqual((code, text), (main.RIGHT, page_of("short", "one").replace("| x | 1 |", "| x | 2 |").replace("| short |", "| one |") + page_of("two")))
        self.assertEqual(self.measured, 1)
        self.assertIn("one: x: 1 → 2 (+100.0 %)", printed)

    def test_what_the_machine_cannot_measure_is_kept_and_said_to_be(self):
        self.assertIn("kept: the figures of two: docker is not installed", self.run_main()[1])

    def test_a_check_writes_nothing(self):
        self.assertEqual(self.run_main("--check")[2], OLD)

    def test_figures_beyond_their_bounds_do_not_come_into_the_pages(self):
        code, printed, text = self.run_main(bound=floors.Bound(at_most=1.5, holds="quiet"))
        self.assertEqual((code, text), (main.WRONG, OLD))
        self.assertIn("x: 2 ms (at most 1.5)", printed)

    def test_bounds_of_a_quiet_machine_do_not_hold_for_a_trial(self):
        code, printed, _ = self.run_main("--quick", bound=floors.Bound(at_most=1.5, holds="quiet"))
        self.assertEqual(code, main.RIGHT)
        self.assertIn("not compared", printed)

    def test_what_measures_nothing_does_not_come_into_the_pages(self):
        code, printed, text = self.run_main(value=float("nan"))
        self.assertEqual((code, text), (main.WRONG, OLD))
        self.assertIn("x: no number", printed)


if __name__ == "__main__":
    unittest.main()
