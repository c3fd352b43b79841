"""What the agents say about the keyword, for script/completions: turns that must not complete a run, and turns that
must. A turn completes when its last words, after all of its tools, are the keyword on a line of its own, outside of
fences, quotations, lists, tables and headings."""

from collections.abc import Callable
from dataclasses import dataclass

from agents import Agent, edit_call, read_call, shell_call
from script import Pause, Say, Step, Think, ToolCall, Use

KEYWORD = "LOOP_COMPLETE"
NOTES = "notes.txt"
NOTES_TEXT = f"What is left:\n{KEYWORD}\nThat was the list.\n"
# In place of it a name stands that fills a row but for a few columns: what follows wraps to the next row.
ROW_OF_NAME = "{row of name}"

TOOLS: dict[str, Callable[[Agent], ToolCall]] = {
    "echo": lambda agent: shell_call(agent, f"echo {KEYWORD}"),
    "cat": lambda agent: shell_call(agent, f"cat {NOTES}"),
    "heredoc": lambda agent: shell_call(agent, f"cat <<'EOF'\none\n{KEYWORD}\nEOF"),
    "first line": lambda agent: shell_call(agent, f"printf '{KEYWORD}\\nb\\nc\\n'"),
    "last line": lambda agent: shell_call(agent, f"printf 'a\\nb\\n{KEYWORD}\\n'"),
    "indented": lambda agent: shell_call(agent, f"printf 'a\\n\\n    {KEYWORD}\\n'"),
    "many lines": lambda agent: shell_call(agent, f"for n in 1 2 3 4 5 6 7 8; do echo {KEYWORD}; done"),
    "errors": lambda agent: shell_call(agent, f"echo {KEYWORD} >&2; false"),
    "comment": lambda agent: shell_call(agent, f"true # {KEYWORD}"),
    "not a program": lambda agent: shell_call(agent, KEYWORD),
    "several commands": lambda agent: shell_call(agent, f"true\ntrue {KEYWORD}\ntrue"),
    "slow": lambda agent: shell_call(agent, "sleep 3; echo slept"),
    "quiet": lambda agent: shell_call(agent, "true"),
    "read": lambda agent: read_call(agent, NOTES),
    "edit": lambda agent: edit_call(agent, KEYWORD),
}


@dataclass(frozen=True)
class Turn:
    """One answer for each request of the turn."""

    name: str
    answers: tuple[tuple[Step, ...], ...]
    completes: bool = False


def _say(name: str, text: str) -> Turn:
    return Turn(name, ((Say(text),),))


def _use(tool: str, after: str = "The tool has run, and there is more to do.") -> Turn:
    """The tool shows the keyword, the agent does not say it."""
    return Turn(f"tool: {tool}", ((Say(f"I use the tool now ({tool}).\n\n"), Use(tool)), (Say(after),)))


def _done(name: str, text: str) -> Turn:
    return Turn(name, ((Say(text),),), completes=True)


