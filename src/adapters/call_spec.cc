#include "adapters/call_spec.h"

#include <algorithm>
#include <optional>

#include "adapters/members.h"
#include "base/json.h"
#include "base/random.h"
#include "base/replace.h"
#include "base/sha256.h"
#include "base/words.h"

namespace orch::adapters {
namespace {

using Event = CallSpec::Event;

constexpr base::Words<Event::Kind, 3> kEventKinds{
    {{Event::Kind::kStart, "start"}, {Event::Kind::kCall, "call"}, {Event::Kind::kRan, "ran"}}};
constexpr base::Words<bool, 2> kRecordKinds{{{false, "made"}, {true, "ran"}}};
constexpr std::string_view kPlugin = "{plugin}";

void event_members(Members& in, Event& event) {
  in.required("name", event.name, "value at `event`");
  in.required_word("is", kEventKinds, event.kind, "meaning");
  in.optional("allow", event.allow, "allows; missing: no output");
  in.optional("deny", event.deny, "denies, with `{reason}`");
  if (event.kind == Event::Kind::kCall && event.deny.find("{reason}") == std::string::npos) {
    in.fail("deny", "must hold {reason}");
  }
}

void record_line_members(Members& in, CallSpec::RecordLine& line) {
  in.required_word("is", kRecordKinds, line.ran, "call was made, or has run");
  in.conditions("when", line.when, "its conditions");
  in.way("each", line.each, "list whose parts count instead");
  in.conditions("part", line.part, "a part's conditions");
  in.way("id", line.id, "call's id");
  in.way("tool", line.tool, "tool's name");
  in.way("failed", line.failed, "whether the call failed");
  in.way("text", line.text, "call's result");
  in.optional("begins", line.begins, "its beginning where the call ran");
}

// codex only runs a hook whose hash it is given: the hash of this JSON, which Codex 0.171 makes
// from the hook.
std::string trust_of(const std::string& event, const std::string& command) {
  const std::string hook = R"({"event_name":")" + event +
                           R"(","hooks":[{"async":false,"command":)" + base::json_line(command) +
                           R"(,"timeout":86400,"type":"command"}]})";
  return "sha256:" + base::sha256_hex(hook);
}

}  // namespace

bool CallSpec::is_plugin() const {
  return std::find(arguments.begin(), arguments.end(), kPlugin) != arguments.end();
}

const Event* CallSpec::find(std::string_view name) const {
  const auto found = std::find_if(events.begin(), events.end(),
                                  [name](const Event& one) { return one.name == name; });
  return found != events.end() ? &*found : nullptr;
}

void call_members(Members& in, CallSpec& spec) {
  in.optional("arguments", spec.arguments,
              "`{check}`: orch's hook; `{settings}`, `{script}`: paths");
  in.optional("env", spec.env, "variables");
  in.settings("settings", spec.settings, "settings, over those of `hooks`");
  in.optional("settings_base", spec.settings_base, "file that `settings` would replace");
  std::vector<std::string> script;
  in.optional("script", script, "script in place of a command");
  for (const std::string& line : script) spec.script += line + "\n";
  in.list("events", spec.events, event_members, "events of its hooks");
  in.require("events");
  in.way("event", spec.event, "in an event: its name");
  in.way("id", spec.id, "call's id");
  in.way("tool", spec.tool, "tool's name");
  in.way("input", spec.input, "tool's input");
  in.way("cwd", spec.cwd, "working directory");
  in.ways("folders", spec.folders, "folder of a tool, in its input");
  in.optional("stream_ids", spec.stream_ids, "headless output has the same ids");
  in.list("tools", spec.tools, tool_members, "effects of tools that `headless.tools` lacks");
  in.optional("unread", spec.unread, "actions without an event, in words");
  in.list("record", spec.record, record_line_members, "lines of its record");
  in.pattern("record_tools", spec.record_tools, "tools whose calls count there");
  in.optional("user_files", spec.user_files, "files of the user's settings");
  in.ways("allowing", spec.allowing, "settings that allow calls");
  in.optional("project_files", spec.project_files, "files of the project's settings");
  in.ways("replacing", spec.replacing, "settings that could replace a call");
  in.optional("without_project", spec.without_project, "leave these out");
  in.ways("rules", spec.rules, "settings that are kept: they forbid");
}

std::string check_command(const std::vector<std::string>& words) {
  std::string command;
  for (const std::string& word : words) command += base::shell_word(word) + " ";
  return command + "|| { echo 'orch has not read this call' >&2; exit 2; }";
}

std::string filled_in(std::string text, const CheckPlaces& places) {
  constexpr std::string_view kTrust = "{trust ";
  base::replace_all(text, "\"{check}\"", base::json_line(places.command));
  base::replace_all(text, "{check}", base::json_line(places.command));
  base::replace_all(text, "{settings}", places.settings);
  base::replace_all(text, "{script}", places.script);
  base::replace_all(text, kPlugin, places.plugin);
  base::replace_all(text, "{random}", base::random_hex());
  for (size_t at = text.find(kTrust); at != std::string::npos; at = text.find(kTrust, at)) {
    const size_t end = text.find('}', at);
    if (end == std::string::npos) break;
    const std::string event = text.substr(at + kTrust.size(), end - at - kTrust.size());
    const std::string trust = base::json_line(trust_of(event, places.command));
    text.replace(at, end + 1 - at, trust);
    at += trust.size();
  }
  return text;
}

}  // namespace orch::adapters
