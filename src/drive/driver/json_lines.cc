#include "driver/json_lines.h"

#include <algorithm>

#include "adapters/message.h"
#include "base/replace.h"

namespace orch::driver {

JsonLines::JsonLines(const adapters::HeadlessSpec& spec)
    : spec_(spec), reader_(spec), tools_({&spec.tools}) {}

bool JsonLines::tells(Kind kind) const {
  return std::any_of(
      spec_.rules.begin(), spec_.rules.end(),
      [kind](const adapters::HeadlessSpec::Rule& rule) { return rule.kind == kind; });
}

std::vector<std::string> JsonLines::resume_words(const std::string& conversation) const {
  std::vector<std::string> words;
  if (!conversation.empty()) words = spec_.resume;
  for (std::string& word : words) base::replace_all(word, "{}", conversation);
  return words;
}

std::string JsonLines::begin(const std::string& /*conversation*/, const std::string& text) {
  reader_ = StreamReader(spec_);
  return message(text);
}

std::string JsonLines::message(const std::string& text) {
  return adapters::message_input(spec_, text);
}

}  // namespace orch::driver
