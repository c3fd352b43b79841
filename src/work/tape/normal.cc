#include "tape/normal.h"

#include <algorithm>
#include <map>

#include "base/ascii.h"
#include "base/json.h"
#include "base/replace.h"
#include "base/text.h"
#include "exchange/message.h"
#include "mask/text.h"
#include "tape/answer_texts.h"
#include "tape/placeholder.h"
#include "tape/words.h"

namespace orch::tape {
namespace {

using base::Json;

// As Claude Code names the folder of a project's files.
std::string dashed(std::string path) {
  for (char& c : path) c = base::is_letter_or_digit(c) ? c : '-';
  return path;
}

std::string with_slashes(std::string path, std::string_view slash) {
  base::replace_all(path, "/", slash);
  return path;
}

// A path is one only if no other name goes on there.
bool goes_on(char c) { return base::is_letter_or_digit(c) || c == '_'; }

bool stands_alone(std::string_view text, size_t at, size_t length, bool is_dashed) {
  if (at > 0 && goes_on(text[at - 1])) return false;
  const size_t end = at + length;
  return end >= text.size() || !(goes_on(text[end]) || (!is_dashed && text[end] == '-'));
}

// The replacements of each name in the text.
std::vector<Edit> edits_of(std::string_view text,
                           const std::vector<std::pair<std::string, std::string>>& names) {
  std::vector<Edit> edits;
  for (const auto& [path, name] : names) {
    for (size_t at = text.find(path); at != std::string_view::npos;
         at = text.find(path, at + path.size())) {
      const size_t end = at + path.size();
      if (!stands_alone(text, at, path.size(), path.front() == '-')) continue;
      const bool is_taken = std::ranges::any_of(
          edits, [&](const Edit& one) { return one.from < end && at < one.to; });
      if (!is_taken) edits.push_back({at, end, name});
    }
  }
  std::ranges::sort(edits, {}, &Edit::from);
  return edits;
}

std::string applied(std::string_view text, const std::vector<Edit>& edits) {
  std::string out;
  size_t at = 0;
  for (const Edit& edit : edits) {
    out += text.substr(at, edit.from - at);
    out += edit.replacement;
    at = edit.to;
  }
  return out += text.substr(at);
}

// Members that only name this run: where they stand is a part of the rule.
bool is_of_run(std::string_view parent, int depth, std::string_view name) {
  if (name == "cache_control") return true;
  if (depth == 0) {
    return name == "prompt_cache_key" || name == "client_metadata" || name == "session_id" ||
           name == "safety_identifier" || name == "user_prompt_id";
  }
  if (parent == "metadata") return depth == 1 && name == "user_id";
  if (parent == "request") return depth == 1 && name == "session_id";
  if (parent == "input") return depth == 2 && name == "id";
  return (parent == "functionCall" || parent == "functionResponse") && name == "id";
}

Json normal_json(const Json& json, const Normaliser& normal, std::string_view parent, int depth) {
  if (json.is_string()) return normal.text(json.get_ref<const std::string&>());
  if (json.is_array()) {
    Json out = Json::array();
    for (const Json& one : json) out.push_back(normal_json(one, normal, parent, depth + 1));
    return out;
  }
  if (!json.is_object()) return json;
  std::map<std::string, Json> members;
  for (const auto& [name, value] : json.items()) {
    if (is_of_run(parent, depth, name)) continue;
    members.insert_or_assign(normal.text(name), normal_json(value, normal, name, depth + 1));
  }
  Json out = Json::object();
  for (auto& [name, value] : members) out[name] = std::move(value);
  return out;
}

// The text within the quotes of a JSON text.
std::string escaped(const std::string& text) {
  const std::string quoted = base::json_line(Json(text));
  return quoted.substr(1, quoted.size() - 2);
}

}  // namespace

Normaliser::Normaliser(const Places& places, std::shared_ptr<const mask::Secrets> secrets)
    : secrets_(std::move(secrets)) {
  constexpr size_t kLeast = 3;  // "/" and "/x" occur everywhere
  const auto add = [this](const std::vector<std::string>& spellings, const std::string& name) {
    for (const std::string& path : spellings) {
      if (path.size() < kLeast || path.front() != '/') continue;
      names_.emplace_back(path, placeholder(name));
      names_.emplace_back(dashed(path), placeholder(name + ":dashed"));
      names_.emplace_back(with_slashes(path, "\\/"), placeholder(name + ":escaped"));
      names_.emplace_back(with_slashes(path, "%2F"), placeholder(name + ":encoded"));
    }
  };
  add(places.folder, "folder");
  add(places.home, "home");
  std::ranges::stable_sort(names_, std::ranges::greater(),
                           [](const auto& one) { return one.first.size(); });
}

std::string Normaliser::masked(std::string_view text) const { return mask::masked(secrets_, text); }

std::string Normaliser::placed(std::string_view text) const {
  return applied(text, edits_of(text, names_));
}

std::string Normaliser::text(std::string_view text) const {
  return with_replaced_words(placed(masked(text)));
}

std::string Normaliser::request(std::string_view body) const {
  if (body.size() > kMostRequestBytes) return base::json_line({{"left out", body.size()}});
  // On the tape it is in one more object.
  const bool fits = base::shape_of_json(body, base::kMostJsonDepth - 1) == base::JsonShape::kFits;
  const Json json = fits ? base::parse_json(body) : Json(Json::value_t::discarded);
  if (!json.is_discarded()) return base::json_line(normal_json(json, *this, "", 0));
  return json_of_bytes(base::invalid_utf8_at(body) ? masked(body) : text(body));
}

std::string Normaliser::path(std::string_view target) const {
  std::string path(base::take_until(target, '?'));
  char sign = '?';
  while (!target.empty()) {
    const std::string_view part = base::take_until(target, '&');
    if (part.starts_with("key=") || part.starts_with("access_token=")) continue;
    path += sign + std::string(part);
    sign = '&';
  }
  return text(path);
}

void Normaliser::answer(Answer& answer) const {
  const bool events = has_events(answer);
  answer.body = events_of(answer.body, events);
  std::erase_if(answer.headers, [](const auto& one) { return !matters(one.first); });
  for (auto& [name, value] : answer.headers) value = placed(masked(value));
  edit_texts(answer.body, events, [this](std::string_view text, bool) {
    std::vector<Edit> edits;
    for (const mask::Span& span : mask::find(secrets_, text)) {
      edits.push_back({span.from, span.to, std::string(mask::kStars)});
    }
    return edits;
  });
  edit_texts(answer.body, events,
             [this](std::string_view text, bool) { return edits_of(text, names_); });
}

std::vector<Piece> Normaliser::played(const Answer& answer) const {
  std::vector<Piece> pieces = answer.body;
  edit_texts(pieces, has_events(answer), [this](std::string_view text, bool in_json) {
    std::vector<Edit> edits;
    for (size_t at = text.find(kPlaceholder); at != std::string_view::npos;
         at = text.find(kPlaceholder, at + 1)) {
      const size_t length = placeholder_length(text.substr(at));
      const auto found = std::ranges::find_if(
          names_, [&](const auto& one) { return one.second == text.substr(at, length); });
      if (length == 0 || found == names_.end()) continue;
      edits.push_back({at, at + length, in_json ? escaped(found->first) : found->first});
    }
    return edits;
  });
  return pieces;
}

bool has_events(const Answer& answer) {
  const std::string* type = exchange::find_header(answer.headers, "content-type");
  return type != nullptr && type->starts_with("text/event-stream");
}

}  // namespace orch::tape
