"""orch's seat in Harbor (0.26): any agent that orch drives, as an agent of Harbor's. docs/benchmarks.md has its use.

    harbor run ... -a orch_agent:Orch --ak agent=claude [--ak binary=orch] [--ak timeout=20m] [--ak options="--model opus"]

How a run ended comes from orch's result.json, not from its output: a class that Harbor's table of errors knows.
"""

import asyncio
import json
import os
import shlex
import tempfile
from pathlib import Path

from harbor.agents.capabilities import AgentCapabilities
from harbor.agents.installed import base
from harbor.trial import errors

ISSUE, STATE, PROMPT, PID, PROGRAM = "harbor", "/tmp/orch-state", "/tmp/orch-prompt.md", "/tmp/orch.pid", "/tmp/orch"
# By orch's last_cause, where the model or its provider ended the run.
OF_CAUSE = {"auth": "AgentAuthenticationError", "login": "AgentAuthenticationError", "model": "ModelNotFoundError",
            "context": "ContextWindowExceededError", "rate_limit": "ApiRateLimitError",
            "overloaded": "ApiOverloadedError", "limit": "ApiUsageLimitError"}


def error_of(result: dict) -> str | None:
    """The name of Harbor's exception for how orch's run ended; None: it ended well."""
    if result.get("code") == 0:
        return None
    reason, cause = result.get("reason"), result.get("last_cause")
    if reason == "timeout":
        return "AgentTimeoutError"
    if reason == "retry_later":
        return OF_CAUSE.get(cause, "ApiRateLimitError")
    if reason == "agent_error":
        return OF_CAUSE.get(cause, "UnknownApiError")
    return "NonZeroAgentExitCodeError"


class Orch(base.BaseInstalledAgent):
    capabilities = AgentCapabilities(atif=True, resume=True)

    def __init__(self, *args, agent="claude", binary=None, timeout=None, options="", sandbox="external", **kwargs):
        super().__init__(*args, **kwargs)
        self._agent, self._binary, self._timeout = str(agent), binary, timeout
        self._options, self._sandbox = str(options), str(sandbox)
        self._program = PROGRAM if binary else "orch"

    @staticmethod
    def name() -> str:
        return "orch"

    def get_version_command(self) -> str:
        return f"{self._program} --version"

    async def install(self, environment) -> None:
        if self._binary:
            await environment.upload_file(Path(self._binary).expanduser(), PROGRAM)
            await self.exec_as_root(environment, f"chmod 755 {PROGRAM}")
        await self.exec_as_agent(environment, f"{self._program} agents show {shlex.quote(self._agent)}")

    def _command(self) -> str:
        logs = str(self.environment_logs_dir)
        words = [self._program, "run", ISSUE, "--agent", self._agent, "--prompt-file", PROMPT, "--until", "idle",
                 "--approve", "all", "--sandbox", self._sandbox, "--artifacts", logs]
        if self.model_name:
            words += ["--model", self.model_name.partition("/")[2] or self.model_name]
        if self._timeout:
            words += ["--timeout", f"{self._timeout}s" if isinstance(self._timeout, int) else str(self._timeout)]
        words += shlex.split(self._options)
        if getattr(self, "_resume", False):  # with the options that the earlier run had
            words = [self._program, "continue", ISSUE, "-", "--artifacts", logs]
        words += ["--state-dir", STATE]
        return f"echo $$ > {PID}; exec {shlex.join(words)} < {PROMPT} > {shlex.quote(logs)}/orch.txt 2>&1"

    @base.with_prompt_template
    async def run(self, instruction, environment, context) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".md", encoding="utf-8") as prompt:
            prompt.write(instruction)
            prompt.flush()
            await environment.upload_file(prompt.name, PROMPT)
        trace = os.environ.get("TRACEPARENT")
        env = dict(self._extra_env or {}) | ({"TRACEPARENT": trace} if trace else {})
        try:
            done = await environment.exec(self._command(), env=env)
        except asyncio.CancelledError:
            # The agent would work on while the verifier looks at its files.
            await environment.exec(f"p=$(cat {PID}); kill -TERM $p; for i in $(seq 150); do kill -0 $p || break; sleep 0.1; done")
            raise
        result = await self._result(environment)
        name = error_of(result or {"code": done.return_code})
        if name:
            kind = getattr(errors, name, None) or getattr(base, name)
            raise kind(f"orch: {(result or {}).get('reason')} ({done.return_code}): {(result or {}).get('detail')}")

    async def _result(self, environment) -> dict | None:
        try:
            await environment.download_file(f"{self.environment_logs_dir}/result.json", self.logs_dir / "result.json")
            return json.loads((self.logs_dir / "result.json").read_text(encoding="utf-8"))
        except Exception:  # orch did not get so far
            return None

    def populate_context_post_run(self, context) -> None:
        try:
            result = json.loads((self.logs_dir / "result.json").read_text(encoding="utf-8"))
            usage = result.get("usage") or {}
            context.n_input_tokens, context.n_cache_tokens = usage.get("in"), usage.get("cached")
            context.n_output_tokens, context.cost_usd = usage.get("out"), usage.get("cost_usd")
            context.metadata = {key: result.get(key) for key in ("run", "reason", "code", "detail", "turns", "trace_id")}
        except Exception:  # one that got out would end Harbor's whole job
            pass
