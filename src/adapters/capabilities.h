#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/manifest.h"
#include "base/json_fwd.h"
#include "base/result.h"

namespace orch::adapters {

// Capabilities that some agents have and others lack. All are derived from the manifest, so that
// they agree with a run's behaviour.
enum class Capability : uint8_t {
  kModel,                // its model can be chosen
  kNonInteractive,       // it runs without a terminal
  kPromptFileInclusion,  // if a message names @path, the model gets the text of that file
  kResume,               // it continues a conversation of an earlier run (orch continue)
  kEffort,               // its reasoning effort can be chosen
  kSystemPrompt,         // text can be added to its system prompt
  kUsage,                // it reports the tokens that a turn used
  kBypass,               // it has a mode without questions about permissions
  kPermissionRequests,   // without a terminal it asks orch whether a tool may be used
  kHooks,                // it reports its state by other means than its screen
  kCallCheck,            // it reports each use of a tool to orch before it begins
};
inline constexpr std::array kCapabilities{
    Capability::kModel,  Capability::kNonInteractive, Capability::kPromptFileInclusion,
    Capability::kResume, Capability::kEffort,         Capability::kSystemPrompt,
    Capability::kUsage,  Capability::kBypass,         Capability::kPermissionRequests,
    Capability::kHooks,  Capability::kCallCheck,
};

std::string_view name(Capability capability);  // "supports_model"
bool supports(const Manifest& manifest, Capability capability);
// The hooks that get each call of the agent's, and the calls that none of them gets: "PreToolUse;
// not told: web searches". "" for an agent whose calls are not checked.
std::string hooks_of_calls(const CallSpec& calls);
// Where an agent runs.
enum class Place : uint8_t { kTerminal, kHeadless };
bool tells_usage(const Manifest& manifest, Place place);
bool tells_cost(const Manifest& manifest, Place place);  // in addition to the tokens

// An error if the agent does not have the capability: one line that names both. `more` is added to
// the line and says what the manifest lacks, or a remedy.
base::Status require(const Manifest& manifest, Capability capability, std::string_view more = {});

// Checks a start as root. An error if this command line makes the agent ask for no permission and
// the agent refuses that to root, unless the variable named by Manifest::root_bypass marks a
// sandbox for the agent. `argv` may begin with other programs ("env").
base::Status check_root_bypass(const Manifest& manifest, const std::vector<std::string>& argv,
                               const Variables& variables);

// A text for people: a line for each capability with the words of the command line that use it, and
// a line with the models that the agent lists. docs/agents has this text for every agent in the
// binary.
std::string to_text(const Manifest& manifest);
base::Json to_json(const Manifest& manifest);

}  // namespace orch::adapters
