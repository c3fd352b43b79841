#include "base/literals.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <optional>

#include "base/text.h"

namespace orch::base {
namespace {

using Strings = std::vector<std::string>;

constexpr size_t kMostExact = 128;  // most strings that are still joined with the next part
constexpr char kAnyHigh = LiteralScan::kAnyHigh;
constexpr char32_t kLastCode = 0x10FFFF;

// The knowledge about a part of an expression. Either it is exact: the part matches exactly these
// strings. Or every match contains one of them; without strings, the part is unknown.
struct Known {
  bool exact = true;
  Strings strings;
  bool first = false;  // not exact: every match begins with one of them
};
const Known kNothing{false, {}, false};
const Known kEmpty{true, {""}, false};

void tidy(Strings& strings) {
  std::sort(strings.begin(), strings.end());
  strings.erase(std::unique(strings.begin(), strings.end()), strings.end());
}

// How selective a set of alternatives is: first by its least selective string, then by how few
// strings there are. Blanks and the edges of the text are everywhere, so they hardly count.
size_t worth(const Strings& strings) {
  if (strings.empty()) return 0;
  size_t least = 24;
  for (const std::string& s : strings) {
    const auto blanks = static_cast<size_t>(std::count_if(
        s.begin(), s.end(), [](char c) { return c == ' ' || c == '\n' || c == '\t'; }));
    const size_t tells = blanks == s.size() ? 0 : 3 * (s.size() - blanks) + blanks;
    least = std::min(least, tells);
  }
  return least == 0 ? 0 : least * 1000 + (1000 - std::min<size_t>(999, strings.size()));
}

const Strings& better(const Strings& a, const Strings& b) { return worth(b) > worth(a) ? b : a; }

// Combines the knowledge about parts that follow each other.
class Sequence {
 public:
  void append(const Known& next) {
    const bool joins = (next.exact || next.first) && !two_edges(run_, next.strings) &&
                       run_.size() * next.strings.size() <= kMostExact;
    if (!joins) {
      close();
      exact_ = false;
    }
    if (!next.exact && !next.first) {
      best_ = better(best_, next.strings);
      return;
    }
    Strings joined;
    for (const std::string& head : run_) {
      for (const std::string& tail : next.strings) joined.push_back(head + tail);
    }
    tidy(joined);
    run_ = std::move(joined);
    if (next.exact) return;
    close();
    exact_ = false;
  }
  Known known() {
    if (exact_) return {true, run_};
    close();
    return {false, best_};
  }

 private:
  // Anchors match no character: for two side by side the text has only one "\n".
  static bool two_edges(const Strings& heads, const Strings& tails) {
    return std::any_of(heads.begin(), heads.end(), [](auto& s) { return s.ends_with('\n'); }) &&
           std::any_of(tails.begin(), tails.end(), [](auto& s) { return s.starts_with('\n'); });
  }
  void close() {
    best_ = better(best_, run_);
    run_ = {""};
  }

  bool exact_ = true;
  Strings run_{""};  // strings that match the parts since the last inexact one
  Strings best_;
};

Known either(const Known& a, const Known& b) {
  Strings all = a.strings;
  all.insert(all.end(), b.strings.begin(), b.strings.end());
  tidy(all);
  if (a.exact && b.exact && all.size() <= kMostExact) return {true, all};
  // The strings of an exact side are also required.
  const bool useless = a.strings.empty() || b.strings.empty();
  return useless ? kNothing : Known{false, all, (a.exact || a.first) && (b.exact || b.first)};
}

// A set of characters: ASCII characters one by one, the others as ranges.
struct Class {
  std::bitset<128> ascii;
  std::vector<std::pair<char32_t, char32_t>> ranges;

