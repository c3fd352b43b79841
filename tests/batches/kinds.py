"""What agents and gates of a batch do, and how a run with them must end. Pure: tables."""

from dataclasses import dataclass

# "$0" of a script is its path in the round's folder: by that its processes are known, whatever else they shed.
FOR_EVER = """sh -c 'while :; do sleep 1000; done' "$0" """
# Left its session, its parents and its environment, and does not hear what it is told.
DAEMON = """(env -i setsid /bin/sh -c 'trap "" TERM HUP; while :; do sleep 1000; done' "$0" >/dev/null 2>&1 &)\n"""
MEGABYTE = "head -c 1000000 /dev/zero | tr '\\0' 'x' | fold -w 99; echo\n"

GOOD = frozenset({"complete", "exit"})


@dataclass(frozen=True)
class Behaviour:
    """`does`: a scenario of the demo agent, the script of a program, or the script of a headless agent; of a real CLI
    the answers' name. `ends`: the reason by which the run ends where no gate objects. `seconds`: about, alone."""

    family: str
    name: str
    does: str
    ends: str
    seconds: float = 1.5
    hangs: bool = False  # it ends by --timeout alone


@dataclass(frozen=True)
class Gate:
    """`does`: the script of a gate. `passes`: at the first time, and at later ones."""

    name: str
    does: str
    passes: tuple[bool, bool] = (True, True)
    seconds: float = 0.1
    times_out: bool = False  # it ends by --verify-timeout alone


def _demo(scenario: str, ends: str = "complete", seconds: float = 1.5, **more) -> Behaviour:
    return Behaviour("demo", scenario, scenario, ends, seconds, **more)


DEMO = (
    _demo("default"), _demo("unicode"), _demo("flood", seconds=3), _demo("long"), _demo("slow-start"),
    _demo("continue", seconds=4), _demo("swallow-enter", seconds=3), _demo("lose-paste", "stuck", seconds=3),
    _demo("late-repaint", seconds=3), _demo("exit-early", "exited_early"), _demo("crash", "agent_failed"),
    _demo("error", "agent_error", seconds=3), _demo("rate-limit", "retry_later", seconds=3),
    _demo("permission", "needs_human"), _demo("trust", "needs_human"), _demo("hang", "timeout", hangs=True),
)


def _plain(name: str, does: str, ends: str = "exit", seconds: float = 0.3, **more) -> Behaviour:
    return Behaviour("plain", name, does, ends, seconds, **more)


PLAIN = (
    _plain("exits with 0", "sleep 0.1\n"),
    _plain("exits at once", ""),
    _plain("exits with 3", "sleep 0.1; exit 3\n", "agent_failed"),
    _plain("kills itself", "sleep 0.1; kill -9 $$\n", "agent_signal"),
    _plain("prints a megabyte", MEGABYTE, seconds=1),
    _plain("leaves a daemon", DAEMON + "sleep 0.1\n"),
    _plain("leaves a child with its terminal", FOR_EVER + "& sleep 0.1\n", seconds=1),
    _plain("forks for a while", "i=0; while [ $i -lt 30 ]; do (setsid sleep 0.05 &); i=$((i + 1)); done\n", seconds=1),
    _plain("hangs", FOR_EVER + "\n", "timeout", hangs=True),
    _plain("hangs and ignores SIGTERM", "trap '' TERM HUP\n" + FOR_EVER + "\n", "timeout", 6, hangs=True),
)

# What agent.json, the manifest in place.py, reads.
SAY_DONE = """printf '%s\\n' '{"type":"say","text":"All is done.\\n\\nLOOP_COMPLETE"}'\n"""
END = """echo '{"type":"end","tokens":{"in":100,"out":7}}'\n"""
SESSION = """echo '{"type":"session","id":"conversation-1"}'\n"""


def _headless(name: str, does: str, ends: str = "complete", seconds: float = 0.3) -> Behaviour:
    return Behaviour("headless", name, "cat >/dev/null\n" + SESSION + does, ends, seconds)


DOES_NOT_READ = "does not read"  # its prompt is long
HEADLESS = (
    _headless("says that it is done", SAY_DONE + END),
    _headless("works for a while", "sleep 0.4\n" + SAY_DONE + END),
    _headless("closes its errors early", "exec 2>&-\n" + SAY_DONE + "sleep 0.1\n" + END),
    _headless("leaves a child with its output", SAY_DONE + END + FOR_EVER + "&\n", seconds=3),
    _headless("fails", """echo '{"type":"failed","text":"invalid key"}'\n""" + END + "exit 1\n", "agent_error"),
    _headless("breaks off and exits with 3", "exit 3\n", "agent_failed"),
    # The prompt is not read to its end, the errors go on in another process.
    Behaviour("headless", DOES_NOT_READ, "(exec 2>&-; sleep 0.5) & exit 3\n", "agent_failed", 1),
)

ENDS_AGENT = "its agent exits meanwhile"
GATES = (
    Gate("passes", "exit 0\n"),
    Gate("passes after a while", "sleep 0.3\n", seconds=0.4),
    Gate("closes its output early", "exec >/dev/null 2>&1; sleep 0.$(( $$ % 9 + 1 ))\n", seconds=0.6),
    Gate("closes its output early and fails", "exec >&- 2>&-; sleep 0.2; exit 4\n", (False, False)),
    Gate("a child holds its output", FOR_EVER + "& exit 0\n", seconds=0.5),
    Gate("fails", "echo no; exit 3\n", (False, False)),
    Gate("fails at first", 'if [ -e "$0.was" ]; then exit 0; fi; : > "$0.was"; exit 1\n', (False, True)),
    Gate("prints a megabyte", MEGABYTE, seconds=0.5),
    Gate("kills itself", "kill -9 $$\n", (False, False)),
    Gate("leaves a daemon", DAEMON + "exit 0\n"),
    Gate("times out", FOR_EVER + "\n", (False, False), 0, times_out=True),
    Gate("times out and ignores SIGTERM", "trap '' TERM HUP INT\n" + FOR_EVER + "\n", (False, False), 0, times_out=True),
    Gate(ENDS_AGENT, 'cd "${0%/*}"; : > agent.ended; kill -9 "$(cat agent.pid)"; sleep 0.3\n', seconds=0.5),
)

BEHAVIOURS = {"demo": DEMO, "plain": PLAIN, "headless": HEADLESS}
# Those whose conversation goes on when a gate has failed.
CONVERSES = frozenset({"demo", "headless", "claude", "codex", "gemini", "opencode"})

DISTURBANCES = {  # how often
    "calm": 30, "signals": 14, "host killed": 10, "stopped": 10, "kill --all": 6, "few descriptors": 8, "disk full": 6,
    "slow disk": 7, "load": 4, "replaced": 3, "host stands still": 5, "frozen": 4,
}
