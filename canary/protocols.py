"""The model vendors' streaming protocols: how words, thoughts and tool calls become events.

A protocol object serves one response. Every method returns the payloads to send, in order; a payload
with a "type" is sent under that event name.
"""

import itertools
import json

from script import ToolCall

_serial = itertools.count(1)
USAGE_IN = 1000  # tokens of each request
USAGE_OUT = 9  # of each answer
TOOL_SEARCH = "tool_search"  # OpenAI's: finds tools that are not in the request


def new_id(prefix: str) -> str:
    return f"{prefix}canary{next(_serial):08d}"


class AnthropicMessages:
    """POST /v1/messages: numbered content blocks."""

    done = None

    def __init__(self, request: dict):
        self._model = request.get("model", "")
        self._index = -1
        self._called = False

    def begin(self) -> list[dict]:
        return [{"type": "message_start", "message": self._message([], None)}]

    def open(self, thinking: bool) -> list[dict]:
        block = {"type": "thinking", "thinking": "", "signature": ""} if thinking else {"type": "text", "text": ""}
        return [self._start(block)]

    def piece(self, thinking: bool, text: str) -> list[dict]:
        delta = {"type": "thinking_delta", "thinking": text} if thinking else {"type": "text_delta", "text": text}
        return [self._delta(delta)]

    def close(self, thinking: bool, _text: str) -> list[dict]:
        signature = [self._delta({"type": "signature_delta", "signature": "c2lnbmVk"})] if thinking else []
        return [*signature, self._stop()]

    def call(self, call: ToolCall) -> list[dict]:
        self._called = True
        block = {"type": "tool_use", "id": new_id("toolu_"), "name": call.name, "input": {}}
        arguments = {"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}
        return [self._start(block), self._delta(arguments), self._stop()]

    def end(self) -> list[dict]:
        reason = "tool_use" if self._called else "end_turn"
        last = {"delta": {"stop_reason": reason, "stop_sequence": None}, "usage": {"output_tokens": USAGE_OUT}}
        return [{"type": "message_delta", **last}, {"type": "message_stop"}]

    def whole(self, text: str) -> dict:
        return self._message([{"type": "text", "text": text}], "end_turn")

    @staticmethod
    def error(status: int, message: str) -> dict:
        kinds = {401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}
        return {"type": "error", "error": {"type": kinds.get(status, "api_error"), "message": message}}

    def _message(self, content: list, reason: str | None) -> dict:
        return {
            "id": new_id("msg_"), "type": "message", "role": "assistant", "model": self._model, "content": content,
            "stop_reason": reason, "stop_sequence": None, "usage": {"input_tokens": USAGE_IN, "output_tokens": 1},
        }

    def _start(self, block: dict) -> dict:
        self._index += 1
        return {"type": "content_block_start", "index": self._index, "content_block": block}

    def _delta(self, delta: dict) -> dict:
        return {"type": "content_block_delta", "index": self._index, "delta": delta}

    def _stop(self) -> dict:
        return {"type": "content_block_stop", "index": self._index}


class OpenAIResponses:
    """POST /v1/responses: numbered events about output items."""

    done = None

    def __init__(self, request: dict):
        self._model = request.get("model", "")
        self._id = new_id("resp_")
        self._items: list[dict] = []
        self._open: dict = {}
        self._sequence = itertools.count()

    def begin(self) -> list[dict]:
        return [self._event("response.created", response=self._response("in_progress"))]

    def open(self, thinking: bool) -> list[dict]:
        if thinking:
            self._open = {"type": "reasoning", "id": new_id("rs_"), "summary": []}
            part = {"part": {"type": "summary_text", "text": ""}}
            return [self._item("added", self._open), self._part("reasoning_summary_part.added", True, **part)]
        self._open = {"type": "message", "id": new_id("msg_"), "status": "in_progress"}
        self._open |= {"role": "assistant", "content": []}
        part = {"part": {"type": "output_text", "text": "", "annotations": []}}
        return [self._item("added", self._open), self._part("content_part.added", False, **part)]

    def piece(self, thinking: bool, text: str) -> list[dict]:
        name = "reasoning_summary_text.delta" if thinking else "output_text.delta"
        return [self._part(name, thinking, delta=text)]

    def close(self, thinking: bool, text: str) -> list[dict]:
        if thinking:
            name, content = "reasoning_summary_text.done", {"summary": [{"type": "summary_text", "text": text}]}
        else:
            content = {"status": "completed", "content": [{"type": "output_text", "text": text, "annotations": []}]}
            name = "output_text.done"
        return [self._part(name, thinking, text=text), *self._finish(self._open | content)]

    def call(self, call: ToolCall) -> list[dict]:
        common = {"status": "completed", "call_id": new_id("call_"), "name": call.name}
        if isinstance(call.arguments, str):
            item = {"type": "custom_tool_call", "id": new_id("ctc_"), "input": call.arguments}
        elif call.name == TOOL_SEARCH:  # whose arguments are an object
            item = {"type": "tool_search_call", "id": new_id("tsc_"), "execution": "client", "arguments": call.arguments}
        else:
            item = {"type": "function_call", "id": new_id("fc_"), "arguments": json.dumps(call.arguments)}
        item |= common | ({"namespace": call.namespace} if call.namespace else {})
        return [self._item("added", item), *self._finish(item)]

    def end(self) -> list[dict]:
        return [self._event("response.completed", response=self._response("completed"))]

    def whole(self, text: str) -> dict:
        self.open(False)
        self.close(False, text)
        return self._response("completed")

    @staticmethod
    def error(status: int, message: str) -> dict:
        kinds = {401: "invalid_request_error", 429: "rate_limit_exceeded"}
        return {"error": {"type": kinds.get(status, "server_error"), "code": None, "param": None, "message": message}}

    def _event(self, name: str, **fields) -> dict:
        return {"type": name, "sequence_number": next(self._sequence), **fields}

    def _item(self, what: str, item: dict) -> dict:
        return self._event(f"response.output_item.{what}", output_index=len(self._items), item=item)

    def _part(self, name: str, thinking: bool, **fields) -> dict:
        place = {"summary_index": 0} if thinking else {"content_index": 0}
        return self._event(
            f"response.{name}", item_id=self._open["id"], output_index=len(self._items), **place, **fields
        )

    def _finish(self, item: dict) -> list[dict]:
        event = self._item("done", item)
        self._items.append(item)
        return [event]

    def _response(self, status: str) -> dict:
        usage = {
            "input_tokens": USAGE_IN, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": USAGE_OUT, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": USAGE_IN + USAGE_OUT,
        }
        return {
            "id": self._id, "object": "response", "created_at": 0, "status": status, "model": self._model,
            "output": list(self._items), "usage": usage if status == "completed" else None,
        }


class GeminiContent:
    """POST …:streamGenerateContent and :generateContent: every event is a candidate with parts."""

    done = None

    def __init__(self, _request: dict):
        pass

    def begin(self) -> list[dict]:
        return []

    def open(self, thinking: bool) -> list[dict]:
        return []

    def piece(self, thinking: bool, text: str) -> list[dict]:
        return [self._candidate({"text": text} | ({"thought": True} if thinking else {}))]

    def close(self, thinking: bool, _text: str) -> list[dict]:
        return []

    def call(self, call: ToolCall) -> list[dict]:
        function = {"id": new_id("call_"), "name": call.name, "args": call.arguments}
        return [self._candidate({"functionCall": function})]

    def end(self) -> list[dict]:
        return [self._candidate({"text": ""}, finishReason="STOP")]

    def whole(self, text: str) -> dict:
        return self._candidate({"text": text}, finishReason="STOP")

    @staticmethod
    def error(status: int, message: str) -> dict:
        names = {401: "UNAUTHENTICATED", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}
        return {"error": {"code": status, "status": names.get(status, "INTERNAL"), "message": message}}

    @staticmethod
    def _candidate(part: dict, **fields) -> dict:
        usage = {"promptTokenCount": USAGE_IN, "candidatesTokenCount": USAGE_OUT, "totalTokenCount": USAGE_IN + USAGE_OUT}
        content = {"role": "model", "parts": [part]}
        return {"candidates": [{"index": 0, "content": content, **fields}], "usageMetadata": usage}


class ChatCompletions:
    """POST /v1/chat/completions: opencode with providers of one's own, and orch's meta-agent openai-chat."""

    done = "[DONE]"

    def __init__(self, request: dict):
        self._head = {"id": new_id("chatcmpl-"), "created": 0, "model": request.get("model", "")}
        self._calls = 0
        self._says_usage = bool((request.get("stream_options") or {}).get("include_usage"))

    def begin(self) -> list[dict]:
        return [self._chunk({"role": "assistant", "content": ""})]

    def open(self, thinking: bool) -> list[dict]:
        return []

    def piece(self, thinking: bool, text: str) -> list[dict]:
        return [self._chunk({"reasoning_content" if thinking else "content": text})]

    def close(self, thinking: bool, _text: str) -> list[dict]:
        return []

    def call(self, call: ToolCall) -> list[dict]:
        function = {"name": call.name, "arguments": json.dumps(call.arguments)}
        entry = {"index": self._calls, "id": new_id("call_"), "type": "function", "function": function}
        self._calls += 1
        return [self._chunk({"tool_calls": [entry]})]

    def end(self) -> list[dict]:
        last = self._chunk({}, "tool_calls" if self._calls else "stop")
        if not self._says_usage:
            return [last]
        return [last, {**self._head, "object": "chat.completion.chunk", "choices": [], "usage": self._usage()}]

    def whole(self, text: str) -> dict:
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        return {**self._head, "object": "chat.completion", "choices": [choice], "usage": self._usage()}

    @staticmethod
    def _usage() -> dict:
        return {"prompt_tokens": USAGE_IN, "completion_tokens": USAGE_OUT, "total_tokens": USAGE_IN + USAGE_OUT}

    @staticmethod
    def error(status: int, message: str) -> dict:
        return {"error": {"message": message, "type": "server_error", "param": None, "code": status}}

    def _chunk(self, delta: dict, reason: str | None = None) -> dict:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return {**self._head, "object": "chat.completion.chunk", "choices": [choice]}


Protocol = AnthropicMessages | OpenAIResponses | GeminiContent | ChatCompletions

_BY_PATH = {
    "/messages": AnthropicMessages,
    "/responses": OpenAIResponses,
    ":streamGenerateContent": GeminiContent,
    ":generateContent": GeminiContent,
    "/chat/completions": ChatCompletions,
}


def protocol_for(path: str) -> type[Protocol] | None:
    return next((kind for ending, kind in _BY_PATH.items() if path.endswith(ending)), None)


def user_texts(request: dict) -> list[str]:
    """Every text that the request gives as the user's words, oldest first."""
    turns = request.get("messages") or request.get("input") or request.get("contents") or []
    texts = []
    for turn in turns if isinstance(turns, list) else []:
        if not isinstance(turn, dict) or turn.get("role") != "user":
            continue
        content = turn.get("content", turn.get("parts"))
        parts = [{"text": content}] if isinstance(content, str) else content or []
        texts += [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]
    return texts


def tool_results(request: dict) -> list[str]:
    """What the request tells of the tools' answers, oldest first: Anthropic Messages, OpenAI Responses and chat
    completions."""
    results = []
    for turn in request.get("messages") or request.get("input") or []:
        if not isinstance(turn, dict):
            continue
        if str(turn.get("type", "")).endswith("_output"):
            results.append(_text_in(turn.get("output", turn.get("tools"))))
        content = turn.get("content")
        if turn.get("role") == "tool":
            results.append(_text_in(content))
        for part in content if isinstance(content, list) else []:
            if isinstance(part, dict) and part.get("type") == "tool_result":
                results.append(_text_in(part.get("content")))
    return results


def _text_in(output: object) -> str:
    if isinstance(output, list) and all(isinstance(part, dict) and "text" in part for part in output):
        return "\n".join(str(part["text"]) for part in output)
    return output if isinstance(output, str) else json.dumps(output)


def wants_schema(request: dict) -> bool:
    """Gemini asks aside which model is to be asked: with the same words, for an object of a certain form."""
    config = request.get("generationConfig")
    return isinstance(config, dict) and any("Schema" in key for key in config)
