#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/run_record.h"

// The words of a commit and a pull request. Pure.
namespace orch::issue {

struct PullRequestFacts {
  std::string asked;       // the issue's title, or the prompt of a run without one
  std::string closes;      // "#42", "o/r#42"; "": no issue of a forge
  std::string diffstat;    // of git
  std::string last_words;  // the agent's
  std::vector<store::GateRun> gates;
  std::vector<store::RunRecord> runs;  // of the issue, the oldest first
  size_t most_bytes = 60'000;          // GitHub takes 65,536 characters, GitLab more
};
std::string pull_request_body(const PullRequestFacts& facts);

// The first line of a text, as the title of a commit or a pull request: one line of printable
// characters, cut at a word.
std::string title_of(std::string_view text);

}  // namespace orch::issue
