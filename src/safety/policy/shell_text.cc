#include "policy/shell_text.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace orch::policy {
namespace {

constexpr size_t kMaxWords = 64;

bool is_glob(char c) { return c == kGlobStar || c == kGlobOne || c == kGlobSet; }
bool holds(std::string_view text, char c) { return text.find(c) != std::string_view::npos; }
bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}
bool holds_unknown(std::string_view text) {
  return holds(text, kAnyText) || holds(text, kAnyWords) || holds(text, kMaybeBegin);
}

// Whether the text begins like an option, or like a ref that is forced or removed.
bool begins_oddly(std::string_view text) {
  return text.starts_with('-') || text.starts_with('+') || text.starts_with(':');
}

// Whether this component of a path may be ".." or "." or empty.
bool may_be_dots(std::string_view part) {
  if (part.empty()) return true;
  if (part[0] == '.' && part.size() > 1 && part[1] == kGlobSet && part.size() > 2) {
    return part[2] != '!' && part[2] != '^';
  }
  return std::all_of(part.begin(), part.end(), [part](char c) {
    return c == '.' || c == kSomeCharacters || (is_glob(c) && part[0] == '.');
  });
}

// Whether no component of a path begins with a dot, and no pattern in it leaves few names out.
bool is_of_no_note(std::string_view path) {
  if (path.starts_with("./")) path.remove_prefix(2);
  const bool has_pattern = std::any_of(path.begin(), path.end(), [](char c) {
    return is_glob(c) || c == '*' || c == '?' || c == '[';
  });
  return !path.empty() && path[0] != '.' && !holds(path, "/.") &&
         (!has_pattern || is_narrow_pattern(path));
}

// The words of a brace expansion "{a,b}" or "{1..9}"; nullopt if it does not expand. `inside` is
// the text between its outer marks.
std::optional<std::vector<std::string>> alternatives(std::string_view inside) {
  std::vector<std::string> words(1);
  int depth = 0;
  for (const char c : inside) {
    if (c == kBraceOpen) ++depth;
    if (c == kBraceClose) --depth;
    if (c == kBraceComma && depth == 0) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  if (words.size() > 1) return words;
  const size_t dots = inside.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const bool numbers = std::all_of(inside.begin(), inside.end(),
                                   [](char c) { return c == '.' || base::is_digit(c); });
  return std::vector<std::string>{std::string(1, numbers ? kDigits : kAnyText)};
}

std::string with_plain_braces(std::string text) {
  std::replace(text.begin(), text.end(), kBraceOpen, '{');
  std::replace(text.begin(), text.end(), kBraceComma, ',');
  std::replace(text.begin(), text.end(), kBraceClose, '}');
  return text;
}

size_t closing_brace(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == kBraceOpen) ++depth;
    if (text[i] == kBraceClose && --depth == 0) return i;
  }
  return std::string_view::npos;
}

}  // namespace

bool ShellWord::exact() const { return std::none_of(text.begin(), text.end(), is_mark); }

bool ShellWord::unknown() const {
  const std::string value = whole(text);
  return !value.empty() &&
         (value[0] == kAnyText || value[0] == kAnyWords || value[0] == kSomeCharacters);
}

bool ShellWord::glob() const { return std::any_of(text.begin(), text.end(), is_glob); }

ShellWord exact_word(std::string_view text) {
  ShellWord word;
  word.text = text;
  return word;
}

std::string whole(std::string_view text) {
  const size_t begin = text.find(kMaybeBegin);
  if (begin == std::string_view::npos) return std::string(text);
  if (begin == 0 && text.find(kMaybeEnd) == text.size() - 1) {
    return std::string(text.substr(1, text.size() - 2));
  }
  return std::string(text.substr(0, begin)) + kAnyText;
}

