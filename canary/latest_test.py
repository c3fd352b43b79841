"""python3 -m unittest discover -s canary -p '*_test.py'"""

import argparse
import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import drift
import install
import latest
from agents import AGENTS, DEFAULT_AGENTS
from command_line import CANNOT_RUN, RIGHT, WRONG
from install import REPOSITORY, CannotRun, tested_version
from latest import CAMPAIGNS, Campaign, Cell, Played
from load import MOST_PATIENCE, LoadMeter, cores, slowness
from workplace import Programs

# Ends with the codes of the file beside its folder, one after another, and notes how it was called.
FAKE = """import os, pathlib, sys
run = pathlib.Path(os.environ["ORCH_CANARY_RUN"])
codes = run.parent / "codes"
first, *rest = codes.read_text().split()
codes.write_text(" ".join(rest))
print(*sys.argv[1:])
print("a word about it", file=sys.stderr)
sys.exit(int(first))
"""


def arguments(**given) -> argparse.Namespace:
    return argparse.Namespace(**({"quick": True, "campaign": None, "agent": None} | given))


def played(name: str, agent: str, code: int | None, **more) -> Played:
    campaign = next(campaign for campaign in CAMPAIGNS if campaign.name == name)
    return Played(Cell(campaign, agent), code, Path("/runs") / name, 60, 1.0, **more)


class CellTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(mock.patch.object(latest, "HERE", self.folder))
        (self.folder / "fake.py").write_text(FAKE)

    def play(self, codes: str, **campaign) -> Played:
        (self.folder / "codes").write_text(codes)
        cell = Cell(Campaign("fake", "fake.py", 1, ("--quickly",), **campaign), "claude")
        return latest.play(Programs(), cell, {"claude": "9.9.9"}, arguments(), Path("/bin/orch"), self.folder)

    def test_what_is_right_runs_once(self):
        one = self.play("0 0")
        self.assertEqual((one.code, one.verdict, one.is_fault), (RIGHT, "right", False))
        self.assertEqual((self.folder / "codes").read_text(), "0")
        versions = json.loads((self.folder / "fake-claude/versions.json").read_text())
        self.assertEqual(versions, {"claude": "9.9.9"})
        called = (self.folder / "fake-claude/stdout.txt").read_text().split()
        self.assertEqual(called, ["--orch", "/bin/orch", "--quickly", "--agent", "claude@9.9.9", "--keep"])

    def test_what_is_wrong_once_is_no_fault_but_named(self):
        one = self.play("1 0")
        self.assertEqual(one.code, RIGHT)
        self.assertIn("right the second time, load ", one.verdict)

    def test_what_is_wrong_twice_is_a_fault(self):
        one = self.play("1 1 0")
        self.assertTrue(one.is_fault)
        self.assertEqual(one.folder.name, "fake-claude-again")
        self.assertEqual((self.folder / "codes").read_text(), "0")

    def test_what_was_right_in_a_log_is_not_made_again(self):
        log = self.folder / "fake.jsonl"
        right, wrong, other = {"run": 1, "faults": []}, {"run": 2, "faults": ["lost"]}, {"run": 3, "verdict": "too early"}
        log.write_text("".join(json.dumps(record) + "\n" for record in (right, wrong, other)))
        latest.keep_right(log, self.folder / "again.jsonl")
        self.assertEqual((self.folder / "again.jsonl").read_text(), json.dumps(right) + "\n")

    def test_what_repeats_its_own_runs_is_not_repeated(self):
        self.assertTrue(self.play("1 0", again=False).is_fault)

    def test_what_cannot_run_is_left_out_and_says_why(self):
        one = self.play("2 0")
        self.assertEqual((one.code, one.is_fault), (CANNOT_RUN, False))
        self.assertEqual(one.verdict, "left out: a word about it")


class CampaignsTest(unittest.TestCase):
    def test_every_program_is_there_and_every_agent_known(self):
        for campaign in CAMPAIGNS:
            self.assertTrue((latest.HERE / campaign.program).exists(), campaign.program)
            self.assertLessEqual({agent.partition("-")[0] for agent in campaign.agents}, {latest.ANY, *AGENTS})

    def test_every_campaign_that_drives_the_clis_is_part_of_it(self):
        lines = [line for script in (REPOSITORY / "script").iterdir() if script.is_file()
                 for line in script.read_text(encoding="utf-8").splitlines()]
        called = {line.split()[-2] for line in lines if "with-python" in line and " canary/" in line}
        measures = {"starts.py", "acp_times.py"}  # of time, on an idle machine alone
        self.assertEqual({Path(program).name for program in called},
                         {campaign.program for campaign in CAMPAIGNS} | measures)

    def test_a_choice_of_campaigns_and_agents_is_kept_to(self):
        cells = latest.cells_of(arguments(campaign=["words", "limits", "mcp"], agent=["claude"]))
        self.assertEqual({cell.name for cell in cells}, {"words-claude", "limits-claude", "limits-claude-plan", "mcp"})

    def test_the_budget_of_a_quick_run_is_an_hour_on_two_cores(self):
        lanes = [0.0] * latest.LANES
        for cell in latest.cells_of(arguments()):
            lanes[lanes.index(min(lanes))] += cell.minutes
        self.assertLessEqual(max(lanes), 60)


