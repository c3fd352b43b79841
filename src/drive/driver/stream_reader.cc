#include "driver/stream_reader.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "driver/json_way.h"
#include "driver/usage_counts.h"

namespace orch::driver {
namespace {

using Rule = adapters::HeadlessSpec::Rule;
using Kind = Rule::Kind;

constexpr size_t kQuotedBytes = 200;

// The text of a member: a string as it is, a list of parts as the texts of its parts, anything else
// as JSON.
std::string as_text(const AgentJson* member) {
  if (member == nullptr || member->is_null()) return "";
  if (const auto* text = member->get_ptr<const std::string*>()) return *text;
  if (!member->is_array()) return as_json(*member);
  std::string texts;
  for (const AgentJson& part : *member) {
    const std::string* text = text_of(part, "/text");
    if (text == nullptr) continue;
    if (!texts.empty()) texts += '\n';
    texts += *text;
  }
  return texts.empty() && !member->empty() ? as_json(*member) : texts;
}

int http_code(const AgentJson* member) {
  if (member == nullptr || !member->is_number_integer()) return 0;
  const auto code = member->get<int64_t>();
  return code >= 100 && code < 1000 ? static_cast<int>(code) : 0;
}

StreamItem item_of(const Rule& rule, const AgentJson& json) {
  StreamItem item{.kind = rule.kind,
                  .id = as_text(member_of(json, rule.id)),
                  .name = as_text(member_of(json, rule.name)),
                  .text = as_text(member_of(json, rule.text)),
                  .input = "",
                  .code = http_code(member_of(json, rule.code)),
                  .delta = rule.delta,
                  .usage = {},
                  .since = rule.usage.since};
  if (rule.usage.any()) item.usage = counts_of(rule.usage, json);
  if (const AgentJson* input = member_of(json, rule.input)) item.input = as_json(*input);
  return item;
}

StreamItem broken(std::string_view what, std::string_view line) {
  StreamItem item;
  item.kind = Kind::kNotice;
  item.text = std::string(what) + ": " + std::string(line.substr(0, kQuotedBytes));
  return item;
}

}  // namespace

std::vector<StreamItem> StreamReader::read(std::string_view bytes) {
  std::vector<StreamItem> items;
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    bytes.remove_prefix(std::min(bytes.size(), piece.size() + 1));
    if (!too_long_ && begun_.size() + piece.size() > kMaxLineBytes) {
      items.push_back(broken("a line is too long", begun_.empty() ? piece : begun_));
      begun_.clear();
      too_long_ = true;
    }
    if (!too_long_) begun_ += piece;
    if (end == std::string_view::npos) break;
    if (!too_long_) read_line(std::exchange(begun_, {}), items);
    too_long_ = false;
  }
  return items;
}

std::vector<StreamItem> StreamReader::finish() {
  std::vector<StreamItem> items;
  if (!begun_.empty()) read_line(std::exchange(begun_, {}), items);
  too_long_ = false;
  return items;
}

void StreamReader::read_line(std::string_view line, std::vector<StreamItem>& items) const {
  while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
  if (line.empty()) return;
  const AgentJson json = parse_agent_json(line);
  if (!json.is_object()) {
    const bool too_deep = json.is_discarded() && base::nests_too_deep(line);
    return items.push_back(broken(too_deep ? "JSON is nested too deep" : "no JSON object", line));
  }
  std::vector<const Rule*> of_parts;
  for (const Rule& rule : spec_->rules) {
    if (!holds(rule.when, json)) continue;
    if (rule.each.empty()) {
      if (of_parts.empty()) items.push_back(item_of(rule, json));
      break;
    }
    of_parts.push_back(&rule);
  }
  if (of_parts.empty()) return;
  const AgentJson* list = member_of(json, of_parts.front()->each);
  if (list == nullptr || !list->is_array()) return;
  for (const AgentJson& part : *list) {
    const auto fits = [&](const Rule* rule) {
      return rule->each == of_parts.front()->each && holds(rule->part, part);
    };
    const auto rule = std::find_if(of_parts.begin(), of_parts.end(), fits);
    if (rule != of_parts.end()) items.push_back(item_of(**rule, part));
  }
}

}  // namespace orch::driver
