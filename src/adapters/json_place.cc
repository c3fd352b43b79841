#include "adapters/json_place.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/json.h"
#include "base/text.h"

namespace orch::adapters {
namespace {

// Walks through the text of a JSON value.
class Walker {
 public:
  explicit Walker(std::string_view json) : json_(json) {}

  // Goes down to the member that `way` names, and returns its offset, or that of the last object on
  // the way.
  size_t find(std::string_view way) {
    skip_blanks();
    size_t found = at_;
    while (!way.empty()) {
      const std::string_view name = take_name(way);
      if (!(name.front() == '[' ? enter_element(name) : enter_member(name, found))) break;
      if (name.front() == '[') found = at_;
    }
    return found;
  }

  // Walks through a whole value.
  void find_repeated(std::vector<RepeatedMember>& found) {
    skip_blanks();
    if (open('{')) {
      std::set<std::string_view> names;
      while (peek() == '"') {
        const size_t key = at_;
        skip_string();
        const std::string_view name = json_.substr(key + 1, at_ - key - 2);
        if (!names.insert(name).second) found.push_back({std::string(name), key});
        skip_blanks();
        ++at_;  // the colon
        find_repeated(found);
        if (!next()) break;
      }
      ++at_;
    } else if (open('[')) {
      while (at_ < json_.size() && peek() != ']') {
        find_repeated(found);
        if (!next()) break;
      }
      ++at_;
    } else {
      skip_value();
    }
  }

 private:
  // "a.b[2]" is taken as "a", "b", "[2]".
  static std::string_view take_name(std::string_view& way) {
    const size_t end = std::min(way.find_first_of(".[", 1), way.size());
    const std::string_view name = way.substr(0, end);
    way.remove_prefix(std::min(way.size(), end + (way.substr(end, 1) == ".")));
    return name;
  }

  bool enter_member(std::string_view name, size_t& found) {
    if (!open('{')) return false;
    while (peek() == '"') {
      const size_t key = at_;
      skip_string();
      const bool here = json_.substr(key + 1, at_ - key - 2) == name;
      skip_blanks();
      ++at_;  // the colon
      skip_blanks();
      if (here) {
        found = key;
        return true;
      }
      skip_value();
      if (!next()) return false;
    }
    return false;
  }

  bool enter_element(std::string_view name) {
    size_t index = 0;
    std::from_chars(name.data() + 1, name.data() + name.size(), index);
    if (!open('[') || peek() == ']') return false;
    for (; index > 0; --index) {
      skip_value();
      if (!next()) return false;
    }
    return true;
  }

  char peek() const { return at_ < json_.size() ? json_[at_] : '\0'; }
  bool open(char bracket) {
    if (peek() != bracket) return false;
    ++at_;
    skip_blanks();
    return true;
  }
  // Goes on behind a comma.
  bool next() {
    skip_blanks();
    return open(',');
  }
  void skip_blanks() { at_ = std::min(json_.find_first_not_of(" \t\r\n", at_), json_.size()); }
  void skip_string() {
    for (++at_; peek() != '"' && at_ < json_.size(); ++at_) at_ += peek() == '\\';
    at_ = std::min(at_ + 1, json_.size());
  }
  void skip_value() {
    int depth = 0;
    do {
      const char c = peek();
      if (c == '"') {
        skip_string();
      } else if (c == '{' || c == '[') {
        ++depth;
        ++at_;
      } else if (c == '}' || c == ']') {
        --depth;
        ++at_;
      } else {
        at_ = std::min(json_.find_first_of("\"{}[],", at_ + (c == ',')), json_.size());
      }
    } while (at_ < json_.size() && depth > 0);
  }

  std::string_view json_;
  size_t at_ = 0;
};

// Keeps the place of the first error, and takes nothing else.
struct ErrorPlace final : nlohmann::json_sax<base::Json> {
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception&) override {
    behind = position;
    last = token;
    return false;
  }

  size_t behind = 0;  // the offset behind the last byte that was read
  std::string last;   // the last token, as far as it was read
};

}  // namespace

std::string line_and_column(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const auto columns = std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_begin),
                                     before.end(), [](char c) { return (c & 0xC0) != 0x80; });
  return std::to_string(lines + 1) + ":" + std::to_string(columns + 1);
}

size_t offset_of(std::string_view json, std::string_view way) { return Walker(json).find(way); }

std::vector<RepeatedMember> repeated_members(std::string_view json) {
  std::vector<RepeatedMember> found;
  Walker(json).find_repeated(found);
  return found;
}

std::string syntax_error(std::string_view text) {
  ErrorPlace place;
  base::Json::sax_parse(text.begin(), text.end(), &place);
  const size_t offset = std::min(place.behind, text.size()) - (place.behind > 0 ? 1 : 0);
  const std::string_view rest = base::trim(text.substr(std::min(offset, text.size())));
  const std::string where = line_and_column(text, offset) + ": not valid JSON: ";
  if (rest.empty() || place.behind > text.size())
    return where + "it ends too early; close each string and bracket";
  return where + "look for a comma, quote or bracket that is missing or one too many before \"" +
         base::printable(place.last) + "\"";
}

}  // namespace orch::adapters
