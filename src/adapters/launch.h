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

// What the user asked for, as far as it reaches the agent's command line.
struct LaunchRequest {
  std::string model, effort, system_prompt;  // empty: the agent's own default
  std::vector<std::string> command;          // of --agent command: the words after --
  // The regular file that holds the system prompt, absolute; "" where it came another way.
  std::string system_prompt_file = {};
  std::string resume = {};   // the agent's own session to take up, a UUID; "": it begins one
  std::string program = {};  // in place of the manifest's; "": that one
  std::vector<std::string> flags = {};            // further words, behind those of all options
  std::string temperature = {}, max_tokens = {};  // as the agent takes them
  // orch, and its state directory, for an agent that takes its MCP server; "": it is given none.
  std::string mcp_program = {}, mcp_state_dir = {};
};

struct LaunchPlan {
  std::vector<std::string> argv;  // never given to a shell
  std::map<std::string, std::string> env;
  std::set<std::string> not_persons = {};  // names in `env` whose values no person chose
  std::string untold = {};                 // the system prompt where a word of argv ends with it
  std::string resume = {};                 // the agent's own session to take up
  // Of the start that comes next, or came last: the id of the agent's own session, "" where the
  // agent chooses it, and the words that say so, which stand behind argv.
  std::string session = {};
  std::vector<std::string> session_words = {};
  size_t resume_at = 0;  // headless: where in argv the words go that take a session up
  bool asks = true;      // headless: else the agent lets its model do everything
};
// The argument vector as it is given to the agent; and as it is recorded and shown: "…" in place of
// what is not to be told.
std::vector<std::string> whole_argv(const LaunchPlan& plan);
std::vector<std::string> told_argv(const LaunchPlan& plan);

// Whether the agent can take up a session of its own; an error says what its manifest lacks.
base::Status check_resumes(const Manifest& manifest);
base::Status check_resumes_headless(const Manifest& manifest);
// Whether an agent without a terminal may have called its session so: it stands on a command line
// one day.
bool is_session_id(std::string_view text);

// Fills in the session of the plan's next start: the one to take up, or a new one called `new_id`.
enum class SessionStart : uint8_t { kAsPlanned, kEmpty };
void set_session(const OwnSessionSpec& spec, SessionStart start, const std::string& new_id,
                 LaunchPlan& plan);

// The argument vector of an interactive start. In the words of an option {} stands for its value,
// {file} for the path of the file that holds it, which keeps it out of ps. An option that the agent
// has no word for is an error that names the option and the agent.
base::Result<LaunchPlan> plan_launch(const Manifest& manifest, const LaunchRequest& request);

// What an agent may do that runs without a terminal.
enum class Allowed : uint8_t {
  kAsks,        // what its rules or whoever it can ask say
  kEverything,  // it asks for nothing
  kContained,   // the same, and its own sandbox is off: a container is around it
};
// The argument vector of a headless process. An agent without that mode is an error.
base::Result<LaunchPlan> plan_headless(const Manifest& manifest, const LaunchRequest& request,
                                       Allowed allowed);
// The same with other arguments than headless.arguments: `permissions` come first where {options}
// stands.
base::Result<LaunchPlan> plan_arguments(const Manifest& manifest, const LaunchRequest& request,
                                        const std::vector<std::string>& arguments,
                                        const std::vector<std::string>& permissions);
// The words by which the agent asks for nothing and its own sandbox is off. An agent without any is
// an error.
base::Result<std::vector<std::string>> contained_words(const Manifest& manifest);

}  // namespace orch::adapters
