#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/exec_plan.h"
#include "adapters/registry.h"
#include "base/result.h"
#include "loop/loop.h"
#include "meta/provider.h"
#include "session/agent_fence.h"

namespace orch::meta {

// The meta-agent of a task, according to its file.
struct ProviderSetup {
  // kind: openai-chat (or ""), scripted, or an agent CLI of the registry ("codex-cli").
  adapters::ProviderConfig provider;
  std::string base_url;  // for openai-chat; "": $OPENAI_BASE_URL, otherwise OpenAI's own
  // Whether the user has named base_url outside of any repository. Otherwise the key does not go
  // there.
  bool is_users_url = false;
  std::string api_key_env;           // the variable that holds its key; "": OPENAI_API_KEY
  int64_t timeout_ms = 300'000;      // for one question with all its attempts
  std::vector<std::string> answers;  // for scripted; see read_scripted()
  // The parent of the empty folder that an agent CLI gets for each question. CLIs also read
  // instructions from the folders above, so nobody else should be able to write there. "":
  // $XDG_RUNTIME_DIR, otherwise /tmp.
  std::string private_folder;
  std::string state_dir;  // where orch remembers facts about folders; for the fence
  // Returns the fence around an agent CLI, or nullopt if it does without; called only for a CLI.
  std::function<base::Result<std::optional<session::FenceRequest>>()> fence = [] {
    return base::Result<std::optional<session::FenceRequest>>(std::nullopt);
  };
};

struct MadeProvider {
  std::unique_ptr<Provider> provider;
  std::string kind;   // the kind that was made: "codex-cli"
  std::string model;  // "": the agent's own default, or none
  std::string note;   // a line for the caller to print, or ""
};

// Makes the provider, after checking everything that can be checked before a question is asked.
// `variables` is orch's environment; keys come from there only. If openai-chat has no key, codex
// answers instead if it is installed, and `note` says so.
base::Result<MadeProvider> make_provider(const ProviderSetup& setup,
                                         const adapters::Registry& agents,
                                         const std::map<std::string, std::string>& variables,
                                         loop::Loop& loop);

}  // namespace orch::meta
