#include "meta/make_provider.h"

#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "http/request.h"
#include "meta/agent_cli.h"
#include "meta/agent_variables.h"
#include "meta/openai_chat.h"
#include "meta/scripted.h"
#include "pty/program.h"

namespace orch::meta {
namespace {

using adapters::Manifest;
using adapters::ProviderConfig;
using base::Result;
using base::Status;
using base::usage_error;
using Variables = std::map<std::string, std::string>;

constexpr const char* kChat = "openai-chat";
constexpr const char* kScripted = "scripted";
constexpr const char* kFallback = "codex-cli";
constexpr const char* kKeyVariable = "OPENAI_API_KEY";

std::string value_of(const Variables& variables, const std::string& name) {
  const auto found = variables.find(name);
  return found == variables.end() ? "" : found->second;
}

// Orch's variables, and the ones that the task file gives the provider. A reference to a variable
// that is not set removes the variable: code that needs it will report that.
Variables with_given(const Variables& variables, const ProviderConfig& provider) {
  constexpr std::string_view kReference = "env:";
  Variables all = variables;
  for (const auto& [name, value] : provider.extra_env) {
    if (!value.starts_with(kReference)) {
      all.insert_or_assign(name, value);
    } else if (const auto found = variables.find(value.substr(kReference.size()));
               found != variables.end()) {
      all.insert_or_assign(name, found->second);
    } else {
      all.erase(name);
    }
  }
  return all;
}

// Checks that the settings fit openai-chat, and returns the name of the variable with its key.
Result<std::string> key_variable(const ProviderSetup& setup) {
  std::string name = setup.api_key_env.empty() ? kKeyVariable : setup.api_key_env;
  const ProviderConfig& provider = setup.provider;
  if (!provider.cli_path.empty() || !provider.flags.empty()) {
    return usage_error(std::string(kChat) +
                       " is not a program: it takes neither cli_path nor flags");
  }
  for (const auto& [key, value] : provider.tool_specific.items()) {
    if (key != "api_key_env" || !value.is_string()) {
      return usage_error("tool_specific." + base::printable(key) + " is not known to " + kChat +
                         "; known is api_key_env, the name of a variable");
    }
    name = value.get<std::string>();
  }
  return name;
}

// The models of OpenAI are also codex's, so the defaults come from codex's manifest.
ChatConfig chat_config(const ProviderSetup& setup, const adapters::Registry& agents,
                       const Variables& variables, const std::string& key) {
  ChatConfig config;
  config.key = key;
  const std::string base_url =
      setup.base_url.empty() ? value_of(variables, "OPENAI_BASE_URL") : setup.base_url;
  if (!base_url.empty()) config.base_url = base_url;
  config.model = setup.provider.model;
  config.effort = setup.provider.effort;
  if (const Manifest* codex = agents.find_kind(kFallback)) {
    const adapters::TaskSpec& task = codex->task;
    if (config.model.empty()) config.model = value_of(task.models, "meta");
    if (const std::string whole = value_of(task.shorthands, config.model); !whole.empty()) {
      config.model = whole;
    }
    // Other servers may not know this word.
    if (config.effort.empty() && config.base_url == kOpenAiUrl) config.effort = task.effort;
  }
  config.ca_file = value_of(variables, "CURL_CA_BUNDLE");
  if (config.ca_file.empty()) config.ca_file = value_of(variables, "SSL_CERT_FILE");
  config.backoff.total_ms = setup.timeout_ms;
  return config;
}

Result<MadeProvider> make_cli(const ProviderSetup& setup, const ProviderConfig& provider,
                              const adapters::Registry& agents, const Variables& variables,
                              loop::Loop& loop) {
  const Manifest* manifest = agents.find_kind(provider.kind);
  if (const std::string why = agents.why_disabled(provider.kind); !why.empty()) {
    return usage_error("agent " + base::printable(provider.kind) + " cannot be used: " + why);
  }
  if (manifest == nullptr) {
    return usage_error("no meta-agent is called \"" + base::printable(provider.kind) +
                       "\"; known are " + kChat + ", " + kScripted + ", " + agents.names());
  }
  MadeProvider made;
  made.kind = provider.kind;
  made.model = provider.model.empty() ? value_of(manifest->task.models, "meta") : provider.model;
  CliConfig config{.manifest = *manifest,
                   .provider = provider,
                   .variables = variables,
                   .given = agent_variables(variables, *manifest, agents),
                   .timeout_ms = setup.timeout_ms,
                   .private_folder = setup.private_folder,
                   .state_dir = setup.state_dir};
  base::Result<std::optional<session::FenceRequest>> fence = setup.fence();
  if (!fence) return fence.error();
  config.fence = std::move(fence).value();
  if (config.private_folder.empty()) {
    const std::string runtime = value_of(variables, "XDG_RUNTIME_DIR");
    config.private_folder = runtime.starts_with('/') ? runtime : "/tmp";
  }
  auto cli = std::make_unique<AgentCli>(loop, std::move(config));
  if (Status s = cli->check(); !s) return s.error();
  made.provider = std::move(cli);
  return made;
}

// Whether the URL is unencrypted HTTP to another machine, so that the key could be read on its way.
bool is_open_to_others(std::string_view url) {
  constexpr std::string_view kPlain = "http://";
  if (!url.starts_with(kPlain)) return false;
  const std::string_view rest = url.substr(kPlain.size());
  for (const std::string_view own : {"127.0.0.1", "localhost", "[::1]"}) {
    if (rest.starts_with(own) && rest.substr(own.size()).find_first_of(":/") == 0) return false;
    if (rest == own) return false;
  }
  return true;
}

// Whether the address is OpenAI's own, or a path on it.
bool is_openai(std::string_view url) {
  constexpr std::string_view kHost = "https://api.openai.com";
  return url == kHost || (url.starts_with(kHost) && url[kHost.size()] == '/');
}

// Whether the key may go to this address: to its vendor, or to a server that the user has named.
bool may_have_key(const ProviderSetup& setup, const Variables& variables, const std::string& url) {
  if (is_openai(url)) return true;
  if (url == value_of(variables, "OPENAI_BASE_URL")) return true;
  return setup.is_users_url && url == setup.base_url;
}

bool is_installed(const adapters::Registry& agents, const Variables& variables) {
  const Manifest* codex = agents.find_kind(kFallback);
  return codex != nullptr && !codex->program.empty() &&
         pty::find_program(codex->program.front(), value_of(variables, "PATH")).ok();
}

Result<MadeProvider> make_chat(const ProviderSetup& setup, const adapters::Registry& agents,
                               const Variables& variables, loop::Loop& loop) {
  const Result<std::string> name = key_variable(setup);
  if (!name) return name.error();
  const Variables given = with_given(variables, setup.provider);
  const std::string key = value_of(given, *name);
  if (key.find_first_of("\r\n") != std::string::npos) {
    return usage_error("$" + base::printable(*name) + " holds an end of line: it is not a key");
  }
  ChatConfig config = chat_config(setup, agents, given, key);
  MadeProvider made;
  if (!key.empty() || config.base_url != kOpenAiUrl) {
    if (Status s = http::check_url(config.base_url); !s) {
      return base::Error{s.error().code, std::string(kChat) + ": " + s.error().text};
    }
    if (!key.empty() && !may_have_key(setup, variables, config.base_url)) {
      config.key.clear();
      made.note = "the key of " + std::string(kChat) + " does not go to " +
                  base::printable(config.base_url) +
                  ", which a task file names: name it by --meta-url or OPENAI_BASE_URL";
    } else if (!key.empty() && is_open_to_others(config.base_url)) {
      made.note = "the key of " + std::string(kChat) + " goes to " +
                  base::printable(config.base_url) + " unencrypted: write https";
    }
    made.kind = kChat;
    made.model = config.model;
    made.provider = std::make_unique<OpenAiChat>(loop, std::move(config));
    return made;
  }
  const std::string missing = "$" + base::printable(*name) + " is not set";
  if (!is_installed(agents, variables)) {
    return usage_error(std::string(kChat) + " needs a key, and " + missing +
                       ": set it, or choose another kind of meta-agent (codex-cli, claude-cli)");
  }
  ProviderConfig provider = setup.provider;
  provider.kind = kFallback;
  provider.tool_specific = base::Json::object();
  Result<MadeProvider> cli = make_cli(setup, provider, agents, variables, loop);
  if (cli) cli->note = missing + ": codex-cli is asked instead of " + kChat;
  return cli;
}

}  // namespace

Result<MadeProvider> make_provider(const ProviderSetup& setup, const adapters::Registry& agents,
                                   const Variables& variables, loop::Loop& loop) {
  const std::string& kind = setup.provider.kind;
  if (kind.empty() || kind == kChat) return make_chat(setup, agents, variables, loop);
  if (kind != kScripted) return make_cli(setup, setup.provider, agents, variables, loop);
  MadeProvider made;
  made.kind = kScripted;
  std::vector<ScriptedAnswer> answers;
  for (const std::string& text : setup.answers) {
    Result<ScriptedAnswer> answer = read_scripted(text);
    if (!answer) return answer.error();
    answers.push_back(std::move(answer).value());
  }
  made.provider = std::make_unique<Scripted>(loop, std::move(answers));
  return made;
}

}  // namespace orch::meta
