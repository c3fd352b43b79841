"""script/harbor: orch's trajectories by Harbor's own validator, and orch's seat in real jobs of Harbor."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HARBOR = ("harbor==0.26.0", "harbor-atif2otel==0.1.1")
HERE = Path(__file__).resolve().parent
# The demo agent's scenes, and what Harbor is to say of a run that ends so.
SCENES = {"default": None, "permission": None, "rate-limit": "ApiRateLimitError", "error": "UnknownApiError",
          "crash": "NonZeroAgentExitCodeError", "exit-early": "NonZeroAgentExitCodeError", "unicode": None}
CONVERT = ("import json,sys; from harbor_atif2otel import *; "
           "print(len(json.dumps(resource_spans_to_otlp_json(convert_trajectory(json.load(open(sys.argv[1])))))))")


def venv() -> Path:
    """The Python that has Harbor, kept for the next time."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "orch-harbor-0.26.0"
    python = cache / "bin/python"
    if not (cache / "installed").exists():
        shutil.rmtree(cache, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", cache], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *HARBOR], check=True)
        (cache / "installed").touch()
    return python


def check_trajectories(orch: Path, python: Path, scratch: Path) -> dict[str, bool]:
    checks = {}
    for scene in SCENES:
        folder = scratch / scene
        folder.mkdir()
        env = os.environ | {"ORCH_DEMO_SCENARIO": scene, "ORCH_DEMO_SPEED": "0.1", "ORCH_STATE_DIR": str(scratch / "state"),
                            "TRACEPARENT": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
        subprocess.run([orch, "run", scene, "--agent", "demo", "-p", "look at it", "--until", "idle", "--approve", "all",
                        "--sandbox", "none", "--verify", "true", "--artifacts", folder / "out"],
                       cwd=folder, env=env, capture_output=True, check=False)
        trajectory = folder / "out/trajectory.json"
        valid = subprocess.run([python, "-m", "harbor.utils.trajectory_validator", trajectory], capture_output=True, text=True, check=False)
        if valid.returncode != 0:
            print(valid.stdout + valid.stderr, file=sys.stderr)
        checks[f"{scene}: valid"] = valid.returncode == 0
        converted = subprocess.run([python, "-c", CONVERT, trajectory], capture_output=True, check=False)
        checks[f"{scene}: as OTLP"] = converted.returncode == 0
    return checks


def check_jobs(orch: Path, python: Path, scratch: Path, tasks: str, environment: str) -> dict[str, bool]:
    """Each scene as a job of the seat, in an environment that sees orch at its own path."""
    checks = {}
    for scene, wanted in SCENES.items():
        env = os.environ | {"HARBOR_TELEMETRY": "0", "LITELLM_LOCAL_MODEL_COST_MAP": "True", "PYTHONDONTWRITEBYTECODE": "1",
                            "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
        jobs = scratch / f"jobs-{scene}"
        subprocess.run([python.parent / "harbor", "run", "-p", tasks, "-e", environment, "-y", "-q", "-o", jobs, "-a",
                        "orch_agent:Orch", "--ak", "agent=demo", "--ak", f"binary={orch}", "--ae", f"ORCH_DEMO_SCENARIO={scene}",
                        "--ae", "ORCH_DEMO_SPEED=0.1"], env=env, cwd=scratch, capture_output=True, text=True, timeout=600, check=False)
        results = [json.loads(path.read_text()) for path in jobs.glob("*/*/result.json")]
        said = [(result.get("exception_info") or {}).get("exception_type") for result in results]
        print(f"{scene}: {said}", file=sys.stderr)
        checks[f"{scene}: {wanted or 'no exception'}"] = bool(said) and all(one == wanted for one in said)
    return checks


def main() -> int:
    parser = argparse.ArgumentParser(prog="script/harbor", description=__doc__)
    parser.add_argument("--orch", type=Path, required=True)
    parser.add_argument("--tasks", help="a folder of Harbor's tasks: run jobs, too")
    parser.add_argument("--environment", default="docker", help="of the jobs: MODULE:CLASS on PYTHONPATH (default: docker)")
    arguments = parser.parse_args()
    python, orch = venv(), arguments.orch.resolve()
    with tempfile.TemporaryDirectory(prefix="orch-harbor-") as scratch:
        checks = check_trajectories(orch, python, Path(scratch))
        if arguments.tasks:
            checks |= check_jobs(orch, python, Path(scratch), arguments.tasks, arguments.environment)
    for name, held in checks.items():
        print(f"{'right' if held else 'WRONG'}  {name}")
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
