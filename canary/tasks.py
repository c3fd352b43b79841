"""script/tasks: real CLIs as workers of orch task, with a scripted meta-agent by Chat Completions, and what goes wrong
there. See canary/README.md."""

import argparse
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import meta_script
from agents import KEY, NEW_LINE, OLD_LINE, Place, shell_call
from command_line import CANNOT_RUN, RIGHT, WRONG, add_agents, all_clis, exit_code_of, leave, new_scratch, parser_of, ready
from delivery_runs import Cli
from install import CannotRun
from meta_script import MetaScript
from received import as_kept
from report import aligned
from scene import PATIENCE_S, Scene
from script import Answer, Fail, HangUp, Pause, Say, Use
from workplace import state_folder

TASK = "mend-sum"
PRD_FILE = "prd.md"  # beside the task file
WORKSPACE = "/workspace/project"  # where a container has the project
CONTAINER_CONFIG = "/opt/agent-config"
# A PRD that is to reach the model as it is; the file is never made.
HOSTILE = "$(touch hacked) `touch hacked` '; touch hacked; \" \\ {{x}} é 日本語\n\ttype: plan_task\n"
PRD = f"The total must begin at 2.\n\n{HOSTILE}"
# No word of a command line may be as long, and no pipe holds as much.
LONG_PRD_BYTES = 200 << 10
HOSTILE_LINES = (
    "\"; touch hacked; \"\n", "' || touch hacked #\n", "${IFS}$(touch${IFS}hacked) <(touch hacked)\n",
    "\\n \\x41 \\u0041 \\e[31m %s %n\\\n", "```\nEOF\n''\n---\n...\n- a: &b *c !d\n", "\n \n  two blanks  \n",
)


def long_prd() -> str:
    """Each line is another, so that a piece that is missing or stands twice is seen."""
    lines = [PRD]
    size = len(PRD.encode())
    while size < LONG_PRD_BYTES:
        lines.append(f"{len(lines)}: {(HOSTILE, *HOSTILE_LINES)[len(lines) % (len(HOSTILE_LINES) + 1)]}")
        size += len(lines[-1].encode())
    return "".join(lines) + "This is its end.\n"


PLAN = meta_script.plan(TASK, "The total begins at 2.", "The tests pass.")
WORK, DONE = meta_script.run_worker("Let the total begin at 2."), meta_script.mark_complete()
PASSED = meta_script.assessment(True, True)
MENDED: tuple[Answer, ...] = ((Say("I mend it."), Use("mend")), (Say("It is mended.\n\nLOOP_COMPLETE\n"),))
HANGS: Answer = (Pause(600),)
KILLED_AT = "daemon-killed-at"  # a file in the scene's folder
WITHOUT_DAEMON_S = 25  # docs/internals/faults.md
COMPLETE, META_FAILED, INTERNAL, NOT_BEGUN = (
    (0, "complete"), (1, "meta_failed"), (125, "internal"), (2, "")
)


def meta(*next_actions: str | Answer, plan: tuple[str | Answer, ...] = (PLAN,)) -> MetaScript:
    return MetaScript(plan_task=plan, next_action=next_actions or (WORK, DONE), completion_assessment=(PASSED,))


def meta_of(next_actions: tuple[str, ...], assessments: tuple[str, ...]) -> MetaScript:
    """It takes its time, in which orch can be killed."""
    slow = {kind: tuple((Pause(0.4), Say(text, chunk=len(text), gap=0)) for text in texts)
            for kind, texts in (("next_action", next_actions), ("completion_assessment", assessments), ("plan_task", (PLAN,)))}
    return MetaScript(**slow)


def assessment_failed() -> str:
    return meta_script.assessment(True, False)


