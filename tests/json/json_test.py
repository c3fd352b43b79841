#!/usr/bin/env python3
"""json_test.py ORCH: every --json of every command, looked at by its schema in docs/schemas, and whether the same run is told
by the same words everywhere. A command with --json that has no row in COMMANDS is a fault, and so is a schema that no
command's output was looked at by."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from schema import Schemas

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = Schemas(ROOT / "docs/schemas")
VOCABULARY = "vocabulary.schema.json"
# Of files of the user, which have names of their own; the others are of the output of commands.
OF_FILES = {"manifest.schema.json"}
EVENTS = "events"  # docs/events.schema.json, which tests/e2e/output_test.cc holds
# The schemas of each command's --json.
COMMANDS = {
    "run": {EVENTS, "run-detached", "summary", "result"}, "retry": {EVENTS, "run-detached"},
    "continue": {EVENTS, "run-detached"}, "logs": {EVENTS}, "replay": {EVENTS},
    "sessions": {"sessions"}, "top": {"top"}, "status": {"status"}, "wait": {"wait"}, "runs": {"runs"}, "show": {"show", "request"},
    "kill": {"kill", "stop"},  # "stop": the old orch stop
    "send": {"send"}, "answer": {"answer"}, "keys": {"keys"}, "reset": {"reset"},
    "gc": {"gc"}, "diff": {"diff"}, "undo": {"undo", "undo-list"}, "agents": {"agents"}, "agents show": {"capabilities", "capabilities-of"},
    "config": {"config"}, "doctor": {"doctor", "doctor-records"}, "plan": {"plan"}, "trust": {"trust-list"},
    "task": {"task", "task-status"}, "crew status": {"crew-status"},
    "land": {"land"}, "feedback": {"feedback"}, "race": {"race"}, "submit": {"submit"}, "jobs": {"jobs", "submissions"}, "collect": {"collect"},
}
OF_A_RUN = ("run", "issue", "session", "agent", "state", "status", "cause", "reason", "code", "detail", "started", "ended", "ms",
            "turns", "tokens", "usage")
# Words that mean something else in a task.
OF_A_TASK = {"state": "task_state", "reason": "task_reason", "budget": "task_budget"}


class Place:
    """A project with a state directory and a home of its own; remove() ends what runs there."""

    def __init__(self, orch: str):
        self.orch, self.folder = orch, Path(tempfile.mkdtemp(prefix="orch-json-"))
        self.project, self.state = self.folder / "project", self.folder / "state"
        self.looked_at: set[str] = set()
        for folder in ("project", "home", "runtime"):
            (self.folder / folder).mkdir(mode=0o700)
        self.env = {
            "HOME": str(self.folder / "home"), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "ORCH_DEMO_SPEED": "0.1",
            "XDG_RUNTIME_DIR": str(self.folder / "runtime"), "ORCH_STATE_DIR": str(self.state)}

    def says(self, *words: str, code: int = 0, **env: str) -> str:
        done = subprocess.run([self.orch, *words], cwd=self.project, env=self.env | env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != code:
            raise AssertionError(f"orch {' '.join(words)}: {done.returncode}, not {code}\n{done.stdout}{done.stderr}")
        return done.stdout

    def refused(self, *words: str) -> str:
        done = subprocess.run([self.orch, *words], cwd=self.project, env=self.env, capture_output=True, text=True, check=False)
        if done.returncode != 2:
            raise AssertionError(f"orch {' '.join(words)}: {done.returncode}, not 2\n{done.stdout}{done.stderr}")
        return done.stderr

    def check(self, schema: str, value: object) -> object:
        self.looked_at.add(schema)
        if errors := SCHEMAS.errors(value, f"{schema}.schema.json"):
            raise AssertionError(f"{schema}: " + "\n".join(errors[:20]) + f"\n{json.dumps(value, indent=1)}")
        return value

    def told(self, schema: str, *words: str, **how) -> object:
        """What a command tells as JSON, once it fits the schema."""
        return self.check(schema, json.loads(self.says(*words, "--json", **how)))

    def started(self, *words: str, **how) -> list[dict]:
        """The lines of a command that goes on in the background."""
        return [self.check("run-detached", json.loads(line)) for line in self.says(words[0], "-d", "--json", *words[1:], **how).splitlines()]

    def events(self, *words: str, **how) -> list[dict]:
        self.looked_at.add(EVENTS)
        records = [json.loads(line) for line in self.says(words[0], "--json", *words[1:], **how).splitlines()]
        if not records or records[0]["event"] != "session":
            raise AssertionError(f"orch {' '.join(words)}: no events")
        return records

    def remove(self) -> None:
        subprocess.run([self.orch, "kill", "--all-repositories", "--now"], cwd=self.project, env=self.env, check=False,
                       capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)


def commands_with_json(place: Place) -> set[str]:
    def candidates(*words: str) -> list[str]:
        return [line.split("\t")[0] for line in place.says("internal", "complete", *words).splitlines()]

    found, left = set(), [(word,) for word in candidates("")]
    while left:
        words = left.pop()
        if "--json" in candidates(*words, "--json"):
            found.add(" ".join(words))
        if words in (("crew",), ("agents",)):
            left += [(*words, word) for word in candidates(*words, "")]
    return found


class Vocabulary(unittest.TestCase):
    """One name has one meaning in all schemas."""

    def objects_of(self, schema: object):
        if isinstance(schema, dict):
            if "properties" in schema:
                yield schema
            for part in schema.values():
                yield from self.objects_of(part)

    def test_each_schema_takes_the_names_from_the_vocabulary(self):
        words = SCHEMAS.document(VOCABULARY)["$defs"]
        for name in SCHEMAS.names():
            if name in {VOCABULARY, "request.schema.json", *OF_FILES}:  # the names of options are words of their own
                continue
            for schema in self.objects_of(SCHEMAS.document(name)):
                self.assertIs(schema["additionalProperties"], False, name)
                for key, part in schema["properties"].items():
                    if key in words:
                        taken = {f"{VOCABULARY}#/$defs/{word}" for word in (key, OF_A_TASK.get(key, key))}
                        self.assertIn(part.get("$ref"), taken, f"{name}: {key}")

    def test_the_events_have_the_same_words(self):
        words = SCHEMAS.document(VOCABULARY)["$defs"]
        events = json.loads((ROOT / "docs/events.schema.json").read_text())["$defs"]
        self.assertEqual({*events["agent_status"]["enum"], None}, set(words["status"]["enum"]))
        self.assertEqual(set(events["status"]["properties"]["cause"]["enum"]), set(words["cause"]["enum"]))
        reasons = set(events["exit"]["properties"]["reason"]["enum"])
        self.assertEqual(reasons | {"not_started", None}, set(words["reason"]["enum"]))

    def test_the_page_explains_every_name(self):
        page = (ROOT / "docs/json.md").read_text()
        for word in SCHEMAS.document(VOCABULARY)["$defs"].keys() - set(OF_A_TASK.values()):
            self.assertIn(f"| `{word}`", page)
        for name in set(SCHEMAS.names()) - OF_FILES:
            self.assertIn(f"schemas/{name}", page)

    def test_the_validator_finds_faults(self):
        right = {"run": None, "issue": "7", "session": "orch-7", "key": None, "agent": "demo"}
        self.assertEqual(SCHEMAS.errors(right, "run-detached.schema.json"), [])
        for key, value in (("run", "7"), ("issue", 7), ("session", "7"), ("other", 1), ("agent", True)):
            self.assertNotEqual(SCHEMAS.errors(right | {key: value}, "run-detached.schema.json"), [], key)
        del right["key"]
        self.assertNotEqual(SCHEMAS.errors(right, "run-detached.schema.json"), [])
        self.assertNotEqual(SCHEMAS.errors({}, "runs.schema.json"), [])
        reset = right | {"key": None, "result": "emptied"}
        self.assertNotEqual(SCHEMAS.errors(reset, "reset.schema.json"), [])


class EveryCommand(unittest.TestCase):
    orch = ""

    def setUp(self):
        self.place = Place(self.orch)
        self.addCleanup(self.place.remove)

    def check_one_truth(self, issue: str, code: int):
        """The same run that is over, by every command that tells of it."""
        place = self.place
        run = place.told("runs", "runs", "--issue", issue, "-n", "1")[0]
        result = place.check("result", json.loads((Path(run["run_dir"]) / "result.json").read_text()))
        shown = place.told("show", "show", issue)
        place.check("result", shown["result"])
        place.check("request", shown["request"])
        for told in (run, shown, shown["result"], place.told("status", "status", issue),
                     place.told("wait", "wait", issue, "--until", "exited", code=code)[0],
                     *(one for one in place.told("sessions", "sessions") if one["issue"] == issue),
                     *(one for one in place.told("top", "top") if one["issue"] == issue)):
            self.assertEqual({name: told[name] for name in OF_A_RUN}, {name: result[name] for name in OF_A_RUN})
        self.assertEqual(result["code"], code)
        return result

    def ended_runs(self):
        place = self.place
        place.says("run", "good", "--agent", "demo", "--verify", "true", "--require-changes", "--output", "quiet", "-p", "look",
                   code=21)
        self.assertEqual(self.check_one_truth("good", 21)["reason"], "no_changes")
        place.says("run", "bad", "-d", "--sandbox", "none", "--", "sh", "-c", "exit 3")
        place.says("wait", "bad", "--until", "exited", code=1)
        self.assertEqual(self.check_one_truth("bad", 1)["state"], "failed")
        self.assertEqual([one["life"] for one in place.told("sessions", "sessions")], ["errored"])
        place.says("run", "one", "two", "--output", "quiet", "--", "true")
        place.check("summary", json.loads(next(place.state.glob("summaries/*/summary.json")).read_text()))
        self.check_one_truth("one", 0)
        self.assertEqual(place.events("run", "three", "--", "echo", "hello")[-1]["event"], "exit")
        for words in (("logs", "good"), ("replay", "good")):
            place.says(*words, "--json")
            place.looked_at.add(EVENTS)

    def living_sessions(self):
        place = self.place
        started = place.started("run", "a", "b", "--jobs", "1", "--sandbox", "none", "--", "sleep", "1000")
        self.assertEqual([one["issue"] for one in started], ["a", "b"])
        self.assertEqual([one["run"] is None for one in started], [False, True])
        listed = {one["issue"]: one for one in place.told("sessions", "sessions")}
        self.assertEqual(listed["b"]["life"], "queued")
        self.assertIsNotNone(listed["b"]["queued"])
        self.assertEqual(place.told("status", "status", "b")["life"], "queued")
        self.assertEqual(listed["a"]["run"], started[0]["run"])
        self.assertEqual(place.told("status", "status", "a")["run"], started[0]["run"])
        place.told("top", "top")
        late = place.told("wait", "wait", "a", "--until", "exited", "--timeout", "300ms", code=124)
        self.assertFalse(late[0]["reached"])
        ended = {one["issue"]: one for one in place.told("kill", "kill", "a", "b")}
        self.assertEqual((ended["a"]["reason"], ended["a"]["code"]), ("killed", 137))
        self.assertIsNone(ended["b"]["run"])
        place.started("run", "c", "--sandbox", "none", "--", "sleep", "1000")
        self.assertEqual(place.told("stop", "stop", "c")["reason"], "killed")

    def dialogs_and_messages(self):
        place = self.place
        place.started("run", "ask", "--agent", "demo", "--until", "exit", "--sandbox", "none", "-p", "go",
                      ORCH_DEMO_SCENARIO="permission")
        asked = place.told("wait", "wait", "ask", "--until", "error,waiting")
        self.assertEqual((asked[0]["status"], asked[0]["reached"]), ("waiting", True))
        answered = place.told("answer", "answer", "ask", "yes")
        self.assertEqual(answered["dialog"]["kind"], "permission")
        place.says("kill", "ask", "--now")
        place.started("run", "talk", "--agent", "demo", "--until", "exited", "--sandbox", "none", "-p", "go",
                      ORCH_DEMO_SCENARIO="echo")
        place.says("wait", "talk", "--until", "idle")
        sent = place.told("send", "send", "talk", "hello", "--wait", "idle")
        self.assertEqual((sent["result"], sent["code"]), ("accepted", 0))
        place.told("keys", "keys", "talk", "Escape")
        place.told("reset", "reset", "talk")
        place.says("kill", "talk", "--now")

    def runs_again(self):
        place = self.place
        place.started("retry", "three")
        place.says("wait", "three", "--until", "exited")
        place.events("retry", "three")
        place.started("continue", "good", "more", "--output", "json")
        place.says("wait", "good", "--until", "exited", code=21)
        place.events("continue", "good", "more", code=21)

    def undo(self):
        place = self.place
        (place.project / "kept").write_text("kept\n")
        place.says("run", "change", "--require-changes", "--output", "quiet", "--", "rm", "kept")
        result = self.check_one_truth("change", 0)
        self.assertEqual(result["changes"]["files"], 1)
        self.assertEqual(place.told("diff", "diff", "change")["files"], 1)
        self.assertEqual(place.told("runs", "runs", "--summary", "--issue", "change")[0]["summary"]["files"], 1)
        self.assertEqual(len(place.told("undo-list", "undo", "change", "--list")["to_do"]), 1)
        self.assertEqual(len(place.told("undo", "undo", "change", "--yes")["done"]), 1)

    def what_there_is(self):
        place = self.place
        (place.project / ".orch/adapters").mkdir(parents=True)
        manifest = {"manifest": 1, "name": "mine", "title": "Mine", "program": ["sh"]}
        (place.project / ".orch/adapters/mine.json").write_text(json.dumps(manifest))
        self.assertTrue(any(not one["trusted"] for one in place.told("agents", "agents")))
        place.says("trust", "--yes")
        self.assertEqual([one["standing"] for one in place.told("trust-list", "trust", "--list")], ["trusted"])
        place.told("capabilities", "agents", "show")
        place.told("capabilities-of", "agents", "show", "demo")
        place.told("config", "config")
        place.told("doctor-records", "doctor", "--records")
        place.told("doctor", "doctor")
        place.told("plan", "plan", "--kind", "codex", "-p", "hi")

    def tasks_and_crews(self):
        place = self.place
        ended = place.told("task", "task", str(ROOT / "docs/examples/task-demo.yaml"), "--approve", "all")
        self.assertEqual(ended["state"], "COMPLETE")
        place.told("task-status", "task", "--status", ended["task"])
        (place.project / "crew.yaml").write_text(
            "version: 1\nproject: shop\nagents:\n"
            "  - {name: a, cli: demo, role: first, prompt: hello}\n  - {name: b, cli: demo, prompt: hello}\n")
        place.says("crew", "up", ORCH_DEMO_SCENARIO="echo")
        crew = place.told("crew-status", "crew", "status")
        self.assertEqual([one["member"] for one in crew["members"]], ["a", "b"])
        self.assertEqual({one["life"] for one in crew["members"]} - {"running", "queued"}, set())
        place.says("crew", "down", "--now")
        stopped = place.told("crew-status", "crew", "status", code=4)
        self.assertEqual({one["life"] for one in stopped["members"]}, {"stopped"})

    def jobs_of_an_engine(self):
        place = self.place
        (place.folder / "bin").mkdir(exist_ok=True)
        (place.folder / "engine").mkdir()
        for name in ("sbatch", "squeue", "scancel", "scontrol", "sacct"):
            (place.folder / "bin" / name).symlink_to(ROOT / "tests/engine/fake_engine")
        env = {"PATH": f"{place.folder}/bin:{place.env['PATH']}", "FAKE_ENGINE": str(place.folder / "engine")}
        given = place.told("submit", "submit", "j1", "j2", "--engine", "slurm", "--agent", "demo", "-p", "x", **env)
        self.assertEqual(place.told("submissions", "jobs", **env), [given])
        place.told("jobs", "jobs", "last", **env)
        collected = place.told("collect", "collect", given["submission"], "--wait", **env)
        self.assertEqual([one["job_state"] for one in collected["jobs"]], ["completed", "completed"])
        place.told("jobs", "jobs", "last", **env)

    def landing(self):
        place = self.place
        project, place.project = place.project, place.folder / "repository"
        place.project.mkdir()
        for words in ("init -q -b main", "config user.name a", "config user.email a@b", "commit -q --allow-empty -m first",
                      "remote add origin https://forge.test/o/r.git"):
            subprocess.run(["git", *words.split()], cwd=place.project, env=place.env, check=True)
        place.says("run", "42", "--worktree", "--verify", "true", "--output", "quiet", "--", "sh", "-c", "echo > new")
        planned = place.told("land", "land", "42", "--merge", "--dry-run")
        self.assertEqual((planned[0]["result"], planned[0]["code"]), ("planned", 0))
        # A pull request without checks, as gh would print the forge's answer.
        record = {"issue": "42", "repository": str(place.project), "pushed": planned[0]["commit"]}
        (place.state / f"landings/{place.told('runs', 'runs')[0]['key']}.json").write_text(json.dumps(record))
        pull = {"number": 43, "url": "https://forge.test/o/r/pull/43", "state": "OPEN", "headRefOid": record["pushed"],
                "headRepositoryOwner": {"login": "o"}}
        answer = {"data": {"repository": {"object": {"oid": record["pushed"]}, "pullRequests": {"nodes": [pull]}}}}
        gh = place.folder / "bin" / "gh"
        gh.parent.mkdir(exist_ok=True)
        gh.write_text(f"#!/bin/sh\nprintf 'HTTP/1.1 200 OK\\n\\n'; cat <<'END'\n{json.dumps(answer)}\nEND\n")
        gh.chmod(0o755)
        told = place.told("feedback", "feedback", "42", code=75, PATH=f"{gh.parent}:{place.env['PATH']}")
        self.assertEqual((told["verdict"], told["pull_request"]), ("pending", 43))
        race = place.told("race", "race", "41", "--agents", "demo", "-p", "x", code=20)
        self.assertEqual((race["racers"][0]["name"], race["winner"]), ("41-demo", None))
        merged = place.told("land", "land", "42", "--merge")
        self.assertEqual((merged[0]["result"], merged[0]["gates"][0]["code"]), ("merged", 0))
        place.project = project

    def test_run_and_wait_know_the_same_words_for_until(self):
        place = self.place
        for word in ("exit", "exited"):
            place.says("run", "7", "--until", word, "--sandbox", "none", "--output", "quiet", "--", "true")
            place.says("wait", "7", "--until", word)
        for word in ("complete", "idle", "working,waiting,error", "idle,exited"):
            place.says("wait", "7", "--until", word)
        place.says("run", "8", "--sandbox", "none", "--output", "quiet", "--", "false", code=1)
        for word in ("complete", "exited", "idle,complete"):
            self.assertEqual(place.told("wait", "wait", "8", "--until", word, code=1)[0]["reached"], word == "exited")
        for words in (("run", "9", "--until", "done", "--", "true"), ("wait", "7", "--until", "done"),
                      ("wait", "7", "--until", "idle,done"), ("wait", "7", "--until", "")):
            refused = place.refused(*words)
            self.assertEqual(len(refused.splitlines()), 1, refused)
            for choice in ("complete", "idle", "exited"):
                self.assertIn(choice, refused)

    def test_all(self):
        self.assertEqual(commands_with_json(self.place), set(COMMANDS))
        for part in (self.ended_runs, self.living_sessions, self.dialogs_and_messages, self.runs_again, self.undo,
                     self.what_there_is, self.tasks_and_crews, self.jobs_of_an_engine, self.landing):
            with self.subTest(part.__name__):
                part()
        would = self.place.told("gc", "gc", "--older-than", "0s", "--dry-run")
        gone = self.place.told("gc", "gc", "--older-than", "0s")
        self.assertEqual((would["dry_run"], would["removed"]), (True, gone["removed"]))
        wanted = set().union(*COMMANDS.values())
        self.assertEqual(self.place.looked_at, wanted)
        self.assertEqual({f"{name}.schema.json" for name in wanted - {EVENTS}} | {VOCABULARY}, set(SCHEMAS.names()) - OF_FILES)


if __name__ == "__main__":
    EveryCommand.orch = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
