#include "report/story.h"

#include <catch2/catch.hpp>

namespace orch::report {
namespace {

using Catch::Matchers::Contains;
using event::Speaker;

event::Record said(int64_t ms, const std::string& text, Speaker speaker = Speaker::kAgent) {
  event::Output line;
  line.text = text;
  line.speaker = speaker;
  return {ms, line};
}

std::string told(std::vector<event::Record> events, size_t max_bytes = 1'000'000) {
  Report report;
  report.events = std::move(events);
  return story_of(report, max_bytes);
}

TEST_CASE("lines of one speaker are one entry with its moment") {
  const std::string story = told({said(1000, ""), said(1000, "one"), said(1200, "two <b>"),
                                  said(1300, ""), said(1400, "call", Speaker::kTool)});
  CHECK_THAT(story, Contains("data-t=\"1000\"><a class=\"at\" href=\"#t=1\">0:01</a>"));
  CHECK_THAT(story, Contains("<pre>one\ntwo &lt;b&gt;</pre>"));
  CHECK_THAT(story, Contains("<li class=\"say tool\" data-t=\"1400\">"));
}

TEST_CASE("a dialog says who decided what") {
  event::Dialog dialog;
  dialog.cause = event::Cause::kPermission;
  dialog.title = "Bash command";
  dialog.options = {"Yes", "No"};
  dialog.by = "policy:none";
  event::Dialog answered = dialog;
  answered.answer = "No";
  answered.by = "user";
  const std::string story = told({{5, dialog}, {9, answered}});
  CHECK_THAT(story, Contains("<b>not answered</b> by <code>policy:none</code>"));
  CHECK_THAT(story, Contains("<b>No</b> by a person"));
  CHECK(story.find("Bash command") == story.rfind("Bash command"));  // it is there only once
}

TEST_CASE("a message says how it fared") {
  using event::MessagePhase;
  const std::string story =
      told({{100, event::Message{"m1", MessagePhase::kQueued, "", 0}},
            {200, event::Message{"m2", MessagePhase::kQueued, "", 0, "planner"}},
            {2100, event::Message{"m1", MessagePhase::kAccepted, "", 2}}});
  CHECK_THAT(story, Contains("<code>m1</code> accepted after 2.0\u00a0s, Enter typed 2 times"));
  CHECK_THAT(story, Contains("<code>m2</code> from planner was given and never typed"));
}

TEST_CASE("the task is told once, not again as the agent draws it") {
  Report report;
  report.task = "fix the test\nand say so";
  report.events = {said(900, "fix the", Speaker::kUser),
                   said(900, "test and say so", Speaker::kUser),
                   said(950, "and push", Speaker::kUser)};
  const std::string story = story_of(report, 100'000);
  CHECK_THAT(story, Contains("<pre>fix the test\nand say so</pre>"));
  CHECK_THAT(story, Contains("<pre>and push</pre>"));
}

TEST_CASE("of a long story the middle is left out, which it says") {
  std::vector<event::Record> events;
  for (int i = 0; i < 1000; ++i)
    events.push_back(said(i * 10'000, "words " + std::to_string(i) + " here"));
  const std::string story = told(events, 20'000);
  CHECK(story.size() <= 20'000);
  CHECK(story.size() > 15'000);
  CHECK_THAT(story, Contains("words 0 here") && Contains("words 999 here"));
  CHECK_THAT(story, Contains("entries are left out here"));
  CHECK_THAT(told(events), !Contains("left out"));
}

}  // namespace
}  // namespace orch::report