  void add(char32_t from, char32_t to) {
    for (char32_t c = from; c <= to && c < 0x80; ++c) ascii.set(c);
    if (to >= 0x80) ranges.emplace_back(std::max<char32_t>(from, 0x80), to);
  }
  void add_all_others() { ranges.emplace_back(0x80, kLastCode); }
};

// The characters of a class as strings if they are few; otherwise the first bytes of each.
Known known(const Class& set) {
  constexpr char32_t kFew = 16, kMany = 0x1000;
  constexpr size_t kMostOfClass = 64;  // more are nearly every character
  Known result;
  for (size_t c = 0; c < 128; ++c) {
    if (set.ascii.test(c)) result.strings.emplace_back(1, lower(static_cast<char>(c)));
  }
  for (const auto& [from, to] : set.ranges) {
    if (from == 0x80 && to == kLastCode) {
      result.strings.emplace_back(1, kAnyHigh);
      result.exact = false;
      continue;
    }
    const char32_t span = to - from;
    const bool few = span < kFew;
    const bool many = span > kMany;
    for (char32_t c = from; c <= to;) {
      std::string bytes;
      append_utf8(bytes, c);
      if (!few) bytes.resize(many ? 1 : bytes.size() - 1);
      result.strings.push_back(std::move(bytes));
      // Skips the other characters that begin with the same bytes.
      const char32_t of_first = c < 0x800 ? 0x3F : c < 0x10000 ? 0xFFF : 0x3FFFF;
      c = (few ? c : c | (many ? of_first : 0x3F)) + 1;
    }
    result.exact = result.exact && few;
  }
  tidy(result.strings);
  if (result.strings.size() > kMostOfClass) return kNothing;
  result.first = !result.exact;
  return result;
}

// Parses the part of RE2's syntax that rules use. An expression with any other syntax is unknown.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::optional<Known> read() {
    const Known all = alternatives(false);
    if (failed_ || !text_.empty()) return std::nullopt;
    return all;
  }

 private:
  bool take(std::string_view token) {
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }
  Known fail() {
    failed_ = true;
    return kNothing;
  }
  char32_t next_code() {
    size_t length = 1;
    while (length < text_.size() && (static_cast<uint8_t>(text_[length]) & 0xC0) == 0x80) ++length;
    char32_t code = 0;
    const auto first = static_cast<uint8_t>(text_[0]);
    code = first < 0x80 ? first : first & (0x3F >> (length - 1));
    for (size_t i = 1; i < length; ++i) code = code << 6 | (static_cast<uint8_t>(text_[i]) & 0x3F);
    text_.remove_prefix(length);
    return code;
  }

  Known alternatives(bool fold) {
    std::optional<Known> all;
    do {
      Known one = sequence(fold);
      all = all ? either(*all, one) : one;
    } while (!failed_ && take("|"));
    return *all;
  }

  // `fold`, for letters of either case, applies up to the end of the group that sets it.
  Known sequence(bool& fold) {
    Sequence sequence;
    while (!failed_ && !text_.empty() && text_[0] != '|' && text_[0] != ')') {
      if (take("(?i)")) {
        fold = true;
        continue;
      }
      const Known part = atom(fold);
      repeat(part, sequence);
    }
    return sequence.known();
  }

  // Appends the part as often as its quantifier says. An optional part is an alternative to the
  // empty text; of a repeated part, the last of the required copies is next to the following part.
  void repeat(const Known& part, Sequence& sequence) {
    int least = 1;
    bool once = true;
    if (take("*")) {
      least = 0, once = false;
    } else if (take("+")) {
      once = false;
    } else if (take("?")) {
      static_cast<void>(take("?"));
      return sequence.append(part.exact ? either(part, kEmpty) : kNothing);
    } else if (!text_.empty() && text_[0] == '{') {
      once = false;
      if (!counted(least)) return static_cast<void>(fail());
    }
    if (!once) static_cast<void>(take("?"));  // lazy: matches the same texts
    if (!part.exact) return sequence.append(least > 0 ? side_by_side(part, least) : kNothing);
    if (!once) sequence.append(kNothing);
    if (least > 0) sequence.append(part);
  }

  // Two or more characters outside of ASCII are at least two bytes each, all of them >= 0x80.
  static Known side_by_side(Known part, int times) {
    if (part.strings == Strings{std::string(1, kAnyHigh)}) {
      part.strings[0].assign(static_cast<size_t>(std::min(2 * times, 16)), kAnyHigh);
    }
    return part;
  }

