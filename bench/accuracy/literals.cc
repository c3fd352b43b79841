#include "accuracy/literals.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace orch::accuracy {
namespace {

constexpr char32_t kUnmatchable = 0xF8FF;  // private use: no agent draws it
constexpr char32_t kAscii = 0x80;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_letter(c) || is_digit(c); }

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kNoBreakSpace = "\u00a0";
  for (size_t before = text.size() + 1; text.size() < before;) {
    before = text.size();
    text = base::trim(text);
    if (text.starts_with(kNoBreakSpace)) text.remove_prefix(kNoBreakSpace.size());
    if (text.ends_with(kNoBreakSpace)) text.remove_suffix(kNoBreakSpace.size());
  }
  return text;
}

// One element of an expression: a literal character, or anything else.
struct Element {
  size_t length = 0;
  char32_t literal = 0;  // 0: not a literal character
};

Element read_escape(std::string_view rest) {
  const char kind = rest.size() > 1 ? rest[1] : '\0';
  if (kind == 'x') {
    const bool braced = rest.size() > 2 && rest[2] == '{';
    const size_t begin = braced ? 3 : 2;
    const size_t end = std::min(braced ? rest.find('}') : begin + 2, rest.size());
    uint32_t code = 0;
    std::from_chars(rest.data() + std::min(begin, end), rest.data() + end, code, 16);
    return {std::min(end + (braced ? 1 : 0), rest.size()), code};
  }
  if ((kind == 'p' || kind == 'P') && rest.size() > 2) {  // \pS, \p{So}
    return {rest[2] == '{' ? std::min(rest.find('}'), rest.size() - 1) + 1 : 3, 0};
  }
  const bool is_class = is_letter(kind) || is_digit(kind);
  return {std::min<size_t>(2, rest.size()), is_class ? U'\0' : static_cast<char32_t>(kind & 0x7F)};
}

Element read_char(std::string_view rest) {
  if (rest.front() == '\\') return read_escape(rest);
  const base::Decoded decoded = base::decode_utf8(rest);
  return {decoded.length, decoded.code_point};
}

size_t quantifier_length(std::string_view rest) {
  if (rest.empty()) return 0;
  size_t length = 0;
  if (rest[0] == '{' && rest.size() > 1 && is_digit(rest[1])) {
    length = std::min(rest.find('}'), rest.size() - 1) + 1;
  } else if (rest[0] == '*' || rest[0] == '+' || rest[0] == '?') {
    length = 1;
  }
  const bool lazy = length > 0 && rest.size() > length && rest[length] == '?';
  return lazy ? length + 1 : length;
}

// An item of a character class: a character, a range, or a class such as \s.
struct ClassItem {
  size_t begin = 0, end = 0;  // the range in the expression
  CharRange range{0, 0};      // 0: not a character or range
};

struct CharClass {
  size_t end = 0;
  bool negated = false;
  std::vector<ClassItem> items;
};

CharClass read_class(std::string_view expression, size_t begin) {
  CharClass read;
  size_t at = begin + 1;
  read.negated = at < expression.size() && expression[at] == '^';
  if (read.negated) ++at;
  for (const size_t first = at; at < expression.size();) {
    if (expression[at] == ']' && at > first) break;
    ClassItem item{at, at, {0, 0}};
    if (expression.substr(at).starts_with("[:")) {
      at = std::min(expression.find(":]", at), expression.size() - 2) + 2;
    } else {
      const Element low = read_char(expression.substr(at));
      at += low.length;
      item.range = {low.literal, low.literal};
      const std::string_view rest = expression.substr(at);
      if (low.literal != 0 && rest.size() > 1 && rest[0] == '-' && rest[1] != ']') {
        const Element high = read_char(rest.substr(1));
        at += 1 + high.length;
        item.range.second = high.literal;
      }
    }
    item.end = at;
    read.items.push_back(item);
  }
  read.end = std::min(at + 1, expression.size());
  return read;
}

