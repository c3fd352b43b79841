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

// The version that each installed agent says of itself, by agent; "" where it does not say one
// within ten seconds. Those that were not asked before are asked, all at once.
std::map<std::string, std::string> installed_versions(const adapters::Registry& agents);

// gemini and opencode take 1.3 to 5.3 s to say their version on a busy machine.
inline constexpr int64_t kPatienceAtStartMs = 5'000;

// A program that is to be asked, as a launch would find it.
struct Asked {
  std::string agent;
  std::vector<std::string> argv;  // argv[0] is a path
  std::vector<std::string> env;
  Binary binary;
};

// What is known of the version of the agent that a launch starts, before anybody is asked. A
// program in one of the `writable` folders is not asked at all: an agent in a fence may have put it
// there, and the question is asked outside.
struct KnownVersion {
  std::string version;          // "" where it is not known
  std::optional<Asked> to_ask;  // who would tell it
};
KnownVersion known_version(const adapters::Manifest& agent, const adapters::LaunchPlan& launch,
                           const std::string& cwd, const std::vector<std::string>& writable);

// The version that a program says of itself; "" where it does not say one in time, and then it is
// not asked again for an hour. Waits for it, in a loop of its own.
std::string ask_version(const Asked& asked, int64_t patience_ms = kPatienceAtStartMs);

// The same beside all else that a loop does. Destroyed early it kills the program, and nobody is
// told.
class VersionQuestion {
 public:
  // `on_answered` is called once, from the loop; it may destroy this.
  VersionQuestion(loop::Loop& loop, Asked asked, std::function<void(std::string)> on_answered);
  ~VersionQuestion();
  VersionQuestion(const VersionQuestion&) = delete;
  VersionQuestion& operator=(const VersionQuestion&) = delete;

 private:
  struct Open;
  std::unique_ptr<Open> open_;
};

// What to tell of an agent that is newer than its manifest's rules; "" when it is not.
std::string newer_note(const adapters::Manifest& agent, std::string_view version);

// The first dotted number in what a program printed: "2.1.197 (Claude Code)" has 2.1.197. Colours
// and other sequences for terminals do not count.
std::string version_in(std::string_view text);

// Compares dotted numbers, number by number.
bool is_newer(std::string_view version, std::string_view than);

}  // namespace orch::setup
