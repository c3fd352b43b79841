#include "adapters/dialogs_spec.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace orch::adapters {
namespace {

using detect::DialogAction;
using detect::DialogEdge;
using detect::DialogPartSpec;
using detect::DialogPlace;
using detect::DialogSpec;
using detect::OptionForm;
using detect::OptionSense;

template <typename Value>
using Words = std::initializer_list<std::pair<std::string_view, Value>>;

// One word of a list.
template <typename Value>
std::optional<Value> read_word(ObjectReader& in, const std::string& key, Words<Value> words) {
  std::string text, all;
  if (!in.has(key)) return std::nullopt;
  in.read(key, text);
  for (const auto& [word, value] : words) {
    if (word == text) return value;
    all.append(all.empty() ? "" : ", ").append(word);
  }
  in.fail(key, "\"" + text + "\" is none of " + all);
  return std::nullopt;
}

std::optional<DialogEdge> read_edge(ObjectReader& in) {
  return read_word<DialogEdge>(in, "edge",
                               {{"none", DialogEdge::kNone},
                                {"rule", DialogEdge::kRule},
                                {"frame", DialogEdge::kFrame},
                                {"bar", DialogEdge::kBar}});
}

std::optional<DialogPartSpec> read_part(ObjectReader& parent, const std::string& key) {
  const Json* json = parent.find(key);
  if (json == nullptr) return std::nullopt;
  DialogPartSpec part;
  ObjectReader in(*json, parent.join(key), parent.error());
  part.in = read_word<DialogPlace>(in, "in",
                                   {{"body", DialogPlace::kBody},
                                    {"title", DialogPlace::kTitle},
                                    {"asks", DialogPlace::kAsks}})
                .value_or(part.in);
  in.read("framed", part.framed);
  in.read_pattern("after", part.after);
  in.read_pattern("begins", part.begins);
  in.read_pattern("ends", part.ends);
  in.read_pattern("strip", part.strip);
  in.read("indent", part.indent);
  in.read("plain", part.plain);
  in.read("upright", part.upright);
  in.read("margin", part.margin);
  in.read("cut", part.cut);
  in.read("most_rows", part.most_rows);
  in.read("breaks", part.breaks);
  in.read("between", part.between);
  if (part.in != DialogPlace::kBody && part.begins.empty()) in.fail("begins", "is missing");
  return part;
}

DialogSpec read_kind(const Json& json, size_t index, std::string& error) {
  DialogSpec kind;
  if (json.is_object() && json.contains("id") && json["id"].is_string()) kind.id = json["id"];
  ObjectReader in(
      json, kind.id.empty() ? "dialogs.kinds[" + std::to_string(index) + "]:" : "dialog " + kind.id + ":",
      error);
  in.read("id", kind.id);
  if (kind.id.empty()) in.fail("id", "is missing");
  std::string about, word;
  in.read("about", about);
  in.read("kind", word);
  const auto cause = event::cause_named(word);
  if (cause && *cause != event::Cause::kNone &&
      event::allowed(event::AgentStatus::kWaiting, *cause)) {
    kind.kind = *cause;
  } else {
    in.fail("kind", "\"" + word + "\" is no kind of dialog");
  }
  in.read("tool", kind.tool);
  in.read_pattern("tool_from", kind.tool_from);
  kind.edge = read_edge(in);
  kind.options = read_word<OptionForm>(in, "options",
                                       {{"numbered", OptionForm::kNumbered},
                                        {"listed", OptionForm::kListed},
                                        {"beside", OptionForm::kBeside}})
                     .value_or(kind.options);
  in.read_pattern("title", kind.title);
  in.read("bold", kind.bold);
  in.read_pattern("subtitle", kind.subtitle);
  in.read_pattern("asks", kind.asks);
  in.read_pattern("footer", kind.footer);
  in.read_pattern("answers", kind.answers);
  kind.command = read_part(in, "command");
  kind.path = read_part(in, "path");
  if (kind.command && kind.path) in.fail("path", "stands beside a command");
  const auto action = read_word<DialogAction>(
      in, "action", {{"other", DialogAction::kOther}, {"unknown", DialogAction::kUnknown}});
  kind.action = kind.command ? DialogAction::kCommand
                : kind.path  ? DialogAction::kWrite
                             : action.value_or(DialogAction::kUnknown);
  if (kind.title.empty() && kind.asks.empty() && kind.footer.empty()) {
    in.fail("", "needs a title, asks or footer");
  }
  return kind;
}

void read_option_words(ObjectReader& parent, std::vector<detect::OptionWordsSpec>& words) {
  const Json* list = parent.find("options");
  if (list == nullptr) return;
  if (!list->is_array()) return parent.fail("options", "must be an array");
  for (size_t i = 0; i < list->size() && parent.error().empty(); ++i) {
    detect::OptionWordsSpec spec;
    ObjectReader in((*list)[i], parent.join("options[" + std::to_string(i) + "]"),
                    parent.error());
    in.read_pattern("match", spec.pattern);
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

void read_dialogs(ObjectReader& parent, detect::DialogsSpec& dialogs) {
  constexpr size_t kMostKinds = 64;
  const Json* json = parent.find("dialogs");
  if (json == nullptr) return;
  ObjectReader in(*json, "dialogs", parent.error());
  std::string about;
  in.read("about", about);
  dialogs.edge = read_edge(in).value_or(dialogs.edge);
  in.read_pattern("top", dialogs.top);
  if (dialogs.edge == DialogEdge::kRule && dialogs.top.empty()) in.fail("top", "is missing");
  in.read_pattern("folded", dialogs.folded);
  in.read_pattern("scrolled", dialogs.scrolled);
  read_option_words(in, dialogs.words);
  const Json* kinds = in.find("kinds");
  if (kinds == nullptr) return;
  if (!kinds->is_array()) return in.fail("kinds", "must be an array");
  if (kinds->size() > kMostKinds) return in.fail("kinds", "too many");
  for (size_t i = 0; i < kinds->size() && in.error().empty(); ++i) {
    dialogs.kinds.push_back(read_kind((*kinds)[i], i, in.error()));
  }
}

}  // namespace orch::adapters
