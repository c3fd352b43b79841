import unittest

import pages
from figure import Figure
from measure import REPOSITORY

TEXT = "Before.\n\n<!-- figures:live -->\n| a | b |\n|---|---:|\n| x | 1 |\n<!-- /figures -->\n\nAfter.\n"


def by_name(*figures: Figure) -> dict[str, Figure]:
    return {figure.name: figure for figure in figures}


def stream(name: str, ratio: float) -> list[Figure]:
    speeds = {"orch": 110, "orch+detect": 100, "libvterm": 100 / ratio, "bare scan": 1000, "RE2 strip": 50.4}
    return [
        *(Figure(f"speed.{name}.{contender}", speed, "MB/s") for contender, speed in speeds.items()),
        Figure(f"speed.{name}.ratio", ratio, "x libvterm"),
        Figure(f"speed.{name}.detection", 10, "%"),
    ]


class Tables(unittest.TestCase):
    def test_a_row_for_each_stream_and_what_detection_adds(self):
        text = pages.speed(by_name(*stream("codex", 9), *stream("cjk+emoji", 13.58), Figure("speed.codex.real_time", 33, "")))
        self.assertIn("| codex | 100 | 11 | 9.0 | 1000 | 50 |\n| cjk and emoji | 100 | 7 | 13.6 | 1000 | 50 |\n", text)
        self.assertIn("Without detection it is +10 to +10 % faster: rounds differ, too. An agent in real time takes a 30,000th part", text)

    def test_a_column_for_each_agent_that_was_measured(self):
        names = ["recordings", "scored", "right", "falsely_idle", "never_reached", "latency.p50", "latency.p95"]
        figures = [Figure(f"accuracy.{agent}.{name}", 4, "") for agent in ("qwen", "claude", "other") for name in names]
        text = pages.accuracy(by_name(*figures))
        self.assertTrue(text.startswith("On 12 recordings of three agents, 12 scored seconds:\n\n| | claude | qwen | other |\n|---|---:|---:|---:|\n"))
        self.assertIn("| latency p50 / p95, ms | 4 / 4 | 4 / 4 | 4 / 4 |", text)

    def test_the_table_of_readme_fits_into_80_columns(self):
        worst = {"right": 100, "falsely_idle": 99, "latency.p50": 1590}
        figures = [Figure(f"accuracy.{agent}.{name}", value, "") for agent in pages.AGENTS for name, value in worst.items()]
        text = pages.summary(by_name(*figures))
        self.assertIn("| right, % of the time | 100.0 | 100.0 |", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_a_figure_that_is_missing_makes_no_table(self):
        with self.assertRaises(KeyError):
            pages.live(by_name(Figure("idle.wakeups", 0, "")))


class Blocks(unittest.TestCase):
    def test_a_block_is_replaced_and_nothing_else(self):
        self.assertEqual(pages.replaced(TEXT, {"live": "new\n"}), TEXT.replace("| a | b |\n|---|---:|\n| x | 1 |\n", "new\n"))
        self.assertEqual(pages.replaced(TEXT, {}), TEXT)

    def test_a_page_without_a_block_or_with_one_twice_is_told(self):
        for page, names in pages.PAGES.items():
            whole = "".join(TEXT.replace("live", name) for name in names)
            self.assertEqual(sorted(pages.blocks_in(page, whole)), sorted(names))
            for text in ("", whole + whole, whole + TEXT.replace("live", "other"), whole.replace("<!-- /figures -->", "", 1)):
                with self.assertRaises(pages.Unusable):
                    pages.blocks_in(page, text)

    def test_each_block_stands_on_one_page(self):
        self.assertEqual(sorted(sum(pages.PAGES.values(), [])), sorted(pages.BLOCKS))

    def test_the_pages_of_the_repository_have_their_blocks(self):
        for page in pages.PAGES:
            pages.blocks_in(page, (REPOSITORY / page).read_text())


class Moved(unittest.TestCase):
    OLD = "On 3 recordings:\n\n| | claude | qwen |\n|---|---:|---:|\n| right | 99.0 | 1,000 |\n| gone | 1 | 1 |\n"

    def test_what_stands_as_it_stood_did_not_move(self):
        self.assertEqual(pages.moved(self.OLD, self.OLD), [])

    def test_each_cell_that_moved_is_told(self):
        new = "On 4 recordings:\n\n| | claude | qwen |\n|---|---:|---:|\n| right | 98.0 | 1,100 |\n| new | 0 | 1 / 2 |\n"
        self.assertEqual(
            pages.moved(self.OLD, new),
            [
                "line 1 of text: On 3 recordings: → On 4 recordings:",
                "right, claude: 99.0 → 98.0 (-1.0 %)",
                "right, qwen: 1,000 → 1,100 (+10.0 %)",
                "new, claude: - → 0",
                "new, qwen: - → 1 / 2",
                "gone, claude: 1 → gone",
                "gone, qwen: 1 → gone",
            ],
        )


if __name__ == "__main__":
    unittest.main()
