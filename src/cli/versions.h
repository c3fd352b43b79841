#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/launch.h"
#include "adapters/registry.h"

namespace orch::cli {

// The version that each installed agent says of itself, by agent; "" where it does not say one
// within ten seconds. Those that were not asked before are asked, all at once.
std::map<std::string, std::string> installed_versions(const adapters::Registry& agents);

// gemini and opencode take 1.3 to 5.3 s to say their version on a busy machine.
inline constexpr int64_t kPatienceAtStartMs = 5'000;

// The version of the agent that this launch starts in `cwd`; "" where it does not say one in time,
// and then it is not asked again for an hour. A program in one of the `writable`
// folders is not asked at all: an agent in a fence may have put it there, and the question is asked
// outside.
std::string version_at_start(const adapters::Manifest& agent, const adapters::LaunchPlan& launch,
                             const std::string& cwd, const std::vector<std::string>& writable,
                             int64_t patience_ms = kPatienceAtStartMs);

// What to tell of an agent that is newer than its manifest's rules; "" when it is not.
std::string newer_note(const adapters::Manifest& agent, std::string_view version);

// The first dotted number in what a program printed: "2.1.197 (Claude Code)" has 2.1.197. Colours
// and other sequences for terminals do not count.
std::string version_in(std::string_view text);

// Compares dotted numbers, number by number.
bool is_newer(std::string_view version, std::string_view than);

}  // namespace orch::cli
