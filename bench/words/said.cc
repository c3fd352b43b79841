#include "words/said.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "store/file_io.h"

namespace orch::words {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSaidMarker = "said=";
constexpr size_t kMaxScenarioBytes = 16 << 20;

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (size_t i = 0; i < texts.size(); ++i) all += (i > 0 ? "\n" : "") + texts[i];
  return all;
}

// The array `name` in an object; an empty one if there is none.
const Json& array_in(const Json& json, const char* name) {
  static const Json kNone = Json::array();
  const auto member = json.find(name);  // the end iterator if json is no object
  return member != json.end() && member->is_array() ? *member : kNone;
}

}  // namespace

base::Result<Said> said_in(const store::Cast& cast) {
  std::vector<std::string> texts;
  for (const store::CastEvent& event : cast.events) {
    const std::string_view marker = event.data;
    if (event.kind != store::CastKind::kMarker || !marker.starts_with(kSaidMarker)) continue;
    const Json text = Json::parse(marker.substr(kSaidMarker.size()), nullptr, false);
    if (!text.is_string()) {
      return base::usage_error("marker \"" + base::printable(marker) + "\" holds no JSON string");
    }
    texts.push_back(text.get<std::string>());
  }
  return texts.empty() ? Said() : Said(joined(texts));
}

Scenarios::Scenarios(std::vector<std::string> folders, base::Pattern excluded, base::Pattern name)
    : folders_(std::move(folders)), excluded_(std::move(excluded)), name_(std::move(name)) {}

base::Result<Scenarios> Scenarios::in(std::vector<std::string> folders,
                                      const std::string& exclude) {
  base::Result<base::Pattern> excluded = base::Pattern::compile(exclude);
  if (!excluded) return excluded.error();
  base::Result<base::Pattern> name = base::Pattern::compile("^(.+)-\\d+x\\d+(?:-\\d+)?$");
  if (!name) return name.error();
  return Scenarios(std::move(folders), std::move(*excluded), std::move(*name));
}

base::Result<Said> Scenarios::said_in(const accuracy::RecordingFile& file) const {
  std::string name;
  if (!name_.capture(file.name, &name) || excluded_.matches(name)) return Said();
  for (const std::string& folder : folders_) {
    const std::string path = folder + "/" + name + ".json";
    if (!std::filesystem::exists(path)) continue;
    const base::Result<std::string> json = store::read_file(path, kMaxScenarioBytes);
    if (!json) return json.error();
    const base::Result<std::string> text = text_of_scenario(*json);
    if (!text) return accuracy::in_file(path, text.error());
    return Said(*text);
  }
  return Said();
}

base::Result<std::string> text_of_scenario(std::string_view json) {
  const Json scenario = Json::parse(json, nullptr, false);
  if (!scenario.is_object() || !scenario.contains("turns")) {
    return base::usage_error("not a JSON object with \"turns\"");
  }
  std::vector<std::string> texts;
  for (const Json& turn : array_in(scenario, "turns")) {
    for (const Json& step : array_in(turn, "steps")) {
      if (!step.is_object() || !step.contains("text")) continue;
      if (!step["text"].is_string()) return base::usage_error("\"text\" must be a text");
      texts.push_back(step["text"].get<std::string>());
    }
  }
  return joined(texts);
}

}  // namespace orch::words
