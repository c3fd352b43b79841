#include "host/session_report.h"

#include <catch2/catch.hpp>

#include "base/text.h"

namespace orch::host {
namespace {

using agent::Meaning;

run::WaitingDialog bash() {
  run::WaitingDialog dialog;
  dialog.id = "d3";
  dialog.request.kind = event::Cause::kPermission;
  dialog.request.complete = true;
  dialog.request.title = "Bash command";
  dialog.request.body = "touch a\nDo you want to proceed?";
  dialog.request.likely = {"touch a\ntouch b"};
  dialog.request.first = 4;
  dialog.request.options = {{"Yes", Meaning::kAllowOnce}, {"No", Meaning::kDeny}};
  return dialog;
}

}  // namespace

TEST_CASE("A dialog is reported with its question, its options' numbers as drawn, their meaning") {
  const wire::DialogReport report = report_of(bash());
  CHECK(report == wire::DialogReport{.id = "d3",
                                     .kind = event::Cause::kPermission,
                                     .title = "Bash command",
                                     .text = "Do you want to proceed?",
                                     .command = "touch a ⏎ touch b",
                                     .complete = true,
                                     .options = {{4, "Yes", "allow once"}, {5, "No", "deny"}}});
}

TEST_CASE("What is reported is printable, and fits into a report whatever the agent draws") {
  run::WaitingDialog dialog = bash();
  const std::string hostile = "\x1b[2J\x07\xff" + std::string(20'000, 'x');
  std::string wide;
  for (int i = 0; i < 10'000; ++i) wide += "日";
  dialog.request.title = hostile;
  dialog.request.body = wide + "?";
  dialog.request.likely = {hostile};
  dialog.request.options.assign(300, {hostile, Meaning::kOther});
  const wire::DialogReport report = report_of(dialog);
  size_t bytes = report.title.size() + report.text.size() + report.command.size();
  for (const wire::DialogReport::Option& option : report.options) bytes += option.text.size();
  CHECK(bytes < 100'000);
  CHECK(report.options.size() == 100);
  for (const std::string& text :
       {report.title, report.text, report.command, report.options[0].text}) {
    CHECK(base::printable(text) == text);
  }
}

TEST_CASE("The last words are the agent's own, cut to their beginning") {
  LastWords words;
  const auto hear = [&words](std::string text, event::Speaker speaker, int64_t ms) {
    event::Output line;
    line.text = std::move(text);
    line.speaker = speaker;
    words.hear(line, ms);
  };
  CHECK(words.text().empty());
  hear("I begin.", event::Speaker::kAgent, 5);
  hear("do it", event::Speaker::kUser, 6);
  hear("   ", event::Speaker::kAgent, 7);
  CHECK(words.text() == "I begin.");
  CHECK(words.said_ms() == 5);
  hear("  \x1b[31mdone " + std::string(150, 'x') + "日日日日日日日日日日日日日日日日日日日日",
       event::Speaker::kAgent, 8);
  CHECK(words.text().starts_with("\uFFFD[31mdone x"));
  CHECK(words.text().size() <= wire::kMostLastWords);
  CHECK(words.text().size() > wire::kMostLastWords - 4);
  CHECK_FALSE(base::invalid_utf8_at(words.text()));
  CHECK(words.said_ms() == 8);
}

}  // namespace orch::host
