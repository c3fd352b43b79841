"""A crew of real CLIs for a long time: mail, nudges and rules of hand-over, with its host killed twice. Part of
script/crews --seconds."""

import json
import os
import signal
import sys
import time
from pathlib import Path

from agents import CLAUDE, CODEX, Agent
from checks import Checks
from scene import CrewScene
from script import Answer, Say

AGENTS = (("planner", CLAUDE), ("implementer", CODEX), ("reviewer", CLAUDE))
SPEC = """version: 1
project: shop
agents:
  - {name: planner, role: plans, cli: claude, prompt: Wait for messages. (ROLE-planner)}
  - {name: implementer, role: writes the code, cli: codex, prompt: Wait for messages. (ROLE-implementer)}
  - {name: reviewer, role: reviews, cli: claude, prompt: Wait for messages. (ROLE-reviewer)}
flow:
  rules:
    - {when: implementer, says: PATCH READY, nudge: reviewer, text: Review what is new.}
    - {when: reviewer, says: LOOKS GOOD, nudge: planner, text: Plan the step that follows.}
"""
BETWEEN_S = 12  # two things that a person says
LATE = "You have new mail in"  # what came while nobody could hear it
REVIEW, PLAN = "[from implementer] Review what is new.", "[from reviewer] Plan the step that follows."


def answer_to(texts: list[str]) -> Answer:
    newest = texts[-1] if texts else ""
    if "make a patch" in newest:
        return (Say("I write it now, and it takes me a moment.\n\nPATCH READY\n", chunk=4, gap=0.1),)
    if "Review what is new." in newest:
        return (Say("I have read all of it.\n\nLOOKS GOOD\n", chunk=4, gap=0.1),)
    return (Say("I have heard it, and I think about it. " * 2, chunk=4, gap=0.1),)


class CrewDay(CrewScene):
    """From up to the last count."""

    def __init__(self, orch: Path, programs: list[tuple[Agent, Path]], folder: Path, seconds: float):
        super().__init__(orch, programs, folder, SPEC, answer_to)
        self.seconds = seconds
        self.mails: dict[str, list[str]] = {name: [] for name, _ in AGENTS}
        self.patches = self.nudges = self.kills = 0
        self.spent: list[dict] = []

    def play(self) -> Checks:
        checks: Checks = {"up": self.orch_says("crew", "up").returncode == 0}
        checks["roles"] = self.wait_for(lambda: all(self.heard(f"ROLE-{name}") == 1 for name, _ in AGENTS))
        began, number = time.monotonic(), 0
        while (passed := time.monotonic() - began) < self.seconds:
            number += 1
            self.say(number)
            if passed > self.seconds * (self.kills + 1) / 3 and self.kills < 2:
                back = self.kill_host(number)
                checks[f"host killed, {self.kills}"] = back
            time.sleep(BETWEEN_S)
        checks["at rest"] = self.wait_for(self.at_rest)
        return checks | self.count(number)

    def say(self, number: int) -> None:
        name = AGENTS[number % len(AGENTS)][0]
        if number % 3 == 0:
            self.nudges += 1
            words = f"Now make a patch. NUDGE-{number:04}"
            if self.orch_says("crew", "nudge", "implementer", words).returncode == 0:
                self.patches += 1
        self.mail(name, f"MAIL-{number:04} for {name}")

    def mail(self, name: str, words: str) -> None:
        if self.orch_says("crew", "inbox", name, words).returncode == 0:
            self.mails[name].append(words)

    def kill_host(self, number: int) -> bool:
        """Once at rest, once while the planner works; there is mail for those who are down."""
        self.kills += 1
        self.wait_for(self.at_rest)
        self.remember()
        host = next(iter(self.status().values()))["pid"]
        if self.kills == 2:
            self.orch_says("crew", "nudge", "planner", f"Think it over. THOUGHT-{number:04}")
        os.kill(host, signal.SIGKILL)
        self.wait_for(lambda: all(one["status"] not in ("idle", "working") for one in self.status().values()))
        self.mail("reviewer", f"MAIL-{number:04} while nobody is there")
        return self.wait_for(lambda: self.orch_says("crew", "up").returncode == 0) and self.wait_for(self.at_rest)

    def remember(self) -> None:
        """What the runs that end now have used and done."""
        self.spent += [{"name": name, "turns": one.get("turns"), "usage": one.get("usage")}
                       for name, one in self.status().items()]

    def count(self, number: int) -> Checks:
        self.remember()
        inboxes = {name: self.orch_says("crew", "inbox", name).stdout for name, _ in AGENTS}
        lost = [mail for name, mails in self.mails.items() for mail in mails if inboxes[name].count(f"> {mail}\n") != 1]
        unheard = [mails[-1] for mails in self.mails.values() if self.heard(mails[-1]) + self.heard(LATE) == 0]
        twice = [mail for mails in self.mails.values() for mail in mails if self.heard(mail) > 1]
        reviews, plans = self.heard(REVIEW), self.heard(PLAN)
        sent = sum(len(mails) for mails in self.mails.values())
        tokens = sum((one["usage"] or {}).get("in", 0) + (one["usage"] or {}).get("out", 0) for one in self.spent)
        turns = sum(one["turns"] or 0 for one in self.spent)
        print(f"{self.seconds / 60:.0f} min, {self.kills} hosts killed: {sent} mails sent, {len(lost)} not in an inbox once, "
              f"{len(twice)} told twice; {self.patches} patches, {reviews} reviews, {plans} plans; {turns} turns, "
              f"{tokens} tokens")
        for what, which in (("not once in an inbox", lost), ("newest, not told once", unheard), ("told twice", twice)):
            if which:
                print(f"  {what}: {which}", file=sys.stderr)
        checks: Checks = {
            "every mail once in an inbox": not lost, "the newest mail is told": not unheard, "no mail told twice": not twice,
            "every hand-over once": reviews == plans == self.patches, "every nudge taken": self.patches == self.nudges,
            "measured": sent > 3 and self.patches > 0 and self.kills == 2}
        checks["down"] = self.orch_says("crew", "down").returncode == 0
        checks["no session left"] = json.loads(self.orch_says("sessions", "--json").stdout) == []
        return checks
