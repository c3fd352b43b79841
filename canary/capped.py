"""script/capped: what orch's gateway counts, and whether a budget ends a run of a real CLI. See canary/README.md."""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from checks import Checks, conclude
from command_line import add_agents, exit_code_of, new_scratch, parser_of, ready, wanted_clis
from model_server import ModelServer
from protocols import USAGE_IN, USAGE_OUT
from script import Say, Use
from tapes import SCENARIOS, Bench, Scenario, takes_part
from workplace import result_of

CAP = 4 * (USAGE_IN + USAGE_OUT)
READS = tuple((Say(f"Look {n}."), Use("read")) for n in range(1, 30))


@dataclass(frozen=True)
class Capped:
    """`cap`: of all tokens, with the words of --max-tokens; "": none. `is_whole`: each answer says its usage."""

    scenario: Scenario
    cap: str = ""
    is_whole: bool = True


def named(name: str) -> Scenario:
    return next(one for one in SCENARIOS if one.name == name)


ROWS = (
    *(Capped(named(name)) for name in ("question", "two questions", "thinking", "read", "shell", "parallel", "subagent", "429")),
    *(Capped(named(name), is_whole=False) for name in ("cut", "interrupt")),
    Capped(Scenario("cap", READS), str(CAP)),
    Capped(Scenario("uncached cap", READS), f"uncached:{CAP}"),
)


def parse_arguments() -> argparse.Namespace:
    parser = parser_of("capped", "Runs real agent CLIs with --gateway auto, and compares what orch counts with what the "
                                 "model says; with --max-tokens the model gets no request after the cap.",
                       right="each count is exact, and no request came after a cap")
    add_agents(parser)
    parser.add_argument("--scenario", action="append", choices=[one.scenario.name for one in ROWS], help="default: all")
    parser.add_argument("--mode", choices=("interactive", "headless"), default="interactive")
    parser.add_argument("--keep", action="store_true", help="keep the folders of the runs")
    return parser.parse_args()


def late_requests(server: ModelServer) -> int:
    """Requests of turns that came once the answers before them had used up the cap."""
    used = late = 0
    for fact in server.close():
        if fact.kind == "answered":
            used += USAGE_IN + USAGE_OUT
        late += fact.kind == "arrived" and used >= CAP
    return late


def judge(bench: Bench, folder: Path, row: Capped) -> Checks:
    words = ["--gateway", "auto", *(["--max-tokens", row.cap] if row.cap else [])]
    run, server = bench.ask(folder, row.scenario, words)
    result = result_of(folder) or {}
    usage = result.get("usage") or {"in": 0, "out": 0}
    counted, least = usage["in"] + usage["out"], server.whole_answers * (USAGE_IN + USAGE_OUT)
    most = least if row.is_whole else least + 4 * (USAGE_IN + USAGE_OUT)  # parts of answers
    checks = {f"{counted} tokens counted, {least} used": least <= counted <= most}
    if not row.cap:
        is_right = run.code == 0 or (row.scenario.may_fail and run.reason == "agent_error")
        return {f"{run.code} {run.reason}": is_right} | checks
    late = late_requests(server)
    return {f"{run.code} {run.reason}": run.code == 124} | checks | {
        f"{late} requests after the cap": late == 0, f"{counted - CAP} over it": counted >= CAP}


def main() -> int:
    arguments = parse_arguments()
    clis = wanted_clis(arguments)
    orch, programs = ready(arguments.orch, clis)
    scratch = new_scratch("capped")
    played: dict[str, Checks] = {}
    for cli in clis:
        bench = Bench(orch, cli, programs[cli.name], arguments.mode)
        for row in ROWS:
            scenario = row.scenario
            if not takes_part(cli.agent, scenario) or arguments.scenario and scenario.name not in arguments.scenario:
                continue
            name = f"{cli.name} {scenario.name}"
            folder = scratch / name.replace(" ", "-")
            folder.mkdir()
            played[name] = judge(bench, folder, row)
            print(f"{name}: {'; '.join(played[name])}", file=sys.stderr, flush=True)
    return conclude("run", played, scratch, arguments.keep)


if __name__ == "__main__":
    sys.exit(exit_code_of("capped", main))
