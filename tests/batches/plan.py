"""One round of script/batches: drawn by chance from a seed, so that it can be drawn again. Pure."""

import random
from dataclasses import dataclass, field

from kinds import BEHAVIOURS, CONVERSES, DISTURBANCES, ENDS_AGENT, GATES, Behaviour, Gate

TIMEOUT_S = 12  # --timeout, where something hangs
PATIENT_TIMEOUT_S = 120
VERIFY_TIMEOUT_S = 4  # where a gate hangs
PATIENT_VERIFY_TIMEOUT_S = 60
SHORT_VERIFY_TIMEOUT_S = 3  # where the host stands still for longer
BASE_S, SLOW = 25, 4  # a round may take so long, and so many times what it takes alone
FEW_AT_ONCE = 5  # sessions for which few descriptors (disturb.py) are enough, each of which may take 24 (host.cc)


@dataclass(frozen=True)
class Issue:
    name: str
    behaviour: Behaviour
    gates: tuple[Gate, ...]


@dataclass(frozen=True)
class Round:
    seed: str
    number: int
    family: str
    disturbance: str
    issues: tuple[Issue, ...]
    jobs: int
    fix_turns: int
    worktree: bool
    artifacts: bool
    detached: bool
    groups: bool  # control groups can be seen
    headless: bool = False  # real CLIs
    output: str = "quiet"  # or "json", or "github": as text, for a runner of theirs
    budget: tuple[str, ...] = ()  # words by which the runs may end in any way, but in one and the same everywhere
    fenced: bool = False
    timeout_s: int = PATIENT_TIMEOUT_S
    verify_timeout_s: int = PATIENT_VERIFY_TIMEOUT_S
    patience: int = 1  # so many times as long a round may take before it hangs
    chance: random.Random = field(default_factory=random.Random, compare=False)  # what else has to be drawn

    @property
    def is_real(self) -> bool:
        return self.family not in BEHAVIOURS

    @property
    def tags(self) -> frozenset[str]:
        """What --only knows it by."""
        tags = {self.family, self.disturbance, "detached" if self.detached else "foreground"}
        also = (("worktrees", self.worktree), ("artifacts", self.artifacts), ("fence", self.fenced))
        tags |= {name for name, holds in also if holds}
        tags.add("groups" if self.groups else "no groups")
        tags |= {"fix turns"} if self.fix_turns else set()
        tags |= {self.output, "budget"} if self.budget else {self.output}
        for issue in self.issues:
            tags |= {issue.behaviour.name, *(gate.name for gate in issue.gates)}
        return frozenset(tags)

    @property
    def text(self) -> str:
        also = [word for word, holds in (
            ("headless", self.headless), ("fenced", self.fenced), ("worktrees", self.worktree),
            ("artifacts", self.artifacts),
            ("-d", self.detached), ("no groups", not self.groups),
            (f"{self.fix_turns} fix turns", self.fix_turns), (self.output, self.output != "quiet"),
            (" ".join(self.budget), self.budget)) if holds]
        return (f"{len(self.issues)} {self.family} issues, {self.jobs} at a time, "
                f"{', '.join([self.disturbance, *also])}")

    @property
    def bound_s(self) -> float:
        """The round hangs when it takes longer."""
        slowest = max(_seconds(self, issue) for issue in self.issues)
        at_once = min(self.jobs, FEW_AT_ONCE) if self.disturbance == "few descriptors" else self.jobs
        waves = -(-len(self.issues) // at_once)
        return (BASE_S + SLOW * waves * slowest) * self.patience


def _seconds(a_round: Round, issue: Issue) -> float:
    gates = sum(a_round.verify_timeout_s if gate.times_out else gate.seconds for gate in issue.gates)
    agent = issue.behaviour.seconds + (a_round.timeout_s if issue.behaviour.hangs else 0)
    return (agent + gates) * (1 + a_round.fix_turns)


@dataclass(frozen=True)
class Wishes:
    """What the rounds are drawn from."""

    families: tuple[str, ...] = tuple(BEHAVIOURS)
    disturbances: tuple[str, ...] = tuple(DISTURBANCES)  # that can be made here
    behaviours: dict[str, tuple[Behaviour, ...]] = field(default_factory=lambda: BEHAVIOURS)
    issues: int | None = None
    without_groups: bool = True  # groups can be hidden here
    fence: bool = True  # there is something to fence with
    only: tuple[str, ...] = ()


def _budget(chance: random.Random, family: str) -> tuple[str, ...]:
    budgets = [("--require-changes",), ("--timeout", f"{chance.randint(500, 4000)}ms")]
    if family in CONVERSES:
        budgets.append(("--max-turns", "1"))
    if family == "headless":
        budgets.append(("--max-tokens", "150"))
    return tuple(word for budget in chance.sample(budgets, chance.randint(1, 2)) for word in budget)


def draw(seed: str, number: int, wishes: Wishes) -> Round | None:
    """The round of this number; None if it is none of those wished for."""
    chance = random.Random(f"{seed}:{number}")
    real = wishes.families[0] not in BEHAVIOURS
    family = wishes.families[number % len(wishes.families)] if real else chance.choice(wishes.families)
    disturbance = chance.choices(
        wishes.disturbances, [DISTURBANCES[name] for name in wishes.disturbances])[0]
    count = wishes.issues or (chance.randint(16, 30) if disturbance == "few descriptors" else chance.randint(3, 14))
    jobs = min(count, chance.choice((3, 4)) if real else chance.randint(2, 8))
    if disturbance == "few descriptors":
        jobs = count
    # What ends by a time limit alone makes a round long, and beside a disturbance nobody could tell whose limit it was.
    patient = real or disturbance != "calm" or chance.random() < 0.7
    # At a rate limit those that wait do not begin: few rounds have one.
    limited = chance.random() < 0.1
    agents = [b for b in wishes.behaviours[family] if not (patient and b.hangs) and (limited or b.ends != "retry_later")]
    gates = [gate for gate in GATES if not (patient and gate.times_out)]
    if family != "demo":
        gates = [gate for gate in gates if gate.name != ENDS_AGENT]
    token = f"b{chance.randrange(36**5):05x}"
    issues = tuple(
        Issue(f"{token}x{n}", chance.choice(agents), tuple(chance.choices(gates, k=chance.choice((0, 1, 1, 2)))))
        for n in range(1, count + 1))
    drawn_gates = [gate for issue in issues for gate in issue.gates]
    # They need gates, and a gate that takes its whole limit three times over would meet the run's.
    mends = family in CONVERSES and drawn_gates and not any(gate.times_out for gate in drawn_gates)
    drawn = Round(
        seed, number, family, disturbance, issues, jobs,
        fix_turns=chance.choice((0, 0, 2)) if mends else 0,
        worktree=real or chance.random() < 0.4,
        artifacts=chance.random() < 0.3,
        detached=chance.random() < 0.35,
        groups=not wishes.without_groups or chance.random() < 0.7,
        headless=real and (number // len(wishes.families)) % 2 == 1,
        fenced=family in ("demo", "plain") and wishes.fence and chance.random() < 0.2,
        timeout_s=(300 if real else PATIENT_TIMEOUT_S) if patient else TIMEOUT_S,
        verify_timeout_s=SHORT_VERIFY_TIMEOUT_S if disturbance == "host stands still"
        else PATIENT_VERIFY_TIMEOUT_S if patient else VERIFY_TIMEOUT_S,
        output=chance.choice(("quiet", "quiet", "json", "github")),
        budget=_budget(chance, family) if not real and chance.random() < 0.25 else (),
        chance=chance,
    )
    return drawn if all(only in drawn.tags for only in wishes.only) else None
