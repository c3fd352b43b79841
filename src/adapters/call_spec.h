#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/headless_spec.h"

namespace orch::adapters {

// The call check: how an agent is made to report each use of a tool to orch before it begins, and
// to wait for the decision, for one run and without touching the user's files. The agent runs a
// command of orch's as its hook. The command gets the event (JSON) on standard input and prints the
// answer on standard output. It refuses by itself when nobody answers.
struct CallSpec {
  // An event of the agent's hooks.
  struct Event {
    enum class Kind : uint8_t {
      kStart,  // the hooks are in force
      kCall,   // a tool is to be used
      kRan,    // it was used, with this input
    };
    Kind kind = Kind::kCall;
    std::string name;         // the value of `event`
    std::string allow, deny;  // output; {reason} stands for a JSON string; "": no output
  };

  // Lines of the agent's own record (RecordSpec) about calls, as another witness.
  struct RecordLine {
    bool ran = false;     // the call has run; otherwise it was made
    LineConditions when;  // conditions for the line
    std::string each;     // the way to a list whose parts are about calls; "": the line is
    LineConditions part;  // conditions for a part
    // Ways to members of the part or the line. A call has run where `failed` is not true, and also
    // where `text` begins with `begins`: a command may run and fail. Without `failed` only the
    // latter counts, if there is any.
    std::string id, tool, failed, text, begins;
  };

  // In the arguments, the values of variables and the settings, these stand for values: {check} for
  // the hook's command and {trust EVENT} for codex's hash of it, both as JSON strings, which are
  // valid in TOML too, {settings} and {script} for the paths of the files that hold `settings` and
  // `script`, {plugin} for a folder whose plugin.json holds `settings` instead, and {random} for
  // letters and digits that nobody knows.
  std::vector<std::string> arguments;
  std::map<std::string, std::string> env;
  // JSON text, over HookSpec::settings. The member {asking} makes the agent ask before it runs what
  // its own settings allow, should its hook be killed: only for headless runs, and where `allowing`
  // is present.
  std::string settings;
  // Files of the user's settings (expanded()), and ways to members there, or in `project_files`,
  // that let calls run without a dialog.
  std::vector<std::string> user_files, allowing;
  // The administrator's settings (an absolute path). `settings` replaces this file, so its content
  // is merged in. A variable of `env` that is set already names another file.
  std::string settings_base;
  std::string script;  // of an agent that runs JavaScript in place of a command
  std::vector<Event> events;
  // Ways to members of an event.
  std::string event, id, tool, input, cwd;
  std::vector<std::string> folders;       // ways in a tool's input to the folder that it runs in
  bool stream_ids = false;                // a headless agent's output has the same ids as its hooks
  std::vector<HeadlessSpec::Tool> tools;  // effects of its tools that HeadlessSpec::tools lacks
  std::vector<std::string> unread;        // actions of the agent without an event, in words
  // Files of the project's settings, in the working directory, and ways to members that could
  // replace a call after it was read. If any is present, `without_project` are further arguments,
  // which leave out all of the project's settings; then the rules at these ways, which only forbid
  // or ask, become part of `settings`.
  std::vector<std::string> project_files, replacing, without_project, rules;
  std::vector<RecordLine> record;
  std::string record_tools;  // RE2: the tools whose calls count there, and in its output

  bool any() const { return !events.empty(); }
  bool is_plugin() const;                          // `arguments` name {plugin}
  const Event* find(std::string_view name) const;  // nullptr: not in `events`
};

class Members;
void call_members(Members& in, CallSpec& spec);

// The command that an agent's shell runs as its hook: `words` are the arguments of `orch
// check-call`.
std::string check_command(const std::vector<std::string>& words);

// The text with its placeholders replaced by their values.
struct CheckPlaces {
  std::string command, settings, script;
  std::string plugin = {};
};
std::string filled_in(std::string text, const CheckPlaces& places);

}  // namespace orch::adapters
