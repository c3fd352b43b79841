"""The model behind the agents: an HTTP server on loopback that answers from a script and remembers what
happened when. Those facts are what the statuses are scored against."""

import json
import re
import select
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import protocols
from meta_script import MetaScript, kind_of
from script import Answer, Fail, HangUp, Pause, Say, Think, ToolCall, Use

# A request of the agent's loop carries all its tools; those for titles and the like carry few or none.
MAIN_TOOLS = 4
# So Claude Code asks for the summary of a conversation, with all its tools.
SUMMARY = "CRITICAL: Respond with TEXT ONLY."
# So codex asks for a title, with all the tools of some models.
TITLE = "Generate a concise, single-line task title"
# What side requests get: whichever JSON object they ask for finds its fields here.
SIDE_JSON = json.dumps({
    "title": "Canary", "isNewTopic": False, "next_speaker": "user", "model_choice": "flash",
    "complexity_score": 1, "complexity_reasoning": "scripted", "reasoning": "scripted",
})
SIDE_TEXT = "Canary"
NOTHING_TO_ADD = "There is nothing to add."


@dataclass(frozen=True)
class Fact:
    """One moment of one main request; `time` is in seconds since 1970.

    kind: arrived, step (one is about to be sent), said (a piece of text was sent), and at the end one of
    answered, failed, hung_up (by the script), client_gone. escaped: Escape was typed. meta: a question of a task,
    which is in `step`; `request` is its number among those.
    """

    time: float
    kind: str
    request: int  # from 0
    step: str = ""  # the class of the step, in lower case
    needs: str | None = None  # of a tool call
    calls: bool = False  # of an answer: it ends in a tool call, the turn goes on
    texts: tuple[str, ...] = field(default=())  # arrived: the user's words in the request
    results: tuple[str, ...] = field(default=())  # arrived: what tools gave, as the request tells it
    text: str = ""  # said: the piece


class ClientGone(Exception):
    """The agent closed the connection."""


