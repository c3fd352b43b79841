"""script/harbor-jobs: real agent CLIs in real jobs of Harbor, by orch's seat and by orch acp. See canary/README.md."""

import argparse
import json
import os
import subprocess
import sys
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from agents import AGENTS, Place, shell_call
from checks import Checks, conclude
from command_line import exit_code_of, new_scratch, parser_of, ready
from delivery_runs import Cli
from install import REPOSITORY, driven_version, scratch_folder
from limit_scenarios import ERRORS
from model_server import ModelServer
from report import aligned
from script import Answer, Fail, Say, Use
from workplace import environment

sys.path.insert(0, str(REPOSITORY / "bench/harbor"))
from check import HARBOR, venv  # noqa: E402

SDK = "agent-client-protocol==0.12.1"
ACP_PYTHON = "/opt/harbor-acp-venv"  # where Harbor's agent "acp" looks for it
DEMO = "demo"
NAMES = (DEMO, "claude", "codex")
SEAT, ACP = "seat", "acp"
# What the model wants run, by a word of the task's instruction, and the reward that it is worth.
SLOW = "too-slow"
COMMANDS = {
    "create-file": ("hello.txt", "echo 'Hello, world!' > /app/hello.txt", 1),
    "fix-test": ("add.py", "sed -i 's/a - b/a + b/' /app/add.py", 1),
    # Its verifier looks for "sleep 60" among the processes; claude refuses to sleep.
    SLOW: ("/app/done", "touch 'sleep 60' && tail -f 'sleep 60'", 0),
}
# What Harbor is to say where the vendor refuses, by the scenario of limit_scenarios.
REFUSED = {"wrong key": "AgentAuthenticationError", "no model": "ModelNotFoundError", "too long": "ContextWindowExceededError",
           "rate limit": "ApiRateLimitError", "overloaded": "ApiOverloadedError", "refused": "UnknownApiError"}
# By orch acp Harbor guesses from orch's words, which have no pattern for an error without a name.
REFUSED_BY_ACP = REFUSED | {"refused": "ApiInternalServerError"}
TOO_LATE = {SEAT: "AgentTimeoutError", ACP: "NonZeroAgentExitCodeError"}
SLOWER = 6  # Harbor's limits, for a busy machine
ACP_LIMIT_S = 15  # of orch acp, below Harbor's 5 s so many times


def parse_arguments() -> argparse.Namespace:
    parser = parser_of("harbor-jobs", "Runs Harbor's jobs with the demo agent and real CLIs, by orch's seat there and by Harbor's "
                                      "ACP agent on orch acp: rewards, exceptions, tokens, and what is left while a task is graded.")
    parser.add_argument("--agent", action="append", choices=NAMES, help="default: all")
    parser.add_argument("--tasks", required=True, help=f"a folder with the tasks {', '.join(COMMANDS)}")
    parser.add_argument("--environment", required=True, metavar="MODULE:CLASS",
                        help="on PYTHONPATH; it has to take --ek bind=PATH[=PLACE]:..., paths of this host to be seen")
    parser.add_argument("--keep", action="store_true", help="keep the folders of the jobs")
    return parser.parse_args()


def acp_venv(python: Path) -> Path:
    """With the SDK that Harbor's agent "acp" needs in the environment."""
    folder = scratch_folder() / "harbor-acp"
    if not (folder / "installed").exists():
        base = subprocess.run([python, "-c", "import sys; print(sys.base_prefix + '/bin/python3')"], capture_output=True,
                              text=True, check=True).stdout.strip()
        subprocess.run([base, "-m", "venv", "--clear", folder], check=True)
        subprocess.run([folder / "bin/python", "-m", "pip", "install", "--quiet", SDK], check=True)
        (folder / "installed").touch()
    return folder


class Model:
    """Has the task's command run at the first request of each task, and then ends the turn. `fail`: it refuses."""

    def __init__(self, fail: Fail | None = None):
        self._fail = fail
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    def answer_to(self, texts: list[str]) -> Answer:
        if self._fail:
            return self._fail
        asked = "\n".join(texts)
        task = next((name for name, (word, *_) in COMMANDS.items() if word in asked), "")
        with self._lock:
            self._asked[task] += 1
            first = self._asked[task] == 1
        return (Use(task),) if task and first else (Say("That is done."),)


