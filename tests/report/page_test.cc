#include <catch2/catch.hpp>
#include <string>

#include "report/report.h"

namespace orch::report {
namespace {

using Catch::Matchers::Contains;

// A report whose every text tries to break out of the page.
Report hostile(const std::string& text) {
  Report report;
  report.name = report.run = report.agent = report.started = report.folder = text;
  report.task = report.ending = text;
  report.patch =
      "diff --git a/" + text + " b/" + text + "\n@@ -1 +1 @@\n-" + text + "\n+" + text + "\n";
  report.patch_note = text;
  report.issue_runs = {{.run = text, .agent = text, .verdict = text, .started = text}};
  report.end_ms = 1000;
  event::Output line;
  line.text = text;
  event::Dialog dialog;
  dialog.title = dialog.body = dialog.answer = dialog.by = dialog.tool = text;
  dialog.options = {text};
  event::StatusChange change;
  change.rule = text;
  report.events = {{1, line},
                   {2, dialog},
                   {3, change},
                   {4, event::Message{text, event::MessagePhase::kFailed, text, 0}}};
  report.others = {{5, "usage", {{text, text}}}, {6, text, {}}};
  report.remarks = {{7, text}};
  term::Screen screen({100, 5});
  screen.feed(text);
  report.film.look(0, 1000, screen, Film::Why::kNeeded);
  return report;
}

size_t count(const std::string& page, const std::string& text) {
  size_t n = 0;
  for (size_t at = page.find(text); at != std::string::npos; at = page.find(text, at + 1)) ++n;
  return n;
}

TEST_CASE("nothing that is told becomes markup or script") {
  const std::string harmless = page_of(hostile("harmless"));
  for (const std::string text :
       {"</script><script>evil()</script>", "<!--<script>", "<img src=x onerror=evil()>",
        "</title></style>\"'><svg onload=evil()>", "{{data}}{{script}}", "]]>",
        "\xff\xc0\xaf<b>"}) {
    CAPTURE(text);
    const std::string page = page_of(hostile(text));
    for (const char* markup :
         {"<script", "</script", "<style", "</style", "<!--", "<img", "</title", "<svg"}) {
      CAPTURE(markup);
      CHECK(count(page, markup) == count(harmless, markup));
    }
    CHECK(page.find('\xff') == std::string::npos);
  }
}

TEST_CASE("nothing that is told turns the page's text around or ends a line of its script") {
  for (const std::string text : {"\u202e", "\u2066", "\u2028", "\u2029", "\u200f"}) {
    CHECK_THAT(page_of(hostile("a" + text + "b")), !Contains(text));
  }
}

TEST_CASE("links lead to moments alone, and the policy forbids the network") {
  const std::string page = page_of(hostile("javascript:evil() https://example.org"));
  CHECK(count(page, "href=") == count(page, "href=\"#t="));
  CHECK(count(page, "src=") == 0);
  CHECK_THAT(page, Contains("content=\"default-src 'none'; script-src 'sha256-"));
}

TEST_CASE("words and verdict can be read without a script") {
  Report report = hostile("words");
  report.verdict = {event::ExitReason::kNeedsHuman, 10, "which database?"};
  report.last_screen = "<svg>the last screen</svg>";
  const std::string page = page_of(report);
  const std::string still = page.substr(0, page.find("<script"));
  CHECK_THAT(still, Contains("<h1>needs human</h1>") && Contains("which database?"));
  CHECK_THAT(still, Contains("<html lang=\"en\" class=\"later\">"));
  CHECK_THAT(still, Contains("<pre>words</pre>") && Contains("the last screen"));
}

TEST_CASE("usage is summed up and shown where it was told") {
  Report report;
  CHECK(page_of(report).find("aria-label=\"Usage\"") == std::string::npos);
  report.events = {
      {1, event::Usage{.in = 5, .out = 1, .cached = 2, .cost_usd = 0.5, .source = "stream"}},
      {2, event::Usage{.in = 7, .out = 2, .cached = 3, .cost_usd = 0.25, .source = "stream"}}};
  const std::string page = page_of(report);
  CHECK(page.find("aria-label=\"Usage\"") != std::string::npos);
  CHECK(page.find("tokens in</dt><dd>12<") != std::string::npos);
  CHECK(page.find("$0.7500") != std::string::npos);
}

TEST_CASE("a dialog that was recorded again with its answer is one dialog") {
  Report report;
  event::Dialog open;
  open.title = "Run it?";
  open.by = "policy:none";
  event::Dialog answered = open;
  answered.answer = "Yes";
  answered.by = "user";
  report.events = {{1, open}, {2, answered}, {3, answered}};
  CHECK_THAT(page_of(report), Contains("<dt>dialogs</dt><dd>2</dd>"));
}

TEST_CASE("a page opens at the end of the agent's work, not at its farewell") {
  const auto at = [](event::AgentStatus status) {
    event::StatusChange change;
    change.status = status;
    return change;
  };
  using enum event::AgentStatus;
  Report report;
  report.end_ms = 9000;
  report.events = {{100, at(kWorking)}, {5000, at(kIdle)}, {8000, at(kExited)}};
  CHECK(work_end(report) == 5000);
  report.events = {{100, at(kWorking)}, {8000, at(kExited)}};
  CHECK(work_end(report) == 7999);
  report.events = {{100, at(kWorking)}};
  CHECK(work_end(report) == 9000);
}

TEST_CASE("a page stays below its limit whatever is told") {
  Report report = hostile("x");
  report.task = std::string(1 << 20, '<');
  report.last_screen = std::string(3 << 20, 'x');
  report.patch = "diff --git a/x b/x\n@@ -1 +1 @@\n";
  for (int i = 0; i < 100'000; ++i) report.patch += "+" + std::string(60, '<') + "\n";
  for (int i = 0; i < 20'000; ++i) {
    event::Dialog dialog;
    dialog.title = std::to_string(i);
    dialog.body = std::string(300, '"');
    event::StatusChange change;
    change.status = i % 2 == 0 ? event::AgentStatus::kWorking : event::AgentStatus::kIdle;
    report.events.push_back({i * 1000, dialog});
    report.events.push_back({i * 1000 + 500, change});
  }
  report.end_ms = 20'000'000;
  term::Screen screen({100, 30});
  for (int i = 1; i < 3000; ++i) {
    std::string bytes = "\033[H";
    for (int row = 0; row < 30; ++row)
      bytes += std::to_string(i * 31 + row * 7919) + std::string(60, '<') + "\r\n";
    screen.feed(bytes);
    report.film.look(i * 1000, i * 1000 + 1000, screen, Film::Why::kNeeded);
  }
  const std::string page = page_of(report);
  CHECK(page.size() <= kMaxPageBytes);
  CHECK(page.size() > kMaxPageBytes * 3 / 4);
  CHECK_THAT(page, Contains("so that the page stays below 2 MB"));
}

}  // namespace
}  // namespace orch::report