class ModelServer:
    """Serves from construction to close(). Each main request takes the next answer. After the last one it
    is all over: a Fail goes on failing, and else the model has nothing to add. Where several agents ask, `choose` says
    by the user's words what is answered. Questions of a task are answered by `meta`, if there is one."""

    def __init__(
        self, answers: tuple[Answer, ...], tools: dict[str, ToolCall], log: Path, meta: MetaScript | None = None,
        choose: Callable[[list[str]], Answer] | None = None,
    ):
        self._answers = answers
        self._meta = meta
        self._choose = choose
        self._questions = 0
        self._tools = tools
        self._log = log
        self._facts: list[Fact] = []
        self._asked = threading.Event()
        self._lock = threading.Lock()
        self._requests = 0
        self.whole_answers = 0  # to all requests, asides too, each of which said its usage
        handler = type("BoundHandler", (_Handler,), {"model": self})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._http.daemon_threads = True
        self.port: int = self._http.server_address[1]
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def close(self) -> list[Fact]:
        """Ends the server and tells all that happened, in order."""
        self._http.shutdown()
        self._http.server_close()
        with self._lock:
            return list(self._facts)

    def wait_for_request(self, patience_s: float) -> bool:
        """Until the first main request is there."""
        return self._asked.wait(patience_s)

    def next_answer(self, texts: list[str]) -> tuple[int, Answer]:
        self._asked.set()
        with self._lock:
            number = self._requests
            self._requests += 1
        if self._choose is not None:
            return number, self._choose(texts)
        if number < len(self._answers):
            return number, self._answers[number]
        return number, self._answers[-1] if isinstance(self._answers[-1], Fail) else (Say(NOTHING_TO_ADD),)

    def count_whole_answer(self) -> None:
        with self._lock:
            self.whole_answers += 1

    def meta_answer(self, request: dict) -> Answer | None:
        """To a question of a task; None if this is another request."""
        texts = protocols.user_texts(request) if self._meta and not protocols.wants_schema(request) else []
        kind = kind_of(texts[-1]) if texts else None
        if kind is None:
            return None
        with self._lock:
            number = self._questions
            self._questions += 1
        self.note("meta", number, step=kind, texts=(texts[-1],))
        return self._meta.next_answer(kind)

    @property
    def writes_calls(self) -> bool:
        """The CLI has no tools (script.written); then all that is streamed is of its loop."""
        return bool(self._tools) and not any(call.name for call in self._tools.values())

    def tool(self, name: str) -> ToolCall:
        return self._tools[name]

    def note(self, kind: str, request: int, **details) -> None:
        fact = Fact(time.time(), kind, request, **details)
        with self._lock:
            self._facts.append(fact)
            with self._log.open("a", encoding="utf-8") as out:
                out.write(json.dumps(asdict(fact), ensure_ascii=False) + "\n")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: ModelServer

    def log_message(self, *_args) -> None:
        """Standard error belongs to the canary."""

    def do_HEAD(self) -> None:
        self._send_json({})

    def do_GET(self) -> None:
        self._send_json({"object": "list", "data": [], "models": []})

    def do_POST(self) -> None:
        body = self._read_body()
        path = self.path.partition("?")[0]
        try:
            request = json.loads(body or b"{}")
        except ValueError:
            return self._send_json({"error": "not JSON"}, 400)
        kind = protocols.protocol_for(path)
        if kind is None:  # token counts and telemetry
            return self._send_json({"input_tokens": 1, "totalTokens": 1})
        streaming = request.get("stream") or path.endswith(":streamGenerateContent")
        response = kind(request)
        try:
            meta = self.model.meta_answer(request)
            if meta is not None:
                self._answer_meta(response, meta, bool(streaming))
            elif not streaming if self.model.writes_calls else _is_aside(request):
                self._answer_aside(response, SIDE_JSON if b"schema" in body.lower() else SIDE_TEXT, bool(streaming))
            else:
                self._answer(response, request, body)
        except (ClientGone, OSError):
            self.close_connection = True

    def _answer_aside(self, response: protocols.Protocol, text: str, streaming: bool) -> None:
        if not streaming:
            self.model.count_whole_answer()
            return self._send_json(response.whole(text))
        self._begin_stream()
        self._send(response.begin())
        self._say(response, Say(text, chunk=len(text) or 1, gap=0), None)
        self._send_end(response)

    def _answer_meta(self, response: protocols.Protocol, answer: Answer, streaming: bool) -> None:
        if isinstance(answer, Fail):
            return self._send_fail(response, answer)
        for step in answer:
            if isinstance(step, Pause):
                self._wait(step.seconds)
            elif isinstance(step, HangUp):
                return self._hang_up()
        self._answer_aside(response, "".join(step.text for step in answer if isinstance(step, Say)), streaming)

    def _answer(self, response: protocols.Protocol, request: dict, body: bytes) -> None:
        texts = protocols.user_texts(request)
        number, answer = self.model.next_answer(texts)
        self.model.note("arrived", number, texts=tuple(texts), results=tuple(protocols.tool_results(request)))
        if isinstance(answer, Fail):
            self.model.note("failed", number)
            return self._send_fail(response, answer)
        try:
            self._begin_stream()
            self._send(response.begin())
            for step in answer:
                needs = step.needs if isinstance(step, Use) else None
                self.model.note("step", number, step=type(step).__name__.lower(), needs=needs)
                if isinstance(step, HangUp):
                    self.model.note("hung_up", number)
                    return self._hang_up()
                self._play(response, step, number, body)
            self.model.note("answered", number, calls=any(isinstance(step, Use) for step in answer))
            self._send_end(response)
        except (ClientGone, OSError):
            self.model.note("client_gone", number)
            raise

    def _play(self, response: protocols.Protocol, step: Say | Use | Pause, number: int, body: bytes) -> None:
        if isinstance(step, Pause):
            self._wait(step.seconds)
        elif isinstance(step, Use):
            call = self.model.tool(step.tool)
            if call.name:
                self._send(response.call(_fill_in(call, body)))
            else:
                self._say(response, Say(call.arguments), number)
        else:
            self._say(response, step, number)

    def _say(self, response: protocols.Protocol, say: Say, number: int | None) -> None:
        """`number`: of the main request; None: of another, whose words are nobody's."""
        thinking = isinstance(say, Think)
        self._send(response.open(thinking))
        for start in range(0, len(say.text), say.chunk):
            piece = say.text[start : start + say.chunk]
            self._send(response.piece(thinking, piece))
            if number is not None and not thinking:
                self.model.note("said", number, text=piece)
            self._wait(say.rest_s if start < say.rest_at <= start + len(piece) else say.gap)
        self._send(response.close(thinking, say.text))

    def _wait(self, seconds: float) -> None:
        """Sleeps, unless the client hangs up."""
        if not seconds:
            return
        until = time.monotonic() + seconds
        if select.select([self.connection], [], [], seconds)[0]:
            if not self.connection.recv(1, socket.MSG_PEEK):
                raise ClientGone
            time.sleep(max(0.0, until - time.monotonic()))

    def _read_body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        chunks = []
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def _send_fail(self, response: protocols.Protocol, fail: Fail) -> None:
        headers = dict(fail.headers) | ({} if fail.retry_after is None else {"Retry-After": str(fail.retry_after)})
        body = response.error(fail.status, fail.message)
        body["error"] |= dict(fail.error)
        self._send_json(body, fail.status, headers)

    def _send_json(self, value: dict, status: int = 200, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        for name, text in (headers or {}).items():
            self.send_header(name, text)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _send(self, payloads: list[dict]) -> None:
        for payload in payloads:
            name = f"event: {payload['type']}\n" if "type" in payload else ""
            self._send_chunk(f"{name}data: {json.dumps(payload)}\n\n")

    def _send_end(self, response: protocols.Protocol) -> None:
        self._send(response.end())
        if response.done:
            self._send_chunk(f"data: {response.done}\n\n")
        self.model.count_whole_answer()
        self.wfile.write(b"0\r\n\r\n")

    def _send_chunk(self, text: str) -> None:
        data = text.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def _hang_up(self) -> None:
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True


def _is_aside(request: dict) -> bool:
    last = protocols.user_texts(request)[-1:]
    return _tool_count(request) < MAIN_TOOLS or any(text.startswith((SUMMARY, TITLE)) for text in last)


def _tool_count(request: dict) -> int:
    """Gemini groups its functions under one entry; codex gives those of some models as a part of the conversation."""
    listed = list(request.get("tools") or [])
    parts = request.get("input")
    for part in parts if isinstance(parts, list) else []:
        listed += part.get("tools") or [] if isinstance(part, dict) and part.get("type") == "additional_tools" else []
    return sum(len(tool.get("functionDeclarations") or tool.get("tools") or [tool]) for tool in listed)


def _fill_in(call: ToolCall, body: bytes) -> ToolCall:
    """{plan file}: the file that the request names for the plan (Claude Code's plan mode)."""
    if isinstance(call.arguments, str) or "{plan file}" not in call.arguments.values():
        return call
    found = re.search(rb'/[^\s"\\]*/plans/[\w.-]+\.md', body)
    path = found.group().decode() if found else "plan.md"
    return replace(call, arguments={k: path if v == "{plan file}" else v for k, v in call.arguments.items()})
