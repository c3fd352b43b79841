"""What the scripts with a list of checks share: their table, their folder and how they exit."""

from pathlib import Path

from command_line import RIGHT, WRONG, leave
from report import aligned

Checks = dict[str, bool]  # what was looked at, and whether it was right


def conclude(first_column: str, played: dict[str, Checks], scratch: Path, keep: bool = False) -> int:
    """Prints the table and removes `scratch`, unless something was wrong or it is to be kept."""
    rows = [[first_column, "right", "wrong"]]
    for name, checks in played.items():
        rows.append([name, ", ".join(check for check, held in checks.items() if held),
                     ", ".join(check for check, held in checks.items() if not held)])
    print(aligned(rows))
    all_right = all(held for checks in played.values() for held in checks.values())
    leave(scratch, keep or not all_right)
    return RIGHT if all_right else WRONG
