#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/manifest.h"
#include "base/json_fwd.h"
#include "base/result.h"

namespace orch::adapters {

// What one agent can do and another cannot. All of it is derived from the manifest, so that what is
// told here is what a run does.
enum class Capability : uint8_t {
  kModel,                // its model can be chosen
  kNonInteractive,       // it runs without a terminal
  kPromptFileInclusion,  // of a message that names @path its model gets the file's text
  kResume,               // orch continue: it goes on in a conversation of an earlier run
  kEffort,
  kSystemPrompt,        // text can be added to its system prompt
  kUsage,               // it tells what a turn took: tokens
  kBypass,              // it can be told to ask for nothing
  kPermissionRequests,  // without a terminal it asks orch whether a tool may be used
  kHooks,               // it tells its state itself, beside its screen
};
inline constexpr std::array kCapabilities{
    Capability::kModel,  Capability::kNonInteractive, Capability::kPromptFileInclusion,
    Capability::kResume, Capability::kEffort,         Capability::kSystemPrompt,
    Capability::kUsage,  Capability::kBypass,         Capability::kPermissionRequests,
    Capability::kHooks,
};

std::string_view name(Capability capability);  // "supports_model"
bool supports(const Manifest& manifest, Capability capability);
// Where an agent runs.
enum class Place : uint8_t { kTerminal, kHeadless };
bool tells_usage(const Manifest& manifest, Place place);
bool tells_cost(const Manifest& manifest, Place place);  // beside the tokens

// An error, one line that names the agent and the capability, when it is not supported. `more` is
// added to it: what the manifest lacks, or a remedy.
base::Status require(const Manifest& manifest, Capability capability, std::string_view more = {});

// An error when this command line has the agent ask for nothing, and the agent refuses that of
// root: unless the variable that its manifest names says that it is in a sandbox. `argv` may begin
// with other programs ("env").
base::Status check_root_bypass(const Manifest& manifest, const std::vector<std::string>& argv,
                               const Variables& variables);

// For people: a line for each capability with the words by which the agent is told, and one for the
// models that it lists. docs/agents has it of every agent of the binary.
std::string to_text(const Manifest& manifest);
base::Json to_json(const Manifest& manifest);

}  // namespace orch::adapters
