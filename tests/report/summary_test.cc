#include "report/summary.h"

#include <catch2/catch.hpp>

namespace orch::report {
namespace {

SummaryRow completed() {
  SummaryRow row;
  row.run = "20261127T010203004-42-0a1b";
  row.issue = "42";
  row.agent = "claude";
  row.state = "completed/complete";
  row.ms = 65'000;
  row.changes = {3, 40, 12};
  row.gates = row.gates_passed = 2;
  row.turns = 4;
  row.tokens = 12'000;
  row.branch = "orch/42";
  row.next = {"git merge orch/42", "its commits are on a branch of their own"};
  return row;
}

SummaryRow failed() {
  SummaryRow row = completed();
  row.issue = "43";
  row.state = "failed/gate_failed";
  row.standing.reason = event::ExitReason::kGateFailed;
  row.gates_passed = 1;
  row.last_words = "I could not make the test pass.";
  row.next = {"orch continue 43 'go on'", "a check failed"};
  return row;
}

size_t times_in(const std::string& page, const std::string& text) {
  size_t n = 0;
  for (size_t at = page.find(text); at != std::string::npos; at = page.find(text, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("the sums of all runs are told in one line") {
  SummaryRow open = completed();
  open.standing.phase = Standing::Phase::kWaiting;
  open.changes.reset();
  open.cost_usd = 3.2;
  CHECK(totals_text({completed(), failed(), open}) ==
        "3 runs: 1 completed, 1 not, 1 at work; 6 files, +80 -24; 36.0k tokens, $3.20");
  SummaryRow task = completed();
  task.is_task = true;
  CHECK(totals_text({task, completed()}) == "1 run: 1 completed; 3 files, +40 -12; 12.0k tokens");
  CHECK(totals_text({}) == "0 runs: 0 completed; 0 files, +0 -0");
}

TEST_CASE("a page has a row for each run, with its last words and what to do next") {
  const std::string page = page_of(
      {.title = "t", .made_at = "2026-11-27T08:00:00.000Z", .rows = {completed(), failed()}});
  for (const char* part : {">42<", ">completed/complete<", ">+40 -12<", ">1/2<", ">12.0k<",
                           ">1:05<", ">orch/42<", "I could not make the test pass.",
                           "orch continue 43 &#39;go on&#39;", "class=\"state bad\""}) {
    INFO(part << "\n" << page);
    CHECK(page.find(part) != std::string::npos);
  }
}

TEST_CASE("nothing in a row becomes markup, and the page needs and allows no script") {
  const auto page_with = [](const std::string& text) {
    SummaryRow row = failed();
    row.run = row.issue = row.agent = row.state = row.branch = row.last_words = text;
    row.next = {text, text};
    return page_of({.title = text, .made_at = text, .rows = {row}});
  };
  const std::string harmless = page_with("harmless");
  CHECK(harmless.find("default-src 'none'; style-src 'sha256-") != std::string::npos);
  CHECK(times_in(harmless, "<script") == 0);
  for (const std::string text :
       {"</td></tr></table><script>evil()</script>", "<img src=x onerror=evil()>",
        "</title></style>\"'><svg onload=evil()>", "{{rows}}{{style}}", "\xff<b>",
        "\x1b[2J\u202e"}) {
    CAPTURE(text);
    const std::string page = page_with(text);
    for (const char* markup : {"<script", "</style", "<img", "</title", "<svg", "<td", "<b>"}) {
      CHECK(times_in(page, markup) == times_in(harmless, markup));
    }
    for (const char* control : {"\xff", "\x1b", "\u202e"}) {
      CHECK(page.find(control) == std::string::npos);
    }
  }
}

TEST_CASE("an issue is a link to the report of its run, where there is one") {
  Summary summary;
  summary.rows.resize(2);
  summary.rows[0].issue = summary.rows[1].issue = "42";
  summary.rows[0].page = "/a \"b/<c>.html";
  const std::string page = page_of(summary);
  CHECK(page.find("<a href=\"file:///a%20%22b/%3Cc%3E.html\">42</a>") != std::string::npos);
  CHECK(page.find("<td class=\"issue\">42</td>") != std::string::npos);
}

}  // namespace orch::report