  // Parses {n}, {n,} or {n,m}: at least how often.
  bool counted(int& least) {
    const size_t end = text_.find('}');
    if (end == std::string_view::npos || end < 2) return false;
    const std::string_view inside = text_.substr(1, end - 1);
    if (inside.find_first_not_of("0123456789,") != std::string_view::npos) return false;
    if (inside[0] == ',') return false;
    const std::string_view digits = inside.substr(0, inside.find(','));
    least = 0;
    for (const char digit : digits) least = std::min(1000, least * 10 + (digit - '0'));
    text_.remove_prefix(end + 1);
    return true;
  }

  Known atom(bool fold) {
    if (take("(")) {
      if (take("?i:")) {
        fold = true;
      } else if (text_.starts_with("?") && !take("?:")) {
        return fail();
      }
      const Known inside = alternatives(fold);
      return take(")") ? inside : fail();
    }
    if (take("[")) return bracket(fold);
    if (take("^") || take("$")) return {true, {"\n"}};
    if (take(".")) return kNothing;
    if (text_[0] == '\\') {
      if (take("\\b") || take("\\B")) return kEmpty;
      Class set;
      return escape(set) ? of_class(set, fold) : fail();
    }
    if (std::string_view("*+?{").find(text_[0]) != std::string_view::npos) return fail();
    Class one;
    const char32_t code = next_code();
    one.add(code, code);
    return of_class(one, fold);
  }

  // Ranges of arrows, mathematical and technical signs, boxes, shapes, dingbats and braille.
  static bool has_no_case(const std::pair<char32_t, char32_t>& range) {
    return (range.first >= 0x2190 && range.second < 0x2400) ||
           (range.first >= 0x2500 && range.second < 0x2C00);
  }

  Known of_class(Class set, bool fold) {
    if (fold) {
      // The Kelvin sign and the long s are other cases of k and s; other letters outside of ASCII
      // would need tables.
      if (!std::all_of(set.ranges.begin(), set.ranges.end(), has_no_case)) set.add_all_others();
      for (char32_t c = 'a'; c <= 'z'; ++c) {
        if (!set.ascii.test(c) && !set.ascii.test(c - 32)) continue;
        set.ascii.set(c);
        if (c == 'k') set.add(0x212A, 0x212A);
        if (c == 's') set.add(0x17F, 0x17F);
      }
    }
    return known(set);
  }

  // The rest of an escape after its backslash: a class, or a character that stands for itself.
  bool escape(Class& set) {
    text_.remove_prefix(1);
    if (text_.empty()) return false;
    if (take("d")) return set.add('0', '9'), true;
    if (take("w")) {
      set.add('0', '9');
      set.add('A', 'Z');
      set.add('a', 'z');
      return set.add('_', '_'), true;
    }
    if (take("s")) {
      for (const char32_t c : {U' ', U'\t', U'\n', U'\f', U'\r'}) set.add(c, c);
      return true;
    }
    if (take("p{So}")) return set.add_all_others(), true;  // other symbols: none is in ASCII
    if (take("x{")) {
      const size_t end = text_.find('}');
      if (end == 0 || end > 6) return false;
      char32_t code = 0;
      for (const char c : text_.substr(0, end)) {
        const size_t digit = std::string_view("0123456789abcdef").find(lower(c));
        if (digit == std::string_view::npos) return false;
        code = code * 16 + static_cast<char32_t>(digit);
      }
      text_.remove_prefix(end + 1);
      return set.add(code, code), true;
    }
    if (take("n")) return set.add('\n', '\n'), true;
    if (take("t")) return set.add('\t', '\t'), true;
    const char c = text_[0];
    if (static_cast<uint8_t>(c) < 0x80 && c > ' ' && !is_word(c)) {
      const char32_t code = next_code();
      return set.add(code, code), true;
    }
    for (const auto& [name, ascii] :
         {std::pair{"pS", "$+<=>^`|~"}, std::pair{"pP", kPunctuation}}) {
      if (!take(name)) continue;
      for (const char* sign = ascii; *sign != '\0'; ++sign)
        set.ascii.set(static_cast<size_t>(*sign));
      return set.add_all_others(), true;
    }
    // Every other class (\pL, \D, ...): it may contain any character.
    if (std::string_view("pPDWS").find(c) == std::string_view::npos) return false;
    text_.remove_prefix(1);
    if (c == 'p' || c == 'P') {
      const size_t end = text_.starts_with("{") ? text_.find('}') : 0;
      if (end == std::string_view::npos || text_.empty()) return false;
      text_.remove_prefix(end + 1);
    }
    set.add(0, kLastCode);
    return true;
  }
  static constexpr const char* kPunctuation = "!\"#%&'()*,-./:;?@[\\]_{}";
  static bool is_word(char c) { return is_letter_or_digit(c) || c == '_'; }

