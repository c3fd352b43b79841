#include "options/first_words.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/name.h"
#include "base/text.h"

namespace orch::options {
namespace {

constexpr size_t kMostWords = 5;     // of a prompt, in a name
constexpr size_t kLongestWord = 20;  // a longer one is not a spoken word; it may be a token
constexpr size_t kLongestName = 40;  // leaves room for "-2"

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

// Some languages write sentences without blanks; no issue name has their letters.
bool is_of_a_sentence(char c) { return is_blank(c) || static_cast<unsigned char>(c) >= 0x80; }

// Cyrillic and Greek in Latin letters, from the first small letter on: ISO 9 and ISO 843, without
// their marks.
constexpr std::array<std::string_view, 32> kCyrillic{
    "a", "b", "v", "g", "d", "e", "zh", "z",  "i",  "y",   "k", "l", "m", "n", "o",  "p",
    "r", "s", "t", "u", "f", "h", "ts", "ch", "sh", "sch", "",  "y", "",  "e", "yu", "ya"};
constexpr std::array<std::string_view, 25> kGreek{"a", "v", "g", "d", "e",  "z",  "i", "th", "i",
                                                  "k", "l", "m", "n", "x",  "o",  "p", "r",  "s",
                                                  "s", "t", "y", "f", "ch", "ps", "o"};

// The letter or digit in lower case and in Latin letters; "" for any other character.
std::string plain(char32_t c) {
  if (c >= U'A' && c <= U'Z') c += U'a' - U'A';
  if ((c >= U'a' && c <= U'z') || (c >= U'0' && c <= U'9')) return {static_cast<char>(c)};
  if (c >= U'\u0410' && c <= U'\u042F') c += 0x20;
  if (c >= U'\u0430' && c <= U'\u044F') return std::string(kCyrillic[c - U'\u0430']);
  if (c == U'\u0401' || c == U'\u0451') return "e";
  if (c >= U'\u0391' && c <= U'\u03A9') c += 0x20;
  if (c >= U'\u03B1' && c <= U'\u03C9') return std::string(kGreek[c - U'\u03B1']);
  return "";
}

// A name for a prompt without a letter of these scripts: equal for equal prompts (FNV-1a).
std::string numbered_name(std::string_view prompt) {
  uint32_t hash = 2166136261U;
  for (const char c : prompt) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string name = "task-";
  for (int shift = 12; shift >= 0; shift -= 4) name += kDigits[(hash >> shift) & 0xF];
  return name;
}

std::string sentence(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// "42" and "fix the typo": an issue, and what to do about it.
bool is_issue_with_task(const RunRequest& request) {
  if (request.issues.size() != 2 || request.prompt || !request.prompt_file.empty() ||
      !request.command.empty()) {
    return false;
  }
  const std::string &issue = request.issues.front(), &task = request.issues.back();
  return std::none_of(issue.begin(), issue.end(), is_of_a_sentence) &&
         std::any_of(task.begin(), task.end(), is_of_a_sentence);
}

// "42,43"
bool is_list(std::string_view word) {
  return word.find(',') != std::string_view::npos &&
         std::all_of(word.begin(), word.end(),
                     [](char c) { return c == ',' || base::is_digit(c); });
}

}  // namespace

std::string name_of_words(std::string_view prompt) {
  std::string name, word;
  size_t words = 0;
  const auto end_word = [&] {
    const bool fits = word.size() <= kLongestWord && words < kMostWords &&
                      name.size() + 1 + word.size() <= kLongestName;
    if (!word.empty() && fits) {
      name += (name.empty() ? "" : "-") + word;
      ++words;
    }
    word.clear();
  };
  for (std::string_view rest = prompt; !rest.empty();) {
    const base::Decoded next = base::decode_utf8(rest);
    const char c = rest.front();
    rest.remove_prefix(next.length);
    if (is_blank(c) || c == '-' || c == '/' || c == '.' || c == '_') {
      end_word();
    } else {
      word += plain(next.code_point);
    }
  }
  end_word();
  return name.empty() ? numbered_name(prompt) : name;
}

std::vector<std::string> split_list(const std::vector<std::string>& lists) {
  std::vector<std::string> words;
  for (const std::string& list : lists) {
    for (size_t begin = 0; begin <= list.size();) {
      const size_t end = std::min(list.find(',', begin), list.size());
      words.push_back(list.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return words;
}

base::Status settle_words(const std::vector<std::string>& after_prompt, RunRequest& request) {
  for (std::string& issue : request.issues) issue = base::without_number_sign(std::move(issue));
  const bool one_word =
      request.prompt && std::none_of(request.prompt->begin(), request.prompt->end(), is_blank);
  const bool are_words = std::none_of(after_prompt.begin(), after_prompt.end(), base::is_number);
  if (one_word && !after_prompt.empty() && are_words) {
    std::vector<std::string> words{*request.prompt};
    words.insert(words.end(), after_prompt.begin(), after_prompt.end());
    return base::usage_error("is the prompt \"" + base::printable(sentence(words)) +
                             "\"? Quote it; else write the issues before -p");
  }
  const bool is_prompt =
      request.issues.size() == 1 && !request.prompt && request.prompt_file.empty() &&
      request.command.empty() &&
      std::any_of(request.issues.front().begin(), request.issues.front().end(), is_of_a_sentence);
  if (is_prompt) {
    request.prompt = request.issues.front();
    request.issues.clear();
  }
  if (is_issue_with_task(request)) {
    request.prompt = request.issues.back();
    request.issues.pop_back();
  }
  for (const std::string& issue : request.issues) {
    if (!is_list(issue)) continue;
    std::string apart = issue;
    std::replace(apart.begin(), apart.end(), ',', ' ');
    return base::usage_error("write several issues with blanks between them: orch run " + apart);
  }
  if (request.prompt && !request.prompt_file.empty()) {
    return base::usage_error("-p and --prompt-file: give one of them");
  }
  if (request.prompt == "-") {
    request.prompt.reset();
    request.prompt_file = "-";
  }
  return base::Ok{};
}

std::optional<std::string> name_for(const RunRequest& request, std::string_view prompt) {
  if (!request.command.empty()) {
    const std::string& program = request.command.front();
    return name_of_words(std::string_view(program).substr(program.rfind('/') + 1));
  }
  if (base::trim(prompt).empty()) return std::nullopt;
  return name_of_words(prompt);
}

std::vector<std::string> without_effect(const std::set<std::string>& given,
                                        const RunRequest& request) {
  const bool has_keyword =
      request.until == "complete" || (request.until.empty() && request.command.empty());
  const bool has_fence = request.sandbox == "auto" || request.sandbox == "landlock";
  struct Row {
    const char* option;
    bool is_idle;
    const char* why;
  };
  const Row rows[] = {
      {"--session-manager", !request.detach, "only a session of -d has one"},
      {"--jobs", request.issues.size() <= 1, "there is one issue"},
      {"--complete-keyword", !has_keyword, "it goes with --until complete"},
      {"--max-turns", !has_keyword, "it goes with --until complete"},
      {"--record-limit", !request.record, "nothing is recorded"},
      {"--write", !has_fence, "there is no fence"},
      {"--read", !has_fence, "there is no fence"},
  };
  std::vector<std::string> lines;
  for (const Row& row : rows) {
    if (!row.is_idle || !given.contains(row.option)) continue;
    lines.push_back(std::string(row.option) + " has no effect here: " + row.why);
  }
  return lines;
}

std::string quote_hint(const std::vector<std::string>& issues) {
  if (issues.size() < 2 || std::any_of(issues.begin(), issues.end(), base::is_number)) return "";
  return "; if this is what the agent is to do, quote it: orch run \"" +
         base::printable(sentence(issues)) + "\"";
}

}  // namespace orch::options
