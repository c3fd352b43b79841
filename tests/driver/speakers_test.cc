#include "driver/speakers.h"

#include <catch2/catch.hpp>

#include "adapters/registry.h"
#include "transcript_rig.h"

namespace orch::driver {
namespace {

using Spec = adapters::TranscriptSpec;

// Rules for an agent that draws a bar beside messages and tools, and indents words by five.
Spec barred() {
  Spec spec;
  spec.agent = "^     \\S";
  spec.tool = "^  (┃ |   )[#$] ";
  spec.side = "^  ┃";
  spec.notice = "^  ▣ .*error";
  spec.chrome = "^  ▣ ";
  spec.drop = {"^  ┃$"};
  spec.frame = {"^  ┃ {0,2}(.*)$"};
  spec.margin = "^(.*?) +[█┃]$";
  spec.indent = 5;
  return spec;
}

// The lines that are read from the rows, as "speaker: line"; rows that are no lines are left out.
std::vector<std::string> read_all(const Spec& spec, const std::vector<std::string>& rows) {
  const Speakers speakers(spec, kUserMessage);
  std::vector<std::string> said;
  Speaker speaker = Speaker::kChrome;
  for (const std::string& row : rows) {
    if (row.empty()) {
      speaker = speakers.after_blank(speaker);
      continue;
    }
    const Speakers::Reading reading = speakers.read({row}, speaker);
    speaker = reading.speaker;
    if (!reading.line) continue;
    said.push_back(std::string(event::name(speaker)) + ": " + speakers.line(row, speaker).text);
  }
  return said;
}

using Said = std::vector<std::string>;

TEST_CASE("a marker begins a block, rows without one go on with it") {
  CHECK(read_all(bulleted(), {"● I look.", "  Closely.", "● Bash(ls)", "  ⎿  a.cc", "     b.cc",
                              "● Done.", "> next", "  please"}) ==
        Said{"agent: I look.", "agent: Closely.", "tool: ● Bash(ls)", "tool: ⎿  a.cc",
             "tool:    b.cc", "agent: Done.", "user: next", "user: please"});
}

TEST_CASE("words that begin before the indentation ends are whole") {
  adapters::TranscriptSpec spec;
  spec.agent = "^  ◆";
  spec.indent = 5;
  const Speakers speakers(spec, "^  > ");
  CHECK(speakers.line("  ◆\ufe0e It adds up.", Speaker::kAgent).text == "It adds up.");
  CHECK(speakers.line("  ◆ It adds up.", Speaker::kAgent).text == "It adds up.");
  CHECK(speakers.line("     - and more", Speaker::kAgent).text == "- and more");
  CHECK(speakers.line("  > Explain it.", Speaker::kUser).text == "Explain it.");
}

TEST_CASE("rows that only their ink gives away are a tool's in that ink alone") {
  Spec spec = bulleted();
  spec.grey_tool = "^  \\S";
  spec.colored_tool = "^● [A-Z]\\w* \"";
  const Speakers speakers(spec, kUserMessage);
  const auto speaker_of = [&](const std::string& row, Ink ink) {
    return speakers.read({row, false, ink}, Speaker::kAgent).speaker;
  };
  CHECK(speaker_of("  Read 1 file", Ink::kGrey) == Speaker::kTool);
  CHECK(speaker_of("  Read 1 file", Ink::kPlain) == Speaker::kAgent);
  CHECK(speaker_of("  make test", Ink::kColor) == Speaker::kAgent);
  CHECK(speaker_of("    grey, but further in", Ink::kGrey) == Speaker::kAgent);
  const std::string helper = "● Agent \"Look\" finished";
  CHECK(speaker_of(helper, Ink::kColor) == Speaker::kTool);
  CHECK(speaker_of(helper, Ink::kGrey) == Speaker::kTool);
  CHECK(speaker_of(helper, Ink::kPlain) == Speaker::kAgent);
  CHECK(speaker_of("● I look.", Ink::kColor) == Speaker::kAgent);
}

TEST_CASE(
    "a row below which something of a tool hangs is the tool's call, unless the agent says it") {
  Spec spec = bulleted();
  spec.hangs = "^  ⎿";
  const Speakers speakers(spec, kUserMessage);
  CHECK(speakers.knows_calls());
  CHECK(speakers.hangs({"  ⎿  $ ls"}));
  const auto speaker_of = [&](const std::string& row, Ink ink, bool called) {
    return speakers.read({row, false, ink, called}, Speaker::kAgent).speaker;
  };
  CHECK(speaker_of("  Printing", Ink::kPlain, true) == Speaker::kTool);
  CHECK(speaker_of("● Printing", Ink::kGrey, true) == Speaker::kTool);
  CHECK(speaker_of("● I print.", Ink::kPlain, true) == Speaker::kAgent);
  CHECK(speaker_of("  Printing", Ink::kPlain, false) == Speaker::kAgent);
}

TEST_CASE("rows on a background are the user's or a tool's, and only those are") {
  Spec spec;
  spec.agent = "^ \\S";
  spec.tool = "^ \\$ ";
  spec.chrome = "^ ▀";
  spec.shaded = true;
  const Speakers speakers(spec, "");
  const auto speaker_of = [&](const std::string& row, bool shaded, Speaker before) {
    ScreenRow read{row};
    read.shaded = shaded;
    return speakers.read(speakers.marks(read), before).speaker;
  };
  CHECK(speaker_of(" please", true, Speaker::kChrome) == Speaker::kUser);
  CHECK(speaker_of(" please", true, Speaker::kAgent) == Speaker::kUser);
  CHECK(speaker_of(" please", false, Speaker::kUser) == Speaker::kAgent);
  CHECK(speaker_of(" $ ls", true, Speaker::kAgent) == Speaker::kTool);
  CHECK(speaker_of(" a.cc", true, Speaker::kTool) == Speaker::kTool);
  CHECK(speaker_of(" ▀▀ v1", true, Speaker::kChrome) == Speaker::kChrome);
  CHECK(speaker_of(" $ ls", false, Speaker::kTool) == Speaker::kAgent);
}

TEST_CASE("a user's marker may differ from the agent's by its colour alone") {
  Spec spec = bulleted();
  spec.colored_user = "^● .";
  const Speakers speakers(spec, "");
  const auto speaker_of = [&](Ink ink) {
    ScreenRow read{"● Hello"};
    read.ink = ink;
    return speakers.read(speakers.marks(read), Speaker::kChrome).speaker;
  };
  CHECK(speaker_of(Ink::kColor) == Speaker::kUser);
  CHECK(speaker_of(Ink::kGrey) == Speaker::kAgent);
  CHECK(speaker_of(Ink::kPlain) == Speaker::kAgent);
}

TEST_CASE("a user's words may differ from the agent's by being faint") {
  Spec spec = bulleted();
  spec.agent = "^● |^ \\S";
  spec.faint_user = "^ .";
  const Speakers speakers(spec, "");
  const auto read = [&](bool faint) {
    ScreenRow row{" Hello"};
    row.faint = faint;
    return speakers.read(speakers.marks(row), Speaker::kChrome).speaker;
  };
  CHECK(read(true) == Speaker::kUser);
  CHECK(read(false) == Speaker::kAgent);
  CHECK(speakers.line(" Hello", Speaker::kAgent).text == "Hello");  // no letter is a marker
}

TEST_CASE("blank rows do not end a block of markers") {
  CHECK(read_all(bulleted(), {"● one", "", "  two", "> a", "", "  b"}) ==
        Said{"agent: one", "agent: two", "user: a", "user: b"});
}

TEST_CASE("notices are lines, the interface itself never is") {
  CHECK(read_all(bulleted(), {"▐ Welcome", "  to this agent", "● one", "◆ Error: gone", "▐ Tip",
                              "  goes on"}) == Said{"agent: one", "notice: ◆ Error: gone"});
}

TEST_CASE("what stands before the first marker is the interface") {
  CHECK(read_all(bulleted(), {"Some banner", "  and more", "● one"}) == Said{"agent: one"});
}

TEST_CASE("a row that is dropped is no line and changes no speaker") {
  CHECK(read_all(bulleted(), {"● Bash(ls)", "──────────", "  a.cc", "* Thinking", "  b.cc"}) ==
        Said{"tool: ● Bash(ls)", "tool: a.cc", "tool: b.cc"});
}

TEST_CASE("the marker that is asked first decides") {
  Spec spec;
  spec.agent = spec.tool = spec.notice = "^! ";
  CHECK(read_all(spec, {"! row"}) == Said{"notice: ! row"});
  spec.chrome = "^! ";
  CHECK(read_all(spec, {"! row"}).empty());
  spec.notice = spec.chrome = "";
  CHECK(read_all(spec, {"! row"}) == Said{"tool: ! row"});
}

TEST_CASE("the agent's words begin after the last row of a message") {
  Spec spec = bulleted();
  spec.user_end = "^▀{5}";
  spec.drop.emplace_back("^[▀▄]{5,}$");
  CHECK(read_all(spec, {"▄▄▄▄▄▄", "> hello", "  you", "▀▀▀▀▀▀", "  Hi."}) ==
        Said{"user: hello", "user: you", "agent: Hi."});
  // Such a row only ends messages.
  CHECK(read_all(spec, {"● Bash(ls)", "▀▀▀▀▀▀", "  a.cc"}) ==
        Said{"tool: ● Bash(ls)", "tool: a.cc"});
}

TEST_CASE("a bar beside it makes a block a message or a tool, whatever its rows look like") {
  CHECK(read_all(barred(),
                 {"  ┃", "  ┃  hello", "  ┃     you", "  ┃", "", "     Hi.", "", "     Yes."}) ==
        Said{"user: hello", "user: you", "agent: Hi.", "agent: Yes."});
  CHECK(read_all(barred(), {"  ┃ # Shell", "  ┃", "  ┃ $ ls", "  ┃  a.cc", "", "     Hi."}) ==
        Said{"tool: # Shell", "tool: $ ls", "tool: a.cc", "agent: Hi."});
}

TEST_CASE("a block with a bar ends at a blank row, the agent's words do not") {
  const Speakers speakers(barred(), "");
  CHECK(speakers.after_blank(Speaker::kUser) == Speaker::kChrome);
  CHECK(speakers.after_blank(Speaker::kTool) == Speaker::kChrome);
  CHECK(speakers.after_blank(Speaker::kAgent) == Speaker::kAgent);
  CHECK(speakers.after_blank(Speaker::kNotice) == Speaker::kNotice);
  const Speakers others(bulleted(), "");
  CHECK(others.after_blank(Speaker::kUser) == Speaker::kUser);
  CHECK(others.after_blank(Speaker::kTool) == Speaker::kTool);
}

TEST_CASE("two blocks with bars that a blank row parts are two") {
  CHECK(read_all(barred(), {"  ┃ # Shell", "", "  ┃  hello"}) ==
        Said{"tool: # Shell", "user: hello"});
}

TEST_CASE("a notice and the interface are told apart where one pattern fits both") {
  CHECK(read_all(barred(), {"     Hi.", "  ▣ model", "  ▣ model error"}) == Said{"agent: Hi."});
  Spec spec = barred();
  spec.chrome = "^  ▣ \\w+$";
  CHECK(read_all(spec, {"     Hi.", "  ▣ model", "  ▣ model error"}) ==
        Said{"agent: Hi.", "notice: ▣ model error"});
}

TEST_CASE("of a tool only what its frame holds is told, of words all") {
  Spec spec = bulleted();
  spec.tool = "^[╭│╰]";
  spec.drop = {"^[╭╰]─+[╮╯]$"};
  spec.frame = {"^│ (.*?) *│$", "^(.*?) \\(to expand\\)$"};
  CHECK(read_all(spec, {"╭──────────╮", "│ Shell ls │", "│ a.cc     │", "╰──────────╯",
                        "● a (to expand)"}) ==
        Said{"tool: Shell ls", "tool: a.cc", "agent: a (to expand)"});
  CHECK(read_all(spec, {"│ Shell ls (to expand) │"}) == Said{"tool: Shell ls"});
}

TEST_CASE("what stands in a margin is cut off every row") {
  const Speakers speakers(barred(), "");
  const auto cut = [&speakers](std::string row) {
    speakers.cut_margin(row);
    return row;
  };
  CHECK(cut("     Hi.          █") == "     Hi.");
  CHECK(cut("                  ┃") == "");
  CHECK(cut("     Hi.") == "     Hi.");
  CHECK(cut("     Hi.█") == "     Hi.█");
  std::string row = "  row  █";
  Speakers(bulleted(), "").cut_margin(row);
  CHECK(row == "  row  █");
}

TEST_CASE("a line is without its marker and so many columns of indentation, not more") {
  const Speakers speakers(bulleted(), kUserMessage);
  CHECK(speakers.line("● one", Speaker::kAgent).text == "one");
  CHECK(speakers.line("      four in", Speaker::kAgent).text == "    four in");
  CHECK(speakers.line("x", Speaker::kAgent).text == "x");
  CHECK(speakers.line(" x", Speaker::kAgent).text == "x");
  CHECK(speakers.line("● ", Speaker::kAgent).text == "");
  CHECK(speakers.line("●", Speaker::kAgent).text == "●");
  CHECK(speakers.line("> x  ", Speaker::kUser).text == "x");
}

TEST_CASE("a tool that is under way may change its rows") {
  const Speakers speakers(bulleted(), kUserMessage);
  CHECK(speakers.may_change(speakers.marks({"  ⎿  Running"})));
  CHECK_FALSE(speakers.may_change(speakers.marks({"  ⎿  Ran"})));
  const Speakers plain({}, "");
  CHECK_FALSE(plain.may_change(plain.marks({"  ⎿  Running"})));
}

TEST_CASE("every row of a program is its words, as it is") {
  const Speakers speakers({}, "");
  CHECK(speakers.plain());
  CHECK_FALSE(Speakers(bulleted(), "").plain());
  for (const std::string row : {"  in", "● bullet", "> quoted", "──────"}) {
    const Speakers::Reading reading = speakers.read({row}, Speaker::kAgent);
    CHECK(reading.speaker == Speaker::kAgent);
    CHECK(reading.line);
    CHECK(speakers.line(row, Speaker::kAgent).text == row);
  }
}

TEST_CASE("a pattern that is not given drops nothing") {
  Spec spec = bulleted();
  spec.drop.assign({"", "^#"});
  CHECK(read_all(spec, {"● one", "# two", "  three"}) == Said{"agent: one", "agent: three"});
}

// For the built-in manifests: rows that continue the model's words stay words, even if they look
// like the interface; and so do the rows below them.
TEST_CASE("words that look like an agent's own interface are told") {
  const base::Result<adapters::Registry> registry = adapters::Registry::load({});
  REQUIRE(registry.ok());
  const std::vector<std::string> lookalikes = {"Tip: build in parallel",
                                               "Tips: there are two",
                                               "To get started, run make",
                                               "? for shortcuts",
                                               "❯ 1. Yes",
                                               "› 1. Yes, proceed (y)",
                                               "> quoted",
                                               "❯ /clear empties it",
                                               "Worked for years",
                                               ">_ is a prompt",
                                               "Working (3s • esc to interrupt)",
                                               "Thinking…",
                                               "API Error: 529 overloaded is an example",
                                               "Loading the table takes long",
                                               "LOOP_COMPLETE"};
  for (const auto& [agent, margin] :
       std::vector<std::pair<std::string, std::string>>{{"claude", "  "},
                                                        {"codex", "  "},
                                                        {"gemini", "  "},
                                                        {"qwen", "    "},
                                                        {"copilot", "   "},
                                                        {"opencode", "     "}}) {
    const adapters::Manifest* manifest = registry->find(agent);
    REQUIRE(manifest != nullptr);
    const Speakers speakers(manifest->transcript, manifest->rules.user_message);
    for (const std::string& words : lookalikes) {
      INFO(agent << ": " << words);
      const Speakers::Reading reading = speakers.read({margin + words}, Speaker::kAgent);
      CHECK(reading.line);
      CHECK(reading.speaker == Speaker::kAgent);
      CHECK(speakers.line(margin + words, Speaker::kAgent).text == words);
    }
  }
}

TEST_CASE("claude's rows below a tool are known with either blank, and its counters by their ink") {
  const base::Result<adapters::Registry> registry = adapters::Registry::load({});
  REQUIRE(registry.ok());
  const adapters::Manifest* manifest = registry->find("claude");
  REQUIRE(manifest != nullptr);
  const Speakers speakers(manifest->transcript, manifest->rules.user_message);
  for (const std::string blanks : {"  ", " \u00a0"}) {
    const std::string hanging = "  ⎿" + blanks;
    INFO(hanging);
    CHECK_FALSE(speakers.read({hanging + "Tip: press keys"}, Speaker::kAgent).line);
    CHECK_FALSE(speakers.read({hanging + "Waiting…"}, Speaker::kAgent).line);
    CHECK(speakers.may_change(speakers.marks({hanging + "Running…"})));
    CHECK(speakers.read({hanging + "Interrupted · What now?"}, Speaker::kAgent).speaker ==
          Speaker::kNotice);
    CHECK(speakers.read({hanging + "12 lines"}, Speaker::kAgent).speaker == Speaker::kTool);
  }
  const auto speaker = [&speakers](const std::string& row, Ink ink, bool called = false) {
    return speakers.read({row, false, ink, called}, Speaker::kAgent).speaker;
  };
  CHECK(speaker("  Read 3 files", Ink::kGrey) == Speaker::kTool);
  CHECK(speaker("  Read 3 files", Ink::kPlain) == Speaker::kAgent);
  CHECK(speaker("  Printing", Ink::kPlain, true) == Speaker::kTool);
  CHECK(speaker("● Agent \"Look at the code\" finished · 3s", Ink::kColor) == Speaker::kTool);
  CHECK(speaker("● Agent \"Look at the code\" is my name for it.", Ink::kPlain) == Speaker::kAgent);
}

TEST_CASE("gemini says under its model's mark what became of the conversation") {
  const base::Result<adapters::Registry> registry = adapters::Registry::load({});
  REQUIRE(registry.ok());
  const adapters::Manifest* manifest = registry->find("gemini");
  REQUIRE(manifest != nullptr);
  const Speakers speakers(manifest->transcript, manifest->rules.user_message);
  const auto speaker = [&speakers](const std::string& row) {
    return speakers.read({row}, Speaker::kUser).speaker;
  };
  for (const std::string words :
       {"Chat history compressed from 1000 to 214 tokens.", "Nothing to compress.",
        "Chat history compression did not reduce size. This may indicate issues with the",
        "Chat history compression failed: the model returned an empty summary.",
        "Compression was not beneficial for this history size.",
        "Could not compress chat history due to a token counting error."}) {
    INFO(words);
    CHECK(speaker("✦ " + words) == Speaker::kNotice);
  }
  for (const std::string words : {"Chat history compressed well.", "Nothing to compress. Go on?",
                                  "Compression was not tried.", "Could not compress chat logs."}) {
    INFO(words);
    CHECK(speaker("✦ " + words) == Speaker::kAgent);
  }
}

TEST_CASE("answers that begin like a notice or a banner are the agent's") {
  const base::Result<adapters::Registry> registry = adapters::Registry::load({});
  REQUIRE(registry.ok());
  for (const auto& [agent, marker] : std::vector<std::pair<std::string, std::string>>{
           {"claude", "● "}, {"codex", "• "}, {"gemini", "✦ "}, {"copilot", " ● "}}) {
    const adapters::Manifest* manifest = registry->find(agent);
    REQUIRE(manifest != nullptr);
    const Speakers speakers(manifest->transcript, manifest->rules.user_message);
    for (const std::string words :
         {"Tip: build in parallel", "Loading the table takes long", "API Errors are retried",
          "Press esc to interrupt) is a typo", "User input is checked"}) {
      INFO(agent << ": " << words);
      const Speakers::Reading reading = speakers.read({marker + words}, Speaker::kUser);
      CHECK(reading.line);
      CHECK(reading.speaker == Speaker::kAgent);
    }
  }
}

}  // namespace
}  // namespace orch::driver
