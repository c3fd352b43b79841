"""A throw-away root for one round: home, repository, scripts of agents and gates, and orch's words there."""

import json
import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from kinds import DOES_NOT_READ
from plan import Round

HERE = Path(__file__).resolve().parent
WITHOUT_GROUPS = HERE.parent / "soak/without_groups.sh"
DEMO_MANIFEST = HERE.parent.parent / "src/adapters/manifests/demo.json"
# Which issue a process is for stands in ORCH_RUN: its scripts do what is planned for that issue.
OF_ISSUE = 'i=${ORCH_RUN%-*}; exec sh "$BATCH_FILES/${i##*-}/'
HEADLESS = {
    "manifest": 1, "name": "batch", "title": "Batch", "program": ["/bin/sh"],
    "headless": {
        "arguments": ["{agent}", "{options}", "{resume}"], "resume": ["--resume", "{}"],
        "lines": [
            {"is": "session", "when": {"/type": "session"}, "id": "/id"},
            {"is": "words", "when": {"/type": "say"}, "text": "/text"},
            {"is": "failure", "when": {"/type": "failed"}, "text": "/text"},
            {"is": "end", "when": {"/type": "end"}, "usage": {"in": ["/tokens/in"], "out": ["/tokens/out"]}},
        ],
    },
}
MAX_GATES = 2
LONG = 200_000  # bytes: more than a pipe holds