@dataclass
class Trial:
    task: str
    reward: float | None
    exception: str | None
    is_retried: bool  # by harbor run --max-retries
    usage: tuple  # tokens in, cached and out, and cost, as Harbor has them
    orchs: tuple | None  # ... and as orch's result.json has them
    is_valid: bool  # trajectory.json
    left: bool  # something of the agent's ran while the task was graded


@dataclass
class Jobs:
    orch: Path
    python: Path
    tasks: Path
    environment: str
    scratch: Path
    programs: dict[str, Path]
    count: int = field(default=0, init=False)

    def run(self, agent: str, way: str, tasks: list[str], fail: Fail | None = None, scene: str = "default",
            limit_s: int | None = None) -> list[Trial]:
        self.count += 1
        folder = self.scratch / f"{self.count}-{agent}-{way}"
        home = folder / "home"
        home.mkdir(parents=True)
        binds, server = [str(self.orch)], None
        variables = {"ORCH_DEMO_SCENARIO": scene, "ORCH_DEMO_SPEED": "0.2"}
        if agent != DEMO:
            cli = AGENTS[agent]
            tools = {name: shell_call(cli, command) for name, (_, command, _) in COMMANDS.items()}
            server = ModelServer((), tools, folder / "model.jsonl", choose=Model(fail).answer_to)
            cli.configure(Place(home, Path("/app"), server.port), "ready")
            variables = environment(cli, Place(Path("/root"), Path("/app"), server.port), self.programs[agent])
            binds.append(str(self.programs[agent].parent.parent))
        options = ["--agent", agent, "--approve", "all", "--sandbox", "none"]
        if way == SEAT:
            words = ["-a", "orch_agent:Orch", "--ak", f"agent={agent}", "--ak", f"binary={self.orch}"]
        else:
            acp = acp_venv(self.python)
            binds += [f"{acp}={ACP_PYTHON}", str((acp / "bin/python3").resolve().parent.parent)]
            args = ["acp", *options, "--state-dir", "/logs/agent/orch"] + (["--timeout", f"{limit_s}s"] if limit_s else [])
            entry = {"id": "orch", "name": "orch", "version": "1", "description": "-",
                     "distribution": {"local": {"cmd": str(self.orch), "args": args}}}
            words = ["-a", "acp", "--ak", "skip_install=true", "--ak", f"registry_entry={json.dumps(entry)}"]
        for name, value in variables.items():
            words += ["--ae", f"{name}={value}"]
        for task in tasks:
            words += ["-i", task]
        path = os.pathsep.join([str(REPOSITORY / "bench/harbor"), str(REPOSITORY / "canary"), os.environ.get("PYTHONPATH", "")])
        env = os.environ | {"HARBOR_TELEMETRY": "0", "LITELLM_LOCAL_MODEL_COST_MAP": "True", "PYTHONDONTWRITEBYTECODE": "1",
                            "PYTHONPATH": path, "ORCH_HARBOR_ENVIRONMENT": self.environment, "ORCH_HARBOR_HOME": str(home)}
        try:
            done = subprocess.run([self.python.parent / "harbor", "run", "-p", self.tasks, "-e", "harbor_home:WithHome", "-y", "-q",
                                   "-n", "1", "-o", folder / "jobs", "--timeout-multiplier", str(SLOWER),
                                   "--ek", f"bind={':'.join(binds)}", *words],
                                  env=env, cwd=folder, capture_output=True, text=True, timeout=900, check=False)
        finally:
            if server:
                server.close()
        (folder / "harbor.txt").write_text(done.stdout + done.stderr)
        trials = [self.trial(path.parent, way) for path in sorted((folder / "jobs").glob("*/*/result.json"))]
        for trial in trials:
            print(agent, way, trial, sep=" · ", file=sys.stderr)
        return trials

    def trial(self, folder: Path, way: str) -> Trial:
        result = json.loads((folder / "result.json").read_text())
        told = result.get("agent_result") or {}
        usage = tuple(told.get(name) for name in ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd"))
        files = [folder / "agent/result.json"] if way == SEAT else sorted(folder.glob("agent/orch/runs/*/result.json"))
        orchs = None
        if files and files[-1].exists():
            counted = json.loads(files[-1].read_text()).get("usage") or {}
            orchs = tuple(counted.get(name) for name in ("in", "cached", "out", "cost_usd"))
        trajectory = folder / "agent/trajectory.json"
        valid = subprocess.run([self.python, "-m", "harbor.utils.trajectory_validator", trajectory], capture_output=True,
                               check=False).returncode == 0
        graded = folder / "verifier/test-stdout.txt"
        rewards = (result.get("verifier_result") or {}).get("rewards") or {}
        error = result.get("exception_info") or {}
        return Trial(folder.name.partition("__")[0], rewards.get("reward"), error.get("exception_type"),
                     bool((error.get("policy") or {}).get("should_retry")), usage, orchs, valid,
                     graded.exists() and "still runs" in graded.read_text())


def row_of(agent: str, way: str, what: str, trial: Trial) -> list[str]:
    return [agent, way, what, str(trial.reward), str(trial.exception), "yes" if trial.is_retried else "no", str(trial.usage),
            str(trial.orchs)]


def play(jobs: Jobs, agent: str, way: str) -> tuple[Checks, list[list[str]]]:
    quick = [task for task in COMMANDS if task != SLOW]
    trials = jobs.run(agent, way, quick) + jobs.run(agent, way, [SLOW], scene="hang", limit_s=ACP_LIMIT_S)
    checks: Checks = {"3 trials": len(trials) == len(COMMANDS)}
    rows = []
    for trial in trials:
        wanted = 0 if agent == DEMO else COMMANDS[trial.task][2]
        checks[f"{trial.task}: reward {wanted}"] = trial.reward == wanted
        checks[f"{trial.task}: nothing left"] = not trial.left
        checks[f"{trial.task}: valid"] = trial.is_valid
        right = TOO_LATE[way] if trial.task == SLOW else None
        checks[f"{trial.task}: {right or 'no exception'}"] = trial.exception == right
        # Of a turn that fails Harbor's ACP agent takes no tokens.
        if way == SEAT or not right:
            checks[f"{trial.task}: tokens"] = trial.usage == (trial.orchs or trial.usage)
        rows.append(row_of(agent, way, trial.task, trial))
    return checks, rows


def play_refused(jobs: Jobs, agent: str, way: str) -> tuple[Checks, list[list[str]]]:
    checks: Checks = {}
    rows = []
    for scenario in ERRORS:
        if scenario.name not in REFUSED:
            continue
        wanted = (REFUSED if way == SEAT else REFUSED_BY_ACP)[scenario.name]
        trials = jobs.run(agent, way, ["create-file"], fail=scenario.fails[agent]())
        checks[f"{scenario.name}: {wanted}"] = [trial.exception for trial in trials] == [wanted]
        rows += [row_of(agent, way, scenario.name, trial) for trial in trials]
    return checks, rows


def main() -> int:
    arguments = parse_arguments()
    names = arguments.agent or list(NAMES)
    clis = [Cli(AGENTS[name], driven_version(AGENTS[name])) for name in names if name != DEMO]
    orch, programs = ready(arguments.orch, clis)
    print(f"{', '.join(HARBOR)}", file=sys.stderr)
    scratch = new_scratch("harbor-jobs")
    jobs = Jobs(orch, venv(), Path(arguments.tasks).resolve(), arguments.environment, scratch,
                {cli.agent.name: programs[cli.name] for cli in clis})
    played: dict[str, Checks] = {}
    rows = [["agent", "by", "task", "reward", "exception", "retried", "Harbor's tokens and cost", "orch's"]]
    for name in names:
        for way in (SEAT, ACP):
            played[f"{name}, {way}"], more = play(jobs, name, way)
            rows += more
    for way in (SEAT, ACP):
        refused = next((name for name in names if name != DEMO), None)
        if refused:
            played[f"{refused} refused, {way}"], more = play_refused(jobs, refused, way)
            rows += more
    print(aligned(rows))
    return conclude("agent", played, scratch, arguments.keep)


if __name__ == "__main__":
    sys.exit(exit_code_of("harbor-jobs", main))