std::vector<std::string> expand_braces(const std::string& text) {
  std::vector<std::string> done;
  std::vector<std::string> open{text};
  size_t steps = 0;
  while (!open.empty()) {
    std::string word = std::move(open.back());
    open.pop_back();
    const size_t begin = word.find(kBraceOpen);
    if (begin == std::string::npos) {
      done.push_back(with_plain_braces(std::move(word)));
      continue;
    }
    if (++steps > kMaxWords || done.size() + open.size() > kMaxWords) {
      return {std::string(1, kAnyWords)};
    }
    const size_t end = closing_brace(word, begin);
    const auto words =
        end == std::string::npos
            ? std::nullopt
            : alternatives(std::string_view(word).substr(begin + 1, end - begin - 1));
    if (!words) {  // no expansion, only a brace
      word[begin] = '{';
      open.push_back(std::move(word));
      continue;
    }
    if (words->size() > kMaxWords) return {std::string(1, kAnyWords)};
    for (auto it = words->rbegin(); it != words->rend(); ++it) {
      open.push_back(word.substr(0, begin) + *it + word.substr(end + 1));
    }
  }
  return done;
}

bool holds_command_of_subscript(std::string_view text) {
  const std::string_view subscript = text.substr(std::min(text.find('['), text.size()));
  return subscript.find('`') != std::string_view::npos ||
         subscript.find("$(") != std::string_view::npos ||
         subscript.find("${") != std::string_view::npos;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return base::is_digit(c) || c == kDigits; });
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return base::is_letter_or_digit(c) || c == '_';
  });
}

bool is_some_name(std::string_view text) {
  return !holds_unknown(text) && !holds(text, '/') && !holds(text, kPathBelow) &&
         !begins_oddly(text) && !may_be_dots(text);
}

bool is_path_below(std::string_view text) {
  if (holds_unknown(text) || text.empty() || text[0] == '/' || begins_oddly(text)) return false;
  while (!text.empty()) {
    const std::string_view part = base::take_until(text, '/');
    if (part != "." && (part == ".." || (!part.empty() && may_be_dots(part)))) return false;
  }
  return true;
}

bool is_narrow_pattern(std::string_view pattern) {
  size_t literals = 0;     // characters that stand for themselves
  bool says_much = false;  // one of them is not in most names
  bool at_begin = false;
  bool at_end = false;
  bool first = true;
  for (size_t i = 0; i < pattern.size(); ++i) {
    char c = pattern[i];
    at_end = false;
    if (c == '[' || c == kGlobSet) {
      const size_t close = pattern.find(']', i + 2);
      i = std::min(close, pattern.size());
    } else if (c == '/') {
      first = true;
      continue;
    } else if (c != '*' && c != '?' && !is_mark(c)) {
      if (c == '\\' && i + 1 < pattern.size()) c = pattern[++i];
      ++literals;
      at_end = c != '.' && c != '-';
      says_much = says_much || at_end;
      at_begin = at_begin || (first && at_end);
    }
    first = false;
  }
  return says_much && (literals > 1 || at_begin || at_end);
}

std::string one_of(const std::vector<std::string>& texts) {
  if (texts.empty()) return "";
  const auto all = [&texts](auto holds_for) {
    return std::all_of(texts.begin(), texts.end(), holds_for);
  };
  if (all([&texts](const std::string& text) { return text == texts.front(); })) return texts[0];
  if (all([](const std::string& text) { return is_number(text); })) return {kDigits};
  // The marks below stand for names of no consequence, as programs' and files' are judged.
  if (!all([](const std::string& text) { return is_of_no_note(text); })) return {kAnyText};
  if (all([](const std::string& text) { return is_some_name(text); })) return {kSomeName};
  if (all([](const std::string& text) { return is_path_below(text); })) return {kPathBelow};
  return {kAnyText};
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string text_of(const std::vector<ShellWord>& words) {
  std::string text;
  for (const ShellWord& word : words) {
    if (&word != &words.front()) text += ' ';
    text += word.text;
  }
  return text;
}

}  // namespace orch::policy
