"""More agent CLIs, whose statuses, words and messages are measured, too; see agents.py."""

import json
from hashlib import sha256

from agents import AGENTS, KEY, NEW_LINE, OLD_LINE, QUESTION, SHELL, Agent, Place, own_provider, write_text
from script import ToolCall, written

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


def _configure_qwen(place: Place, _state: str) -> None:
    settings = {
        "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}},
        "general": {"disableAutoUpdate": True, "enableAutoUpdate": False, "disableUpdateNag": True},
        "privacy": {"usageStatisticsEnabled": False},
        "memory": {"enableManagedAutoMemory": False},  # else it asks the model after each turn, with all tools
    }
    write_text(place.home / ".qwen/settings.json", json.dumps(settings))


QWEN = Agent(
    name="qwen",
    package="@qwen-code/qwen-code",
    beside=NODE_22,
    configure=_configure_qwen,
    environment=lambda place: {
        "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": place.url + "/v1", "OPENAI_MODEL": "canary",
        "QWEN_CODE_NO_RELAUNCH": "true",
    },
    tools={
        "shell": ToolCall("run_shell_command", {"command": SHELL, "description": "Make a file", "is_background": False}),
        "read": ToolCall("read_file", {"file_path": "{project}/sum.py"}),
        "edit": ToolCall("edit", {"file_path": "{project}/sum.py", "old_string": OLD_LINE, "new_string": NEW_LINE}),
        "question": ToolCall("ask_user_question", {"questions": [QUESTION | {"multiSelect": False}]}),
    },
    dialog_s=5.0,
    timeout_s=150,
)


def _configure_copilot(place: Place, _state: str) -> None:
    config = {"banner": "never", "firstLaunchAt": "2026-01-01T00:00:00.000Z", "trusted_folders": [str(place.project)]}
    write_text(place.home / ".copilot/config.json", json.dumps(config))


COPILOT = Agent(
    name="copilot",
    package="@github/copilot",
    configure=_configure_copilot,
    environment=lambda place: {
        "COPILOT_PROVIDER_BASE_URL": place.url + "/v1", "COPILOT_PROVIDER_API_KEY": KEY, "COPILOT_MODEL": "canary",
        "COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false",
    },
    tools={
        "shell": ToolCall("bash", {"command": SHELL, "description": "Make a file"}),
        "read": ToolCall("view", {"path": "{project}/sum.py"}),
        "edit": ToolCall("edit", {"path": "{project}/sum.py", "old_str": OLD_LINE, "new_str": NEW_LINE}),
    },
    dialog_s=5.0,
    escapes=2,
    timeout_s=150,
)


def _configure_kilo(place: Place, _state: str) -> None:
    # On a slow machine it would ask whether to go on without snapshots.
    write_text(place.home / ".config/kilo/kilo.json", json.dumps(own_provider(place) | {"snapshot": False}))


KILO = Agent(
    name="kilo",
    package="@kilocode/cli",
    configure=_configure_kilo,
    environment=lambda place: {
        "KILO_DISABLE_MODELS_FETCH": "1", "KILO_DISABLE_LSP_DOWNLOAD": "1", "KILO_TELEMETRY_LEVEL": "off",
    },
    tools={
        "shell": ToolCall("bash", {"command": SHELL, "description": "Make a file"}),
        "read": ToolCall("read", {"filePath": "{project}/sum.py"}),
        "edit": ToolCall("edit", {"filePath": "{project}/sum.py", "oldString": OLD_LINE, "newString": NEW_LINE}),
        "question": ToolCall("question", {"questions": [QUESTION]}),
    },
    dialog_s=5.0,
    escapes=2,
    timeout_s=240,  # like opencode it is slow to start
)