// Ranges of ASCII characters, and blanks, describe a kind of character and not a glyph.
bool is_glyph(const CharRange& range) {
  if (range.first <= ' ' || range.first == 0xA0) return false;
  return range.first == range.second || range.first >= kAscii;
}

class LiteralScanner {
 public:
  explicit LiteralScanner(std::string_view expression) : expression_(expression) {}

  std::vector<Literal> scan() {
    while (at_ < expression_.size()) step();
    end_run();
    return std::move(found_);
  }

 private:
  void step() {
    const std::string_view rest = expression_.substr(at_);
    switch (rest.front()) {
      case '[':
        return take_class();
      case '(':
        end_run();
        at_ += rest.starts_with("(?") ? std::min(rest.find_first_of(":)"), rest.size() - 1) + 1 : 1;
        return;
      case ')':
      case '|':
      case '^':
      case '$':
      case '.':
        end_run();
        ++at_;
        return;
      default:
        break;
    }
    if (const size_t length = quantifier_length(rest); length > 0) {
      at_ += length;
      return;
    }
    take_char(read_char(rest));
  }

  void take_char(Element element) {
    const bool quantified = quantifier_length(expression_.substr(at_ + element.length)) > 0;
    if (element.literal == 0 || quantified) end_run();
    if (element.literal != 0) {
      if (run_.empty()) run_begin_ = at_;
      base::append_utf8(run_, element.literal);
    }
    at_ += element.length;
    if (quantified) end_run();
  }

  void take_class() {
    end_run();
    const CharClass read = read_class(expression_, at_);
    Literal literal{at_, read.end, std::string(expression_.substr(at_, read.end - at_)), {}};
    for (const ClassItem& item : read.items) {
      if (is_glyph(item.range)) literal.members.push_back(item.range);
    }
    if (!read.negated && !literal.members.empty()) found_.push_back(std::move(literal));
    at_ = read.end;
  }

  void end_run() {
    const std::string_view text = without_blanks(run_);
    if (!text.empty()) found_.push_back({run_begin_, at_, std::string(text), {}});
    run_.clear();
  }

  std::string_view expression_;
  size_t at_ = 0;
  size_t run_begin_ = 0;
  std::string run_;
  std::vector<Literal> found_;
};

std::vector<char32_t> characters_of(std::string_view text) {
  std::vector<char32_t> characters;
  while (!text.empty()) {
    const base::Decoded decoded = base::decode_utf8(text);
    characters.push_back(decoded.code_point);
    text.remove_prefix(decoded.length);
  }
  return characters;
}

// Whether `words` is in `text`, and neither begins nor ends inside of a word there.
bool holds_words(const std::string& text, const std::string& words) {
  for (size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) {
    const size_t end = at + words.size();
    const bool begins = at == 0 || !is_word(text[at - 1]) || !is_word(words.front());
    const bool ends = end == text.size() || !is_word(text[end]) || !is_word(words.back());
    if (begins && ends) return true;
  }
  return false;
}

// The words in `text` that a vendor could reword: those with at least three letters.
std::vector<std::string> words_of(std::string_view text) {
  constexpr auto kLetters = 3;
  std::vector<std::string> words;
  for (auto begin = text.begin(); begin != text.end();) {
    const auto end = std::find_if_not(begin, text.end(), is_word);
    if (std::count_if(begin, end, is_letter) >= kLetters) words.emplace_back(begin, end);
    begin = end == begin ? std::next(begin) : end;
  }
  return words;
}

bool overlap(const CharRange& a, const CharRange& b) {
  return a.first <= b.second && b.first <= a.second && std::max(a.first, b.first) >= kAscii;
}

// The characters that a class, or a run of a single character, stands for.
std::vector<CharRange> glyphs_of(const Literal& literal) {
  if (!literal.members.empty()) return literal.members;
  const std::vector<char32_t> characters = characters_of(literal.text);
  if (characters.size() != 1) return {};
  return {{characters.front(), characters.front()}};
}

bool any_overlap(const std::vector<CharRange>& ranges, const CharRange& range) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&range](const CharRange& other) { return overlap(other, range); });
}

