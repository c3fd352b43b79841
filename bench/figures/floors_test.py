import json
import tempfile
import unittest
from pathlib import Path

import floors
from figure import Figure
from floors import Bound
from measure import BENCH, BENCHES

FLOORS = {
    "idle": {
        "wakeups": Bound(at_most=0),
        "memory": Bound(at_most=300, holds="release"),
        "p99": Bound(at_most=50, holds="quiet"),
        "cpu": Bound(),
    }
}
GOOD = [Figure("wakeups", 0, ""), Figure("memory", 280.4, "KB"), Figure("p99", 70, "ms"), Figure("cpu", 1, "ms")]


def compare(*changed: Figure, place: str = "release", without: str = "") -> floors.Comparison:
    names = {figure.name for figure in changed} | {without}
    figures = [figure for figure in GOOD if figure.name not in names]
    return floors.compare("idle", [*figures, *changed], FLOORS, place)


class Compare(unittest.TestCase):
    def test_figures_are_told_with_their_bounds(self):
        result = compare()
        self.assertEqual(result.lines, ["wakeups: 0 (at most 0)", "memory: 280 KB (at most 300)", "p99: 70 ms", "cpu: 1 ms"])
        self.assertEqual((result.failures, result.not_compared), ([], ["p99"]))

    def test_a_figure_beyond_its_bound_fails(self):
        self.assertEqual(compare(Figure("memory", 435, "KB")).failures, ["memory: 435 KB (at most 300)"])
        self.assertEqual(floors.compare("a", [Figure("r", 5.9, "x")], {"a": {"r": Bound(at_least=6)}}, "release").failures,
                         ["r: 5.9 x (at least 6)"])

    def test_each_place_has_the_bounds_that_hold_there(self):
        big = Figure("memory", 9000, "KB")
        self.assertEqual(compare(big, place="everywhere").not_compared, ["p99", "memory"])
        self.assertEqual(len(compare(big, place="quiet").failures), 2)
        self.assertEqual(len(compare(Figure("wakeups", 1, ""), place="everywhere").failures), 1)

    def test_a_figure_that_is_missing_fails(self):
        self.assertEqual(compare(without="cpu").failures, ["cpu: missing"])

    def test_a_figure_that_tells_nothing_fails_though_it_has_no_bound(self):
        self.assertEqual(compare(Figure("cpu", 1, "ms", 0)).failures, ["cpu: nothing was measured (n = 0)"])
        self.assertEqual(compare(Figure("cpu", float("inf"), "ms")).failures, ["cpu: no number"])

    def test_a_bench_of_which_the_file_knows_nothing_fails(self):
        self.assertEqual(len(floors.compare("new", GOOD, FLOORS, "release").failures), 1)


class Read(unittest.TestCase):
    def read(self, benches: dict) -> floors.Floors:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(json.dumps(benches))
            file.flush()
            return floors.read(Path(file.name))

    def test_bounds_are_read(self):
        self.assertEqual(self.read({"": "about", "a": {"b": {"at_most": 1, "holds": "release"}}}),
                         {"a": {"b": Bound(at_most=1, holds="release")}})

    def test_a_word_that_nobody_knows_is_told(self):
        for entry in ({"at_mots": 1}, {"holds": "here"}, 3):
            with self.assertRaises(floors.Unusable):
                self.read({"a": {"b": entry}})

    def test_the_file_names_the_figures_of_every_bench(self):
        known = floors.read(BENCH / "floors.json")
        self.assertEqual(known.keys(), BENCHES.keys())
        self.assertTrue(all(known.values()))


if __name__ == "__main__":
    unittest.main()
