#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/launch.h"
#include "adapters/registry.h"
#include "setup/version_cache.h"

namespace orch::loop {
class Loop;
}

namespace orch::setup {

// The version of each installed agent as its program reports it; "" without an answer within ten
// seconds. Agents that are not in the cache are asked, all at once.
std::map<std::string, std::string> installed_versions(const adapters::Registry& agents);

// A program to ask for its version, found as a launch would find it.
struct Asked {
  std::string agent;
  std::vector<std::string> argv;  // argv[0] is a path
  std::vector<std::string> env;
  Binary binary;
};

// The knowledge of the agent's version before its program is asked. A program in one of the
// `writable` folders is not asked: a fenced agent may have put it there, and the question would run
// it without a fence.
struct KnownVersion {
  std::string version;          // "" if it is not known
  std::optional<Asked> to_ask;  // the program to ask
};
KnownVersion known_version(const adapters::Manifest& agent, const adapters::LaunchPlan& launch,
                           const std::string& cwd, const std::vector<std::string>& writable);

// Asks a program for its version, in a loop with other work. If it is destroyed early, it kills the
// program and calls nothing.
class VersionQuestion {
 public:
  struct Terms {
    int64_t patience_ms = 0;
    int niceness = 0;  // of the program, as nice(1) has it
  };
  // For a start that waits for the answer: gemini and opencode take 1.3 to 5.3 s on a busy machine.
  static constexpr Terms kWaitedFor{.patience_ms = 5'000, .niceness = 0};
  // For an answer that nobody waits for: agents that start at the same time go first.
  static constexpr Terms kAside{.patience_ms = 60'000, .niceness = 10};

  // Calls `on_answered` once, from the loop, with "" if the program reports no version in time;
  // then it is not asked again for an hour. The function may destroy this.
  VersionQuestion(loop::Loop& loop, Asked asked, Terms terms,
                  std::function<void(std::string)> on_answered);
  ~VersionQuestion();
  VersionQuestion(const VersionQuestion&) = delete;
  VersionQuestion& operator=(const VersionQuestion&) = delete;

 private:
  struct Open;
  std::unique_ptr<Open> open_;
};

// A note for the user if the agent is newer than its manifest's rules; "" if it is not.
std::string newer_note(const adapters::Manifest& agent, std::string_view version);

// The first dotted number in a program's output: 2.1.197 in "2.1.197 (Claude Code)". Colours and
// other terminal sequences are ignored.
std::string version_in(std::string_view text);

// Compares dotted numbers, number by number.
bool is_newer(std::string_view version, std::string_view than);

}  // namespace orch::setup
