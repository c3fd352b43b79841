"""One measured value, as every bench tells it: --json prints a list of these."""

import json
import math
import sys
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Figure:
    name: str
    value: float
    unit: str
    n: int = 1  # how many measurements it stands for


def why_unmeasured(figure: Figure) -> str | None:
    """Why a figure tells nothing; None where it tells something."""
    if figure.n <= 0:
        return "nothing was measured (n = 0)"
    if not isinstance(figure.value, (int, float)) or not math.isfinite(figure.value):
        return "no number"
    if figure.name.endswith(".missed") and figure.value > 0:
        return f"{figure.value:g} of {figure.n} missed"
    return None


def finish(program: str, figures: list[Figure], as_json: bool) -> int:
    """Prints the figures where JSON is asked for; the exit code of the bench: 1 where it measured nothing."""
    if as_json:
        print(json.dumps([asdict(figure) for figure in figures], indent=1, allow_nan=True))
    wrong = [f"{figure.name}: {why}" for figure in figures if (why := why_unmeasured(figure))]
    for line in wrong or ([] if figures else ["nothing was measured"]):
        print(f"{program}: {line}", file=sys.stderr)
    return 1 if wrong or not figures else 0
