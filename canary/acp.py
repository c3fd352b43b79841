"""script/acp: clients of the Agent Client Protocol on orch acp, with real agent CLIs. See canary/README.md."""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from agents import AGENTS, CODEX, SHELL, Agent, Place, shell_call
from checks import Checks, conclude
from command_line import exit_code_of, new_scratch, parser_of, ready
from delivery_runs import Cli
from install import CannotRun, driven_version, scratch_folder
from limit_scenarios import LIMITS
from load import load, slowness
from model_server import ModelServer
from report import aligned
from runner import in_project
from scene import OrchAtWork
from script import Answer, Fail, Say, Use
from workplace import environment, make_project, state_folder

SDK, ACPX = "@agentclientprotocol/sdk@2.4.0", "acpx@0.19.1"
NAMES = ("claude", "codex", "gemini", "opencode")
MADE = SHELL.split()[-1]
BUSY = "tail -n 9 -f sum.py"  # claude refuses to sleep
DENIED = "denied.txt"  # by a policy of acp-turns
STARTS_BUSY = f"touch busy.txt && {BUSY}"  # gemini does not ask before it reads
CLIENT = Path(__file__).resolve().parent / "acp_client.mjs"
PIXEL = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
MCP_SERVER = CLIENT.with_name("mcp_server.py")
PATIENCE_S = 40
TURN_LIMIT_S, MOST_TURN_LIMIT_S = 5, 15  # the stream takes 20
SLACK_S = 90  # limits end at full minutes


def parse_arguments() -> argparse.Namespace:
    parser = parser_of("acp", "Drives orch acp by the official SDK's client, which refuses what does not fit the schema, "
                              "and by acpx, with real CLIs and a scripted model. Prints what each client showed, and how "
                              "long a prompt, a word and an end took.")
    parser.add_argument("--agent", action="append", choices=NAMES, help="default: all")
    parser.add_argument("--keep", action="store_true", help="keep the folders of the runs")
    return parser.parse_args()


def install_clients() -> Path:
    """The folder with both clients, kept for the next time."""
    folder = scratch_folder() / "npm" / "acp-clients"
    complete = folder / f"{SDK} {ACPX}".replace("/", "_")
    if not complete.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "package.json").write_text('{"private": true}\n')
        done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--prefix", folder, SDK, ACPX],
                              capture_output=True, text=True, timeout=600, check=False)
        if done.returncode != 0:
            raise CannotRun(f"npm install {SDK} {ACPX} failed")
        complete.touch()
    return folder / "node_modules"


def line_of(step: str) -> str:
    """The model's first line in this step."""
    return f"The first line of {step} is here."


def words_of(step: str) -> str:
    return f"{line_of(step)}\n\nThe second paragraph has more words, and then it ends."


class Model:
    """Answers by the marker in the newest prompt, STEP-x: what is said and used at the first request of that step, and at
    later ones the end of the turn. Some steps fail, whatever is asked. `limit`: how the agent's vendor refuses."""

    STEPS: dict[str, tuple] = {
        "stream": (Say("Many words come. " * 200, gap=0.1),),
        "sleep": (Use("sleep"),),
        "deny": (Use("denied"),),
        "question": (Use("question"),),
    }

    def __init__(self, limit: Callable[[], Fail] | None = None):
        self._fails = {"fail": lambda: Fail(400, "the request is wrong")} | ({"limit": limit} if limit else {})
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    def answer_to(self, texts: list[str]) -> Answer:
        step = "\n".join(texts).rpartition("STEP-")[2].split()[:1]
        name = step[0].strip(".'\"`") if step else ""
        with self._lock:
            self._asked[name] += 1
            first = self._asked[name] == 1
        kind = name.split("-")[0]
        if kind in self._fails:
            return self._fails[kind]()
        if kind == "words":
            return (Say(words_of(name)),) if first else (Say("That is done."),)
        if not first:
            return (Say("That is done."),)
        return self.STEPS.get(kind, (Use("shell"),))