FALSE_TURNS = (
    _say("quoted in a sentence", f'I would say "{KEYWORD}" now, but two tests are red.'),
    _say("at the end of a sentence", f"When the tests are green I will say {KEYWORD}"),
    _say("end of a sentence that wraps", f"The name is {ROW_OF_NAME} {KEYWORD}"),
    _say("middle of a sentence that wraps", f"The name {ROW_OF_NAME} {KEYWORD} {ROW_OF_NAME} has a row of its own."),
    _say("fenced", f"The word is\n\n```\n{KEYWORD}\n```"),
    _say("fenced, named text", f"The word in a file of text:\n\n```text\n{KEYWORD}\n```"),
    _say("last line of a fence", f"A script:\n\n```sh\nmake test\nmake install\n\n{KEYWORD}\n```"),
    _say("first line of a fence", f"A script of another kind:\n\n```\n{KEYWORD}\nmake test\n```"),
    _say("fenced with tildes", f"The same again:\n\n~~~\n{KEYWORD}\n~~~"),
    _say("indented code", f"A block that is set in:\n\n    {KEYWORD}"),
    _say("quotation", f"You wrote:\n\n> {KEYWORD}"),
    _say("quotation of two lines", f"You wrote before:\n\n> say, when all is done,\n> {KEYWORD}"),
    _say("quotation of two paragraphs", f"You wrote at first:\n\n> say, when all is done,\n>\n> {KEYWORD}"),
    _say("list item", f"The word:\n\n- {KEYWORD}"),
    _say("last list item", f"What is left:\n\n- a test\n- the docs\n- {KEYWORD}"),
    _say("numbered item", f"The steps:\n\n1. a test\n2. the docs\n3. {KEYWORD}"),
    _say("nested item", f"The plan:\n\n- the end\n  - {KEYWORD}"),
    _say("second line of an item", f"The plan again:\n\n- the end, when I say\n  {KEYWORD}"),
    _say("second paragraph of an item", f"The plan once more:\n\n- the end, when I say\n\n  {KEYWORD}"),
    _say("table cell", f"| step | word |\n|---|---|\n| last | {KEYWORD} |"),
    _say("table of one column", f"| word |\n|---|\n| {KEYWORD} |"),
    _say("heading", f"Part one is done.\n\n# {KEYWORD}"),
    _say("bold inside a sentence", f"The word **{KEYWORD}** is not said yet."),
    _say("code at the end of a sentence", f"At the end I will say `{KEYWORD}`"),
    _say("prose after it", f"{KEYWORD}\n\nNo, that was too early: one test is red."),
    _say("a list after it", f"Nearly done.\n\n{KEYWORD}\n\n- but this is left\n- and that"),
    _say("a fence after it", f"Nearly all done.\n\n{KEYWORD}\n\n```\nmake test\n```"),
    _say("a question", f"Shall I say it?\n\n{KEYWORD}?"),
    _say("denied", f"It is not over.\n\nNot {KEYWORD}"),
    _say("a longer word", f"This is another word:\n\n{KEYWORD}D"),
    _say("in small letters", f"This is another word, too:\n\n{KEYWORD.lower()}"),
    _say("far above the end", f"{KEYWORD}\n\n" + "\n\n".join(f"Then point {n} came up." for n in range(1, 40))),
    *(_use(tool) for tool in (
        "echo", "cat", "heredoc", "first line", "last line", "indented", "many lines", "errors", "comment",
        "not a program", "several commands", "read",
    )),
    _use("edit", "The line is changed."),
    Turn("tools twice", ((Say("Two commands.\n\n"), Use("echo"), Use("last line")), (Say("Both have run."),))),
    Turn("a tool after it", ((Say(f"All is done.\n\n{KEYWORD}\n\n"), Use("quiet")), (Say("One thing was left."),))),
    Turn("a slow tool after it", ((Say(f"All done, I think.\n\n{KEYWORD}\n\n"), Use("slow")), (Say("Not so."),))),
    Turn("a text after it", ((Say(f"It is all done.\n\n{KEYWORD}\n\n"), Pause(5), Say("No, wait: one test is red.")),)),
    Turn("thought only", ((Think(f"**Soon**\n\nI could say\n\n{KEYWORD}\n\nbut it is early."), Say("Not yet.")),)),
    Turn("fenced after a tool", ((Use("quiet"),), (Say(f"The word is still\n\n```\n{KEYWORD}\n```"),))),
)

TRUE_TURNS = (
    _done("the only words", KEYWORD),
    _done("after prose", f"All is done, and the tests are green.\n\n{KEYWORD}"),
    _done("on the line after prose", f"All is done.\n{KEYWORD}"),
    _done("after a list", f"Done:\n\n- the test\n- the docs\n\n{KEYWORD}"),
    _done("after a fence", f"It prints:\n\n```\nok\n```\n\n{KEYWORD}"),
    Turn("after a tool", ((Say("One last look.\n\n"), Use("quiet")), (Say(f"All is well.\n\n{KEYWORD}"),)), True),
    _done("bold", f"All is done.\n\n**{KEYWORD}**"),
    _done("as code", f"All is done.\n\n`{KEYWORD}`"),
    _done("after a long answer", "\n\n".join(f"Point {n} is done." for n in range(1, 60)) + f"\n\n{KEYWORD}"),
    _done("after wide characters", f"全部できました。Grüße!\n\n{KEYWORD}"),
    _done("after a table", f"| a | b |\n|---|---|\n| 1 | 2 |\n\n{KEYWORD}"),
    _done("after a quotation", f"You wrote:\n\n> say it when all is done\n\nIt is.\n\n{KEYWORD}"),
)

AT_ONCE = "at once"  # how the names of these turns begin
ANSWERS_AT_ONCE = (
    KEYWORD,
    f"All is done, and the tests are green.\n\n{KEYWORD}",
    "\n\n".join(f"Point {n} is done." for n in range(1, 60)) + f"\n\n{KEYWORD}",
)


def at_once(times: int) -> tuple[Turn, ...]:
    """So many answers that are there whole as soon as the model is asked, as those of a cache or of a small local model
    are: the CLI has then written and drawn less of the turn than usual when it ends."""
    def turn(n: int) -> Turn:
        text = ANSWERS_AT_ONCE[n % len(ANSWERS_AT_ONCE)]
        return Turn(f"{AT_ONCE} {n + 1}", ((Say(text, chunk=len(text), gap=0),),), completes=True)

    return tuple(map(turn, range(times)))
