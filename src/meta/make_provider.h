#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "adapters/exec_plan.h"
#include "adapters/registry.h"
#include "base/result.h"
#include "loop/loop.h"
#include "meta/provider.h"

namespace orch::meta {

// Whom a task asks, as its file says.
struct ProviderSetup {
  // kind: openai-chat (also ""), scripted, or an agent CLI of the registry ("codex-cli").
  adapters::ProviderConfig provider;
  std::string base_url;              // of openai-chat; "": $OPENAI_BASE_URL, then OpenAI's own
  std::string api_key_env;           // the variable with its key; "": OPENAI_API_KEY
  int64_t timeout_ms = 300'000;      // of one question, with all its attempts
  std::vector<std::string> answers;  // of scripted; see read_scripted()
  // Where an agent CLI gets an empty folder for each question. CLIs read instructions from the
  // folders above, so that nobody else should write there; "": $XDG_RUNTIME_DIR, else /tmp.
  std::string private_folder;
};

struct MadeProvider {
  std::unique_ptr<Provider> provider;
  std::string kind;   // what it is in the end: "codex-cli"
  std::string model;  // "": the agent's own, or none
  std::string note;   // a line for the caller to print; "" for nothing
};

// Makes the provider, having checked all that can be checked before it is asked. `variables` is our
// environment: keys come from there alone. Without a key for openai-chat the answers come from
// codex, if it is installed, and `note` says so.
base::Result<MadeProvider> make_provider(const ProviderSetup& setup,
                                         const adapters::Registry& agents,
                                         const std::map<std::string, std::string>& variables,
                                         loop::Loop& loop);

}  // namespace orch::meta
