#include "yaml/document.h"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include "base/json.h"
#include "base/text.h"

namespace orch::yaml {
namespace {

using Kind = Value::Kind;

constexpr size_t kMostKeys = 1'000;  // in one mapping

Place place_of(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

// The position of a byte in a text. Columns count characters, as the parser's do.
Place place_at(std::string_view text, size_t offset) {
  Place place;
  for (size_t i = 0; i < offset; ++i) {
    const bool continues = (static_cast<uint8_t>(text[i]) & 0xC0) == 0x80;
    if (text[i] == '\n') {
      place = {place.line + 1, 1};
    } else if (!continues) {
      ++place.column;
    }
  }
  return place;
}

// Builds the tree of values from the parser's events. The parser itself has no limits but its own
// stack, so limits are checked here; a violation is thrown as the parser's own kind of exception.
class Builder final : public YAML::EventHandler {
 public:
  explicit Builder(const Limits& limits) : limits_(limits) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check(mark, "", anchor);
    add({.place = place_of(mark)}, mark);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(mark, "aliases (*name) are not read; write the value again");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check(mark, tag, anchor);
    if (expects_key()) return add_key(value, mark);
    add({.kind = Kind::kText, .place = place_of(mark), .text = value, .plain = tag == "?"}, mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Kind::kList, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Kind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

  Value take() { return std::move(root_); }

 private:
  [[noreturn]] static void refuse(const YAML::Mark& mark, const std::string& what) {
    throw YAML::ParserException(mark, what);
  }
  static void check(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) refuse(mark, "anchors (&name) are not read; leave it out");
    if (!tag.empty() && tag != "?" && tag != "!") refuse(mark, "tags (!name) are not read");
  }
  bool expects_key() const {
    return !open_.empty() && open_.back().kind == Kind::kMap &&
           open_.back().keys.size() == open_.back().items.size();
  }
  void add_key(const std::string& name, const YAML::Mark& mark) {
    std::vector<Key>& keys = open_.back().keys;
    const auto same = std::find_if(keys.begin(), keys.end(),
                                   [&name](const Key& key) { return key.name == name; });
    if (same != keys.end()) {
      refuse(mark, "\"" + base::printable(name) + "\" is there twice; the first is in line " +
                       std::to_string(same->place.line));
    }
    if (keys.size() >= kMostKeys) refuse(mark, "too many fields");
    count(mark);
    keys.push_back({name, place_of(mark)});
  }
  void count(const YAML::Mark& mark) {
    if (++values_ > limits_.values) {
      refuse(mark, "more than " + std::to_string(limits_.values) + " values");
    }
  }
  void add(Value node, const YAML::Mark& mark) {
    if (expects_key()) refuse(mark, "the name of a field must be a text");
    count(mark);
    Value& at = open_.empty() ? root_ : open_.back().items.emplace_back();
    at = std::move(node);
  }
  void open(Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    check(mark, tag, anchor);
    if (expects_key()) refuse(mark, "the name of a field must be a text");
    if (open_.size() >= static_cast<size_t>(limits_.depth)) {
      refuse(mark, "nested deeper than " + std::to_string(limits_.depth) + " levels");
    }
    count(mark);
    open_.push_back({.kind = kind, .place = place_of(mark)});
  }
  void close() {
    Value done = std::move(open_.back());
    open_.pop_back();
    Value& at = open_.empty() ? root_ : open_.back().items.emplace_back();
    at = std::move(done);
  }

  const Limits& limits_;
  Value root_;
  std::vector<Value> open_;  // lists and maps that are not closed yet, outermost first
  size_t values_ = 0;
};

// Throws at the beginning of a second document; its first word is enough to know that it exists.
class SecondDocument final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    throw YAML::ParserException(mark, "a second document begins; there must be one");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

// The offset of the first byte that the parser would misunderstand: control characters, because it
// mistakes U+0004 for the end of the text, and invalid UTF-8, because it mistakes some for a byte
// order mark of UTF-16.
std::optional<size_t> unreadable_at(std::string_view text) {
  const auto bad = std::find_if(text.begin(), text.end(), [](char c) {
    const bool blank = c == '\n' || c == '\r' || c == '\t';
    return (static_cast<uint8_t>(c) < 0x20 && !blank && c != '\x1b') || c == '\x7f';
  });
  const std::optional<size_t> invalid = base::invalid_utf8_at(text);
  if (bad == text.end()) return invalid;
  const auto control = static_cast<size_t>(bad - text.begin());
  return std::min(control, invalid.value_or(control));
}

std::string in_hexadecimal(char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto byte = static_cast<uint8_t>(c);
  return {kDigits[byte >> 4], kDigits[byte & 0xF]};
}

// The parser's own message, or a clearer one where that is too terse.
std::string reason_of(const YAML::Exception& error) {
  if (dynamic_cast<const YAML::DeepRecursion*>(&error) != nullptr) return "nested too deeply";
  return base::printable(error.msg);
}

base::Json number_or_text(const Value& node) {
  if (!node.plain) return node.text;
  if (node.text == "true" || node.text == "false") return node.text == "true";
  const char *begin = node.text.data(), *end = begin + node.text.size();
  int64_t whole = 0;
  if (const auto [rest, error] = std::from_chars(begin, end, whole);
      error == std::errc() && rest == end) {
    return whole;
  }
  double number = 0;
  const bool digit = !node.text.empty() && (node.text.front() == '-' || node.text.front() == '.' ||
                                            (node.text.front() >= '0' && node.text.front() <= '9'));
  if (const auto [rest, error] = std::from_chars(begin, end, number);
      digit && error == std::errc() && rest == end) {
    return number;
  }
  return node.text;
}

}  // namespace

base::Error yaml_error(std::string_view name, Place place, std::string_view what) {
  return base::usage_error(base::printable(name) + ":" + std::to_string(place.line) + ":" +
                           std::to_string(place.column) + ": " + std::string(what));
}

base::Result<Value> read_yaml(std::string_view text, std::string_view name, const Limits& limits) {
  if (text.size() > limits.bytes) {
    return yaml_error(name, {}, "more than " + std::to_string(limits.bytes) + " bytes");
  }
  if (const auto bad = unreadable_at(text)) {
    return yaml_error(name, place_at(text, *bad),
                      "the byte 0x" + in_hexadecimal(text[*bad]) +
                          " cannot stand here; in double quotes write an escape for it");
  }
  Builder builder(limits);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) return yaml_error(name, {}, "there is no document");
    SecondDocument second;
    parser.HandleNextDocument(second);
  } catch (const YAML::Exception& error) {
    return yaml_error(name, error.mark.is_null() ? Place{} : place_of(error.mark),
                      reason_of(error));
  }
  return builder.take();
}

std::string describe(const Value& node) {
  constexpr size_t kShown = 40;
  switch (node.kind) {
    case Kind::kNothing:
      return "nothing";
    case Kind::kText:
      break;
    case Kind::kList:
      return "a list";
    case Kind::kMap:
      return "a mapping";
  }
  const std::string_view line = std::string_view(node.text).substr(0, node.text.find('\n'));
  const std::string shown = base::printable(base::to_valid_utf8(line.substr(0, kShown)));
  return "\"" + shown + (shown.size() < node.text.size() ? "..." : "") + "\"";
}

base::Json to_json(const Value& node) {
  switch (node.kind) {
    case Kind::kNothing:
      return nullptr;
    case Kind::kText:
      return number_or_text(node);
    case Kind::kList: {
      base::Json list = base::Json::array();
      for (const Value& item : node.items) list.push_back(to_json(item));
      return list;
    }
    case Kind::kMap:
      break;
  }
  base::Json map = base::Json::object();
  for (size_t i = 0; i < node.keys.size(); ++i) map[node.keys[i].name] = to_json(node.items[i]);
  return map;
}

}  // namespace orch::yaml
