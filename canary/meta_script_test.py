"""The scripted meta-agent, asked over HTTP as orch asks."""

import json
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path

import meta_script
from model_server import ModelServer
from script import Fail, HangUp, Say

QUESTION = "type: next_action\nversion: 1\npayload:\n  prd: |\n    type: plan_task is not at a line's beginning\n"


class MetaScriptTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.log = Path(folder.name) / "model.jsonl"

    def serve(self, script: meta_script.MetaScript) -> ModelServer:
        server = ModelServer((Say("a worker's words"),), {}, self.log, script)
        self.addCleanup(server.close)
        return server

    def ask(self, server: ModelServer, text: str, path: str = "/v1/chat/completions") -> dict:
        messages = [{"role": "system", "content": "type: plan_task"}, {"role": "user", "content": text}]
        body = json.dumps({"model": "m", "messages": messages}).encode()
        url = f"http://127.0.0.1:{server.port}{path}"
        with urllib.request.urlopen(urllib.request.Request(url, body), timeout=10) as response:
            return json.load(response)

    def test_each_kind_of_question_has_its_answers_and_the_last_goes_on(self) -> None:
        server = self.serve(meta_script.MetaScript(next_action=(meta_script.run_worker("a\nb"), "two")))
        answers = [self.ask(server, QUESTION)["choices"][0]["message"]["content"] for _ in range(3)]
        self.assertEqual(answers[0].splitlines()[-2:], ["      a", "      b"])
        self.assertEqual(answers[1:], ["two", "two"])
        with self.assertRaises(urllib.error.HTTPError) as raised:
            self.ask(server, "type: plan_task\n")
        self.assertEqual(raised.exception.code, 400)
        raised.exception.close()

    def test_usage_is_told_and_another_protocol_answers_as_well(self) -> None:
        server = self.serve(meta_script.MetaScript(next_action=("fine",)))
        self.assertEqual(self.ask(server, QUESTION)["usage"]["prompt_tokens"], 1000)
        self.assertEqual(self.ask(server, QUESTION, "/v1/messages")["content"][0]["text"], "fine")

    def test_a_failure_says_when_to_come_again(self) -> None:
        server = self.serve(meta_script.MetaScript(next_action=(Fail(429, "slow", 3), (HangUp(),))))
        with self.assertRaises(urllib.error.HTTPError) as raised:
            self.ask(server, QUESTION)
        self.assertEqual((raised.exception.code, raised.exception.headers["Retry-After"]), (429, "3"))
        raised.exception.close()
        with self.assertRaises(OSError):
            self.ask(server, QUESTION)

    def test_other_requests_are_not_the_metas(self) -> None:
        server = self.serve(meta_script.MetaScript(next_action=("fine",)))
        said = self.ask(server, "what is a type: next_action?")["choices"][0]["message"]["content"]
        self.assertNotEqual(said, "fine")


if __name__ == "__main__":
    unittest.main()