class TableTest(unittest.TestCase):
    def test_a_fault_is_one_of_its_agent_or_of_all_that_took_part(self):
        self.assertTrue(played("limits", "claude-plan", WRONG).spoils("claude"))
        self.assertFalse(played("limits", "claude-plan", WRONG).spoils("codex"))
        self.assertTrue(played("mcp", "", WRONG).spoils("codex"))
        self.assertFalse(played("mcp", "", CANNOT_RUN).spoils("codex"))

    def test_it_says_for_each_campaign_and_agent_how_it_was(self):
        first = played("words", "claude", WRONG)
        rows = [played("words", "claude", RIGHT, first_wrong=first), played("words", "codex", WRONG),
                played("mcp", "", RIGHT)]
        drawn = {"claude": drift.Drawing(3, {"a: b": True, "a: c": False}, ["not drawn: a: c"], new_rows=["Tip: x"])}
        text = latest.table({"claude": "2.1", "codex": "0.17"}, rows, drawn, 12)
        for line in ("The newest claude 2.1, codex 0.17; 12 minutes", "words-codex: /runs/words", "  not drawn: a: c",
                     "claude: 1 of 2 literals of its manifest drawn, in 3 recordings", "  new row: Tip: x"):
            self.assertIn(line, text)
        self.assertIn("| words | right the second time, load 1.0 a core | WRONG | 3.0 |", text.splitlines())
        self.assertIn("| mcp | right | right | 1.0 |", text.splitlines())


class DriftTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def record(self, path: str, version: str = "2.1", drawn: str = "Hello") -> None:
        file = self.folder / path / "state/runs/20260101-abcd/output.cast"
        file.parent.mkdir(parents=True)
        (file.parent / "run.json").write_text(json.dumps({"agent": "claude", "agent_version": version}))
        file.write_text(json.dumps({"version": 2, "orch": {"agent": "claude"}}) + "\n" +
                        json.dumps([0.1, "i", "x"]) + "\n" + json.dumps([0.2, "o", drawn]) + "\n")

    def test_recordings_are_those_in_which_nobody_imitates_the_agent(self):
        self.record("statuses-claude/runs/1/claude-plain-80x24")
        self.record("statuses-claude/runs/1/claude-trick-text-80x24")
        self.record("words-claude/words/claude/mixed-80x24")
        self.record("words-claude/words/claude/tools-80x24")
        self.record("deliveries-claude/deliveries/cold.claude.0001")
        self.record("limits-claude/limits-x/week", version="2.0")
        self.record("limits-claude/limits-x/home/week")
        self.record("verdicts-claude/verdicts-x/success-headless", drawn='{"type":')
        found = {str(path.relative_to(self.folder)) for _, path in drift.recordings_in(self.folder, {"claude": "2.1"})}
        runs = "state/runs/20260101-abcd/output.cast"
        self.assertEqual(found, {f"statuses-claude/runs/1/claude-plain-80x24/{runs}",
                                 f"words-claude/words/claude/tools-80x24/{runs}"})

    def test_the_program_is_looked_for_beside_orch_and_then_in_other_builds(self):
        orch = self.folder / "build/package/bin/orch"
        other = self.folder / "build/release/bin/drift"
        for file in (orch, other):
            file.parent.mkdir(parents=True)
            file.touch()
        with mock.patch.object(drift, "REPOSITORY", self.folder):
            self.assertEqual(drift.find_program(orch), other)
            (orch.parent / "drift").touch()
            self.assertEqual(drift.find_program(orch), orch.parent / "drift")
            other.unlink()
            (orch.parent / "drift").unlink()
            self.assertRaises(CannotRun, drift.find_program, orch)

    def test_rows_are_the_agents_own_where_nobody_else_said_a_word_of_them(self):
        others = {"explain", "sum.py", "please."}
        self.assertTrue(drift.is_own("? for shortcuts", others))
        self.assertFalse(drift.is_own("❯ explain sum.py", others))
        self.assertFalse(drift.is_own("────── 12", others))
        self.assertFalse(drift.is_own("explain x/PATH", others))
        self.assertFalse(drift.is_own("word " * 80, others))

    def test_a_drawing_is_held_against_what_is_known(self):
        told = {"recordings": 2, "literals": {"a: b": {"recording": "r", "at_ms": 1}, "a: c": None}, "dialogs": [{}],
                "screens": [], "rows": {"Tip: old": {}, "Tip: new": {}}, "faults": ["not drawn: a: c", "dialog of no kind"]}
        known = {"undrawn": ["a: b"], "rows": ["Tip: old"]}
        whole = drift.drawing_of(told, known, set(), whole=True)
        self.assertEqual((whole.new_rows, whole.found_again, whole.undrawn), (["Tip: new"], ["a: b"], ["a: c"]))
        self.assertEqual(len(whole.faults), 2)
        self.assertEqual(drift.drawing_of(told, known, set(), whole=False).faults, ["dialog of no kind"])

    def test_an_update_notes_what_was_drawn_and_sets_the_version_of_what_was_right(self):
        known, manifests = self.folder / "drawn.json", self.folder
        for agent in ("claude", "codex"):
            (manifests / f"{agent}.json").write_text(f'{{\n  "name": "{agent}",\n  "tested": "1.0"\n}}\n')
        known.write_text(json.dumps({
            "claude": {"dialogs": ["Sign in"], "undrawn": ["a: b", "gone: x"]}, "gemini": {"version": "3"},
        }))
        drawn = {
            "claude": drift.Drawing(1, {"a: b": True, "a: c": False}, ["not drawn: a: c"], 0, ["Tip: x"], ["Tip: x"]),
            "codex": drift.Drawing(1, {}, ["dialog of no kind: x"], 1),
        }
        with mock.patch.multiple(drift, KNOWN=known, MANIFESTS=manifests, REPOSITORY=self.folder):
            drift.update({"claude": "2.0", "codex": "2.0"}, drawn, ["claude", "codex"])
        told = json.loads(known.read_text())
        self.assertEqual(told["claude"], {
            "version": "2.0", "undrawn": ["a: b", "a: c"], "rows": ["Tip: x"], "dialogs": ["Sign in"],
        })
        self.assertEqual(told["gemini"], {"version": "3"})
        self.assertIn('"tested": "2.0"', (manifests / "claude.json").read_text())
        self.assertIn('"tested": "1.0"', (manifests / "codex.json").read_text())  # it has a dialog of no kind
        self.assertEqual((drawn["claude"].faults, drawn["codex"].faults), ([], ["dialog of no kind: x"]))


class TestedTest(unittest.TestCase):
    def test_no_manifest_says_that_a_version_was_tested_which_the_canary_has_not_seen(self):
        known = drift.read_known()
        for agent in DEFAULT_AGENTS:
            seen = [known.get(agent, {}).get("version", "0")]
            for recording in (REPOSITORY / "tests/recordings").rglob("*.cast"):
                with recording.open(encoding="utf-8") as file:
                    made_by = json.loads(file.readline()).get("orch") or {}
                if made_by.get("agent") == agent:
                    seen.append(made_by["version"])
            newest = max(seen, key=numbers_of)
            self.assertLessEqual(numbers_of(tested_version(AGENTS[agent])), numbers_of(newest), agent)

    def test_a_run_of_all_campaigns_says_which_versions_are_driven(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / install.VERSIONS_FILE).write_text('{"claude": "9.9.9"}')
            with mock.patch.dict("os.environ", {install.RUN_VARIABLE: folder}):
                self.assertEqual(install.driven_version(AGENTS["claude"]), "9.9.9")
                self.assertEqual(install.driven_version(AGENTS["codex"]), tested_version(AGENTS["codex"]))


def numbers_of(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


class LoadTest(unittest.TestCase):
    def test_a_machine_is_as_slow_as_it_has_threads_for_each_core(self):
        self.assertEqual(slowness(0), 1)
        self.assertEqual(slowness(cores()), 1)
        self.assertEqual(slowness(3 * cores()), 3)
        self.assertEqual(slowness(1e6), MOST_PATIENCE)

    def test_what_was_not_measured_is_an_idle_machine(self):
        with LoadMeter() as meter:
            pass
        self.assertEqual(meter.slowness, 1)


if __name__ == "__main__":
    unittest.main()
