"""The agent CLIs: where they come from, how a fresh home makes them talk to the scripted model, and what
their tools are called. A home holds nothing of the user's."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from script import ToolCall

# Nobody's key; Claude Code remembers an approved key by its last 20 characters.
KEY = "sk-ant-canary-0000000000000000-not-a-real-key"
RETRIES = 2


@dataclass(frozen=True)
class Place:
    """Where one run lives."""

    home: Path
    project: Path
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@dataclass(frozen=True)
class Agent:
    """One CLI. `configure(place, state)` writes the files of its home; `state` is a scenario's `home`."""

    name: str
    package: str
    configure: Callable[[Place, str], None]
    environment: Callable[[Place], dict[str, str]]
    tools: dict[str, ToolCall]
    working_s: float = 1.5  # how long after a fact its drawing may take: work, its end, an error
    dialog_s: float = 3.0  # the same for a dialog
    prompt_first: bool = False  # draws its prompt before a dialog of its start: idle is no error there
    timeout_s: int = 60  # of a run
    also: tuple[str, ...] = ()  # other versions that messages are delivered to
    program: str = ""  # its name, where that is not the agent's
    beside: tuple[str, ...] = ()  # packages that it needs beside it: a newer node
    python: str = ""  # it comes from PyPI and needs this interpreter; "": it comes from npm
    escapes: int = 1  # how often Escape has to be typed to interrupt it
    interrupts: str = "Escape"  # the key that is typed in place of it
    renderers: tuple[dict[str, str], ...] = ({},)  # variables by which it draws otherwise; deliveries take turns


def write_text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


QUESTION = {
    "question": "Which colour shall the button have?",
    "header": "Colour",
    "options": [
        {"label": "Green", "description": "Like the others"},
        {"label": "Orange", "description": "To be seen"},
    ],
}
OLD_LINE, NEW_LINE = "TOTAL = 1", "TOTAL = 2"
SHELL = "touch made-by-agent.txt"


def _configure_claude(place: Place, state: str) -> None:
    config = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [] if state == "no login" else [KEY[-20:]], "rejected": []},
        "projects": {str(place.project): {"hasTrustDialogAccepted": state != "untrusted"}},
        # Else newer versions ask whether auto mode shall be the default wherever another one is.
        "hasSeenAutoDefaultNudge": True,
    }
    write_text(place.home / ".claude.json", json.dumps(config))
    # Newer versions allow by themselves what they deem harmless ("auto"), unless a rule says to ask.
    modes = {"plan mode": "plan", "bypass mode": "bypassPermissions"}
    permissions = {"ask": ["Bash", "Edit"]} | ({"defaultMode": modes[state]} if state in modes else {})
    write_text(place.home / ".claude/settings.json", json.dumps({"permissions": permissions}))
    if state == "mcp servers":
        servers = {name: {"command": "true"} for name in ("notes", "search")}
        write_text(place.project / ".mcp.json", json.dumps({"mcpServers": servers}))
    if state == "external imports":
        write_text(place.home / "elsewhere/rules.md", "Be brief.\n")
        write_text(place.project / "CLAUDE.md", f"@{place.home}/elsewhere/rules.md\n")


CLAUDE = Agent(
    name="claude",
    also=("2.1.197",),  # draws on the main screen
    renderers=({}, {"CLAUDE_CODE_DISABLE_ALTERNATE_SCREEN": "1"}),
    package="@anthropic-ai/claude-code",
    configure=_configure_claude,
    environment=lambda place: {
        "ANTHROPIC_BASE_URL": place.url,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": str(RETRIES),
        "IS_SANDBOX": "1",  # lets root have the bypass mode
    },
    tools={
        "shell": ToolCall("Bash", {"command": SHELL, "description": "Make a file"}),
        "read": ToolCall("Read", {"file_path": "{project}/sum.py"}),
        "edit": ToolCall("Edit", {"file_path": "{project}/sum.py", "old_string": OLD_LINE, "new_string": NEW_LINE}),
        "question": ToolCall("AskUserQuestion", {"questions": [QUESTION | {"multiSelect": False}]}),
        "write plan": ToolCall("Write", {"file_path": "{plan file}", "content": "# Plan\n\n1. Count again\n"}),
        "plan": ToolCall("ExitPlanMode", {"plan": "# Plan\n\n1. Count again\n"}),
    },
)


def subscribed(claude: Agent) -> Agent:
    """The same with a subscription in place of a key: it has the limits of a plan."""
    def environment(place: Place) -> dict[str, str]:
        told = claude.environment(place) | {"CLAUDE_CODE_OAUTH_TOKEN": KEY.replace("canary", "oat01")}
        return {name: value for name, value in told.items() if name != "ANTHROPIC_API_KEY"}
    return replace(claude, environment=environment)


