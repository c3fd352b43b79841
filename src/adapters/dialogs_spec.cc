#include "adapters/dialogs_spec.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/pattern_member.h"
#include "base/json_members.h"

namespace orch::adapters {
namespace {

using base::Json;
using base::JsonMembers;
using detect::DialogAction;
using detect::DialogEdge;
using detect::DialogPartSpec;
using detect::DialogPlace;
using detect::DialogSpec;
using detect::OptionForm;
using detect::OptionSense;

template <typename Value>
using Words = std::initializer_list<std::pair<std::string_view, Value>>;

// Reads a member that must be one of the words in a list.
template <typename Value>
std::optional<Value> read_word(JsonMembers& in, const std::string& key, Words<Value> words) {
  std::string text, all;
  if (!in.has(key)) return std::nullopt;
  in.optional(key, text);
  for (const auto& [word, value] : words) {
    if (word == text) return value;
    all.append(all.empty() ? "" : ", ").append(word);
  }
  in.fail(key, "\"" + text + "\" is none of " + all);
  return std::nullopt;
}

std::optional<DialogEdge> read_edge(JsonMembers& in) {
  return read_word<DialogEdge>(in, "edge",
                               {{"none", DialogEdge::kNone},
                                {"rule", DialogEdge::kRule},
                                {"frame", DialogEdge::kFrame},
                                {"bar", DialogEdge::kBar}});
}

std::optional<DialogPartSpec> read_part(JsonMembers& parent, const std::string& key) {
  const Json* json = parent.find(key);
  if (json == nullptr) return std::nullopt;
  DialogPartSpec part;
  JsonMembers in(parent, *json, parent.place_of(key));
  part.in = read_word<DialogPlace>(in, "in",
                                   {{"body", DialogPlace::kBody},
                                    {"title", DialogPlace::kTitle},
                                    {"asks", DialogPlace::kAsks}})
                .value_or(part.in);
  in.optional("framed", part.framed);
  read_pattern(in, "after", part.after);
  read_pattern(in, "begins", part.begins);
  read_pattern(in, "ends", part.ends);
  read_pattern(in, "strip", part.strip);
  in.optional("indent", part.indent);
  in.optional("plain", part.plain);
  in.optional("upright", part.upright);
  in.optional("margin", part.margin);
  in.optional("cut", part.cut);
  in.optional("most_rows", part.most_rows);
  in.optional("breaks", part.breaks);
  in.optional("between", part.between);
  if (part.in != DialogPlace::kBody && part.begins.empty()) in.fail("begins", "is missing");
  return part;
}

DialogSpec read_kind(const JsonMembers& parent, const Json& json, size_t index) {
  DialogSpec kind;
  if (json.is_object() && json.contains("id") && json["id"].is_string()) kind.id = json["id"];
  JsonMembers in(parent, json,
                 kind.id.empty() ? "dialogs.kinds[" + std::to_string(index) + "]:"
                                 : "dialog " + kind.id + ":");
  in.optional("id", kind.id);
  if (kind.id.empty()) in.fail("id", "is missing");
  std::string about, word;
  in.optional("about", about);
  in.optional("kind", word);
  const auto cause = event::cause_named(word);
  if (cause && *cause != event::Cause::kNone &&
      event::allowed(event::AgentStatus::kWaiting, *cause)) {
    kind.kind = *cause;
  } else {
    in.fail("kind", "\"" + word + "\" is not a kind of dialog");
  }
  in.optional("tool", kind.tool);
  read_pattern(in, "tool_from", kind.tool_from);
  kind.edge = read_edge(in);
  kind.options = read_word<OptionForm>(in, "options",
                                       {{"stacked", OptionForm::kStacked},
                                        {"beside", OptionForm::kBeside},
                                        {"keys", OptionForm::kKeys}})
                     .value_or(kind.options);
  read_pattern(in, "title", kind.title);
  in.optional("bold", kind.bold);
  read_pattern(in, "subtitle", kind.subtitle);
  read_pattern(in, "asks", kind.asks);
  read_pattern(in, "footer", kind.footer);
  read_pattern(in, "answers", kind.answers);
  kind.command = read_part(in, "command");
  kind.path = read_part(in, "path");
  if (kind.command && kind.path) in.fail("path", "stands beside a command");
  const auto action = read_word<DialogAction>(in, "action",
                                              {{"read", DialogAction::kRead},
                                               {"other", DialogAction::kOther},
                                               {"bypass", DialogAction::kBypass},
                                               {"unknown", DialogAction::kUnknown}});
  kind.action = kind.command ? DialogAction::kCommand
                : kind.path  ? DialogAction::kWrite
                             : action.value_or(DialogAction::kUnknown);
  if (kind.title.empty() && kind.asks.empty() && kind.footer.empty()) {
    in.fail("", "needs a title, asks or footer");
  }
  return kind;
}

void read_option_words(JsonMembers& parent, std::vector<detect::OptionWordsSpec>& words) {
  const Json* list = parent.find("options");
  if (list == nullptr) return;
  if (!list->is_array()) return parent.fail("options", "must be an array");
  for (size_t i = 0; i < list->size() && parent.ok(); ++i) {
    detect::OptionWordsSpec spec;
    JsonMembers in(parent, (*list)[i], parent.place_of("options[" + std::to_string(i) + "]"));
    read_pattern(in, "match", spec.pattern);
    if (spec.pattern.empty()) in.fail("match", "is missing");
    const auto sense = read_word<OptionSense>(in, "means",
                                              {{"once", OptionSense::kAllowOnce},
                                               {"always", OptionSense::kAllowAlways},
                                               {"deny", OptionSense::kDeny},
                                               {"other", OptionSense::kOther}});
    if (!sense) in.fail("means", "is missing");
    spec.sense = sense.value_or(OptionSense::kOther);
    words.push_back(std::move(spec));
  }
}

}  // namespace

void read_dialogs(JsonMembers& parent, detect::DialogsSpec& dialogs) {
  constexpr size_t kMostKinds = 64;
  const Json* json = parent.find("dialogs");
  if (json == nullptr) return;
  JsonMembers in(parent, *json, "dialogs");
  std::string about;
  in.optional("about", about);
  dialogs.edge = read_edge(in).value_or(dialogs.edge);
  read_pattern(in, "top", dialogs.top);
  if (dialogs.edge == DialogEdge::kRule && dialogs.top.empty()) in.fail("top", "is missing");
  read_pattern(in, "folded", dialogs.folded);
  read_pattern(in, "scrolled", dialogs.scrolled);
  read_option_words(in, dialogs.words);
  const Json* kinds = in.find("kinds");
  if (kinds == nullptr) return;
  if (!kinds->is_array()) return in.fail("kinds", "must be an array");
  if (kinds->size() > kMostKinds) return in.fail("kinds", "too many");
  for (size_t i = 0; i < kinds->size() && in.ok(); ++i) {
    dialogs.kinds.push_back(read_kind(in, (*kinds)[i], i));
  }
}

}  // namespace orch::adapters