class Root:
    """Lives from construction to remove(). `token`, the folder's name, is in the environment, the words or the folder of
    all its processes."""

    def __init__(self, a_round: Round, orch: Path, more_env: dict[str, str] | None = None):
        self.round, self.installed = a_round, orch
        prefix = f"orch-batch-{a_round.issues[0].name.partition('x')[0]}-"
        self.folder = Path(tempfile.mkdtemp(prefix=prefix)).resolve()
        self.token = self.folder.name
        self.home, self.project = self.folder / "home", self.folder / "home/project"
        self.state, self.files, self.temporary = self.folder / "state", self.folder / "files", self.folder / "tmp"
        self.runtime, self.log, self.artifacts = self.folder / "run", self.folder / "all.log", self.folder / "artifacts"
        for folder in (self.project, self.state, self.files, self.temporary):
            folder.mkdir(parents=True)
        self.runtime.mkdir(mode=0o700)
        self.orch = orch  # the binary that runs the batch
        self._mounted = False
        self.env = {
            "HOME": str(self.home), "PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", "SHELL": "/bin/sh",
            "XDG_STATE_HOME": str(self.state), "XDG_RUNTIME_DIR": str(self.runtime), "TMPDIR": str(self.temporary),
            "BATCH_FILES": str(self.files), "ORCH_DEMO_SPEED": "0.05", "ORCH_LOG": f"file:{self.log}",
            "ORCH_STATE_DIR": str(self.state / "orch"),
        } | (more_env or {})
        if a_round.output == "github":
            self.env["GITHUB_ACTIONS"] = "true"
        self._make_repository()
        self._write_scripts()

    def _make_repository(self) -> None:
        (self.project / "sum.py").write_text("TOTAL = 1\n")
        who = ["-c", "user.name=batch", "-c", "user.email=batch@localhost"]
        for words in (["init", "--quiet"], ["add", "."], [*who, "commit", "--quiet", "-m", "one"]):
            self.git(*words, check=True)

    def git(self, *words: str, check: bool = False) -> str:
        return subprocess.run(["git", *words], cwd=self.project, env=self.env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=check).stdout

    def _write_scripts(self) -> None:
        for issue in self.round.issues:
            folder = self.files / issue.name
            folder.mkdir()
            (folder / "agent").write_text(issue.behaviour.does)
            for number in range(MAX_GATES):
                does = issue.gates[number].does if number < len(issue.gates) else "exit 0\n"
                (folder / f"gate{number + 1}").write_text(does)
        # The demo agent plays what the issue's file names.
        demo = self.files / "demo"
        demo.write_text(
            'i=${ORCH_RUN%-*}; export here="$BATCH_FILES/${i##*-}"\n'
            f'orch={shlex.quote(str(self.installed))}; if [ -e "$BATCH_FILES/orch" ]; then orch="$BATCH_FILES/orch"; fi\n'
            'ORCH_DEMO_SCENARIO=$(cat "$here/agent") ORCH_DEMO_LINES=300 '
            """sh -c 'echo $$ > "$here/agent.pid"; exec "$@"' "$0" "$orch" demo-agent "$@"\n"""
            'code=$?\nif [ -e "$here/agent.ended" ]; then code=0; fi  # by a gate\nexit "$code"\n')
        agent = self.files / "headless"
        agent.write_text(OF_ISSUE + 'agent" "$@"\n')
        if self.round.family == "headless":
            self.write_prompts({issue.name: "x" * LONG if issue.behaviour.name == DOES_NOT_READ else "Do it.\n"
                                for issue in self.round.issues})
        adapters = self.home / ".config/orch/adapters"
        adapters.mkdir(parents=True)
        (adapters / "batch.json").write_text(json.dumps(HEADLESS).replace("{agent}", str(agent)))
        like_demo = json.loads(DEMO_MANIFEST.read_text()) | {"name": "batch-demo", "program": ["/bin/sh", str(demo)]}
        (adapters / "batch-demo.json").write_text(json.dumps(like_demo))

    def write_prompts(self, prompts: dict[str, str]) -> None:
        """By issue."""
        folder = self.project / ".orch/issues"
        folder.mkdir(parents=True)
        for issue, prompt in prompts.items():
            (folder / f"{issue}.md").write_text(prompt)

    def words(self) -> list[str]:
        """Of orch, which runs the batch."""
        a_round = self.round
        words = ["run", *(issue.name for issue in a_round.issues), "--jobs", str(a_round.jobs), "--ask-timeout", "0",
                 "--output", "text" if a_round.output == "github" else a_round.output, *a_round.budget]
        if "--timeout" not in a_round.budget:
            words += ["--timeout", f"{a_round.timeout_s}s"]
        gates = max(len(issue.gates) for issue in a_round.issues)
        for number in range(gates):
            words += ["--verify", OF_ISSUE + f'gate{number + 1}"']
        if gates:
            words += ["--verify-timeout", f"{a_round.verify_timeout_s}s"]
        if a_round.fix_turns:
            words += ["--fix-turns", str(a_round.fix_turns)]
        words += ["--worktree" if a_round.worktree else "--shared-folder"] + ["-d"] * a_round.detached
        words += ["--artifacts", str(self.artifacts)] if a_round.artifacts else []
        if a_round.fenced:
            words += ["--sandbox", "landlock"]
        if a_round.fenced or a_round.is_real:  # where gates remember, and agents say who they are
            words += ["--write", str(self.files)]
        if a_round.family == "demo":
            words += ["--agent", "batch-demo", "-p", "Do what is to be done."]
        elif a_round.family == "headless":
            words += ["--agent", "batch", "--mode", "headless", "--sandbox", "none"]
        elif a_round.family == "plain":
            words += ["--", "sh", "-c", OF_ISSUE + 'agent"']
        else:
            words += ["--agent", a_round.family, "--mode", "headless" if a_round.headless else "interactive",
                      "--approve", "all"]
        return words

    def command(self, before: list[str]) -> list[str]:
        hide = [] if self.round.groups else [str(WITHOUT_GROUPS)]
        return [*hide, *before, str(self.orch), *self.words()]

    def write_command(self, command: list[str], env: dict[str, str]) -> None:
        """So that a person can try the same by hand."""
        lines = ["#!/bin/sh", "# Move state/ away first.", f"cd {shlex.quote(str(self.project))} || exit",
                 f"exec env -i {shlex.join(f'{name}={value}' for name, value in env.items())} \\", f"  {shlex.join(command)}"]
        script = self.folder / "command.sh"
        script.write_text("\n".join(lines) + "\n")
        script.chmod(0o755)

    def orch_says(self, *words: str, patience_s: float = 30) -> subprocess.CompletedProcess | None:
        """None: it did not end."""
        try:
            return subprocess.run([str(self.installed), *words], cwd=self.project, env=self.env, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=patience_s, check=False, start_new_session=True)
        except subprocess.TimeoutExpired:
            return None

    def mount_small_state(self, kilobytes: int) -> None:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "none", str(self.state)], check=True)
        self._mounted = True

    def copy_binary(self) -> Path:
        copy = self.folder / "bin/orch"
        copy.parent.mkdir()
        shutil.copy2(self.installed, copy)
        # For the demo agent: what lies under /tmp a fence shows only where orch itself needs it.
        shutil.copy2(self.installed, self.files / "orch")
        self.orch = copy
        return copy

    def remove(self, keep: bool) -> None:
        if self._mounted:
            if keep:
                shutil.copytree(self.state, self.folder / "state.kept", ignore=shutil.ignore_patterns("*.sock"))
            subprocess.run(["umount", "--lazy", str(self.state)], check=False)
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)
