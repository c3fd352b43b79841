#include "tape/words.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/ascii.h"
#include "tape/placeholder.h"

namespace orch::tape {
namespace {

using base::is_digit;
using base::is_letter_or_digit;

// A part of the text from where a rule looked, and its replacement.
struct Found {
  size_t length = 0;
  std::string replacement;
};

bool is_word_char(char c) { return is_letter_or_digit(c) || c == '_'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }
bool ends_word(std::string_view text, size_t at) {
  return at >= text.size() || !is_word_char(text[at]);
}

size_t digits(std::string_view text, size_t at) {
  size_t count = 0;
  while (at + count < text.size() && is_digit(text[at + count])) ++count;
  return count;
}

// The length of the text if it has this pattern: 0 stands for a digit, x for a hexadecimal one, and
// other characters for themselves. 0: it has not.
size_t fits(std::string_view text, std::string_view pattern) {
  if (text.size() < pattern.size()) return 0;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = text[i];
    const bool is_one = pattern[i] == '0'   ? is_digit(c)
                        : pattern[i] == 'x' ? is_hex(base::lower(c))
                                            : c == pattern[i];
    if (!is_one) return 0;
  }
  return pattern.size();
}

// What stands behind these belongs to one run.
constexpr std::array<std::string_view, 6> kLabels{
    "Chunk ID: ", "Process Group PGID: ", "duration_ms>", "cc_version=", "cch=", "timezone>"};

std::optional<Found> label(std::string_view text) {
  for (const std::string_view one : kLabels) {
    if (!text.starts_with(one)) continue;
    size_t end = one.size();
    while (end < text.size() && (is_word_char(text[end]) ||
                                 std::string_view("./+-").find(text[end]) != std::string::npos)) {
      ++end;
    }
    if (end == one.size()) return std::nullopt;
    return Found{end, std::string(one) + placeholder("id")};
  }
  return std::nullopt;
}

std::optional<Found> system_version(std::string_view text) {
  for (const std::string_view one : {"Linux ", "Darwin "}) {
    if (!text.starts_with(one) || digits(text, one.size()) == 0) continue;
    size_t end = one.size();
    while (end < text.size() && (is_word_char(text[end]) ||
                                 std::string_view(".+-").find(text[end]) != std::string::npos)) {
      ++end;
    }
    return Found{end, std::string(one) + placeholder("version")};
  }
  return std::nullopt;
}

std::optional<Found> uuid(std::string_view text) {
  const size_t length = fits(text, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx");
  if (length == 0 || !ends_word(text, length)) return std::nullopt;
  return Found{length, placeholder("id")};
}

// The length of a time of day: 9:05, 21:51:40, 21:51:40.123.
size_t clock(std::string_view text) {
  const size_t hours = digits(text, 0);
  if (hours == 0 || hours > 2) return 0;
  size_t length = hours;
  size_t more = fits(text.substr(length), ":00");
  if (more == 0) return 0;
  length += more;
  length += fits(text.substr(length), ":00");
  if (length < text.size() && text[length] == '.') {
    const size_t fraction = digits(text, length + 1);
    length += fraction > 0 ? fraction + 1 : 0;
  }
  if (length < text.size() && (text[length] == ':' || !ends_word(text, length))) {
    return text[length] == 'Z' ? length + 1 : 0;
  }
  for (const std::string_view half : {" AM", " PM"}) {
    if (text.substr(length).starts_with(half)) length += half.size();
  }
  return length;
}

std::optional<Found> numeric_date(std::string_view text) {
  size_t length = fits(text, "0000-00-00");
  if (length == 0) {
    for (const std::string_view form : {"00/00/0000", "0/00/0000", "00/0/0000", "0/0/0000"}) {
      if (length == 0) length = fits(text, form);
    }
    if (length == 0 || !ends_word(text, length)) return std::nullopt;
    return Found{length, placeholder("date")};
  }
  if (length < text.size() && text[length] == 'T') {
    size_t time = clock(text.substr(length + 1));
    if (time == 0) return std::nullopt;
    length += 1 + time;
    for (const std::string_view zone : {"+00:00", "-00:00", "+0000", "-0000"}) {
      length += fits(text.substr(length), zone);
    }
  }
  if (!ends_word(text, length)) return std::nullopt;
  return Found{length, placeholder("date")};
}

constexpr std::array<std::string_view, 12> kMonths{"January",   "February", "March",    "April",
                                                   "May",       "June",     "July",     "August",
                                                   "September", "October",  "November", "December"};
constexpr std::array<std::string_view, 7> kDays{"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                "Friday", "Saturday", "Sunday"};

// The length of one of the names, whole or by its first three letters.
template <size_t count>
size_t name_of(const std::array<std::string_view, count>& names, std::string_view text) {
  constexpr size_t kShort = 3;
  for (const std::string_view name : names) {
    for (const std::string_view form : {name, name.substr(0, kShort)}) {
      if (text.starts_with(form) && ends_word(text, form.size())) return form.size();
    }
  }
  return 0;
}

// Walks over a date in words.
struct Walk {
  std::string_view text;
  size_t at = 0;
  std::string_view rest() const { return text.substr(std::min(at, text.size())); }
  bool skip(std::string_view words) {
    if (!rest().starts_with(words)) return false;
    at += words.size();
    return true;
  }
  // A number with so many digits.
  bool number(size_t least, size_t most) {
    const size_t count = digits(text, at);
    if (count < least || count > most || !ends_word(text, at + count)) return false;
    at += count;
    return true;
  }
  bool month() {
    const size_t length = name_of(kMonths, rest());
    at += length;
    return length > 0;
  }
};

// "Mon Nov 30 21:51:40 UTC 2026", "Monday, November 30, 2026", "30 November 2026", "Nov 30 21:51".
std::optional<Found> date_in_words(std::string_view text) {
  Walk walk{text};
  walk.at = name_of(kDays, text);
  if (walk.at > 0) {
    walk.skip(",");
    if (!walk.skip(" ")) return std::nullopt;
  }
  if (walk.number(1, 2)) {
    if (!walk.skip(" ") || !walk.month()) return std::nullopt;
  } else {
    if (!walk.month() || !walk.skip(" ")) return std::nullopt;
    walk.skip(" ");
    if (!walk.number(1, 2)) return std::nullopt;
  }
  Walk further = walk;
  if (further.skip(" ") && clock(further.rest()) > 0) {
    further.at += clock(further.rest());
    walk = further;
    if (further.skip(" UTC") && ends_word(text, further.at)) walk = further;
  }
  further = walk;
  further.skip(",");
  if (further.skip(" ") && further.number(4, 4)) walk = further;
  return Found{walk.at, placeholder("date")};
}

std::optional<Found> time_of_day(std::string_view text) {
  const size_t length = clock(text);
  if (length == 0) return std::nullopt;
  return Found{length, placeholder("time")};
}

// "0.0512 seconds", "8s", "120 ms".
std::optional<Found> duration(std::string_view text) {
  size_t length = digits(text, 0);
  if (length == 0) return std::nullopt;
  if (length < text.size() && text[length] == '.') {
    const size_t fraction = digits(text, length + 1);
    if (fraction == 0) return std::nullopt;
    length += 1 + fraction;
  }
  if (length < text.size() && text[length] == ' ') ++length;
  for (const std::string_view unit : {"milliseconds", "seconds", "second", "sec", "ms", "s"}) {
    if (!text.substr(length).starts_with(unit) || !ends_word(text, length + unit.size())) continue;
    return Found{length + unit.size(), placeholder("duration")};
  }
  return std::nullopt;
}

std::optional<Found> hash(std::string_view text) {
  constexpr size_t kLeast = 7;  // of the shortest that git prints
  size_t length = 0;
  bool has_digit = false;
  while (length < text.size() && is_hex(text[length])) has_digit |= is_digit(text[length++]);
  if (length < kLeast || !has_digit || !ends_word(text, length)) return std::nullopt;
  return Found{length, placeholder("hash")};
}

std::optional<Found> found(std::string_view text) {
  for (const auto rule :
       {label, system_version, uuid, numeric_date, date_in_words, time_of_day, duration, hash}) {
    if (std::optional<Found> one = rule(text)) return one;
  }
  return std::nullopt;
}

// Line ends may be escaped, in JSON that stands in a text: the word begins behind them.
bool is_escape(std::string_view text, size_t at) {
  return at > 0 && text[at - 1] == '\\' &&
         std::string_view("ntr").find(text[at]) != std::string::npos;
}

}  // namespace

std::string with_replaced_words(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    if (const size_t length = placeholder_length(text.substr(at)); length > 0) {
      out += text.substr(at, length);
      at += length;
      continue;
    }
    if (!is_word_char(text[at]) || is_escape(text, at)) {
      out += text[at++];
      continue;
    }
    // A time that belongs to a longer row of numbers is none: "sum.py:12:34".
    const bool follows_colon = at > 0 && text[at - 1] == ':';
    const std::optional<Found> one = found(text.substr(at));
    if (one && !(follows_colon && one->replacement == placeholder("time"))) {
      out += one->replacement;
      at += one->length;
      continue;
    }
    do {
      out += text[at++];
    } while (at < text.size() && is_word_char(text[at]));
  }
  return out;
}

}  // namespace orch::tape
