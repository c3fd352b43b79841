#include "tape/tape.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/json.h"
#include "base/text.h"

namespace orch::tape {
namespace {

using base::Json;
using base::Result;

constexpr int64_t kFormat = 1;
constexpr const char* kBytes = "bytes";

// Each byte as the character with its number.
Json json_of(std::string_view bytes) {
  if (!base::invalid_utf8_at(bytes)) return Json(std::string(bytes));
  std::string text;
  for (const char c : bytes) base::append_utf8(text, static_cast<unsigned char>(c));
  return Json{{kBytes, text}};
}

// nullopt if the value is neither a text nor bytes.
std::optional<std::string> bytes_of(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  const Json& text = base::member(json, kBytes);
  if (!text.is_string()) return std::nullopt;
  std::string bytes;
  for (std::string_view rest = text.get_ref<const std::string&>(); !rest.empty();) {
    const base::Decoded one = base::decode_utf8(rest);
    if (one.code_point > std::numeric_limits<unsigned char>::max()) return std::nullopt;
    bytes += static_cast<char>(one.code_point);
    rest.remove_prefix(one.length);
  }
  return bytes;
}

std::string_view word_of(Answer::End end) {
  switch (end) {
    case Answer::End::kWhole:
      return "whole";
    case Answer::End::kCut:
      return "cut";
    case Answer::End::kLeft:
      return "left";
  }
  return "";
}

// Reads the members of one line. The first wrong one is kept as the reason.
class Line {
 public:
  explicit Line(const Json& json) : json_(json) {}
  const std::string& why_not() const { return why_not_; }
  void fail(const std::string& why) {
    if (why_not_.empty()) why_not_ = why;
  }

  const Json& at(const char* name) { return base::member(json_, name); }
  std::string text(const char* name) {
    const Json& value = at(name);
    if (!value.is_string()) fail(std::string(name) + " is not a text");
    return value.is_string() ? value.get<std::string>() : "";
  }
  int64_t number(const char* name, int64_t most) {
    const std::optional<int64_t> value = count(at(name), most);
    if (!value) fail(std::string(name) + " is not a number from 0 to " + std::to_string(most));
    return value.value_or(0);
  }
  static std::optional<int64_t> count(const Json& json, int64_t most) {
    if (!json.is_number_integer() && !json.is_number_unsigned()) return std::nullopt;
    const auto value = json.get<int64_t>();
    if (value < 0 || value > most) return std::nullopt;
    return value;
  }