@dataclass(frozen=True)
class Case:
    """What meta-agent and worker's model answer, and how the task must end. `meddle` is called while orch works, with
    the scene and orch's process."""

    name: str
    ending: tuple[int, str]
    meta: Callable[[], MetaScript] = meta
    answers: tuple[Answer, ...] = MENDED
    container: bool = False
    fields: tuple[tuple[str, str], ...] = ()  # other values in the task file, see task_file()
    meddle: Callable[[Scene, subprocess.Popen], None] | None = None
    resumed: tuple[int, str] | None = None  # the ending after orch task --resume
    loops: int | None = None  # worker runs
    long_prd: bool = False  # in a file of its own
    kills_daemon: bool = False

    @property
    def on_terminal(self) -> bool:
        return dict(self.fields).get("mode") == "interactive"


def wait_until_worked_on(scene: Scene) -> None:
    if not scene.wait_for(lambda: scene.facts("arrived")):
        raise TimeoutError("the worker's model was not asked")


def kill_worker(scene: Scene, _orch: subprocess.Popen) -> None:
    """What works in the project and is not orch: of this scene, whatever else runs on the machine."""
    wait_until_worked_on(scene)
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink() == scene.project and (process / "exe").readlink() != scene.orch:
                os.kill(int(process.name), signal.SIGKILL)
        except OSError:  # it has ended, or is another one's
            continue


def kill_orch(scene: Scene, orch: subprocess.Popen) -> None:
    wait_until_worked_on(scene)
    orch.send_signal(signal.SIGKILL)


def remove_container(scene: Scene, _orch: subprocess.Popen) -> None:
    wait_until_worked_on(scene)
    subprocess.run(["docker", "rm", "--force", *containers(scene)], check=False, capture_output=True)


def kill_daemon(scene: Scene, _orch: subprocess.Popen) -> None:
    wait_until_worked_on(scene)
    pid = daemon_pid()
    (scene.folder / KILLED_AT).write_text(str(time.time()))
    os.kill(pid, signal.SIGKILL)


def daemon_pid() -> int:
    """Of the Docker daemon that listens on this machine."""
    address = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
    if not address.startswith("unix://"):
        raise CannotRun(f"the daemon is not on this machine: {address}")
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(address.removeprefix("unix://"))
        except OSError as error:
            raise CannotRun(f"no daemon at {address}: {error.strerror}") from None
        pid = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))[0]
    name = Path(f"/proc/{pid}/comm").read_text().strip()
    if name != "dockerd":
        raise CannotRun(f"{name} listens on the daemon's socket, not dockerd")
    return pid


FIVE_LOOPS = "five loops, killed in each state"
STATES = ("plan_task", "next_action", "worker", "test", "completion_assessment")
SLOWLY: Answer = (Pause(1), Say("I look."), Use("mend"))  # so that a worker can be met at work


def five_loops() -> MetaScript:
    """The worker is let work until five of its runs were looked at. Each kill takes an answer with it."""
    return meta_of((WORK,) * 7 + (DONE,), (assessment_failed(),) * 5 + (PASSED,))


