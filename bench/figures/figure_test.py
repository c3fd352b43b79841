import contextlib
import io
import json
import unittest

from figure import Figure, finish, why_unmeasured


def finished(figures: list[Figure], as_json: bool = False) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = finish("bench", figures, as_json)
    return code, out.getvalue(), err.getvalue()


class Measured(unittest.TestCase):
    def test_a_figure_of_no_measurement_tells_nothing(self):
        self.assertIn("n = 0", why_unmeasured(Figure("a", 1.0, "ms", 0)))

    def test_what_is_no_number_tells_nothing(self):
        for value in (float("nan"), float("inf"), None):
            self.assertEqual(why_unmeasured(Figure("a", value, "ms")), "no number")

    def test_what_was_missed_is_told(self):
        self.assertEqual(why_unmeasured(Figure("turns.missed", 3, "turns", 10)), "3 of 10 missed")
        self.assertIsNone(why_unmeasured(Figure("turns.missed", 0, "turns", 10)))

    def test_a_bench_that_measured_nothing_fails(self):
        self.assertEqual(finished([]), (1, "", "bench: nothing was measured\n"))
        self.assertEqual(finished([Figure("a", 1, "ms", 0)])[0], 1)

    def test_a_bench_that_measured_tells_its_figures(self):
        code, out, err = finished([Figure("a", 1.5, "ms", 2)], as_json=True)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(json.loads(out), [{"name": "a", "value": 1.5, "unit": "ms", "n": 2}])


if __name__ == "__main__":
    unittest.main()
