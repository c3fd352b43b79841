#include "adapters/call_spec.h"

#include <algorithm>
#include <optional>

#include "adapters/pattern_member.h"
#include "base/json.h"
#include "base/json_members.h"
#include "base/random.h"
#include "base/replace.h"
#include "base/sha256.h"
#include "base/words.h"

namespace orch::adapters {
namespace {

using base::Json;
using base::JsonMembers;
using Event = CallSpec::Event;

std::optional<Event::Kind> event_kind_named(std::string_view word) {
  using Kind = Event::Kind;
  constexpr base::Words<Kind, 3> kKinds{
      {{Kind::kStart, "start"}, {Kind::kCall, "call"}, {Kind::kRan, "ran"}}};
  return base::value_of(kKinds, word);
}

Event read_event(const JsonMembers& parent, const Json& json, size_t index) {
  Event event;
  JsonMembers in(parent, json, parent.place_of("events[" + std::to_string(index) + "]"));
  in.required("name", event.name);
  in.word("is", event_kind_named, event.kind);
  in.optional("allow", event.allow);
  in.optional("deny", event.deny);
  if (event.kind == Event::Kind::kCall && event.deny.find("{reason}") == std::string::npos) {
    in.fail("deny", "must hold {reason}");
  }
  return event;
}

std::optional<bool> ran_named(std::string_view word) {
  constexpr base::Words<bool, 2> kKinds{{{false, "made"}, {true, "ran"}}};
  return base::value_of(kKinds, word);
}

CallSpec::RecordLine read_record_line(const JsonMembers& parent, const Json& json, size_t index) {
  CallSpec::RecordLine line;
  JsonMembers in(parent, json, parent.place_of("record[" + std::to_string(index) + "]"));
  in.word("is", ran_named, line.ran);
  read_line_conditions(in, "when", line.when);
  read_way(in, "each", line.each);
  read_line_conditions(in, "part", line.part);
  for (const auto& [key, way] :
       {std::pair{"id", &line.id}, std::pair{"tool", &line.tool}, std::pair{"failed", &line.failed},
        std::pair{"text", &line.text}}) {
    read_way(in, key, *way);
  }
  in.optional("begins", line.begins);
  return line;
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

const Event* CallSpec::find(std::string_view name) const {
  const auto found = std::find_if(events.begin(), events.end(),
                                  [name](const Event& one) { return one.name == name; });
  return found != events.end() ? &*found : nullptr;
}

void read_calls(JsonMembers& parent, CallSpec& spec) {
  const Json* json = parent.find("calls");
  if (json == nullptr) return;
  JsonMembers in(parent, *json, "calls");
  std::string about;
  in.optional("about", about);
  in.optional("arguments", spec.arguments);
  in.optional("env", spec.env);
  if (const Json* settings = in.find("settings")) {
    if (!settings->is_object()) return in.fail("settings", "must be an object");
    spec.settings = settings->dump();
  }
  in.optional("settings_base", spec.settings_base);
  std::vector<std::string> script;
  in.optional("script", script);
  for (const std::string& line : script) spec.script += line + "\n";
  const Json* events = in.find("events");
  if (events == nullptr || !events->is_array()) return in.fail("events", "must be an array");
  for (size_t i = 0; i < events->size() && in.ok(); ++i) {
    spec.events.push_back(read_event(in, (*events)[i], i));
  }
  for (const auto& [key, way] :
       {std::pair{"event", &spec.event}, std::pair{"id", &spec.id}, std::pair{"tool", &spec.tool},
        std::pair{"input", &spec.input}, std::pair{"cwd", &spec.cwd}}) {
    read_way(in, key, *way);
  }
  read_ways(in, "folders", spec.folders);
  in.optional("stream_ids", spec.stream_ids);
  read_tools(in, spec.tools);
  in.optional("unread", spec.unread);
  if (const Json* record = in.find("record"); record != nullptr && record->is_array()) {
    for (size_t i = 0; i < record->size() && in.ok(); ++i) {
      spec.record.push_back(read_record_line(in, (*record)[i], i));
    }
  }
  read_pattern(in, "record_tools", spec.record_tools);
  in.optional("user_files", spec.user_files);
  read_ways(in, "allowing", spec.allowing);
  in.optional("project_files", spec.project_files);
  read_ways(in, "replacing", spec.replacing);
  in.optional("without_project", spec.without_project);
  read_ways(in, "rules", spec.rules);
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