class Client:
    """The SDK's client. Lives from construction to close()."""

    def __init__(self, modules: Path, command: list, env: dict[str, str], cwd: Path):
        node = shutil.which("node", path=env["PATH"]) or "node"
        self._process = subprocess.Popen([node, CLIENT, modules / "@agentclientprotocol/sdk", *command], text=True,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, cwd=cwd)
        self.heard: list[dict] = []
        self._lock = threading.Condition()
        self._last = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in self._process.stdout:
            with self._lock:
                self.heard.append(json.loads(line))
                self._lock.notify_all()

    def say(self, **message: object) -> None:
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def ask(self, method: str, **params: object) -> int:
        self._last += 1
        self.say(n=self._last, method=method, params=params)
        return self._last

    def wait(self, holds: Callable[[dict], bool], start: int = 0) -> dict | None:
        until = time.monotonic() + PATIENCE_S * slowness(load())
        with self._lock:
            while True:
                for message in self.heard[start:]:
                    if holds(message):
                        return message
                if not self._lock.wait(max(until - time.monotonic(), 0)):
                    return None

    def answer_of(self, request: int) -> dict:
        return self.wait(lambda message: message.get("n") == request) or {}

    def call(self, method: str, **params: object) -> dict:
        return self.answer_of(self.ask(method, **params)).get("response", {})

    def words(self, session: str, start: int, kind: str = "agent_message_chunk") -> str:
        return "".join(message["update"]["update"]["content"]["text"] for message in self.heard[start:]
                       if message.get("update", {}).get("sessionId") == session
                       and message["update"]["update"]["sessionUpdate"] == kind)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        self._process.stdin.close()
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()


def prompt_of(step: str) -> list[dict]:
    return [{"type": "text", "text": f"Do as you are told: STEP-{step} ."}]


class Work(OrchAtWork):
    """A project, and a model that answers by the prompt's words."""

    def __init__(self, orch: Path, cli: Cli, programs: Path, folder: Path):
        self.orch, self.folder, self.cli = orch, folder, cli
        self.project = make_project(folder)
        tools = {name: in_project(call, self.project) for name, call in cli.agent.tools.items()}
        tools["sleep"] = shell_call(cli.agent, STARTS_BUSY)
        tools["denied"] = shell_call(cli.agent, f"touch {DENIED}")
        self.limit = next((one for one in LIMITS if cli.agent.name in one.fails and not one.recovers), None)
        model = Model(self.limit.fails[cli.agent.name] if self.limit else None)
        self.server = ModelServer((), tools, folder / "model.jsonl", choose=model.answer_to)
        place = Place(self.project.parent, self.project, self.server.port)
        cli.agent.configure(place, "ready")
        self.env = environment(cli.agent, place, programs) | {"ORCH_STATE_DIR": str(state_folder(folder))}

    def client(self, modules: Path, *words: str) -> Client:
        return Client(modules, [self.orch, "acp", "--agent", self.cli.agent.name, *words], self.env, self.project)

    @property
    def made(self) -> bool:
        return (self.project / MADE).exists()

    def first_request(self, step: str) -> dict:
        return next((fact for fact in self.facts("arrived") if f"STEP-{step}" in "\n".join(fact["texts"])), {})

    def times_of(self, step: str) -> tuple[float, float, float]:
        """When the model got the first request of a step, and had said its first whole line, and everything."""
        arrived = self.first_request(step)
        facts = [fact for fact in self.all_facts() if fact["request"] == arrived.get("request")]
        text, line = "", 0.0
        for fact in facts:
            text += fact["text"] if fact["kind"] == "said" else ""
            line = line or (fact["time"] if line_of(step) in text else 0.0)
        return arrived.get("time", 0.0), line, next((fact["time"] for fact in facts if fact["kind"] == "answered"), 0.0)

    def processes(self) -> list[str]:
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if str(self.folder).encode() in (folder / "environ").read_bytes():
                    found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
            except OSError:
                continue
        return [words for words in found if words]


