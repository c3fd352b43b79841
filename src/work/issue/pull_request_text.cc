#include "issue/pull_request_text.h"

#include <algorithm>

#include "base/text.h"
#include "event/exit_reason.h"
#include "event/usage.h"
#include "forge/issue_text.h"

namespace orch::issue {
namespace {

constexpr size_t kLongestTitle = 100;
constexpr size_t kMostAsked = 4'000, kMostStat = 20'000, kMostWords = 8'000;
constexpr double kMsPerSecond = 1'000;

std::string seconds(int64_t ms) {
  std::string text = std::to_string(static_cast<double>(ms) / kMsPerSecond);
  return text.substr(0, text.find('.') + 2) + " s";
}

// As code, whatever it contains: a fence that is longer than each run of backquotes in it.
std::string code_block(std::string_view text) {
  size_t longest = 0, now = 0;
  for (const char c : text) {
    now = c == '`' ? now + 1 : 0;
    longest = std::max(longest, now);
  }
  const std::string fence(std::max<size_t>(3, longest + 1), '`');
  return fence + "\n" + std::string(base::trim(text)) + "\n" + fence + "\n";
}

// As code in a line. A mention or a reference in it has no effect on the forge.
std::string code(std::string_view text) {
  std::string line = base::printable(text);
  std::replace(line.begin(), line.end(), '`', '\'');
  return "`" + line + "`";
}

std::string gates_text(const std::vector<store::GateRun>& gates) {
  if (gates.empty()) return "None: the run had no `--verify`.\n";
  std::string text;
  for (const store::GateRun& gate : gates) {
    text += "- " + code(gate.command) + ": " + (gate.code == 0 ? "passed" : "failed") + " (exit " +
            std::to_string(gate.code) + ", " + seconds(gate.duration_ms) + ")\n";
  }
  return text;
}

std::string runs_text(const std::vector<store::RunRecord>& runs) {
  std::string text;
  for (const store::RunRecord& run : runs) {
    text += "- " + code(run.id) + ", agent " + run.agent;
    if (run.verdict) {
      text += ": " + std::string(event::name(run.verdict->reason));
      if (run.verdict->ms) text += " after " + seconds(*run.verdict->ms);
      if (run.verdict->usage) text += ", " + event::usage_text(*run.verdict->usage);
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string pull_request_body(const PullRequestFacts& facts) {
  std::string text;
  if (!facts.closes.empty()) text += "Closes " + facts.closes + "\n\n";
  text += "## Asked\n\n" +
          forge::quoted_lines(
              code_block(base::printable_lines(base::beginning(facts.asked, kMostAsked)))) +
          "\n## Gates\n\nRun on this commit, after it was brought onto the base:\n\n" +
          gates_text(facts.gates) + "\n## Changes\n\n" +
          code_block(base::printable_lines(base::beginning(facts.diffstat, kMostStat))) +
          "\n## Runs\n\n" + runs_text(facts.runs);
  if (!base::trim(facts.last_words).empty()) {
    text += "\n## The agent's last words\n\n" +
            forge::quoted_lines(
                code_block(base::printable_lines(base::beginning(facts.last_words, kMostWords))));
  }
  return std::string(base::beginning(text, facts.most_bytes));
}

std::string title_of(std::string_view text) {
  text = base::trim(text);
  std::string line = base::printable(text.substr(0, text.find('\n')));
  if (line.size() <= kLongestTitle) return line;
  line = base::beginning(line, kLongestTitle);
  const size_t blank = line.rfind(' ');
  if (blank != std::string::npos && blank > 0) line.resize(blank);
  return line + "…";
}

}  // namespace orch::issue