def _configure_kimi(place: Place, state: str) -> None:
    write_text(place.home / ".kimi-code/config.toml", "telemetry = false\n")
    if state != "untrusted":
        name = f"wd_{place.project.name}_{sha256(str(place.project).encode()).hexdigest()[:12]}"
        trust = {"root": str(place.project), "trustedAt": 1_790_000_000_000}
        write_text(place.home / ".kimi-code/workspace-trust" / name, json.dumps(trust))


KIMI = Agent(
    name="kimi",
    package="@moonshot-ai/kimi-code",
    beside=NODE_22,
    configure=_configure_kimi,
    environment=lambda place: {
        "KIMI_MODEL_NAME": "canary", "KIMI_MODEL_API_KEY": KEY, "KIMI_MODEL_BASE_URL": place.url + "/v1",
        "KIMI_MODEL_PROVIDER_TYPE": "openai", "KIMI_CODE_NO_AUTO_UPDATE": "1",
    },
    tools={
        "shell": ToolCall("Bash", {"command": SHELL, "description": "Make a file"}),
        "read": ToolCall("Read", {"path": "{project}/sum.py"}),
        "edit": ToolCall("Edit", {"path": "{project}/sum.py", "old_string": OLD_LINE, "new_string": NEW_LINE}),
        "question": ToolCall("AskUserQuestion", {"questions": [QUESTION]}),
    },
    timeout_s=120,
)


def _configure_aider(place: Place, state: str) -> None:
    asks = state == "untrusted"  # about the news of its version, and whether to change the project's .gitignore
    config = {
        "model": "openai/canary", "edit-format": "diff", "check-update": False, "analytics": False,
        "show-model-warnings": False, "show-release-notes": asks, "gitignore": asks,
    }
    write_text(place.home / ".aider.conf.yml", json.dumps(config))
    # Else it asks GitHub for it at each start.
    write_text(place.home / ".aider/caches/model_prices_and_context_window.json", json.dumps({"canary": {}}))


# aider has no tools: it asks about what its model writes.
AIDER = Agent(
    name="aider",
    package="aider-chat",
    python="python3",
    configure=_configure_aider,
    environment=lambda place: {
        "OPENAI_API_KEY": KEY, "OPENAI_API_BASE": place.url + "/v1", "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    },
    tools={
        "shell": written(f"```bash\n{SHELL}\n```\n"),
        "read": written("I have no tool for that."),
        "edit": written(f"sum.py\n```python\n<<<<<<< SEARCH\n{OLD_LINE}\n=======\n{NEW_LINE}\n>>>>>>> REPLACE\n```\n"),
    },
    interrupts="C-c",
    timeout_s=150,
)


def _configure_continue(place: Place, _state: str) -> None:
    model = {
        "name": "canary", "provider": "openai", "model": "canary", "apiBase": place.url + "/v1", "apiKey": KEY,
        "roles": ["chat"], "capabilities": ["tool_use"],
    }
    config = {"name": "canary", "version": "1.0.0", "schema": "v1", "models": [model]}
    write_text(place.home / ".continue/config.yaml", json.dumps(config))
    write_text(place.home / ".continue/.onboarding_complete", "2026-01-01T00:00:00.000Z")


CONTINUE = Agent(
    name="continue",
    program="cn",
    package="@continuedev/cli",
    beside=NODE_22,
    configure=_configure_continue,
    environment=lambda place: {"CONTINUE_TELEMETRY_ENABLED": "0", "CONTINUE_ALLOW_ANONYMOUS_TELEMETRY": "0"},
    tools={
        "shell": ToolCall("Bash", {"command": SHELL}),
        "read": ToolCall("Read", {"filepath": "{project}/sum.py"}),
        "edit": ToolCall("Edit", {"file_path": "{project}/sum.py", "old_string": OLD_LINE, "new_string": NEW_LINE}),
    },
    dialog_s=5.0,
    timeout_s=150,
)


MORE_AGENTS = (PI, QWEN, COPILOT, KILO, KIMI, AIDER, CONTINUE)
ALL_AGENTS = AGENTS | {agent.name: agent for agent in MORE_AGENTS}