def _configure_codex(place: Place, state: str) -> None:
    if state == "no login":
        return
    quote = json.dumps  # a TOML basic string
    # Who sets the policy himself is not asked for trust.
    policy = [] if state == "untrusted" else ['sandbox_mode = "read-only"', 'approval_policy = "on-request"']
    lines = [
        *policy,
        'model = "gpt-5.5"',
        'model_provider = "canary"',
        "[model_providers.canary]",
        'name = "canary"',
        f"base_url = {quote(place.url + '/v1')}",
        'wire_api = "responses"',
        'env_key = "CANARY_KEY"',
        f"request_max_retries = {RETRIES}",
        f"stream_max_retries = {RETRIES}",
    ]
    if state != "untrusted":
        lines += [f"[projects.{quote(str(place.project))}]", 'trust_level = "trusted"']
    if state != "model news":
        lines += ["[notice.model_migrations]", '"gpt-5.5" = "gpt-6-sol"']
    write_text(place.home / ".codex/config.toml", "\n".join(lines) + "\n")
    if state == "hooks":
        hook = '[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "true"\n'
        write_text(place.project / ".codex/config.toml", hook)


CODEX = Agent(
    name="codex",
    package="@openai/codex",
    configure=_configure_codex,
    environment=lambda place: {"CANARY_KEY": KEY},
    tools={
        "shell": ToolCall(
            "exec_command",
            {"cmd": SHELL, "sandbox_permissions": "require_escalated", "justification": "May the file be made?"},
        ),
        "shell unasked": ToolCall("exec_command", {"cmd": SHELL}),
        "read": ToolCall("exec_command", {"cmd": "cat sum.py"}),
        "edit": ToolCall(
            "apply_patch",
            f"*** Begin Patch\n*** Update File: sum.py\n@@\n-{OLD_LINE}\n+{NEW_LINE}\n*** End Patch\n",
        ),
    },
)


def _configure_gemini(place: Place, state: str) -> None:
    auth = {} if state == "no login" else {"auth": {"selectedType": "gemini-api-key"}}
    settings = {
        "security": auth | {"folderTrust": {"enabled": state == "untrusted"}},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
        "privacy": {"usageStatisticsEnabled": False},
    }
    write_text(place.home / ".gemini/settings.json", json.dumps(settings))


GEMINI = Agent(
    name="gemini",
    prompt_first=True,  # for 0.1 to 0.4 s, until it has read which folders are trusted
    package="@google/gemini-cli",
    configure=_configure_gemini,
    environment=lambda place: {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": place.url},
    tools={
        "shell": ToolCall("run_shell_command", {"command": SHELL, "description": "Make a file"}),
        "read": ToolCall("read_file", {"file_path": "{project}/sum.py"}),
        "edit": ToolCall(
            "replace",
            {
                "file_path": "{project}/sum.py",
                "instruction": "Count again",
                "old_string": OLD_LINE,
                "new_string": NEW_LINE,
            },
        ),
        "question": ToolCall("ask_user", {"questions": [QUESTION | {"type": "choice"}]}),
    },
    dialog_s=5.0,  # the edit dialog computes its diff first
)


def own_provider(place: Place) -> dict:
    """The scripted model as a provider of the user's own, in the configuration of opencode and its kin."""
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "canary",
        "options": {"baseURL": place.url + "/v1", "apiKey": KEY},
        "models": {"canary": {"name": "canary", "tool_call": True, "limit": {"context": 200_000, "output": 32_000}}},
    }
    return {"model": "canary/canary", "small_model": "canary/canary", "provider": {"canary": provider}}


def _configure_opencode(place: Place, _state: str) -> None:
    config = own_provider(place) | {"share": "disabled", "permission": {"bash": "ask", "edit": "ask"}}
    write_text(place.home / ".config/opencode/opencode.json", json.dumps(config))


OPENCODE = Agent(
    name="opencode",
    package="opencode-ai",
    configure=_configure_opencode,
    environment=lambda place: {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1"},
    tools={
        "shell": ToolCall("bash", {"command": SHELL, "description": "Make a file"}),
        "read": ToolCall("read", {"filePath": "{project}/sum.py"}),
        "edit": ToolCall("edit", {"filePath": "{project}/sum.py", "oldString": OLD_LINE, "newString": NEW_LINE}),
        "question": ToolCall("question", {"questions": [QUESTION]}),
    },
    dialog_s=5.0,
    escapes=2,
    timeout_s=150,  # its first request leaves 15 to 30 s after the prompt on a small host
)


def shell_call(agent: Agent, command: str) -> ToolCall:
    """The agent's tool "shell" with another command."""
    return _with(agent.tools["shell"], SHELL, command)


def read_call(agent: Agent, file: str) -> ToolCall:
    """The agent's tool "read" with another file of the project."""
    return _with(agent.tools["read"], "sum.py", file)


def edit_call(agent: Agent, line: str) -> ToolCall:
    """The agent's tool "edit" with another new line."""
    return _with(agent.tools["edit"], NEW_LINE, line)


def _with(call: ToolCall, old: str, new: str) -> ToolCall:
    if isinstance(call.arguments, str):
        return ToolCall(call.name, call.arguments.replace(old, new))
    arguments = {k: v.replace(old, new) if isinstance(v, str) else v for k, v in call.arguments.items()}
    return ToolCall(call.name, arguments)


AGENTS = {agent.name: agent for agent in (CLAUDE, CODEX, GEMINI, OPENCODE)}
DEFAULT_AGENTS = ("claude", "codex", "gemini")
