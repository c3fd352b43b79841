#include "policy/shell_expansion.h"

#include <algorithm>
#include <optional>

#include "policy/write_target.h"

namespace orch::policy {
namespace {

using Kind = WordPart::Kind;

constexpr int kMaxSplit = 256;

bool has_slash_or_anything(std::string_view value) {
  return value.find_first_of(std::string{'/', kAnyText, kAnyWords, kPathBelow, kMaybeBegin}) !=
         std::string_view::npos;
}

// Whether bash gives the variable values of its own, from texts of the command.
bool is_set_by_shell(std::string_view name) {
  return is_one_of(name, {"_", "BASH_REMATCH", "MAPFILE", "REPLY", "OPTARG", "DIRSTACK", "FUNCNAME",
                          "BASH_COMMAND", "BASH_ARGV", "COPROC", "PIPESTATUS", "BASH_ALIASES",
                          "BASH_CMDS", "OLDPWD", "READLINE_LINE"});
}

char mark_of_glob(char c) { return c == '*' ? kGlobStar : c == '?' ? kGlobOne : kGlobSet; }
char mark_of_brace(char c) { return c == '{' ? kBraceOpen : c == ',' ? kBraceComma : kBraceClose; }

}  // namespace

std::string ShellExpansion::value_of(const std::string& name, bool* assigned) const {
  const std::optional<std::string> value = state_.value_of(name);
  if (assigned != nullptr) *assigned = value.has_value();
  if (value) return *value;
  if (is_set_by_shell(name)) {
    if (assigned != nullptr) *assigned = true;
    return {kAnyText};
  }
  std::string home = home_of(work_dir_);
  if (name == "HOME") return home;
  if (name == "PWD" && state_.dir) return *state_.dir;
  // These variables may be unset, and then their value is empty.
  const auto maybe = [this](std::string_view text) {
    return usual_ ? std::string(text) : kMaybeBegin + std::string(text) + kMaybeEnd;
  };
  if (name == "TMPDIR") return maybe("/tmp");
  if (name == "VIRTUAL_ENV") return maybe(std::string(work_dir_) + "/.venv");
  if (name == "!") return maybe({&kDigits, 1});
  if (is_one_of(name,
                {"USER", "LOGNAME", "UID", "EUID", "BASHPID", "RANDOM", "SECONDS", "LINENO"})) {
    return {kSomeCharacters};
  }
  return {kAnyText};
}

// The values of names in an arithmetic expression are evaluated as expressions themselves, which
// may run commands. Only variables that the command did not set, or set to a number, are harmless.
void ShellExpansion::take_number(const WordPart& part) {
  for (const std::string& name : part.numbers) {
    bool assigned = false;
    const std::string value = value_of(name, &assigned);
    if (assigned && !value.empty() && !is_number(value)) readable_ = false;
    if (part.assigns) state_.assign(name, {kDigits});
  }
  for (const WordPart& inner : part.operand) {
    const ShellWord printed = one_word({inner});
    if (!printed.text.empty() && !is_number(printed.text)) readable_ = false;
  }
}

std::string ShellExpansion::modified(const WordPart& part, const std::string& value,
                                     ShellWord& word) {
  const ShellWord operand = one_word(part.operand);
  word.downloaded |= operand.downloaded;
  const bool known = exact_word(value).exact();
  const char op = part.modifier[0];
  const bool takes_default = usual_ && !state_.value_of(part.text) && !is_set_by_shell(part.text);
  switch (op) {
    case '=':
      state_.assign(part.text, takes_default ? operand.text : std::string{kAnyText});
      [[fallthrough]];
    case '-':
      if (known && !value.empty()) return value;
      if (known || takes_default || whole(value) == operand.text) return operand.text;
      return {kAnyText};
    case '?':
      return value[0] == kMaybeBegin ? whole(value) : value;
    case '+':
      return known && !value.empty() ? operand.text : std::string{kAnyText};
    case '%':
      if (operand.exact() && !operand.text.empty() && value.ends_with(operand.text) &&
          operand.text.find_first_of("*?[/\\") == std::string::npos) {
        return value.substr(0, value.size() - operand.text.size());
      }
      break;
    case '#':
      if (operand.text.ends_with("*/")) return {kSomeCharacters};
      break;
    default:
      break;
  }
  std::string rest{has_slash_or_anything(value) ? kAnyText : kSomeCharacters};
  if (value.find(kFromOutside) != std::string::npos) rest += kFromOutside;
  return rest;
}

void ShellExpansion::append_value(std::string value, const WordPart& part, ShellWord& word,
                                  bool splits) {
  if (part.quoted || !splits) {
    std::replace(value.begin(), value.end(), kAnyWords, kAnyText);
    word.text += value;
    return;
  }
  if (state_.splits_oddly && !is_number(value)) value = {kAnyWords};
  int breaks = 0;
  for (const char c : value) {
    if (c == ' ' || c == '\t' || c == '\n') {
      word.text += kWordBreak;
      if (++breaks > kMaxSplit) return void(word.text += kAnyWords);
    } else if (c == '*' || c == '?' || c == '[') {
      word.text += mark_of_glob(c);
    } else {
      word.text += c == kAnyText ? kAnyWords : c;
    }
  }
}

void ShellExpansion::append(const WordPart& part, ShellWord& word, bool splits) {
  switch (part.kind) {
    case Kind::kText:
      word.text += part.text;
      return;
    case Kind::kGlob:
      word.text += splits ? mark_of_glob(part.text[0]) : part.text[0];
      return;
    case Kind::kBrace:
      word.text += splits ? mark_of_brace(part.text[0]) : part.text[0];
      return;
    case Kind::kTilde:
      if (part.text == "~") {
        word.text += value_of("HOME");
      } else if (part.text == "~+") {
        word.text += value_of("PWD");
      } else if (part.text == "~-") {
        word.text += kAnyText;
      } else {
        word.text += part.text == "~root" ? "/root" : "/home/" + part.text.substr(1);
      }
      return;
    case Kind::kVariable: {
      std::string value = value_of(part.text);
      if (!part.modifier.empty()) value = modified(part, value, word);
      return append_value(std::move(value), part, word, splits);
    }
    case Kind::kScript: {
      Flow output;
      for (const ShellList& script : part.scripts) output = run_(script, {});
      word.downloaded |= output.kind == Flow::Kind::kDownload;
      word.trusted_code |= output.trusted_code;
      std::string value = output.kind == Flow::Kind::kText   ? output.text
                          : output.kind == Flow::Kind::kNone ? ""
                                                             : std::string{kAnyText};
      if (output.outside && output.kind != Flow::Kind::kNone) value += kFromOutside;
      while (value.ends_with('\n')) value.pop_back();
      return append_value(std::move(value), part, word, splits);
    }
    case Kind::kProcess:
      word.process = true;
      word.text += "/dev/fd/63";
      for (const ShellList& script : part.scripts) {
        const Flow flow = run_(script, part.text == ">" ? Flow::unknown() : Flow{});
        word.downloaded |= flow.kind == Flow::Kind::kDownload;
        if (flow.is_paths()) word.text += flow.path();
        if (flow.outside) word.text += kFromOutside;
      }
      return;
    case Kind::kNumber:
      take_number(part);
      for (const ShellList& script : part.scripts) run_(script, {});
      word.text += kDigits;
      return;
    case Kind::kUnknown:
      take_number(part);
      for (const ShellList& script : part.scripts) run_(script, {});
      one_word(part.operand);
      word.text += part.quoted || !splits ? kAnyText : kAnyWords;
      return;
  }
}

ShellWord ShellExpansion::one_word(const std::vector<WordPart>& parts) {
  ShellWord word;
  for (const WordPart& part : parts) append(part, word, /*splits=*/false);
  return word;
}

ShellWord ShellExpansion::file_name(const SyntaxWord& word) {
  std::vector<ShellWord> words;
  append_words(word, words);
  return words.size() == 1 ? words.front() : ShellWord{{kAnyText}};
}

void ShellExpansion::append_words(const SyntaxWord& syntax, std::vector<ShellWord>& out) {
  ShellWord whole_word;
  for (const WordPart& part : syntax.parts) append(part, whole_word, /*splits=*/true);
  for (const std::string& text : expand_braces(whole_word.text)) {
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find(kWordBreak, begin), text.size());
      ShellWord word = whole_word;
      word.text = text.substr(begin, end - begin);
      const size_t close = word.text.rfind(']');
      for (size_t i = 0; i < word.text.size(); ++i) {  // without a ']' a '[' does not begin a set
        const bool open = close == std::string::npos || i > close;
        if (word.text[i] == kGlobSet && open) word.text[i] = '[';
      }
      begin = end + 1;
      if (!word.text.empty() || syntax.quoted) out.push_back(std::move(word));
    }
  }
}

}  // namespace orch::policy
