#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/manifest.h"
#include "base/result.h"

namespace orch::adapters {

// The user's options that become part of the agent's command line.
struct LaunchRequest {
  std::string model, effort, system_prompt;  // empty: the agent's own default
  std::vector<std::string> command;          // for --agent command: the words after --
  // The absolute path of the regular file that holds the system prompt; "" if it is not in a file.
  std::string system_prompt_file = {};
  std::string resume = {};   // the id of the agent's own session to resume; "": it begins one
  std::string program = {};  // replaces the manifest's program; "": that one is used
  std::vector<std::string> flags = {};            // more arguments, after those of all options
  std::string temperature = {}, max_tokens = {};  // as the agent takes them
  // The path of orch and its state directory, if the agent gets orch's MCP server; "" if not.
  std::string mcp_program = {}, mcp_state_dir = {};
};

// How the agent's process is started.
struct LaunchPlan {
  std::vector<std::string> argv;  // never given to a shell
  std::map<std::string, std::string> env;
  std::set<std::string> not_persons = {};  // names in `env` whose values the user did not choose
  std::string untold = {};                 // the system prompt, if a word of argv ends with it
  std::string resume = {};                 // the id of the agent's own session to resume
  // For the next or the last start: the id of the agent's own session ("" if the agent chooses it),
  // and the arguments that pass it to the agent, after argv.
  std::string session = {};
  std::vector<std::string> session_words = {};
  size_t resume_at = 0;  // headless: the index in argv for the words that resume a session
  bool asks = true;      // headless: false if the agent lets its model do everything
};
// whole_argv() is the argument vector that is given to the agent. told_argv() is the one that is
// recorded and shown, with "…" in place of the system prompt.
std::vector<std::string> whole_argv(const LaunchPlan& plan);
std::vector<std::string> told_argv(const LaunchPlan& plan);

// Whether the agent can resume a session of its own; an error says what its manifest lacks.
base::Status check_resumes(const Manifest& manifest);
base::Status check_resumes_headless(const Manifest& manifest);
// Whether the text is acceptable as the session id of a headless agent: it may become an argument
// on a command line.
bool is_session_id(std::string_view text);

// Fills in the session of the plan's next start: the one to resume, or a new one with id `new_id`.
enum class SessionStart : uint8_t { kAsPlanned, kEmpty };
void set_session(const OwnSessionSpec& spec, SessionStart start, const std::string& new_id,
                 LaunchPlan& plan);

// Plans an interactive start. In the words of an option, {} stands for its value and {file} for the
// path of the file that holds the value, which keeps the value out of ps. If the agent has no words
// for an option, the error names both.
base::Result<LaunchPlan> plan_launch(const Manifest& manifest, const LaunchRequest& request);

// The permissions of a headless agent.
enum class Allowed : uint8_t {
  kAsks,        // only actions that its own rules, or the user or program that it asks, allow
  kEverything,  // everything: it asks for no permission
  kContained,   // the same, and its own sandbox is off, because it runs in a container
};
// Plans the start of a headless process. It is an error if the agent has no headless mode.
base::Result<LaunchPlan> plan_headless(const Manifest& manifest, const LaunchRequest& request,
                                       Allowed allowed);
// Plans the start of an agent of the Agent Client Protocol: by the manifest's `acp`, or the command
// itself where that has none.
base::Result<LaunchPlan> plan_acp(const Manifest& manifest, const LaunchRequest& request);
// Plans the start of a headless process with other arguments than headless.arguments. `permissions`
// come first in place of {options}.
base::Result<LaunchPlan> plan_arguments(const Manifest& manifest, const LaunchRequest& request,
                                        const std::vector<std::string>& arguments,
                                        const std::vector<std::string>& permissions);
// The arguments that make the agent ask for no permission and switch its own sandbox off. It is an
// error if the agent has none.
base::Result<std::vector<std::string>> contained_words(const Manifest& manifest);

}  // namespace orch::adapters
