"""script/fenced: do the real CLIs work inside orch's fence as they do outside of it? See canary/README.md."""

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from agents import NEW_LINE, Agent, Place, shell_call
from command_line import RIGHT, WRONG, add_agents, exit_code_of, leave, new_scratch, parser_of, ready, wanted_clis
from delivery_runs import Cli
from model_server import ModelServer
from report import aligned
from runner import in_project
from script import Say, Use
from workplace import Programs, environment, make_project, result_of, state_folder

TIMEOUT_S = 240  # of one run
KEYWORD = "LOOP_COMPLETE"
DONE = "steps.txt"  # in the project: a line "NAME CODE" for each step
# A package without dependencies.
PACKAGE = "left-pad@1.3.0"
# Every step is a script of the project, so that what it does is the fence's to judge and not the policy's.
STEPS = {
    "test": "python3 -c 'import sum; assert sum.add([1]) == 3'",
    "commit": "git add sum.py && git commit -qm edited && test -z \"$(git status --porcelain sum.py)\"",
    "heredoc": "cat > notes.txt <<'EOF'\na line\nEOF\ngrep -q line notes.txt",
    "temporary": "f=$(mktemp) && echo x > $f && d=$(mktemp -d) && cp $f $d/",
    "devices": "echo x > /dev/null && head -c1 /dev/urandom | wc -c && (echo tty > /dev/tty || true)",
    "processes": "python3 -c 'import multiprocessing as m; assert m.Pool(2).map(abs, [-1, -2]) == [1, 2]'",
    "listener": "python3 -c 'import socket as s; a = s.create_server((\"127.0.0.1\", 0)); "
                "s.create_connection(a.getsockname())'",
    "background": "(sleep 0.3; echo late > late.txt) & wait; test -f late.txt",
    "terminal": "script -qec 'echo on a terminal' /dev/null | grep -q terminal",
    "build": "printf 'int main(){return 0;}' > a.c && ccache cc a.c -o a.out && ./a.out",
    "venv": "python3 -m venv .venv && .venv/bin/python -c 'import sys; assert sys.prefix != sys.base_prefix'",
    "npm": f"npm install --silent {PACKAGE} && test -f node_modules/left-pad/package.json",
}
# Outside of the work directory: every one has to fail.
FORBIDDEN = {
    "outside": "echo x > ../outside.txt",
    "home": "mkdir ../made",
    "mode": "chmod 700 ..",
    "secret": "cat ../.ssh/id_rsa",
}


@dataclass(frozen=True)
class Outcome:
    cli: str
    fence: str  # "none", or the layers
    ended: str
    passed: list[str]
    failed: list[str]


def parse_arguments() -> argparse.Namespace:
    parser = parser_of(
        "fenced",
        "Lets the real agent CLIs edit, test, commit, build and install, with orch's fence around them and "
        "without one, and tells which steps fail inside only.",
        right="nothing fails that does not fail outside, and nothing outside was touched",
    )
    add_agents(parser)
    parser.add_argument("--without-namespaces", action="store_true", help="hide bubblewrap: Landlock and seccomp alone")
    parser.add_argument("--keep", action="store_true", help="keep the folders of the runs")
    return parser.parse_args()


def write_steps(project: Path) -> dict[str, str]:
    """The command of each step."""
    folder = project / "steps"
    folder.mkdir()
    for name, text in (STEPS | FORBIDDEN).items():
        script = f"({text}\n)\necho {name} $? >> {DONE}\n"
        (folder / f"{name}.sh").write_text(f"set -u\n{script}", encoding="utf-8")
    return {name: f"sh steps/{name}.sh" for name in (STEPS | FORBIDDEN)}