class Play:
    """The steps of one agent with the SDK's client."""

    def __init__(self, work: Work, client: Client, modules: Path):
        self.work, self.client, self.modules = work, client, modules
        self.checks: Checks = {}
        self.times: dict[str, float] = {}
        self.session = ""
        self.counts = False  # whether the agent reports its usage on a terminal
        self.start = 0

    def prompt(self, step: str, session: str = "") -> int:
        self.start = len(self.client.heard)
        self.asked_at = time.time()
        return self.client.ask("session/prompt", sessionId=session or self.session, prompt=prompt_of(step))

    def permission(self) -> dict:
        return self.client.wait(lambda message: message.get("method") == "permission", self.start) or {}

    def choose(self, asked: dict, kind: str) -> None:
        options = asked.get("params", {}).get("options", [])
        chosen = next((option["optionId"] for option in options if option["kind"] == kind), None)
        outcome = {"outcome": "selected", "optionId": chosen} if chosen else {"outcome": "cancelled"}
        self.client.say(answer=asked.get("asked"), result={"outcome": outcome})

    def stop_reason(self, request: int) -> str:
        answer = self.client.answer_of(request)
        return answer.get("response", {}).get("stopReason") or json.dumps(answer.get("error"))

    def new(self, **more: object) -> str:
        params = {"cwd": str(self.work.project), "mcpServers": []} | more
        return self.client.call("session/new", **params).get("sessionId", "")

    def begin(self) -> None:
        early = self.client.answer_of(self.client.ask("session/new", cwd=str(self.work.project), mcpServers=[]))
        self.checks["refused before initialize"] = early.get("error", {}).get("code") == -32600
        can = {"session": {"notices": {}}, "elicitation": {"form": {}}}
        self.client.call("initialize", protocolVersion=1, clientCapabilities=can)
        self.session = self.new()
        self.checks["new"] = bool(self.session)

    def words(self) -> None:
        self.checks["words"] = all([self.turn_of_words(f"words-{number}") for number in range(3)])

    def turn_of_words(self, step: str) -> bool:
        """Whether the words were the model's."""
        answer = self.client.answer_of(self.prompt(step))
        self.counts = "usage" in answer.get("response", {})
        said = self.client.words(self.session, self.start)
        held = said.split() == words_of(step).split()
        if not held:
            print(f"{step}: {said!r}", file=sys.stderr)
        first = next((message["at"] for message in self.client.heard[self.start:] if "update" in message
                      and message["update"]["update"]["sessionUpdate"] == "agent_message_chunk"), 0)
        arrived, line, ended = self.work.times_of(step)
        self.times.setdefault("prompt to request", []).append(arrived - self.asked_at)
        self.times.setdefault("first line to chunk", []).append(first - line)
        self.times.setdefault("end to response", []).append(answer.get("at", 0) - ended)
        return held

    def allowed(self) -> None:
        request = self.prompt("allow")
        asked = self.permission()
        options = [option["kind"] for option in asked.get("params", {}).get("options", [])]
        self.choose(asked, "allow_once")
        self.checks["allowed"] = self.stop_reason(request) == "end_turn" and self.work.made
        self.checks["allow_once first"] = options[:1] == ["allow_once"]
        calls = [m["update"]["update"] for m in self.client.heard[self.start:] if "update" in m]
        self.checks["tool completed"] = any(u.get("status") == "completed" for u in calls)
        (self.work.project / MADE).unlink(missing_ok=True)

    def rejected(self) -> None:
        request = self.prompt("reject")
        self.choose(self.permission(), "reject_once")
        self.checks["rejected"] = self.stop_reason(request) in ("end_turn", "cancelled") and not self.work.made

    def cancelled(self) -> None:
        request = self.prompt("cancel-permission")
        asked = self.permission()
        self.client.say(method="session/cancel", params={"sessionId": self.session})
        self.client.say(answer=asked.get("asked"), result={"outcome": {"outcome": "cancelled"}})
        self.checks["cancel at a dialog"] = self.stop_reason(request) == "cancelled" and not self.work.made
        self.see_usage(self.client.answer_of(request).get("response", {}))

    def see_usage(self, where: dict) -> None:
        """Of an agent that reports its usage, it is told however the turn ended."""
        held = not self.counts or "totalTokens" in where.get("usage", {})
        self.checks["usage"] = self.checks.get("usage", True) and held

    def elsewhere(self) -> None:
        request = self.prompt("elsewhere")
        asked = self.permission()
        said = self.work.orch_says("answer", self.session, "no")
        withdrawn = self.client.wait(lambda message: message.get("withdrawn") == asked.get("asked"), self.start)
        self.checks["answered elsewhere"] = said.returncode == 0 and withdrawn is not None and not self.work.made
        self.client.say(answer=asked.get("asked"), result={"outcome": {"outcome": "cancelled"}})
        self.stop_reason(request)

    def cancel_stream(self) -> None:
        request = self.prompt("stream")
        self.work.wait_for(lambda: bool(self.work.first_request("stream")))
        time.sleep(2)
        at = time.time()
        self.client.say(method="session/cancel", params={"sessionId": self.session})
        self.checks["cancel in a stream"] = self.stop_reason(request) == "cancelled"
        self.see_usage(self.client.answer_of(request).get("response", {}))
        self.times.setdefault("cancel to response", []).append(time.time() - at)

    def cancel_tool(self) -> None:
        request = self.prompt("sleep")
        self.choose(self.permission(), "allow_once")
        time.sleep(3)
        self.client.say(method="session/cancel", params={"sessionId": self.session})
        self.checks["cancel in a tool"] = self.stop_reason(request) == "cancelled"
        self.see_usage(self.client.answer_of(request).get("response", {}))
        # Codex leaves the tool's process until it ends itself, on a terminal, too.
        time.sleep(2)
        self.checks["its process gone"] = (self.work.cli.agent is CODEX
                                           or not any(BUSY in words for words in self.work.processes()))

    def failed(self) -> None:
        error = self.client.answer_of(self.prompt("fail")).get("error") or {}
        data = error.get("data") or {}
        self.checks["failed turn"] = data.get("kind") in ("api", "model") and bool(data.get("run"))
        self.see_usage(data)

    def history(self) -> None:
        self.client.call("session/close", sessionId=self.session)
        listed = self.client.call("session/list", cwd=str(self.work.project)).get("sessions", [])
        self.checks["list"] = [one["sessionId"] for one in listed] == [self.session]
        self.start = len(self.client.heard)
        at = {"sessionId": self.session, "cwd": str(self.work.project), "mcpServers": []}
        loaded = self.client.answer_of(self.client.ask("session/load", **at))
        told = self.client.words(self.session, self.start)
        said = [" ".join(words_of(f"words-{number}").split()) for number in range(3)]
        self.checks["load"] = "response" in loaded and all(words in " ".join(told.split()) for words in said)
        request = self.prompt("words-after")
        self.checks["prompt after load"] = self.stop_reason(request) == "end_turn"
        self.client.call("session/close", sessionId=self.session)
        self.checks["resume"] = "response" in self.client.answer_of(self.client.ask("session/resume", **at))
        self.client.call("session/close", sessionId=self.session)
        self.checks["close"] = not json.loads(self.work.orch_says("sessions", "--json").stdout or "[]")

    def three(self) -> None:
        asked = [self.client.ask("session/new", cwd=str(self.work.project), mcpServers=[]) for _ in range(3)]
        sessions = [self.client.answer_of(request).get("response", {}).get("sessionId", "") for request in asked]
        start = len(self.client.heard)
        prompts = [self.prompt(f"words-three-{n}", session) for n, session in enumerate(sessions)]
        ends = [self.stop_reason(request) for request in prompts]
        words = [self.client.words(session, start).split() == words_of(f"words-three-{number}").split()
                 for number, session in enumerate(sessions)]
        self.checks["three at once"] = ends == ["end_turn"] * 3 and all(words)

    def served(self) -> None:
        """The client's MCP server is started with its variable, and asked for its tools; a second folder is taken."""
        told, folder = self.work.project / "served.txt", self.work.folder / "second"
        folder.mkdir()
        server = {"name": "My server", "command": sys.executable, "args": [str(MCP_SERVER), str(told)],
                  "env": [{"name": "ORCH_CANARY_SECRET", "value": "told to the server"}]}
        session = self.new(mcpServers=[server], additionalDirectories=[str(folder)])
        self.checks["prompt with a server"] = self.stop_reason(self.prompt("words-served", session)) == "end_turn"
        self.checks["server asked for its tools"] = self.work.wait_for(
            lambda: told.exists() and "tools/list told to the server" in told.read_text())
        self.client.call("session/close", sessionId=session)

    def picture(self) -> None:
        """An image of a prompt reaches the agent as a file that it can read, or as what it makes of one."""
        session = self.new()
        picture = {"type": "image", "mimeType": "image/png", "data": PIXEL}
        request = self.client.ask("session/prompt", sessionId=session, prompt=[*prompt_of("words-picture"), picture])
        ended = self.stop_reason(request) == "end_turn"
        told = "\n".join(self.work.first_request("words-picture").get("texts", []))
        self.checks["picture"] = ended and ("prompt-1-1.png" in told or "[Image" in told)
        self.client.call("session/close", sessionId=session)

    def asked(self) -> None:
        """A question of the agent's is one to the client, and the model gets the answer."""
        if "question" not in self.work.cli.agent.tools:
            return
        session = self.new()
        request = self.prompt("question", session)
        asked = self.client.wait(lambda message: message.get("method") == "question", self.start) or {}
        fields = asked.get("params", {}).get("requestedSchema", {}).get("properties", {})
        first = {name: field["oneOf"][0]["const"] for name, field in fields.items() if "oneOf" in field}
        self.client.say(answer=asked.get("asked"), result={"action": "accept", "content": first})
        self.checks["question"] = bool(first) and self.stop_reason(request) == "end_turn"
        self.client.call("session/close", sessionId=session)

    def limited(self) -> None:
        """A vendor's limit fails the turn, and names its end where the agent does."""
        if self.work.limit is None:
            return
        session = self.new()
        error = self.client.answer_of(self.prompt("limit", session)).get("error") or {}
        data, right = error.get("data") or {}, self.work.limit.right_for(self.work.cli.agent.name, "interactive")
        again_s = data.get("retry_after")
        held = again_s is None if right.again_s is None else again_s is not None and abs(again_s - right.again_s) <= SLACK_S
        self.checks["limit, and its end"] = data.get("kind") == "rate_limit" and held
        self.client.call("session/close", sessionId=session)

    def timed_out(self) -> None:
        """orch's own limit of a turn ends it."""
        limit_s = min(round(TURN_LIMIT_S * slowness(load())), MOST_TURN_LIMIT_S)
        client = self.work.client(self.modules, "--timeout", f"{limit_s}s")
        client.call("initialize", protocolVersion=1, clientCapabilities={})
        session = client.call("session/new", cwd=str(self.work.project), mcpServers=[]).get("sessionId", "")
        self.work.orch_says("wait", session, "--until", "idle", "--timeout", "120s")  # its start counts, too
        # Of a first turn that is cut off an agent may count nothing.
        for step in ("words-limited", "stream-limited"):
            answer = client.answer_of(client.ask("session/prompt", sessionId=session, prompt=prompt_of(step)))
        data = answer.get("error", {}).get("data") or {}
        client.close()
        self.checks["turn over --timeout"] = data.get("kind") == "timeout"
        self.see_usage(data)

    STEPS = (begin, words, allowed, rejected, cancelled, elsewhere, cancel_stream, cancel_tool, failed, history, three, served,
             picture, asked, limited, timed_out)


