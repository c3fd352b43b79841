"""What the agents say, for script/words: the answers of the scripted model, and what is done to the run meanwhile."""

from dataclasses import dataclass

from script import Answer, Pause, Say, Use

KEYWORD = "LOOP_COMPLETE"
COMPLETE = (0, "complete")
GO_ON = "Go on, please."


@dataclass(frozen=True)
class Resize:
    """The window of the terminal changes: `seconds` after the first request, relative to the size at first."""

    seconds: float
    columns: int
    rows: int


@dataclass(frozen=True)
class Send:
    """A message to the session, until the agent's turn is over. `compact` stands for the CLI's own command."""

    text: str
    command: bool = False


@dataclass(frozen=True)
class Reset:
    """`orch reset`: an empty conversation."""


@dataclass(frozen=True)
class Cut:
    """How a run ends while its answer streams: `how` is interrupt, kill or timeout; so long after the first request
    (a timeout counts from the start of the run)."""

    how: str
    seconds: float


@dataclass(frozen=True)
class WordsScenario:
    """With `acts` it is a session that gets them one after another; else one `orch run`."""

    name: str
    answers: tuple[Answer, ...]
    ending: tuple[int, str] = COMPLETE
    until: str = "complete"
    more: tuple[str, ...] = ()  # arguments of orch run
    resizes: tuple[Resize, ...] = ()
    acts: tuple[Send | Reset, ...] = ()
    cut: Cut | None = None
    only: tuple[str, ...] = ()  # the agents; none named: all


MIXED = """I looked at the whole project before I changed anything, because a guess that sounds right is the most \
expensive kind of mistake; what follows is what I found, in the order in which it matters to you.

- The build is CMake and Ninja, nothing else.
- The tests are run by ctest.
  - Two of them need a terminal.
- The third point is so long that it cannot stand in one row of a terminal of eighty columns, and hardly in one \
of a hundred and twenty either.

1. First the parser is read.
2. Then the table is built.
3. At last the answer is written.

| name | rows | kind |
|---|---|---|
| alpha | 12 | first |
| beta | 7 | second |

```
def add(numbers):
    return TOTAL + sum(numbers)
```

> A quotation stands behind its bar,
> and it has two lines.

The menus of such programs begin with › 1. Yes or with ❯ 1. Yes, and both are only words here.

OK

Grüße aus München – naïve café, Ωmega, Здравствуйте and 100 €.

日本語の行もある。漢字とかなとカナ、全部で一行。

The same line stands here twice.

The same line stands here twice.

OK

That is all that I found; the next answer says part of it again, word for word, and has to be told again."""

AGAIN = """- The build is CMake and Ninja, nothing else.
- The tests are run by ctest.

The same line stands here twice.

OK"""

STANDING = "This text is whole after a second, and then it stands for a while before the turn ends."


def paragraphs(first: int, last: int, name: str) -> str:
    """A row each, with a number of its own; every fifth is long enough to wrap."""
    tail = " It goes on for a while, so that it has to wrap in a narrow window, and wraps again in a narrower one."
    return "\n\n".join(
        f"{name} {n:03d}: the value of step {n} is {n * 37 % 101}.{tail if n % 5 == 0 else ''}"
        for n in range(first, last + 1)
    )


def rows(first: int, last: int, name: str) -> str:
    return "\n".join(f"- {name} {n:03d} was read, and it holds {n * 53 % 97} items" for n in range(first, last + 1))


LONG = f"""Here is the report, step by step.

{paragraphs(1, 24, "Step")}

Now the files:

{rows(1, 40, "File")}

That was the report; it ends here."""
LONG_AGAIN = f"""The last files once more:

{rows(31, 40, "File")}

And that was the end of the second report."""
# More than a screen holds, in a tenth of a second: most of it goes by between two frames of the agent's.
FLOOD = f"Here are all lines:\n\n{rows(1, 300, 'Line')}\n\nThat was the last of them."
DONE = Say(f"Everything is done.\n\n{KEYWORD}")

HALF = f"""I begin with the first half of the work, and this half stands before anything is cut.

{rows(1, 6, "Half")}

The first half ends with this line."""
REST = f"""

{paragraphs(1, 60, "Rest")}"""
BROKEN_OFF = (Say(HALF + REST, chunk=8, gap=0.12, rest_at=len(HALF), rest_s=2.5),)
HALF_S = len(HALF) / 8 * 0.12

STORY = f"""{paragraphs(1, 12, "Part")}

{rows(1, 12, "Item")}

The window changed, and the words did not."""
ANSWER = f"""The answer to this is short.

{rows(1, 5, "Answer")}

It ends here."""
LATER = "After that the conversation went on, and this is its next line."

SCENARIOS = (
    WordsScenario(
        "mixed",
        (
            (Say(MIXED, chunk=10, gap=0.04, rest_at=len(MIXED) // 2, rest_s=3),),
            (Say("OK"),),
            (Say(AGAIN, chunk=5),),
            (Say(STANDING, rest_at=len(STANDING), rest_s=7),),
            (Say(STANDING), Pause(7)),
            (DONE,),
        ),
    ),
    WordsScenario("long", ((Say(LONG, chunk=24, gap=0.06),), (Say(LONG_AGAIN, chunk=6),), (DONE,))),
    WordsScenario("flood", ((Say(FLOOD, chunk=len(FLOOD) // 10, gap=0.01),), (DONE,))),
    WordsScenario(
        "tools",
        (
            # A list with numbers stands above the dialog of the command, and is no part of it.
            (Say("What I will do:\n\n1. make the file\n2. look at the result\n3. mend the sum\n\n"), Use("shell")),
            (Say("The file is there; now I read what the sum is made of.\n\n"), Use("read")),
            (Say("The total is wrong, so I change it.\n\n"), Use("edit")),
            (Say("The change is made.\n\n- One line was replaced.\n- Nothing else was touched.\n\n"), Pause(2),
             Say("A second text of the same turn comes after a pause.")),
            (DONE,),
        ),
        more=("--approve", "all"),
    ),
    WordsScenario(
        "resize",
        ((Say(STORY, chunk=8, gap=0.08),), (Say(AGAIN),), (DONE,)),
        resizes=(Resize(3, -20, -6), Resize(6, 15, 8), Resize(9, 0, 0)),
    ),
    WordsScenario(
        "clear",
        ((Say(ANSWER),), (Say(ANSWER),), (Say(LATER),), (Say(ANSWER),), (Say(LATER),)),
        until="exit",
        ending=(137, "killed"),
        # After the reset orch gives the task again by itself: the fourth answer is to it.
        acts=(Send("/clear", command=True), Send(GO_ON), Send(GO_ON), Reset(), Send(GO_ON)),
    ),
    WordsScenario(
        "compact",
        ((Say(ANSWER),), (Say(LATER),), (Say(ANSWER),), (Say(LATER),)),
        until="exit",
        ending=(137, "killed"),
        acts=(Send(GO_ON), Send("compact", command=True), Send(GO_ON), Send(GO_ON)),
    ),
    WordsScenario("cut-interrupt", (BROKEN_OFF,), (130, "interrupted"), cut=Cut("interrupt", HALF_S + 4.5)),
    WordsScenario("cut-kill", (BROKEN_OFF,), (137, "killed"), cut=Cut("kill", HALF_S + 2.2)),
    WordsScenario("cut-timeout", (BROKEN_OFF,), (124, "timeout"), cut=Cut("timeout", 14)),
    WordsScenario("cut-turns", ((Say(HALF),), (Say(LATER),)), (124, "turns"), more=("--max-turns", "2")),
)
