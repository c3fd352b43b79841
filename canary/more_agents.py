"""More agent CLIs, whose statuses, words and messages are measured, too; see agents.py."""

import json

from agents import AGENTS, KEY, NEW_LINE, OLD_LINE, SHELL, Agent, Place, write_text
from script import ToolCall

NODE_22 = ("node@22",)


def _configure_pi(place: Place, _state: str) -> None:
    model = {"id": "canary", "name": "canary", "contextWindow": 200_000, "maxTokens": 32_000}
    provider = {"baseUrl": place.url + "/v1", "api": "openai-completions", "apiKey": KEY, "models": [model]}
    write_text(place.home / ".pi/agent/models.json", json.dumps({"providers": {"canary": provider}}))
    settings = {"defaultProvider": "canary", "defaultModel": "canary", "quietStartup": False}
    write_text(place.home / ".pi/agent/settings.json", json.dumps(settings))


PI = Agent(
    name="pi",
    package="@earendil-works/pi-coding-agent",
    beside=NODE_22,
    configure=_configure_pi,
    environment=lambda place: {"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1"},
    tools={
        "shell": ToolCall("bash", {"command": SHELL}),
        "read": ToolCall("read", {"path": "{project}/sum.py"}),
        "edit": ToolCall("edit", {"path": "{project}/sum.py", "edits": [{"oldText": OLD_LINE, "newText": NEW_LINE}]}),
    },
    timeout_s=120,
)


MORE_AGENTS = (PI,)
ALL_AGENTS = AGENTS | {agent.name: agent for agent in MORE_AGENTS}