def play(work: Work, modules: Path, times: dict[str, dict]) -> Checks:
    client = work.client(modules)
    playing = Play(work, client, modules)
    try:
        for step in Play.STEPS:
            step(playing)
            wrong = [name for name, held in playing.checks.items() if not held]
            print(f"{work.cli.name}: {step.__name__}{', wrong so far: ' + ', '.join(wrong) if wrong else ''}", file=sys.stderr)
    finally:
        client.close()
    refused = [message["refused"] for message in client.heard if "refused" in message]
    for words in refused:
        print(f"refused: {words[:500]}", file=sys.stderr)
    playing.checks["0 refused"] = not refused
    playing.checks["0 processes left"] = work.wait_for(lambda: not work.processes())
    times[work.cli.name] = playing.times | {"messages": len(client.heard)}
    (work.folder / "client.jsonl").write_text("".join(json.dumps(message) + "\n" for message in client.heard))
    return playing.checks


class Acpx:
    """acpx runs any agent by its command line, and shows what it said as text."""

    def __init__(self, work: Work, modules: Path):
        self.work = work
        self._command = [modules / ".bin/acpx", "--agent", f"{work.orch} acp --agent {work.cli.agent.name}", "--ttl", "1",
                         "--format", "text"]

    def start(self, *words: str) -> subprocess.Popen:
        return subprocess.Popen([*self._command, *words], cwd=self.work.project, env=self.work.env, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def end(self, process: subprocess.Popen) -> tuple[int, str]:
        out, _ = process.communicate(timeout=PATIENCE_S * 2 * slowness(load()))
        with (self.work.folder / "acpx.txt").open("a") as shown:
            shown.write(f"$ {process.args[6:]}\n{out}[{process.returncode}]\n")
        return process.returncode, " ".join(out.split())

    def run(self, *words: str) -> tuple[int, str]:
        return self.end(self.start(*words))

    def tell(self, step: str, *words: str) -> tuple[int, str]:
        return self.run(*words, prompt_of(step)[0]["text"])

    def await_owner(self) -> None:
        """The process that holds a session ends after --ttl; a prompt that it still gets would be lost."""
        self.work.wait_for(lambda: not self.work.processes())

    def play(self) -> Checks:
        (self.work.project / MADE).unlink(missing_ok=True)
        code, shown = self.tell("words-acpx", "exec")
        checks = {"acpx words": code == 0 and " ".join(words_of("words-acpx").split()) in shown}
        self.tell("acpx-deny", "--deny-all", "exec")
        checks["acpx deny"] = not self.work.made
        self.tell("acpx-allow", "--approve-all", "exec")
        checks["acpx allow"] = self.work.made
        new = self.run("sessions", "new")
        for number in range(2):
            self.await_owner()
            code, shown = self.tell(f"words-acpx-{number}", "prompt")
        resumed = "session/resume" in shown and " ".join(words_of("words-acpx-1").split()) in shown
        checks["acpx new, prompt, resume"] = new[0] == code == 0 and resumed
        self.await_owner()
        streaming = self.start("prompt", prompt_of("stream-acpx")[0]["text"])
        self.work.wait_for(lambda: bool(self.work.first_request("stream-acpx")) or streaming.poll() is not None)
        self.run("cancel")
        checks["acpx cancel"] = "cancelled" in self.end(streaming)[1]
        checks["acpx list, close"] = new[1].split()[-1] in self.run("sessions", "list")[1] and self.run("sessions", "close")[0] == 0
        checks["acpx 0 processes left"] = self.work.wait_for(lambda: not self.work.processes())
        return checks


def print_times(times: dict[str, dict]) -> None:
    kinds = ("prompt to request", "first line to chunk", "end to response", "cancel to response")
    rows = [["agent", "messages", *(f"{kind}, s" for kind in kinds)]]
    for name, measured in times.items():
        medians = [f"{statistics.median(measured[kind]):.2f}" if measured.get(kind) else "-" for kind in kinds]
        rows.append([name, str(measured["messages"]), *medians])
    print(aligned(rows))


def main() -> int:
    arguments = parse_arguments()
    clis = [Cli(AGENTS[name], driven_version(AGENTS[name])) for name in arguments.agent or NAMES]
    orch, programs = ready(arguments.orch, clis)
    modules = install_clients()
    scratch = new_scratch("acp")
    played: dict[str, Checks] = {}
    times: dict[str, dict] = {}
    for cli in clis:
        work = Work(orch, cli, programs[cli.name], scratch / cli.agent.name)
        try:
            played[cli.name] = play(work, modules, times) | Acpx(work, modules).play()
        finally:
            work.close()
    print_times(times)
    return conclude("agent", played, scratch, arguments.keep)


if __name__ == "__main__":
    sys.exit(exit_code_of("acp", main))
