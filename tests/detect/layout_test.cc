#include "detect/layout.h"

#include <catch2/catch.hpp>

#include "stage.h"

namespace orch::detect {

// Outside of the anonymous namespace, so that CHECK finds it.
static bool operator==(RowRange a, RowRange b) { return a.begin == b.begin && a.end == b.end; }

namespace {

const std::string kRule = "────────────────────────────────────────";

// Rules for an input box with a thick bar at its left, a last row without text and a lower border.
RuleSetSpec sided() {
  RuleSetSpec spec = sample_rules();
  spec.box = {};
  spec.box.side = "^┃";
  spec.box.bottom = "^╹▀{5}";
  spec.box.placeholder = "^Ask";
  spec.box.tail_rows = 1;
  return spec;
}

std::string text_of(const Picture& picture) { return box_text(picture.rows, picture.layout); }

}  // namespace

TEST_CASE("A box between borders: its rows, its borders and what is around it") {
  const RuleSet rules = compiled(sample_rules());
  const Picture p(rules, {"● Hello", "", kRule, "> draft", kRule, "  ? for help"});
  REQUIRE(p.layout.box);
  CHECK(p.layout.box_rows == RowRange{3, 4});
  CHECK(p.layout.box_top == 2);
  CHECK(p.layout.box_end == 5);
  CHECK(p.layout.used == 6);
  CHECK(region_rows({Region::kScreen, 0}, p.layout) == RowRange{0, 6});
  CHECK(region_rows({Region::kBottom, 2}, p.layout) == RowRange{4, 6});
  CHECK(region_rows({Region::kBottom, 99}, p.layout) == RowRange{0, 6});
  CHECK(region_rows({Region::kBox, 0}, p.layout) == RowRange{3, 4});
  CHECK(region_rows({Region::kAbove, 1}, p.layout) == RowRange{1, 2});
  CHECK(region_rows({Region::kBelow, 0}, p.layout) == RowRange{5, 6});
  CHECK(region_rows({Region::kTurn, 0}, p.layout) == RowRange{0, 2});
  CHECK(region_rows({Region::kTitle, 0}, p.layout).empty());
}

TEST_CASE("Without a box there is nothing in it, above it or below it") {
  const RuleSet rules = compiled(sample_rules());
  const Picture p(rules, {"● Hello", kRule});
  CHECK_FALSE(p.layout.box);
  for (const Region region : {Region::kBox, Region::kAbove, Region::kBelow}) {
    CHECK(region_rows({region, 5}, p.layout).empty());
  }
  CHECK(region_rows({Region::kTurn, 0}, p.layout) == RowRange{0, 2});
}

TEST_CASE("A prompt without both of its borders is no box") {
  const RuleSet rules = compiled(sample_rules());
  CHECK_FALSE(Picture(rules, {kRule, "> text"}).layout.box);
  CHECK_FALSE(Picture(rules, {"> text", kRule}).layout.box);
  CHECK_FALSE(Picture(rules, {kRule, "", "> text", kRule}).layout.box);
  CHECK_FALSE(Picture(rules, {kRule}).layout.box);
  CHECK_FALSE(Picture(rules, {}).layout.box);
}

TEST_CASE("Of two boxes the lower one takes input: the other is text in the transcript") {
  const RuleSet rules = compiled(sample_rules());
  const Picture p(rules, {"● It looks so:", kRule, "> fake", kRule, "", kRule, "> real", kRule});
  CHECK(p.layout.box_rows == RowRange{6, 7});
  CHECK(text_of(p) == "real");
  CHECK(region_rows({Region::kAbove, 2}, p.layout) == RowRange{3, 5});
}

TEST_CASE("A box that is far from the end is not one") {
  RuleSetSpec spec = sample_rules();
  spec.box.within = 5;
  const RuleSet rules = compiled(spec);
  CHECK(Picture(rules, {kRule, "> text", kRule, "1", "2", "3"}).layout.box);
  CHECK_FALSE(Picture(rules, {kRule, "> text", kRule, "1", "2", "3", "4"}).layout.box);
}

TEST_CASE("A row that is a menu's cursor is no prompt") {
  RuleSetSpec spec = sample_rules();
  spec.box.not_prompt = "^> \\d[.)] ";
  const RuleSet rules = compiled(spec);
  CHECK_FALSE(Picture(rules, {kRule, "> 1. Yes", "  2. No", kRule}).layout.box);
  CHECK(Picture(rules, {kRule, "> 1 Yes", kRule}).layout.box);
}

// Rules for an input box without borders, above a footer.
RuleSetSpec composer() {
  RuleSetSpec spec = sample_rules();
  spec.box = {.prompt = "^> ?",
              .top = "",
              .bottom = "",
              .side = "",
              .not_prompt = "^> \\d+[.)] ",
              .footer = "^  .*\\S",
              .list_end = "(?i)^  (press )?(enter|esc)[ /]",
              .placeholder = ""};
  return spec;
}

TEST_CASE("Whatever a composer's footer says, it closes the box") {
  const RuleSet rules = compiled(composer());
  for (const char* footer : {"  model · ~/project", "  model · ~/my project · Say hello.", "  main",
                             "  esc to interrupt", "                        100% context left",
                             "  ─────", "  > 1. a branch"}) {
    INFO(footer);
    const Picture p(rules, {"• said", "", "> a draft.", "", "  that goes on.", "", footer});
    REQUIRE(p.layout.box);
    CHECK(p.layout.box_rows == RowRange{2, 6});
    CHECK(text_of(p) == "a draft. that goes on.");
    CHECK(Picture(rules, {">", "", footer, "  ? for help", "      1 warning"}).layout.box);
    CHECK(Picture(rules, {"> 1. first", "  2. second", "", "  main"}).layout.box);
  }
}

TEST_CASE("A composer without a footer, or with something else there, is none") {
  const RuleSet rules = compiled(composer());
  CHECK_FALSE(Picture(rules, {"> a draft"}).layout.box);
  CHECK_FALSE(Picture(rules, {"> a draft", "  and more"}).layout.box);
  CHECK_FALSE(Picture(rules, {"> a draft", "", "said"}).layout.box);
  CHECK_FALSE(Picture(rules, {"> said", "", "  a", "  list", "  of", "  rows"}).layout.box);
}

TEST_CASE("A numbered list typed into a composer is no menu: its footer closes the screen") {
  const RuleSet rules = compiled(composer());
  const Lines typed{"> 1. first", "  2. second", "", "  model · ~/project"};
  const Picture p(rules, typed);
  CHECK(p.layout.box_rows == RowRange{0, 3});
  CHECK(text_of(p) == "1. first 2. second");
  CHECK(Picture(rules, {"> 1. a", "  2. b · c", "", "  model · ~/project"}).layout.box);
  CHECK(Picture(rules, {"> 1. alone", "", "  model · ~/project", "      1 warning"}).layout.box);
}

TEST_CASE("A menu is none: its footer names keys, and its cursor is tinted") {
  const RuleSet rules = compiled(composer());
  CHECK_FALSE(
      Picture(rules, {"> 1. Yes", "  2. No", "", "  enter continue · esc back"}).layout.box);
  CHECK_FALSE(Picture(rules, {"> 1. Yes", "  2. No", "", "  Press enter to go on"}).layout.box);
  CHECK_FALSE(Picture(rules, {"> 1. Old", "  2. New · better", "  3. None · worse"}).layout.box);
  CHECK_FALSE(
      Picture(rules, {"\x1b[36m> 1. Yes\x1b[m", "  2. No", "", "  a · b", "  2 files"}).layout.box);
}

RuleSetSpec scrolling() {
  RuleSetSpec spec = sample_rules();
  spec.box.continued = "^  ";
  spec.box.scrolled = "^── \\d+ more ─";
  return spec;
}

TEST_CASE("A box that scrolled its first row away is known by its upper border") {
  const RuleSet rules = compiled(scrolling());
  const Picture p(rules,
                  {"● said", "── 12 more ──────", "  seventh", "", "  ninth", kRule, "  hint"});
  REQUIRE(p.layout.box);
  CHECK(p.layout.box_rows == RowRange{2, 5});
  CHECK(p.layout.box_top == 1);
  CHECK(p.layout.box_end == 6);
  CHECK(text_of(p) == "seventh ninth");
  CHECK_FALSE(Picture(compiled(sample_rules()), {"── 12 more ──────", "  x", kRule}).layout.box);
}

// Rows that fill a Picture's screen down to its last row but one.
Lines tall(const std::string& first, const Lines& end) {
  Lines rows{first};
  rows.resize(23 - end.size(), "  more");
  rows.insert(rows.end(), end.begin(), end.end());
  return rows;
}

TEST_CASE("A box that is higher than the screen begins with the screen's first row") {
  const RuleSet rules = compiled(scrolling());
  const Picture p(rules, tall("  seventh", {"", "  ninth", kRule, "  hint"}));
  REQUIRE(p.layout.box);
  CHECK(p.layout.box_rows == RowRange{0, 21});
  CHECK(text_of(p).starts_with("seventh more"));
  CHECK(text_of(p).ends_with("more ninth"));
  const Picture first(rules, tall("> first", {"  second", kRule, "  hint"}));
  REQUIRE(first.layout.box);
  CHECK(first.layout.box_rows.begin == 0);
  CHECK(text_of(first).starts_with("first more"));
}

TEST_CASE("A composer that fills the screen has no room for its footer") {
  RuleSetSpec spec = composer();
  spec.box.continued = "^  ";
  spec.box.scrolled = " ↑$";
  const RuleSet rules = compiled(spec);
  const Picture p(rules, tall(">", {"  the last"}));
  REQUIRE(p.layout.box);
  CHECK(p.layout.box_rows.end == p.layout.used);
  CHECK(text_of(p).ends_with("more the last"));
  CHECK(Picture(rules, tall("> 9. nine", {"  10. ten"})).layout.box);
  CHECK_FALSE(Picture(rules, tall("> 1. Yes", {"  9. No", "", "  Enter selects"})).layout.box);
  CHECK_FALSE(Picture(rules, tall("said", {"  the last"})).layout.box);
  CHECK_FALSE(Picture(rules, {"> short", "  of it"}).layout.box);

  Lines lower(10, "• said");
  lower.push_back("> seventh           ↑");
  while (lower.size() < 23) lower.push_back("  more");
  const Picture scrolled(rules, lower);
  REQUIRE(scrolled.layout.box);
  CHECK(scrolled.layout.box_rows == RowRange{10, 23});
  lower[10] = "> said";
  CHECK_FALSE(Picture(rules, lower).layout.box);
}

TEST_CASE("Rows over a rule are no box that scrolled when anything else stands there") {
  const RuleSet rules = compiled(scrolling());
  CHECK_FALSE(Picture(rules, {"  said", "  more", kRule, "  hint"}).layout.box);
  CHECK_FALSE(Picture(rules, tall("● said", {kRule, "  hint"})).layout.box);
  CHECK_FALSE(Picture(rules, {kRule, "  text", kRule, "  hint"}).layout.box);
  CHECK_FALSE(Picture(rules, {"  said", kRule, "  Do you?", "> 1. Yes", "  2. No", "", "  Esc"})
                  .layout.box);
  CHECK_FALSE(Picture(rules, {kRule, "  hint"}).layout.box);
}

TEST_CASE("A draft that wraps is one text") {
  const RuleSet rules = compiled(sample_rules());
  const Picture p(rules, {kRule, "> the first row", "  and the second", "", "  the last", kRule});
  CHECK(p.layout.box_rows == RowRange{1, 5});
  CHECK(text_of(p) == "the first row and the second the last");
}

TEST_CASE("An empty box and its placeholder are no text") {
  const RuleSet rules = compiled(sample_rules());
  CHECK(text_of(Picture(rules, {kRule, ">", kRule})).empty());
  CHECK(text_of(Picture(rules, {kRule, "> Type here or @file", kRule})).empty());
  CHECK(text_of(Picture(rules, {kRule, "> I Type here", kRule})) == "I Type here");
}

TEST_CASE("Faint text behind the cursor was not typed") {
  const auto typed = [](const std::string& text) {
    const RuleSet rules = compiled(sample_rules());
    const Picture p(rules, with_box({}, text));
    return box_text(p.rows, p.layout);
  };
  CHECK(typed("\x1b[7mO\x1b[27;2mnce fixed, resend it\x1b[0m").empty());
  CHECK(typed("Once \x1b[2mfixed\x1b[0m") == "Once fixed");
  CHECK(typed("/\x1b[7mc\x1b[27;2mlear\x1b[0m") == "/clear");
  CHECK(typed("/c\x1b[7ml\x1b[27;2mear\x1b[0m") == "/clear");
  CHECK(typed("\x1b[7mO\x1b[0m") == "O");
}

TEST_CASE("Text in one colour behind a cursor that stands before it was not typed") {
  const auto typed = [](const std::string& text, int cursor) {
    const RuleSet rules = compiled(sample_rules());
    Picture p(rules, with_box({}, text));
    for (int row = 1; row <= p.screen.size().rows; ++row) {
      if (!p.rows[row - 1].text.starts_with("> ")) continue;
      p.screen.feed("\x1b[" + std::to_string(row) + ";3H" + text + "\x1b[0m\x1b[" +
                    std::to_string(row) + ";" + std::to_string(cursor) + "H");
    }
    p.rows.refresh(p.screen, rules.rows);
    return box_text(p.rows, p.layout);
  };
  const std::string hint = "r\x1b[38;2;108;112;134mun the tests, please";
  CHECK(typed(hint, 3).empty());
  CHECK(typed(hint, 20) == "run the tests, please");
  CHECK(typed("run the tests, please", 3) == "run the tests, please");
  CHECK(typed("r\x1b[31mun\x1b[0m the \x1b[31mtests", 3) == "run the tests");
  CHECK(typed(hint + "\x1b[?25l", 3) == "run the tests, please");
}

TEST_CASE("A box with a bar at its side: all rows with the bar over the lower border") {
  const RuleSet rules = compiled(sided());
  const Picture p(rules, {"text", "┃ one", "┃ two", "┃ Build  model", "╹▀▀▀▀▀▀▀▀", "  keys"});
  REQUIRE(p.layout.box);
  CHECK(p.layout.box_rows == RowRange{1, 3});
  CHECK(p.layout.box_top == 1);
  CHECK(p.layout.box_end == 5);
  CHECK(text_of(p) == "one two");
  CHECK(text_of(Picture(rules, {"┃ Ask anything", "┃ Build", "╹▀▀▀▀▀▀"})).empty());
}

TEST_CASE("A lower border without rows of text over it is no box") {
  const RuleSet rules = compiled(sided());
  CHECK_FALSE(Picture(rules, {"text", "╹▀▀▀▀▀▀▀▀"}).layout.box);
  CHECK_FALSE(Picture(rules, {"text", "┃ Build", "╹▀▀▀▀▀▀▀▀"}).layout.box);
  CHECK_FALSE(Picture(rules, {"┃ one", "┃ Build", "", "╹▀▀▀▀▀▀▀▀"}).layout.box);
}

TEST_CASE("The turn begins after the last message of the user") {
  const RuleSet rules = compiled(sample_rules());
  const Picture p(rules, {"> first", "● old", "> second", "● new", kRule, "> third", kRule});
  CHECK(region_rows({Region::kTurn, 0}, p.layout) == RowRange{3, 4});
}

TEST_CASE("A menu is two numbered choices or more, with a cursor on one") {
  const RuleSet rules = compiled(sample_rules());
  const auto is_menu = [&rules](const Lines& rows) {
    const Picture p(rules, rows);
    return has_menu(rules, p.rows, p.layout, {0, p.layout.used});
  };
  CHECK(is_menu({"❯ 1. Yes", "  2. No"}));
  CHECK(is_menu({"  1. Yes", "› 2. No"}));
  CHECK(is_menu({"> 1) Yes", "  2) No"}));
  CHECK(is_menu({"  (1) Yes", "● (2) No"}));
  CHECK(is_menu({"│ ❯ 1. Yes      │", "│   2. No       │"}));
  for (const char* pointer : {"❯", "›", ">", "●", "•", "▶", "▸", "►", "➤", "➜", "→", "❱"}) {
    INFO(pointer);
    CHECK(is_menu({pointer + std::string(" 1. Yes"), "  2. No"}));
  }
  for (const char* other : {"│", "○", "-", "+", "☐", "✓", "➕", "#"}) {
    INFO(other);
    CHECK_FALSE(is_menu({other + std::string(" 1. Yes"), "  2. No"}));
  }
  CHECK(is_menu({"┃  ▶ 9. Yes", "┃    10. No"}));
  CHECK_FALSE(is_menu({"  1. Yes", "  2. No"}));
  CHECK_FALSE(is_menu({"❯ 1. Yes"}));
  CHECK_FALSE(is_menu({"❯ Yes", "  No"}));
  CHECK_FALSE(is_menu({"❯ 1.5 seconds", "  2.5 seconds"}));
  CHECK_FALSE(is_menu({"say ❯ 1. Yes", "or 2. No"}));
  CHECK_FALSE(is_menu({}));
}

TEST_CASE("A dialog's choices are the last list, from its number 1 on") {
  const RuleSet rules = compiled(sample_rules());
  const Picture p(rules, {"Steps:", "1. Read", "2. Write", "", "Go on?", "❯ 1. Yes, and do not ask",
                          "     again", "", "  2. No", "", "Enter to confirm"});
  CHECK(p.layout.choices == RowRange{5, 9});
  CHECK(Picture(rules, {"no list"}).layout.choices.empty());
}

TEST_CASE("A list over the input box was said, and is no dialog's") {
  const RuleSet rules = compiled(sample_rules());
  for (const char* first : {"  1. a test", "❯ 1. a test"}) {
    INFO(first);
    const Picture said(rules, with_box({"● The steps:", first, "  2. the docs"}));
    CHECK(said.layout.choices.empty());
    CHECK_FALSE(said.layout.numbered);
    CHECK(said.layout.dialog.empty());
    CHECK_FALSE(has_menu(rules, said.rows, said.layout, {0, said.layout.used}));
  }
  Lines under = with_box({"● The steps:", "  1. a test", "  2. the docs"});
  under.insert(under.end(), {"Which?", "❯ 1. Yes", "  2. No"});
  CHECK(Picture(rules, under).layout.choices == RowRange{7, 9});
}

TEST_CASE("A dialog reaches from the last rule, frame or bullet above its choices to the end") {
  const RuleSet rules = compiled(sample_rules());
  const Lines dialog{"Run it?", "❯ 1. Yes", "  2. No", "", "Enter to confirm"};
  for (const char* edge :
       {"────────────────", "╭──────────────╮", "▄▄▄▄▄▄▄▄▄▄▄▄", "● I ran it", "• Ran"}) {
    INFO(edge);
    Lines rows{"older text", edge};
    rows.insert(rows.end(), dialog.begin(), dialog.end());
    CHECK(Picture(rules, rows).layout.dialog == RowRange{2, 7});
  }
}

TEST_CASE("Borders inside a dialog's frame do not end it") {
  const RuleSet rules = compiled(sample_rules());
  const Picture p(rules, {"● Ran", "╭──────────────╮", "│ Run it?      │", "│ ╭──────────╮ │",
                          "│ │ rm x     │ │", "│ ╰──────────╯ │", "│ ❯ 1. Yes     │",
                          "│   2. No      │", "╰──────────────╯"});
  CHECK(p.layout.dialog == RowRange{2, 9});
}

TEST_CASE("A dialog without choices keeps the frame that closes the screen") {
  const RuleSet rules = compiled(sample_rules());
  const Picture p(rules, {"text", "╭──────────────╮", "│ Allow   Deny │", "╰──────────────╯"});
  CHECK(p.layout.dialog == RowRange{2, 4});
}

TEST_CASE("bare takes blanks and frames from both ends, and nothing from the middle") {
  CHECK(bare("│ a │ b │") == "a │ b");
  CHECK(bare(" \u00a0┃\t│ text |╮ ") == "text");
  CHECK(bare("╭ ╯").empty());
  CHECK(bare("").empty());
  CHECK(bare("─ text ─") == "─ text ─");
}

TEST_CASE("A rule is eight glyphs of frames or blocks at least, and blanks") {
  CHECK(is_rule("────────"));
  CHECK(is_rule("  ╭──────╮"));
  CHECK(is_rule("▀▀▀▀ ▀▀▀▀"));
  CHECK_FALSE(is_rule("───────"));
  CHECK_FALSE(is_rule("──────── title"));
  CHECK_FALSE(is_rule("--------"));
  CHECK_FALSE(is_rule(""));
}

TEST_CASE("Joined rows are one line of text without frames") {
  const RuleSet rules = compiled(sample_rules());
  const Picture p(rules, {"│ one   │", "│       │", "│ two   │"});
  CHECK(joined(p.rows, {0, 3}) == "one two");
  CHECK(joined(p.rows, {1, 1}).empty());
}

}  // namespace orch::detect