def run(orch: Path, cli: Cli, programs: Path, folder: Path, sandbox: str, without_namespaces: bool) -> Outcome:
    project = make_project(folder)
    (project.parent / ".ssh").mkdir()
    (project.parent / ".ssh/id_rsa").write_text("a key\n")
    for key, value in (("user.name", "canary"), ("user.email", "canary@example.org")):
        subprocess.run(["git", "config", key, value], cwd=project, check=True)
    commands = write_steps(project)
    agent: Agent = cli.agent
    tools = {"read": agent.tools["read"], "edit": agent.tools["edit"]}
    tools |= {name: shell_call(agent, command) for name, command in commands.items()}
    answers = [(Say("I begin."), Use("read")), (Say("I edit."), Use("edit"))]
    answers += [(Say(f"Now {name}."), Use(name)) for name in commands]
    answers.append((Say(f"All is done.\n\n{KEYWORD}"),))
    server = ModelServer(tuple(answers), {n: in_project(c, project) for n, c in tools.items()}, folder / "model.jsonl")
    place = Place(project.parent, project, server.port)
    agent.configure(place, "ready")
    policy = folder / "policy.json"
    rule = {"name": "steps", "kind": "permission", "command": "^sh steps/", "answer": "allow"}
    policy.write_text(json.dumps({"default": "all", "rules": [rule]}))
    env = environment(agent, place, programs)
    if without_namespaces:
        env["PATH"] = _without("bwrap", env["PATH"], folder / "programs")
    command = [
        str(orch), "run", "fenced", "--agent", agent.name, "--prompt", "Do what is to be done.", "--until", "complete",
        "--approve", str(policy), "--sandbox", sandbox, "--size", "120x40", "--timeout", f"{TIMEOUT_S}s",
        "--output", "json", "--state-dir", str(state_folder(folder)),
    ]
    try:
        Programs().run(command, project, env, folder / "stdout.jsonl", folder / "stderr.txt", TIMEOUT_S + 30)
    finally:
        server.close()
    result = result_of(folder) or {}
    done = project / DONE
    codes = dict(line.split() for line in done.read_text().splitlines()) if done.exists() else {}
    edited = NEW_LINE in (project / "sum.py").read_text()
    passed = [name for name in commands if codes.get(name) == "0"] + (["edit"] if edited else [])
    failed = [name for name in ["edit", *commands] if name not in passed]
    layers = (result.get("sandbox") or {}).get("layers") or ["none"]
    return Outcome(cli.name, "+".join(layers), str(result.get("reason")), passed, failed)


def _without(program: str, path: str, folder: Path) -> str:
    """A PATH like `path` on which `program` is not found."""
    folder.mkdir()
    for place in path.split(os.pathsep):
        for file in Path(place).iterdir() if Path(place).is_dir() else []:
            link = folder / file.name
            if file.name != program and not link.is_symlink():
                link.symlink_to(file)
    return str(folder)


def judge(outside: Outcome, inside: Outcome) -> list[str]:
    """What is wrong."""
    wrong = [f"{name} fails inside only" for name in inside.failed if name in outside.passed and name not in FORBIDDEN]
    wrong += [f"{name} was possible" for name in FORBIDDEN if name in inside.passed]
    if inside.ended != outside.ended:
        wrong.append(f"ended {inside.ended}, outside {outside.ended}")
    return wrong


def main() -> int:
    arguments = parse_arguments()
    clis = wanted_clis(arguments)
    orch, programs = ready(arguments.orch, clis)
    scratch = new_scratch("fenced")
    rows, all_right = [["agent", "fence", "ended", "passed", "failed", "wrong"]], True
    for cli in clis:
        outcomes = []
        for sandbox in ("none", "landlock"):
            folder = scratch / f"{cli.name}-{sandbox}"
            outcomes.append(run(orch, cli, programs[cli.name], folder, sandbox, arguments.without_namespaces))
        wrong = judge(*outcomes)
        for outcome, what in zip(outcomes, ([], wrong)):
            rows.append([outcome.cli, outcome.fence, outcome.ended, str(len(outcome.passed)),
                         " ".join(outcome.failed), "; ".join(what)])
            print(aligned([rows[-1]]), file=sys.stderr, flush=True)
        all_right = all_right and not wrong
    print(aligned(rows))
    leave(scratch, arguments.keep)
    return RIGHT if all_right else WRONG


if __name__ == "__main__":
    sys.exit(exit_code_of("fenced", main))
