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

// Which meta-agent a task asks, as its file says.
struct ProviderSetup {
  // kind: openai-chat (or ""), scripted, or an agent CLI of the registry ("codex-cli").
  adapters::ProviderConfig provider;
  std::string base_url;  // for openai-chat; "": $OPENAI_BASE_URL, or else OpenAI's own
  // Whether the user has named base_url outside of any repository. Otherwise the key does not go
  // there.
  bool is_users_url = false;
  std::string api_key_env;           // the variable that holds its key; "": OPENAI_API_KEY
  int64_t timeout_ms = 300'000;      // for one question with all its attempts
  std::vector<std::string> answers;  // for scripted; see read_scripted()
  // The folder in which an agent CLI gets an empty folder for each question. CLIs also read
  // instructions from the folders above, so nobody else should be able to write there. "":
  // $XDG_RUNTIME_DIR, or else /tmp.
  std::string private_folder;
  std::string state_dir;  // where orch keeps what it remembers of folders; for the fence
  // Returns the fence around an agent CLI, or nothing if it goes without; called only for such.
  std::function<base::Result<std::optional<session::FenceRequest>>()> fence = [] {
    return base::Result<std::optional<session::FenceRequest>>(std::nullopt);
  };
};

struct MadeProvider {
  std::unique_ptr<Provider> provider;
  std::string kind;   // what it really is: "codex-cli"
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