bool same(const Literal& a, const Literal& b) {
  return a.members.empty() == b.members.empty() && lower(a.text) == lower(b.text);
}

std::string replacement_of(std::string_view expression, const Literal& place,
                           const Literal& removed) {
  std::string out;
  if (place.members.empty()) {
    for (size_t i = 0; i < characters_of(place.text).size(); ++i) {
      base::append_utf8(out, kUnmatchable);
    }
    return out;
  }
  const std::vector<CharRange> glyphs = glyphs_of(removed);
  out = "[";
  for (const ClassItem& item : read_class(expression, place.begin).items) {
    const bool goes =
        is_glyph(item.range) && (same(place, removed) || any_overlap(glyphs, item.range));
    if (!goes) out += expression.substr(item.begin, item.end - item.begin);
  }
  base::append_utf8(out, kUnmatchable);
  return out + "]";
}

void collect(std::vector<detect::ConditionSpec>& conditions, std::vector<std::string*>& out) {
  for (detect::ConditionSpec& condition : conditions) {
    out.push_back(&condition.pattern);
    out.push_back(&condition.unless_after);
    collect(condition.any, out);
  }
}

}  // namespace

std::vector<Literal> literals_in(std::string_view expression) {
  return LiteralScanner(expression).scan();
}

bool falls_with(const Literal& other, const Literal& literal) {
  if (same(other, literal)) return true;
  if (other.members.empty() && literal.members.empty()) {
    const std::string a = lower(other.text), b = lower(literal.text);
    return holds_words(a, b) || (!words_of(a).empty() && holds_words(b, a));
  }
  const std::vector<CharRange> glyphs = glyphs_of(literal);
  if (!other.members.empty()) {
    return std::any_of(other.members.begin(), other.members.end(),
                       [&glyphs](const CharRange& range) { return any_overlap(glyphs, range); });
  }
  const std::vector<char32_t> characters = characters_of(other.text);
  return std::any_of(characters.begin(), characters.end(), [&glyphs](char32_t c) {
    return any_overlap(glyphs, {c, c});
  });
}

std::vector<std::string*> expressions_of(detect::RuleSetSpec& rules) {
  detect::BoxSpec& box = rules.box;
  std::vector<std::string*> all = {&box.prompt,     &box.top,         &box.bottom,        &box.side,
                                   &box.not_prompt, &box.placeholder, &rules.user_message};
  for (detect::RuleSpec& rule : rules.rules) {
    collect(rule.when, all);
    for (detect::CauseSpec& cause : rule.causes) all.push_back(&cause.pattern);
  }
  for (detect::NoticeSpec& notice : rules.notices) all.push_back(&notice.pattern);
  return all;
}

std::vector<Literal> distinct_literals(detect::RuleSetSpec rules) {
  std::vector<Literal> distinct;
  const auto keep = [&distinct](Literal literal) {
    const bool known = std::any_of(distinct.begin(), distinct.end(),
                                   [&](const Literal& other) { return same(other, literal); });
    if (!known) distinct.push_back(std::move(literal));
  };
  for (const std::string* expression : expressions_of(rules)) {
    for (const Literal& literal : literals_in(*expression)) {
      keep(literal);
      if (!literal.members.empty()) continue;
      for (std::string& word : words_of(literal.text)) keep({0, 0, std::move(word), {}});
    }
  }
  return distinct;
}

detect::RuleSetSpec without(detect::RuleSetSpec rules, const Literal& literal) {
  for (std::string* expression : expressions_of(rules)) {
    const std::vector<Literal> places = literals_in(*expression);
    // From the end, so that the offsets of the places before stay valid.
    for (auto place = places.rbegin(); place != places.rend(); ++place) {
      if (!falls_with(*place, literal)) continue;
      expression->replace(place->begin, place->end - place->begin,
                          replacement_of(*expression, *place, literal));
    }
  }
  return rules;
}

std::string without(std::string_view expression, const Literal& literal) {
  std::string out(expression);
  return out.replace(literal.begin, literal.end - literal.begin,
                     replacement_of(expression, literal, literal));
}

}  // namespace orch::accuracy
