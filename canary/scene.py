"""A project, a scripted model, and orch's commands in that project, with one real CLI or a crew of several."""

import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from agents import Agent, Place
from delivery_runs import Cli
from load import load, slowness
from meta_script import MetaScript
from model_server import Fact, ModelServer
from runner import in_project
from script import Answer, ToolCall
from workplace import environment, make_project, state_folder

PATIENCE_S = 90  # on an idle machine


class OrchAtWork:
    """orch's commands in a project, and what its model server knows. The project, `env` and the server are made by
    who inherits."""

    orch: Path
    folder: Path
    project: Path
    env: dict[str, str]
    server: ModelServer

    def orch_says(self, *words: str, patience_s: float = PATIENCE_S * 2) -> subprocess.CompletedProcess:
        said = subprocess.run([self.orch, *words], cwd=self.project, env=self.env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=patience_s * slowness(load()), check=False)
        with (self.folder / "orch.txt").open("a") as out:
            out.write(f"{time.time():.1f} $ orch {words}\n{said.stdout}{said.stderr}[{said.returncode}]\n")
        return said

    def all_facts(self) -> list[dict]:
        file = self.folder / "model.jsonl"
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        return [json.loads(line) for line in lines]

    def facts(self, kind: str) -> list[dict]:
        return [fact for fact in self.all_facts() if fact["kind"] == kind]

    def wait_for(self, holds: Callable[[], bool]) -> bool:
        until = time.monotonic() + PATIENCE_S * slowness(load())
        while time.monotonic() < until:
            if holds():
                return True
            time.sleep(0.2)
        return False

    def close(self) -> list[Fact]:
        self.orch_says("kill", "--all", "--now")
        return self.server.close()


class Scene(OrchAtWork):
    """One CLI. Lives from construction to close()."""

    def __init__(self, orch: Path, cli: Cli, programs: Path, folder: Path, answers: tuple[Answer, ...],
                 tools: dict[str, ToolCall] | None = None, meta: MetaScript | None = None, seen_at: str | None = None):
        """`seen_at`: where the agent has the project, in a container."""
        self.orch, self.cli, self.folder = orch, cli, folder
        self.project = make_project(folder)
        tools = {name: in_project(call, Path(seen_at or self.project)) for name, call in (tools or cli.agent.tools).items()}
        self.server = ModelServer(answers, tools, folder / "model.jsonl", meta)
        place = Place(self.project.parent, self.project, self.server.port)
        cli.agent.configure(place, "ready")
        self.env = environment(cli.agent, place, programs) | {"ORCH_STATE_DIR": str(state_folder(folder))}

    def newest(self) -> dict:
        runs = json.loads(self.orch_says("runs", "--json").stdout or "[]")
        return runs[0] if runs else {}

    def has_heard(self, request: int, *texts: str) -> bool:
        """The model got all of these as words of the user in one request."""
        asked = [fact for fact in self.facts("arrived") if fact["request"] == request]
        heard = "\n".join("\n".join(fact["texts"]) for fact in asked)
        return all(text in heard for text in texts)


class CrewScene(OrchAtWork):
    """A crew of several CLIs, whose models answer by what they were told. Lives from construction to close()."""

    def __init__(self, orch: Path, programs: list[tuple[Agent, Path]], folder: Path, spec: str,
                 answer_to: Callable[[list[str]], Answer], tools: dict[str, ToolCall] | None = None):
        """`spec`: the crew's file. `programs`: each CLI once, with the folder of its program."""
        self.orch, self.folder = orch, folder
        self.project = make_project(folder)
        (self.project / "crew.yaml").write_text(spec)
        self.server = ModelServer((), tools or {}, folder / "model.jsonl", choose=answer_to)
        place = Place(self.project.parent, self.project, self.server.port)
        self.env = {"ORCH_STATE_DIR": str(state_folder(folder))}
        for agent, program in programs:
            agent.configure(place, "ready")
            self.env = environment(agent, place, program) | self.env
        self.env["PATH"] = os.pathsep.join([*(str(program) for _, program in programs), self.env["PATH"]])

    def status(self) -> dict[str, dict]:
        told = self.orch_says("crew", "status", "--json").stdout
        return {member["member"]: member for member in json.loads(told)["members"]} if told else {}

    def at_rest(self) -> bool:
        status = self.status().values()
        return bool(status) and all(one["status"] == "idle" and one["pending"] == 0 for one in status)

    def heard(self, words: str) -> int:
        """How often a conversation held the words at most, as the user's; 0: they never arrived."""
        return max((sum(text.count(words) for text in fact["texts"]) for fact in self.facts("arrived")), default=0)

    def close(self) -> list[Fact]:
        self.orch_says("crew", "down", "--now")
        return super().close()
