"""What the model answers to the questions of a task: as meta-agent, by whatever protocol it is asked."""

import re
import threading

from script import Answer, Fail, Say

KINDS = ("plan_task", "next_action", "completion_assessment")
_TYPE = re.compile(rf"^type: \"?({'|'.join(KINDS)})\"?$", re.MULTILINE)


def kind_of(text: str) -> str | None:
    """Which question this is, the words of a user; None: it is none. An agent's CLI puts instructions before it, with
    the form of the answer in them."""
    found = _TYPE.findall(text)
    return found[-1] if found else None


def plan(task_id: str, *criteria: str) -> str:
    lines = ["type: plan_task", "version: 1", "payload:", f"  task_id: {task_id}", "  acceptance_criteria:"]
    for number, description in enumerate(criteria, 1):
        lines += [f"    - id: ac-{number}", "      description: |", *_block(description, 8)]
    return "\n".join(lines) + "\n"


def run_worker(prompt: str, reason: str = "There is something to do.") -> str:
    return "\n".join([*_decision("run_worker", reason), "  worker_call:", "    prompt: |", *_block(prompt, 6)]) + "\n"


def mark_complete(reason: str = "All of it is done.") -> str:
    return "\n".join(_decision("mark_complete", reason)) + "\n"


def assessment(*passed: bool, summary: str = "As the verdicts say.") -> str:
    lines = ["type: completion_assessment", "version: 1", "payload:"]
    lines += [f"  all_criteria_satisfied: {str(all(passed)).lower()}", "  by_criterion:"]
    for number, verdict in enumerate(passed, 1):
        status = "passed" if verdict else "failed"
        lines += [f"    - id: ac-{number}", f"      status: {status}", "      comment: Looked at."]
    return "\n".join([*lines, f"  summary: {summary}"]) + "\n"


def _decision(action: str, reason: str) -> list[str]:
    head = ["type: next_action", "version: 1", "payload:", "  decision:"]
    return [*head, f"    action: {action}", "    reason: |", *_block(reason, 6)]


def _block(text: str, indent: int) -> list[str]:
    return [" " * indent + line if line else "" for line in text.splitlines()]


class MetaScript:
    """For each kind of question its answers, in order; the last one goes on. An answer is a text, or steps, or a Fail."""

    def __init__(self, **answers: tuple[str | Answer, ...]):
        unknown = set(answers) - set(KINDS)
        if unknown:
            raise ValueError(f"no question is called {', '.join(sorted(unknown))}")
        self._answers = answers
        self._asked = dict.fromkeys(KINDS, 0)
        self._lock = threading.Lock()

    def next_answer(self, kind: str) -> Answer:
        answers = self._answers.get(kind)
        if not answers:
            return Fail(400, f"the script has no answer to {kind}")
        with self._lock:
            number = min(self._asked[kind], len(answers) - 1)
            self._asked[kind] += 1
        answer = answers[number]
        return (Say(answer, chunk=len(answer) or 1, gap=0),) if isinstance(answer, str) else answer