HUGE = "x" * (10 << 20)
CASES = (
    # The third run meets a limit, which the CLI or orch waits out.
    Case(FIVE_LOOPS, COMPLETE, five_loops,
         (*(SLOWLY, MENDED[1]) * 2, Fail(429, "slow down", 2), *(SLOWLY, MENDED[1]) * 12), fields=(("loops", "12"),)),

    Case("success", COMPLETE, loops=1),
    Case("long PRD", COMPLETE, loops=1, long_prd=True),
    Case("interactive", COMPLETE, fields=(("mode", "interactive"),), loops=1),
    Case("too early", COMPLETE, lambda: meta(DONE, WORK, DONE), loops=1),  # refused, and told so
    Case("meta: prose and a fence", COMPLETE, lambda: meta(plan=(f"Here it is:\n\n```yaml\n{PLAN}```\nGood luck!",))),
    Case("meta: nonsense", META_FAILED, lambda: meta(plan=("I would rather not.",))),
    Case("meta: nonsense once", COMPLETE, lambda: meta(plan=("I would rather not.", PLAN))),
    Case("meta: half YAML", META_FAILED, lambda: meta(plan=(PLAN[: len(PLAN) // 2] + '"',))),
    Case("meta: 10 MB", META_FAILED, lambda: meta(plan=((Say(HUGE, chunk=1 << 20, gap=0),),))),
    Case("meta: 429, then success", COMPLETE, lambda: meta(plan=(Fail(429, "slow down", 1), PLAN))),
    Case("meta: cut, then success", COMPLETE, lambda: meta(plan=((Say("type:"), HangUp()), PLAN))),
    Case("meta: 401", META_FAILED, lambda: meta(plan=(Fail(401, "no such key"),))),
    Case("meta: hangs", META_FAILED, lambda: meta(plan=(HANGS,)), fields=(("meta timeout", "5s"),)),
    Case("worker: fails", (124, "loops"), lambda: meta(WORK), (Fail(401, "no"),), fields=(("loops", "2"),), loops=2),
    Case("worker: hangs", (124, "loops"), lambda: meta(WORK), (HANGS,) * 9,
         fields=(("loops", "1"), ("worker timeout", "8s")), loops=1),
    Case("worker: killed", COMPLETE, lambda: meta(WORK, WORK, DONE), ((Say("I begin.", rest_at=4, rest_s=60),), *MENDED),
         meddle=kill_worker, loops=2),
    Case("orch: killed, resumed", (-9, ""), lambda: meta(WORK, WORK, DONE),
         ((Say("I begin.", rest_at=4, rest_s=60),), *MENDED), meddle=kill_orch, resumed=COMPLETE, loops=2),
    Case("container: success", COMPLETE, container=True, loops=1),
    Case("container: interactive", COMPLETE, container=True, fields=(("mode", "interactive"),), loops=1),
    Case("container: long PRD", COMPLETE, container=True, loops=1, long_prd=True),
    Case("container: image missing", NOT_BEGUN, container=True, fields=(("image", "orch-no-such-image"),)),
    Case("container: removed", INTERNAL, answers=(HANGS,) * 9, container=True, meddle=remove_container),
    Case("container: daemon gone", INTERNAL, answers=(HANGS,) * 9, container=True, meddle=kill_daemon, kills_daemon=True),
    Case("container: orch killed, resumed", (-9, ""), lambda: meta(WORK, WORK, DONE),
         ((Say("I begin.", rest_at=4, rest_s=60),), *MENDED), True, meddle=kill_orch, resumed=COMPLETE, loops=2),
)


def parse_arguments() -> argparse.Namespace:
    parser = parser_of(
        "tasks",
        "Carries a task out with each real agent CLI as the worker and a scripted meta-agent behind Chat "
        "Completions: a repository whose test fails, and a PRD. How the task ends must be right whatever goes wrong, and "
        "nothing may be left. With --image, an image of a Docker daemon, in containers, too.",
    )
    add_agents(parser, "codex, claude@2.1.330")
    parser.add_argument("--case", action="append", choices=[case.name for case in CASES], metavar="NAME",
                        help=", ".join(case.name for case in CASES))
    parser.add_argument("--image", help="of Debian, with a shell; the network is the host's")
    parser.add_argument("--daemon-start", metavar="COMMAND",
                        help="the daemon may be killed, and this line for a shell starts it again")
    parser.add_argument("--notes", type=Path, metavar="FOLDER", help="where the tasks' notes are put")
    parser.add_argument("--keep", action="store_true", help="keep the folders of what was right, too")
    return parser.parse_args()


def task_file(scene: Scene, case: Case, image: str | None) -> str:
    """JSON is YAML."""
    given = dict(case.fields)
    agent, port = scene.cli.agent, scene.server.port
    variables = agent.environment(Place(scene.project.parent, scene.project, port))
    worker = {
        "kind": agent.name, "max_loops": int(given.get("loops", 3)), "timeout": given.get("worker timeout", "3m"),
        "env": {name: f"env:{name}" for name in variables}, "mode": given.get("mode", "auto"),
    }
    sandbox: dict | str = "none"
    if case.container:
        program = Path(shutil.which(agent.name, path=scene.env["PATH"]) or "").resolve()
        native = next((path for path in program.parent.parent.parent.rglob(f"bin/{agent.name}") if is_native(path)), program)
        sandbox = {"kind": "docker", "image": given.get("image", image), "network": "host",
                   "mounts": [f"{native}:/usr/local/bin/{agent.name}:ro"]}
        worker["flags"] = container_flags(agent.name, port)
        if case.on_terminal and agent.name == "claude":
            sandbox["mounts"].append(f"{welcomed_home(scene)}:{CONTAINER_CONFIG}")
            worker["env"]["CLAUDE_CONFIG_DIR"] = CONTAINER_CONFIG
    return json.dumps({
        "version": 1, "id": TASK, "title": "The total", "repo": ".",
        "prd": {"file": PRD_FILE} if case.long_prd else PRD,
        "test": {"command": f"grep -q '^{NEW_LINE}$' sum.py"},
        "runner": {
            "meta": {"kind": "openai-chat", "base_url": f"http://127.0.0.1:{port}/v1",
                     "timeout": given.get("meta timeout", "1m")},
            "worker": worker, "sandbox": sandbox,
        },
    }, indent=2, ensure_ascii=False)


def is_native(path: Path) -> bool:
    return path.is_file() and path.read_bytes()[:4] == b"\x7fELF"


def welcomed_home(scene: Scene) -> Path:
    """Where Claude Code has been before: else it first welcomes on a terminal, for which it calls its maker's servers."""
    home = scene.folder / "container-home"
    scene.cli.agent.configure(Place(home, Path(WORKSPACE), scene.server.port), "ready")
    (home / ".claude.json").rename(home / ".claude/.claude.json")
    return home / ".claude"


def container_flags(agent: str, port: int) -> list[str]:
    """What stands in the files of a home that a container does not get."""
    if agent != "codex":
        return []
    provider = f'{{name="canary", base_url="http://127.0.0.1:{port}/v1", wire_api="responses", env_key="CANARY_KEY"}}'
    return ["-c", 'model_provider="canary"', "-c", f"model_providers.canary={provider}"]


def containers(scene: Scene) -> list[str]:
    listed = subprocess.run(
        ["docker", "ps", "--all", "--quiet", "--filter", f"label=orch.work={scene.project.resolve()}"],
        capture_output=True, text=True, check=False, env=os.environ | {"HOME": str(Path.home())},
    )
    if listed.returncode != 0:  # none listed is not none there
        raise CannotRun(f"docker ps: {listed.stderr.strip()}")
    return listed.stdout.split()


def carry_out(scene: Scene, case: Case, *words: str) -> tuple[int, str]:
    """orch task, and the reason that its summary tells."""
    orch = subprocess.Popen(
        [scene.orch, "task", *words, "--json", *([] if case.container else ["--approve", "all"])],
        cwd=scene.project, env=scene.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )
    if case.meddle and "--resume" not in words:
        threading.Thread(target=case.meddle, args=(scene, orch), daemon=True).start()
    try:
        out, err = orch.communicate(timeout=PATIENCE_S * 3)
    except subprocess.TimeoutExpired:
        orch.kill()
        out, err = orch.communicate()
        err += "\nIT DID NOT END"
    with (scene.folder / "orch.txt").open("a", encoding="utf-8") as file:
        file.write(f"$ orch task {words}\n{out}{err}[{orch.returncode}]\n")
    try:
        return orch.returncode, json.loads(out)["reason"]
    except (ValueError, KeyError, TypeError):
        return orch.returncode, ""


def kill_in(scene: Scene, orch: subprocess.Popen, state: str) -> bool:
    """Kills orch while this step of its task is under way, of which the journal's last line tells."""
    journal = state_folder(scene.folder) / f"tasks/{TASK}/journal.jsonl"
    until = time.monotonic() + PATIENCE_S
    while orch.poll() is None and time.monotonic() < until:
        try:
            last = json.loads(journal.read_bytes().splitlines()[-1])
        except (OSError, ValueError, IndexError):
            last = {}
        if last.get("step") == state:
            orch.send_signal(signal.SIGKILL)
            return True
        time.sleep(0.005)
    return False


def killed_in_each_state(scene: Scene, file: Path) -> tuple[tuple[int, str], list[str]]:
    """The task, begun once and killed once in each state, and gone on with; how it ended, and what is wrong."""
    faults, words = [], [str(file)]
    for state in STATES:
        orch = subprocess.Popen([scene.orch, "task", *words, "--json", "--approve", "all"], cwd=scene.project, env=scene.env,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if not kill_in(scene, orch, state):
            faults.append(f"not killed in {state}")
            orch.kill()
        orch.wait()
        words = ["--resume", TASK]
    ending = carry_out(scene, CASES[0], *words)
    runs = [run["issue"] for run in json.loads(scene.orch_says("runs", "-n", "0", "--json").stdout)]
    workers = [issue for issue in runs if issue.startswith(f"{TASK}-w")]
    if len(workers) != len(set(workers)):
        faults.append(f"a worker was begun twice: {sorted(workers)}")
    if len(workers) < 5:
        faults.append(f"only {len(workers)} worker runs")
    if not scene.facts("failed"):
        faults.append("no limit was met")
    spent = json.loads(scene.orch_says("task", "--status", TASK, "--json").stdout)["spent"]
    print(f"{scene.cli.name}: killed in {', '.join(STATES)}; {len(workers)} worker runs, {spent}", file=sys.stderr)
    return ending, faults


def faults_of(scene: Scene, case: Case, arguments: argparse.Namespace) -> list[str]:
    """What is not as it must be."""
    # Not in the project: the worker is to know the PRD from its prompt.
    (scene.folder / PRD_FILE).write_text(long_prd(), encoding="utf-8", newline="")
    file = scene.folder / "task.yaml"
    file.write_text(task_file(scene, case, arguments.image), encoding="utf-8")
    faults: list[str] = []
    if case.name == FIVE_LOOPS:
        ending, faults = killed_in_each_state(scene, file)
    else:
        ending = carry_out(scene, case, str(file))
    if ending != case.ending:
        faults.append(f"exit {ending[0]} {ending[1]}")
    if case.kills_daemon:
        faults += without_daemon(scene, arguments.daemon_start)
    if case.container and not scene.wait_for(lambda: not containers(scene)):
        faults.append("a container is left")
    if case.resumed:
        ending = carry_out(scene, case, "--resume", TASK)
        if ending != case.resumed:
            faults.append(f"resumed: exit {ending[0]} {ending[1]}")
    if case.ending == NOT_BEGUN:  # it is refused before there is anything to tell
        return faults
    note = scene.project / f".agent-runner/task-{TASK}.md"
    text = note.read_text(encoding="utf-8") if note.exists() else ""
    word = "COMPLETE" if ending == COMPLETE else "FAILED"
    if f'status: "{word}"' not in text:
        faults.append("the note does not say so" if text else "no note")
    if ending == COMPLETE and NEW_LINE not in (scene.project / "sum.py").read_text():
        faults.append("complete, and nothing is mended")
    if case.loops is not None and f"worker_runs: {case.loops}\n" not in text:
        faults.append("other worker runs")
    if list(scene.folder.rglob("hacked")):
        faults.append("the PRD was executed")
    if ending == COMPLETE and not arrived_whole(scene, case):
        faults.append("the PRD did not arrive as it was")
    if case.container and containers(scene):
        faults.append("a container is left at the end")
    return faults


def arrived_whole(scene: Scene, case: Case) -> bool:
    """Every request of a worker has the PRD: all of it, as it was, and its end is the end of the prompt. What is typed
    into a CLI's box is as the box keeps it."""
    def kept(text: str) -> str:
        return as_kept(scene.cli.agent.name, text) if case.on_terminal else text.rstrip()
    prd = kept(f"The beginning.\n\n{long_prd() if case.long_prd else PRD}").removeprefix("The beginning.")
    asked = [fact["texts"] for fact in scene.facts("arrived")]
    return bool(asked) and all(any(kept(text).endswith(prd) for text in texts) for texts in asked)


def without_daemon(scene: Scene, start: str) -> list[str]:
    """orch has just ended, and its daemon was killed before: starts it again, and has orch gc remove what is left."""
    killed_at = scene.folder / KILLED_AT
    went_on_s = time.time() - float(killed_at.read_text()) if killed_at.exists() else None
    faults = []
    if went_on_s is None:
        faults.append("the daemon was not killed")
    elif went_on_s > WITHOUT_DAEMON_S:
        faults.append(f"{went_on_s:.0f} s without a daemon")
    said = (scene.folder / "orch.txt").read_text(encoding="utf-8")
    if "docker's daemon" not in said:
        faults.append("the reason is not told")
    subprocess.run(start, shell=True, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    if not scene.wait_for(daemon_answers):
        raise CannotRun(f"the daemon does not answer after: {start}")
    if scene.orch_says("gc").returncode != 0:
        faults.append("orch gc fails")
    if containers(scene):
        faults.append("orch gc leaves a container")
    return faults


def daemon_answers() -> bool:
    return subprocess.run(["docker", "info"], check=False, capture_output=True).returncode == 0


def judge(orch: Path, cli: Cli, programs: Path, folder: Path, case: Case, arguments: argparse.Namespace) -> str:
    asks = case.on_terminal and not case.container  # then orch answers; else nothing may be asked
    call = "shell unasked" if "shell unasked" in cli.agent.tools and not asks else "shell"
    shell = replace(cli.agent, tools={"shell": cli.agent.tools[call]})
    tools = {"mend": shell_call(shell, f"sed -i 's/^{OLD_LINE}$/{NEW_LINE}/' sum.py")}
    scene = Scene(orch, cli, programs, folder, case.answers, tools, case.meta(), WORKSPACE if case.container else None)
    # The worker's provider, the meta-agent's key, and the way to the daemon.
    scene.env |= {"OPENAI_API_KEY": KEY} | {k: v for k, v in os.environ.items() if k.startswith("DOCKER_")}
    try:
        faults = faults_of(scene, case, arguments)
        note = scene.project / f".agent-runner/task-{TASK}.md"
        if arguments.notes and note.exists():
            arguments.notes.mkdir(parents=True, exist_ok=True)
            shutil.copy(note, arguments.notes / f"{folder.name}.md")
    finally:
        scene.close()
    if not faults and not arguments.keep:
        shutil.rmtree(folder, ignore_errors=True)
    return ", ".join(faults) or "right"


def main() -> int:
    arguments = parse_arguments()
    wanted = arguments.agent or ["codex", "claude@2.1.330"]
    cases = [case for case in CASES if not arguments.case or case.name in arguments.case]
    if arguments.daemon_start:
        daemon_pid()
    orch, programs = ready(arguments.orch, [cli for cli in all_clis() if cli.name in wanted])
    scratch = new_scratch("tasks")
    rows, wrong = [["agent", "case", "", "s"]], 0
    for cli in all_clis():
        for case in cases if cli.name in wanted else ():
            if case.container and not arguments.image:
                rows.append([cli.name, case.name, "skipped: no --image", ""])
                continue
            if case.kills_daemon and not arguments.daemon_start:
                rows.append([cli.name, case.name, "skipped: no --daemon-start", ""])
                continue
            began = time.monotonic()
            folder = scratch / f"{cli.name}-{case.name.replace(' ', '-').replace(':', '').replace(',', '')}"
            try:
                cell = judge(orch, cli, programs[cli.name], folder, case, arguments)
            except CannotRun as error:
                print(f"tasks: {case.name}: {error}; see {folder}", file=sys.stderr)
                return CANNOT_RUN
            wrong += cell != "right"
            rows.append([cli.name, case.name, cell, f"{time.monotonic() - began:.0f}"])
            print(*rows[-1], sep=" · ", file=sys.stderr, flush=True)
    print(aligned(rows))
    print(f"{wrong} wrong")
    leave(scratch, bool(wrong) or arguments.keep)
    return WRONG if wrong else RIGHT


if __name__ == "__main__":
    sys.exit(exit_code_of("tasks", main))