 private:
  const Json& json_;
  std::string why_not_;
};

constexpr int64_t kMostMs = int64_t{1} << 40;  // some 30 years

void read_body(Line& line, Answer& answer) {
  const Json& body = line.at("body");
  if (!body.is_array()) return line.fail("body is not a list");
  int64_t before = 0;
  size_t bytes = 0;
  for (const Json& piece : body) {
    if (!piece.is_array() || piece.size() != 2) return line.fail("a piece of body is not a pair");
    const std::optional<int64_t> ms = Line::count(piece[0], kMostMs);
    std::optional<std::string> text = bytes_of(piece[1]);
    if (!ms || *ms < before || !text) return line.fail("a piece of body has no time and text");
    before = *ms;
    bytes += text->size();
    if (bytes > 2 * kMostAnswerBytes) return line.fail("body is too long");
    answer.body.push_back({*ms, std::move(*text)});
  }
}

void read_headers(Line& line, Answer& answer) {
  const Json& headers = line.at("headers");
  if (!headers.is_object()) return line.fail("headers is not an object");
  for (const auto& [name, value] : headers.items()) {
    const bool is_plain =
        matters(name) && value.is_string() &&
        value.get_ref<const std::string&>().find_first_of("\r\n") == std::string::npos;
    if (!is_plain) return line.fail("header " + base::printable(name) + " is not one of an answer");
    answer.headers.emplace_back(name, value.get<std::string>());
  }
}

Entry read_entry(Line& line) {
  constexpr int kMostStatus = 999;
  Entry entry;
  entry.n = line.number("n", std::numeric_limits<int32_t>::max());
  entry.ms = line.number("ms", kMostMs);
  entry.kind = line.text("kind");
  entry.protocol = line.text("protocol");
  entry.method = line.text("method");
  entry.path = line.text("path");
  entry.model = line.text("model");
  if (line.at("request").is_null()) line.fail("request is missing");
  entry.request = base::json_line(line.at("request"));
  entry.answer.status = static_cast<int>(line.number("status", kMostStatus));
  const std::string end = line.text("end");
  for (const Answer::End one : {Answer::End::kWhole, Answer::End::kCut, Answer::End::kLeft}) {
    if (end == word_of(one)) entry.answer.end = one;
  }
  if (end != word_of(entry.answer.end)) line.fail("end is none of whole, cut, left");
  constexpr int kFirstFinal = 200;
  const bool has_status = entry.answer.status >= kFirstFinal;
  if (!has_status && (entry.answer.status != 0 || entry.answer.end == Answer::End::kWhole)) {
    line.fail("status is not one of a final answer");
  }
  read_headers(line, entry.answer);
  read_body(line, entry.answer);
  return entry;
}

base::Error error_at(const std::string& name, size_t number, const std::string& what) {
  return base::usage_error("tape " + base::printable(name) + ", line " + std::to_string(number) +
                           ": " + what);
}

}  // namespace

std::string line_of(const Header& header) {
  return base::json_line(
             {{"tape", kFormat}, {"agent", header.agent}, {"provider", header.provider}}) +
         "\n";
}

std::string line_of(const Entry& entry) {
  Json body = Json::array();
  for (const Piece& piece : entry.answer.body) {
    body.push_back(Json::array({piece.ms, json_of(piece.bytes)}));
  }
  Json headers = Json::object();
  for (const auto& [name, value] : entry.answer.headers) headers[base::lower(name)] = value;
  const Json first{{"n", entry.n},           {"ms", entry.ms},
                   {"kind", entry.kind},     {"protocol", entry.protocol},
                   {"method", entry.method}, {"path", entry.path},
                   {"model", entry.model}};
  const Json rest{{"status", entry.answer.status},
                  {"end", word_of(entry.answer.end)},
                  {"headers", headers},
                  {"body", body}};
  std::string line = base::json_line(first);
  line.back() = ',';
  return line + "\"request\":" + entry.request + "," + base::json_line(rest).substr(1) + "\n";
}

bool begins_tape(std::string_view bytes) { return bytes.starts_with("{\"tape\":"); }

Result<Tape> parse(const std::string& name, std::string_view text) {
  Tape tape;
  size_t number = 0;
  if (!begins_tape(text)) return error_at(name, 1, "it does not begin as a tape");
  if (text.size() > kMostTapeBytes) return error_at(name, 1, "the tape is too long");
  while (!text.empty()) {
    ++number;
    if (text.find('\n') == std::string_view::npos) return error_at(name, number, "it breaks off");
    const Json json = base::parse_json(base::take_until(text, '\n'));
    if (!json.is_object()) return error_at(name, number, "it is not a JSON object");
    Line line(json);
    if (number == 1) {
      if (line.number("tape", kMostMs) != kFormat) line.fail("this orch does not know its format");
      tape.header = {line.text("agent"), line.text("provider")};
    } else {
      tape.entries.push_back(read_entry(line));
    }
    if (!line.why_not().empty()) return error_at(name, number, line.why_not());
    if (tape.entries.size() > kMostEntries) return error_at(name, number, "too many requests");
  }
  std::ranges::stable_sort(tape.entries, {}, &Entry::n);
  return tape;
}

std::string_view plain_path(const Entry& entry) {
  return std::string_view(entry.path).substr(0, entry.path.find('?'));
}

bool matters(std::string_view header) {
  constexpr std::array<std::string_view, 4> kNames{"content-type", "retry-after", "retry-after-ms",
                                                   "x-should-retry"};
  constexpr std::array<std::string_view, 3> kBeginnings{"anthropic-ratelimit-", "x-ratelimit-",
                                                        "x-codex-"};
  const std::string name = base::lower(header);
  return std::ranges::find(kNames, name) != kNames.end() ||
         std::ranges::any_of(kBeginnings,
                             [&](std::string_view one) { return name.starts_with(one); });
}

std::string json_of_bytes(std::string_view bytes) { return base::json_line(json_of(bytes)); }

}  // namespace orch::tape
