"""What the model is told to answer: the words in which scenarios are written.

An answer is a tuple of steps, or a Fail. One main request of the agent takes one answer.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Say:
    """Words, streamed `chunk` characters at a time, `gap` seconds apart. The stream stands still for `rest_s` where
    `rest_at` characters have been sent."""

    text: str
    chunk: int = 12
    gap: float = 0.03
    rest_at: int = 0
    rest_s: float = 0


@dataclass(frozen=True)
class Think(Say):
    """The same as reasoning, which the CLIs show as a summary or not at all."""


@dataclass(frozen=True)
class Use:
    """A tool call. `tool` is a key of Agent.tools; `needs` is the dialog that the call opens."""

    tool: str
    needs: str | None = None


@dataclass(frozen=True)
class Pause:
    """The model says nothing for so long."""

    seconds: float


@dataclass(frozen=True)
class HangUp:
    """The connection breaks in the middle of the answer."""


Step = Say | Use | Pause | HangUp


@dataclass(frozen=True)
class Fail:
    """An HTTP error instead of an answer. `retry_after`: seconds. `error`: members of its body that the protocol's plain
    error lacks, or has other values for."""

    status: int
    message: str
    retry_after: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    error: tuple[tuple[str, object], ...] = ()


Answer = tuple[Step, ...] | Fail


@dataclass(frozen=True)
class ToolCall:
    """A Use in one CLI's own terms. Arguments that are text belong to a freeform tool. `namespace`: of a tool of an
    MCP server, where the protocol has one."""

    name: str
    arguments: dict | str
    namespace: str | None = None


def written(text: str) -> ToolCall:
    """For a CLI that has no tools: what its model writes in place of a call."""
    return ToolCall("", f"\n\n{text}")
