#include "acp/tool_use.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/json.h"
#include "base/text.h"

namespace orch::acp {
namespace {

using base::Json;

constexpr size_t kMostTitle = 300;

struct KindWord {
  std::string_view part;  // of the tool's name in small letters
  std::string_view kind;
};
// The first that fits. The names are those of the agents that orch has manifests for.
constexpr std::array kKindWords{
    KindWord{"todo", "think"},      KindWord{"plan", "think"},     KindWord{"task", "think"},
    KindWord{"bash", "execute"},    KindWord{"shell", "execute"},  KindWord{"exec", "execute"},
    KindWord{"command", "execute"}, KindWord{"webfetch", "fetch"}, KindWord{"fetch", "fetch"},
    KindWord{"websearch", "fetch"}, KindWord{"web", "fetch"},      KindWord{"delete", "delete"},
    KindWord{"rename", "move"},     KindWord{"edit", "edit"},      KindWord{"write", "edit"},
    KindWord{"patch", "edit"},      KindWord{"replace", "edit"},   KindWord{"update", "edit"},
    KindWord{"grep", "search"},     KindWord{"glob", "search"},    KindWord{"search", "search"},
    KindWord{"find", "search"},     KindWord{"read", "read"},      KindWord{"view", "read"},
    KindWord{"list", "read"},       KindWord{"ls", "read"},
};

std::string first_text(const Json& object, std::initializer_list<std::string_view> keys) {
  if (!object.is_object()) return "";
  for (const std::string_view key : keys) {
    const auto found = object.find(key);
    if (found != object.end() && found->is_string()) return found->get<std::string>();
  }
  return "";
}

Json diff_of(const Json& input, const std::string& path) {
  const auto has = [&](std::string_view key) {
    const auto found = input.find(key);
    return found != input.end() && found->is_string();
  };
  if (path.empty()) return nullptr;
  Json diff{{"type", "diff"}, {"path", path}};
  if (has("old_string") && has("new_string")) {
    diff["oldText"] = input.at("old_string");
    diff["newText"] = input.at("new_string");
  } else if (has("oldString") && has("newString")) {
    diff["oldText"] = input.at("oldString");
    diff["newText"] = input.at("newString");
  } else if (has("content")) {
    diff["newText"] = input.at("content");
  } else {
    return nullptr;
  }
  return diff;
}

}  // namespace

std::string_view kind_of_tool(std::string_view name) {
  std::string small;
  for (const char byte : name) {
    small += static_cast<char>(std::tolower(static_cast<unsigned char>(byte)));
  }
  const auto found = std::find_if(kKindWords.begin(), kKindWords.end(), [&](const KindWord& word) {
    return small.find(word.part) != std::string::npos;
  });
  return found == kKindWords.end() ? "other" : found->kind;
}

ToolInput read_tool_input(std::string_view json) {
  ToolInput input;
  Json raw = base::parse_json(json);
  if (!raw.is_object()) return input;
  const auto command = raw.find("command");
  if (command != raw.end() && command->is_array()) {
    for (const Json& word : *command) {
      if (!word.is_string()) continue;
      input.command += (input.command.empty() ? "" : " ") + word.get<std::string>();
    }
  } else {
    input.command = first_text(raw, {"command", "cmd"});
  }
  const std::string path =
      first_text(raw, {"file_path", "filePath", "absolute_path", "notebook_path", "path"});
  if (!path.empty()) input.paths.push_back(path);
  input.diff = diff_of(raw, path);
  input.raw = std::move(raw);
  return input;
}

Json plan_entries(const Json& input) {
  if (!input.is_object()) return nullptr;
  const Json& todos = base::member(input, "todos");
  const Json& steps = todos.is_array() ? todos : base::member(input, "plan");
  if (!steps.is_array()) return nullptr;
  Json entries = Json::array();
  for (const Json& step : steps) {
    const std::string text = first_text(step, {"content", "step", "description"});
    const std::string status = base::text_at(step, "status");
    if (text.empty() || status == "cancelled") continue;
    const bool is_known = status == "in_progress" || status == "completed";
    const std::string priority = base::text_at(step, "priority");
    Json entry{{"content", base::printable(text)}};
    entry["priority"] = priority == "high" || priority == "low" ? priority : "medium";
    entry["status"] = is_known ? status : "pending";
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::string tool_title(std::string_view name, const ToolInput& input) {
  std::string title(name);
  if (!input.command.empty()) {
    title = input.command;
  } else if (!input.paths.empty()) {
    title += (title.empty() ? "" : " ") + input.paths.front();
  }
  title = base::printable(base::beginning(title, kMostTitle));
  return title.empty() ? "tool" : title;
}

Json text_content(std::string_view text) { return Json{{"type", "text"}, {"text", text}}; }

Json tool_content(std::string_view text) {
  Json content = Json::array();
  content.push_back(Json{{"type", "content"}, {"content", text_content(text)}});
  return content;
}

Json locations_of(const std::vector<std::string>& paths) {
  Json locations = Json::array();
  for (const std::string& path : paths) locations.push_back(Json{{"path", path}});
  return locations;
}

}  // namespace orch::acp
