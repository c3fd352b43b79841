#!/usr/bin/env python3
"""orch acp as its clients use it, with the demo agent. Run by ctest with ORCH in the environment."""

import json
import os
import random
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from acp_client import Client

ORCH = os.environ["ORCH"]


def first_that(kind: str):
    return lambda params: next(option["optionId"] for option in params["options"] if option["kind"] == kind)


class AcpTest(unittest.TestCase):
    def setUp(self) -> None:
        self._scratch = tempfile.TemporaryDirectory(prefix="orch-acp-")
        self.addCleanup(self._scratch.cleanup)
        self.root = Path(self._scratch.name).resolve()
        self.project = self.root / "project"
        self.project.mkdir()

    def env(self, scenario: str, speed: str = "0.2") -> dict[str, str]:
        return os.environ | {"ORCH_STATE_DIR": str(self.root / "state"), "ORCH_DEMO_SCENARIO": scenario,
                             "ORCH_DEMO_SPEED": speed, "HOME": str(self.root)}

    def client(self, scenario: str, *words: str, speed: str = "0.2", permit=lambda _: None) -> Client:
        client = Client([ORCH, "acp", "--agent", "demo", *words], self.env(scenario, speed), str(self.project), permit)
        self.addCleanup(self._end, client)
        return client

    def _end(self, client: Client) -> None:
        if client.process.poll() is None:
            client.close()
        for pipe in (client.process.stdin, client.process.stdout):
            try:
                pipe.close()
            except BrokenPipeError:
                pass
        subprocess.run([ORCH, "kill", "--all", "--now"], env=self.env("plain"), cwd=self.project, capture_output=True, check=False)

    def orch(self, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run([ORCH, *words], env=self.env("plain"), cwd=self.project, capture_output=True, text=True, check=False)

    def sessions(self) -> list[dict]:
        return json.loads(self.orch("sessions", "--json").stdout or "[]")

    def processes(self) -> list[str]:
        """Of orch's runs in this test: they have its state folder in their environment, or its project as their own."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                marked = str(self.root / "state").encode() in (folder / "environ").read_bytes()
                words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if marked and words:
                found.append(words)
        return found

    def assert_nothing_runs(self) -> None:
        until = time.monotonic() + 20
        while time.monotonic() < until and self.processes():
            time.sleep(0.1)
        self.assertEqual(self.processes(), [])

    def test_a_prompt_is_answered_with_the_words_and_the_end_of_the_turn(self) -> None:
        client = self.client("plain")
        session = client.begin(str(self.project))
        self.assertRegex(session, r"^orch-acp-1@[0-9a-f]{8}$")
        self.assertEqual(client.response(client.prompt(session))["result"]["stopReason"], "end_turn")
        self.assertEqual(client.response(client.prompt(session))["result"]["stopReason"], "end_turn")
        self.assertEqual(client.words(session), "answer 1answer 2")
        self.assertEqual(client.close(), 0)
        self.assert_nothing_runs()

    def test_a_permission_is_granted_refused_or_left_as_the_client_says(self) -> None:
        for kind, made, status in (("allow_once", True, "completed"), ("reject_once", False, "failed")):
            with self.subTest(kind):
                made_file = self.project / "out.txt"
                made_file.unlink(missing_ok=True)
                client = self.client("permission", permit=first_that(kind))
                session = client.begin(str(self.project))
                client.response(client.prompt(session))
                asked = client.permission()["params"]
                self.assertEqual(asked["options"][0]["kind"], "allow_once")
                self.assertEqual(asked["toolCall"]["rawInput"]["command"], "touch out.txt && echo tests passed")
                last = client.updates(session, "tool_call_update")[-1]
                self.assertEqual((last["toolCallId"], last["status"]), (asked["toolCall"]["toolCallId"], status))
                dialogs = [json.loads(line) for line in self.orch("logs", "--json", session).stdout.splitlines()]
                answers = [event["answer"] for event in dialogs if event["event"] == "dialog" and event["answer"]]
                self.assertEqual(answers, ["Yes" if made else "No"])
                client.close()

    def test_an_answer_from_elsewhere_counts_and_the_client_is_told(self) -> None:
        client = self.client("permission")
        session = client.begin(str(self.project))
        prompt = client.prompt(session)
        asked = client.permission()
        self.assertEqual(self.orch("answer", session, "no").returncode, 0)
        taken_back = client.wait_for(lambda message: message.get("method") == "$/cancel_request")
        self.assertEqual(taken_back["params"]["requestId"], asked["id"])
        client.answer(asked["id"], asked["params"]["options"][0]["optionId"])  # too late
        self.assertIn("result", client.response(prompt))

    def test_cancel_at_a_dialog_denies(self) -> None:
        client = self.client("permission")
        session = client.begin(str(self.project))
        prompt = client.prompt(session)
        asked = client.permission()
        client.tell("session/cancel", {"sessionId": session})
        client.answer(asked["id"], "cancelled")
        self.assertEqual(client.response(prompt)["result"]["stopReason"], "cancelled")
        status = json.loads(self.orch("status", session, "--json").stdout)
        self.assertEqual((status["status"], status["dialog"]), ("idle", None))

    def test_cancel_in_a_turn_ends_it_and_the_session_goes_on(self) -> None:
        client = self.client("hang")
        session = client.begin(str(self.project))
        for _ in range(2):
            prompt = client.prompt(session)
            client.wait_for(lambda message, prompt=prompt: "This takes a while" in json.dumps(message))
            client.tell("session/cancel", {"sessionId": session})
            self.assertEqual(client.response(prompt)["result"]["stopReason"], "cancelled")
        prompt = client.prompt(session)
        client.tell("$/cancel_request", {"requestId": prompt})
        self.assertEqual(client.response(prompt)["result"]["stopReason"], "cancelled")

    def test_a_failed_turn_is_an_error_with_its_kind_and_the_session_goes_on(self) -> None:
        for scenario, kind in (("error", "api"), ("rate-limit", "rate_limit"), ("crash", "crash")):
            with self.subTest(scenario):
                client = self.client(scenario)
                session = client.begin(str(self.project))
                error = client.response(client.prompt(session))["error"]
                self.assertEqual(error["data"]["kind"], kind)
                self.assertTrue(error["data"]["run"])
                client.close()

    def test_a_turn_over_the_timeout_fails_and_the_agent_stops(self) -> None:
        client = self.client("hang", "--timeout", "2s")
        session = client.begin(str(self.project))
        error = client.response(client.prompt(session))["error"]
        self.assertEqual(error["data"]["kind"], "timeout")
        self.assertEqual(json.loads(self.orch("status", session, "--json").stdout)["status"], "idle")

    def test_three_sessions_at_once_do_not_mix(self) -> None:
        client = self.client("echo")
        client.call("initialize", {"protocolVersion": 1})
        asked = [client.ask("session/new", {"cwd": str(self.project), "mcpServers": []}) for _ in range(3)]
        sessions = [client.response(request)["result"]["sessionId"] for request in asked]
        self.assertEqual(len(set(sessions)), 3)
        prompts = [client.prompt(session, f"word-{index}") for index, session in enumerate(sessions)]
        for prompt in prompts:
            self.assertEqual(client.response(prompt)["result"]["stopReason"], "end_turn")
        self.assertEqual([client.words(session) for session in sessions], ['"word-0"', '"word-1"', '"word-2"'])
        client.close()
        self.assert_nothing_runs()

    def test_sessions_are_listed_closed_loaded_resumed_and_deleted(self) -> None:
        client = self.client("plain")
        session = client.begin(str(self.project))
        client.response(client.prompt(session, "remember me"))
        self.assertEqual(client.call("session/close", {"sessionId": session})["result"], {})
        self.assertIn("error", client.call("session/close", {"sessionId": session}))
        listed = client.call("session/list", {"cwd": str(self.project)})["result"]["sessions"]
        self.assertEqual([(one["sessionId"], one["title"]) for one in listed], [(session, "remember me")])
        self.assertEqual(client.call("session/list", {"cwd": "/"})["result"]["sessions"], [])
        again = self.client("plain")
        again.call("initialize", {"protocolVersion": 1})
        at = {"sessionId": session, "cwd": str(self.project), "mcpServers": []}
        self.assertIn("result", again.call("session/load", at))
        self.assertEqual(again.words(session), "answer 1")
        self.assertEqual(again.updates(session, "user_message_chunk")[0]["content"]["text"], "remember me")
        self.assertEqual(again.response(again.prompt(session))["result"]["stopReason"], "end_turn")
        again.call("session/close", {"sessionId": session})
        told = len(again.updates(session, "agent_message_chunk"))
        self.assertIn("result", again.call("session/resume", at))
        self.assertEqual(len(again.updates(session, "agent_message_chunk")), told)
        again.call("session/close", {"sessionId": session})
        self.assertEqual(again.call("session/delete", {"sessionId": session})["result"], {})
        self.assertEqual(again.call("session/list", {})["result"]["sessions"], [])
        self.assertEqual(again.call("session/load", at)["error"]["code"], -32002)

    def test_a_session_goes_on_in_its_conversation_once_it_has_one(self) -> None:
        client = self.client("plain")
        session = client.begin(str(self.project))
        at = {"sessionId": session, "cwd": str(self.project), "mcpServers": []}
        for turns in range(2):
            client.call("session/close", {"sessionId": session})
            self.assertIn("result", client.call("session/load", at))
            self.assertIn("result", client.call("session/set_mode", {"sessionId": session, "modeId": "all"}))
            runs = [json.loads(path.read_text()) for path in sorted((self.root / "state" / "runs").glob("*/run.json"))]
            self.assertEqual([run["parent"] is not None for run in runs[-2:]], [turns > 0] * 2)
            self.assertEqual(client.response(client.prompt(session))["result"]["stopReason"], "end_turn")

    def test_a_session_that_is_left_running_is_found_again(self) -> None:
        client = self.client("plain", "--leave-running")
        session = client.begin(str(self.project))
        client.response(client.prompt(session))
        client.close()
        self.assertEqual([one["key"] for one in self.sessions()], [session])
        again = self.client("plain")
        again.call("initialize", {"protocolVersion": 1})
        at = {"sessionId": session, "cwd": str(self.project), "mcpServers": []}
        self.assertIn("result", again.call("session/load", at))
        self.assertEqual(again.words(session), "answer 1")
        self.assertEqual(again.response(again.prompt(session))["result"]["stopReason"], "end_turn")

    def test_a_client_that_does_not_read_does_not_stop_the_agent(self) -> None:
        process = subprocess.Popen([ORCH, "acp", "--agent", "demo"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   env=self.env("flood") | {"ORCH_DEMO_LINES": "30000"}, cwd=self.project)
        self.addCleanup(lambda: (process.communicate(timeout=30), self.assert_nothing_runs()))

        def write(message: dict) -> None:
            process.stdin.write((json.dumps(message | {"jsonrpc": "2.0"}) + "\n").encode())
            process.stdin.flush()

        write({"id": 0, "method": "initialize", "params": {"protocolVersion": 1}})
        self.assertIn("result", json.loads(process.stdout.readline()))
        write({"id": 1, "method": "session/new", "params": {"cwd": str(self.project), "mcpServers": []}})
        session = json.loads(process.stdout.readline())["result"]["sessionId"]
        write({"id": 2, "method": "session/prompt",
               "params": {"sessionId": session, "prompt": [{"type": "text", "text": "go"}]}})
        self.assertEqual(self.orch("wait", session, "--until", "working", "--timeout", "30s").returncode, 0)
        self.assertEqual(self.orch("wait", session, "--until", "idle", "--timeout", "60s").returncode, 0)
        memory = int(next(line for line in Path(f"/proc/{process.pid}/status").read_text().splitlines()
                          if line.startswith("VmHWM")).split()[1])
        self.assertLess(memory, 200_000)  # KB: nothing of the 30,000 lines piles up
        lines = 0
        while b'"id":2' not in (line := process.stdout.readline()):
            self.assertTrue(line)
            lines += line.count(b"agent_message_chunk")
        self.assertGreater(lines, 1_000)

    def test_a_hostile_client_gets_errors_and_no_crash(self) -> None:
        process = subprocess.Popen([ORCH, "acp", "--agent", "demo"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, env=self.env("plain"), cwd=self.project)
        lines = [b"x" * (5 << 20), b"[" * 100_000, b"\xff\xfe", b"{}", b"null", b'{"jsonrpc":"2.0","id":{},"method":"x"}',
                 b'{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"\\ud800"}}']
        lines += [b'{"jsonrpc":"2.0","id":%d,"method":"no/such"}' % number for number in range(1000)]
        out, _ = process.communicate(b"\n".join(lines) + b"\n" + b'{"jsonrpc":"2.0","id":7,"me', timeout=60)
        answers = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(process.returncode, 0)
        self.assertEqual(len(answers), len(lines))
        self.assertTrue(all("error" in answer for answer in answers))

    def test_a_client_that_dies_at_any_moment_leaves_nothing_and_grants_nothing(self) -> None:
        """ORCH_ACP_KILLS: how often; ORCH_ACP_SEED chooses the moments."""
        seed = int(os.environ.get("ORCH_ACP_SEED") or random.randrange(1 << 30))
        moments = random.Random(seed)
        kills = int(os.environ.get("ORCH_ACP_KILLS", "4"))
        for kill in range(kills):
            with self.subTest(seed=seed, kill=kill):
                client = self.client("permission", speed="0.05")
                client.ask("initialize", {"protocolVersion": 1})
                for _ in range(int(os.environ.get("ORCH_ACP_SESSIONS", "2"))):
                    client.ask("session/new", {"cwd": str(self.project), "mcpServers": []})
                until = time.monotonic() + moments.uniform(0, 3)
                prompted: set[str] = set()
                while time.monotonic() < until:
                    for message in list(client.said):
                        session = message.get("result", {}).get("sessionId")
                        if session and session not in prompted:
                            prompted.add(session)
                            client.prompt(session)
                    time.sleep(0.02)
                if moments.random() < 0.5:
                    client.process.send_signal(signal.SIGKILL)  # orch itself: its client cannot end it worse
                else:
                    client.process.stdin.close()  # as if the client was killed
                client.process.wait(30)
                self.assert_nothing_runs()
        granted = []
        for events in (self.root / "state" / "runs").glob("*/events.jsonl"):
            granted += [line for line in events.read_text().splitlines() if '"answer":"Yes"' in line]
        self.assertEqual(granted, [])


if __name__ == "__main__":
    unittest.main()