  Known bracket(bool fold) {
    const bool negated = take("^");
    Class set;
    for (bool first = true; !text_.starts_with("]") || first; first = false) {
      if (text_.size() < 2 || text_.starts_with("[:")) return fail();
      Class item;
      if (text_[0] == '\\') {
        if (!escape(item)) return fail();
        set.ascii |= item.ascii;
        set.ranges.insert(set.ranges.end(), item.ranges.begin(), item.ranges.end());
        if (text_.starts_with("-") && !text_.starts_with("-]")) return fail();
        continue;
      }
      const char32_t from = next_code();
      char32_t to = from;
      if (text_.starts_with("-") && !text_.starts_with("-]")) {
        text_.remove_prefix(1);
        if (text_.empty() || text_[0] == '\\' || text_[0] == '[') return fail();
        to = next_code();
      }
      set.add(from, to);
    }
    text_.remove_prefix(1);
    return negated ? kNothing : of_class(set, fold);
  }

  std::string_view text_;
  bool failed_ = false;
};

}  // namespace

std::vector<std::string> required_literals(std::string_view expression) {
  const std::optional<Known> all = Reader(expression).read();
  return all && worth(all->strings) > 0 ? all->strings : Strings{};
}

void frame_text(std::string_view text, std::string& out) {
  out.resize(1 + text.size() + 1 + LiteralScan::kWindow - 1);
  char* to = out.data();
  *to++ = '\n';
  for (const char c : text) *to++ = lower(c);
  *to++ = '\n';
  std::fill(to, out.data() + out.size(), '\0');
}

namespace {

bool fits(char wanted, uint8_t byte) {
  return wanted == kAnyHigh ? byte >= 0x80 : static_cast<uint8_t>(wanted) == byte;
}

bool begins_with(std::string_view text, std::string_view literal) {
  return literal.size() <= text.size() &&
         std::equal(literal.begin(), literal.end(), text.begin(),
                    [](char wanted, char c) { return fits(wanted, static_cast<uint8_t>(c)); });
}

}  // namespace

void LiteralScan::add(const std::vector<std::string>& literals) {
  const size_t group = added_++ % kGroups;
  const uint64_t bit = uint64_t{1} << group;
  for (const std::string& literal : literals) {
    for (size_t at = 0; at < kWindow; ++at) {
      std::array<uint64_t, 256>& groups = groups_at_[at];
      const bool any = at >= literal.size();
      if (any || literal[at] == kAnyHigh) {
        for (size_t byte = any ? 0 : 0x80; byte < 256; ++byte) groups[byte] |= bit;
      } else {
        groups[static_cast<uint8_t>(literal[at])] |= bit;
      }
    }
    literals_[group].push_back(literal);
  }
}

bool LiteralScan::any_in(std::string_view framed) const {
  const auto groups_of = [this](size_t at, char byte) {
    return groups_at_[at][static_cast<uint8_t>(byte)];
  };
  const char* const end = framed.data() + framed.size();
  for (const char* at = framed.data(); end - at >= static_cast<std::ptrdiff_t>(kWindow); ++at) {
    uint64_t groups = groups_of(0, at[0]) & groups_of(1, at[1]);
    if (groups == 0) continue;
    groups &= groups_of(2, at[2]) & groups_of(3, at[3]);
    const std::string_view rest(at, static_cast<size_t>(end - at));
    for (; groups != 0; groups &= groups - 1) {
      const Strings& group = literals_[static_cast<size_t>(std::countr_zero(groups))];
      const bool found = std::any_of(group.begin(), group.end(),
                                     [rest](const std::string& l) { return begins_with(rest, l); });
      if (found) return true;
    }
  }
  return false;
}

}  // namespace orch::base
