"""A client of the Agent Client Protocol for tests: it starts an agent's command, asks, and keeps all that was said."""

import json
import subprocess
import threading
import time
from collections.abc import Callable

PATIENCE_S = 60


class Client:
    """Lives from construction to close(). Permissions are answered by `permit`, which gets the request's parameters and
    returns the id of an option, "cancelled", or None: no answer."""

    def __init__(self, command: list[str], env: dict[str, str], cwd: str, permit: Callable[[dict], str | None] = lambda _: None):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        env=env, cwd=cwd)
        self.said: list[dict] = []  # by the agent, in order
        self.permit = permit
        self._lock = threading.Condition()
        self._last_id = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout:
            message = json.loads(line.decode("utf-8"))  # a line that is none fails the test: nothing more is heard
            assert message.get("jsonrpc") == "2.0", line
            with self._lock:
                self.said.append(message)
                self._lock.notify_all()
            if message.get("method") == "session/request_permission":
                choice = self.permit(message["params"])
                if choice is not None:
                    self.answer(message["id"], choice)

    def answer(self, request: object, choice: str) -> None:
        outcome = {"outcome": "cancelled"} if choice == "cancelled" else {"outcome": "selected", "optionId": choice}
        self.write({"jsonrpc": "2.0", "id": request, "result": {"outcome": outcome}})

    def write(self, message: dict) -> None:
        try:
            self.process.stdin.write((json.dumps(message) + "\n").encode())
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError):
            pass  # what is asked afterwards fails in its own words

    def tell(self, method: str, params: dict) -> None:
        self.write({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: dict) -> int:
        self._last_id += 1
        self.write({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        return self._last_id

    def wait_for(self, holds: Callable[[dict], bool], patience_s: float = PATIENCE_S) -> dict:
        """The first message of the agent that `holds`, whenever it came."""
        until = time.monotonic() + patience_s
        with self._lock:
            seen = 0
            while True:
                for message in self.said[seen:]:
                    if holds(message):
                        return message
                seen = len(self.said)
                left = until - time.monotonic()
                if left <= 0 or not self._lock.wait(left):
                    raise TimeoutError(f"not said in {patience_s} s; last: {self.said[-3:]}")

    def response(self, request: int) -> dict:
        return self.wait_for(lambda message: message.get("id") == request and "method" not in message)

    def call(self, method: str, params: dict) -> dict:
        return self.response(self.ask(method, params))

    def begin(self, cwd: str, **capabilities: object) -> str:
        """The id of a new session."""
        self.call("initialize", {"protocolVersion": 1, "clientCapabilities": capabilities})
        return self.new_session(cwd)

    def new_session(self, cwd: str) -> str:
        return self.call("session/new", {"cwd": cwd, "mcpServers": []})["result"]["sessionId"]

    def prompt(self, session: str, text: str = "do it") -> int:
        return self.ask("session/prompt", {"sessionId": session, "prompt": [{"type": "text", "text": text}]})

    def updates(self, session: str, kind: str) -> list[dict]:
        with self._lock:
            told = [message["params"] for message in self.said if message.get("method") == "session/update"]
        return [params["update"] for params in told
                if params["sessionId"] == session and params["update"]["sessionUpdate"] == kind]

    def words(self, session: str) -> str:
        return "".join(update["content"]["text"] for update in self.updates(session, "agent_message_chunk"))

    def permission(self, number: int = 1) -> dict:
        """The request for the `number`th permission."""
        found: list[dict] = []

        def holds(message: dict) -> bool:
            if message.get("method") == "session/request_permission" and message not in found:
                found.append(message)
            return len(found) >= number

        return self.wait_for(holds)

    def close(self) -> int:
        """The exit code of the agent's command."""
        self.process.stdin.close()
        return self.process.wait(PATIENCE_S)
